// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes formulae that must hold at the first event of the trace, where the future is the whole trace.

use gnomon_ir::formula::{Binary, Connective, Formula, FormulaKind, Unary};

use super::binary::binary;
use super::clause::{Clause, neither};
use super::formula::{
    alternatives, clause, connected, implication, is_false, is_unbounded, not_so, occurrence_of, operands,
};
use super::moments::{Direction, Moments};
use super::words::{capital, enumeration, ordinal};

/// Describes a formula that must hold at the first event.
pub(super) fn sentences(formula: &Formula) -> String {
    let mut parts = Vec::new();
    operands(formula, Connective::And, &mut parts);
    let mut sentences: Vec<String> = Vec::new();
    let mut last: Option<&Formula> = None;
    for part in parts {
        let sentence = match &part.kind {
            FormulaKind::Unary { operator: Unary::Always, strict, times: 1, interval, of }
                if is_unbounded(interval) =>
            {
                let is_strict = *strict || !interval.is_any();
                // `f && G f`, where `G` leaves out the first event.
                let is_complete =
                    is_strict && last.is_some_and(|last| clause(last, true).text == clause(of, true).text);
                if is_complete {
                    sentences.pop();
                }
                let exempt = is_strict && !is_complete;
                let note = if exempt { " The first event of the trace is not checked." } else { "" };
                format!("{}.{note}", capital(&always(of)))
            }
            _ => format!("{}.", capital(&at_first_event(part, true).text)),
        };
        sentences.push(sentence);
        last = Some(part);
    }
    sentences.join(" ")
}

/// Describes a formula that must hold at every event.
pub(super) fn always(of: &Formula) -> String {
    match &of.kind {
        FormulaKind::Atom(_) => occurrence_of(of).map_or_else(String::new, |event| format!("every event is {event}")),
        FormulaKind::Connective(Connective::Implies, left, right) if is_false(right) => never(left),
        FormulaKind::Not(of) if !matches!(of.kind, FormulaKind::Not(_)) => never(of),
        FormulaKind::Unary { operator: Unary::Always, strict: false, times: 1, interval, of } if interval.is_any() => {
            always(of)
        }
        _ => match implication(of, true) {
            Some((premise, conclusion)) => format!("whenever {}, {}", premise.introduced(), conclusion.text),
            None => clause(of, true).placed("at every event").text,
        },
    }
}

fn never(of: &Formula) -> String {
    match alternatives(of) {
        Some(events) if events.len() == 1 => format!("{} never occurs", enumeration(&events, "or")),
        Some(events) => format!("{} ever occurs", neither(&events)),
        None => format!("it is never the case that {}", clause(of, true).unbroken()),
    }
}

/// Describes a formula, or its negation, at the first event of the trace.
fn at_first_event(formula: &Formula, positive: bool) -> Clause {
    match &formula.kind {
        FormulaKind::Atom(_) => match occurrence_of(formula) {
            Some(event) => Clause::simple(format!("the first event is {}{event}", if positive { "" } else { "not " })),
            None => fallback(formula, positive),
        },
        FormulaKind::Constant(_) => clause(formula, positive),
        FormulaKind::Not(of) => at_first_event(of, !positive),
        FormulaKind::Connective(connective, left, right) => {
            connected(formula, *connective, left, right, positive, at_first_event)
        }
        FormulaKind::Unary { operator: Unary::Next, times, interval, of, .. }
            if *times > 0 && is_unbounded(interval) =>
        {
            // `X X f` is `X^2 f`.
            let (mut of, mut times) = (&**of, u64::from(*times));
            while let FormulaKind::Unary { operator: Unary::Next, times: more, interval, of: inner, .. } = &of.kind
                && *more > 0
                && is_unbounded(interval)
            {
                (of, times) = (&**inner, times + u64::from(*more));
            }
            let event = ordinal(times + 1);
            if let FormulaKind::Unary { operator: Unary::Always, strict, times: 1, interval, of } = &of.kind
                && positive
                && is_unbounded(interval)
            {
                let is_strict = *strict || !interval.is_any();
                let lead =
                    if is_strict { format!("after the {event} event") } else { format!("from the {event} event on") };
                return Clause::around(format!("{lead}, {}", always(of)), &[&clause(of, true)]);
            }
            if let (Some(alternative), true) = (occurrence_of(of), positive) {
                return Clause::simple(format!("the {event} event is {alternative}"));
            }
            let inner = clause(of, positive);
            let if_any = if positive { "" } else { ", if there is one" };
            Clause::around(format!("at the {event} event{if_any}, {}", inner.text), &[&inner])
        }
        FormulaKind::Unary {
            operator: operator @ (Unary::Eventually | Unary::Always),
            strict,
            times: 1,
            interval,
            of,
        } => {
            let moments = Moments { direction: Direction::Future, strict: *strict, interval, is_first_event: true };
            let exists = (*operator == Unary::Eventually) == positive;
            if exists { moments.some(of, positive) } else { moments.every(of, positive) }
        }
        FormulaKind::Binary { operator, strict, interval, left, right } if *operator != Binary::Since => {
            let text = binary(*operator, *strict, interval, left, right, true);
            if positive { text } else { not_so(&text) }
        }
        _ => fallback(formula, positive),
    }
}

fn fallback(formula: &Formula, positive: bool) -> Clause {
    let inner = clause(formula, positive);
    Clause::around(format!("at the first event, {}", inner.text), &[&inner])
}
