// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fast path of a property with one variable that all of its events bind. The value of an event leads to a state, the machine takes the
//! event, and a state that is initial again is removed. No other instance is affected, and the root stays as it is.
//!
//! Example: `forall i. G(request(i) -> F[0,10] response(i))`. `request(7)` creates the state of 7, which waits until its deadline;
//! `response(7)` finds that state by the number of the value, and removes it.
//!
//! The fast path ends when an event matches several patterns of the property, because the position must be gathered first. The instances
//! then move to the table ([`Slicer::close_keyed`]), once, and the general path of `slicing.rs` handles the rest of the trace.
//!
//! COST: one lookup of the value and one step of the machine per event.

use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_ir::atom::VariableId;
use gnomon_ir::core::AtomId;

use super::{SlicePlan, Slicer};
use crate::engine::Observation;
use crate::matcher::{SliceTest, pass};
use crate::partitioner::Shard;
use crate::slice::machine::{Machine, Schedule, Sink};
use crate::slice::storage::index::Mask;
use crate::slice::storage::values::Id;
use crate::slice::storage::{InstanceKind, ROOT};
use crate::work;

/// Returns for each atom whether it changes the initial state, where instances may be keyed; `None` elsewhere.
pub(super) fn initial_effects<M: Machine>(plan: &SlicePlan<M>, atoms: &[Mask]) -> Option<Vec<bool>> {
    let capabilities = &plan.capabilities;
    let is_possible = M::IS_KEYED
        && plan.shape.variables == 1
        && plan.reports_full
        && plan.evicts
        && plan.least_gap == 0
        && !plan.needs_domains
        && atoms.iter().all(|mask| *mask == plan.shape.full())
        && capabilities.initial_is_quiescent
        && capabilities.is_time_invariant
        && !capabilities.filters_bindings
        && !capabilities.may_be_restless
        && !capabilities.visits_every_position;
    let begins = |atom: usize| plan.machine.begins_with(AtomId(atom as u32));
    is_possible.then(|| (0..atoms.len()).map(begins).collect())
}

/// Returns the time at which a state must be visited.
#[inline]
fn wakeup(schedule: Schedule) -> Timestamp {
    schedule.deadline.min(schedule.busy_until)
}

impl<M: Machine> Slicer<M> {
    /// Takes in the only event of a position.
    #[inline]
    pub(super) fn take_keyed(
        &mut self,
        plan: &SlicePlan<M>,
        begins: &[bool],
        test: &SliceTest,
        observation: &Observation<'_>,
        position: u64,
    ) {
        let Observation { event, origin, shard, .. } = *observation;
        self.ring_keyed(plan, origin.time);
        let values = &mut self.storage.values;
        let begins = begins[test.atom.0 as usize];
        let number = |value: &Value<'_>| if begins { Some(values.number(value)) } else { values.find(value) };
        let id = match test.sole {
            Some((VariableId(0), key)) if shard == Shard::WHOLE => {
                event.fields.get(key).and_then(|value| pass(value, number))
            }
            _ => {
                let is_match = self.gather(plan, test, observation);
                let id = is_match.then(|| self.matches.ids(0, 1)[0]);
                self.matches.clear();
                id
            }
        };
        if let Some(id) = id {
            self.visit_keyed(plan, id, begins, test.atom, position, observation);
        }
        self.storage.values.settle();
    }

    #[inline]
    fn visit_keyed(
        &mut self,
        plan: &SlicePlan<M>,
        id: Id,
        begins: bool,
        atom: AtomId,
        position: u64,
        observation: &Observation<'_>,
    ) {
        work::add(2);
        let storage = &mut self.storage;
        if !storage.values.is_held(id) {
            if !begins {
                return;
            }
            let initial = storage.table.state(ROOT).clone();
            storage.keyed.add(id, initial, &mut storage.values);
        }
        let violated_before = self.evicted.totals.violated;
        let state = storage.keyed.get_mut(id);
        let before = wakeup(plan.machine.schedule(state));
        let sink = &mut Sink { totals: Some(&mut self.evicted.totals), found: &mut self.buffers.found };
        plan.machine.take(state, atom, position, observation.origin, sink);
        let schedule = plan.machine.schedule(state);
        self.follow_up_keyed(plan, id, schedule, before, observation.origin.time, violated_before);
    }

    /// After a change of an instance: lists violations, adds its deadline, removes it if it is initial again. `before` is its wake-up before
    /// the change.
    #[inline]
    fn follow_up_keyed(
        &mut self,
        plan: &SlicePlan<M>,
        id: Id,
        schedule: Schedule,
        before: Timestamp,
        frontier: Timestamp,
        violated_before: u64,
    ) {
        if self.evicted.totals.violated > violated_before {
            self.new_violations.violated += self.evicted.totals.violated - violated_before;
            self.list_found(plan, &[id]);
        }
        if schedule.busy_until < frontier {
            self.storage.keyed.remove(id, &mut self.storage.values);
        } else if wakeup(schedule) != before {
            self.storage.keyed.wait(id, wakeup(schedule));
        }
    }

    /// Lets time pass for the instances whose deadline is before `to`.
    #[inline]
    pub(super) fn ring_keyed(&mut self, plan: &SlicePlan<M>, to: Timestamp) {
        while let Some((at, id)) = self.storage.keyed.deadlines.take(to) {
            self.ring_one_keyed(plan, at, id, to);
        }
    }

    /// Lets time pass for an instance, if the deadline is still its own.
    fn ring_one_keyed(&mut self, plan: &SlicePlan<M>, at: Timestamp, id: Id, to: Timestamp) {
        let storage = &mut self.storage;
        if !storage.values.is_held(id) || wakeup(plan.machine.schedule(storage.keyed.get(id))) != at {
            return;
        }
        let violated_before = self.evicted.totals.violated;
        let state = storage.keyed.get_mut(id);
        let sink = &mut Sink { totals: Some(&mut self.evicted.totals), found: &mut self.buffers.found };
        plan.machine.advance(state, &mut self.buffers.scratch, to, sink);
        let schedule = plan.machine.schedule(state);
        self.follow_up_keyed(plan, id, schedule, at, to, violated_before);
    }

    /// Moves all instances to the table.
    #[cold]
    pub(super) fn close_keyed(&mut self, plan: &SlicePlan<M>) {
        if !self.storage.keyed.is_open() {
            return;
        }
        for (id, state) in self.storage.keyed.close(&self.storage.values) {
            let deadline = wakeup(plan.machine.schedule(&state));
            let kind = InstanceKind { mask: plan.shape.full(), quiescent: false };
            let slot = self.storage.insert(&plan.shape, kind, &[id], state);
            // The row holds the value now.
            self.storage.values.release(id);
            self.storage.timers.arm(deadline, slot);
        }
    }
}
