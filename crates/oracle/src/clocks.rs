// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clocks over a whole trace: the instants at which each ticks, and the instants at which each relation is broken.
// RULE C1, C2, C3, C4, C5

use std::collections::BTreeSet;

use gnomon_core::Simultaneous;
use gnomon_ir::{
    ClockExpression, ClockId, ClockRelation, ClockRelationCore, ClockRelationKind, ClockRelationOrigin, ClocksCore,
};

use crate::atom;
use crate::trace::{Position, Trace};

/// The ticks of one clock.
#[derive(Clone, Default)]
struct ClockTicks {
    /// For each instant, true if the clock ticks.
    ticks: Vec<bool>,
    /// For each instant, the number of ticks up to and including it.
    counts: Vec<u64>,
}

impl ClockTicks {
    fn new(ticks: Vec<bool>) -> Self {
        let counts = ticks.iter().scan(0, |count, tick| {
            *count += u64::from(*tick);
            Some(*count)
        });
        ClockTicks { counts: counts.collect(), ticks }
    }

    /// Returns the number of ticks up to and including an instant.
    fn count(&self, instant: usize) -> u64 {
        self.counts[instant]
    }

    /// Returns the number of ticks before an instant.
    fn before(&self, instant: usize) -> u64 {
        instant.checked_sub(1).map_or(0, |before| self.counts[before])
    }
}

/// The ticks of all clocks of a property. The instants are the positions of the trace.
pub struct ClockHistory<'a> {
    core: &'a ClocksCore,
    /// The positions of the trace.
    pub instants: Vec<Position>,
    clocks: Vec<ClockTicks>,
}

impl<'a> ClockHistory<'a> {
    /// Computes the ticks of all clocks on a trace.
    // RULE C1, C2
    pub fn new(core: &'a ClocksCore, trace: &Trace) -> Self {
        let instants = trace.positions(Simultaneous::Merge);
        let events = core.atoms.iter().map(|definition| {
            let ticks =
                instants.iter().map(|instant| atom::holds(definition, &trace.events()[instant.events.clone()], &[]));
            ClockTicks::new(ticks.collect())
        });
        let mut history = ClockHistory { core, clocks: events.collect(), instants };
        for clock in &core.defined {
            let ticks = history.defined(&clock.expression);
            history.clocks.push(ClockTicks::new(ticks));
        }
        history
    }

    fn of(&self, clock: ClockId) -> &ClockTicks {
        &self.clocks[clock.0 as usize]
    }

    /// Returns true if a clock ticks at an instant.
    pub fn ticks(&self, clock: ClockId, instant: usize) -> bool {
        self.of(clock).ticks[instant]
    }

    /// Returns the number of ticks of a clock up to and including an instant.
    pub fn count(&self, clock: ClockId, instant: usize) -> u64 {
        self.of(clock).count(instant)
    }

    /// Returns true if some clock of the property ticks at an instant.
    pub fn matters(&self, instant: usize) -> bool {
        self.clocks.iter().any(|clock| clock.ticks[instant])
    }

    /// Returns for each instant whether a clock with this definition ticks.
    // RULE C2
    fn defined(&self, expression: &ClockExpression<ClockId>) -> Vec<bool> {
        let instants = 0..self.instants.len();
        let at_each = |ticks: &dyn Fn(usize) -> bool| instants.clone().map(ticks).collect();
        match expression {
            ClockExpression::Union(a, b) => at_each(&|i| self.ticks(*a, i) || self.ticks(*b, i)),
            ClockExpression::Intersection(a, b) => at_each(&|i| self.ticks(*a, i) && self.ticks(*b, i)),
            ClockExpression::Difference(a, b) => at_each(&|i| self.ticks(*a, i) && !self.ticks(*b, i)),
            ClockExpression::Delay(a, by) => at_each(&|i| self.ticks(*a, i) && self.count(*a, i) > *by),
            ClockExpression::DelayOn { of, by, on } => {
                // The numbers of the ticks of `on` that ticks of `of` have scheduled.
                let mut scheduled = BTreeSet::new();
                let mut ticks = Vec::new();
                for instant in instants {
                    ticks.push(self.ticks(*on, instant) && scheduled.contains(&self.count(*on, instant)));
                    if self.ticks(*of, instant) {
                        scheduled.insert(self.count(*on, instant).saturating_add(*by));
                    }
                }
                ticks
            }
            ClockExpression::Every { of, period, from } => {
                let from = from.unwrap_or(*period);
                at_each(&|i| {
                    let number = self.count(*of, i);
                    self.ticks(*of, i) && number >= from && (number - from).is_multiple_of(*period)
                })
            }
            ClockExpression::Filter(a, word) => {
                at_each(&|i| self.ticks(*a, i) && word.digit(self.count(*a, i)) == Some(true))
            }
            ClockExpression::Sampled { of, by, strictly } => {
                let (of, by) = (self.of(*of), self.of(*by));
                let mut ticks = Vec::new();
                // The number of ticks of `of` that the tick of `by` before has taken.
                let mut taken = 0;
                for instant in instants {
                    let count = if *strictly { of.before(instant) } else { of.count(instant) };
                    ticks.push(by.ticks[instant] && count > taken);
                    if by.ticks[instant] {
                        taken = count;
                    }
                }
                ticks
            }
            ClockExpression::UpTo(a, b) => at_each(&|i| self.ticks(*a, i) && self.count(*b, i) == 0),
            ClockExpression::Wait(a, number) => at_each(&|i| self.ticks(*a, i) && self.count(*a, i) == *number),
            ClockExpression::Then(a, b) => {
                at_each(&|i| if self.is_dead(*a, i) { self.ticks(*b, i) } else { self.ticks(*a, i) })
            }
            ClockExpression::Infimum(a, b) => {
                let (a, b) = (self.of(*a), self.of(*b));
                at_each(&|i| a.count(i).max(b.count(i)) > a.before(i).max(b.before(i)))
            }
            ClockExpression::Supremum(a, b) => {
                let (a, b) = (self.of(*a), self.of(*b));
                at_each(&|i| a.count(i).min(b.count(i)) > a.before(i).min(b.before(i)))
            }
        }
    }

    /// Returns true if a clock ticks neither at an instant nor later, because its definition has ended.
    // RULE C3
    fn is_dead(&self, clock: ClockId, instant: usize) -> bool {
        match self.core.definition(clock).map(|definition| &definition.expression) {
            Some(ClockExpression::UpTo(_, until)) => self.count(*until, instant) > 0,
            Some(ClockExpression::Wait(of, number)) => self.of(*of).before(instant) >= *number,
            Some(ClockExpression::Filter(of, word)) if word.period.is_empty() => {
                self.of(*of).before(instant) >= word.prefix.len() as u64
            }
            _ => false,
        }
    }

    /// Returns true if a relation applies at an instant.
    // RULE C5
    pub fn applies(&self, relation: &ClockRelationCore, instant: usize) -> bool {
        relation.origin != ClockRelationOrigin::PossibleEvent || self.count(relation.relation.right, instant) > 0
    }

    /// Returns true if a relation is broken at an instant.
    // RULE C4, C5
    pub fn is_broken(&self, of: &ClockRelationCore, instant: usize) -> bool {
        let ClockRelation { kind, left, right, .. } = &of.relation;
        let (left, right) = (self.of(*left), self.of(*right));
        let (a, b) = (left.ticks[instant], right.ticks[instant]);
        let precedes = || !b || right.before(instant) < left.before(instant);
        let is_first_event = right.count(instant) == 1 && b;
        let holds = match kind {
            ClockRelationKind::Subclock => !a || b,
            ClockRelationKind::Coincides if of.origin == ClockRelationOrigin::PossibleEvent && is_first_event => {
                a && left.before(instant) == 0
            }
            ClockRelationKind::Coincides => a == b,
            ClockRelationKind::Excludes => !(a && b),
            ClockRelationKind::Precedes => precedes(),
            ClockRelationKind::PrecedesWithin(bound) => {
                precedes() && left.count(instant).saturating_sub(right.count(instant)) <= *bound
            }
            ClockRelationKind::Causes => right.count(instant) <= left.count(instant),
            ClockRelationKind::Alternates => {
                // `a < b`, and `b < late` with `late` for `a $ 1`: the ticks of `late` before an instant are those of `a` but the first.
                let late = a && left.count(instant) > 1;
                precedes() && (!late || left.before(instant) - 1 < right.before(instant))
            }
        };
        !holds
    }

    /// Returns the number of ticks of a relation's left clock that the right one has not used up at the end.
    // RULE C6
    pub fn unserved(&self, of: &ClockRelationCore) -> u64 {
        let ClockRelation { kind, left, right, .. } = &of.relation;
        let Some(last) = self.instants.len().checked_sub(1) else { return 0 };
        if kind.pairs_ticks() { self.count(*left, last).saturating_sub(self.count(*right, last)) } else { 0 }
    }
}
