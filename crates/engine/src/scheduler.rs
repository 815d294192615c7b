// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decides which properties are visited at a position, and which are woken because time has passed.
//!
//! Every event is a position of every property, but most events concern few of them. A [`Scheduler`] keeps the positions of the properties
//! that treat simultaneous events alike. When a position is complete it visits those that an event of the position affects, those
//! that asked to see every position, and those whose wake-up time has passed; the others are not touched. They learn how many
//! positions went by when they are visited or finished.
//!
//! Example: of the properties `G(a -> F[0,10] b)` and `G(c -> d)`, the event `a` at time 3 visits the first, which asks to be woken
//! after time 13. An event `x` at time 20 concerns neither: the first is visited because of its wake-up time, the second
//! is not.
//!
//! # Wake-ups
//!
//! A property that waits for a deadline asks to be woken *after* a time: a deadline at 13 has passed only when an event of a later
//! time comes, because another event of time 13 may still meet it. Merged positions are complete when they are closed, so for them
//! the frontier (the earliest time of any later position) is one tick after the position's time.
//!
//! Wake-ups are kept in a heap. A property moves its deadline often, mostly to a later time, and searching the heap for the old entry
//! would cost more than keeping it. So the heap is lazy:
//! - Each property has one valid wake-up, in [`UnitSchedule::wakeup`]; heap entries with another time are dropped when they surface.
//! - An earlier wake-up is pushed and becomes the valid one. A later one is not pushed at all: when the earlier entry surfaces, the
//!   property is asked again ([`Units::wakeup`]) and rescheduled without a visit.
//!
//! Example: a property asks for wake-up 5, and at time 4 an event moves its deadline to 20. At time 8 the entry for 5 surfaces, the
//! property answers 20, and the heap gets that entry instead. The property is visited once, after time 20.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, Simultaneous};
use serde::{Deserialize, Serialize};

use crate::block::{BlockEffect, PositionBlock};
use crate::slice::machine::Extent;
use crate::work;

/// The wake-up of a property that must be visited at the next position, whatever its time.
pub(crate) const NEXT_POSITION: Timestamp = Timestamp::MIN;

/// A position whose events have all come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletePosition<'a> {
    pub(crate) index: u64,
    /// The first event of the position.
    pub(crate) first: &'a Origin,
    /// The first event of the position before it.
    pub(crate) previous: Option<&'a Origin>,
}

/// The properties that a scheduler visits, numbered in the order of the plan.
pub(crate) trait Units {
    /// Takes in a position. Returns the next wake-up.
    fn visit(&mut self, unit: usize, position: &CompletePosition<'_>) -> Timestamp;

    /// Takes in the positions of a block that concern the unit. `scheduled` is its wake-up.
    fn visit_block(&mut self, unit: usize, block: &PositionBlock<'_>, scheduled: Timestamp) -> BlockEffect;

    /// Advances time: no event before `to` will come.
    fn advance(&mut self, unit: usize, to: Timestamp);

    /// Returns the earliest time whose passing may change the property; [`Timestamp::MAX`] if none does.
    fn wakeup(&self, unit: usize) -> Timestamp;

    /// Returns true if the property must be visited at the next position. Asked before the first position and after each visit
    /// until it is false; from then on a wake-up at [`NEXT_POSITION`] makes it true again.
    fn sees_every_position(&self, unit: usize) -> bool;

    /// Returns true if visits must know the event of the position before.
    fn reads_previous(&self, unit: usize) -> bool;

    fn violation_count(&self, unit: usize) -> u64;
}

/// The effect of an event on a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EventEffect {
    None,
    /// The property must be visited when the position is complete.
    Affected,
    /// The property has processed the whole position, and must be woken after this time.
    Processed(Timestamp),
}

/// Schedules the properties that treat simultaneous events alike.
///
/// COST: a position costs the visits that it needs, and O(log properties) for each wake-up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scheduler {
    simultaneous: Simultaneous,
    is_used: bool,
    positions: u64,
    last_time: Timestamp,
    /// No later position is earlier than this.
    frontier: Timestamp,
    first: Option<Origin>,
    /// True if some property must know [`CompletePosition::previous`].
    reads_previous: bool,
    /// The first event of the last position, if some property must know it.
    previous: Option<Origin>,
    /// Properties that are visited at the next position.
    every_position: Vec<u32>,
    /// Properties that an event of the open position affects.
    affected: Vec<u32>,
    /// Rebuilt from the entries when a state is restored.
    #[serde(skip)]
    wakeups: BinaryHeap<Reverse<(Timestamp, u32)>>,
    /// Properties that the present block concerns and that were not visited yet.
    #[serde(skip)]
    pending: Vec<u32>,
    /// For each property of the plan.
    entries: Vec<UnitSchedule>,
    #[serde(skip)]
    counter: ViolationCounter,
    /// The call that is in progress, to be resumed if a property fails in it.
    #[serde(skip)]
    in_progress: Option<SchedulerCall>,
}

/// A call that may be interrupted.
#[derive(Clone, Copy, Debug)]
enum SchedulerCall {
    /// Visits at a position that begins with this event.
    Visit(u64, Origin),
    /// Advances to this time.
    Advance(Timestamp),
}

/// The schedule of one property.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct UnitSchedule {
    /// The valid wake-up; other heap entries of the property are obsolete.
    wakeup: Timestamp,
    is_affected: bool,
    at_every_position: bool,
}

const IDLE: UnitSchedule = UnitSchedule { wakeup: Timestamp::MAX, is_affected: false, at_every_position: false };

/// Counts the violations of all properties together, so that a caller that checks for violations after each event need not ask every
/// property. It costs a branch while it is off.
#[derive(Clone, Copy, Debug, Default)]
struct ViolationCounter {
    is_on: bool,
    total: u64,
}

impl Scheduler {
    pub(crate) fn new(simultaneous: Simultaneous, units: usize) -> Self {
        Scheduler {
            simultaneous,
            is_used: false,
            positions: 0,
            last_time: Timestamp::MIN,
            frontier: Timestamp::MIN,
            first: None,
            reads_previous: false,
            previous: None,
            every_position: Vec::new(),
            affected: Vec::new(),
            wakeups: BinaryHeap::new(),
            pending: Vec::new(),
            entries: vec![IDLE; units],
            counter: ViolationCounter::default(),
            in_progress: None,
        }
    }

    /// Forgets everything and schedules these properties, which have seen no event.
    pub(crate) fn restart(&mut self, members: impl Iterator<Item = usize>, units: &impl Units) {
        self.is_used = false;
        self.positions = 0;
        (self.last_time, self.frontier) = (Timestamp::MIN, Timestamp::MIN);
        (self.first, self.previous, self.reads_previous) = (None, None, false);
        self.every_position.clear();
        self.affected.clear();
        self.wakeups.clear();
        self.entries.fill(IDLE);
        self.counter = ViolationCounter::default();
        for unit in members {
            self.is_used = true;
            self.reads_previous |= units.reads_previous(unit);
            if units.sees_every_position(unit) {
                self.entries[unit].at_every_position = true;
                self.every_position.push(unit as u32);
            }
        }
    }

    pub(crate) fn simultaneous(&self) -> Simultaneous {
        self.simultaneous
    }

    /// Returns true if any property is scheduled here.
    #[inline]
    pub(crate) fn is_used(&self) -> bool {
        self.is_used
    }

    pub(crate) fn positions(&self) -> u64 {
        self.positions
    }

    /// Returns the number of the open position, if a property may process it as soon as the only event that concerns it comes.
    #[inline]
    pub(crate) fn immediate_position(&self, unit: usize) -> Option<u64> {
        let is_immediate = self.simultaneous == Simultaneous::Sequence && !self.entries[unit].at_every_position;
        is_immediate.then_some(self.positions)
    }

    /// Calls `observe` to have a property take in an event of the open position, and schedules the property by its effect.
    #[allow(clippy::inline_always)] // once for every event: measured
    #[inline(always)]
    pub(crate) fn observe<U: Units>(
        &mut self,
        unit: usize,
        units: &mut U,
        observe: impl FnOnce(&mut U) -> EventEffect,
    ) {
        match self.counted(unit, units, observe) {
            EventEffect::None => {}
            EventEffect::Affected => self.affect(unit),
            EventEffect::Processed(wakeup) => self.wake_after(unit, wakeup),
        }
    }

    #[inline]
    fn affect(&mut self, unit: usize) {
        if !std::mem::replace(&mut self.entries[unit].is_affected, true) {
            self.affected.push(unit as u32);
        }
    }

    /// Completes the open position, which begins with the event `first`.
    #[inline]
    pub(crate) fn close(&mut self, units: &mut impl Units, first: &Origin) {
        let position = self.positions;
        self.positions += 1;
        if self.first.is_none() {
            self.first = Some(*first);
        }
        self.close_time(first.time);
        let is_quiet = self.affected.is_empty() && self.every_position.is_empty();
        if !is_quiet || self.next_wakeup() < self.frontier {
            self.visit_due(units, position, first);
        }
        self.note_previous(first);
    }

    #[inline]
    fn note_previous(&mut self, first: &Origin) {
        if self.reads_previous {
            self.previous = Some(*first);
        }
    }

    /// Advances time to that of a complete position.
    #[inline]
    fn close_time(&mut self, time: Timestamp) {
        self.last_time = time;
        self.frontier = match self.simultaneous {
            Simultaneous::Merge => Timestamp::from_ticks(time.ticks() + 1),
            Simultaneous::Sequence => time,
        };
    }

    /// Completes the positions that begin with these events, and lists the properties that they concern, `matched` among them, for
    /// [`Scheduler::visit_block`]. Returns the number of the first position, and the first event of the one before it.
    pub(crate) fn begin_block(&mut self, firsts: &[Origin], matched: &[(u32, bool)]) -> (u64, Option<Origin>) {
        let begin = (self.positions, self.previous);
        if let [first, .., last] | [first @ last] = firsts
            && self.is_used
        {
            self.first.get_or_insert(*first);
            self.skip_positions(firsts.len() as u64, last);
            while let Some(&Reverse((wakeup, unit))) = self.wakeups.peek()
                && wakeup < self.frontier
            {
                self.wakeups.pop();
                if self.entries[unit as usize].wakeup == wakeup {
                    self.affect(unit as usize);
                }
            }
            for index in 0..self.every_position.len() {
                self.affect(self.every_position[index] as usize);
            }
        }
        let merges = self.simultaneous == Simultaneous::Merge;
        for (unit, _) in matched.iter().filter(|(_, is_merged)| *is_merged == merges) {
            self.affect(*unit as usize);
        }
        self.pending.append(&mut self.affected);
        for unit in &self.pending {
            self.entries[*unit as usize].is_affected = false;
        }
        begin
    }

    /// Visits the properties that the block concerns. If one fails, another call continues with the next one.
    pub(crate) fn visit_block(&mut self, units: &mut impl Units, block: &PositionBlock<'_>) {
        while let Some(id) = self.pending.pop() {
            work::add(1);
            let unit = id as usize;
            let scheduled = self.entries[unit].wakeup;
            let effect = self.counted(unit, units, |units| units.visit_block(unit, block, scheduled));
            let entry = &mut self.entries[unit];
            entry.wakeup = effect.wakeup;
            if effect.sees_every_position && !entry.at_every_position {
                self.every_position.push(id);
            }
            entry.at_every_position = effect.sees_every_position;
            if effect.wakeup != scheduled && effect.wakeup < Timestamp::MAX {
                self.wakeups.push(Reverse((effect.wakeup, id)));
            }
            if effect.is_affected {
                self.affect(unit);
            }
        }
        self.every_position.retain(|unit| self.entries[*unit as usize].at_every_position);
    }

    fn visit_due(&mut self, units: &mut impl Units, position: u64, first: &Origin) {
        while let Some(unit) = self.next_due(self.frontier) {
            let wakeup = units.wakeup(unit);
            if wakeup < self.frontier {
                self.affect(unit);
            } else {
                self.wake_after(unit, wakeup);
            }
        }
        for index in 0..self.every_position.len() {
            self.affect(self.every_position[index] as usize);
        }
        self.visit_affected(units, position, first);
    }

    fn visit_affected(&mut self, units: &mut impl Units, position: u64, first: &Origin) {
        self.in_progress = Some(SchedulerCall::Visit(position, *first));
        let previous = self.previous;
        let position = CompletePosition { index: position, first, previous: previous.as_ref() };
        let mut can_rest = false;
        while let Some(id) = self.affected.pop() {
            work::add(1);
            let unit = id as usize;
            let wakeup = self.counted(unit, units, |units| units.visit(unit, &position));
            self.entries[unit].is_affected = false;
            if self.entries[unit].at_every_position {
                if units.sees_every_position(unit) {
                    continue;
                }
                self.entries[unit].at_every_position = false;
                can_rest = true;
            }
            self.wake_after(unit, wakeup);
        }
        if can_rest {
            self.every_position.retain(|unit| self.entries[*unit as usize].at_every_position);
        }
        self.in_progress = None;
    }

    /// Resumes a call in which a property failed: the others still need it.
    pub(crate) fn resume(&mut self, units: &mut impl Units) {
        match self.in_progress {
            None => {}
            Some(SchedulerCall::Visit(position, first)) => {
                self.visit_affected(units, position, &first);
                self.note_previous(&first);
            }
            Some(SchedulerCall::Advance(to)) => self.advance_due(units, to),
        }
    }

    /// Calls `act`, which may find violations of a property, and counts them.
    #[allow(clippy::inline_always)] // once for every event: measured
    #[inline(always)]
    fn counted<U: Units, R>(&mut self, unit: usize, units: &mut U, act: impl FnOnce(&mut U) -> R) -> R {
        let before = self.counter.is_on.then(|| units.violation_count(unit));
        // One call, so that the compiler inlines it.
        let result = act(units);
        if let Some(before) = before {
            self.counter.total += units.violation_count(unit) - before;
        }
        result
    }

    /// Schedules a wake-up of a property after a time, unless an earlier one is scheduled.
    #[inline]
    fn wake_after(&mut self, unit: usize, wakeup: Timestamp) {
        if wakeup == NEXT_POSITION {
            if !std::mem::replace(&mut self.entries[unit].at_every_position, true) {
                self.every_position.push(unit as u32);
            }
        } else if wakeup < self.entries[unit].wakeup {
            // A wake-up that has passed was just handled.
            let wakeup = wakeup.max(self.frontier);
            self.entries[unit].wakeup = wakeup;
            self.wakeups.push(Reverse((wakeup, unit as u32)));
        }
    }

    /// Removes the earliest valid wake-up before a time and returns its property.
    #[inline]
    fn next_due(&mut self, before: Timestamp) -> Option<usize> {
        while let Some(&Reverse((wakeup, unit))) = self.wakeups.peek()
            && wakeup < before
        {
            self.wakeups.pop();
            let entry = &mut self.entries[unit as usize];
            if entry.wakeup == wakeup {
                entry.wakeup = Timestamp::MAX;
                return Some(unit as usize);
            }
        }
        None
    }

    /// Advances time: no event before `to` will come.
    pub(crate) fn advance(&mut self, units: &mut impl Units, to: Timestamp) {
        if to <= self.frontier {
            return;
        }
        self.frontier = to;
        self.advance_due(units, to);
    }

    fn advance_due(&mut self, units: &mut impl Units, to: Timestamp) {
        self.in_progress = Some(SchedulerCall::Advance(to));
        while let Some(unit) = self.next_due(to) {
            self.counted(unit, units, |units| units.advance(unit, to));
            self.wake_after(unit, units.wakeup(unit));
        }
        for index in 0..self.every_position.len() {
            let unit = self.every_position[index] as usize;
            self.counted(unit, units, |units| units.advance(unit, to));
        }
        self.in_progress = None;
    }

    /// Returns the earliest wake-up in the heap; no property that is not visited at every position needs an earlier one.
    fn next_wakeup(&self) -> Timestamp {
        self.wakeups.peek().map_or(Timestamp::MAX, |Reverse((wakeup, _))| *wakeup)
    }

    /// Counts leading events that concern no property and wake none, each as a position, and returns their number. The event after
    /// them must close its position.
    #[inline]
    pub(crate) fn skip(&mut self, events: &[Origin]) -> usize {
        if !self.every_position.is_empty() {
            return 0;
        }
        let next_wakeup = self.next_wakeup();
        let is_quiet = |event: &Origin| event.time <= next_wakeup;
        let count = match events.last() {
            Some(last) if is_quiet(last) => events.len(),
            _ => events.partition_point(is_quiet),
        };
        if let [first, .., last] | [first @ last] = &events[..count] {
            self.first.get_or_insert(*first);
            self.skip_positions(count as u64, last);
        }
        count
    }

    /// Returns the latest time of events that need no visit if they concern no property: no earlier time wakes one.
    #[inline]
    pub(crate) fn quiet_until(&self) -> Timestamp {
        if !self.is_used {
            Timestamp::MAX
        } else if self.every_position.is_empty() && self.affected.is_empty() && self.first.is_some() {
            self.next_wakeup()
        } else {
            Timestamp::MIN
        }
    }

    /// Returns true if positions must not be skipped unless the event of the last one is known.
    pub(crate) fn reads_previous(&self) -> bool {
        self.reads_previous
    }

    /// Counts positions without a visit; the last of them begins with this event.
    #[inline]
    pub(crate) fn skip_positions(&mut self, positions: u64, last: &Origin) {
        self.skip_to(positions, last.time);
        self.note_previous(last);
    }

    /// Counts positions without a visit, the last of them at this time.
    pub(crate) fn skip_to(&mut self, positions: u64, to: Timestamp) {
        self.positions += positions;
        self.close_time(to);
    }

    pub(crate) fn count_violations(&mut self) {
        self.counter.is_on = true;
    }

    /// Returns the number of violations of all its properties since [`Scheduler::count_violations`].
    #[inline]
    pub(crate) fn violation_count(&self) -> u64 {
        self.counter.total
    }

    /// Returns the extent of the trace so far.
    pub(crate) fn extent(&self, most_listed: usize) -> Extent {
        let Scheduler { positions, last_time, frontier, first, previous: last, .. } = *self;
        Extent { positions, last_time, frontier, first, last, most_listed }
    }

    /// Completes a restored scheduler. Returns false if it does not schedule this number of properties.
    pub(crate) fn rebuild(&mut self, units: usize) -> bool {
        let is_known = |unit: &u32| (*unit as usize) < units;
        let wakeups = (0..).zip(&self.entries).map(|(unit, entry)| Reverse((entry.wakeup, unit)));
        self.wakeups = wakeups.filter(|Reverse((wakeup, _))| *wakeup < Timestamp::MAX).collect();
        self.entries.len() == units && self.every_position.iter().chain(&self.affected).all(is_known)
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::symbols::Name;

    use super::*;

    /// Properties that record their calls.
    #[derive(Default)]
    struct FakeUnits {
        wakeups: Vec<Timestamp>,
        /// For each property, the position until which it is visited at every position.
        every_until: Vec<u64>,
        violations: Vec<u64>,
        visits: Vec<(usize, u64)>,
        advanced: Vec<(usize, i128)>,
        now: u64,
    }

    impl FakeUnits {
        fn new(units: usize) -> Self {
            FakeUnits {
                wakeups: vec![Timestamp::MAX; units],
                every_until: vec![0; units],
                violations: vec![0; units],
                ..FakeUnits::default()
            }
        }

        fn drain_visits(&mut self) -> Vec<(usize, u64)> {
            let mut visits = std::mem::take(&mut self.visits);
            visits.sort_unstable();
            visits
        }
    }

    impl Units for FakeUnits {
        fn visit(&mut self, unit: usize, position: &CompletePosition<'_>) -> Timestamp {
            let CompletePosition { index, first, .. } = *position;
            self.visits.push((unit, index));
            self.now = index + 1;
            if self.wakeups[unit] < first.time {
                self.wakeups[unit] = Timestamp::MAX;
                self.violations[unit] += 1;
            }
            self.wakeups[unit]
        }

        fn visit_block(&mut self, unit: usize, block: &PositionBlock<'_>, _: Timestamp) -> BlockEffect {
            self.visits.push((unit, block.index));
            if block.firsts.last().is_some_and(|last| self.wakeups[unit] < last.time) {
                self.wakeups[unit] = Timestamp::MAX;
            }
            self.now = block.index + block.firsts.len() as u64;
            let sees_every_position = self.sees_every_position(unit);
            BlockEffect { wakeup: self.wakeups[unit], sees_every_position, is_affected: false }
        }

        fn advance(&mut self, unit: usize, to: Timestamp) {
            self.advanced.push((unit, to.ticks()));
            if self.wakeups[unit] < to {
                self.wakeups[unit] = Timestamp::MAX;
                self.violations[unit] += 1;
            }
        }

        fn wakeup(&self, unit: usize) -> Timestamp {
            self.wakeups[unit]
        }

        fn reads_previous(&self, _: usize) -> bool {
            false
        }

        fn sees_every_position(&self, unit: usize) -> bool {
            self.now < self.every_until[unit]
        }

        fn violation_count(&self, unit: usize) -> u64 {
            self.violations[unit]
        }
    }

    fn at(ticks: i128) -> Timestamp {
        Timestamp::from_ticks(ticks)
    }

    fn event(index: u64, ticks: i128) -> Origin {
        Origin { event_index: index, time: at(ticks), event: Name(0) }
    }

    fn scheduler(simultaneous: Simultaneous, fake: &FakeUnits) -> Scheduler {
        let units = fake.wakeups.len();
        let mut scheduler = Scheduler::new(simultaneous, units);
        scheduler.restart(0..units, fake);
        scheduler
    }

    #[test]
    fn visits_affected_properties_once_and_no_others() {
        let mut fake = FakeUnits::new(3);
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        for unit in [1, 1, 2] {
            scheduler.observe(unit, &mut fake, |_| EventEffect::Affected);
        }
        scheduler.observe(0, &mut fake, |_| EventEffect::None);
        scheduler.close(&mut fake, &event(0, 5));
        assert_eq!(fake.drain_visits(), [(1, 0), (2, 0)]);
        scheduler.close(&mut fake, &event(1, 6));
        assert_eq!(fake.drain_visits(), []);
        let extent = scheduler.extent(7);
        assert_eq!((extent.positions, extent.last_time, extent.frontier), (2, at(6), at(6)));
        assert_eq!((extent.first, extent.most_listed), (Some(event(0, 5)), 7));
    }

    #[test]
    fn visits_at_every_position_until_that_is_not_needed() {
        let mut fake = FakeUnits::new(2);
        fake.every_until = vec![2, 0];
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        assert_eq!(scheduler.immediate_position(0), None);
        assert_eq!(scheduler.immediate_position(1), Some(0));
        scheduler.observe(0, &mut fake, |_| EventEffect::Affected);
        for position in 0..4 {
            scheduler.close(&mut fake, &event(position, 0));
        }
        assert_eq!(fake.drain_visits(), [(0, 0), (0, 1)]);
        assert_eq!(scheduler.immediate_position(0), Some(4));
    }

    #[test]
    fn wakes_properties_whose_time_has_passed() {
        let mut fake = FakeUnits::new(2);
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        scheduler.count_violations();
        fake.wakeups[1] = at(10);
        scheduler.observe(1, &mut fake, |_| EventEffect::Processed(at(10)));
        scheduler.close(&mut fake, &event(0, 10));
        assert_eq!(fake.drain_visits(), [], "a time has passed only when a later one has come");
        assert_eq!(scheduler.violation_count(), 0);
        scheduler.close(&mut fake, &event(1, 11));
        assert_eq!(fake.drain_visits(), [(1, 1)]);
        assert_eq!(scheduler.violation_count(), 1);
    }

    #[test]
    fn a_merged_position_is_the_last_chance_of_its_time() {
        let mut fake = FakeUnits::new(1);
        let mut scheduler = scheduler(Simultaneous::Merge, &fake);
        fake.wakeups[0] = at(10);
        scheduler.observe(0, &mut fake, |_| EventEffect::Processed(at(10)));
        scheduler.close(&mut fake, &event(0, 10));
        assert_eq!(fake.drain_visits(), [(0, 0)]);
        assert_eq!(scheduler.immediate_position(0), None, "more events of the time may come");
    }

    #[test]
    fn a_wakeup_that_moved_is_kept_and_an_earlier_one_counts() {
        let mut fake = FakeUnits::new(1);
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        fake.wakeups[0] = at(20);
        scheduler.observe(0, &mut fake, |_| EventEffect::Processed(at(5)));
        scheduler.close(&mut fake, &event(0, 8));
        assert_eq!(fake.drain_visits(), [], "the property need not be woken any more");
        fake.wakeups[0] = at(9);
        scheduler.observe(0, &mut fake, |_| EventEffect::Processed(at(9)));
        scheduler.close(&mut fake, &event(1, 10));
        assert_eq!(fake.drain_visits(), [(0, 1)]);
        scheduler.close(&mut fake, &event(2, 30));
        assert_eq!(fake.drain_visits(), [], "the later wake-up is obsolete");
    }

    #[test]
    fn time_alone_wakes() {
        let mut fake = FakeUnits::new(3);
        fake.every_until[2] = 9;
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        scheduler.count_violations();
        fake.wakeups[0] = at(10);
        scheduler.observe(0, &mut fake, |_| EventEffect::Processed(at(10)));
        scheduler.advance(&mut fake, at(10));
        assert_eq!(std::mem::take(&mut fake.advanced), [(2, 10)]);
        scheduler.advance(&mut fake, at(10));
        assert_eq!(std::mem::take(&mut fake.advanced), [], "time stands still");
        scheduler.advance(&mut fake, at(11));
        assert_eq!(std::mem::take(&mut fake.advanced), [(0, 11), (2, 11)]);
        assert_eq!(scheduler.violation_count(), 1);
    }

    #[test]
    fn skips_events_up_to_the_next_wakeup() {
        let mut fake = FakeUnits::new(1);
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        assert_eq!(scheduler.quiet_until(), Timestamp::MIN, "the first event is wanted");
        fake.wakeups[0] = at(4);
        scheduler.observe(0, &mut fake, |_| EventEffect::Processed(at(4)));
        let events = [event(0, 2), event(1, 3), event(2, 4), event(3, 5), event(4, 6)];
        assert_eq!(scheduler.skip(&events), 3);
        assert_eq!(scheduler.positions(), 3);
        assert_eq!(scheduler.skip(&events[3..]), 0);
        assert!(scheduler.quiet_until() < at(5));
        scheduler.close(&mut fake, &events[3]);
        assert_eq!(fake.drain_visits(), [(0, 3)]);
        assert!(scheduler.quiet_until() >= at(50));
        scheduler.skip_to(10, at(50));
        assert_eq!(scheduler.extent(0).positions, 14);
    }

    #[test]
    fn a_block_is_for_the_properties_that_it_concerns() {
        let mut fake = FakeUnits::new(4);
        fake.every_until[3] = 3;
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        fake.wakeups[1] = at(4);
        scheduler.observe(1, &mut fake, |_| EventEffect::Processed(at(4)));
        let events: Vec<Origin> = (0..6).map(|index| event(index, i128::from(index) + 2)).collect();
        let mut visits_in = |range: std::ops::Range<usize>, matched: &[(u32, bool)]| {
            let firsts = &events[range];
            let (index, previous) = scheduler.begin_block(firsts, matched);
            let block = PositionBlock { index, firsts, previous, events: firsts, matches: &[] };
            scheduler.visit_block(&mut fake, &block);
            fake.drain_visits()
        };
        assert_eq!(visits_in(0..2, &[(0, false), (2, true)]), [(0, 0), (3, 0)], "the third is of the other scheduler");
        assert_eq!(visits_in(2..4, &[]), [(1, 2), (3, 2)], "a time has passed");
        assert_eq!(visits_in(4..6, &[(2, false)]), [(2, 4)]);
        assert_eq!(scheduler.extent(0).positions, 6);
    }

    #[test]
    fn a_snapshot_of_other_properties_does_not_fit() {
        let mut fake = FakeUnits::new(2);
        let mut scheduler = scheduler(Simultaneous::Sequence, &fake);
        scheduler.observe(1, &mut fake, |_| EventEffect::Affected);
        let saved = postcard::to_stdvec(&scheduler).unwrap();
        let mut restored: Scheduler = postcard::from_bytes(&saved).unwrap();
        assert!(restored.rebuild(2));
        assert!(!restored.rebuild(1));
        assert!(!restored.rebuild(3));
    }
}
