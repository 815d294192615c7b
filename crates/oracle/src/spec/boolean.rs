// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two-valued truth over a complete trace, clause by clause.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gnomon_core::time::{Clock, Quantity, Timestamp};
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::spec::{Property, QuantifierKind, Spec};

use super::declared::{self, Bound};
use super::fold;
use super::state::{Here, States};
use super::window::{compare_mean, contains, ticks, window_of};
use crate::trace::{OracleEvent, Position, Trace};

pub(super) struct Reader<'a> {
    spec: &'a Spec,
    trace: &'a Trace,
    bound: &'a Bound,
    clock: Clock,
    positions: Vec<Position>,
    /// What is known already, by the formula's own place in memory and the position: asked for again and again.
    known: RefCell<BTreeMap<(*const Formula, usize), bool>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(spec: &'a Spec, property: &Property, trace: &'a Trace, bound: &'a Bound) -> Self {
        let positions = trace.positions(spec.simultaneous(property));
        Reader { spec, trace, bound, clock: Clock::new(spec.time.unit), positions, known: RefCell::default() }
    }

    pub(super) fn holds_at_start(&self, formula: &Formula) -> bool {
        if self.positions.is_empty() { holds_of_nothing(formula) } else { self.holds(formula, 0) }
    }

    fn holds(&self, formula: &Formula, at: usize) -> bool {
        let key = (std::ptr::from_ref(formula), at);
        let known = self.known.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let holds = self.clause(formula, at);
            self.known.borrow_mut().insert(key, holds);
            holds
        })
    }

    fn clause(&self, formula: &Formula, at: usize) -> bool {
        match &formula.kind {
            Kind::Constant(value) => *value,
            Kind::Atom(atom) => {
                self.events(at).iter().any(|event| declared::matches(self.spec, atom, event, self.bound))
            }
            Kind::OnEvent(_) | Kind::Compare(..) | Kind::Each { .. } => {
                let row = |of: &Formula| (0..self.positions.len()).map(|at| self.holds(of, at)).collect();
                self.states(&row).holds(formula, &Here::new(at))
            }
            Kind::InFuture { reach, of } => self.in_future(*reach, of, at),
            Kind::Not(of) => !self.holds(of, at),
            Kind::Connective(connective, left, right) => {
                connect(*connective, self.holds(left, at), self.holds(right, at))
            }
            Kind::Unary { times: 0, of, .. } => self.holds(of, at),
            Kind::Unary { operator, strict, times, interval, of } => {
                self.unary(*operator, *strict, *times, interval, of, at)
            }
            Kind::Binary { operator, strict, interval, left, right } => {
                self.binary(*operator, *strict, interval, (left, right), at)
            }
            Kind::Aggregate { aggregate, comparison, bound, full_window } => {
                // RULE S9
                let old_enough = self.time(at).ticks() >= ticks(self.clock, window_of(aggregate));
                (!full_window || old_enough) && self.aggregate(aggregate, *comparison, *bound, at)
            }
        }
    }

    /// `times` applications, the first of them here.
    // RULE S3, S4, M2, M4
    fn unary(&self, operator: Unary, strict: bool, times: u32, interval: &Bounds, of: &Formula, at: usize) -> bool {
        let length = self.positions.len();
        let inner = |there: usize| {
            if times == 1 {
                self.holds(of, there)
            } else {
                self.unary(operator, strict, times - 1, interval, of, there)
            }
        };
        let present = (!strict && self.apart(at, at, interval)).then_some(at);
        let ahead = || (at + 1..length).filter(|&there| self.apart(at, there, interval)).chain(present);
        let behind = || (0..at).filter(|&there| self.apart(there, at, interval)).chain(present);
        match operator {
            Unary::Always => ahead().all(inner),
            Unary::Eventually => ahead().any(inner),
            Unary::Historically => behind().all(inner),
            Unary::Once => behind().any(inner),
            Unary::Next => at + 1 < length && self.apart(at, at + 1, interval) && inner(at + 1),
            Unary::Previous => at > 0 && self.apart(at - 1, at, interval) && inner(at - 1),
        }
    }

    fn binary(
        &self,
        operator: Binary,
        strict: bool,
        interval: &Bounds,
        (left, right): (&Formula, &Formula),
        at: usize,
    ) -> bool {
        let length = self.positions.len();
        // Without the present position, or with it.
        let from = at + usize::from(strict);
        let to = if strict { at } else { at + 1 };
        let mut ends = (from..length).filter(|&end| self.apart(at, end, interval));
        let mut starts = (0..to).filter(|&start| self.apart(start, at, interval));
        match operator {
            // RULE S2, M1
            Binary::Until => {
                ends.any(|end| self.holds(right, end) && (from..end).all(|between| self.holds(left, between)))
            }
            Binary::Since => {
                starts.any(|start| self.holds(right, start) && (start + 1..to).all(|between| self.holds(left, between)))
            }
            // RULE M3
            Binary::Release => {
                ends.all(|end| self.holds(right, end) || (from..end).any(|before| self.holds(left, before)))
            }
            Binary::WeakUntil => {
                ends.all(|end| self.holds(left, end) || (from..=end).any(|before| self.holds(right, before)))
            }
        }
    }

    fn aggregate(&self, aggregate: &Aggregate, comparison: Comparison, bound: Quantity, at: usize) -> bool {
        let now = self.time(at).ticks();
        let in_ticks = |quantity| ticks(self.clock, quantity);
        // How many positions up to this one, at times in `(after, to]`, satisfy `of`.
        let count = |of: &Formula, after: i128, to: i128| -> i128 {
            let within = |there: &usize| (after + 1..=to).contains(&self.time(*there).ticks());
            (0..=at).filter(within).filter(|&there| self.holds(of, there)).count() as i128
        };
        match aggregate {
            // RULE S5, M5
            Aggregate::Count { window, closed, of } => {
                let first = now - in_ticks(*window) + i128::from(!closed);
                compare_mean(comparison, count(of, first - 1, now), 1, bound)
            }
            // RULE S6
            Aggregate::Average { window, step, of } => {
                let steps = in_ticks(*window) / in_ticks(*step).max(1);
                compare_mean(comparison, count(of, now - steps * in_ticks(*step), now), steps, bound)
            }
            // RULE S7
            Aggregate::Maximum { window, step, of } => {
                let (window, step) = (in_ticks(*window), in_ticks(*step).max(1));
                let steps = 0..=window / step;
                let counts = steps.map(|m| count(of, (now - window).max(now - (m + 1) * step), now - m * step));
                compare_mean(comparison, counts.max().unwrap_or(0), 1, bound)
            }
            // RULE S8
            Aggregate::Gap { window, from, to } => {
                let in_window = |start: &usize| self.time(*start).ticks() > now - in_ticks(*window);
                let starts = (0..=at).filter(in_window).filter(|&start| self.holds(from, start));
                let first_end = |start: usize| (start + 1..=at).find(|&end| self.holds(to, end));
                let gaps: Vec<i128> = starts
                    .filter_map(|start| first_end(start).map(|end| (self.time(end) - self.time(start)).ticks()))
                    .collect();
                let (sum, pairs) = (gaps.iter().sum::<i128>(), gaps.len() as i128);
                pairs > 0 && comparison.accepts(sum.cmp(&(in_ticks(bound) * pairs)))
            }
            // RULE M6
            Aggregate::Fold { fold, window, of, field } => {
                let in_window = |there: &usize| now - self.time(*there).ticks() <= in_ticks(*window);
                let events = (0..=at).filter(in_window).flat_map(|there| self.events(there));
                let number = |event| fold::number(self.spec, of, field, event, self.bound);
                fold::holds(*fold, &events.filter_map(number).collect::<Vec<_>>(), comparison, bound)
            }
        }
    }

    /// The last position at most so much later; there must be one beyond it, or it stands at the very end of the reach.
    // RULE B8
    fn in_future(&self, reach: Quantity, of: &Formula, at: usize) -> bool {
        let reach = ticks(self.clock, reach);
        let distance = |there: usize| (self.time(there) - self.time(at)).ticks();
        let within = (at..self.positions.len()).filter(|&there| distance(there) <= reach);
        let Some(last) = within.max() else { return false };
        (last + 1 < self.positions.len() || distance(last) == reach) && self.holds(of, last)
    }

    fn states<'s>(&'s self, row: &'s dyn Fn(&Formula) -> Vec<bool>) -> States<'s> {
        let Reader { spec, trace, bound, clock, positions, .. } = self;
        States { spec, trace, positions, clock: *clock, bound, row }
    }

    fn events(&self, at: usize) -> &[OracleEvent] {
        &self.trace.events()[self.positions[at].events.clone()]
    }

    fn time(&self, at: usize) -> Timestamp {
        self.positions[at].time
    }

    fn apart(&self, from: usize, to: usize, interval: &Bounds) -> bool {
        contains(self.clock, interval, self.time(to) - self.time(from))
    }
}

/// There is no position, and so nothing to be true of one.
// RULE V12
pub(super) fn holds_of_nothing(formula: &Formula) -> bool {
    match &formula.kind {
        Kind::Constant(value) => *value,
        Kind::Not(of) => !holds_of_nothing(of),
        Kind::Connective(connective, left, right) => {
            connect(*connective, holds_of_nothing(left), holds_of_nothing(right))
        }
        Kind::Unary { times: 0, of, .. } => holds_of_nothing(of),
        Kind::Unary { operator: Unary::Always | Unary::Historically, .. }
        | Kind::Binary { operator: Binary::WeakUntil | Binary::Release, .. } => true,
        Kind::Each { kind, .. } => *kind == QuantifierKind::Forall,
        Kind::Unary { .. }
        | Kind::Binary { .. }
        | Kind::InFuture { .. }
        | Kind::Atom(_)
        | Kind::OnEvent(_)
        | Kind::Compare(..) => false,
        Kind::Aggregate { aggregate, comparison, bound, full_window } => match aggregate.as_ref() {
            _ if *full_window => false,
            Aggregate::Gap { .. } => false,
            Aggregate::Fold { fold, .. } => fold::holds(*fold, &[], *comparison, *bound),
            Aggregate::Count { .. } | Aggregate::Average { .. } | Aggregate::Maximum { .. } => {
                compare_mean(*comparison, 0, 1, *bound)
            }
        },
    }
}

pub(super) fn connect(connective: Connective, left: bool, right: bool) -> bool {
    match connective {
        Connective::And => left && right,
        Connective::Or => left || right,
        Connective::Implies => !left || right,
        Connective::Iff => left == right,
    }
}
