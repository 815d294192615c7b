// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three-valued truth: what a complete trace makes true or false, and what the beginning of a longer one leaves open.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gnomon_core::time::{Clock, Quantity, Timestamp};
use gnomon_core::value::Comparison;
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Formula, Kind, Unary};
use gnomon_ir::spec::{Property, Spec};
use gnomon_ir::term::Occurrence;

use super::declared::{self, Bound};
use super::element::Elements;
use super::state::{Here, States, starts_before};
use super::unseen::{Unseen, connect};
use super::window::{compare_mean, contains, reaches, ticks, window_of};
use super::{boolean, fold};
use crate::trace::{OracleEvent, Position, Trace};
use crate::truth::Truth;

pub(super) struct Reader<'a> {
    spec: &'a Spec,
    property: &'a Property,
    trace: &'a Trace,
    end: End,
    bound: &'a Bound,
    clock: Clock,
    positions: Vec<Position>,
    /// The rows found so far, by the formula's own place in memory: what is counted is asked for at every position.
    rows: RefCell<BTreeMap<*const Formula, Vec<Truth>>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(spec: &'a Spec, property: &'a Property, trace: &'a Trace, end: End, bound: &'a Bound) -> Self {
        let positions = trace.positions(spec.simultaneous(property));
        let (clock, rows) = (Clock::new(spec.time.unit), RefCell::default());
        Reader { spec, property, trace, end, bound, clock, positions, rows }
    }

    pub(super) fn truth_at_start(&self, formula: &Formula) -> Truth {
        let of_nothing = || Truth::from(boolean::holds_of_nothing(formula));
        match (self.row(formula).first(), self.end) {
            (Some(first), _) => *first,
            (None, End::Complete) => of_nothing(),
            // It may stay empty, or get a first position.
            (None, End::Prefix) if self.unseen().truth(formula) == of_nothing() => of_nothing(),
            (None, End::Prefix) => Truth::Unknown,
        }
    }

    fn unseen(&self) -> Unseen {
        Unseen { clock: self.clock }
    }

    /// The formula's value at every position.
    fn row(&self, formula: &Formula) -> Vec<Truth> {
        let key = std::ptr::from_ref(formula);
        let known = self.rows.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let row = self.clause(formula);
            self.rows.borrow_mut().insert(key, row.clone());
            row
        })
    }

    fn clause(&self, formula: &Formula) -> Vec<Truth> {
        let positions = 0..self.positions.len();
        match &formula.kind {
            Kind::Constant(value) => positions.map(|_| Truth::from(*value)).collect(),
            Kind::Atom(atom) => {
                let is_it = |event| declared::matches(self.spec, atom, event, self.bound);
                positions.map(|at| Truth::from(self.events(at).iter().any(is_it))).collect()
            }
            Kind::OnEvent(_) | Kind::Compare(..) | Kind::Each { .. } => {
                let row = |of: &Formula| self.certain(of);
                let states = self.states(&row);
                positions.map(|at| self.in_state(formula, &states, at)).collect()
            }
            Kind::InFuture { reach, of } => {
                let of = self.row(of);
                positions.map(|at| self.in_future(ticks(self.clock, *reach), &of, at)).collect()
            }
            Kind::Not(of) => self.row(of).into_iter().map(|value| !value).collect(),
            Kind::Connective(connective, left, right) => {
                let (left, right) = (self.row(left), self.row(right));
                left.into_iter().zip(right).map(|(left, right)| connect(*connective, left, right)).collect()
            }
            Kind::Unary { operator, strict, times, interval, of } => {
                let mut inner = Inner { row: self.row(of), unseen: self.unseen().truth(of) };
                for _ in 0..*times {
                    let row =
                        positions.clone().map(|at| self.unary(*operator, *strict, interval, &inner, at)).collect();
                    inner = Inner { row, unseen: self.unseen().unary(*operator, *strict, interval, inner.unseen) };
                }
                inner.row
            }
            Kind::Binary { operator, strict, interval, left, right } => {
                let left = Inner { row: self.row(left), unseen: self.unseen().truth(left) };
                let right = Inner { row: self.row(right), unseen: self.unseen().truth(right) };
                positions.map(|at| self.binary(*operator, *strict, interval, (&left, &right), at)).collect()
            }
            Kind::Aggregate { aggregate, comparison, bound, full_window } => {
                let row = self.aggregate(aggregate, *comparison, *bound);
                let window = full_window.then(|| ticks(self.clock, window_of(aggregate)));
                let young = |at: usize| window.is_some_and(|window| self.time(at).ticks() < window);
                row.into_iter().enumerate().map(|(at, value)| if young(at) { Truth::False } else { value }).collect()
            }
        }
    }

    /// The value at the last position at most so much later, once it is clear which that is.
    // RULE B8
    fn in_future(&self, reach: i128, of: &[Truth], at: usize) -> Truth {
        let distance = |there: usize| (self.time(there) - self.time(at)).ticks();
        let beyond = (at + 1..of.len()).find(|&there| distance(there) > reach);
        let exactly = (at..of.len()).rfind(|&there| distance(there) == reach);
        let ties = self.spec.simultaneous(self.property) == Simultaneous::Sequence;
        match (beyond, exactly, self.end) {
            (Some(beyond), _, _) => of[beyond - 1],
            (None, Some(exactly), End::Complete) => of[exactly],
            (None, Some(exactly), End::Prefix) if !ties => of[exactly],
            (None, None, End::Complete) => Truth::False,
            (None, _, End::Prefix) => Truth::Unknown,
        }
    }

    /// RULE B4, B6, B7: what the next position has is not known of the last one.
    fn in_state(&self, formula: &Formula, states: &States<'_>, at: usize) -> Truth {
        let is_open = self.end == End::Prefix && at + 1 == self.positions.len();
        let starts = |occurrence: &Occurrence| starts_before(self.spec, self.trace, occurrence);
        let row = |of: &Formula| self.row(of);
        let elements = Elements { states, row: &row, starts: &starts, unseen: self.unseen(), is_open };
        match &formula.kind {
            Kind::Each { .. } => elements.truth(formula, at),
            _ if is_open && elements.looks_ahead(formula) => Truth::Unknown,
            _ => states.holds(formula, &Here::new(at)).into(),
        }
    }

    /// Where a formula is certainly true.
    fn certain(&self, of: &Formula) -> Vec<bool> {
        self.row(of).into_iter().map(|value| value == Truth::True).collect()
    }

    fn states<'s>(&'s self, row: &'s dyn Fn(&Formula) -> Vec<bool>) -> States<'s> {
        let Reader { spec, trace, bound, clock, positions, .. } = self;
        States { spec, trace, positions, clock: *clock, bound, row }
    }

    fn unary(&self, operator: Unary, strict: bool, interval: &Bounds, of: &Inner, at: usize) -> Truth {
        let length = self.positions.len();
        let present = (!strict && self.apart(at, at, interval)).then(|| of.row[at]);
        let ahead = || {
            let there = (at + 1..length).filter(|&there| self.apart(at, there, interval));
            there.map(|there| of.row[there]).chain(present)
        };
        let behind = || {
            let there = (0..at).filter(|&there| self.apart(there, at, interval));
            there.map(|there| of.row[there]).chain(present)
        };
        let may_follow = self.may_follow(at, interval);
        // A position that may come makes nothing true of all, and nothing false that may be true there.
        let to_come_for_any = may_follow.then(|| of.unseen.min(Truth::Unknown));
        let to_come_for_all = may_follow.then(|| of.unseen.max(Truth::Unknown));
        match operator {
            Unary::Eventually => ahead().chain(to_come_for_any).max().unwrap_or(Truth::False),
            Unary::Always => ahead().chain(to_come_for_all).min().unwrap_or(Truth::True),
            Unary::Once => behind().max().unwrap_or(Truth::False),
            Unary::Historically => behind().min().unwrap_or(Truth::True),
            Unary::Next if at + 1 == length => to_come_for_any.unwrap_or(Truth::False),
            Unary::Next if self.apart(at, at + 1, interval) => of.row[at + 1],
            Unary::Previous if at > 0 && self.apart(at - 1, at, interval) => of.row[at - 1],
            Unary::Next | Unary::Previous => Truth::False,
        }
    }

    fn binary(
        &self,
        operator: Binary,
        strict: bool,
        interval: &Bounds,
        (left, right): (&Inner, &Inner),
        at: usize,
    ) -> Truth {
        let length = self.positions.len();
        // Without the present position, or with it.
        let from = at + usize::from(strict);
        let to = if strict { at } else { at + 1 };
        let ends = (from..length).filter(|&end| self.apart(at, end, interval));
        let may_follow = self.may_follow(at, interval);
        match operator {
            Binary::Until => {
                let witnesses = ends.map(|end| right.row[end].min(all(&left.row[from..end])));
                let to_come = may_follow.then(|| right.unseen.min(Truth::Unknown).min(all(&left.row[from..])));
                witnesses.chain(to_come).max().unwrap_or(Truth::False)
            }
            Binary::Since => {
                let starts = (0..to).filter(|&start| self.apart(start, at, interval));
                let witnesses = starts.map(|start| right.row[start].min(all(&left.row[start + 1..to])));
                witnesses.max().unwrap_or(Truth::False)
            }
            Binary::Release => {
                let parts = ends.map(|end| right.row[end].max(any(&left.row[from..end])));
                let to_come = may_follow.then(|| right.unseen.max(Truth::Unknown).max(any(&left.row[from..])));
                parts.chain(to_come).min().unwrap_or(Truth::True)
            }
            Binary::WeakUntil => {
                let parts = ends.map(|end| left.row[end].max(any(&right.row[from..=end])));
                let either = left.unseen.max(right.unseen);
                let to_come = may_follow.then(|| either.max(Truth::Unknown).max(any(&right.row[from..])));
                parts.chain(to_come).min().unwrap_or(Truth::True)
            }
        }
    }

    fn aggregate(&self, aggregate: &Aggregate, comparison: Comparison, bound: Quantity) -> Vec<Truth> {
        let positions = 0..self.positions.len();
        let in_ticks = |quantity| ticks(self.clock, quantity);
        match aggregate {
            Aggregate::Count { window, closed, of } => {
                let of = self.row(of);
                let counted = |at| self.count(&of, at, 0, in_ticks(*window) + i128::from(*closed));
                positions.map(|at| every(counted(at), |number| compare_mean(comparison, number, 1, bound))).collect()
            }
            Aggregate::Average { window, step, of } => {
                let of = self.row(of);
                let steps = in_ticks(*window) / in_ticks(*step).max(1);
                let counted = |at| self.count(&of, at, 0, steps * in_ticks(*step));
                positions
                    .map(|at| every(counted(at), |number| compare_mean(comparison, number, steps, bound)))
                    .collect()
            }
            Aggregate::Maximum { window, step, of } => {
                let of = self.row(of);
                let (window, step) = (in_ticks(*window), in_ticks(*step).max(1));
                let greatest = |at| {
                    let counts = (0..=window / step).map(|m| self.count(&of, at, m * step, window.min((m + 1) * step)));
                    counts.fold((0, 0), |(least, most), (low, high)| (least.max(low), most.max(high)))
                };
                positions.map(|at| every(greatest(at), |number| compare_mean(comparison, number, 1, bound))).collect()
            }
            Aggregate::Gap { window, from, to } => {
                let (from, to) = (self.row(from), self.row(to));
                positions.map(|at| self.gap(in_ticks(*window), &from, &to, comparison, in_ticks(bound), at)).collect()
            }
            Aggregate::Fold { fold, window, of, field } => {
                let number = |event| fold::number(self.spec, of, field, event, self.bound);
                let holds = |at| {
                    let reach = |there: &usize| (self.time(at) - self.time(*there)).ticks() <= in_ticks(*window);
                    let numbers = (0..=at).filter(reach).flat_map(|there| self.events(there)).filter_map(number);
                    fold::holds(*fold, &numbers.collect::<Vec<_>>(), comparison, bound)
                };
                positions.map(|at| Truth::from(holds(at))).collect()
            }
        }
    }

    /// How many positions up to this one, at distances from `near` to just below `far`, satisfy `of`: at least and at
    /// most.
    fn count(&self, of: &[Truth], at: usize, near: i128, far: i128) -> (i128, i128) {
        let distance = |there: usize| (self.time(at) - self.time(there)).ticks();
        let counted = || (0..=at).filter(|&there| (near..far).contains(&distance(there))).map(|there| of[there]);
        let least = counted().filter(|value| *value == Truth::True).count();
        let most = counted().filter(|value| *value != Truth::False).count();
        (least as i128, most as i128)
    }

    fn gap(&self, window: i128, from: &[Truth], to: &[Truth], comparison: Comparison, bound: i128, at: usize) -> Truth {
        let distance = |start: usize, end: usize| (self.time(end) - self.time(start)).ticks();
        let starts = (0..=at).filter(|&start| distance(start, at) < window && from[start] != Truth::False);
        let pairs: Vec<(usize, usize)> = starts
            .filter_map(|start| (start + 1..=at).find(|&end| to[end] != Truth::False).map(|end| (start, end)))
            .collect();
        if pairs.iter().any(|&(start, end)| from[start] == Truth::Unknown || to[end] == Truth::Unknown) {
            return Truth::Unknown;
        }
        let sum: i128 = pairs.iter().map(|&(start, end)| distance(start, end)).sum();
        Truth::from(!pairs.is_empty() && comparison.accepts(sum.cmp(&(bound * pairs.len() as i128))))
    }

    /// Whether a position after the known ones may stand at a distance in the interval.
    fn may_follow(&self, at: usize, interval: &Bounds) -> bool {
        let Some(last) = self.positions.last() else { return false };
        let from = match self.spec.simultaneous(self.property) {
            Simultaneous::Merge => last.time.ticks() + 1,
            Simultaneous::Sequence => last.time.ticks(),
        };
        self.end == End::Prefix && reaches(self.clock, interval, Timestamp::from_ticks(from) - self.time(at))
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

/// A formula's value at the known positions, and at one that is not known.
struct Inner {
    row: Vec<Truth>,
    unseen: Truth,
}

fn all(values: &[Truth]) -> Truth {
    values.iter().copied().min().unwrap_or(Truth::True)
}

fn any(values: &[Truth]) -> Truth {
    values.iter().copied().max().unwrap_or(Truth::False)
}

/// Definite where every number from the least to the most answers alike.
fn every((least, most): (i128, i128), answer: impl Fn(i128) -> bool) -> Truth {
    let answers: Vec<bool> = (least..=most).map(answer).collect();
    match (answers.contains(&true), answers.contains(&false)) {
        (true, true) => Truth::Unknown,
        (found, _) => Truth::from(found),
    }
}
