// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three-valued evaluation of formulae as written.
//!
//! On a complete trace every value is definite. On a prefix a value is definite if all continuations agree, as far as
//! Kleene's logic shows: `F b` after a trace without `b` is unknown, `F[0,5] b` is false once time has passed the
//! bound.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gnomon_core::{Clock, Comparison, Duration, End, Interval, Quantity, Simultaneous, Timestamp, Unit, Value};
use gnomon_ir::{Aggregate, Atom, Binary, Formula, FormulaKind, Occurrence, Path, Property, Ratio, Spec, Unary};

use super::RowVisitor;
use super::atom::{self, VariableValues};
use super::element::Elements;
use super::state::{StateContext, States, starts_before};
use super::unknown_position::{self, UnknownPosition, connect};
use super::window::{interval_of, ratio, ticks, value_carried};
use crate::known_prefix::{KnownPrefix, earliest_after};
use crate::trace::{OracleEvent, Position, Trace};
use crate::truth::Truth;
use crate::{distinct, fold, operators, percentile};

pub(super) struct Evaluator<'a> {
    spec: &'a Spec,
    trace: &'a Trace,
    end: End,
    bound: &'a VariableValues,
    clock: Clock,
    simultaneous: Simultaneous,
    positions: Vec<Position>,
    times: Vec<Timestamp>,
    /// The rows found so far, by the formula's own place in memory: what is counted is asked for at every position.
    rows: RefCell<BTreeMap<*const Formula, Vec<Truth>>>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        spec: &'a Spec,
        property: &Property,
        trace: &'a Trace,
        end: End,
        bound: &'a VariableValues,
    ) -> Self {
        let simultaneous = spec.simultaneous(property);
        let positions = trace.positions(simultaneous);
        let times = positions.iter().map(|position| position.time).collect();
        let (clock, rows) = (Clock::new(spec.time.unit), RefCell::default());
        Evaluator { spec, trace, end, bound, clock, simultaneous, positions, times, rows }
    }

    pub(super) fn truth_at_start(&self, formula: &Formula) -> Truth {
        let of_nothing = || Truth::from(formula.holds_of_nothing());
        match (self.row(formula).first(), self.end) {
            (Some(first), _) => *first,
            (None, End::Complete) => of_nothing(),
            // It may stay empty, or get a first position.
            (None, End::Prefix) if self.at_unknown().truth(formula) == of_nothing() => of_nothing(),
            (None, End::Prefix) => Truth::Unknown,
        }
    }

    /// Calls `visit` with each part, its depth and its row.
    pub(super) fn each_row(&self, formula: &Formula, depth: usize, visit: &mut RowVisitor<'_>) {
        // Inside of a quantifier over a list a part has a value for each element.
        if matches!(formula.kind, FormulaKind::Constant(_)) {
            return;
        }
        visit(depth, formula, &self.positions, &self.row(formula));
        if !matches!(formula.kind, FormulaKind::Each { .. }) {
            formula.children().into_iter().for_each(|part| self.each_row(part, depth + 1, visit));
        }
    }

    fn at_unknown(&self) -> UnknownPosition {
        UnknownPosition { clock: self.clock }
    }

    fn view(&self) -> KnownPrefix<'_> {
        let last = self.times.last().filter(|_| self.end == End::Prefix);
        KnownPrefix { times: &self.times, next: last.map(|last| earliest_after(*last, self.simultaneous)) }
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
            FormulaKind::Constant(value) => positions.map(|_| Truth::from(*value)).collect(),
            FormulaKind::Atom(atom) => {
                let is_it = |event| atom::matches(self.spec, atom, event, self.bound);
                positions.map(|at| Truth::from(self.events(at).iter().any(is_it))).collect()
            }
            FormulaKind::OnEvent(_) | FormulaKind::Compare(..) | FormulaKind::Each { .. } => {
                let row = |of: &Formula| self.certain(of);
                let states = self.states(&row);
                positions.map(|at| self.in_state(formula, &states, at)).collect()
            }
            // RULE B8
            FormulaKind::InFuture { reach, of } => {
                let (of, reach) = (self.row(of), self.duration(*reach));
                let ties = self.simultaneous == Simultaneous::Sequence;
                positions.map(|at| operators::in_future(&self.view(), reach, &of, ties, at)).collect()
            }
            FormulaKind::Not(of) => self.row(of).into_iter().map(|value| !value).collect(),
            FormulaKind::Connective(connective, left, right) => {
                let (left, right) = (self.row(left), self.row(right));
                left.into_iter().zip(right).map(|(left, right)| connect(*connective, left, right)).collect()
            }
            FormulaKind::Unary { operator, strict, times, interval, of } => {
                let interval = interval_of(self.clock, interval);
                let mut inner = Operand { row: self.row(of), at_unknown: self.at_unknown().truth(of) };
                for _ in 0..*times {
                    let row =
                        positions.clone().map(|at| self.unary(*operator, *strict, interval, &inner, at)).collect();
                    inner = Operand {
                        row,
                        at_unknown: unknown_position::unary(*operator, *strict, interval, inner.at_unknown),
                    };
                }
                inner.row
            }
            FormulaKind::Binary { operator, strict, interval, left, right } => {
                let interval = interval_of(self.clock, interval);
                let left = Operand { row: self.row(left), at_unknown: self.at_unknown().truth(left) };
                let right = Operand { row: self.row(right), at_unknown: self.at_unknown().truth(right) };
                positions.map(|at| self.binary(*operator, *strict, interval, (&left, &right), at)).collect()
            }
            FormulaKind::Aggregate { aggregate, comparison, bound, full_window } => {
                let row = self.aggregate(aggregate, *comparison, *bound);
                // RULE S9
                let window = full_window.then(|| ticks(self.clock, aggregate.window()));
                let young = |at: usize| window.is_some_and(|window| self.times[at].ticks() < window);
                row.into_iter().enumerate().map(|(at, value)| if young(at) { Truth::False } else { value }).collect()
            }
        }
    }

    /// RULE B4, B6, B7: what the next position has is not known of the last one.
    fn in_state(&self, formula: &Formula, states: &States<'_>, at: usize) -> Truth {
        let is_open = self.end == End::Prefix && at + 1 == self.positions.len();
        let starts = |occurrence: &Occurrence| starts_before(self.spec, self.trace, occurrence);
        let row = |of: &Formula| self.row(of);
        let elements = Elements { states, row: &row, starts: &starts, at_unknown: self.at_unknown(), is_open };
        match &formula.kind {
            FormulaKind::Each { .. } => elements.truth(formula, at),
            _ if is_open && elements.looks_ahead(formula) => Truth::Unknown,
            _ => states.holds(formula, &StateContext::new(at)).into(),
        }
    }

    /// Returns the positions where a formula is certainly true.
    fn certain(&self, of: &Formula) -> Vec<bool> {
        self.row(of).into_iter().map(|value| value == Truth::True).collect()
    }

    fn states<'s>(&'s self, row: &'s dyn Fn(&Formula) -> Vec<bool>) -> States<'s> {
        let Evaluator { spec, trace, bound, clock, positions, .. } = self;
        States { spec, trace, positions, clock: *clock, bound, row }
    }

    // RULE S3, S4, M2, M4
    fn unary(&self, operator: Unary, strict: bool, interval: Interval, of: &Operand, at: usize) -> Truth {
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
        let may_follow = self.view().may_follow(at, interval);
        // A position that may come makes nothing true of all, and nothing false that may be true there.
        let to_come_for_any = may_follow.then(|| of.at_unknown.min(Truth::Unknown));
        let to_come_for_all = may_follow.then(|| of.at_unknown.max(Truth::Unknown));
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
        interval: Interval,
        (left, right): (&Operand, &Operand),
        at: usize,
    ) -> Truth {
        let length = self.positions.len();
        // Without the present position, or with it.
        let from = at + usize::from(strict);
        let to = if strict { at } else { at + 1 };
        let ends = (from..length).filter(|&end| self.apart(at, end, interval));
        let may_follow = self.view().may_follow(at, interval);
        match operator {
            // RULE S2, M1
            Binary::Until => {
                let witnesses = ends.map(|end| right.row[end].min(all(&left.row[from..end])));
                let to_come = may_follow.then(|| right.at_unknown.min(Truth::Unknown).min(all(&left.row[from..])));
                witnesses.chain(to_come).max().unwrap_or(Truth::False)
            }
            Binary::Since => {
                let starts = (0..to).filter(|&start| self.apart(start, at, interval));
                let witnesses = starts.map(|start| right.row[start].min(all(&left.row[start + 1..to])));
                witnesses.max().unwrap_or(Truth::False)
            }
            // RULE M3
            Binary::Release => {
                let parts = ends.map(|end| right.row[end].max(any(&left.row[from..end])));
                let to_come = may_follow.then(|| right.at_unknown.max(Truth::Unknown).max(any(&left.row[from..])));
                parts.chain(to_come).min().unwrap_or(Truth::True)
            }
            Binary::WeakUntil => {
                let parts = ends.map(|end| left.row[end].max(any(&right.row[from..=end])));
                let either = left.at_unknown.max(right.at_unknown);
                let to_come = may_follow.then(|| either.max(Truth::Unknown).max(any(&right.row[from..])));
                parts.chain(to_come).min().unwrap_or(Truth::True)
            }
        }
    }

    fn aggregate(&self, aggregate: &Aggregate, comparison: Comparison, bound: Quantity) -> Vec<Truth> {
        let positions = 0..self.positions.len();
        let in_ticks = |quantity| ticks(self.clock, quantity);
        let number = ratio(bound);
        let meets = |value, count| number.compared_by(comparison, value, count);
        match aggregate {
            // RULE S5, M5
            Aggregate::Count { window, closed, of } => {
                let reach = Duration::from_ticks(in_ticks(*window) + i128::from(*closed) - 1);
                let of = self.row(of);
                positions.map(|at| operators::count(&self.view(), reach, &of, &meets, at)).collect()
            }
            // RULE S6
            Aggregate::Average { window, step, of } => {
                let (of, step) = (self.row(of), in_ticks(*step));
                let steps = in_ticks(*window) / step.max(1);
                let number = Ratio { numerator: number.numerator.saturating_mul(steps), ..number };
                let meets = |value, count| number.compared_by(comparison, value, count);
                let reach = Duration::from_ticks(steps * step - 1);
                positions.map(|at| operators::count(&self.view(), reach, &of, &meets, at)).collect()
            }
            // RULE S7
            Aggregate::Maximum { window, step, of } => {
                let of = self.row(of);
                let steps = (self.duration(*window), self.duration(*step).max(Duration::from_ticks(1)));
                positions.map(|at| operators::maximum(&self.view(), steps, &of, &meets, at)).collect()
            }
            // RULE S8
            Aggregate::Gap { window, from, to } => {
                let (from, to) = (self.row(from), self.row(to));
                let reach = Duration::from_ticks(in_ticks(*window) - 1);
                let time = Ratio { numerator: in_ticks(bound), denominator: 1 };
                let meets = |sum, count| time.compared_by(comparison, sum, count);
                positions.map(|at| operators::gap(&self.view(), reach, (&from, &to), &meets, at)).collect()
            }
            // RULE M6
            Aggregate::Fold { fold, window, of, field } => {
                let (values, reach) = (self.values_carried(of, field), self.duration(*window));
                let made = (*fold, values.as_slice());
                positions.map(|at| fold::truth(&self.view(), reach, made, comparison, number, at)).collect()
            }
            // RULE M8
            Aggregate::Rate { window, closed, of } => {
                let (of, window) = (self.row(of), in_ticks(*window));
                let reach = Duration::from_ticks(window + i128::from(*closed) - 1);
                // count / (K / 1s) compared with n: count · 1s / K.
                let second = Unit::Second.nanoseconds();
                let meets = |value, _| number.compared_by(comparison, value * second, window.max(1));
                positions.map(|at| operators::count(&self.view(), reach, &of, &meets, at)).collect()
            }
            // RULE M9
            Aggregate::Percentile { percent, window, closed, of, field } => {
                let values = self.values_carried(of, field);
                let reach = Duration::from_ticks(in_ticks(*window) + i128::from(*closed) - 1);
                let made = (*percent, values.as_slice());
                positions.map(|at| percentile::truth(&self.view(), reach, made, comparison, number, at)).collect()
            }
            // RULE M10
            Aggregate::Distinct { window, closed, of, field } => {
                let values = self.values_carried(of, field);
                let reach = Duration::from_ticks(in_ticks(*window) + i128::from(*closed) - 1);
                positions.map(|at| distinct::truth(&self.view(), reach, &values, &meets, at)).collect()
            }
        }
    }

    /// The values that a field has in the events of an atom, per position.
    fn values_carried(&self, of: &Atom, field: &Path) -> Vec<Vec<Value<'static>>> {
        let carried = |event| value_carried(self.spec, of, field, event, self.bound);
        (0..self.positions.len()).map(|at| self.events(at).iter().filter_map(carried).collect()).collect()
    }

    fn duration(&self, quantity: Quantity) -> Duration {
        Duration::from_ticks(ticks(self.clock, quantity))
    }

    fn events(&self, at: usize) -> &[OracleEvent] {
        &self.trace.events()[self.positions[at].events.clone()]
    }

    fn apart(&self, from: usize, to: usize, interval: Interval) -> bool {
        interval.contains(self.view().distance(from, to))
    }
}

/// A formula's value at the known positions, and at one that is not known.
struct Operand {
    row: Vec<Truth>,
    at_unknown: Truth,
}

fn all(values: &[Truth]) -> Truth {
    values.iter().copied().min().unwrap_or(Truth::True)
}

fn any(values: &[Truth]) -> Truth {
    values.iter().copied().max().unwrap_or(Truth::False)
}
