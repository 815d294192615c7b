// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenario of a pattern: the messages of its sequence diagram, independent of a notation.

use gnomon_core::list::index_of;
use gnomon_ir::{Atom, Behaviour, Bounds, CountBound, Participant, ScopeKind};

use crate::prepared_pattern::{PreparedPattern, named};

/// The messages between participants, from top to bottom.
pub(super) struct Scenario {
    pub(super) title: String,
    /// The names of the participants, in the order in which they appear.
    pub(super) participants: Vec<String>,
    pub(super) items: Vec<ScenarioItem>,
}

pub(super) enum ScenarioItem {
    Message(ScenarioMessage),
    /// A frame around several items.
    Block(Block, Vec<ScenarioItem>),
    Note(String),
}

pub(super) struct ScenarioMessage {
    /// Indices in [`Scenario::participants`].
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: String,
    pub(super) role: MessageRole,
}

gnomon_core::words! {
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum MessageRole as word {
        /// Opens or closes the scope.
        Delimits = "scope: ",
        /// May happen.
        May = "",
        /// Must happen.
        Must = "must: ",
        /// Must not happen.
        MustNot = "must not: ",
    }
}

#[derive(Clone)]
pub(super) enum Block {
    /// Items that repeat; the title says how often.
    Loop(String),
    /// Items that may be absent.
    Optional(String),
}

impl Block {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Block::Loop(_) => "loop",
            Block::Optional(_) => "opt",
        }
    }

    pub(super) fn title(&self) -> &str {
        match self {
            Block::Loop(title) | Block::Optional(title) => title,
        }
    }
}

impl Scenario {
    pub(super) fn of(prepared: &PreparedPattern<'_>, title: &str) -> Scenario {
        let mut builder = ScenarioBuilder { prepared, participants: Vec::new() };
        let mut items = Vec::new();
        if !prepared.variables.is_empty() {
            let names: Vec<&str> = prepared.variables.iter().map(|variable| variable.name.as_str()).collect();
            items.push(ScenarioItem::Note(format!("for every {}", names.join(", "))));
        }
        items.extend(builder.scope());
        Scenario { title: title.to_owned(), participants: builder.participants, items }
    }
}

struct ScenarioBuilder<'c, 's> {
    prepared: &'c PreparedPattern<'s>,
    participants: Vec<String>,
}

impl ScenarioBuilder<'_, '_> {
    fn scope(&mut self) -> Vec<ScenarioItem> {
        let prepared = self.prepared;
        let mut items = Vec::new();
        let opens = prepared.opens.as_ref().map(|atom| self.message(MessageRole::Delimits, atom, ""));
        items.extend(opens);
        if let (true, Some(opens)) = (prepared.scope.restarts(), &prepared.opens) {
            let again = self.message(MessageRole::Delimits, opens, "");
            items.push(ScenarioItem::Block(
                Block::Loop("each further one restarts the segment".to_owned()),
                vec![again],
            ));
        }
        items.extend(self.behaviour());
        let closes = prepared.closes.as_ref().map(|atom| self.message(MessageRole::Delimits, atom, ""));
        match (prepared.scope, closes) {
            (_, None) => items.push(ScenarioItem::Note("the end of the trace".to_owned())),
            (ScopeKind::Until | ScopeKind::AfterUntil | ScopeKind::AfterLastUntil, Some(closes)) => {
                items.push(ScenarioItem::Block(Block::Optional("or the end of the trace".to_owned()), vec![closes]));
            }
            (_, Some(closes)) => items.push(closes),
        }
        if prepared.scope.repeats() {
            return vec![ScenarioItem::Block(Block::Loop("every segment".to_owned()), items)];
        }
        items
    }

    fn message(&mut self, role: MessageRole, atom: &Atom, remark: &str) -> ScenarioItem {
        self.labelled(role, atom, gnomon_lang::print_atom(atom, &[]) + remark)
    }

    fn labelled(&mut self, role: MessageRole, atom: &Atom, label: String) -> ScenarioItem {
        let declared = self.prepared.spec.event(&atom.name).and_then(|event| event.participants.as_ref());
        let name = |participant: &Participant| match participant {
            Participant::Named(name) => name.clone(),
            Participant::Field(field) => format!("${field}"),
        };
        let (from, to) = match declared {
            Some((from, to)) => (name(from), name(to)),
            None => ("environment".to_owned(), "system".to_owned()),
        };
        let (from, to) = (index_of(&mut self.participants, from), index_of(&mut self.participants, to));
        ScenarioItem::Message(ScenarioMessage { from, to, label, role })
    }

    fn all(&mut self, role: MessageRole, atoms: &[Atom]) -> Vec<ScenarioItem> {
        atoms.iter().map(|atom| self.message(role, atom, "")).collect()
    }

    fn behaviour(&mut self) -> Vec<ScenarioItem> {
        let repeated = |words: String, items: Vec<ScenarioItem>| vec![ScenarioItem::Block(Block::Loop(words), items)];
        match &self.prepared.behaviour {
            Behaviour::Absence(event) => vec![self.message(MessageRole::MustNot, event, "")],
            Behaviour::Existence { event, within } => {
                let far = within.as_ref().map(bounds).map(|far| format!(" {far} of the start")).unwrap_or_default();
                vec![self.message(MessageRole::Must, event, &far)]
            }
            Behaviour::Count { amount, number, event } => {
                let role = if *amount == CountBound::AtMost { MessageRole::May } else { MessageRole::Must };
                let words = format!("{} {number} times", amount.words());
                let mut items = repeated(words, vec![self.message(role, event, "")]);
                if *amount != CountBound::AtLeast {
                    items.push(self.message(MessageRole::MustNot, event, ""));
                }
                items
            }
            Behaviour::Rate { number, event, window } => {
                let words = format!("at most {number} times in any {window}");
                repeated(words, vec![self.message(MessageRole::May, event, "")])
            }
            Behaviour::Universality(event) => {
                let other = gnomon_lang::print_atom(&named(event), &[]) + " of any other kind";
                let items =
                    vec![self.message(MessageRole::May, event, ""), self.labelled(MessageRole::MustNot, event, other)];
                repeated("any number of times".to_owned(), items)
            }
            Behaviour::Only(events) => {
                let mut items = self.all(MessageRole::May, events);
                items.extend(
                    events.first().map(|event| self.labelled(MessageRole::MustNot, event, "anything else".to_owned())),
                );
                repeated("any number of times, in any order".to_owned(), items)
            }
            Behaviour::Precedence { causes, effects, required, within } => {
                let mut items = self.all(MessageRole::MustNot, effects);
                let causes = self.all(if *required { MessageRole::Must } else { MessageRole::May }, causes);
                let far = within.as_ref().map(|far| format!(", {}", bounds(far))).unwrap_or_default();
                let after = Block::Optional(format!("only after these{far}"));
                let after = ScenarioItem::Block(after, self.all(MessageRole::May, effects));
                if *required {
                    items.extend(causes);
                    items.push(after);
                } else {
                    let inner = causes.into_iter().chain([after]).collect();
                    items.push(ScenarioItem::Block(Block::Optional("if they come".to_owned()), inner));
                }
                items
            }
            Behaviour::Response { stimuli, responses, without, required, within } => {
                let mut items = self.all(MessageRole::May, stimuli);
                let far = within.as_ref().map(|far| format!(" {}", bounds(far))).unwrap_or_default();
                for (index, response) in responses.iter().enumerate() {
                    items.push(self.message(MessageRole::Must, response, &far));
                    if let (Some(without), true) = (without, index + 1 < responses.len()) {
                        items.push(self.message(MessageRole::MustNot, without, ""));
                    }
                }
                let words = if *required { "every time, and at least once" } else { "every time" };
                repeated(words.to_owned(), items)
            }
            Behaviour::Recurrence { event, every, .. } => {
                repeated(format!("at least every {every}"), vec![self.message(MessageRole::Must, event, "")])
            }
        }
    }
}

/// Describes an interval: `within [2s, 10s]`.
fn bounds(bounds: &Bounds) -> String {
    let Bounds { lo, lo_closed, hi, hi_closed, .. } = bounds;
    match hi {
        Some(hi) if lo.billionths == 0 && *lo_closed && *hi_closed => format!("within {hi}"),
        Some(hi) => {
            format!("within {}{lo}, {hi}{}", if *lo_closed { '[' } else { '(' }, if *hi_closed { ']' } else { ')' })
        }
        None => format!("{} {lo} away", if *lo_closed { "at least" } else { "more than" }),
    }
}
