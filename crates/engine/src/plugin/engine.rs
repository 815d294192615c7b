// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine of logic plug-ins: keeps the instances, finds those that an event concerns, creates new ones and reports.
//!
//! [`plugin`](super) explains the terms and has an example. An event of a letter with the parameters A is taken in three parts:
//!
//! 1. *Steps*: each stored instance that contains the event takes the letter. One that can report nothing more is removed.
//! 2. *Creation*: each stored instance that agrees with the event, but does not contain it, may be the source of a new one. The empty
//!    instance, the root, always is stored.
//! 3. *Memory*: the event's own binding is remembered, unless an instance is stored for it.
//!
//! Where every event binds the only parameter, an instance is a state at the number of its value, as in
//! [`KeyedStates`](crate::slice::storage::keyed::KeyedStates); no instance is created from another one, and dead instances stay to be remembered.

use gnomon_core::event::Fields;
use gnomon_core::symbols::Key;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{Cause, End, Origin, Outcome, Simultaneous, TracePosition, Verdict, Violation};
use gnomon_ir::atom::VariableId;
use gnomon_ir::core::{Category, Creation, PluginBody, PluginCore};
use serde::{Deserialize, Serialize};

use super::runs::{DEAD, INITIAL, RunStates, RunStep, StateNumber};
use super::seen::SeenBindings;
use super::{LetterTest, PluginMachine, PluginPlan};
use crate::accounting::{Explanation, ObligationRecord, Totals, Trigger, ViolationLog, entry, report_order};
use crate::engine::{Engine, Observation, SharedState};
use crate::matcher::{ValueSource, pass};
use crate::monitor::MemoryUse;
use crate::partitioner::{Owner, Shard};
use crate::scheduler::{CompletePosition, EventEffect};
use crate::slice::machine::Extent;
use crate::slice::storage::index::{END, Mask, Slot};
use crate::slice::storage::values::{Id, NONE};
use crate::slice::storage::{InstanceKind, ROOT, Storage};
use crate::work;

/// The run of a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PluginEngine {
    /// The number of the state of each instance, with its [marks](MARKS).
    storage: Storage<u32>,
    seen: SeenBindings,
    /// The states of runs, unless the plan has all of them.
    states: Option<RunStates>,
    record: ObligationRecord,
    /// The number of instances with a violation.
    violated_instances: u64,
    #[serde(skip)]
    buffers: PluginBuffers,
}

/// Mark of an instance that was counted as activated.
const ACTIVATED: u32 = 1 << 31;

/// Mark of an instance that had a violation.
const VIOLATED: u32 = 1 << 30;

const MARKS: u32 = ACTIVATED | VIOLATED;

/// Buffers that are used again at each event.
#[derive(Clone, Debug, Default)]
struct PluginBuffers {
    /// The values of the event.
    ids: Vec<Id>,
    /// The values of a new instance.
    joined: Vec<Id>,
    /// The sets of parameters and the states of created instances that are not stored yet, and their values one after the other.
    created: Vec<(Mask, u32)>,
    created_ids: Vec<Id>,
    /// The last event that matched, with its letter.
    last_match: Option<(u64, usize)>,
    /// The reports of the letter: the category, and the values of each instance one after the other.
    categories: Vec<u16>,
    reported: Vec<Id>,
}

/// The numbers of instances that steps add to.
struct InstanceCounts<'c> {
    activated: &'c mut u64,
    violated: &'c mut u64,
}

/// A letter at a position.
#[derive(Clone, Copy)]
struct LetterEvent<'a> {
    letter: usize,
    at: TracePosition,
    trigger: Trigger<'a>,
}

impl PluginEngine {
    fn new(plan: &PluginPlan, max_violations: usize) -> Self {
        let empty = crate::slice::storage::Shape::new(0, vec![]);
        let machine = plan.machine.as_deref();
        let shape = machine.map_or(&empty, |machine| &machine.shape);
        let mut engine = PluginEngine {
            storage: Storage::new(shape, false),
            seen: SeenBindings::default(),
            states: None,
            record: ObligationRecord::new(0),
            violated_instances: 0,
            buffers: PluginBuffers::default(),
        };
        engine.clear(plan, max_violations);
        engine
    }

    /// Removes everything but allocated memory.
    fn clear(&mut self, plan: &PluginPlan, max_violations: usize) {
        let log = ViolationLog::of_single_positions(max_violations);
        self.record = ObligationRecord { totals: Totals::default(), log };
        self.violated_instances = 0;
        self.storage.clear();
        let Some(machine) = plan.machine.as_deref() else { return };
        self.seen = SeenBindings::new(&machine.creation_rules.remembered);
        self.states = (!machine.is_complete).then(|| machine.first.clone());
        let nothing = vec![NONE; machine.shape.variables];
        let root = InstanceKind { mask: 0, quiescent: false };
        let Storage { table, values, .. } = &mut self.storage;
        table.add(&machine.shape, root, &nothing, INITIAL, values);
        self.buffers.last_match = None;
    }

    /// Returns the step of a state by a letter.
    #[inline]
    fn step(states: &mut Option<RunStates>, machine: &PluginMachine, state: StateNumber, letter: usize) -> RunStep {
        match states {
            None => machine
                .first
                .known_step(machine.rules.letters.len(), state, letter)
                .expect("the plan has all steps: it says so (`is_complete`)"),
            Some(states) => states.step(&machine.rules, state, letter),
        }
    }

    fn with_mask(&mut self, machine: &PluginMachine, state: StateNumber, mask: Mask) -> StateNumber {
        match &mut self.states {
            None => machine.first.known_with_mask(&machine.rules, state, mask),
            Some(states) => states.with_mask(&machine.rules, state, mask),
        }
    }

    /// Counts a step of an instance and notes its report. Returns the instance's new state.
    #[inline]
    fn apply(
        counts: &mut InstanceCounts<'_>,
        buffers: &mut PluginBuffers,
        (before, step): (u32, RunStep),
        category: impl FnOnce() -> u16,
        ids: &[Id],
    ) -> u32 {
        let mut marks = before & MARKS;
        if step.is_live() && marks & ACTIVATED == 0 {
            *counts.activated += 1;
            marks |= ACTIVATED;
        }
        if step.reports() {
            *counts.violated += u64::from(marks & VIOLATED == 0);
            marks |= VIOLATED;
            buffers.categories.push(category());
            buffers.reported.extend_from_slice(ids);
        }
        step.target() | marks
    }

    /// Takes in an event of a letter.
    #[inline]
    fn take(
        &mut self,
        plan: &PluginPlan,
        machine: &PluginMachine,
        test: &LetterTest,
        observation: &Observation<'_>,
        position: u64,
    ) {
        let Observation { event, origin, shard, .. } = *observation;
        let slice = &test.slice;
        if !slice.passes(event.fields) {
            return;
        }
        if test.is_repeated {
            let own = Some((event.index, test.letter));
            if self.buffers.last_match == own || !slice.fits(event.fields) {
                return;
            }
            self.buffers.last_match = own;
        }
        if shard != Shard::WHOLE && !slice.is_owned(machine.shared_by, event.fields, shard) {
            return;
        }
        let trigger = Trigger::Position { position, decider: origin, letter: 0 };
        let letter = LetterEvent { letter: test.letter, at: TracePosition { position, origin: *origin }, trigger };
        match slice.sole {
            Some((_, key)) if machine.is_keyed => {
                let begins = machine.begins[test.letter];
                let values = &mut self.storage.values;
                let number = |value: &Value<'_>| if begins { Some(values.number(value)) } else { values.find(value) };
                let id = event.fields.get(key).and_then(|value| pass(value, number));
                if let Some(id) = id {
                    self.take_keyed(plan, machine, letter, id);
                }
            }
            _ if self.bind(machine, &slice.variables, event.fields) => match *self.buffers.ids.as_slice() {
                [id] if machine.is_keyed => self.take_keyed(plan, machine, letter, id),
                _ => self.take_letter(plan, machine, letter),
            },
            _ => {}
        }
        self.storage.values.settle();
        if self.states.as_ref().is_some_and(RunStates::is_full) {
            self.collect(machine);
        }
    }

    /// Numbers the values of an event. Returns false if one is missing, or a parameter has two.
    fn bind(&mut self, machine: &PluginMachine, variables: &[(ValueSource, VariableId)], fields: &dyn Fields) -> bool {
        let (ids, values) = (&mut self.buffers.ids, &mut self.storage.values);
        ids.clear();
        ids.resize(machine.shape.variables, NONE);
        variables.iter().all(|(source, id)| {
            source.with(fields, |value: &Value<'_>| {
                let number = values.number(value);
                let own = &mut ids[id.0 as usize];
                let before = std::mem::replace(own, number);
                before == NONE || before == number
            })
        })
    }

    /// Has the instance of a value take a letter.
    #[inline]
    fn take_keyed(&mut self, plan: &PluginPlan, machine: &PluginMachine, event: LetterEvent<'_>, id: Id) {
        work::add(2);
        if !self.storage.values.is_held(id) {
            if !machine.begins[event.letter] {
                return;
            }
            let first = self.with_mask(machine, INITIAL, machine.shape.full());
            let Storage { keyed, values, .. } = &mut self.storage;
            keyed.add(id, first, values);
        }
        self.step_keyed(machine, event.letter, id);
        if !self.buffers.categories.is_empty() {
            self.report(plan, event);
        }
    }

    #[inline]
    fn step_keyed(&mut self, machine: &PluginMachine, letter: usize, id: Id) {
        let PluginEngine { storage, states, record, violated_instances, buffers, .. } = self;
        let counts = &mut InstanceCounts { activated: &mut record.totals.activated, violated: violated_instances };
        let word = storage.keyed.get_mut(id);
        let step = Self::step(states, machine, *word & !MARKS, letter);
        let before = *word;
        let category = || category(states.as_ref(), machine, before, letter);
        *word = Self::apply(counts, buffers, (before, step), category, &[id]);
    }

    /// Has all instances that contain an event take its letter, and creates instances. The values of the event are in the buffer.
    fn take_letter(&mut self, plan: &PluginPlan, machine: &PluginMachine, event: LetterEvent<'_>) {
        let ids = std::mem::take(&mut self.buffers.ids);
        let own = machine.rules.letters[event.letter].mask;
        let mut is_stored = self.step_instances(machine, event.letter, own, &ids);
        if !machine.creation_rules.creates_nothing(event.letter) {
            is_stored |= self.create_instances(machine, event.letter, own, &ids, is_stored);
        }
        let is_remembered =
            !machine.creation_rules.remembers_creation_only || machine.rules.letters[event.letter].creates;
        if own != 0 && is_remembered && (own.is_power_of_two() || !is_stored) {
            self.seen.insert(own, &ids, &mut self.storage.values);
        }
        self.buffers.ids = ids;
        if !self.buffers.categories.is_empty() {
            self.report(plan, event);
        }
    }

    /// Has all stored instances that contain an event take its letter. Returns true if the instance of the event itself is stored.
    fn step_instances(&mut self, machine: &PluginMachine, letter: usize, own: Mask, ids: &[Id]) -> bool {
        let mut is_stored = false;
        for number in 0..self.storage.table.kind_count() {
            let mask = self.storage.table.kind_at(number).mask;
            if own & !mask != 0 {
                continue;
            }
            let mut slot = self.storage.table.first(number, own, ids);
            is_stored |= mask == own && slot != END;
            while slot != END {
                let next = self.storage.table.next(number, own, slot);
                if self.step_instance(machine, letter, slot) == DEAD && slot != ROOT {
                    self.remove(machine, slot, mask);
                    is_stored &= mask != own;
                }
                slot = next;
            }
        }
        is_stored
    }

    /// Has a stored instance take a letter. Returns its new state.
    #[inline]
    fn step_instance(&mut self, machine: &PluginMachine, letter: usize, slot: Slot) -> StateNumber {
        work::add(1);
        let PluginEngine { storage, states, record, violated_instances, buffers, .. } = self;
        let counts = &mut InstanceCounts { activated: &mut record.totals.activated, violated: violated_instances };
        let (word, ids) = storage.table.parts(slot);
        let step = Self::step(states, machine, *word & !MARKS, letter);
        let before = *word;
        let category = || category(states.as_ref(), machine, before, letter);
        *word = Self::apply(counts, buffers, (before, step), category, ids);
        step.target()
    }

    /// Removes an instance that can report nothing more. Its binding is remembered, unless a single value, which the event has marked.
    fn remove(&mut self, machine: &PluginMachine, slot: Slot, mask: Mask) {
        let Storage { table, values, .. } = &mut self.storage;
        if machine.creation_rules.remembered.contains(&mask) {
            self.seen.insert(mask, table.ids(slot), values);
        }
        table.remove(slot, values);
    }

    /// Creates the instances that begin with an event. `is_stored` says whether the instance of the event itself is stored. Returns true if
    /// that one was created.
    fn create_instances(
        &mut self,
        machine: &PluginMachine,
        letter: usize,
        own: Mask,
        ids: &[Id],
        is_stored: bool,
    ) -> bool {
        let mut is_created = false;
        for number in 0..self.storage.table.kind_count() {
            let source = self.storage.table.kind_at(number).mask;
            if own & !source == 0 || !machine.creation_rules.is_source(letter, source) {
                continue;
            }
            let on = own & source;
            let mut slot = if source == 0 { ROOT } else { self.storage.table.first(number, on, ids) };
            while slot != END {
                let next = if source == 0 { END } else { self.storage.table.next(number, on, slot) };
                let is_new = self.create(machine, letter, (own, ids, is_stored), (source, slot));
                is_created |= is_new && source & !own == 0;
                slot = next;
            }
        }
        self.store_created(machine);
        is_created
    }

    /// Stores the instances that the event has created. Not earlier: whether one is created depends on the events before.
    fn store_created(&mut self, machine: &PluginMachine) {
        let Storage { table, values, .. } = &mut self.storage;
        let (created, ids, width) = (&mut self.buffers.created, &mut self.buffers.created_ids, machine.shape.variables);
        for (number, (mask, word)) in created.iter().enumerate() {
            let binding = &ids[number * width..(number + 1) * width];
            table.add(&machine.shape, InstanceKind { mask: *mask, quiescent: false }, binding, *word, values);
        }
        created.clear();
        ids.clear();
    }

    /// Creates the join of an event with a stored instance, if the latter is its largest part so far, and it may report. Returns true if
    /// it is to be stored.
    fn create(
        &mut self,
        machine: &PluginMachine,
        letter: usize,
        (own, ids, is_stored): (Mask, &[Id], bool),
        (source, slot): (Mask, Slot),
    ) -> bool {
        work::add(1);
        let mask = own | source;
        let drops_before = machine.rules.creation == Creation::DropBefore;
        let before = if drops_before { INITIAL } else { *self.storage.table.state(slot) & !MARKS };
        let before = self.with_mask(machine, before, mask);
        let step = Self::step(&mut self.states, machine, before, letter);
        if step.target() == DEAD && !step.is_live() {
            return false;
        }
        let mut joined = std::mem::take(&mut self.buffers.joined);
        joined.clear();
        let values = ids.iter().zip(self.storage.table.ids(slot));
        joined.extend(values.map(|(own, other)| if *own == NONE { *other } else { *own }));
        let is_known = self.has_more_events(machine, (own, is_stored), (mask, source), &joined);
        if !is_known {
            let PluginEngine { states, record, violated_instances, buffers, .. } = self;
            let counts = &mut InstanceCounts { activated: &mut record.totals.activated, violated: violated_instances };
            let category = || category(states.as_ref(), machine, before, letter);
            let word = Self::apply(counts, buffers, (before, step), category, &joined);
            if step.target() != DEAD {
                self.buffers.created.push((mask, word));
                self.buffers.created_ids.extend_from_slice(&joined);
            }
        }
        self.buffers.joined = joined;
        !is_known && step.target() != DEAD
    }

    /// Returns true if an event came before that is in a new instance, but not in its source. `is_stored` says whether the instance of the
    /// event that is being taken was stored before it.
    fn has_more_events(
        &self,
        machine: &PluginMachine,
        (own, is_stored): (Mask, bool),
        (mask, source): (Mask, Mask),
        joined: &[Id],
    ) -> bool {
        let is_seen = |set: &Mask| {
            if set & !mask != 0 || set & !source == 0 {
                return false;
            }
            let is_instance = || if *set == own { is_stored } else { self.storage.table.find(*set, joined) != END };
            self.seen.contains(*set, joined) || (!set.is_power_of_two() && is_instance())
        };
        machine.creation_rules.remembered.iter().any(is_seen)
    }

    /// Counts and lists the reports of a letter.
    #[cold]
    fn report(&mut self, plan: &PluginPlan, event: LetterEvent<'_>) {
        let PluginEngine { storage, record, buffers, .. } = self;
        let core = &plan.core;
        record.totals.violate(buffers.categories.len() as u64, event.trigger);
        let room = record.log.room();
        let width = core.prefix.len();
        let mut found: Vec<Violation> = Vec::new();
        for (number, category) in buffers.categories.iter().enumerate().filter(|_| room > 0) {
            let binding = storage.values.binding(&core.prefix, &buffers.reported[number * width..(number + 1) * width]);
            let explanation = explanation(core, event.letter, *category, &event.at.origin);
            let one = entry(event.at, event.at.position, core.span, event.trigger, explanation);
            found.push(Violation { binding, ..one });
            // Those that come first in a report are kept.
            if found.len() >= room.saturating_mul(2).saturating_add(64) {
                found.sort_by(report_order);
                found.truncate(room);
            }
        }
        found.sort_by(report_order);
        for violation in found {
            record.log.push(|| violation);
        }
        buffers.categories.clear();
        buffers.reported.clear();
    }

    /// RULE L1. Has every instance take the letter of the end of the trace.
    fn end_trace(&mut self, plan: &PluginPlan, machine: &PluginMachine, extent: Extent) {
        let (Some(letter), Some(origin)) = (machine.end, extent.last) else { return };
        let at = TracePosition { position: extent.positions - 1, origin };
        for id in self.storage.keyed.ids(&self.storage.values).collect::<Vec<Id>>() {
            self.step_keyed(machine, letter, id);
        }
        self.buffers.ids = vec![NONE; machine.shape.variables];
        self.take_letter(plan, machine, LetterEvent { letter, at, trigger: Trigger::End(extent.last_time) });
        if !self.buffers.categories.is_empty() {
            self.report(plan, LetterEvent { letter, at, trigger: Trigger::End(extent.last_time) });
        }
    }

    /// Collects states of runs that no instance is in.
    #[cold]
    fn collect(&mut self, machine: &PluginMachine) {
        let Some(states) = &mut self.states else { return };
        let Storage { table, keyed, values, .. } = &mut self.storage;
        let (slots, ids) = (table.slots().collect::<Vec<Slot>>(), keyed.ids(values).collect::<Vec<Id>>());
        let in_table = slots.iter().map(|slot| *table.state(*slot));
        let used = in_table.chain(ids.iter().map(|id| *keyed.get(*id))).map(|word| word & !MARKS);
        let numbers = states.retain(&machine.rules, used.collect::<Vec<u32>>().into_iter());
        let renumber = |word: &mut u32| *word = numbers[(*word & !MARKS) as usize] | (*word & MARKS);
        for slot in slots {
            renumber(table.state_mut(slot));
        }
        for id in ids {
            renumber(keyed.get_mut(id));
        }
    }
}

/// Returns the category that a step reports.
#[cold]
fn category(states: Option<&RunStates>, machine: &PluginMachine, before: u32, letter: usize) -> u16 {
    let states = states.unwrap_or(&machine.first);
    states.category(machine.rules.letters.len(), before & !MARKS, letter)
}

/// Explains a violation by the event at which it is reported.
fn explanation(core: &PluginCore, letter: usize, category: u16, origin: &Origin) -> Explanation {
    let forbidden = &core.forbidden[category as usize];
    let name = forbidden.category.name();
    let summary = forbidden.message.clone().unwrap_or_else(|| match (&forbidden.category, &core.body) {
        (Category::Match, PluginBody::Cfg(_)) => "the events form a word of the grammar".to_owned(),
        (Category::Match, _) => "the events match the expression".to_owned(),
        (Category::Fail, _) => "no continuation of the events matches".to_owned(),
        (Category::States { .. }, _) => format!("the state machine is in `{name}`"),
        (Category::Violation, _) => "the events violate the formula".to_owned(),
        (Category::Validation, _) => "the events satisfy the formula".to_owned(),
    });
    let note = format!("`{}`: {name}", core.letters[letter].name);
    (summary, vec![Cause { origin: *origin, note }])
}

impl Engine for PluginEngine {
    type Plan = PluginPlan;
    type Test = LetterTest;

    fn simultaneous(_: &PluginPlan) -> Simultaneous {
        Simultaneous::Sequence
    }

    fn can_partition(plan: &PluginPlan) -> bool {
        plan.machine.as_ref().is_some_and(|machine| machine.shared_by.is_some())
    }

    fn owner(plan: &PluginPlan, test: &LetterTest, fields: &dyn Fields) -> Owner {
        match shared_place(plan, test) {
            Some(source) => source.shard_hash(fields).map_or(Owner::None, Owner::Hash),
            None => Owner::First,
        }
    }

    fn partition_key(plan: &PluginPlan, test: &LetterTest) -> Option<Key> {
        shared_place(plan, test).and_then(ValueSource::key)
    }

    fn reads_previous(plan: &PluginPlan) -> bool {
        // The end of the trace is an event at the last position.
        plan.machine.as_ref().is_some_and(|machine| machine.end.is_some())
    }

    fn start(plan: &PluginPlan, max_violations: usize) -> Self {
        PluginEngine::new(plan, max_violations)
    }

    fn restart(&mut self, plan: &PluginPlan, max_violations: usize) {
        self.clear(plan, max_violations);
    }

    #[inline]
    fn observe(
        &mut self,
        plan: &PluginPlan,
        test: &LetterTest,
        observation: &Observation<'_>,
        position: Option<u64>,
        _: &mut SharedState,
    ) -> EventEffect {
        let position = position.expect("each event is a position, and none is visited later");
        if let Some(machine) = plan.machine.as_deref() {
            self.take(plan, machine, test, observation, position);
        }
        EventEffect::Processed(Timestamp::MAX)
    }

    fn visit(&mut self, _: &PluginPlan, _: &CompletePosition<'_>, _: &mut SharedState) -> Timestamp {
        Timestamp::MAX
    }

    fn advance(&mut self, _: &PluginPlan, _: Timestamp, _: &mut SharedState) {}

    fn wakeup(&self, _: &PluginPlan) -> Timestamp {
        Timestamp::MAX
    }

    fn sees_every_position(&self, _: &PluginPlan) -> bool {
        false
    }

    fn finish(&mut self, plan: &PluginPlan, extent: Extent, end: End, _: &mut SharedState) -> Outcome {
        let Some(machine) = plan.machine.as_deref() else {
            let outcome = self.record.clone().outcome(Verdict::Inconclusive, None, extent.positions);
            return Outcome { fault: Some(super::too_many_states()), ..outcome };
        };
        let mut holds_if_complete = true;
        if end == End::Complete {
            self.end_trace(plan, machine, extent);
        } else if machine.end.is_some() {
            // A prefix is presumed to end here.
            let mut complete = self.clone();
            complete.end_trace(plan, machine, extent);
            holds_if_complete = complete.record.totals.violated == 0;
        }
        // RULE L16
        let mut record = self.record.clone();
        let unviolated = record.totals.activated - self.violated_instances;
        match end {
            End::Complete => record.totals.satisfied = unviolated,
            End::Prefix => record.totals.pending = unviolated,
        }
        record.conclude(end, holds_if_complete, extent.positions)
    }

    fn violation_count(&self, _: &PluginPlan) -> u64 {
        self.record.totals.violated
    }

    fn drain_settled(&mut self, _: &PluginPlan, positions: u64) -> Vec<Violation> {
        self.record.log.drain_settled(positions)
    }

    fn drain(&mut self, _: &PluginPlan, keep: usize) -> Vec<Violation> {
        self.record.log.drain(keep)
    }

    fn memory_use(&self, _: &PluginPlan, _: &SharedState) -> MemoryUse {
        let Storage { table, keyed, .. } = &self.storage;
        let states = self.states.as_ref().map_or(0, RunStates::bytes);
        MemoryUse {
            // The root is always there.
            bindings: table.live() - 1 + keyed.live(),
            bytes: self.storage.bytes() + self.seen.bytes() + states,
        }
    }

    fn absorb(&mut self, plan: &PluginPlan, mut other: Self) {
        let Some(machine) = plan.machine.as_deref() else { return };
        if let (Some(own), Some(others)) = (&mut self.states, other.states.take()) {
            let numbers = own.absorb(&machine.rules, others);
            let renumber = |word: &mut u32| *word = numbers[(*word & !MARKS) as usize] | (*word & MARKS);
            let Storage { table, keyed, values, .. } = &mut other.storage;
            for slot in table.slots().collect::<Vec<Slot>>() {
                renumber(table.state_mut(slot));
            }
            for id in keyed.ids(values).collect::<Vec<Id>>() {
                renumber(keyed.get_mut(id));
            }
        }
        let (foreign, values) = (&other.storage.values, &mut self.storage.values);
        self.seen.absorb(&other.seen, machine.shape.variables, foreign, values);
        self.storage.absorb(&machine.shape, other.storage);
        self.record.join(other.record);
        self.violated_instances += other.violated_instances;
    }

    fn rebuild(&mut self, plan: &PluginPlan, _: &SharedState) -> bool {
        let Some(machine) = plan.machine.as_deref() else { return true };
        let PluginEngine { storage, seen, states, .. } = self;
        if !storage.rebuild(&machine.shape)
            || !seen.rebuild(&machine.creation_rules.remembered, &storage.values)
            || states.is_some() == machine.is_complete
            || !states.as_mut().is_none_or(|states| states.rebuild(&machine.rules))
        {
            return false;
        }
        let bound = states.as_ref().unwrap_or(&machine.first).len();
        let Storage { table, keyed, values, .. } = &*storage;
        let is_known = |word: &u32| ((word & !MARKS) as usize) < bound;
        table.slots().all(|slot| is_known(table.state(slot))) && keyed.ids(values).all(|id| is_known(keyed.get(id)))
    }
}

/// The place of the value that divides the shards.
fn shared_place<'t>(plan: &PluginPlan, test: &'t LetterTest) -> Option<&'t ValueSource> {
    let shared_by = plan.machine.as_ref()?.shared_by?;
    test.slice.variables.iter().find(|(_, id)| id.0 as usize == shared_by).map(|(source, _)| source)
}
