// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three-valued truth: what a complete trace makes true or false, and what the beginning of a longer one leaves open.

use gnomon_core::time::{Clock, Quantity, Timestamp};
use gnomon_core::value::Comparison;
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::spec::{Property, Spec};

use super::window::{compare_mean, contains, reaches, ticks, window_of};
use super::{boolean, declared};
use crate::trace::{Position, Trace};
use crate::truth::Truth;

pub(super) struct Reader<'a> {
    spec: &'a Spec,
    property: &'a Property,
    trace: &'a Trace,
    end: End,
    clock: Clock,
    positions: Vec<Position>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(spec: &'a Spec, property: &'a Property, trace: &'a Trace, end: End) -> Self {
        let positions = trace.positions(spec.simultaneous(property));
        Reader { spec, property, trace, end, clock: Clock::new(spec.time.unit), positions }
    }

    pub(super) fn truth_at_start(&self, formula: &Formula) -> Truth {
        match (self.row(formula).first(), self.end) {
            (Some(first), _) => *first,
            (None, End::Prefix) => unseen(formula),
            (None, End::Complete) => {
                boolean::Reader::new(self.spec, self.property, self.trace).holds_at_start(formula).into()
            }
        }
    }

    /// The formula's value at every position.
    fn row(&self, formula: &Formula) -> Vec<Truth> {
        let positions = 0..self.positions.len();
        match &formula.kind {
            Kind::Constant(value) => positions.map(|_| Truth::from(*value)).collect(),
            Kind::Atom(atom) => {
                let events = |at: usize| &self.trace.events()[self.positions[at].events.clone()];
                let holds = |at| events(at).iter().any(|event| declared::matches(self.spec, atom, event));
                positions.map(|at| Truth::from(holds(at))).collect()
            }
            Kind::Not(of) => self.row(of).into_iter().map(|value| !value).collect(),
            Kind::Connective(connective, left, right) => {
                let (left, right) = (self.row(left), self.row(right));
                left.into_iter().zip(right).map(|(left, right)| connect(*connective, left, right)).collect()
            }
            Kind::Unary { operator, times, interval, of } => {
                let mut inner = Inner { row: self.row(of), unseen: unseen(of) };
                for _ in 0..*times {
                    let row = positions.clone().map(|at| self.unary(*operator, interval, &inner, at)).collect();
                    inner = Inner { row, unseen: unseen_unary(*operator, inner.unseen) };
                }
                inner.row
            }
            Kind::Binary { operator, interval, left, right } => {
                let left = self.row(left);
                let right = Inner { row: self.row(right), unseen: unseen(right) };
                positions.map(|at| self.binary(*operator, interval, &left, &right, at)).collect()
            }
            Kind::Aggregate { aggregate, comparison, bound, full_window } => {
                let row = self.aggregate(aggregate, *comparison, *bound);
                let window = full_window.then(|| ticks(self.clock, window_of(aggregate)));
                let young = |at: usize| window.is_some_and(|window| self.time(at).ticks() < window);
                row.into_iter().enumerate().map(|(at, value)| if young(at) { Truth::False } else { value }).collect()
            }
        }
    }

    fn unary(&self, operator: Unary, interval: &Bounds, of: &Inner, at: usize) -> Truth {
        let length = self.positions.len();
        let ahead = || (at + 1..length).filter(|&there| self.apart(at, there, interval)).map(|there| of.row[there]);
        let behind = || (0..at).filter(|&there| self.apart(there, at, interval)).map(|there| of.row[there]);
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

    fn binary(&self, operator: Binary, interval: &Bounds, left: &[Truth], right: &Inner, at: usize) -> Truth {
        let all = |values: &[Truth]| values.iter().copied().min().unwrap_or(Truth::True);
        match operator {
            Binary::Until => {
                let ends = (at + 1..self.positions.len()).filter(|&end| self.apart(at, end, interval));
                let witnesses = ends.map(|end| right.row[end].min(all(&left[at + 1..end])));
                let to_come = || right.unseen.min(Truth::Unknown).min(all(&left[at + 1..]));
                let to_come = self.may_follow(at, interval).then(to_come);
                witnesses.chain(to_come).max().unwrap_or(Truth::False)
            }
            Binary::Since => {
                let starts = (0..at).filter(|&start| self.apart(start, at, interval));
                let witnesses = starts.map(|start| right.row[start].min(all(&left[start + 1..at])));
                witnesses.max().unwrap_or(Truth::False)
            }
        }
    }

    fn aggregate(&self, aggregate: &Aggregate, comparison: Comparison, bound: Quantity) -> Vec<Truth> {
        let positions = 0..self.positions.len();
        let in_ticks = |quantity| ticks(self.clock, quantity);
        match aggregate {
            Aggregate::Count { window, of } => {
                let of = self.row(of);
                let counted = |at| self.count(&of, at, 0, in_ticks(*window));
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

/// What can be said of a formula at a position that nothing is known of: what follows from its constants alone.
fn unseen(formula: &Formula) -> Truth {
    match &formula.kind {
        Kind::Constant(value) => Truth::from(*value),
        Kind::Not(of) => !unseen(of),
        Kind::Connective(connective, left, right) => connect(*connective, unseen(left), unseen(right)),
        Kind::Unary { operator, times, of, .. } => {
            (0..*times).fold(unseen(of), |inner, _| unseen_unary(*operator, inner))
        }
        Kind::Binary { right, .. } => unseen(right).min(Truth::Unknown),
        Kind::Atom(_) | Kind::Aggregate { .. } => Truth::Unknown,
    }
}

fn unseen_unary(operator: Unary, inner: Truth) -> Truth {
    match operator {
        Unary::Always | Unary::Historically => inner.max(Truth::Unknown),
        Unary::Eventually | Unary::Once | Unary::Next | Unary::Previous => inner.min(Truth::Unknown),
    }
}

fn connect(connective: Connective, left: Truth, right: Truth) -> Truth {
    match connective {
        Connective::And => left.min(right),
        Connective::Or => left.max(right),
        Connective::Implies => (!left).max(right),
        Connective::Iff if left.is_definite() && right.is_definite() => Truth::from(left == right),
        Connective::Iff => Truth::Unknown,
    }
}

/// Definite where every number from the least to the most answers alike.
fn every((least, most): (i128, i128), answer: impl Fn(i128) -> bool) -> Truth {
    let answers: Vec<bool> = (least..=most).map(answer).collect();
    match (answers.contains(&true), answers.contains(&false)) {
        (true, true) => Truth::Unknown,
        (found, _) => Truth::from(found),
    }
}
