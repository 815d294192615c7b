// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules as written: matches events by the declarations of the spec.
// RULE N1, N2, N3, N4

use gnomon_core::{Clock, Duration, End, Quantity, Value};
use gnomon_ir::{
    ActionPhase, Atom, ContextDirection, Correlation, Path, Rule, RuleAction, RuleContext, RuleContextCore, Spec,
};

use super::atom::{AtomMatch, atom_matches};
use super::window::ticks;
use crate::rule::{CorrelationValues, RuleDefinition, RuleMessage, truth as rule_truth};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

/// Returns the truth value of a rule on a trace.
pub(super) fn truth(spec: &Spec, rule: &Rule, trace: &Trace, end: End) -> Truth {
    let terms = terms(spec, rule);
    let messages: Vec<RuleMessage> = trace.events().iter().map(|event| message(spec, rule, event)).collect();
    rule_truth(&terms.instances(&messages, end, None), end)
}

fn terms(spec: &Spec, rule: &Rule) -> RuleDefinition {
    let in_ticks = |bound: Quantity| Duration::from_ticks(ticks(Clock::new(spec.time.unit), bound));
    let (from, to) = (rule.window.from.map(in_ticks), rule.window.to.map(in_ticks));
    let looks_back = from.is_none_or(|from| to.is_some_and(|to| from > to));
    let (near, far, direction) =
        if looks_back { (to, from, ContextDirection::Past) } else { (from, to, ContextDirection::Future) };
    let mut negated = Vec::new();
    rule.context.actions(&mut |action| negated.push(action.negated));
    RuleDefinition {
        modality: rule.modality,
        matching: rule.matching,
        strict_end: rule.strict_end,
        direction,
        lower: near.unwrap_or(Duration::ZERO),
        upper: far,
        context: numbered(&rule.context, &mut 0),
        negated,
    }
}

fn numbered(context: &RuleContext, next: &mut usize) -> RuleContextCore {
    match context {
        RuleContext::Action(_) => {
            *next += 1;
            RuleContextCore::Action(*next - 1)
        }
        RuleContext::And(left, right) => RuleContextCore::And(vec![numbered(left, next), numbered(right, next)]),
        RuleContext::Or(left, right) => RuleContextCore::Or(vec![numbered(left, next), numbered(right, next)]),
    }
}

fn message(spec: &Spec, rule: &Rule, event: &OracleEvent) -> RuleMessage {
    let mut hits = Vec::new();
    rule.context.actions(&mut |action| hits.push(is_message_of(spec, action, event)));
    RuleMessage {
        time: event.time,
        asks: rule.supposition.iter().any(|action| is_message_of(spec, action, event)),
        hits,
        values: CorrelationValues { of: rule.correlations.iter().map(|set| value(spec, set, event)).collect() },
    }
}

fn is_message_of(spec: &Spec, action: &RuleAction, event: &OracleEvent) -> bool {
    let ways = atom_matches(spec, &action.message, event);
    ways.iter().any(|way| is_at(action, way, event))
}

/// Returns true if the event is at the phase that the action means, as far as the event states one.
// RULE N2
fn is_at(action: &RuleAction, way: &AtomMatch<'_>, event: &OracleEvent) -> bool {
    let value_of = |field: &str| {
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
    let transition = value_of("lifecycle:transition");
    let kind = value_of("EventType");
    let (own, others) = match action.phase {
        ActionPhase::Start => ("start", ["complete", "end"]),
        ActionPhase::Done => ("complete", ["start", "begin"]),
    };
    transition.is_none_or(|transition| matches!(transition, Value::Text(text) if *text == *own))
        && !kind.is_some_and(|kind| is_word(kind, others))
}

// RULE N4
fn value(spec: &Spec, set: &Correlation, event: &OracleEvent) -> Option<Value<'static>> {
    set.members.iter().find_map(|member| {
        let (name, span) = (member.message.clone(), member.span);
        let atom = Atom { name, name_span: span, arguments: None, condition: None, span };
        let ways = atom_matches(spec, &atom, event);
        ways.iter().find_map(|way| way.field(event, &member.field)).cloned()
    })
}
