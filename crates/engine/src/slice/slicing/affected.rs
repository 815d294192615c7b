// SPDX-License-Identifier: MIT OR Apache-2.0
//! Affected instances: which instances a position concerns, and which bindings split from theirs.
//!
//! A match binds the variables of a set A. It concerns an instance that binds the set I if both agree on A ∩ I. If A ⊆ I the
//! match applies to the instance as a whole. Otherwise it applies to a part of the bindings that the instance stands for:
//! those with the values of the match, whose *target* is the join of the two bindings. The target becomes an instance of its
//! own if the event changes it ([`Slicer::must_split`]).
//!
//! Example: with the instances (_,_), (7,a) and (8,b) of the variables c and i, the match `modify(7)` binds c=7. It applies to (7,a) as a
//! whole: a task to visit it. (8,b) disagrees. (_,_) does not bind c, so the match applies to a part of it; the target is (7,_), and it
//! splits from the root only if `modify` changes the root's state.
//!
//! `affected_by_one` is for positions whose matches all bind the same values, as most do; `affected_by_several` for the others;
//! `affected_on_demand` for properties whose states are assembled instead of joined.
//!
//! COST: per kind of instance one lookup in its index, and the instances in the chain that it finds.
//
// After the slicing of Reger, Cruz and Rydeheard (MarQ) and of Chen and Rosu (JavaMOP): states of partial bindings, the most
// specific one counts. Departures: an instance is created only if the event changes its state, positions are global, and a
// quiescent instance is evicted.

use super::binding_set::BindingSet;
use super::split::MatchRange;
use super::{PositionStep, SlicePlan, Slicer, VisitTask};
use crate::slice::machine::Machine;
use crate::slice::storage::index::{END, Mask, Slot, bits, join, mask_of};
use crate::slice::storage::values::{Id, NONE};
use crate::slice::storage::{InstanceKind, ROOT};

/// A binding that may split, and the most specific instance that stands for it.
type SplitTarget = (Vec<Id>, Slot);

/// The matches that apply to targets.
enum ApplyingMatches {
    /// All matches, which bind the same values.
    All { is_no_op: bool },
    /// Those matches whose values a target has.
    Own(MatchesByValues),
}

/// The matches of a position by the values that they bind.
#[derive(Default)]
struct MatchesByValues {
    values: BindingSet,
    /// The matches for each member of `values`.
    matches: Vec<Vec<u32>>,
}

impl MatchesByValues {
    fn add(&mut self, index: u32, ids: &[Id]) {
        let (number, is_new) = self.values.insert(ids);
        if is_new {
            self.matches.push(vec![]);
        }
        self.matches[number].push(index);
    }
}

impl<M: Machine> Slicer<M> {
    /// Finds the instances that the matches of the position affect, and splits those that must. Tasks for all of them end up
    /// in the buffers.
    pub(super) fn affected_instances(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        self.buffers.tasks.clear();
        self.buffers.applying.clear();
        if self.matches.is_empty() {
            return;
        }
        let new_values = self.new_values(plan);
        if plan.needs_domains {
            self.note_values(plan, step);
        }
        let ids = |at: usize| self.matches.ids(at, plan.shape.variables);
        if let Some(parts) = &plan.parts {
            self.affected_on_demand(plan, parts, step);
        } else if new_values.members().is_empty() && (1..self.matches.len()).all(|at| ids(at) == ids(0)) {
            self.affected_by_one(plan, step);
        } else {
            self.affected_by_several(plan, step, &new_values);
        }
    }

    /// The values that guarded variables have for the first time. Each of them has instances of its own from now on,
    /// whatever the values of other variables.
    fn new_values(&self, plan: &SlicePlan<M>) -> BindingSet {
        let guarded = plan.capabilities.guarded_variables;
        let mut new_values = BindingSet::default();
        if guarded == 0 {
            return new_values;
        }
        for (index, one) in self.matches.iter().enumerate() {
            let ids = self.matches.ids(index, plan.shape.variables);
            let is_new = |variable: &usize| !self.storage.domains.has(*variable, ids[*variable]);
            for variable in bits(one.mask & guarded).filter(is_new) {
                let mut alone = vec![NONE; ids.len()];
                alone[variable] = ids[variable];
                new_values.insert(&alone);
            }
        }
        new_values
    }

    /// All matches bind the same values.
    fn affected_by_one(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        self.buffers.applying.extend(0..self.matches.len() as u32);
        let mask = self.matches.get(0).mask;
        let range = (0, self.matches.len());
        let mut ids = std::mem::take(&mut self.buffers.ids);
        ids.clear();
        ids.extend_from_slice(self.matches.ids(0, plan.shape.variables));
        let is_no_op = !self.visits_all && self.is_no_op(plan, mask, range, step) == Some(true);
        let mut splittable = std::mem::take(&mut self.buffers.splittable);
        splittable.clear();
        let table = &self.storage.table;
        for number in 0..table.kind_count() {
            let kind = table.kind_at(number);
            if kind.quiescent && is_no_op {
                continue;
            }
            let shared = kind.mask & mask;
            let mut slot = table.first(number, shared, &ids);
            while slot != END {
                if shared == mask {
                    self.buffers.tasks.push(task(slot, kind, range));
                } else {
                    splittable.push(slot);
                }
                slot = table.next(number, shared, slot);
            }
        }
        if self.storage.partials == 0 {
            // Only the root can be split.
            if let [root] = *splittable.as_slice()
                && self.storage.table.find(mask, &ids) == END
                && self.must_split(plan, root, mask, range, step)
            {
                let (slot, kind) = self.split(plan, root, mask, &ids);
                self.buffers.tasks.push(task(slot, kind, range));
            }
        } else if !splittable.is_empty() {
            let targets = self.targets(&splittable, &ids);
            let made = self.split_targets(plan, targets, ApplyingMatches::All { is_no_op }, &[], step);
            if is_no_op && made.members().iter().any(|target| mask_of(target) != plan.shape.full()) {
                self.split_quiescent(plan, &ids, made, range);
            }
        }
        self.buffers.ids = ids;
        self.buffers.splittable = splittable;
    }

    /// The targets of a match in some instances, each once.
    fn targets(&self, splittable: &[Slot], ids: &[Id]) -> Vec<SplitTarget> {
        let table = &self.storage.table;
        let mut targets: Vec<SplitTarget> = Vec::new();
        let mut known = BindingSet::default();
        for parent in splittable {
            let target = join(table.ids(*parent), ids);
            if table.find(mask_of(&target), &target) == END && known.insert(&target).1 {
                let origin = self.origin(&target, mask_of(ids)).unwrap_or(*parent);
                targets.push((target, origin));
            }
        }
        targets
    }

    /// The most specific instance that stands for a target and does not bind all variables of the match, unlike those
    /// that were split off just now.
    fn origin(&self, target: &[Id], matched: Mask) -> Option<Slot> {
        let (table, mask) = (&self.storage.table, mask_of(target));
        let agree = table.kinds().filter(|(_, kind)| kind.mask & !mask == 0 && kind.mask & matched != matched);
        agree.map(|(number, kind)| table.first(number, kind.mask, target)).find(|slot| *slot != END)
    }

    /// Splits the targets that must. Returns their bindings. `affected` is sorted.
    ///
    /// INVARIANT: the bindings of instances are closed under join. So what is more specific than a new instance is split
    /// too, whether or not the event changes it.
    fn split_targets(
        &mut self,
        plan: &SlicePlan<M>,
        mut targets: Vec<SplitTarget>,
        mut applying: ApplyingMatches,
        affected: &[Slot],
        step: PositionStep<'_>,
    ) -> BindingSet {
        targets.sort_by_key(|(target, _)| mask_of(target).count_ones());
        let mut made = BindingSet::default();
        for (target, parent) in targets {
            let mask = mask_of(&target);
            let (all, quiescent) = (self.buffers.applying.len(), self.storage.table.kind(parent).quiescent);
            let (range, is_no_op) = match &mut applying {
                ApplyingMatches::All { is_no_op } => ((0, all), *is_no_op && quiescent),
                ApplyingMatches::Own(matched) => {
                    let range = self.add_applying(&target, matched);
                    let may_skip = quiescent && !self.visits_all;
                    (range, may_skip && self.is_no_op(plan, mask, range, step) == Some(true))
                }
            };
            let splits = (!is_no_op && self.must_split(plan, parent, mask, range, step))
                || affected.binary_search(&parent).is_ok()
                || !made.within(&target).is_empty();
            if splits {
                let (slot, kind) = self.split(plan, parent, mask, &target);
                self.buffers.tasks.push(task(slot, kind, range));
                made.insert(&target);
            } else {
                self.buffers.applying.truncate(all);
            }
        }
        made
    }

    /// Splits quiescent instances that were skipped because the event does nothing to them, where an instance is more
    /// specific than the origin of a new one.
    #[cold]
    fn split_quiescent(&mut self, plan: &SlicePlan<M>, ids: &[Id], mut made: BindingSet, range: MatchRange) {
        let (table, mask) = (&self.storage.table, mask_of(ids));
        let mut splittable: Vec<Slot> = Vec::new();
        for number in 0..table.kind_count() {
            let kind = table.kind_at(number);
            let shared = kind.mask & mask;
            if kind.quiescent && shared != mask {
                splittable.extend(table.agreeing(number, shared, ids));
            }
        }
        for (target, parent) in self.targets(&splittable, ids) {
            if !made.within(&target).is_empty() {
                let (slot, kind) = self.split(plan, parent, mask_of(&target), &target);
                self.buffers.tasks.push(task(slot, kind, range));
            }
        }
    }

    /// The matches bind different values: any compatible ones of them may apply to a binding.
    fn affected_by_several(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>, new_values: &BindingSet) {
        let mut matches = MatchesByValues::default();
        for index in 0..self.matches.len() {
            matches.add(index as u32, self.matches.ids(index, plan.shape.variables));
        }
        let table = &self.storage.table;
        let is_instance = |ids: &[Id]| table.find(mask_of(ids), ids) != END;
        // The joins of an instance and some of the matches: each match is joined with the instances, and with the joins of those before it.
        let mut joined = BindingSet::default();
        let mut affected: Vec<Slot> = Vec::new();
        for ids in matches.values.members().iter().chain(new_values.members()) {
            let mask = mask_of(ids);
            joined.add_joins(ids, is_instance);
            for (number, kind) in table.kinds() {
                let shared = kind.mask & mask;
                let agreeing = table.agreeing(number, shared, ids);
                if shared == mask {
                    affected.extend(agreeing);
                    continue;
                }
                for slot in agreeing {
                    let target = join(table.ids(slot), ids);
                    if !is_instance(&target) {
                        joined.insert(&target);
                    }
                }
            }
        }
        let with_parent = |target: &Vec<Id>| (target.clone(), table.parent(mask_of(target), target));
        let targets: Vec<SplitTarget> = joined.members().iter().map(with_parent).collect();
        affected.sort_unstable();
        affected.dedup();
        for slot in &affected {
            let binding = self.storage.table.ids(*slot).to_vec();
            let range = self.add_applying(&binding, &mut matches);
            self.buffers.tasks.push(task(*slot, self.storage.table.kind(*slot), range));
        }
        self.split_targets(plan, targets, ApplyingMatches::Own(matches), &affected, step);
    }

    /// Finds the affected instances where states of full bindings are [assembled](Machine::assemble) on demand: those with the
    /// values of a match, and full ones that agree with it.
    fn affected_on_demand(&mut self, plan: &SlicePlan<M>, parts: &[Mask], step: PositionStep<'_>) {
        let mut matches = MatchesByValues::default();
        for index in 0..self.matches.len() {
            matches.add(index as u32, self.matches.ids(index, plan.shape.variables));
        }
        let full = plan.shape.full();
        let is_no_op = !self.visits_all && matches.values.members().len() == 1 && {
            self.buffers.applying.extend(0..self.matches.len() as u32);
            let range = (0, self.matches.len());
            let is_no_op = self.is_no_op(plan, self.matches.get(0).mask, range, step) == Some(true);
            self.buffers.applying.clear();
            is_no_op
        };
        let table = &self.storage.table;
        let is_busy = |mask: Mask, ids: &[Id]| {
            let slot = table.find(mask, ids);
            slot != END && !table.kind(slot).quiescent
        };
        let mut affected: Vec<Slot> = Vec::new();
        let mut new: Vec<Vec<Id>> = Vec::new();
        for ids in matches.values.members() {
            let mask = mask_of(ids);
            for (number, kind) in table.kinds() {
                let is_affected = mask == 0 || kind.mask == mask || kind.mask == full;
                if is_affected && !(kind.quiescent && is_no_op) {
                    affected.extend(table.agreeing(number, mask, ids));
                }
            }
            let has_instance = mask == full || (mask != 0 && parts.contains(&mask));
            // A part of the binding that is busy may make a difference.
            let general = [0].iter().chain(if mask == full { parts } else { &[] });
            let changes = !is_no_op || general.into_iter().any(|part| is_busy(*part, ids));
            if has_instance && changes && table.find(mask, ids) == END {
                new.push(ids.clone());
            }
        }
        affected.sort_unstable();
        affected.dedup();
        for slot in affected {
            let binding = self.storage.table.ids(slot).to_vec();
            let range = self.add_applying(&binding, &mut matches);
            self.buffers.tasks.push(task(slot, self.storage.table.kind(slot), range));
        }
        for ids in new {
            let mask = mask_of(&ids);
            let range = self.add_applying(&ids, &mut matches);
            let (slot, kind) =
                if mask == full { self.split_assembled(plan, parts, &ids) } else { self.split(plan, ROOT, mask, &ids) };
            self.buffers.tasks.push(task(slot, kind, range));
        }
    }

    /// Adds the matches whose values a binding has to `applying`. Returns where they are.
    fn add_applying(&mut self, binding: &[Id], matches: &mut MatchesByValues) -> MatchRange {
        let applying = &mut self.buffers.applying;
        let from = applying.len();
        for number in matches.values.within(binding) {
            applying.extend_from_slice(&matches.matches[number]);
        }
        applying[from..].sort_unstable();
        (from, applying.len())
    }
}

fn task(slot: Slot, kind: InstanceKind, (from, to): MatchRange) -> VisitTask {
    VisitTask { slot, kind, from: from as u32, to: to as u32 }
}
