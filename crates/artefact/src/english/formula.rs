// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes temporal formulae, from the outermost operator inwards. Negations are moved to the operands.

use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::term::ActivityPhase;
use gnomon_ir::{Occurrence, QuantifierKind};

use super::aggregate::aggregate;
use super::clause::Clause;
use super::term;
use super::words::{at_most, capital, event, ordinal, range, time, unit_time, within};

/// Describes a formula that must hold at the first event.
pub(super) fn sentences(formula: &Formula) -> String {
    let mut parts = Vec::new();
    operands(formula, Connective::And, &mut parts);
    let mut sentences: Vec<String> = Vec::new();
    for part in parts {
        let first = format!("{}.", capital(&at_first_event(part)));
        match &part.kind {
            // `f && G f`, where `G` leaves out the first event.
            FormulaKind::Unary { operator: Unary::Always, times: 1, interval, of, .. }
                if is_unbounded(interval)
                    && sentences.last().is_some_and(|last| *last == format!("{}.", capital(&at_first_event(of)))) =>
            {
                sentences.pop();
                sentences.push(format!("{}.", capital(&always(of, ""))));
            }
            FormulaKind::Unary { .. } | FormulaKind::Binary { .. } => sentences.push(sentence(part)),
            _ => sentences.push(first),
        }
    }
    sentences.join(" ")
}

fn at_first_event(formula: &Formula) -> String {
    format!("at the first event, {}", clause(formula, true).text)
}

fn sentence(formula: &Formula) -> String {
    let (text, is_strict) = match &formula.kind {
        FormulaKind::Unary { operator: Unary::Always, strict, times: 1, interval, of } if is_unbounded(interval) => {
            let is_strict = *strict || !interval.is_any();
            (always(of, ""), is_strict)
        }
        FormulaKind::Unary { operator: Unary::Eventually, times: 1, interval, .. } if is_unbounded(interval) => {
            (clause(formula, true).text, false)
        }
        FormulaKind::Binary { operator: Binary::WeakUntil | Binary::Release, interval, .. } if interval.is_any() => {
            (clause(formula, true).text, false)
        }
        _ => (at_first_event(formula), false),
    };
    let exempt = if is_strict { " The first event of the trace is exempt." } else { "" };
    format!("{}.{exempt}", capital(&text))
}

/// Describes a formula that must hold at every event. `adverb` says from when on, at the end of a clause.
fn always(of: &Formula, adverb: &str) -> String {
    let lead = if adverb.is_empty() { String::new() } else { format!("{}, ", adverb.trim_start()) };
    match &of.kind {
        FormulaKind::Connective(Connective::Implies, left, right) if !is_false(right) => {
            format!("{lead}whenever {}, {}", clause(left, true).enclosed(), clause(right, true).text)
        }
        FormulaKind::Connective(Connective::Implies, left, _) => never(left, adverb, &lead),
        FormulaKind::Not(of) => never(of, adverb, &lead),
        FormulaKind::Unary { operator: Unary::Always, strict: false, times: 1, interval, of } if interval.is_any() => {
            always(of, adverb)
        }
        _ => format!("{lead}at every event, {}", clause(of, true).text),
    }
}

fn never(of: &Formula, adverb: &str, lead: &str) -> String {
    match occurrence_of(of) {
        Some(event) => format!("{event} never occurs{adverb}"),
        None => format!("{lead}it is never the case that {}", clause(of, true).enclosed_list()),
    }
}

fn is_false(formula: &Formula) -> bool {
    formula.kind == FormulaKind::Constant(false)
}

/// Returns true if an interval contains every distance, at least that of other positions.
fn is_unbounded(interval: &Bounds) -> bool {
    interval.lo.billionths == 0 && interval.hi.is_none()
}

/// The event of a formula that is true where an event occurs.
fn occurrence_of(formula: &Formula) -> Option<String> {
    match &formula.kind {
        FormulaKind::Atom(atom) | FormulaKind::OnEvent(Occurrence { activity: None, event: atom, .. }) => {
            Some(event(atom))
        }
        _ => None,
    }
}

/// Describes a formula, or its negation, as a clause.
pub(super) fn clause(formula: &Formula, positive: bool) -> Clause {
    match &formula.kind {
        FormulaKind::Constant(value) => {
            Clause::simple(if *value == positive { "nothing is required" } else { "the property is violated" })
        }
        FormulaKind::Atom(atom) => occurs(&event(atom), positive),
        FormulaKind::OnEvent(Occurrence { event: atom, activity, .. }) => match activity {
            None => occurs(&event(atom), positive),
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
        FormulaKind::Connective(connective, left, right) => connected(formula, *connective, left, right, positive),
        FormulaKind::Unary { operator, strict, times, interval, of } => match operator {
            Unary::Next | Unary::Previous => step(*operator, *times, interval, of, positive),
            _ if *times == 0 => clause(of, positive),
            _ => {
                let exists = matches!(operator, Unary::Eventually | Unary::Once) == positive;
                let direction = match operator {
                    Unary::Eventually | Unary::Always => Direction::Future,
                    _ => Direction::Past,
                };
                let moments = Moments { direction, strict: *strict, interval };
                let inner = if exists { moments.some(of, positive) } else { moments.every(of, positive) };
                (1..*times).fold(inner, |inner, _| {
                    let text = format!("{} {}", moments.lead(exists), inner.text);
                    Clause::around(text, &[&inner])
                })
            }
        },
        FormulaKind::Binary { operator, strict, interval, left, right } => {
            let text = binary(*operator, *strict, interval, left, right);
            if positive { text } else { not_so(&text) }
        }
        FormulaKind::Aggregate { aggregate: of, comparison, bound, full_window } => {
            aggregate(of, *comparison, *bound, *full_window, positive)
        }
        FormulaKind::Compare(left, comparison, right) => term::compared(left, *comparison, right, positive),
        FormulaKind::InFuture { reach, of } => {
            let inner = clause(of, true);
            let text = Clause::around(format!("{} later, {}", time(*reach), inner.text), &[&inner]);
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

fn occurs(event: &str, positive: bool) -> Clause {
    Clause::simple(format!("{event} {}", if positive { "occurs" } else { "does not occur" }))
}

/// Lists the operands of nested connectives of one kind.
fn operands<'f>(formula: &'f Formula, connective: Connective, into: &mut Vec<&'f Formula>) {
    match &formula.kind {
        FormulaKind::Connective(own, left, right) if *own == connective => {
            operands(left, connective, into);
            operands(right, connective, into);
        }
        _ => into.push(formula),
    }
}

fn connected(whole: &Formula, connective: Connective, left: &Formula, right: &Formula, positive: bool) -> Clause {
    match connective {
        Connective::And | Connective::Or => {
            if let Some(becomes) = becoming(connective, left, right, positive) {
                return becomes;
            }
            let mut parts = Vec::new();
            operands(whole, connective, &mut parts);
            let parts = parts.into_iter().map(|part| clause(part, positive)).collect();
            if (connective == Connective::And) == positive { Clause::all(parts) } else { Clause::any(parts) }
        }
        Connective::Implies if !positive => Clause::all(vec![clause(left, true), clause(right, false)]),
        Connective::Implies if is_false(right) => clause(left, false),
        Connective::Implies => {
            let (left, right) = (clause(left, true), clause(right, true));
            Clause::around(format!("if {}, then {}", left.enclosed(), right.text), &[&left, &right])
        }
        Connective::Iff => {
            let (left, right) = (clause(left, true), clause(right, positive));
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
    let becomes = if now.is_simple { Clause::simple(text) } else { Clause::around(text, &[&now]) };
    Some(if positive { becomes } else { not_so(&becomes) })
}

/// Describes `X f` and `Y f`.
fn step(operator: Unary, times: u32, interval: &Bounds, of: &Formula, positive: bool) -> Clause {
    if times == 0 {
        return clause(of, positive);
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
                Clause::around(format!("the {next} event {far}, and at it {}", inner.text), &[&inner])
            }),
        };
        return if positive { text } else { not_so(&text) };
    }
    let which = if times == 1 { next.to_owned() } else { format!("{} {next}", ordinal(u64::from(times))) };
    if let Some(event) = occurrence_of(of) {
        let is = if positive { "is" } else { "is not" };
        return Clause::simple(format!("the {which} event {is} {event}"));
    }
    let inner = clause(of, positive);
    let if_any = if positive { "" } else { ", if there is one" };
    Clause::around(format!("at the {which} event{if_any}, {}", inner.text), &[&inner])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Future,
    Past,
}

/// The moments that a temporal operator speaks of.
#[derive(Clone, Copy)]
struct Moments<'f> {
    direction: Direction,
    strict: bool,
    interval: &'f Bounds,
}

impl Moments<'_> {
    /// Describes that something is the case at one of the moments.
    fn some(&self, of: &Formula, positive: bool) -> Clause {
        if let Some(event) = occurrence_of(of).filter(|_| positive) {
            Clause::simple(format!("{event} {}", self.verb()))
        } else {
            let inner = clause(of, positive);
            Clause::around(format!("{} {}", self.lead(true), inner.text), &[&inner])
        }
    }

    /// Describes that something is the case at all moments.
    fn every(&self, of: &Formula, positive: bool) -> Clause {
        let (absent, is_negated) = match &of.kind {
            FormulaKind::Not(inner) => (occurrence_of(inner), positive),
            _ => (occurrence_of(of), !positive),
        };
        if let Some(event) = absent.filter(|_| is_negated) {
            return Clause::simple(format!("{event} {}", self.negative_verb()));
        }
        if self.direction == Direction::Future
            && positive
            && let FormulaKind::Connective(Connective::Implies, left, right) = &of.kind
            && !is_false(right)
        {
            let (left, right) = (clause(left, true), clause(right, true));
            let lead = self
                .during()
                .unwrap_or_else(|| if self.strict { "afterwards".to_owned() } else { "from then on".to_owned() });
            let text = format!("{lead}, whenever {}, {}", left.enclosed(), right.text);
            return Clause::around(text, &[&left, &right]);
        }
        let inner = clause(of, positive);
        Clause::around(format!("{} {}", self.lead(false), inner.text), &[&inner])
    }

    /// Returns true if the present moment is not one of them.
    fn excludes_present(&self) -> bool {
        self.strict || self.interval.lo.billionths > 0 || !self.interval.lo_closed
    }

    /// Returns "occurs within 10 seconds".
    fn verb(&self) -> String {
        let hi = within(self.interval);
        let far = range(self.interval);
        match (self.direction, self.excludes_present(), hi, far) {
            (Direction::Future, true, Some(hi), _) => format!("follows {hi}"),
            (Direction::Future, false, Some(hi), _) => format!("occurs {hi}"),
            (Direction::Future, _, None, Some(far)) => format!("occurs {far} later"),
            (Direction::Future, true, None, None) => "occurs later".to_owned(),
            (Direction::Future, false, None, None) => "eventually occurs".to_owned(),
            (Direction::Past, _, Some(_), _) => format!("has occurred {}", self.during().unwrap_or_default()),
            (Direction::Past, _, None, Some(far)) => format!("occurred {far} earlier"),
            (Direction::Past, true, None, None) => "has occurred before".to_owned(),
            (Direction::Past, false, None, None) => "has occurred".to_owned(),
        }
    }

    /// Returns "does not occur during the next 10 seconds".
    fn negative_verb(&self) -> String {
        let during = self.during();
        match (self.direction, self.excludes_present(), during) {
            (Direction::Future, _, Some(during)) => format!("does not occur {during}"),
            (Direction::Future, true, None) => "never occurs afterwards".to_owned(),
            (Direction::Future, false, None) => "never occurs from then on".to_owned(),
            (Direction::Past, _, Some(during)) => format!("has not occurred {during}"),
            (Direction::Past, true, None) => "has not occurred before".to_owned(),
            (Direction::Past, false, None) => "has not occurred".to_owned(),
        }
    }

    /// Returns "during the next 10 seconds"; `None` if there is no limit.
    fn during(&self) -> Option<String> {
        let Bounds { lo, hi, hi_closed, .. } = self.interval;
        match (hi, self.direction) {
            (Some(hi), direction) if lo.billionths == 0 => {
                let under = if *hi_closed { "" } else { "less than " };
                Some(match direction {
                    _ if hi.billionths == 0 => "at the same time".to_owned(),
                    Direction::Future if *hi_closed => format!("during the next {}", unit_time(*hi)),
                    Direction::Future => format!("{under}{} later", time(*hi)),
                    Direction::Past if !*hi_closed => format!("{under}{} earlier", time(*hi)),
                    Direction::Past if self.excludes_present() => format!("in the previous {}", unit_time(*hi)),
                    Direction::Past => format!("in the last {}", unit_time(*hi)),
                })
            }
            (_, direction) => range(self.interval).map(|far| match direction {
                Direction::Future => format!("{far} later"),
                Direction::Past => format!("{far} earlier"),
            }),
        }
    }

    /// Returns "at some moment during the next 10 seconds,".
    fn lead(&self, exists: bool) -> String {
        let which = if exists { "some" } else { "every" };
        match (self.during(), self.direction, self.excludes_present()) {
            (Some(during), ..) => format!("at {which} event {during},"),
            (None, Direction::Future, true) => format!("at {which} later event,"),
            (None, Direction::Future, false) => format!("at {which} event from then on,"),
            (None, Direction::Past, true) => format!("at {which} earlier event,"),
            (None, Direction::Past, false) => format!("at {which} event up to then,"),
        }
    }
}

fn binary(operator: Binary, strict: bool, interval: &Bounds, left: &Formula, right: &Formula) -> Clause {
    let hold = clause(left, true);
    match operator {
        Binary::Until | Binary::Since => {
            let (direction, between, until) = match operator {
                Binary::Until => (Direction::Future, "until then", "before that"),
                _ => (Direction::Past, "since then", "since then"),
            };
            let reached = Moments { direction, strict, interval }.some(right, true);
            if left.kind == FormulaKind::Constant(true) {
                return reached;
            }
            if let Some(first) = first_occasion(operator, interval, left, right) {
                return first;
            }
            let text = match (occurrence_of_negation(left), strict) {
                (Some(event), _) if direction == Direction::Future => {
                    format!("{}, and {event} does not occur {until}", reached.enclosed())
                }
                (Some(event), _) => format!("{}, and {event} has not occurred {until}", reached.enclosed()),
                (None, true) => format!("{}, and at every event in between {}", reached.enclosed(), hold.text),
                (None, false) => format!("{}, and at every event {between} {}", reached.enclosed(), hold.text),
            };
            Clause::around(text, &[&reached, &hold])
        }
        Binary::WeakUntil => {
            let goal = clause(right, true);
            let text = match (occurrence_of_negation(left), interval.is_any()) {
                (Some(event), true) => {
                    format!("{event} does not occur before the first {}, or at all if there is none", occasion(right))
                }
                (_, true) => format!("at every event {}, {}", up_to("before", right), hold.text),
                (_, false) => format!(
                    "{} {}, until {}",
                    Moments { direction: Direction::Future, strict, interval }.lead(false),
                    hold.enclosed(),
                    goal.enclosed()
                ),
            };
            Clause::around(text, &[&goal, &hold])
        }
        Binary::Release => {
            let kept = clause(right, true);
            let text = if interval.is_any() {
                format!("at every event {}, {}", up_to("up to and including", left), kept.text)
            } else {
                let lead = Moments { direction: Direction::Future, strict, interval }.lead(false);
                format!("{lead} {}, unless {} at an earlier event", kept.enclosed(), hold.enclosed())
            };
            Clause::around(text, &[&kept, &hold])
        }
    }
}

/// The event of `!event`.
fn occurrence_of_negation(formula: &Formula) -> Option<String> {
    match &formula.kind {
        FormulaKind::Not(of) => occurrence_of(of),
        _ => None,
    }
}

/// Describes `!e U (e && f)`: what is true when e occurs for the first time.
fn first_occasion(operator: Binary, interval: &Bounds, left: &Formula, right: &Formula) -> Option<Clause> {
    let (FormulaKind::Not(absent), FormulaKind::Connective(Connective::And, first, then)) = (&left.kind, &right.kind)
    else {
        return None;
    };
    let (absent, first, then) = (clause(absent, true), clause(first, true), clause(then, true));
    if operator != Binary::Until || !interval.is_any() || absent.text != first.text {
        return None;
    }
    let text = format!("at some event from then on {}, and at the first such event, {}", first.enclosed(), then.text);
    Some(Clause::around(text, &[&first, &then]))
}

/// Returns "before the first `q`, or to the end if there is none".
fn up_to(preposition: &str, of: &Formula) -> String {
    format!("{preposition} the first {}, or to the end if there is none", occasion(of))
}

/// Returns "`q`", or "event at which ...".
fn occasion(of: &Formula) -> String {
    occurrence_of(of).unwrap_or_else(|| format!("event at which {}", clause(of, true).enclosed()))
}
