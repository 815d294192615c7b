// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations during a run: lists each one when it becomes certain.
//!
//! A violation of a binding with an instance is found by the visit that decides it. An instance that does not bind every variable stands
//! for a [class](crate::slice::classes) of bindings: a violation of it is one of every member. A binding whose last value is seen late
//! has the violations of its class from before; they become certain with the event that shows the value.
//!
//! Example: `forall u. G(a -> F[0,3] b(u))` with `a` at 1 and `b(2)` at 20. When time passes 4 the root is violated, but no binding exists.
//! `b(2)` shows the value 2: the binding `u = 2` exists, and its violation at the position of `a` is listed.
//!
//! COST: nothing for instances without violations. For a class with violations, the members that are listed, and what
//! [`BindingClasses::sizes`] costs.

use gnomon_core::verdict::{DecisionPoint, End, Violation};

use super::{PositionStep, SlicePlan, Slicer};
use crate::slice::classes::BindingClasses;
use crate::slice::machine::{Extent, Machine, NewInstance};
use crate::slice::quantifiers::{QuantifierEvaluation, bind};
use crate::slice::storage::index::Slot;
use crate::slice::storage::values::Id;

/// The most violations listed between two drains.
const MOST_AT_ONCE: usize = 1 << 20;

impl<M: Machine> Slicer<M> {
    /// Begins to count and list violations before the end of the trace.
    pub(crate) fn watch_violations(&mut self) {
        self.new_violations.is_on = true;
    }

    /// The number of violations that are certain so far. Counted only after [`Slicer::watch_violations`].
    pub(crate) fn violation_count(&self) -> u64 {
        self.new_violations.violated + self.new_violations.of_classes
    }

    /// Drains violations that became certain since the last drain.
    pub(crate) fn drain_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.new_violations.recent)
    }

    /// Drains violations for a caller that does so regularly: no limit applies to all drains together, and each binding
    /// continues to list the first `keep`.
    pub(crate) fn drain_all(&mut self, keep: usize) -> Vec<Violation> {
        (self.new_violations.room, self.new_violations.keep) = (MOST_AT_ONCE, Some(keep));
        self.drain_violations()
    }

    /// RULE Q4, Q5. Evaluates the quantifiers over the trace so far, where more values cannot make the property true again.
    ///
    /// COST: O(instances) per position.
    #[cold]
    pub(super) fn evaluate_early(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        let first = Some(*self.first.get_or_insert(*step.first));
        let decider = self.matches.iter().next().map_or(*step.first, |one| one.origin);
        let PositionStep { position, frontier, .. } = step;
        let extent =
            Extent { positions: position + 1, last_time: step.first.time, frontier, first, last: None, most_listed: 0 };
        let (storage, scratch) = (&mut self.storage, &mut self.buffers.scratch);
        let (end, decided_by_end) = (End::Prefix, vec![]);
        let mut evaluation = QuantifierEvaluation { plan, storage, scratch, extent, end, decided_by_end };
        self.early = evaluation.evaluate(DecisionPoint::Event(decider)).1;
        if let Some(violation) = &self.early {
            self.new_violations.violated = 1;
            self.new_violations.list(vec![violation.clone()]);
        }
    }

    /// Lists the violations that a machine found, with their binding.
    #[cold]
    pub(super) fn list_found(&mut self, plan: &SlicePlan<M>, ids: &[Id]) {
        let found = bind(plan, &self.storage, ids, self.buffers.found.take());
        if self.new_violations.is_on {
            self.new_violations.list(found.clone());
        }
        self.evicted.log.merge(found.into_iter());
    }

    /// Takes in new violations that the state of an instance has counted.
    #[cold]
    pub(super) fn note_violations(&mut self, plan: &SlicePlan<M>, slot: Slot, is_full: bool, count: u64) {
        if !is_full {
            self.new_violations.class_is_violated = true;
            self.buffers.violated_classes.push(slot);
        } else if self.new_violations.is_on && self.covers(plan, slot) {
            self.new_violations.violated += count;
            let fresh = self.fresh_violations(plan, slot);
            let fresh = bind(plan, &self.storage, self.storage.table.ids(slot), fresh);
            self.new_violations.list(fresh);
            if let Some(keep) = self.new_violations.keep {
                plan.machine.trim(self.storage.table.state_mut(slot), keep);
            }
        }
    }

    /// Takes in the violations with which an instance begins: those of the class that its bindings were in.
    #[cold]
    pub(super) fn note_inherited(&mut self, plan: &SlicePlan<M>, slot: Slot, is_full: bool) {
        self.new_violations.class_is_violated |= !is_full;
        if !self.new_violations.is_on || !is_full || !plan.universal || !self.covers(plan, slot) {
            return;
        }
        self.new_violations.violated += self.violated(plan, slot);
        self.buffers.class_was_split = true;
        // A machine that runs the past again has found them just now.
        self.fresh_violations(plan, slot);
        let ids = self.storage.table.ids(slot);
        if self.buffers.new_values.iter().any(|(variable, id)| ids[*variable] == *id) {
            let inherited = plan.machine.outcome(self.storage.table.state(slot)).violations;
            let inherited = bind(plan, &self.storage, ids, inherited);
            self.new_violations.list(inherited);
        }
    }

    /// Returns true if the property covers the binding of a full instance.
    fn covers(&self, plan: &SlicePlan<M>, slot: Slot) -> bool {
        !plan.capabilities.filters_bindings || plan.machine.admits(self.storage.table.ids(slot), &self.storage.values)
    }

    /// Drains the violations that an instance lists for itself; all if it keeps no list.
    fn fresh_violations(&mut self, plan: &SlicePlan<M>, slot: Slot) -> Vec<Violation> {
        let state = self.storage.table.state_mut(slot);
        match plan.machine.record_mut(state) {
            Some(record) => record.log.drain_fresh(),
            None => plan.machine.outcome(state).violations,
        }
    }

    /// Lists new violations of classes for their members, and all violations of a class for members that are new.
    #[cold]
    pub(super) fn report_classes(&mut self, plan: &SlicePlan<M>) {
        let mut violated = std::mem::take(&mut self.buffers.violated_classes);
        let new_values = std::mem::take(&mut self.buffers.new_values);
        let was_split = std::mem::replace(&mut self.buffers.class_was_split, false);
        if self.new_violations.is_on && plan.universal && (was_split || !violated.is_empty() || !new_values.is_empty())
        {
            violated.sort_unstable();
            violated.dedup();
            for slot in &violated {
                let fresh = self.fresh_violations(plan, *slot);
                let members = self.classes(plan).members(*slot, self.new_violations.room);
                let is_new = |ids: &[Id]| new_values.iter().any(|(variable, id)| ids[*variable] == *id);
                for ids in members.into_iter().filter(|ids| !is_new(ids)) {
                    self.list_for_member(plan, *slot, &ids, Some(&fresh));
                }
            }
            if !new_values.is_empty() {
                for slot in self.violated_classes(plan) {
                    let mut members = self.classes(plan).new_members(slot, &new_values, self.new_violations.room);
                    let values = &self.storage.values;
                    let key = |ids: &Vec<Id>| values.binding(&plan.prefix, ids);
                    members.sort_by(|left, right| key(left).compare(&key(right)));
                    for ids in members {
                        self.list_for_member(plan, slot, &ids, None);
                    }
                }
            }
            self.count_classes(plan);
        }
        violated.clear();
        self.buffers.violated_classes = violated;
        self.buffers.new_values = new_values;
    }

    fn classes<'a>(&'a self, plan: &'a SlicePlan<M>) -> BindingClasses<'a, M> {
        BindingClasses { plan, storage: &self.storage }
    }

    /// The instances that do not bind every variable and have violations.
    fn violated_classes(&self, plan: &SlicePlan<M>) -> Vec<Slot> {
        let table = &self.storage.table;
        let is_partial = |slot: &Slot| table.kind(*slot).mask != plan.shape.full();
        table.slots().filter(is_partial).filter(|slot| self.violated(plan, *slot) > 0).collect()
    }

    /// Lists violations of a class for a member: these ones, or all.
    fn list_for_member(&mut self, plan: &SlicePlan<M>, slot: Slot, ids: &[Id], fresh: Option<&[Violation]>) {
        let violations = if let Some(fresh) = fresh.filter(|_| !plan.capabilities.records_all_events) {
            fresh.to_vec()
        } else {
            let (from, mentions) = (self.storage.table.state(slot), self.storage.domains.mentions(ids));
            let to = &NewInstance { ids, values: &self.storage.values, binds_guarded: false, mentions };
            plan.machine.outcome(&plan.machine.split(from, to)).violations
        };
        self.new_violations.list(bind(plan, &self.storage, ids, violations));
    }

    /// Counts the violations of bindings without an instance.
    fn count_classes(&mut self, plan: &SlicePlan<M>) {
        let sizes = self.classes(plan).sizes();
        let of_class = |(slot, size): (&Slot, &u128)| u128::from(self.violated(plan, *slot)).saturating_mul(*size);
        let sum = sizes.iter().map(of_class).fold(0, u128::saturating_add);
        self.new_violations.of_classes = u64::try_from(sum).unwrap_or(u64::MAX);
    }
}
