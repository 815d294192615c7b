// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs relations between clocks.

use std::collections::VecDeque;

use gnomon_core::verdict::Cause;
use gnomon_core::{End, Origin, Outcome, Simultaneous, Timestamp, TracePosition, Violation};
use gnomon_ir::core::{ClockId, ClockRelationOrigin};
use gnomon_ir::{ClockExpression, ClockRelationKind};
use serde::{Deserialize, Serialize};

use super::ClockPlan;
use crate::accounting::{Explanation, ObligationRecord, Trigger, ranges};
use crate::block::{BlockEffect, BlockMatch, PositionBlock};
use crate::engine::{Engine, Observation, SharedState};
use crate::matcher::{AtomTest, FieldTest};
use crate::monitor::MemoryUse;
use crate::scheduler::{CompletePosition, EventEffect};
use crate::slice::machine::Extent;
use crate::work;

/// The number of the last ticks of a clock that are kept for explanations.
const RECENT: usize = 3;

/// The state of a property over clocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ClockEngine {
    clocks: Vec<ClockState>,
    /// For each definition, what it remembers besides the counters.
    memories: Vec<ClockMemory>,
    /// The relations that are broken at every instant until a clock catches up, as bits of items.
    broken: Vec<u64>,
    /// True if some bit of `broken` is set.
    is_broken: bool,
    /// The items that the ticks of the present instant concern, as bits.
    #[serde(skip)]
    concerned: Vec<u64>,
    /// The number of instants so far.
    instants: u64,
    /// The relations with events of defined clocks that the trace has not had.
    unseen: u64,
    /// The clocks of events that tick at the open position, each with its event.
    open: Vec<(u32, Origin)>,
    /// True if two events that the property reads were at one position.
    merged: bool,
    record: ObligationRecord,
}

/// The ticks of a clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ClockState {
    count: u64,
    /// The number of the instant at which it ticked last, counted from 1; 0 before the first tick.
    last: u64,
    /// The last ticks: that of number n is at the place n % [`RECENT`].
    recent: [Option<Origin>; RECENT],
}

/// The part of a definition's state that does not follow from counters.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum ClockMemory {
    None,
    /// The numbers of the ticks that are scheduled, as ranges from first to last, in ascending order.
    Scheduled(VecDeque<(u64, u64)>),
    /// True if the sampled clock ticked since the last sample.
    Sampled(bool),
}

impl ClockEngine {
    fn ticks(&self, clock: ClockId) -> bool {
        self.clocks[clock.0 as usize].last == self.instants
    }

    fn count(&self, clock: ClockId) -> u64 {
        self.clocks[clock.0 as usize].count
    }

    /// Returns the number of ticks before the present instant.
    fn before(&self, clock: ClockId) -> u64 {
        self.count(clock) - u64::from(self.ticks(clock))
    }

    #[inline]
    fn tick(&mut self, plan: &ClockPlan, clock: usize, origin: Origin) {
        let state = &mut self.clocks[clock];
        if state.last == self.instants {
            return;
        }
        state.last = self.instants;
        state.count += 1;
        state.recent[(state.count % RECENT as u64) as usize] = Some(origin);
        for item in plan.items_of(clock) {
            self.concerned[*item as usize / 64] |= 1 << (item % 64);
        }
    }

    /// Takes in the ticks of an instant.
    fn take_instant(&mut self, plan: &ClockPlan, index: u64, first: &Origin) {
        let core = &plan.core;
        self.instants += 1;
        let open = std::mem::take(&mut self.open);
        for (clock, origin) in &open {
            self.tick(plan, *clock as usize, *origin);
        }
        let origin = open.first().map_or(*first, |(_, origin)| *origin);
        self.open = open;
        self.open.clear();
        if self.is_broken {
            for (concerned, broken) in self.concerned.iter_mut().zip(&self.broken) {
                *concerned |= broken;
            }
        }
        let (definitions, events) = (core.defined.len(), core.atoms.len());
        for word in 0..self.concerned.len() {
            // A tick of a defined clock may concern later items of the same word.
            while self.concerned[word] != 0 {
                work::add(1);
                let item = word * 64 + self.concerned[word].trailing_zeros() as usize;
                self.concerned[word] &= self.concerned[word] - 1;
                if item >= definitions {
                    self.check(plan, item, TracePosition { position: index, origin: *first });
                } else if self.defined_ticks(plan, item) {
                    self.tick(plan, events + item, origin);
                }
            }
        }
        let relations = core.relations.len() as u64;
        self.record.totals.activated += relations - self.unseen;
    }

    /// Returns true if a defined clock ticks at the present instant. Called once for each instant at which one of its clocks ticks.
    // RULE C2, C3
    fn defined_ticks(&mut self, plan: &ClockPlan, definition: usize) -> bool {
        match &plan.core.defined[definition].expression {
            ClockExpression::Union(..) => true,
            ClockExpression::Intersection(a, b) => self.ticks(*a) && self.ticks(*b),
            ClockExpression::Difference(a, b) => self.ticks(*a) && !self.ticks(*b),
            ClockExpression::Delay(a, by) => self.count(*a) > *by,
            ClockExpression::DelayOn { of, by, on } => {
                let (counts, is_scheduling, number) = (self.ticks(*on), self.ticks(*of), self.count(*on));
                let ClockMemory::Scheduled(scheduled) = &mut self.memories[definition] else { return false };
                let is_due = counts && scheduled.front().is_some_and(|(first, _)| *first == number);
                if is_due && let Some((first, last)) = scheduled.front_mut() {
                    *first += 1;
                    if first > last {
                        scheduled.pop_front();
                    }
                }
                if is_scheduling {
                    schedule(scheduled, number.saturating_add(*by));
                }
                is_due
            }
            ClockExpression::Every { of, period, from } => {
                let (number, from) = (self.count(*of), from.unwrap_or(*period));
                number >= from && (number - from).is_multiple_of(*period)
            }
            ClockExpression::Filter(a, word) => word.digit(self.count(*a)) == Some(true),
            ClockExpression::Sampled { of, by, strictly } => {
                let (is_new, is_sampling) = (self.ticks(*of), self.ticks(*by));
                let ClockMemory::Sampled(is_pending) = &mut self.memories[definition] else { return false };
                let had = *is_pending || (is_new && !strictly);
                *is_pending = if is_sampling { is_new && *strictly } else { *is_pending || is_new };
                is_sampling && had
            }
            ClockExpression::UpTo(a, b) => self.ticks(*a) && self.count(*b) == 0,
            ClockExpression::Wait(a, number) => self.count(*a) == *number,
            ClockExpression::Then(a, b) => self.ticks(if self.is_dead(plan, *a) { *b } else { *a }),
            ClockExpression::Infimum(a, b) => self.count(*a).max(self.count(*b)) > self.before(*a).max(self.before(*b)),
            ClockExpression::Supremum(a, b) => {
                self.count(*a).min(self.count(*b)) > self.before(*a).min(self.before(*b))
            }
        }
    }

    /// Returns true if a clock ticks neither at the present instant nor later, because its definition has ended.
    // RULE C3
    fn is_dead(&self, plan: &ClockPlan, clock: ClockId) -> bool {
        match plan.core.definition(clock).map(|definition| &definition.expression) {
            Some(ClockExpression::UpTo(_, until)) => self.count(*until) > 0,
            Some(ClockExpression::Wait(of, number)) => self.before(*of) >= *number,
            Some(ClockExpression::Filter(of, word)) if word.period.is_empty() => {
                self.before(*of) >= word.prefix.len() as u64
            }
            _ => false,
        }
    }

    /// Checks a relation at the present instant.
    // RULE C4, C5
    fn check(&mut self, plan: &ClockPlan, item: usize, at: TracePosition) {
        let own = &plan.core.relations[item - plan.core.defined.len()];
        let (left, right) = (own.relation.left, own.relation.right);
        let (a, b) = (self.ticks(left), self.ticks(right));
        let (left_count, right_count) = (self.count(left), self.count(right));
        let (left_before, right_before) = (left_count - u64::from(a), right_count - u64::from(b));
        let is_late = b && right_before >= left_before;
        let mut stays = false;
        let is_broken = match own.relation.kind {
            ClockRelationKind::Subclock => a && !b,
            ClockRelationKind::Coincides => match own.origin {
                ClockRelationOrigin::PossibleEvent if right_count == 0 => return,
                ClockRelationOrigin::PossibleEvent if b && right_count == 1 => {
                    self.unseen -= 1;
                    !a || left_before > 0
                }
                _ => a != b,
            },
            ClockRelationKind::Excludes => a && b,
            ClockRelationKind::Precedes => is_late,
            ClockRelationKind::PrecedesWithin(bound) => {
                stays = left_count.saturating_sub(right_count) > bound;
                is_late || stays
            }
            ClockRelationKind::Causes => {
                stays = right_count > left_count;
                stays
            }
            ClockRelationKind::Alternates => is_late || (a && left_count > 1 && left_before > right_before),
        };
        self.stay_broken(item, stays);
        if !is_broken {
            return;
        }
        let trigger = Trigger::Position { position: at.position, decider: &at.origin, letter: 0 };
        self.record.totals.violate(1, trigger);
        let ClockEngine { record, clocks, .. } = self;
        let span = own.relation.span;
        record.log.record(at, at.position, span, trigger, || {
            let counts = [(left_count, a), (right_count, b)];
            let because = [left, right].into_iter().flat_map(|clock| recent(plan, clock, &clocks[clock.0 as usize]));
            let explanation: Explanation = (plan.core.broken_text(own, counts), in_order(because.collect()));
            (span, explanation)
        });
    }

    /// Notes whether a relation stays broken until a clock catches up.
    #[inline]
    fn stay_broken(&mut self, item: usize, stays: bool) {
        if stays {
            self.broken[item / 64] |= 1 << (item % 64);
            self.is_broken = true;
        } else if self.is_broken {
            self.broken[item / 64] &= !(1 << (item % 64));
            self.is_broken = self.broken.iter().any(|word| *word != 0);
        }
    }

    /// Returns the number of ticks that were not used up.
    // RULE C6
    fn unserved(&self, plan: &ClockPlan) -> u64 {
        let pairs = plan.core.relations.iter().filter(|one| one.relation.kind.pairs_ticks());
        pairs.map(|one| self.count(one.relation.left).saturating_sub(self.count(one.relation.right))).sum()
    }

    /// Takes in the positions of a block that concern the property.
    pub(crate) fn visit_block(
        &mut self,
        plan: &ClockPlan,
        block: &PositionBlock<'_>,
        matches: &[BlockMatch],
    ) -> BlockEffect {
        // Only the first position can have matches from before the block.
        let mut at = if self.open.is_empty() { matches.first().map_or(usize::MAX, place) } else { 0 };
        let mut rest = matches;
        while at < block.firsts.len() {
            while let Some((next, others)) = rest.split_first()
                && place(next) == at
            {
                self.take_in(next.word as usize, next.bits, block.events[next.event as usize]);
                rest = others;
            }
            self.take_instant(plan, block.index + at as u64, &block.firsts[at]);
            at = rest.first().map_or(usize::MAX, place);
        }
        for next in rest {
            self.take_in(next.word as usize, next.bits, block.events[next.event as usize]);
        }
        BlockEffect { wakeup: Timestamp::MAX, sees_every_position: false, is_affected: !self.open.is_empty() }
    }

    /// Adds the clocks of an event to the open position.
    #[inline]
    fn take_in(&mut self, word: usize, mut bits: u64, origin: Origin) {
        if let Some((_, before)) = self.open.last() {
            self.merged |= before.event_index != origin.event_index;
        }
        while bits != 0 {
            self.open.push((word as u32 * 64 + bits.trailing_zeros(), origin));
            bits &= bits - 1;
        }
    }
}

/// Returns the place of a match in its block.
fn place(of: &BlockMatch) -> usize {
    of.position as usize
}

/// Schedules a tick by its number. Numbers never go down, and equal ones are one tick.
fn schedule(scheduled: &mut VecDeque<(u64, u64)>, number: u64) {
    match scheduled.back_mut() {
        Some((_, last)) if number <= *last => {}
        Some((_, last)) if number - 1 == *last => *last = number,
        _ => scheduled.push_back((number, number)),
    }
}

/// Returns the last ticks of a clock as causes.
fn recent(plan: &ClockPlan, clock: ClockId, state: &ClockState) -> Vec<Cause> {
    let name = plan.core.clock_name(clock);
    let numbers = (0..RECENT as u64).filter_map(|back| state.count.checked_sub(back)).filter(|number| *number > 0);
    let tick = |number: u64| {
        let origin = state.recent[(number % RECENT as u64) as usize]?;
        Some(Cause { origin, note: format!("`{name}`: tick {number}") })
    };
    numbers.filter_map(tick).collect()
}

/// Sorts causes by their events, and joins those of one event.
fn in_order(mut causes: Vec<Cause>) -> Vec<Cause> {
    causes.sort_by_key(|cause| cause.origin.event_index);
    causes.dedup_by(|later, earlier| {
        let is_same = later.origin.event_index == earlier.origin.event_index;
        if is_same {
            earlier.note = format!("{}, {}", earlier.note, later.note);
        }
        is_same
    });
    causes
}

impl Engine for ClockEngine {
    type Plan = ClockPlan;
    type Test = AtomTest;

    fn simultaneous(_: &ClockPlan) -> Simultaneous {
        Simultaneous::Merge
    }

    fn start(plan: &ClockPlan, max_violations: usize) -> Self {
        let core = &plan.core;
        let words = plan.item_count().div_ceil(64);
        let memory = |expression: &ClockExpression<ClockId>| match expression {
            ClockExpression::DelayOn { .. } => ClockMemory::Scheduled(VecDeque::new()),
            ClockExpression::Sampled { .. } => ClockMemory::Sampled(false),
            _ => ClockMemory::None,
        };
        let possible = core.relations.iter().filter(|one| one.origin == ClockRelationOrigin::PossibleEvent);
        ClockEngine {
            clocks: vec![ClockState { count: 0, last: 0, recent: [None; RECENT] }; core.clock_count()],
            memories: core.defined.iter().map(|clock| memory(&clock.expression)).collect(),
            broken: vec![0; words],
            is_broken: false,
            concerned: vec![0; words],
            instants: 0,
            unseen: possible.count() as u64,
            open: vec![],
            merged: false,
            record: ObligationRecord::new(max_violations),
        }
    }

    #[inline]
    fn observe(
        &mut self,
        _: &ClockPlan,
        test: &AtomTest,
        observation: &Observation<'_>,
        _: Option<u64>,
        _: &mut SharedState,
    ) -> EventEffect {
        if !matches!(test.test, FieldTest::Always) && !test.test.passes(observation.event.fields) {
            return EventEffect::None;
        }
        self.take_in(test.word, test.bits, *observation.origin);
        EventEffect::Affected
    }

    fn visit(&mut self, plan: &ClockPlan, position: &CompletePosition<'_>, _: &mut SharedState) -> Timestamp {
        self.take_instant(plan, position.index, position.first);
        Timestamp::MAX
    }

    fn advance(&mut self, _: &ClockPlan, _: Timestamp, _: &mut SharedState) {}

    fn wakeup(&self, _: &ClockPlan) -> Timestamp {
        Timestamp::MAX
    }

    fn sees_every_position(&self, _: &ClockPlan) -> bool {
        false
    }

    fn finish(&mut self, plan: &ClockPlan, extent: Extent, end: End, _: &mut SharedState) -> Outcome {
        // RULE C6
        let mut record = self.record.clone();
        record.totals.satisfied = record.totals.activated - record.totals.violated;
        record.totals.pending = self.unserved(plan);
        let outcome = record.conclude(end, true, extent.positions);
        let violations = ranges(outcome.violations, extent.most_listed);
        Outcome { merged_simultaneous: self.merged, violations, ..outcome }
    }

    fn violation_count(&self, _: &ClockPlan) -> u64 {
        self.record.totals.violated
    }

    fn drain_settled(&mut self, _: &ClockPlan, positions: u64) -> Vec<Violation> {
        self.record.log.drain_settled(positions)
    }

    fn drain(&mut self, _: &ClockPlan, keep: usize) -> Vec<Violation> {
        self.record.log.drain(keep)
    }

    fn memory_use(&self, _: &ClockPlan, _: &SharedState) -> MemoryUse {
        let queues = self.memories.iter().map(|memory| match memory {
            ClockMemory::Scheduled(scheduled) => scheduled.capacity() * size_of::<(u64, u64)>(),
            ClockMemory::None | ClockMemory::Sampled(_) => 0,
        });
        MemoryUse { bindings: 0, bytes: queues.sum::<usize>() + self.clocks.len() * size_of::<ClockState>() }
    }

    fn rebuild(&mut self, plan: &ClockPlan, _: &SharedState) -> bool {
        let fresh = ClockEngine::start(plan, 0);
        self.concerned.clone_from(&fresh.concerned);
        let is_like =
            |(own, other): (&ClockMemory, &ClockMemory)| std::mem::discriminant(own) == std::mem::discriminant(other);
        let bits = plan.item_count() - plan.core.defined.len();
        let is_relation = |item: usize| item >= plan.core.defined.len() && item < plan.core.defined.len() + bits;
        let set = (0..self.broken.len() * 64).filter(|item| self.broken[item / 64] >> (item % 64) & 1 == 1);
        self.clocks.len() == fresh.clocks.len()
            && self.memories.len() == fresh.memories.len()
            && self.memories.iter().zip(&fresh.memories).all(is_like)
            && self.broken.len() == fresh.broken.len()
            && set.clone().all(is_relation)
            && self.is_broken == (set.count() > 0)
            && self.unseen <= fresh.unseen
            && self.open.iter().all(|(clock, _)| (*clock as usize) < plan.core.atoms.len())
            && self.clocks.iter().all(|clock| clock.last <= self.instants && clock.count <= self.instants)
    }
}
