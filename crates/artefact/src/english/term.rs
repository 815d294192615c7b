// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes the values of states.

use gnomon_core::Comparison;
use gnomon_ir::Occurrence;
use gnomon_ir::term::{ActivityPhase, Reference, Term, TermKind};

use super::aggregate::comparison_words;
use super::clause::Clause;
use super::formula::clause;
use super::words::{event, named_values, ordinal, time, unit_time};

/// Describes a comparison. A comparison with a value that does not exist is false: its negation says so.
pub(super) fn compared(left: &Term, comparison: Comparison, right: &Term, positive: bool) -> Clause {
    let is = match comparison {
        Comparison::Equal => "equal to",
        Comparison::NotEqual => "different from",
        Comparison::Greater => "greater than",
        Comparison::Less | Comparison::AtMost | Comparison::AtLeast => comparison_words(comparison),
    };
    let verb = if positive { "is" } else { "is not" };
    let is = if comparison == Comparison::Equal && is_word(right) { String::new() } else { format!("{is} ") };
    let text = format!("{} {verb} {is}{}", phrase(left), phrase(right));
    if code(left).is_some() && code(right).is_some() { Clause::momentary(text) } else { Clause::simple(text) }
}

/// Returns true for literals that can be predicates: "`$valve` is "open"".
fn is_word(of: &Term) -> bool {
    matches!(of.kind, TermKind::Literal(_))
}

/// Describes a term as a noun phrase.
fn phrase(term: &Term) -> String {
    if let Some(code) = code(term) {
        return if matches!(term.kind, TermKind::Literal(_)) { code } else { format!("`{code}`") };
    }
    match &term.kind {
        TermKind::Literal(value) => value.to_string(),
        TermKind::Time(quantity) => time(*quantity),
        TermKind::Variable(of) => reference(of),
        TermKind::Operation(operation, left, right) => {
            format!("({} {} {})", phrase(left), operation.symbol(), phrase(right))
        }
        TermKind::Past { of, event, back: 1 } => format!("{} at the previous {}", phrase(of), occurrence(event)),
        TermKind::Past { of, event, back } => {
            format!("{} at the {} most recent earlier {}", phrase(of), ordinal(*back), occurrence(event))
        }
        TermKind::Count { of, window } => {
            let inner = clause(of, true).enclosed();
            format!("the number of states in the last {} in which {inner}", unit_time(*window))
        }
        TermKind::Fold { fold, of, window } => {
            format!("{} {} over the last {}", named_values(*fold), phrase(of), unit_time(*window))
        }
        TermKind::Elapsed(event) => format!("the time since the previous {}", occurrence(event)),
    }
}

/// Returns the term as it is written, if it is plain arithmetic.
fn code(term: &Term) -> Option<String> {
    Some(match &term.kind {
        TermKind::Literal(value) => value.to_string(),
        TermKind::Variable(of) => dollar(of),
        TermKind::Operation(operation, left, right) => {
            let side = |term: &Term| {
                let code = code(term)?;
                Some(if matches!(term.kind, TermKind::Operation(..)) { format!("({code})") } else { code })
            };
            format!("{} {} {}", side(left)?, operation.symbol(), side(right)?)
        }
        _ => return None,
    })
}

fn dollar(of: &Reference) -> String {
    let path = std::iter::once(of.name.as_str()).chain(of.steps.iter().map(String::as_str));
    format!("${}", path.collect::<Vec<_>>().join("/"))
}

/// Returns a variable as code.
pub(super) fn reference(of: &Reference) -> String {
    format!("`{}`", dollar(of))
}

fn occurrence(of: &Occurrence) -> String {
    match &of.activity {
        Some((ActivityPhase::Start, activity)) => format!("start of {}", event(activity)),
        Some((ActivityPhase::End, activity)) => format!("end of {}", event(activity)),
        None => event(&of.event),
    }
}
