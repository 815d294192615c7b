// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splitting: creates the instance of a more specific binding when its state begins to differ.
//!
//! An event that leaves the initial state unchanged (a no-op) splits nothing. Which sets of atoms are no-ops is found by
//! simulation: the event happens to a copy of a root in its initial state, and the answer is kept in [`NoOps`].
//!
//! Example: for `forall i. G(request(i) -> F[0,10] response(i))`, the first `response(5)` is simulated: the initial state stays as it is, so
//! {`response`} is a no-op, and no later `response` of an unknown value creates an instance or is simulated again. {`request`} is not a no-op.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, Outcome, TracePosition};
use gnomon_ir::core::AtomId;
use rustc_hash::FxHashMap;

use super::{PositionStep, SlicePlan, Slicer};
use crate::accounting::ViolationLog;
use crate::slice::machine::{Attention, BindingPosition, Machine, Matches, NewInstance, Sink};
use crate::slice::storage::index::{END, Mask, Slot};
use crate::slice::storage::values::{Id, NONE, ValueInterner};
use crate::slice::storage::{InstanceKind, ROOT};

/// The sets of atoms whose effect on the initial state is known.
#[derive(Clone, Debug, Default)]
pub(super) struct NoOps {
    known: FxHashMap<u64, bool>,
    /// The sets of one atom that are known, a bit for each: most positions have one match.
    known_alone: u64,
    /// Those of them that leave the initial state unchanged.
    unchanging_alone: u64,
}

impl NoOps {
    #[inline]
    fn get(&self, atoms: u64) -> Option<bool> {
        if atoms & self.known_alone == atoms && atoms.is_power_of_two() {
            return Some(atoms & self.unchanging_alone != 0);
        }
        self.known.get(&atoms).copied()
    }

    fn insert(&mut self, atoms: u64, is_no_op: bool) {
        if atoms.is_power_of_two() {
            self.known_alone |= atoms;
            self.unchanging_alone |= if is_no_op { atoms } else { 0 };
        } else {
            self.known.insert(atoms, is_no_op);
        }
    }
}

/// The first and one past the last index of a part of `applying`.
pub(super) type MatchRange = (usize, usize);

impl<M: Machine> Slicer<M> {
    /// Creates the instance of the only match, which binds every variable, if it splits from the root.
    pub(super) fn split_full(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) -> Option<(Slot, InstanceKind)> {
        let mask = plan.shape.full();
        if plan.needs_domains {
            // Once the instance exists its values need not be noted again.
            self.note_values(plan, step);
        }
        // Where no domains are needed the root is quiescent.
        let is_initial = !plan.needs_domains || self.storage.table.kind(ROOT).quiescent;
        let no_op = if is_initial { self.is_no_op(plan, mask, (0, 1), step) } else { None };
        let splits = no_op.map_or_else(|| self.must_split(plan, ROOT, mask, (0, 1), step), |no_op| !no_op);
        if !splits {
            return None;
        }
        let ids = std::mem::take(&mut self.matches.ids);
        let instance = self.split_off(plan, ROOT, mask, &ids);
        self.matches.ids = ids;
        Some(instance)
    }

    /// Adds the values of the position to the domains, where these are needed.
    pub(super) fn note_values(&mut self, plan: &SlicePlan<M>, step: PositionStep<'_>) {
        let (domains, values) = (&mut self.storage.domains, &mut self.storage.values);
        let new_values = &mut self.buffers.new_values;
        for (index, one) in self.matches.iter().enumerate() {
            let ids = self.matches.ids(index, plan.shape.variables);
            if plan.capabilities.counts_in_root {
                domains.count(one.mask, ids, one.origin, values);
            } else {
                let at = TracePosition { position: step.position, origin: one.origin };
                domains.note(one.mask, ids, at, values, new_values);
            }
        }
    }

    /// Returns true if these matches make a binding differ from the instance that stands for it.
    pub(super) fn must_split(
        &self,
        plan: &SlicePlan<M>,
        parent: Slot,
        target: Mask,
        (from, to): MatchRange,
        step: PositionStep<'_>,
    ) -> bool {
        let (capabilities, table) = (&plan.capabilities, &self.storage.table);
        if self.visits_all
            || (capabilities.records_all_events && target == plan.shape.full())
            || capabilities.guarded_variables & !table.kind(parent).mask != 0
        {
            return true;
        }
        let state = table.state(parent);
        let at = BindingPosition {
            position: step.position,
            first: step.first,
            previous: step.previous,
            matches: &self.matches,
            applying: &self.buffers.applying[from..to],
            ids: table.ids(parent),
            values: &self.storage.values,
        };
        plan.machine.attention(state) != Attention::Nothing && plan.machine.reacts(state, &at)
    }

    /// Creates the instance of a binding, with the state of the instance that stood for it so far. It must be visited.
    pub(super) fn split(&mut self, plan: &SlicePlan<M>, parent: Slot, mask: Mask, ids: &[Id]) -> (Slot, InstanceKind) {
        self.split_off(plan, parent, mask, ids)
    }

    #[inline(always)]
    fn split_off(&mut self, plan: &SlicePlan<M>, parent: Slot, mask: Mask, ids: &[Id]) -> (Slot, InstanceKind) {
        let (capabilities, storage) = (&plan.capabilities, &mut self.storage);
        let is_full = mask == plan.shape.full();
        let new_variables = mask & !storage.table.kind(parent).mask;
        let from = storage.table.state(parent);
        if capabilities.counts_in_root && is_full {
            let counts = plan.machine.counts(from);
            self.root_counts.hand_out((counts.activated, counts.satisfied));
        }
        let state = plan.machine.split(
            from,
            &NewInstance {
                ids,
                values: &storage.values,
                binds_guarded: capabilities.guarded_variables & new_variables != 0,
                mentions: if is_full && capabilities.records_all_events { storage.domains.mentions(ids) } else { None },
            },
        );
        self.insert_state(plan, mask, ids, state)
    }

    /// Creates the instance of a full binding whose state is [assembled](Machine::assemble) from those of its parts.
    pub(super) fn split_assembled(&mut self, plan: &SlicePlan<M>, parts: &[Mask], ids: &[Id]) -> (Slot, InstanceKind) {
        let table = &self.storage.table;
        let found = parts.iter().map(|mask| (*mask, table.find(*mask, ids))).filter(|(_, slot)| *slot != END);
        let states: Vec<(Mask, &M::State)> = found.map(|(mask, slot)| (mask, table.state(slot))).collect();
        let state = plan.machine.assemble(table.state(ROOT), &states);
        self.insert_state(plan, plan.shape.full(), ids, state)
    }

    #[inline(always)]
    fn insert_state(&mut self, plan: &SlicePlan<M>, mask: Mask, ids: &[Id], state: M::State) -> (Slot, InstanceKind) {
        let (storage, is_full) = (&mut self.storage, mask == plan.shape.full());
        let is_violated = plan.machine.counts(&state).violated > 0;
        // The visit sets its timer, unless all instances are visited at every position.
        let deadline = if self.visits_all { plan.machine.schedule(&state).deadline } else { Timestamp::MAX };
        // The instance is visited next, and mostly becomes busy.
        let kind = InstanceKind { mask, quiescent: false };
        let slot = storage.insert(&plan.shape, kind, ids, state);
        storage.timers.arm(deadline, slot);
        if is_violated {
            self.note_inherited(plan, slot, is_full);
        }
        (slot, kind)
    }

    /// Returns true if some matches of the position leave the initial state unchanged; `None` if that is not known.
    #[inline(always)]
    pub(super) fn is_no_op(
        &mut self,
        plan: &SlicePlan<M>,
        mask: Mask,
        (from, to): MatchRange,
        step: PositionStep<'_>,
    ) -> Option<bool> {
        let capabilities = &plan.capabilities;
        if !capabilities.is_time_invariant || (capabilities.records_all_events && mask == plan.shape.full()) {
            return None;
        }
        let mut atoms = 0_u64;
        for index in &self.buffers.applying[from..to] {
            let one = self.matches.get(*index);
            let atom = one.atom().0;
            if atom >= 64 || one.has_measured() {
                return None;
            }
            atoms |= 1 << atom;
        }
        if let Some(known) = self.buffers.no_ops.get(atoms) {
            return Some(known);
        }
        let is_no_op = self.simulate(plan, (from, to), step)?;
        self.buffers.no_ops.insert(atoms, is_no_op);
        Some(is_no_op)
    }

    /// Visits two copies of the root, one with the matches and one without: a position that a root skips may count, too. Only a
    /// root in its initial state gives an answer.
    #[cold]
    fn simulate(&mut self, plan: &SlicePlan<M>, (from, to): MatchRange, step: PositionStep<'_>) -> Option<bool> {
        if !self.storage.table.kind(ROOT).quiescent {
            return None;
        }
        let mut after_visit = |applying: &[u32]| {
            let mut state = self.storage.table.state(ROOT).clone();
            let at = BindingPosition {
                position: step.position,
                first: step.first,
                previous: step.previous,
                matches: &self.matches,
                applying,
                ids: &vec![NONE; plan.shape.variables],
                values: &self.storage.values,
            };
            let sink = &mut Sink { totals: None, found: &mut ViolationLog::new(0) };
            plan.machine.visit(&mut state, &mut self.buffers.scratch, &at, sink);
            let Outcome { activated, satisfied, violated, .. } = plan.machine.outcome(&state);
            ((activated, satisfied, violated), plan.machine.schedule(&state))
        };
        let applying = self.buffers.applying[from..to].to_vec();
        let (counts, schedule) = after_visit(&applying);
        let is_quiescent = schedule.busy_until == Timestamp::MIN && schedule.deadline == Timestamp::MAX;
        Some(is_quiescent && counts == after_visit(&[]).0)
    }
}

/// Returns true if the values of variables must be remembered to the end of the trace. They need not be if every binding is
/// reported on its own and nothing happens to one before an event that binds all of its variables.
pub(super) fn needs_domains<M: Machine>(plan: &SlicePlan<M>, atoms: &[Mask], measured: &[AtomId]) -> bool {
    let SlicePlan { machine, capabilities, shape, universal, .. } = plan;
    if shape.variables == 0 {
        return false;
    }
    let partial: Vec<usize> = (0..atoms.len()).filter(|atom| atoms[*atom] != shape.full()).collect();
    // Numbers are not simulated.
    let is_measured = partial.iter().any(|atom| measured.contains(&AtomId(*atom as u32)));
    let is_known = *universal && !capabilities.records_all_events && capabilities.is_time_invariant;
    if is_measured || !is_known || partial.len() > 8 {
        return true;
    }
    let origin = Origin { event_index: 0, time: Timestamp::from_ticks(0), event: Name(0) };
    let (values, ids) = (ValueInterner::default(), vec![NONE; shape.variables]);
    let mut scratch = M::Scratch::default();
    let mut happen = |state: &mut M::State, position: u64, atoms: &[usize]| {
        let mut matches = Matches::default();
        for atom in atoms {
            let draft = matches.begin(shape.variables);
            matches.commit(draft, AtomId(*atom as u32), &origin);
        }
        let applying: Vec<u32> = (0..atoms.len() as u32).collect();
        let (first, matches, applying) = (&origin, &matches, applying.as_slice());
        let at = BindingPosition { position, first, previous: None, matches, applying, ids: &ids, values: &values };
        machine.visit(state, &mut scratch, &at, &mut Sink { totals: None, found: &mut ViolationLog::new(0) });
        machine.schedule(state).busy_until == Timestamp::MIN
            && !machine.counts(state).any
            && machine.attention(state) != Attention::Every
    };
    let mut root = machine.start(0);
    if !happen(&mut root, 0, &[]) {
        return true;
    }
    (1..1_usize << partial.len()).any(|set| {
        let atoms: Vec<usize> =
            partial.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, atom)| *atom).collect();
        !happen(&mut root.clone(), 1, &atoms)
    })
}
