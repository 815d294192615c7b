// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slicing: runs one property, an event at a time.
//!
//! [`Slicer::gather`] matches an event and notes the values that it binds. [`Slicer::close`] completes a position: it fires
//! the timers that have expired, finds the affected instances (`slicing/affected.rs`), splits those that must
//! (`slicing/split.rs`), lets the machine visit each of them, and evicts those that nothing distinguishes from their parent any
//! more. All instances are in
//! [`Storage`]; [`quantifiers`](super::quantifiers) read them at the end.
//!
//! Calls go down: this file calls `affected`, `split` and `quantifiers`; `affected` calls `split`; all of them call storage
//! and the machine.

mod affected;
mod binding_set;
mod keyed;
mod plan;
mod report;
mod split;

use std::hint::black_box;

use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Origin, Outcome, Violation};
use gnomon_ir::atom::VariableId;
use serde::{Deserialize, Serialize};

pub(crate) use self::plan::SlicePlan;
use self::split::NoOps;
use super::root_counts::RootCountAdjustment;
use crate::accounting::{ObligationRecord, ViolationLog};
use crate::engine::{MOST_TOUCHED, Observation, TouchedEvent};
use crate::matcher::{SliceTest, pass};
use crate::partitioner::Shard;
use crate::scheduler::{CompletePosition, NEXT_POSITION};
use crate::slice::machine::{Attention, BindingPosition, Extent, Machine, Matches, Schedule, Sink};
use crate::slice::quantifiers::{QuantifierEvaluation, bind};
use crate::slice::storage::index::{END, Slot};
use crate::slice::storage::values::{Id, NONE};
use crate::slice::storage::{InstanceKind, ROOT, Storage};
use crate::work;

/// The run of one property.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Slicer<M: Machine> {
    storage: Storage<M::State>,
    /// The matches of the open position.
    matches: Matches,
    /// Counts of evicted bindings.
    evicted: ObligationRecord,
    root_counts: RootCountAdjustment,
    new_violations: NewViolations,
    /// The first event of the trace, where the property [may fail early](SlicePlan::fails_early).
    first: Option<Origin>,
    /// The violation of the property as a whole, as soon as it is certain.
    early: Option<Violation>,
    /// Every instance must be visited at every position.
    visits_all: bool,
    /// The instances that must be visited at the next position, unless [all](Slicer::visits_all) are.
    restless: Vec<Slot>,
    /// The root is busy or has counted something.
    root_matters: bool,
    /// Some position merged events that the property could have distinguished.
    merged: bool,
    /// The last event that matched an atom.
    last_match: Option<Origin>,
    #[serde(skip)]
    buffers: SlicerBuffers<M>,
}

/// Violations that became certain, for callers that ask during the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct NewViolations {
    /// True if violations are read before the end.
    is_on: bool,
    /// Some instance that does not bind every variable has violations.
    class_is_violated: bool,
    /// The number of violations of bindings with an instance, those of evicted ones included.
    violated: u64,
    /// The number of violations of bindings without an instance.
    of_classes: u64,
    /// Violations since the last drain, as far as they are listed.
    recent: Vec<Violation>,
    /// The number of violations that may still be listed until the next drain.
    room: usize,
    /// The number of drained violations that each binding continues to list; `None`: all.
    keep: Option<usize>,
}

impl NewViolations {
    fn new(room: usize) -> Self {
        NewViolations {
            is_on: false,
            class_is_violated: false,
            violated: 0,
            of_classes: 0,
            recent: vec![],
            room,
            keep: None,
        }
    }

    /// Lists violations, as far as there is room.
    fn list(&mut self, mut violations: Vec<Violation>) {
        violations.truncate(self.room);
        self.room -= violations.len();
        self.recent.extend(violations);
    }
}

/// Buffers that are used again at each position.
#[derive(Clone, Debug)]
struct SlicerBuffers<M: Machine> {
    scratch: M::Scratch,
    tasks: Vec<VisitTask>,
    /// Indexes of matches; each task refers to a part of it.
    applying: Vec<u32>,
    ids: Vec<Id>,
    found: ViolationLog,
    splittable: Vec<Slot>,
    no_ops: NoOps,
    /// The values that variables have for the first time at this position.
    new_values: Vec<(usize, Id)>,
    /// Instances that do not bind every variable and have new violations.
    violated_classes: Vec<Slot>,
    /// Some violated class has lost a binding.
    class_was_split: bool,
}

impl<M: Machine> Default for SlicerBuffers<M> {
    fn default() -> Self {
        SlicerBuffers {
            scratch: M::Scratch::default(),
            tasks: vec![],
            applying: vec![],
            ids: vec![],
            found: ViolationLog::new(0),
            splittable: vec![],
            no_ops: NoOps::default(),
            new_values: vec![],
            violated_classes: vec![],
            class_was_split: false,
        }
    }
}

/// An instance to visit, and the part of `applying` that are its matches.
#[derive(Clone, Copy, Debug)]
struct VisitTask {
    slot: Slot,
    kind: InstanceKind,
    from: u32,
    to: u32,
}

/// A position, and the time before which no later one can be.
#[derive(Clone, Copy, Debug)]
struct PositionStep<'a> {
    position: u64,
    first: &'a Origin,
    previous: Option<&'a Origin>,
    frontier: Timestamp,
}

impl<M: Machine> Slicer<M> {
    pub(crate) fn new(plan: &SlicePlan<M>, max_violations: usize) -> Self {
        let mut slicer = Slicer {
            storage: Storage::new(&plan.shape, plan.capabilities.records_all_events),
            matches: Matches::default(),
            evicted: ObligationRecord::new(max_violations),
            root_counts: RootCountAdjustment::default(),
            new_violations: NewViolations::new(max_violations),
            first: None,
            early: None,
            visits_all: true,
            restless: vec![],
            root_matters: true,
            merged: false,
            last_match: None,
            buffers: SlicerBuffers::default(),
        };
        slicer.restart(plan, max_violations);
        slicer
    }

    /// Clears everything but allocated memory and the known no-ops, which depend on the property alone.
    pub(crate) fn restart(&mut self, plan: &SlicePlan<M>, max_violations: usize) {
        self.storage.clear();
        self.matches.clear();
        self.evicted = ObligationRecord::new(max_violations);
        self.root_counts = RootCountAdjustment::default();
        self.new_violations = NewViolations::new(max_violations);
        (self.first, self.early) = (None, None);
        let quiescent = plan.capabilities.initial_is_quiescent;
        (self.visits_all, self.root_matters) = (!quiescent, !quiescent);
        (self.merged, self.last_match) = (false, None);
        self.restless.clear();
        self.buffers.found = ViolationLog::new(max_violations);
        let root = InstanceKind { mask: 0, quiescent };
        let nothing = vec![NONE; plan.shape.variables];
        self.storage.insert(&plan.shape, root, &nothing, plan.machine.start(max_violations));
    }

    /// Matches an event with an atom, and adds the match to the open position. Returns false if there is none.
    pub(crate) fn gather(&mut self, plan: &SlicePlan<M>, test: &SliceTest, observation: &Observation<'_>) -> bool {
        let Observation { event, origin, shard, .. } = *observation;
        if !test.passes(event.fields) {
            return false;
        }
        if shard != Shard::WHOLE && !test.is_owned(plan.shared_by, event.fields, shard) {
            if plan.least_gap > 0 && test.fits(event.fields) {
                self.note_match(origin);
            }
            return false;
        }
        let variables = plan.shape.variables;
        let mut draft = self.matches.begin(variables);
        for (source, id) in &test.variables {
            let number = id.0 as usize;
            let fits = source.with(event.fields, |value: &Value<'_>| {
                if number >= variables {
                    return self.matches.register(&draft, id.0, value.clone().into_owned());
                }
                let id = self.storage.values.number(value);
                self.matches.bind(&mut draft, number, id)
            });
            if !fits {
                self.matches.abandon(&draft);
                return false;
            }
        }
        if plan.least_gap > 0 {
            self.note_match(origin);
        }
        for measure in &test.measures {
            let value = measure.source.with(event.fields, |value| match value {
                Value::Number(number) => Some(Value::Number(*number)),
                _ if measure.numbers_only => None,
                value => Some(value.clone().into_owned()),
            });
            if let Some(value) = value {
                self.matches.measure(measure.id, value);
            }
        }
        self.matches.commit(draft, test.atom, origin);
        true
    }

    /// Matches the only event of a position with the only atom that it may match, and closes the position if it does.
    /// Returns the next time at which the slicer must be called.
    #[inline]
    pub(crate) fn take_position(
        &mut self,
        plan: &SlicePlan<M>,
        test: &SliceTest,
        observation: &Observation<'_>,
        position: u64,
    ) -> Timestamp {
        let Observation { event, origin, shard, .. } = *observation;
        if let Some(begins) = &plan.keyed
            && self.storage.keyed.is_open()
        {
            self.take_keyed(plan, begins, test, observation, position);
            return self.next_wakeup();
        }
        let matched = match test.sole {
            // One variable, and the event has its value: the fast path.
            Some((VariableId(0), key)) if plan.shape.variables == 1 && shard == Shard::WHOLE => {
                let value = event.fields.get(key);
                value.is_some_and(|value| {
                    let id = pass(value, |value| self.storage.values.number(value));
                    self.matches.set(test.atom, origin, id);
                    true
                })
            }
            _ => self.gather(plan, test, observation),
        };
        if matched {
            self.close(plan, &CompletePosition { index: position, first: origin, previous: None });
        }
        self.next_wakeup()
    }

    /// Returns true if the instances do not stay in the cache of a processor.
    pub(crate) fn exceeds_cache(&self) -> bool {
        self.storage.values.exceeds_cache()
    }

    /// Reads the values and the first instances of events of a block: see [`Monitor::step_block`](crate::Monitor::step_block). Each
    /// step is made for all events before the next one, which depends on it.
    pub(crate) fn touch<'e>(&self, plan: &SlicePlan<M>, events: impl Iterator<Item = TouchedEvent<'e, SliceTest>>) {
        let Storage { values, table, keyed, .. } = &self.storage;
        if !self.exceeds_cache() {
            return;
        }
        let mut found = [(0, NONE); MOST_TOUCHED];
        let mut count = 0;
        for TouchedEvent { test, row, .. } in events {
            for (source, variable) in &test.variables {
                if let Some(id) = source.number(&row).and_then(|number| values.find_whole(number))
                    && count < MOST_TOUCHED
                {
                    found[count] = (variable.0 as usize, id);
                    count += 1;
                }
            }
        }
        let found = &mut found[..count];
        if plan.keyed.is_some() && keyed.is_open() {
            for (_, id) in found.iter().filter(|(_, id)| values.is_held(*id)) {
                black_box(plan.machine.schedule(keyed.get(*id)));
            }
            return;
        }
        for (variable, id) in found.iter_mut() {
            *id = table.first_with(*variable, *id);
        }
        for (_, slot) in found.iter().filter(|(_, slot)| *slot != END) {
            black_box(table.is_live(*slot));
            black_box(plan.machine.schedule(table.state(*slot)));
        }
    }

    /// Notes that an event matches an atom, to detect positions that merge several.
    #[inline]
    fn note_match(&mut self, origin: &Origin) {
        self.merged |=
            self.last_match.is_some_and(|last| last.time == origin.time && last.event_index != origin.event_index);
        self.last_match = Some(*origin);
    }

    /// Completes the open position.
    #[inline]
    pub(crate) fn close(&mut self, plan: &SlicePlan<M>, position: &CompletePosition<'_>) {
        let CompletePosition { index: position, first, previous } = *position;
        if plan.keyed.is_some() && !self.matches.is_empty() {
            self.close_keyed(plan);
        }
        self.ring_before(plan, first.time);
        let frontier = Timestamp::from_ticks(first.time.ticks() + plan.least_gap);
        let step = PositionStep { position, first, previous, frontier };
        self.buffers.tasks.clear();
        if self.visits_all {
            self.affected_instances(plan, step);
            self.run_tasks(plan, step);
            self.visit_others(plan, step);
        } else {
            let restless = self.restless.len();
            if restless == 0 && self.binds_fully(plan) {
                self.close_full(plan, step);
            } else if restless == 0 && self.concerns_busy(plan, step) {
                self.close_busy(plan, step);
            } else if !self.matches.is_empty() {
                self.release_evictable(plan);
                self.affected_instances(plan, step);
                self.run_tasks(plan, step);
            }
            if restless > 0 {
                self.visit_restless(plan, step, restless);
            }
            // Where positions strictly follow one another, this one is the last chance of a deadline at its time.
            while let Some(slot) = self.storage.timers.take(frontier) {
                self.last_chance(plan, step, slot);
            }
        }
        if self.new_violations.class_is_violated {
            self.report_classes(plan);
        }
        if plan.fails_early && self.early.is_none() {
            self.evaluate_early(plan, step);
        }
        self.buffers.new_values.clear();
        self.matches.clear();
        self.storage.values.settle();
    }

    /// Returns true in the common case: one match binds every variable, and there are no instances but the root and full bindings.
    #[inline]
    fn binds_fully(&self, plan: &SlicePlan<M>) -> bool {
        plan.finds_full
            && self.storage.partials == 0
            && self.matches.len() == 1
            && self.matches.get(0).mask == plan.shape.full()
    }

    /// Returns true in another common case: one match binds some variables and leaves the initial state unchanged, so that it concerns busy
    /// instances alone, and there are no instances but the root and full bindings.
    #[inline]
    fn concerns_busy(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) -> bool {
        let is_alone = plan.finds_full && !plan.needs_domains && self.storage.partials == 0 && self.matches.len() == 1;
        is_alone && {
            self.apply_only_match();
            self.is_no_op(plan, self.matches.get(0).mask, (0, 1), step) == Some(true)
        }
    }

    /// Visits the busy instances with the values of the only match, as far as it changes them. See [`Slicer::concerns_busy`].
    #[inline]
    fn close_busy(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        self.release_evictable(plan);
        let mask = self.matches.get(0).mask;
        for number in 0..self.storage.table.kind_count() {
            let kind = self.storage.table.kind_at(number);
            if kind.quiescent {
                continue;
            }
            let mut slot = self.storage.table.first(number, mask, self.matches.ids(0, plan.shape.variables));
            while slot != END {
                // A visit may remove the instance, but no other one of the chain.
                let next = self.storage.table.next(number, mask, slot);
                if self.reacts(plan, step, slot) {
                    self.visit(plan, step, VisitTask { slot, kind, from: 0, to: 1 }, true);
                }
                slot = next;
            }
        }
    }

    /// Returns false if the only match of the position leaves an instance unchanged.
    #[inline]
    fn reacts(&self, plan: &SlicePlan<M>, step: PositionStep<'_>, slot: Slot) -> bool {
        let table = &self.storage.table;
        let at = BindingPosition {
            position: step.position,
            first: step.first,
            previous: step.previous,
            matches: &self.matches,
            applying: &self.buffers.applying,
            ids: table.ids(slot),
            values: &self.storage.values,
        };
        plan.machine.reacts(table.state(slot), &at)
    }

    /// Makes the only match of the position the one that applies.
    #[inline]
    fn apply_only_match(&mut self) {
        if self.buffers.applying != [0] {
            self.buffers.applying.clear();
            self.buffers.applying.push(0);
        }
    }

    /// Finds or splits off the only affected instance, and visits it. See [`Slicer::binds_fully`].
    #[inline]
    fn close_full(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        self.apply_only_match();
        let found = self.storage.table.find_full(&plan.shape, self.matches.ids(0, plan.shape.variables));
        let slot = found.map_or(END, |(slot, _)| slot);
        if self.storage.last_evictable == slot {
            self.storage.last_evictable = END;
        } else {
            self.release_evictable(plan);
        }
        if let Some((slot, kind)) = found.or_else(|| self.split_full(plan, step)) {
            self.visit(plan, step, VisitTask { slot, kind, from: 0, to: 1 }, true);
        }
    }

    /// Rings a timer at the time of the current position. The timer may be earlier than the deadline of the instance, above all if the
    /// instance has seen the position already, which must not happen twice.
    fn last_chance(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>, slot: Slot) {
        let is_full = self.storage.table.kind(slot).mask == plan.shape.full();
        if plan.schedule(self.storage.table.state(slot), is_full).deadline < step.frontier {
            self.visit_unmatched(plan, step, slot);
        } else {
            self.reschedule(plan, slot, step.frontier, None);
        }
    }

    /// Lets time pass: no position earlier than `to` will come.
    pub(crate) fn advance(&mut self, plan: &SlicePlan<M>, to: Timestamp) {
        if self.visits_all {
            for slot in self.storage.table.slots().collect::<Vec<Slot>>() {
                self.ring(plan, slot, to);
            }
            if self.new_violations.class_is_violated {
                self.report_classes(plan);
            }
        } else {
            self.ring_before(plan, to);
        }
        self.storage.values.settle();
    }

    #[inline]
    fn ring_before(&mut self, plan: &SlicePlan<M>, to: Timestamp) {
        if plan.keyed.is_some() {
            self.ring_keyed(plan, to);
        }
        while let Some(slot) = self.storage.timers.take(to) {
            self.ring(plan, slot, to);
        }
        if !self.buffers.violated_classes.is_empty() {
            self.report_classes(plan);
        }
    }

    fn ring(&mut self, plan: &SlicePlan<M>, slot: Slot, to: Timestamp) {
        let before = Some(self.violated(plan, slot));
        let state = self.storage.table.state_mut(slot);
        plan.machine.advance(
            state,
            &mut self.buffers.scratch,
            to,
            &mut Sink { totals: None, found: &mut self.buffers.found },
        );
        self.reschedule(plan, slot, to, before);
    }

    fn run_tasks(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        let mut tasks = std::mem::take(&mut self.buffers.tasks);
        if tasks.iter().any(|task| task.kind.mask != plan.shape.full()) {
            // Before an instance is evicted, the one that stands for its binding then must have seen the position.
            tasks.sort_by_key(|task| task.kind.mask.count_ones());
        }
        for task in &tasks {
            self.visit(plan, step, *task, task.kind.mask == plan.shape.full());
        }
        self.buffers.tasks = tasks;
    }

    /// Visits the instances that no match affects.
    fn visit_others(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        let mut visited: Vec<Slot> = self.buffers.tasks.iter().map(|task| task.slot).collect();
        visited.sort_unstable();
        let slots: Vec<Slot> = self.storage.table.slots().collect();
        work::add(slots.len());
        for slot in &slots {
            let is_settled = plan.machine.attention(self.storage.table.state(*slot)) == Attention::Nothing;
            if visited.binary_search(slot).is_err() && !is_settled {
                self.visit_unmatched(plan, step, *slot);
            }
        }
        let is_restless = |slot: Slot| plan.machine.attention(self.storage.table.state(slot)) == Attention::Every;
        let restless: Vec<Slot> = slots.iter().copied().filter(|slot| is_restless(*slot)).collect();
        // The root decides, because it is the same in all shards.
        let all_can_rest = if plan.capabilities.may_be_restless { !is_restless(ROOT) } else { restless.is_empty() };
        if all_can_rest {
            self.visits_all = false;
            self.restless = restless;
            for slot in slots {
                self.reschedule(plan, slot, step.frontier, None);
            }
        }
    }

    /// Visits the instances that the position before left restless, the first `count` of the list, unless a match affects them.
    #[cold]
    fn visit_restless(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>, count: usize) {
        let restless: Vec<Slot> = self.restless.drain(..count).collect();
        let mut visited: Vec<Slot> = self.buffers.tasks.iter().map(|task| task.slot).collect();
        visited.sort_unstable();
        for slot in restless {
            if visited.binary_search(&slot).is_err() {
                self.visit_unmatched(plan, step, slot);
            }
        }
    }

    /// Visits an instance that no match affects.
    fn visit_unmatched(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>, slot: Slot) {
        let kind = self.storage.table.kind(slot);
        self.visit(plan, step, VisitTask { slot, kind, from: 0, to: 0 }, kind.mask == plan.shape.full());
    }

    /// Lets the machine visit an instance, lists violations, and reschedules the instance. `is_full`: it binds every variable.
    #[inline(always)]
    fn visit(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>, task: VisitTask, is_full: bool) {
        work::add(1);
        let VisitTask { slot, kind, .. } = task;
        let is_reported = is_full && plan.reports_full;
        let before = (!is_reported || !M::COUNTS_IN_SINK).then(|| self.violated(plan, slot));
        let Slicer { storage: Storage { values, table, .. }, matches, buffers, evicted, visits_all, restless, .. } =
            self;
        let violated_before = evicted.totals.violated;
        let (state, ids) = table.parts(slot);
        let at = BindingPosition {
            position: step.position,
            first: step.first,
            previous: step.previous,
            matches,
            applying: &buffers.applying[task.from as usize..task.to as usize],
            ids,
            values,
        };
        let totals = is_reported.then_some(&mut evicted.totals);
        let sink = &mut Sink { totals, found: &mut buffers.found };
        plan.machine.visit(state, &mut buffers.scratch, &at, sink);
        let schedule = (!*visits_all).then(|| plan.schedule(state, is_full));
        if plan.capabilities.may_be_restless && !*visits_all && plan.machine.attention(state) == Attention::Every {
            restless.push(slot);
        }
        if self.evicted.totals.violated > violated_before {
            self.new_violations.violated += self.evicted.totals.violated - violated_before;
            let ids = self.storage.table.ids(slot).to_vec();
            self.list_found(plan, &ids);
        }
        self.follow_up(plan, slot, kind, is_full, schedule, step.frontier, before);
    }

    /// After a change of an instance: lists violations, sets its timer, evicts it if possible. `before` is the result of
    /// [`Slicer::violated`] before the change, if the state itself counts.
    fn reschedule(&mut self, plan: &SlicePlan<M>, slot: Slot, frontier: Timestamp, before: Option<u64>) {
        let kind = self.storage.table.kind(slot);
        let is_full = kind.mask == plan.shape.full();
        let schedule = (!self.visits_all).then(|| plan.schedule(self.storage.table.state(slot), is_full));
        self.follow_up(plan, slot, kind, is_full, schedule, frontier, before);
    }

    #[allow(clippy::too_many_arguments)] // inlined
    #[inline(always)]
    fn follow_up(
        &mut self,
        plan: &SlicePlan<M>,
        slot: Slot,
        kind: InstanceKind,
        is_full: bool,
        schedule: Option<Schedule>,
        frontier: Timestamp,
        before: Option<u64>,
    ) {
        if let Some(before) = before
            && plan.universal
        {
            let violated = self.violated(plan, slot);
            if violated > before {
                self.note_violations(plan, slot, is_full, violated - before);
            }
        }
        let Some(schedule) = schedule else { return };
        let quiescent = schedule.busy_until < frontier;
        // A state that only time makes quiescent is checked again at that time.
        let next = if quiescent { schedule.deadline } else { schedule.deadline.min(schedule.busy_until) };
        self.storage.timers.arm(next, slot);
        if !is_full || plan.shape.variables == 0 {
            // Only full bindings are evicted.
        } else if plan.capabilities.counts_in_root {
            let (state, root) = (self.storage.table.state(slot), self.storage.table.state(ROOT));
            if plan.machine.is_like(state, root) {
                let counts = plan.machine.counts(root);
                self.root_counts.take_back((counts.activated, counts.satisfied));
                self.evict(plan, slot);
                return;
            }
        } else if quiescent && self.may_evict(plan, slot) {
            // A state that remembers something is evicted immediately: reports must not depend on other events.
            if self.storage.last_evictable != END || !plan.capabilities.initial_is_quiescent {
                self.evict(plan, slot);
            } else {
                self.storage.timers.disarm(slot);
                self.storage.last_evictable = slot;
            }
            return;
        }
        if quiescent != kind.quiescent {
            self.storage.table.change_kind(&plan.shape, slot, InstanceKind { quiescent, ..kind });
        }
        if kind.mask == 0 {
            self.root_matters = !quiescent || plan.machine.counts(self.storage.table.state(slot)).any;
        }
    }

    /// The number of violations of a state that counts for itself.
    #[inline]
    fn violated(&self, plan: &SlicePlan<M>, slot: Slot) -> u64 {
        plan.machine.counts(self.storage.table.state(slot)).violated
    }

    /// Returns true if only its counts distinguish a quiescent full binding from the instance that would stand for it.
    #[inline(always)]
    fn may_evict(&self, plan: &SlicePlan<M>, slot: Slot) -> bool {
        let table = &self.storage.table;
        if !plan.evicts || (!plan.universal && plan.machine.counts(table.state(slot)).violated > 0) {
            return false;
        }
        if plan.parts.is_some() || (self.storage.partials == 0 && !self.root_matters) {
            return true;
        }
        let Some(parent) = table.sole_parent(plan.shape.full(), table.ids(slot)) else { return false };
        table.kind(parent).quiescent && !plan.machine.counts(table.state(parent)).any
    }

    /// Evicts the instance that was kept for one more event, if that is still possible.
    #[inline]
    fn release_evictable(&mut self, plan: &SlicePlan<M>) {
        let slot = std::mem::replace(&mut self.storage.last_evictable, END);
        if slot == END {
            return;
        }
        if self.may_evict(plan, slot) {
            self.evict(plan, slot);
        } else {
            self.storage.table.change_kind(
                &plan.shape,
                slot,
                InstanceKind { mask: plan.shape.full(), quiescent: true },
            );
        }
    }

    /// Removes an instance and keeps its counts.
    #[inline(always)]
    fn evict(&mut self, plan: &SlicePlan<M>, slot: Slot) {
        let state = self.storage.table.state(slot);
        if plan.universal && plan.machine.counts(state).any {
            let mut outcome = plan.machine.outcome(state);
            if !outcome.violations.is_empty() {
                outcome.violations = bind(plan, &self.storage, self.storage.table.ids(slot), outcome.violations);
            }
            self.evicted.add(outcome);
        }
        self.storage.remove(slot);
    }

    /// Returns true if the next position must be closed, even without a match.
    pub(crate) fn sees_next(&self, plan: &SlicePlan<M>) -> bool {
        self.visits_all || !self.restless.is_empty() || (plan.fails_early && self.early.is_none())
    }

    /// The earliest time that must not pass without a call; [`NEXT_POSITION`] if the next position must be closed.
    #[inline]
    pub(crate) fn next_wakeup(&self) -> Timestamp {
        if self.restless.is_empty() {
            self.storage.timers.next().min(self.storage.keyed.deadlines.next())
        } else {
            NEXT_POSITION
        }
    }

    /// The number of instances apart from the root.
    pub(crate) fn bindings(&self) -> usize {
        self.storage.table.live() - 1 - usize::from(self.storage.last_evictable != END) + self.storage.keyed.live()
    }

    pub(crate) fn bytes(&self, plan: &SlicePlan<M>) -> usize {
        self.storage.bytes() + (self.storage.table.live() + self.storage.keyed.live()) * plan.capabilities.heap_bytes
    }

    /// Ends the trace.
    pub(crate) fn finish(&mut self, plan: &SlicePlan<M>, extent: Extent, end: End) -> Outcome {
        self.release_evictable(plan);
        let evicted = std::mem::replace(&mut self.evicted, ObligationRecord::new(0));
        let (storage, scratch, decided_by_end) = (&mut self.storage, &mut self.buffers.scratch, vec![]);
        let mut evaluation = QuantifierEvaluation { plan, storage, scratch, extent, end, decided_by_end };
        let outcome = evaluation.outcome(evicted, self.root_counts, self.early.clone());
        self.new_violations.list(evaluation.decided_by_end);
        Outcome { merged_simultaneous: self.merged && plan.least_gap > 0, ..outcome }
    }

    /// Adds the run of another shard. Instances that do not bind the variable that divides the shards are the same in both.
    pub(crate) fn absorb(&mut self, plan: &SlicePlan<M>, mut other: Slicer<M>) {
        self.release_evictable(plan);
        other.release_evictable(plan);
        self.merged |= other.merged;
        self.storage.absorb(&plan.shape, other.storage);
        self.evicted.join(other.evicted);
        self.root_counts.join(other.root_counts);
    }

    /// Rebuilds what a snapshot leaves out. Returns `false` if the snapshot is damaged.
    pub(crate) fn rebuild(&mut self, plan: &SlicePlan<M>) -> bool {
        self.buffers.found = ViolationLog::new(self.evicted.log.limit());
        self.storage.rebuild(&plan.shape)
            && self.restless.iter().all(|slot| (*slot as usize) < self.storage.table.capacity())
            && self.restless.iter().all(|slot| self.storage.table.is_live(*slot))
    }
}

#[cfg(test)]
mod tests;
