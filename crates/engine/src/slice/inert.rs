// SPDX-License-Identifier: MIT OR Apache-2.0
//! What does nothing to a binding to which nothing has happened: found out by trying.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_ir::core::AtomId;

use super::index::END;
use super::machine::{Machine, Moment, Sink};
use super::matches::{Mask, Matches};
use super::slicer::{Blueprint, Now, Slicer};
use super::store::Shape;
use super::values::{NONE, Values};

impl<M: Machine> Slicer<M> {
    /// Whether the matches of the position, all for the same values, do nothing to a binding to which nothing has
    /// happened so far; `None` if that is not known.
    #[inline]
    pub(super) fn is_inert(&mut self, plan: &Blueprint<M>, mask: Mask, now: Now<'_>) -> Option<bool> {
        let to = self.buffers.applying.len();
        self.is_inert_part(plan, mask, 0, to, now)
    }

    #[inline]
    pub(super) fn is_inert_part(
        &mut self,
        plan: &Blueprint<M>,
        mask: Mask,
        from: usize,
        to: usize,
        now: Now<'_>,
    ) -> Option<bool> {
        if !plan.machine.is_steady() || (plan.machine.remembers_all() && mask == plan.shape.full()) {
            return None;
        }
        let mut atoms = 0_u64;
        for index in &self.buffers.applying[from..to] {
            let one = self.matches.get(*index);
            let atom = one.atom().0;
            if atom >= 64 || one.has_numbers() {
                return None;
            }
            atoms |= 1 << atom;
        }
        match self.buffers.last_inert {
            Some((last, answer)) if last == atoms => Some(answer),
            _ => self.find_inert(plan, atoms, (from, to), now),
        }
    }

    fn find_inert(
        &mut self,
        plan: &Blueprint<M>,
        atoms: u64,
        (from, to): (usize, usize),
        now: Now<'_>,
    ) -> Option<bool> {
        let answer = match self.buffers.inert.get(&atoms) {
            Some(known) => *known,
            None => self.try_out(plan, from, to, now)?,
        };
        self.buffers.inert.insert(atoms, answer);
        self.buffers.last_inert = Some((atoms, answer));
        Some(answer)
    }

    /// Lets it happen to a copy. Only a root to which nothing has happened can be asked.
    fn try_out(&mut self, plan: &Blueprint<M>, from: usize, to: usize, now: Now<'_>) -> Option<bool> {
        let nothing = vec![NONE; plan.shape.variables];
        let root = self.store.find(0, &nothing);
        if root == END || !self.store.kind(root).quiet {
            return None;
        }
        let mut state = self.store.state(root).clone();
        let counted = plan.machine.outcome(&state);
        let scratch = self.buffers.scratch.get_or_insert_with(|| plan.machine.scratch());
        let moment = Moment {
            position: now.position,
            first: now.first,
            matches: &self.matches,
            applying: &self.buffers.applying[from..to],
            ids: &nothing,
            values: &self.values,
        };
        let mut found = Vec::new();
        plan.machine.visit(&mut state, scratch, &moment, &mut Sink { sum: None, found: &mut found, most_listed: 0 });
        let after = plan.machine.outcome(&state);
        let same = (after.activated, after.satisfied, after.violated)
            == (counted.activated, counted.satisfied, counted.violated);
        Some(
            same && plan.machine.busy_until(&state) == Timestamp::MIN
                && plan.machine.deadline(&state) == Timestamp::MAX,
        )
    }
}

/// Whether the values that variables had must be remembered to the end: unless nothing happens to a binding before an
/// event that binds all of its variables, and every binding is reported for itself.
pub(crate) fn needs_domains<M: Machine>(
    machine: &M,
    shape: &Shape,
    atoms: &[Mask],
    measured: &[AtomId],
    universal: bool,
) -> bool {
    if shape.variables == 0 {
        return false;
    }
    let partial: Vec<usize> = (0..atoms.len()).filter(|atom| atoms[*atom] != shape.full()).collect();
    // Numbers are not tried out.
    let is_measured = partial.iter().any(|atom| measured.contains(&AtomId(*atom as u32)));
    if is_measured || !universal || machine.remembers_all() || !machine.is_steady() || partial.len() > 8 {
        return true;
    }
    let origin = Origin { event_index: 0, time: Timestamp::from_ticks(0), event: Name(0) };
    let (values, ids) = (Values::default(), vec![NONE; shape.variables]);
    let mut scratch = machine.scratch();
    let mut happen = |state: &mut M::State, position: u64, atoms: &[usize]| {
        let mut matches = Matches::default();
        for atom in atoms {
            let draft = matches.begin(shape.variables);
            matches.commit(draft, AtomId(*atom as u32), &origin);
        }
        let applying: Vec<u32> = (0..atoms.len() as u32).collect();
        let moment =
            Moment { position, first: &origin, matches: &matches, applying: &applying, ids: &ids, values: &values };
        machine.visit(state, &mut scratch, &moment, &mut Sink { sum: None, found: &mut vec![], most_listed: 0 });
        machine.busy_until(state) == Timestamp::MIN && !machine.has_counted(state) && machine.skips_idle(state)
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
