// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenario of a pattern, before it is drawn.

use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Amount, Behaviour, ScopeKind};
use gnomon_ir::spec::Participant;

use crate::cell::{Cell, named};

/// What happens between participants, from top to bottom.
pub(super) struct Scenario {
    pub(super) title: String,
    /// Their names, in the order in which they appear.
    pub(super) participants: Vec<String>,
    pub(super) items: Vec<Item>,
}

pub(super) enum Item {
    Message(Message),
    /// A frame around several.
    Block(Block, Vec<Item>),
    Note(String),
}

pub(super) struct Message {
    /// Places in [`Scenario::participants`].
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: String,
    pub(super) role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Opens or closes the scope.
    Delimits,
    /// May happen.
    May,
    /// Must happen.
    Must,
    /// Must not happen.
    MustNot,
}

impl Role {
    /// The word in front of a label.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Role::Delimits => "scope: ",
            Role::May => "",
            Role::Must => "must: ",
            Role::MustNot => "must not: ",
        }
    }
}

#[derive(Clone)]
pub(super) enum Block {
    /// Again and again; the words say how often.
    Loop(String),
    /// Perhaps.
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
    pub(super) fn of(cell: &Cell<'_>, title: &str) -> Scenario {
        let mut maker = Maker { cell, participants: Vec::new() };
        let mut items = Vec::new();
        if !cell.variables.is_empty() {
            let names: Vec<&str> = cell.variables.iter().map(|variable| variable.name.as_str()).collect();
            items.push(Item::Note(format!("for every {}", names.join(", "))));
        }
        items.extend(maker.scope());
        Scenario { title: title.to_owned(), participants: maker.participants, items }
    }
}

struct Maker<'c, 's> {
    cell: &'c Cell<'s>,
    participants: Vec<String>,
}

impl Maker<'_, '_> {
    fn scope(&mut self) -> Vec<Item> {
        let cell = self.cell;
        let mut items = Vec::new();
        let opens = cell.opens.as_ref().map(|atom| self.message(Role::Delimits, atom, ""));
        items.extend(opens);
        if let (true, Some(opens)) = (cell.scope.restarts(), &cell.opens) {
            let again = self.message(Role::Delimits, opens, "");
            items.push(Item::Block(Block::Loop("each further one starts anew".to_owned()), vec![again]));
        }
        items.extend(self.behaviour());
        let closes = cell.closes.as_ref().map(|atom| self.message(Role::Delimits, atom, ""));
        match (cell.scope, closes) {
            (_, None) => items.push(Item::Note("the end of the trace".to_owned())),
            (ScopeKind::Until | ScopeKind::AfterUntil | ScopeKind::AfterLastUntil, Some(closes)) => {
                items.push(Item::Block(Block::Optional("or the end of the trace".to_owned()), vec![closes]));
            }
            (_, Some(closes)) => items.push(closes),
        }
        if cell.scope.repeats() {
            return vec![Item::Block(Block::Loop("every segment".to_owned()), items)];
        }
        items
    }

    fn participant(&mut self, name: &str) -> usize {
        self.participants.iter().position(|known| known == name).unwrap_or_else(|| {
            self.participants.push(name.to_owned());
            self.participants.len() - 1
        })
    }

    fn message(&mut self, role: Role, atom: &Atom, remark: &str) -> Item {
        self.labelled(role, atom, gnomon_lang::print_atom(atom, &[]) + remark)
    }

    fn labelled(&mut self, role: Role, atom: &Atom, label: String) -> Item {
        let declared = self.cell.spec.event(&atom.name).and_then(|event| event.participants.as_ref());
        let name = |participant: &Participant| match participant {
            Participant::Named(name) => name.clone(),
            Participant::Field(field) => format!("${field}"),
        };
        let (from, to) = match declared {
            Some((from, to)) => (name(from), name(to)),
            None => ("environment".to_owned(), "system".to_owned()),
        };
        let (from, to) = (self.participant(&from), self.participant(&to));
        Item::Message(Message { from, to, label, role })
    }

    fn all(&mut self, role: Role, atoms: &[Atom]) -> Vec<Item> {
        atoms.iter().map(|atom| self.message(role, atom, "")).collect()
    }

    fn behaviour(&mut self) -> Vec<Item> {
        let repeated = |words: String, items: Vec<Item>| vec![Item::Block(Block::Loop(words), items)];
        match &self.cell.behaviour {
            Behaviour::Absence(event) => vec![self.message(Role::MustNot, event, "")],
            Behaviour::Existence { event, within } => {
                let far = within.as_ref().map(bounds).map(|far| format!(" {far} of the start")).unwrap_or_default();
                vec![self.message(Role::Must, event, &far)]
            }
            Behaviour::Count { amount, number, event } => {
                let role = if *amount == Amount::AtMost { Role::May } else { Role::Must };
                let words = format!("{} {number} times", amount.words());
                let mut items = repeated(words, vec![self.message(role, event, "")]);
                if *amount != Amount::AtLeast {
                    items.push(self.message(Role::MustNot, event, ""));
                }
                items
            }
            Behaviour::Rate { number, event, window } => {
                let words = format!("at most {number} times in any {window}");
                repeated(words, vec![self.message(Role::May, event, "")])
            }
            Behaviour::Universality(event) => {
                let other = gnomon_lang::print_atom(&named(event), &[]) + " of any other kind";
                let items = vec![self.message(Role::May, event, ""), self.labelled(Role::MustNot, event, other)];
                repeated("any number of times".to_owned(), items)
            }
            Behaviour::Only(events) => {
                let mut items = self.all(Role::May, events);
                items.extend(
                    events.first().map(|event| self.labelled(Role::MustNot, event, "anything else".to_owned())),
                );
                repeated("any number of times, in any order".to_owned(), items)
            }
            Behaviour::Precedence { causes, effects, required, within } => {
                let mut items = self.all(Role::MustNot, effects);
                let causes = self.all(if *required { Role::Must } else { Role::May }, causes);
                let far = within.as_ref().map(|far| format!(", {}", bounds(far))).unwrap_or_default();
                let after = Block::Optional(format!("only after these{far}"));
                let after = Item::Block(after, self.all(Role::May, effects));
                if *required {
                    items.extend(causes);
                    items.push(after);
                } else {
                    let inner = causes.into_iter().chain([after]).collect();
                    items.push(Item::Block(Block::Optional("if they come".to_owned()), inner));
                }
                items
            }
            Behaviour::Response { stimuli, responses, without, required, within } => {
                let mut items = self.all(Role::May, stimuli);
                let far = within.as_ref().map(|far| format!(" {}", bounds(far))).unwrap_or_default();
                for (index, response) in responses.iter().enumerate() {
                    items.push(self.message(Role::Must, response, &far));
                    if let (Some(without), true) = (without, index + 1 < responses.len()) {
                        items.push(self.message(Role::MustNot, without, ""));
                    }
                }
                let words = if *required { "every time, and at least once" } else { "every time" };
                repeated(words.to_owned(), items)
            }
            Behaviour::Recurrence { event, every, .. } => {
                repeated(format!("at least every {every}"), vec![self.message(Role::Must, event, "")])
            }
        }
    }
}

/// `within [2s, 10s]`
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
