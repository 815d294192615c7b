// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run of a plan.
//!
//! A [`Monitor`] takes events in the order of their times. For each event the matcher finds the tests of the properties that mention
//! its name; the engine of a property that passes takes the event in; a scheduler visits the properties that the position affects.
//! Properties that merge simultaneous events and properties for which each event is a position count positions differently, so
//! each group has a scheduler of its own.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use gnomon_core::event::{Event, NoFields};
use gnomon_core::event_block::EventBlock;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Violation};
use serde::{Deserialize, Serialize};

use crate::accounting::{combine, report_order};
use crate::block::{BlockBuffer, PositionBlock};
use crate::engine::{
    Engine, MOST_TOUCHED, MonitorUnits, Observation, PropertyPlan, PropertyState, PropertyTest, SharedState,
    TouchedEvent,
};
use crate::matcher::UnitTest;
use crate::partitioner::Shard;
use crate::plan::Plan;
use crate::scheduler::Scheduler;
use crate::snapshot;
use crate::terms::variables::Variables;

/// The state of one run: takes events in the order of their times and returns the outcomes at the end.
#[derive(Clone, Debug)]
pub struct Monitor {
    plan: Plan,
    pub(crate) state: MonitorState,
    /// The violations that [`Monitor::drain_settled_violations`] returned last.
    drained: Vec<Violation>,
    /// Buffers for runs of events.
    block: BlockBuffer,
}

/// The part of a monitor that events change, and that a snapshot stores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MonitorState {
    units: Vec<PropertyState>,
    shared: SharedState,
    /// Schedules the units that merge simultaneous events.
    merge: Scheduler,
    /// Schedules the units for which each event is a position.
    sequence: Scheduler,
    /// The first event of the open position of the units that merge, if there are any.
    open: Option<Origin>,
    max_violations: usize,
    /// The bindings that are run here. Units whose bindings cannot be divided are run by the first shard.
    #[serde(skip, default = "whole")]
    shard: Shard,
    /// The unit whose engine runs, if one does.
    #[serde(skip)]
    running: Option<usize>,
}

fn whole() -> Shard {
    Shard::WHOLE
}

/// The last stage of [`Monitor::step_from`].
const CLOSED: usize = usize::MAX;

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("of unknown origin").to_owned()
}

/// Memory that the bindings of a property take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryUse {
    /// Bindings with a state of their own.
    pub bindings: usize,
    /// Approximate size in bytes.
    pub bytes: usize,
}

impl MonitorState {
    /// Completes a restored state. Returns false if it is not a state of this plan.
    pub(crate) fn rebuild(&mut self, plan: &Plan) -> bool {
        let MonitorState { units, shared, merge, sequence, .. } = self;
        let plans = &plan.inner.units;
        units.len() == plans.len()
            && merge.rebuild(plans.len())
            && sequence.rebuild(plans.len())
            && shared.variables.fits(&plan.inner.fields)
            && shared.correlations.rebuild()
            && plans.iter().zip(units).all(|(plan, unit)| unit.rebuild(plan, shared))
    }

    /// Splits the state into the units and the two schedulers that visit them.
    #[inline]
    fn parts<'s>(&'s mut self, plan: &'s Plan) -> (MonitorUnits<'s>, &'s mut Scheduler, &'s mut Scheduler) {
        let MonitorState { units, shared, merge, sequence, running, .. } = self;
        (MonitorUnits { plans: &plan.inner.units, states: units, shared, running }, merge, sequence)
    }

    fn scheduler(&self, plan: &PropertyPlan) -> &Scheduler {
        match PropertyState::simultaneous(plan) {
            Simultaneous::Merge => &self.merge,
            Simultaneous::Sequence => &self.sequence,
        }
    }

    fn restart(&mut self, plan: &Plan) {
        let shard = self.shard;
        let (units, merge, sequence) = self.parts(plan);
        for scheduler in [merge, sequence] {
            let simultaneous = scheduler.simultaneous();
            let is_member = |unit: &usize| {
                let plan = &units.plans[*unit];
                let is_run = shard.index == 0 || PropertyState::can_partition(plan);
                is_run && PropertyState::simultaneous(plan) == simultaneous
            };
            scheduler.restart((0..units.plans.len()).filter(is_member), &units);
        }
        self.open = None;
    }
}

impl Monitor {
    pub(crate) fn new(plan: Plan, max_violations: usize, shard: Shard) -> Self {
        let units = &plan.inner.units;
        let mut state = MonitorState {
            units: units.iter().map(|unit| PropertyState::start(unit, max_violations)).collect(),
            shared: SharedState { variables: Variables::new(&plan.inner.fields), ..SharedState::default() },
            merge: Scheduler::new(Simultaneous::Merge, units.len()),
            sequence: Scheduler::new(Simultaneous::Sequence, units.len()),
            open: None,
            max_violations,
            shard,
            running: None,
        };
        state.restart(&plan);
        Monitor::resume(plan, state)
    }

    pub(crate) fn resume(plan: Plan, state: MonitorState) -> Self {
        Monitor { plan, state, drained: Vec::new(), block: BlockBuffer::default() }
    }

    /// Takes the next event. Its time must not be earlier than that of the event before it, nor than the time of the last
    /// [`Monitor::advance`].
    pub fn step(&mut self, event: &Event<'_>) {
        self.step_in(event, self.state.shard);
    }

    /// Takes consecutive events of which no property needs a field.
    ///
    /// COST: a few instructions for an event that no property mentions and that wakes none.
    pub fn step_run(&mut self, events: &[Origin]) {
        if self.plan.inner.takes_blocks && self.state.shard.index == 0 && events.len() > 1 {
            self.step_positions(events);
        } else {
            self.step_each(events);
        }
    }

    /// Takes consecutive events of which no property needs anything but whole numbers.
    ///
    /// COST: what the events of many bindings need is read first, for some events at a time. These reads do not depend on each other, so
    /// that those that miss the cache of the processor overlap.
    pub fn step_block(&mut self, block: &EventBlock) {
        let (plan, shard) = (self.plan.clone(), self.state.shard);
        // For each unit a buffer, if some need one.
        let mut touched: Vec<Vec<TouchedEvent<'_, PropertyTest>>> = Vec::new();
        if self.is_touched() {
            touched.resize_with(plan.inner.units.len(), Vec::new);
        }
        let (mut at, mut stage) = (0, 0);
        self.contained(|monitor| {
            while let Some(origin) = block.origins().get(at) {
                if stage == 0 && at % MOST_TOUCHED == 0 && !touched.is_empty() {
                    monitor.touch(&plan, block, at, &mut touched);
                }
                let Origin { event_index: index, time, event: name } = *origin;
                monitor.step_from(&Event { name, index, time, fields: &block.row(at) }, shard, &mut stage);
                (at, stage) = (at + 1, 0);
            }
        });
    }

    /// Returns true if the events of a block should be touched. With many properties, the states of some events would displace each
    /// other from the cache.
    fn is_touched(&self) -> bool {
        let MonitorState { units, shared, .. } = &self.state;
        units.len() <= MOST_TOUCHED && units.iter().any(|unit| unit.exceeds_cache(shared))
    }

    /// Reads what the units will need to take in some events of a block, from an index on. `touched` has a buffer for each unit.
    fn touch<'e>(
        &self,
        plan: &'e Plan,
        block: &'e EventBlock,
        from: usize,
        touched: &mut [Vec<TouchedEvent<'e, PropertyTest>>],
    ) {
        for (at, origin) in block.origins().iter().enumerate().skip(from).take(MOST_TOUCHED) {
            let Some(tests) = plan.inner.matcher.tests(origin.event) else { continue };
            let (row, messages) = (block.row(at), tests.messages.as_deref());
            for UnitTest { unit, test, .. } in &tests.tests {
                touched[*unit].push(TouchedEvent { test, row, messages });
            }
        }
        let MonitorState { units, shared, .. } = &self.state;
        for ((plan, state), events) in plan.inner.units.iter().zip(units).zip(touched) {
            state.touch(plan, events.drain(..), shared);
        }
    }

    /// Takes the events of a run property by property ([`crate::block`]).
    fn step_positions(&mut self, events: &[Origin]) {
        let mut buffer = std::mem::take(&mut self.block);
        let inner = &*self.plan.inner;
        let MonitorState { merge, sequence, open, running, .. } = &mut self.state;
        buffer.fill(events, &inner.matcher, inner.units.len(), merge.is_used().then_some(open));
        *running = None;
        let blocks = [(merge, &buffer.merged[..]), (sequence, events)].map(|(scheduler, firsts)| {
            let (index, previous) = scheduler.begin_block(firsts, &buffer.matched);
            PositionBlock { index, firsts, previous, events, matches: &buffer.matches }
        });
        self.contained(|monitor| {
            let (mut units, merge, sequence) = monitor.state.parts(&monitor.plan);
            for (scheduler, block) in [merge, sequence].into_iter().zip(&blocks) {
                scheduler.visit_block(&mut units, block);
            }
        });
        self.block = buffer;
    }

    /// Takes the events of a run one by one.
    fn step_each(&mut self, events: &[Origin]) {
        let shard = self.state.shard;
        let (mut at, mut stage) = (0, 0);
        self.contained(|monitor| {
            loop {
                if stage == 0 {
                    at += monitor.skip_unmentioned(&events[at..]);
                }
                let Some(origin) = events.get(at) else { return };
                let (name, index, time) = (origin.event, origin.event_index, origin.time);
                monitor.step_from(&Event { name, index, time, fields: &NoFields }, shard, &mut stage);
                (at, stage) = (at + 1, 0);
            }
        });
    }

    /// Counts leading events that no property mentions and that wake none. Returns their number.
    #[inline]
    fn skip_unmentioned(&mut self, events: &[Origin]) -> usize {
        let inner = &*self.plan.inner;
        let MonitorState { merge, sequence, open, .. } = &mut self.state;
        if !inner.fields.is_empty() {
            return 0;
        }
        let quiet_until = merge.quiet_until().min(sequence.quiet_until());
        let is_skipped = |event: &Origin| event.time <= quiet_until && !inner.matcher.mentions(event.event);
        let count = events.iter().take_while(|event| is_skipped(event)).count();
        let Some(last) = events[..count].last() else { return 0 };
        if sequence.is_used() {
            sequence.skip_positions(count as u64, last);
        }
        if merge.is_used() {
            // The first events of the last two positions, and the number of positions that a later event completes.
            let (mut previous, mut latest, mut closed) = (None, open.as_ref(), 0);
            for event in &events[..count] {
                if latest.is_none_or(|first| first.time != event.time) {
                    closed += u64::from(latest.is_some());
                    previous = latest.replace(event);
                }
            }
            if let Some(previous) = previous {
                merge.skip_positions(closed, previous);
            }
            *open = latest.copied();
        }
        count
    }

    /// Takes the next event, which concerns this shard alone ([`Recipients::One`](crate::Recipients::One)).
    pub fn step_routed(&mut self, event: &Event<'_>) {
        self.step_in(event, Shard::WHOLE);
    }

    /// Counts consecutive events that do not concern this shard ([`Partitioner`](crate::Partitioner)).
    ///
    /// COST: constant for all of them together, as long as no property must be visited.
    pub fn skip(&mut self, mut events: &[Origin]) {
        while let Some(first) = events.first() {
            let MonitorState { merge, sequence, .. } = &mut self.state;
            let count = if merge.is_used() { 0 } else { sequence.skip(events) };
            if count > 0 {
                events = &events[count..];
            } else {
                let mut is_open = true;
                self.contained(|monitor| {
                    monitor.close_open_before(first.time);
                    if std::mem::replace(&mut is_open, false) {
                        monitor.close_event(first);
                    }
                });
                events = &events[1..];
            }
        }
    }

    /// Counts `events` events that no property mentions, the last of them at the time `to`, without reading them. Returns false
    /// and does nothing if more has to be known of them: a deadline is not later than `to`, or a property is visited at every
    /// position.
    ///
    /// COST: constant, for any number of events.
    pub fn skip_unread(&mut self, events: u64, to: Timestamp) -> bool {
        let MonitorState { merge, sequence, .. } = &mut self.state;
        // Only the times of simultaneous events show how many positions they form.
        let is_unread = self.plan.inner.fields.is_empty() && !sequence.reads_previous();
        let can_skip = is_unread && !merge.is_used() && to <= sequence.quiet_until();
        if can_skip {
            sequence.skip_to(events, to);
        }
        can_skip
    }

    /// Calls `act`. If the engine of a property fails in it, the property is abandoned, and the call is made again; `act` leaves out
    /// what it has done.
    #[inline]
    fn contained(&mut self, mut act: impl FnMut(&mut Monitor)) {
        while let Err(panic) = catch_unwind(AssertUnwindSafe(|| act(self))) {
            self.give_up(panic);
        }
    }

    /// Gives up the property whose engine runs, and completes the call of the scheduler for the others.
    #[cold]
    fn give_up(&mut self, mut panic: Box<dyn Any + Send>) {
        loop {
            let Some(unit) = self.state.running.take() else { resume_unwind(panic) };
            self.state.units[unit] = PropertyState::Failed(message(&*panic));
            let (mut units, merge, sequence) = self.state.parts(&self.plan);
            let resumed = catch_unwind(AssertUnwindSafe(|| {
                merge.resume(&mut units);
                sequence.resume(&mut units);
            }));
            match resumed {
                Ok(()) => return,
                Err(another) => panic = another,
            }
        }
    }

    /// Takes the next event for the bindings of this shard.
    #[inline]
    fn step_in(&mut self, event: &Event<'_>, shard: Shard) {
        let mut stage = 0;
        self.contained(|monitor| monitor.step_from(event, shard, &mut stage));
    }

    /// Takes the next event, from a stage on: the position before it, its fields, each test, its own position.
    #[inline]
    fn step_from(&mut self, event: &Event<'_>, shard: Shard, stage: &mut usize) {
        let origin = Origin { event_index: event.index, time: event.time, event: event.name };
        if *stage == 0 {
            *stage = 1;
            self.close_open_before(event.time);
        }
        if *stage < CLOSED {
            let inner = &*self.plan.inner;
            if inner.matcher.mentions(event.name) || !inner.fields.is_empty() {
                self.test_event(event, &origin, shard, stage);
            } else {
                self.state.running = None;
            }
            *stage = CLOSED;
            self.close_event(&origin);
        }
    }

    /// Has the properties take in the next event, from a stage of [`Monitor::step_from`] on.
    #[inline(never)]
    fn test_event(&mut self, event: &Event<'_>, origin: &Origin, shard: Shard, stage: &mut usize) {
        let inner = &*self.plan.inner;
        let timed;
        let event = if inner.tests_time {
            timed = Event { fields: event, ..*event };
            &timed
        } else {
            event
        };
        let is_first = self.state.shard.index == 0;
        let (mut units, merge, sequence) = self.state.parts(&self.plan);
        let tests = inner.matcher.tests(event.name);
        let messages = tests.and_then(|tests| tests.messages.as_deref());
        if *stage == 1 {
            *stage = 2;
            *units.running = None;
            if !inner.fields.is_empty() {
                units.shared.variables.update(&inner.fields, event);
            }
            if let Some(messages) = messages {
                units.shared.correlations.test_event(messages, event);
            }
        }
        let Some(tests) = tests else { return };
        let observation = Observation { event, origin, messages, shard };
        let done = *stage - 2;
        for test in tests.tests.iter().skip(done) {
            *stage += 1;
            *units.running = Some(test.unit);
            let plan = &inner.units[test.unit];
            if !is_first && !PropertyState::can_partition(plan) {
                continue;
            }
            let scheduler = if test.merges { &mut *merge } else { &mut *sequence };
            let position = scheduler.immediate_position(test.unit);
            scheduler.observe(test.unit, &mut units, |units| {
                units.states[test.unit].observe(plan, &test.test, &observation, position, units.shared)
            });
        }
    }

    /// Closes the position of the units for which each event is one.
    #[inline]
    fn close_event(&mut self, origin: &Origin) {
        if self.state.merge.is_used() {
            self.state.open.get_or_insert(*origin);
        }
        let (mut units, _, sequence) = self.state.parts(&self.plan);
        if sequence.is_used() {
            sequence.close(&mut units, origin);
        }
    }

    #[inline]
    fn close_open_before(&mut self, time: Timestamp) {
        if self.state.open.as_ref().is_some_and(|open| open.time != time) {
            self.close_open();
        }
    }

    /// Closes the open position of the properties that merge simultaneous events: no more events of its time will come. Time does
    /// not advance. A later event, [`Monitor::advance`] and [`Monitor::finish`] close the position as well.
    pub fn close_position(&mut self) {
        self.contained(Monitor::close_open);
    }

    fn close_open(&mut self) {
        if let Some(first) = self.state.open.take() {
            let (mut units, merge, _) = self.state.parts(&self.plan);
            merge.close(&mut units, &first);
        }
    }

    /// Advances time: no event earlier than `to` will come.
    pub fn advance(&mut self, to: Timestamp) {
        if self.state.open.as_ref().is_some_and(|open| open.time < to) {
            self.close_position();
        }
        self.contained(|monitor| {
            let (mut units, merge, sequence) = monitor.state.parts(&monitor.plan);
            merge.advance(&mut units, to);
            sequence.advance(&mut units, to);
        });
    }

    /// Ends the trace and returns the outcome of each property, in the order of the plan.
    #[must_use]
    pub fn finish(mut self, end: End) -> Vec<Outcome> {
        self.conclude(end)
    }

    /// Ends the trace as [`Monitor::finish`] does. Returns the violations of each property that were not drained, too.
    #[must_use]
    pub fn finish_and_drain(mut self, end: End) -> Vec<(Outcome, Vec<Violation>)> {
        let outcomes = self.conclude(end);
        let inner = &*self.plan.inner;
        let mut drain = |unit: usize| self.state.units[unit].drain_settled(&inner.units[unit], u64::MAX);
        let drained = inner.properties.iter().map(|units| {
            let mut violations: Vec<Violation> = units.clone().flat_map(&mut drain).collect();
            violations.sort_by(report_order);
            violations
        });
        outcomes.into_iter().zip(drained.collect::<Vec<_>>()).collect()
    }

    /// Ends the trace as [`Monitor::finish`] does and begins another one.
    ///
    /// COST: less than that of a new monitor, because the memory for bindings is reused.
    #[must_use]
    pub fn finish_and_restart(&mut self, end: End, max_violations: usize) -> Vec<Outcome> {
        let outcomes = self.conclude(end);
        self.restart(max_violations);
        outcomes
    }

    /// Forgets everything and begins another trace.
    pub fn restart(&mut self, max_violations: usize) {
        let inner = &*self.plan.inner;
        for (plan, unit) in inner.units.iter().zip(&mut self.state.units) {
            unit.restart(plan, max_violations);
        }
        self.state.max_violations = max_violations;
        self.state.shared.restart(&inner.fields);
        self.state.restart(&self.plan);
        self.drained.clear();
    }

    /// Ends the trace and returns the outcome of each property. Violations can still be drained.
    #[must_use]
    pub fn conclude(&mut self, end: End) -> Vec<Outcome> {
        self.close_position();
        let (state, inner) = (&mut self.state, &*self.plan.inner);
        let most_listed = state.max_violations;
        let mut finish = |unit: usize| {
            let plan = &inner.units[unit];
            let extent = state.scheduler(plan).extent(most_listed);
            let finish = |state: &mut MonitorState| state.units[unit].finish(plan, extent, end, &mut state.shared);
            catch_unwind(AssertUnwindSafe(|| finish(state))).unwrap_or_else(|panic| {
                state.units[unit] = PropertyState::Failed(message(&*panic));
                finish(state)
            })
        };
        inner.properties.iter().map(|units| combine(units.clone().map(&mut finish).collect(), most_listed)).collect()
    }

    /// Joins the shards of a parallel run over the same events into one monitor.
    #[must_use]
    pub fn join(mut shards: Vec<Monitor>) -> Option<Monitor> {
        for shard in &mut shards {
            shard.close_position();
        }
        let mut shards = shards.into_iter();
        let mut whole = shards.next()?;
        for shard in shards {
            let units = whole.state.units.iter_mut().zip(shard.state.units);
            for (plan, (own, other)) in whole.plan.inner.units.iter().zip(units) {
                // The first shard alone ran the other units.
                if PropertyState::can_partition(plan) {
                    own.absorb(plan, other);
                }
            }
        }
        Some(whole)
    }

    /// Returns the units of a property; none if the property does not exist.
    fn units_of(&self, property: usize) -> Range<usize> {
        self.plan.inner.properties.get(property).cloned().unwrap_or_default()
    }

    /// Returns the number of violations of a property that are certain so far, if [`Monitor::count_violations`] was called before the
    /// first event. A position counts once a later event, or [`Monitor::advance`], has closed it.
    pub fn violation_count(&self, property: usize) -> u64 {
        let count = |unit: usize| self.state.units[unit].violation_count(&self.plan.inner.units[unit]);
        self.units_of(property).map(count).sum()
    }

    /// Begins to count and list violations before the end of the trace. A run that does not need them is cheaper without; a
    /// restored monitor needs the call again.
    pub fn count_violations(&mut self) {
        for (plan, unit) in self.plan.inner.units.iter().zip(&mut self.state.units) {
            unit.watch_violations(plan);
        }
        self.state.merge.count_violations();
        self.state.sequence.count_violations();
    }

    /// Returns the number of violations of all properties together that became certain since [`Monitor::count_violations`]. As long
    /// as it stays the same, no property has a new violation.
    ///
    /// COST: constant, for any number of properties.
    #[inline]
    pub fn total_violation_count(&self) -> u64 {
        self.state.merge.violation_count() + self.state.sequence.violation_count()
    }

    /// Drains the violations of a property that became certain since the last call and that the next position cannot continue. A
    /// violation that it may continue is held back until it does not; a violation that was returned does not grow into a range
    /// later. Only [`Monitor::finish`] returns violations of bindings that the end of the trace introduces.
    pub fn drain_settled_violations(&mut self, property: usize) -> &[Violation] {
        let range = self.units_of(property);
        let drain = |unit: usize| {
            let plan = &self.plan.inner.units[unit];
            let positions = self.state.scheduler(plan).positions();
            self.state.units[unit].drain_settled(plan, positions)
        };
        self.drained = range.flat_map(drain).collect();
        &self.drained
    }

    /// Drains the violations of a property that became certain since the last call, without a limit. A violation that the next
    /// position continues is returned again, with the same first position. The outcome keeps the first `keep` of those that were
    /// returned.
    pub fn drain_violations(&mut self, property: usize, keep: usize) -> Vec<Violation> {
        let units = self.units_of(property);
        units.flat_map(|unit| self.state.units[unit].drain(&self.plan.inner.units[unit], keep)).collect()
    }

    /// Returns the earliest time whose passing ([`Monitor::advance`] to a later time) may decide something.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let units = self.plan.inner.units.iter().zip(&self.state.units);
        units.map(|(plan, unit)| unit.wakeup(plan)).min().filter(|deadline| *deadline < Timestamp::MAX)
    }

    /// Returns the time of the position that is still open for simultaneous events, where some property merges those.
    pub fn open_position(&self) -> Option<Timestamp> {
        self.state.open.as_ref().map(|open| open.time)
    }

    /// Returns the memory that the bindings of a property take at present.
    pub fn memory_use(&self, property: usize) -> MemoryUse {
        let memory_use =
            |unit: usize| self.state.units[unit].memory_use(&self.plan.inner.units[unit], &self.state.shared);
        self.units_of(property).map(memory_use).fold(MemoryUse::default(), |sum, one| MemoryUse {
            bindings: sum.bindings + one.bindings,
            bytes: sum.bytes + one.bytes,
        })
    }

    /// Returns a snapshot of the run, from which [`Plan::restore`] continues.
    pub fn save(&self) -> Vec<u8> {
        snapshot::save(&self.plan, &self.state)
    }

    /// Appends the state of the run to `bytes`, for [`Monitor::unpack`]. It is shorter than a snapshot, has no header, and must not
    /// leave the process.
    pub fn pack(&self, bytes: &mut Vec<u8>) {
        snapshot::pack(&self.state, bytes);
    }

    /// Continues the run of a monitor of the same plan whose state was packed ([`Monitor::pack`]). Returns false, and changes
    /// nothing, if the bytes are not such a state.
    #[must_use]
    pub fn unpack(&mut self, bytes: &[u8]) -> bool {
        let state = snapshot::unpack(&self.plan, bytes);
        let is_state = state.is_some();
        if let Some(state) = state {
            self.state = state;
            self.drained.clear();
        }
        is_state
    }
}
