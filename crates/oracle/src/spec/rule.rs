// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules as written: what each of them sees of an event, by the declarations of the spec.
// RULE N1, N2, N3, N4

use gnomon_core::time::{Clock, Duration, Quantity};
use gnomon_core::value::Value;
use gnomon_core::verdict::End;
use gnomon_ir::core::Direction;
use gnomon_ir::pattern::{Atom, Path};
use gnomon_ir::rule::{self, Action, Correlation, Phase, Rule};
use gnomon_ir::spec::Spec;

use super::declared::{Sighting, sightings};
use super::window::ticks;
use crate::rule::{Context, Message, Terms, Values, truth as rule_truth};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

/// What is known of a rule over a trace.
pub(super) fn truth(spec: &Spec, rule: &Rule, trace: &Trace, end: End) -> Truth {
    let terms = terms(spec, rule);
    let messages: Vec<Message> = trace.events().iter().map(|event| message(spec, rule, event)).collect();
    rule_truth(&terms.instances(&messages, end, None), end)
}

fn terms(spec: &Spec, rule: &Rule) -> Terms {
    let in_ticks = |bound: Quantity| Duration::from_ticks(ticks(Clock::new(spec.time.unit), bound));
    let (from, to) = (rule.window.from.map(in_ticks), rule.window.to.map(in_ticks));
    let looks_back = from.is_none_or(|from| to.is_some_and(|to| from > to));
    let (near, far, direction) = if looks_back { (to, from, Direction::Past) } else { (from, to, Direction::Future) };
    Terms {
        modality: rule.modality,
        matching: rule.matching,
        strict_end: rule.strict_end,
        direction,
        lower: near.unwrap_or(Duration::ZERO),
        upper: far,
        context: numbered(&rule.context, &mut 0),
    }
}

fn numbered(context: &rule::Context, next: &mut usize) -> Context {
    match context {
        rule::Context::Action(action) => {
            let number = *next;
            *next += 1;
            Context::Action { number, negated: action.negated }
        }
        rule::Context::And(left, right) => Context::And(vec![numbered(left, next), numbered(right, next)]),
        rule::Context::Or(left, right) => Context::Or(vec![numbered(left, next), numbered(right, next)]),
    }
}

fn message(spec: &Spec, rule: &Rule, event: &OracleEvent) -> Message {
    let mut hits = Vec::new();
    rule.context.actions(&mut |action| hits.push(is_message_of(spec, action, event)));
    Message {
        time: event.time,
        asks: rule.supposition.iter().any(|action| is_message_of(spec, action, event)),
        hits,
        values: Values { of: rule.correlations.iter().map(|set| value(spec, set, event)).collect() },
    }
}

fn is_message_of(spec: &Spec, action: &Action, event: &OracleEvent) -> bool {
    let ways = sightings(spec, &action.message, event);
    ways.iter().any(|way| is_at(action, way, event))
}

/// Whether the event is at the end of its life that the action means, as far as it says.
// RULE N2
fn is_at(action: &Action, way: &Sighting<'_>, event: &OracleEvent) -> bool {
    let told = |field: &str| {
        let path = Path { field: field.to_owned(), steps: vec![] };
        let asked = way.asks_for(&action.message, field);
        event.at_path(&path).filter(|_| !asked)
    };
    let is_word = |value: &Value<'static>, words: [&str; 2]| {
        let Value::Text(text) = value else { return false };
        words.iter().any(|word| {
            let capital = word[..1].to_uppercase() + &word[1..];
            *text == *word || *text == word.to_uppercase() || *text == capital
        })
    };
    let transition = told("lifecycle:transition");
    let kind = told("EventType");
    let (own, others) = match action.phase {
        Phase::Start => ("start", ["complete", "end"]),
        Phase::Done => ("complete", ["start", "begin"]),
    };
    transition.is_none_or(|transition| matches!(transition, Value::Text(text) if *text == *own))
        && !kind.is_some_and(|kind| is_word(kind, others))
}

// RULE N4
fn value(spec: &Spec, set: &Correlation, event: &OracleEvent) -> Option<Value<'static>> {
    set.members.iter().find_map(|member| {
        let (name, span) = (member.message.clone(), member.span);
        let atom = Atom { name, name_span: span, arguments: None, condition: None, span };
        let ways = sightings(spec, &atom, event);
        ways.iter().find_map(|way| way.field(event, &member.field)).cloned()
    })
}
