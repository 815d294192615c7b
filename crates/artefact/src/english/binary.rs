// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes the temporal operators of two formulae.

use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, FormulaKind};

use super::clause::Clause;
use super::formula::{clause, occurrence_of};
use super::moments::{Direction, Moments};

/// Describes an operator at the first event of the trace, or at another one.
pub(super) fn binary(
    operator: Binary,
    strict: bool,
    interval: &Bounds,
    left: &Formula,
    right: &Formula,
    is_first_event: bool,
) -> Clause {
    let direction = if operator == Binary::Since { Direction::Past } else { Direction::Future };
    let moments = Moments { direction, strict, interval, is_first_event };
    match operator {
        Binary::Until | Binary::Since => reached(operator, moments, left, right),
        Binary::WeakUntil => weak_until(moments, left, right),
        Binary::Release => release(moments, left, right),
    }
}

fn reached(operator: Binary, moments: Moments<'_>, left: &Formula, right: &Formula) -> Clause {
    let reached = moments.some(right, true);
    if left.kind == FormulaKind::Constant(true) {
        return reached;
    }
    if let Some(first) = first_occasion(operator, moments, left, right) {
        return first;
    }
    let between = match moments.direction {
        _ if moments.strict => "in between",
        Direction::Future => "before that",
        Direction::Past => "since then",
    };
    if let Some(event) = occurrence_of_negation(left) {
        return if reached.is_simple {
            Clause::simple(format!("{} with no {event} {between}", reached.text))
        } else {
            Clause::around(format!("{}, with no {event} {between}", reached.enclosed()), &[&reached])
        };
    }
    let hold = clause(left, true);
    let kept = hold.placed(&format!("at every event {between}"));
    Clause::around(format!("{}, and {}", reached.enclosed(), kept.text), &[&reached, &kept])
}

fn weak_until(moments: Moments<'_>, left: &Formula, right: &Formula) -> Clause {
    let (hold, goal) = (clause(left, true), clause(right, true));
    let text = match (occurrence_of_negation(left), moments.interval.is_any()) {
        (Some(event), true) if moments.is_first_event => {
            format!("{event} does not occur before the first {}, or at all if there is none", occasion(right))
        }
        (Some(event), true) => {
            format!("{event} does not occur until {}, or at all if that never happens", goal.enclosed())
        }
        (_, true) if moments.is_first_event => {
            hold.placed(&format!("at every event before the first {}, or to the end if there is none", occasion(right)))
                .text
        }
        (_, true) => {
            let place =
                format!("at every event from then on until {}, or to the end if that never happens", goal.enclosed());
            hold.placed(&place).text
        }
        (_, false) => {
            format!(
                "{}, {}, unless {} at that event or before it",
                moments.place(false),
                hold.enclosed(),
                goal.enclosed()
            )
        }
    };
    Clause::around(text, &[&goal, &hold])
}

fn release(moments: Moments<'_>, left: &Formula, right: &Formula) -> Clause {
    let (release, kept) = (clause(left, true), clause(right, true));
    let text = if moments.interval.is_any() {
        let from = if moments.is_first_event { "" } else { "from then on " };
        let place = format!(
            "at every event {from}up to and including the first {}, or to the end if there is none",
            occasion(left)
        );
        kept.placed(&place).text
    } else {
        format!("{}, {}, unless {} at an event before that", moments.place(false), kept.enclosed(), release.enclosed())
    };
    Clause::around(text, &[&kept, &release])
}

/// The event of `!event`.
fn occurrence_of_negation(formula: &Formula) -> Option<String> {
    match &formula.kind {
        FormulaKind::Not(of) => occurrence_of(of),
        _ => None,
    }
}

/// Describes `!e U (e && f)`: what is true when e occurs for the first time.
fn first_occasion(operator: Binary, moments: Moments<'_>, left: &Formula, right: &Formula) -> Option<Clause> {
    let (FormulaKind::Not(absent), FormulaKind::Connective(Connective::And, first, then)) = (&left.kind, &right.kind)
    else {
        return None;
    };
    let (absent, occasion, first, then) = (clause(absent, true), first, clause(first, true), clause(then, true));
    if operator != Binary::Until || !moments.interval.is_any() || absent.text != first.text {
        return None;
    }
    let text = match occurrence_of(occasion) {
        Some(event) => format!("{event} {}, and when it first does, {}", moments.verb(), then.text),
        None => format!("{}, {}, and when this is first so, {}", moments.place(true), first.enclosed(), then.text),
    };
    Some(Clause::around(text, &[&first, &then]))
}

/// Returns "`q`", or "event at which ...".
fn occasion(of: &Formula) -> String {
    occurrence_of(of).unwrap_or_else(|| format!("event at which {}", clause(of, true).enclosed()))
}
