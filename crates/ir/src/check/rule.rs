// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers rules over messages: windows become ticks and a direction, actions are numbered, phases become conditions.

use std::collections::BTreeSet;

use gnomon_core::{Comparison, Diagnostic, Duration, Span, Value};

use super::Checker;
use crate::{
    ActionPhase, Atom, AtomDefinition, AtomId, Condition, ContextDirection, Correlation, CorrelationCore,
    CorrelationMember, CorrelationMemberCore, EventPattern, Path, Property, Rule, RuleAction, RuleActionCore,
    RuleContext, RuleContextCore, RuleCore, RuleWindow,
};

impl Checker<'_> {
    pub(super) fn rule(&mut self, property: &Property, rule: &Rule) -> RuleCore {
        let supposition: Vec<AtomId> = rule.supposition.iter().map(|action| self.message(action)).collect();
        let (direction, lower, upper) = self.window(&rule.window);
        let mut actions = Vec::new();
        let context = self.context(&rule.context, &mut actions);
        let context_span = span_of(&rule.context);
        if let Some(more) = rule.correlations.get(RuleCore::MAX_CORRELATIONS) {
            let count = rule.correlations.len();
            self.diagnostics.push(
                Diagnostic::error("G0319", more.span, format!("the rule has {count} correlation sets"))
                    .label(format!("at most {} can be compared", RuleCore::MAX_CORRELATIONS))
                    .help("leave out the sets that the others imply"),
            );
        }
        let names = correlation_names(&rule.correlations);
        let sets = rule.correlations.iter().zip(names);
        let correlations: Vec<CorrelationCore> = sets.map(|(set, name)| self.correlation(set, name)).collect();
        let atoms = std::mem::take(&mut self.atoms);
        for (set, core) in rule.correlations.iter().zip(&correlations) {
            self.compares_nothing(set, core, &atoms, &supposition, &actions);
        }
        RuleCore {
            name: property.name.clone(),
            clock: self.clock,
            needs_unit: self.needs_unit,
            atoms,
            modality: rule.modality,
            matching: rule.matching,
            strict_end: rule.strict_end,
            supposition,
            direction,
            lower,
            upper,
            actions,
            context,
            correlations,
            context_span,
            span: property.body_span,
        }
    }

    /// The message of an action, at its start or end.
    fn message(&mut self, action: &RuleAction) -> AtomId {
        let mut patterns = self.patterns(&action.message);
        for pattern in &mut patterns {
            add_phase(pattern, action.phase);
        }
        self.define(AtomDefinition { name: action.message.name.clone(), patterns })
    }

    /// RULE N3: `O[m,n]` looks ahead if m is at most n, else back.
    fn window(&mut self, window: &RuleWindow) -> (ContextDirection, Duration, Option<Duration>) {
        let mut ticks = |bound: Option<_>| bound.map(|bound| self.duration(bound, window.span));
        match (ticks(window.from), ticks(window.to)) {
            (Some(from), Some(to)) if from <= to => (ContextDirection::Future, from, Some(to)),
            (Some(from), Some(to)) => (ContextDirection::Past, to, Some(from)),
            (Some(from), None) => (ContextDirection::Future, from, None),
            (None, Some(to)) => (ContextDirection::Past, to, None),
            (None, None) => {
                self.diagnostics.push(
                    Diagnostic::error("G0320", window.span, "both ends of the window are infinite")
                        .label("it would look neither ahead nor back")
                        .help("write `O[0,inf]` for any time after, `O[inf,0]` for any time before"),
                );
                (ContextDirection::Future, Duration::ZERO, None)
            }
        }
    }

    fn context(&mut self, context: &RuleContext, actions: &mut Vec<RuleActionCore>) -> RuleContextCore {
        match context {
            RuleContext::Action(action) => {
                let atom = self.message(action);
                actions.push(RuleActionCore { atom, negated: action.negated, span: action.span });
                RuleContextCore::Action(actions.len() - 1)
            }
            // `a && b && c` has three parts.
            RuleContext::And(left, right) => {
                let (left, right) = (self.context(left, actions), self.context(right, actions));
                let parts = |part| if let RuleContextCore::And(parts) = part { parts } else { vec![part] };
                RuleContextCore::And([parts(left), parts(right)].concat())
            }
            RuleContext::Or(left, right) => {
                let (left, right) = (self.context(left, actions), self.context(right, actions));
                let parts = |part| if let RuleContextCore::Or(parts) = part { parts } else { vec![part] };
                RuleContextCore::Or([parts(left), parts(right)].concat())
            }
        }
    }

    fn correlation(&mut self, set: &Correlation, name: String) -> CorrelationCore {
        let mut earlier: Vec<&CorrelationMember> = Vec::new();
        for member in &set.members {
            if let Some(before) = earlier.iter().find(|known| known.message == member.message) {
                let message = &member.message;
                self.diagnostics.push(
                    Diagnostic::error("G0321", member.span, format!("`{message}` is in the correlation set twice"))
                        .label("a set takes one field of each message")
                        .also(before.span, "here already")
                        .help("write a set of its own for the second field: `{{a.x, b.x}, {a.y, b.y}}`"),
                );
            }
            earlier.push(member);
        }
        CorrelationCore { name, members: set.members.iter().map(|member| self.member(member)).collect() }
    }

    /// Warns of a set that is about one message of the rule only, unless that one stands on both sides of the bar.
    fn compares_nothing(
        &mut self,
        set: &Correlation,
        core: &CorrelationCore,
        atoms: &[AtomDefinition],
        supposition: &[AtomId],
        actions: &[RuleActionCore],
    ) {
        let named = |id: &AtomId| {
            let places = || core.members.iter().flat_map(|member| &member.places);
            let patterns = &atoms[id.0 as usize].patterns;
            patterns.iter().any(|pattern| places().any(|(place, _)| place.event == pattern.event))
        };
        let asking: BTreeSet<AtomId> = supposition.iter().copied().filter(named).collect();
        let answering: BTreeSet<AtomId> = actions.iter().map(|action| action.atom).filter(named).collect();
        let (count, message) = match (asking.len() + answering.len(), asking.iter().chain(&answering).next()) {
            (2.., _) => return,
            (_, Some(id)) => (1, format!("the correlation set compares `{}` with nothing", atoms[id.0 as usize].name)),
            (_, None) => (0, "the correlation set names no message of the rule".to_owned()),
        };
        let label = if count == 0 { "does nothing" } else { "no other message of the rule is in it" };
        self.diagnostics.push(
            Diagnostic::warning("G0322", set.span, message)
                .label(label)
                .help("name a field of the supposition's message and one of the context's: `{a.id, b.id}`"),
        );
    }

    /// The events that are a message, whatever an action asks of them, with the field in each.
    fn member(&mut self, member: &CorrelationMember) -> CorrelationMemberCore {
        let CorrelationMember { message, field, span } = member;
        let atom = Atom { name: message.clone(), name_span: *span, arguments: None, condition: None, span: *span };
        let fields = self.fields_of(&atom, field);
        let patterns = self.patterns(&atom);
        CorrelationMemberCore { message: message.clone(), places: patterns.into_iter().zip(fields).collect() }
    }
}

/// RULE N12. The name of each set's value in a binding: the field of its first member, `id`. Where several sets would have that
/// name it is the member, `a.id`, and where several begin with that member the whole set, `{a.id, b.key}`.
fn correlation_names(sets: &[Correlation]) -> Vec<String> {
    let written = |member: &CorrelationMember| format!("{}.{}", member.message, member.field);
    let candidates: Vec<[String; 3]> = sets
        .iter()
        .map(|set| {
            let first = set.members.first();
            let all: Vec<String> = set.members.iter().map(written).collect();
            [
                first.map(|member| member.field.to_string()).unwrap_or_default(),
                first.map(written).unwrap_or_default(),
                format!("{{{}}}", all.join(", ")),
            ]
        })
        .collect();
    let is_shared = |name: &String, column: usize| candidates.iter().filter(|names| names[column] == *name).count() > 1;
    let choose = |names: &[String; 3]| {
        let [field, member, all] = names;
        if !is_shared(field, 0) {
            field.clone()
        } else if !is_shared(member, 1) {
            member.clone()
        } else {
            all.clone()
        }
    };
    candidates.iter().map(choose).collect()
}

fn span_of(context: &RuleContext) -> Span {
    let mut whole: Option<Span> = None;
    context.actions(&mut |action| whole = Some(whole.map_or(action.span, |span| span.to(action.span))));
    whole.unwrap_or_default()
}

/// The transition of an event in XES. Whatever has one is at that point of its life.
const TRANSITION: &str = "lifecycle:transition";
/// Field with the same meaning in many other logs. The name is common, so only known values count.
const EVENT_TYPE: &str = "EventType";
/// Fields that conditions of rules compare although the spec does not mention them. Most logs have neither.
pub const PHASE_FIELDS: [&str; 2] = [TRANSITION, EVENT_TYPE];

const STARTS: [&str; 6] = ["start", "START", "Start", "begin", "BEGIN", "Begin"];
const ENDS: [&str; 6] = ["complete", "COMPLETE", "Complete", "end", "END", "End"];

/// RULE N2: where an event distinguishes start and end, `start` means the one and `done` the other.
fn add_phase(pattern: &mut EventPattern, phase: ActionPhase) {
    let mentions = |field: &str| {
        let mut found = false;
        if let Some(condition) = &pattern.condition {
            condition.compared(&mut |path, _| found |= path.field == field);
        }
        found
    };
    let own = match phase {
        ActionPhase::Start => "start",
        ActionPhase::Done => "complete",
    };
    let transition = (!mentions(TRANSITION)).then(|| {
        // An absent field is neither equal nor unequal to anything.
        not(compare(TRANSITION, Comparison::NotEqual, own))
    });
    let others = match phase {
        ActionPhase::Start => ENDS,
        ActionPhase::Done => STARTS,
    };
    let event_type = (!mentions(EVENT_TYPE)).then(|| {
        let words = others.into_iter().map(|other| compare(EVENT_TYPE, Comparison::Equal, other));
        words.reduce(|left, right| Condition::Or(Box::new(left), Box::new(right))).map(not)
    });
    let parts = pattern.condition.take().into_iter().chain(transition).chain(event_type.flatten());
    pattern.condition = Condition::all(parts);
}

fn compare(field: &str, comparison: Comparison, text: &'static str) -> Condition {
    Condition::Compare(Path { field: field.to_owned(), steps: vec![] }, comparison, Value::Text(text.into()))
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}
