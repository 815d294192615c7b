// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whom a position concerns, and which instances part ways with the one they were part of.
//
// After the slicing of Reger, Cruz and Rydeheard (MarQ) and of Chen and Rosu (JavaMOP): states of partial bindings, the most
// specific one counts. Departures: an instance is made only if the event does something to it, positions are global, and a
// quiet instance is forgotten.

use super::index::{END, Slot, bits, compatible, mask_of, within};
use super::machine::{Machine, Moment};
use super::matches::Mask;
use super::slicer::{Blueprint, Now, Slicer, Task};
use super::store::{Kind, ROOT};
use super::values::{Id, NONE};

impl<M: Machine> Slicer<M> {
    /// Finds whom the matches of the position concern, and makes the instances that part ways with those they were part
    /// of. What is to be visited ends up in `tasks`.
    pub(super) fn concern(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        self.buffers.tasks.clear();
        self.buffers.applying.clear();
        if self.matches.is_empty() {
            return;
        }
        let born = self.born(plan);
        self.note_values(plan, now);
        let variables = plan.shape.variables;
        if !born.is_empty() {
            self.concern_several(plan, now, &born);
            return;
        }
        let alike = (1..self.matches.len()).all(|at| self.matches.ids(at, variables) == self.matches.ids(0, variables));
        if alike {
            self.concern_one(plan, now);
        } else {
            self.concern_several(plan, now, &[]);
        }
    }

    /// Remembers the values of the position, as far as that is needed.
    fn note_values(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        if plan.needs_domains && plan.machine.lends() {
            self.domains.count(&plan.shape, &self.matches, &mut self.values);
        } else if plan.needs_domains {
            self.domains.note(&plan.shape, &self.matches, now.position, &mut self.values);
        }
    }

    /// The values that variables have for the first time, of those variables that the machine itself looks at: each of
    /// these values has instances of its own from now on, whatever the other variables are.
    fn born(&self, plan: &Blueprint<M>) -> Vec<Vec<Id>> {
        let splits = plan.machine.splits();
        let mut born: Vec<Vec<Id>> = Vec::new();
        if splits == 0 {
            return born;
        }
        for (index, one) in self.matches.iter().enumerate() {
            let ids = self.matches.ids(index, plan.shape.variables);
            for variable in bits(one.mask & splits).filter(|variable| !self.domains.has(*variable, ids[*variable])) {
                let mut alone = vec![NONE; ids.len()];
                alone[variable] = ids[variable];
                if !born.contains(&alone) {
                    born.push(alone);
                }
            }
        }
        born
    }

    /// Whether one match names every variable, and nothing but the root and full bindings is kept: the common case.
    #[inline]
    pub(super) fn is_simple(&self, plan: &Blueprint<M>) -> bool {
        self.matches.len() == 1
            && self.partials == 0
            && (!plan.needs_domains || plan.machine.lends())
            && plan.shape.variables > 0
            && self.matches.get(0).mask == plan.shape.full()
    }

    /// That case.
    #[inline]
    pub(super) fn concern_full(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        if self.buffers.applying != [0] {
            self.buffers.applying.clear();
            self.buffers.applying.push(0);
        }
        let found = self.store.find_full(&plan.shape, self.matches.ids(0, plan.shape.variables));
        self.release_unless(plan, found.map_or(END, |(slot, _)| slot));
        let Some((slot, kind)) = found.or_else(|| self.part_full(plan, now)) else { return };
        self.visit_kind(plan, now, Task { slot, from: 0, to: 1 }, kind);
    }

    /// Makes the instance that the only match asks for, if it parts ways with the root.
    fn part_full(&mut self, plan: &Blueprint<M>, now: Now<'_>) -> Option<(Slot, Kind)> {
        let mask = plan.shape.full();
        // Once it is there its values need not be noted again.
        self.note_values(plan, now);
        // Where no domains are needed the root is quiet.
        let is_fresh = !plan.needs_domains || self.store.kind(ROOT).quiet;
        let inert = if is_fresh { self.is_inert(plan, mask, now) } else { None };
        let parts = inert.map_or_else(|| self.moves(plan, ROOT, mask, (0, 1), now), |inert| !inert);
        if !parts {
            return None;
        }
        let ids = std::mem::take(&mut self.matches.ids);
        let slot = self.fork(plan, ROOT, mask, &ids);
        self.matches.ids = ids;
        Some((slot, Kind { mask, quiet: false }))
    }

    /// All matches ask for the same values.
    fn concern_one(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        let variables = plan.shape.variables;
        self.buffers.applying.extend(0..self.matches.len() as u32);
        let mask = self.matches.get(0).mask;
        let to = self.buffers.applying.len();
        let mut ids = std::mem::take(&mut self.buffers.ids);
        ids.clear();
        ids.extend_from_slice(self.matches.ids(0, variables));
        let inert = !self.restless && self.is_inert(plan, mask, now) == Some(true);
        let mut forks = std::mem::take(&mut self.buffers.forks);
        forks.clear();
        for number in 0..self.store.kind_count() {
            let kind = self.store.kind_at(number);
            if kind.quiet && inert {
                continue;
            }
            let shared = kind.mask & mask;
            let mut slot = self.store.first(number, shared, &ids);
            while slot != END {
                if shared == mask {
                    self.buffers.tasks.push(Task { slot, from: 0, to: to as u32 });
                } else {
                    forks.push(slot);
                }
                slot = self.store.next(number, shared, slot);
            }
        }
        if self.partials == 0 {
            // The root alone can be parted from.
            if let [root] = *forks.as_slice()
                && self.store.find(mask, &ids) == END
                && self.moves(plan, root, mask, (0, to), now)
            {
                let slot = self.fork(plan, root, mask, &ids);
                self.buffers.tasks.push(Task { slot, from: 0, to: to as u32 });
            }
        } else if !forks.is_empty() {
            let mut targets = self.targets(&forks, &ids);
            // Where it does nothing to quiet ones, what comes from a quiet one stays with it.
            targets.retain(|(_, parent)| !(inert && self.store.kind(*parent).quiet));
            let made = self.fork_all(plan, &targets, (0, to), now);
            if inert && made.iter().any(|target| mask_of(target) != plan.shape.full()) {
                self.close_over(plan, mask_of(&ids), &ids, &made, to);
            }
        }
        self.buffers.ids = ids;
        self.buffers.forks = forks;
    }

    /// What instances become that take over the values asked for, each once, with the most specific one it comes from.
    fn targets(&self, forks: &[Slot], ids: &[Id]) -> Vec<(Vec<Id>, Slot)> {
        let mut targets: Vec<(Vec<Id>, Slot)> = Vec::new();
        for parent in forks {
            let target = self.join(*parent, ids);
            if self.store.find(mask_of(&target), &target) != END {
                continue;
            }
            if targets.iter().all(|(known, _)| *known != target) {
                let origin = self.origin(&target, mask_of(ids)).unwrap_or(*parent);
                targets.push((target, origin));
            }
        }
        targets
    }

    /// The most specific instance that a target comes from: it has not all that is asked for, unlike those made just now.
    fn origin(&self, target: &[Id], asked: Mask) -> Option<Slot> {
        let mask = mask_of(target);
        let agree = self.store.kinds().filter(|(_, kind)| kind.mask & !mask == 0 && kind.mask & asked != asked);
        agree.map(|(number, kind)| self.store.first(number, kind.mask, target)).find(|slot| *slot != END)
    }

    /// Makes the targets that part ways with where they come from. So that of the instances that agree with a binding
    /// one is the most specific, whatever is more specific than one that is made is made too.
    fn fork_all(
        &mut self,
        plan: &Blueprint<M>,
        targets: &[(Vec<Id>, Slot)],
        applying: (usize, usize),
        now: Now<'_>,
    ) -> Vec<Vec<Id>> {
        let mut order: Vec<usize> = (0..targets.len()).collect();
        order.sort_by_key(|at| mask_of(&targets[*at].0).count_ones());
        let mut made: Vec<Vec<Id>> = Vec::new();
        for at in order {
            let (target, parent) = &targets[at];
            let mask = mask_of(target);
            let must = made.iter().any(|less| within(less, target));
            if must || self.moves(plan, *parent, mask, applying, now) {
                let slot = self.fork(plan, *parent, mask, target);
                self.buffers.tasks.push(Task { slot, from: applying.0 as u32, to: applying.1 as u32 });
                made.push(target.clone());
            }
        }
        made
    }

    /// Quiet instances were passed over, but some of them are more specific than where a new one comes from.
    #[cold]
    fn close_over(&mut self, plan: &Blueprint<M>, mask: Mask, ids: &[Id], made: &[Vec<Id>], to: usize) {
        let mut forks: Vec<Slot> = Vec::new();
        for number in 0..self.store.kind_count() {
            let kind = self.store.kind_at(number);
            let shared = kind.mask & mask;
            if !kind.quiet || shared == mask {
                continue;
            }
            let mut slot = self.store.first(number, shared, ids);
            while slot != END {
                forks.push(slot);
                slot = self.store.next(number, shared, slot);
            }
        }
        for (target, parent) in self.targets(&forks, ids) {
            if made.iter().any(|less| within(less, &target)) {
                let slot = self.fork(plan, parent, mask_of(&target), &target);
                self.buffers.tasks.push(Task { slot, from: 0, to: to as u32 });
            }
        }
    }

    /// The matches ask for different values: a binding may be concerned by any compatible ones of them.
    fn concern_several(&mut self, plan: &Blueprint<M>, now: Now<'_>, born: &[Vec<Id>]) {
        let variables = plan.shape.variables;
        let asked: Vec<Vec<Id>> = (0..self.matches.len()).map(|at| self.matches.ids(at, variables).to_vec()).collect();
        let mut targets: Vec<(Vec<Id>, Slot)> = Vec::new();
        let mut concerned: Vec<Slot> = Vec::new();
        for ids in closure(asked.iter().chain(born)) {
            let mask = mask_of(&ids);
            for (number, kind) in self.store.kinds() {
                let shared = kind.mask & mask;
                for slot in self.store.agreeing(number, shared, &ids) {
                    if shared == mask {
                        concerned.push(slot);
                    } else {
                        let target = self.join(slot, &ids);
                        let mask = mask_of(&target);
                        let is_new =
                            self.store.find(mask, &target) == END && targets.iter().all(|(known, _)| *known != target);
                        if is_new {
                            let parent = self.store.parent(mask, &target);
                            targets.push((target, parent));
                        }
                    }
                }
            }
        }
        concerned.sort_unstable();
        concerned.dedup();
        for slot in &concerned {
            let binding = self.store.binding(*slot);
            self.assign(*slot, &binding, &asked);
        }
        targets.sort_by_key(|(target, _)| mask_of(target).count_ones());
        let mut made: Vec<Vec<Id>> = Vec::new();
        for (target, parent) in targets {
            let mask = mask_of(&target);
            let from = self.buffers.applying.len();
            self.applying_to(&target, &asked);
            let to = self.buffers.applying.len();
            let must = concerned.contains(&parent) || made.iter().any(|less| within(less, &target));
            let quiet = self.store.kind(parent).quiet && !self.restless;
            let moves = must
                || (!(quiet && self.is_inert_part(plan, mask, from, to, now) == Some(true))
                    && self.moves(plan, parent, mask, (from, to), now));
            if moves {
                let slot = self.fork(plan, parent, mask, &target);
                self.buffers.tasks.push(Task { slot, from: from as u32, to: to as u32 });
                made.push(target);
            } else {
                self.buffers.applying.truncate(from);
            }
        }
    }

    /// Whether these matches make a binding part ways with the instance that stands for it.
    fn moves(&self, plan: &Blueprint<M>, parent: Slot, target: Mask, (from, to): (usize, usize), now: Now<'_>) -> bool {
        let Slicer { values, store, matches, buffers, restless, .. } = self;
        if *restless || (plan.machine.remembers_all() && target == plan.shape.full()) {
            return true;
        }
        if plan.machine.splits() & !store.kind(parent).mask != 0 {
            return true;
        }
        if plan.machine.is_settled(store.state(parent)) {
            return false;
        }
        let moment = Moment {
            position: now.position,
            first: now.first,
            matches,
            applying: &buffers.applying[from..to],
            ids: store.ids(parent),
            values,
        };
        plan.machine.reacts(store.state(parent), &moment)
    }

    fn assign(&mut self, slot: Slot, binding: &[Id], asked: &[Vec<Id>]) {
        let from = self.buffers.applying.len();
        self.applying_to(binding, asked);
        self.buffers.tasks.push(Task { slot, from: from as u32, to: self.buffers.applying.len() as u32 });
    }

    fn applying_to(&mut self, binding: &[Id], asked: &[Vec<Id>]) {
        let own = (0_u32..).zip(asked).filter(|(_, ids)| within(ids, binding)).map(|(index, _)| index);
        self.buffers.applying.extend(own);
    }

    /// The values of an instance and those that are asked for.
    fn join(&self, slot: Slot, ids: &[Id]) -> Vec<Id> {
        let own = (0..ids.len()).map(|variable| self.store.id(slot, variable));
        own.zip(ids).map(|(own, asked)| if own == NONE { *asked } else { own }).collect()
    }

    /// A new instance, so far like the one it was part of.
    pub(super) fn fork(&mut self, plan: &Blueprint<M>, parent: Slot, mask: Mask, target: &[Id]) -> Slot {
        let splits = plan.machine.splits() & mask & !self.store.kind(parent).mask;
        let mut state = if plan.machine.lends() && mask == plan.shape.full() {
            let parent = self.store.state(parent);
            self.lent.hand_out(plan.machine.counts(parent));
            plan.machine.without_counts(parent)
        } else if splits == 0 {
            self.store.state(parent).clone()
        } else {
            plan.machine.replay(self.store.state(parent), target, &self.values)
        };
        if mask == plan.shape.full()
            && plan.machine.remembers_all()
            && let Some(named) = self.domains.named(target)
        {
            plan.machine.name(&mut state, named);
        }
        // Whoever is made is visited next, and mostly becomes busy.
        let kind = Kind { mask, quiet: false };
        let deadline = plan.machine.deadline(&state);
        if mask == plan.shape.full() {
            self.violated += plan.machine.violations(&state).0;
        } else {
            self.partials += 1;
        }
        let slot = self.store.add(&plan.shape, kind, target, state, &mut self.values);
        self.alarms.arm(deadline, slot);
        slot
    }
}

/// All joins of compatible bindings, each once.
fn closure<'a>(asked: impl Iterator<Item = &'a Vec<Id>>) -> Vec<Vec<Id>> {
    let mut all: Vec<Vec<Id>> = Vec::new();
    for ids in asked {
        let known = all.len();
        for at in 0..known {
            if compatible(&all[at], ids) {
                let joined: Vec<Id> =
                    all[at].iter().zip(ids).map(|(left, right)| if *left == NONE { *right } else { *left }).collect();
                if !all.contains(&joined) {
                    all.push(joined);
                }
            }
        }
        if !all.contains(ids) {
            all.push(ids.clone());
        }
    }
    all
}
