// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes temporal formulae, from the outermost operator inwards. Negations are moved to the operands.

use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::term::ActivityPhase;
use gnomon_ir::{Occurrence, QuantifierKind};

use super::aggregate::aggregate;
use super::binary::binary;
use super::clause::Clause;
use super::first_event::always;
use super::moments::{Direction, Moments};
use super::term;
use super::words::{at_most, enumeration, event, ordinal, time};

pub(super) fn is_false(formula: &Formula) -> bool {
    formula.kind == FormulaKind::Constant(false)
}

/// Returns true if an interval contains every distance, at least that of other positions.
pub(super) fn is_unbounded(interval: &Bounds) -> bool {
    interval.lo.billionths == 0 && interval.hi.is_none()
}

/// The events of a formula that is true where one of them occurs.
pub(super) fn alternatives(formula: &Formula) -> Option<Vec<String>> {
    match &formula.kind {
        FormulaKind::Atom(atom) | FormulaKind::OnEvent(Occurrence { activity: None, event: atom, .. }) => {
            Some(vec![event(atom)])
        }
        FormulaKind::Connective(Connective::Or, left, right) => {
            let mut all = alternatives(left)?;
            all.extend(alternatives(right)?);
            Some(all)
        }
        _ => None,
    }
}

/// The event of a formula that is true where an event occurs: "`a`", "`a` or `b`".
pub(super) fn occurrence_of(formula: &Formula) -> Option<String> {
    alternatives(formula).map(|events| enumeration(&events, "or"))
}

/// Describes a formula, or its negation, as a clause.
pub(super) fn clause(formula: &Formula, positive: bool) -> Clause {
    match &formula.kind {
        FormulaKind::Constant(value) => {
            Clause::simple(if *value == positive { "nothing is required" } else { "the property is violated" })
        }
        FormulaKind::Atom(atom) => Clause::occurs(event(atom), positive),
        FormulaKind::OnEvent(Occurrence { event: atom, activity, .. }) => match activity {
            None => Clause::occurs(event(atom), positive),
            Some((phase, activity)) => {
                let (verb, base) = match phase {
                    ActivityPhase::Start => ("starts", "start"),
                    ActivityPhase::End => ("ends", "end"),
                };
                let event = event(activity);
                Clause::simple(if positive { format!("{event} {verb}") } else { format!("{event} does not {base}") })
            }
        },
        FormulaKind::Not(of) => clause(of, !positive),
        FormulaKind::Connective(connective, left, right) => {
            connected(formula, *connective, left, right, positive, clause)
        }
        FormulaKind::Unary { operator, strict, times, interval, of } => match operator {
            Unary::Next | Unary::Previous => step(*operator, *times, interval, of, positive),
            _ if *times == 0 => clause(of, positive),
            _ => {
                let exists = matches!(operator, Unary::Eventually | Unary::Once) == positive;
                let direction = match operator {
                    Unary::Eventually | Unary::Always => Direction::Future,
                    _ => Direction::Past,
                };
                let moments = Moments { direction, strict: *strict, interval, is_first_event: false };
                let inner = if exists { moments.some(of, positive) } else { moments.every(of, positive) };
                (1..*times).fold(inner, |inner, _| {
                    Clause::around(format!("{}, {}", moments.place(exists), inner.text), &[&inner])
                })
            }
        },
        FormulaKind::Binary { operator, strict, interval, left, right } => {
            let text = binary(*operator, *strict, interval, left, right, false);
            if positive { text } else { not_so(&text) }
        }
        FormulaKind::Aggregate { aggregate: of, comparison, bound, full_window } => {
            aggregate(of, *comparison, *bound, *full_window, positive)
        }
        FormulaKind::Compare(left, comparison, right) => term::compared(left, *comparison, right, positive),
        FormulaKind::InFuture { reach, of } => {
            let inner = clause(of, true);
            let text = Clause::around(format!("in the state {} later, {}", time(*reach), inner.text), &[&inner]);
            if positive { text } else { not_so(&text) }
        }
        FormulaKind::Each { kind, variable, list, of } => {
            let inner = clause(of, positive);
            let every = if (*kind == QuantifierKind::Forall) == positive { "every" } else { "at least one" };
            let list = term::reference(list);
            Clause::around(format!("for {every} element `{}` of {list}, {}", variable.name, inner.text), &[&inner])
        }
    }
}

/// The negation of a clause that has no better one.
pub(super) fn not_so(clause: &Clause) -> Clause {
    Clause::around(format!("it is not the case that {}", clause.enclosed()), &[clause])
}

/// Lists the operands of nested connectives of one kind.
pub(super) fn operands<'f>(formula: &'f Formula, connective: Connective, into: &mut Vec<&'f Formula>) {
    match &formula.kind {
        FormulaKind::Connective(own, left, right) if *own == connective => {
            operands(left, connective, into);
            operands(right, connective, into);
        }
        _ => into.push(formula),
    }
}

/// Divides a formula, or its negation, into a premise and a conclusion: `a -> b`, `!a || b`, and the negation of `a && b` say that where
/// `a` is true, something else is, too.
pub(super) fn implication(formula: &Formula, positive: bool) -> Option<(Clause, Clause)> {
    match (&formula.kind, positive) {
        (FormulaKind::Connective(Connective::Implies, left, right), true) if !is_false(right) => {
            Some((clause(left, true), clause(right, true)))
        }
        (FormulaKind::Connective(Connective::Or, ..), true) => {
            let mut parts = Vec::new();
            operands(formula, Connective::Or, &mut parts);
            // Of negations alone, the last one is the conclusion.
            let is_negation = |part: &&Formula| matches!(part.kind, FormulaKind::Not(_));
            let last = if parts.iter().all(is_negation) { parts.pop() } else { None };
            let (premises, conclusions): (Vec<&Formula>, Vec<&Formula>) = parts.into_iter().partition(is_negation);
            let conclusions = conclusions.into_iter().chain(last).map(|part| clause(part, true)).collect();
            let premises: Vec<Clause> = premises.into_iter().map(|part| clause(part, false)).collect();
            (!premises.is_empty()).then(|| (Clause::all(premises), Clause::any(conclusions)))
        }
        (FormulaKind::Connective(Connective::And, ..), false) => {
            let mut parts = Vec::new();
            operands(formula, Connective::And, &mut parts);
            let conclusion = clause(parts.pop()?, false);
            let premises = parts.into_iter().map(|part| clause(part, true)).collect();
            Some((Clause::all(premises), conclusion))
        }
        (FormulaKind::Not(of), _) => implication(of, !positive),
        _ => None,
    }
}

/// Describes a connective, whose operands `describe` describes.
pub(super) fn connected(
    whole: &Formula,
    connective: Connective,
    left: &Formula,
    right: &Formula,
    positive: bool,
    describe: fn(&Formula, bool) -> Clause,
) -> Clause {
    match connective {
        Connective::And | Connective::Or => {
            if let Some(becomes) = becoming(connective, left, right, positive) {
                return becomes;
            }
            let mut parts = Vec::new();
            operands(whole, connective, &mut parts);
            let parts = parts.into_iter().map(|part| describe(part, positive)).collect();
            if (connective == Connective::And) == positive { Clause::all(parts) } else { Clause::any(parts) }
        }
        Connective::Implies if !positive => Clause::all(vec![describe(left, true), describe(right, false)]),
        Connective::Implies if is_false(right) => describe(left, false),
        Connective::Implies => {
            let (left, right) = (describe(left, true), describe(right, true));
            Clause::around(format!("if {}, then {}", left.introduced(), right.text), &[&left, &right])
        }
        Connective::Iff => {
            let (left, right) = (describe(left, true), describe(right, positive));
            Clause::around(format!("{} if and only if {}", left.enclosed(), right.enclosed()), &[&left, &right])
        }
    }
}

/// Describes `f && Y !f`: f becomes true.
fn becoming(connective: Connective, left: &Formula, right: &Formula, positive: bool) -> Option<Clause> {
    let FormulaKind::Unary { operator: Unary::Previous, times: 1, interval, of, .. } = &right.kind else { return None };
    let FormulaKind::Not(before) = &of.kind else { return None };
    if connective != Connective::And || !interval.is_any() && !is_unbounded(interval) {
        return None;
    }
    let (now, before) = (clause(left, true), clause(before, true));
    if now.text != before.text {
        return None;
    }
    let text = format!("it becomes true that {}", now.enclosed());
    let becomes = if now.is_simple { Clause::simple(text) } else { Clause::around(text, &[&now]).into_introduction() };
    Some(if positive { becomes } else { not_so(&becomes) })
}

/// Describes `X f` and `Y f`.
fn step(operator: Unary, times: u32, interval: &Bounds, of: &Formula, positive: bool) -> Clause {
    if times == 0 {
        return clause(of, positive);
    }
    // `X X f` is `X^2 f`.
    if let FormulaKind::Unary { operator: inner, times: more, interval: inside, of, .. } = &of.kind
        && *inner == operator
        && *more > 0
        && is_unbounded(interval)
        && is_unbounded(inside)
    {
        return step(operator, times.saturating_add(*more), interval, of, positive);
    }
    let is_next = operator == Unary::Next;
    let (next, away) = if is_next { ("next", "later") } else { ("previous", "earlier") };
    if !is_unbounded(interval) {
        // Each step has to keep the distance: say so step by step.
        let verb = if is_next { "comes" } else { "came" };
        let far = format!("{verb} {} {away}", at_most(interval));
        let base = clause(of, true);
        let text = match occurrence_of(of).filter(|_| times == 1) {
            Some(event) => Clause::around(format!("the {next} event is {event} and {far}"), &[]),
            None => (0..times).fold(base, |inner, _| {
                Clause::around(format!("the {next} event {far}, and at that event, {}", inner.text), &[&inner])
            }),
        };
        return if positive { text } else { not_so(&text) };
    }
    if times == 1
        && let Some(beyond) = beyond(is_next, of, positive)
    {
        return beyond;
    }
    let which = match (times, is_next) {
        (1, _) => format!("the {next} event"),
        (times, true) => format!("the {} event after it", ordinal(u64::from(times))),
        (times, false) => format!("the {} event before it", ordinal(u64::from(times))),
    };
    if let Some(event) = occurrence_of(of).filter(|_| positive) {
        return Clause::simple(format!("{which} is {event}"));
    }
    if let FormulaKind::Constant(true) = of.kind {
        let article = if positive { "a" } else { "no" };
        return Clause::simple(format!("there is {}", which.replacen("the", article, 1)));
    }
    if let (Some(events), 1) = (alternatives(of).filter(|events| events.len() == 1), times) {
        return Clause::simple(format!("{which} is not {}", enumeration(&events, "or")));
    }
    // `X^n G f`: from that event on.
    if is_next
        && positive
        && let FormulaKind::Unary { operator: Unary::Always, strict, times: 1, interval, of } = &of.kind
        && is_unbounded(interval)
    {
        let lead = if *strict || !interval.is_any() { format!("after {which}") } else { format!("from {which} on") };
        return Clause::around(format!("{lead}, {}", always(of)), &[&clause(of, true)]);
    }
    let inner = clause(of, positive);
    let if_any = if positive { "" } else { ", if there is one" };
    Clause::around(format!("at {which}{if_any}, {}", inner.text), &[&inner])
}

/// Describes `X F f`, `X (f U g)`, `Y P f` and `Y (f S g)`, which exclude the present event from moments that include it.
fn beyond(is_next: bool, of: &Formula, positive: bool) -> Option<Clause> {
    match &of.kind {
        FormulaKind::Unary { operator, strict: false, times: 1, interval, of } if interval.is_any() => {
            let direction = match (operator, is_next) {
                (Unary::Eventually, true) => Direction::Future,
                (Unary::Once, false) => Direction::Past,
                _ => return None,
            };
            let moments = Moments { direction, strict: true, interval, is_first_event: false };
            Some(if positive { moments.some(of, true) } else { moments.every(of, false) })
        }
        FormulaKind::Binary { operator, strict: false, interval, left, right } if interval.is_any() => {
            if !matches!((operator, is_next), (Binary::Until, true) | (Binary::Since, false)) {
                return None;
            }
            let text = binary(*operator, true, interval, left, right, false);
            Some(if positive { text } else { not_so(&text) })
        }
        _ => None,
    }
}
