// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes clock constraints: a sentence for each definition and each relation.

use gnomon_ir::{Atom, ClockDefinition, ClockExpression, ClockRelation, ClockRelationKind, ClockWord, Clocks};

use super::words::{capital, ordinal};

pub(super) fn sentences(clocks: &Clocks) -> String {
    let definitions = clocks.definitions.iter().map(definition);
    let relations = clocks.relations.iter().map(relation);
    definitions.chain(relations).collect::<Vec<String>>().join(" ")
}

fn relation(of: &ClockRelation<Atom>) -> String {
    let (a, b) = (quoted(&of.left), quoted(&of.right));
    match of.kind {
        ClockRelationKind::Subclock => format!("{a} occurs only together with {b}."),
        ClockRelationKind::Coincides => format!("{a} and {b} always occur together."),
        ClockRelationKind::Excludes => format!("{a} and {b} never occur together."),
        ClockRelationKind::Precedes => format!("Before each {b} there is another {a}."),
        ClockRelationKind::PrecedesWithin(bound) => {
            let times = if bound == 1 { "1 occurrence".to_owned() } else { format!("{bound} occurrences") };
            format!("Before each {b} there is another {a}, and {a} is never more than {times} ahead.")
        }
        ClockRelationKind::Causes => format!("Before or together with each {b} there is another {a}."),
        ClockRelationKind::Alternates => format!("{a} and {b} alternate, {a} first."),
    }
}

fn definition(of: &ClockDefinition) -> String {
    let name = format!("`{}`", of.clock.name);
    let operands: Vec<String> = of.expression.operands().map(quoted).collect();
    let (a, b) = (&operands[0], &operands[operands.len() - 1]);
    let when = match &of.expression {
        ClockExpression::Union(..) => format!("whenever {a} or {b} does"),
        ClockExpression::Intersection(..) => format!("whenever {a} and {b} occur together"),
        ClockExpression::Difference(..) => format!("whenever {a} does without {b}"),
        ClockExpression::Delay(_, 0) | ClockExpression::Every { period: 1, from: None, .. } => {
            format!("whenever {a} does")
        }
        ClockExpression::Delay(_, 1) => format!("at each {a} but the first"),
        ClockExpression::Delay(_, by) => format!("at each {a} but the first {by}"),
        ClockExpression::DelayOn { by, .. } => format!("at the {} {b} after each {a}", ordinal(*by)),
        ClockExpression::Every { period, from: None, .. } => format!("at every {} {a}", ordinal(*period)),
        ClockExpression::Every { period: 1, from: Some(from), .. } => {
            format!("at each {a} from the {} on", ordinal(*from))
        }
        ClockExpression::Every { period, from: Some(from), .. } => {
            format!("at every {} {a} from the {} on", ordinal(*period), ordinal(*from))
        }
        ClockExpression::Filter(_, word) => filter(a, word),
        ClockExpression::Sampled { strictly: false, .. } => {
            format!("at each {b} by which {a} has occurred since the {b} before")
        }
        ClockExpression::Sampled { strictly: true, .. } => {
            format!("at each {b} before which {a} has occurred since the {b} before")
        }
        ClockExpression::UpTo(..) => format!("whenever {a} does before the first {b}"),
        ClockExpression::Wait(_, number) => format!("once, at the {} {a}", ordinal(*number)),
        ClockExpression::Then(..) => format!("whenever {a} does, and after the end of {a} whenever {b} does"),
        ClockExpression::Infimum(..) => {
            format!("for the n-th time when the first of {a} and {b} occurs for the n-th time")
        }
        ClockExpression::Supremum(..) => {
            format!("for the n-th time when both {a} and {b} have occurred n times")
        }
    };
    capital(&format!("{name} occurs {when}."))
}

fn filter(a: &str, word: &ClockWord) -> String {
    let digits = |digits: &[bool]| digits.iter().map(|digit| if *digit { '1' } else { '0' }).collect::<String>();
    match (digits(&word.prefix), digits(&word.period)) {
        (prefix, period) if period.is_empty() => {
            format!("at the {a} whose digit in the word {prefix} is 1, and no more after it")
        }
        (prefix, period) if prefix.is_empty() => format!("at the {a} whose digit in the repeated word {period} is 1"),
        (prefix, period) => {
            format!("at the {a} whose digit is 1 in the word {prefix} followed by repetitions of {period}")
        }
    }
}

fn quoted(of: &Atom) -> String {
    format!("`{}`", of.name)
}
