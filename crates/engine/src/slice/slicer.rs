// SPDX-License-Identifier: MIT OR Apache-2.0
//! One state per binding: which bindings a position concerns, which are made, which are forgotten.

use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{Binding, Origin, Violation};
use gnomon_ir::core::{AtomId, Quantifier};
use gnomon_ir::spec::QuantifierKind;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::alarms::Alarms;
use super::domain::Domains;
use super::index::{END, Slot, bits, compatible, mask_of, within};
use super::machine::{Machine, Moment, Sink};
use super::matches::{Mask, Matches};
use super::store::{Kind, Shape, Store};
use super::sum::Sum;
use super::values::{Id, NONE, Values};

/// A quantified property ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Blueprint<M> {
    pub(crate) machine: M,
    pub(crate) shape: Shape,
    pub(crate) prefix: Vec<Quantifier>,
    /// Whether every quantifier is a plain `forall`: then each binding is reported for itself.
    pub(crate) universal: bool,
    /// Whether the values that variables had must be remembered to the end.
    pub(crate) needs_domains: bool,
    /// How far apart two positions are at least, in ticks.
    pub(crate) least_gap: i128,
}

/// The run of one property.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Slicer<M: Machine> {
    pub(crate) values: Values,
    pub(crate) store: Store<M::State>,
    /// The open position.
    pub(crate) matches: Matches,
    pub(crate) domains: Domains,
    alarms: Alarms,
    /// What was counted for bindings that are forgotten.
    pub(crate) forgotten: Sum,
    /// How many violations full bindings have, those of forgotten ones included.
    pub(crate) violated: u64,
    /// Violations that became certain since they were last asked for, as far as they are listed.
    recent: Vec<Violation>,
    most_recent: usize,
    /// Whether every instance must be looked at at every position.
    restless: bool,
    /// Whether the instance that binds nothing is busy or has counted something.
    root_matters: bool,
    /// How many other instances do not bind every variable.
    partials: usize,
    /// The first event of the trace.
    pub(crate) first: Option<Origin>,
    /// Whether some position merged events that the property could have told apart.
    pub(crate) merged: bool,
    /// The last event that matched an atom.
    noticed: Option<Origin>,
    #[serde(skip)]
    buffers: Buffers<M>,
}

/// Room that is used again at each position.
#[derive(Clone, Debug)]
struct Buffers<M: Machine> {
    scratch: Option<M::Scratch>,
    tasks: Vec<Task>,
    applying: Vec<u32>,
    ids: Vec<Id>,
    found: Vec<Violation>,
    forks: Vec<Slot>,
    /// Which sets of atoms do nothing to a binding to which nothing has happened.
    inert: FxHashMap<u64, bool>,
}

impl<M: Machine> Default for Buffers<M> {
    fn default() -> Self {
        Buffers {
            scratch: None,
            tasks: vec![],
            applying: vec![],
            ids: vec![],
            found: vec![],
            forks: vec![],
            inert: FxHashMap::default(),
        }
    }
}

/// An instance to visit, and the part of `applying` that are its matches.
#[derive(Clone, Copy, Debug)]
struct Task {
    slot: Slot,
    from: usize,
    to: usize,
}

/// A position and how far time has come with it.
#[derive(Clone, Copy, Debug)]
struct Now<'a> {
    position: u64,
    first: &'a Origin,
    frontier: Timestamp,
}

impl<M: Machine> Slicer<M> {
    pub(crate) fn new(plan: &Blueprint<M>, max_violations: usize) -> Self {
        let mut slicer = Slicer {
            values: Values::default(),
            store: Store::new(&plan.shape),
            matches: Matches::default(),
            domains: if plan.machine.remembers_all() {
                Domains::new(&plan.shape).with_marks(&plan.shape)
            } else {
                Domains::new(&plan.shape)
            },
            alarms: Alarms::default(),
            forgotten: Sum::new(max_violations),
            violated: 0,
            recent: Vec::new(),
            most_recent: max_violations,
            restless: true,
            root_matters: true,
            partials: 0,
            first: None,
            merged: false,
            noticed: None,
            buffers: Buffers::default(),
        };
        let nothing = vec![NONE; plan.shape.variables];
        let root = plan.machine.start(max_violations);
        slicer.store.add(&plan.shape, Kind { mask: 0, quiet: false }, &nothing, root, &mut slicer.values);
        slicer
    }

    /// Whether every position must be told.
    pub(crate) fn is_restless(&self) -> bool {
        self.restless
    }

    /// The earliest time that it must be told of.
    #[inline]
    pub(crate) fn next_alarm(&self) -> Timestamp {
        self.alarms.next()
    }

    pub(crate) fn bytes(&self, plan: &Blueprint<M>) -> usize {
        let states = self.store.live() * plan.machine.weight();
        self.values.bytes() + self.store.bytes() + self.domains.bytes() + self.alarms.bytes() + states
    }

    /// The open position, whose first event this is, is complete.
    #[inline]
    pub(crate) fn close(&mut self, plan: &Blueprint<M>, position: u64, first: &Origin) {
        self.first.get_or_insert(*first);
        self.ring_before(plan, first.time);
        let frontier = Timestamp::from_ticks(first.time.ticks() + plan.least_gap);
        let now = Now { position, first, frontier };
        self.buffers.tasks.clear();
        if self.restless {
            self.concern(plan, now);
            self.run_tasks(plan, now);
            self.visit_others(plan, now);
        } else {
            if !self.matches.is_empty() {
                self.concern(plan, now);
                self.run_tasks(plan, now);
            }
            // Where positions strictly follow one another, this one is the last chance of a deadline at its time.
            while let Some((at, slot)) = self.alarms.take(frontier) {
                if self.is_for(plan, slot, at) {
                    self.last_chance(plan, now, slot);
                }
            }
        }
        self.matches.clear();
        self.values.settle();
    }

    /// An alarm rings at the time of the present position.
    fn last_chance(&mut self, plan: &Blueprint<M>, now: Now<'_>, slot: Slot) {
        if let Some(alarm) = plan.machine.alarm(self.store.state_mut(slot)) {
            *alarm = Timestamp::MAX;
        }
        if self.buffers.tasks.iter().any(|task| task.slot == slot) {
            // It has seen the position.
            let (violated, listed) = plan.machine.violations(self.store.state(slot));
            let before = (violated, listed.len());
            self.look_after(plan, slot, now.frontier, before);
        } else {
            self.visit(plan, now, Task { slot, from: 0, to: 0 });
        }
    }

    /// Nothing earlier than `to` will come.
    pub(crate) fn advance(&mut self, plan: &Blueprint<M>, to: Timestamp) {
        if self.restless {
            let slots: Vec<Slot> = self.store.slots().collect();
            slots.into_iter().for_each(|slot| self.ring(plan, slot, to));
        } else {
            self.ring_before(plan, to);
        }
        self.values.settle();
    }

    #[inline]
    fn ring_before(&mut self, plan: &Blueprint<M>, to: Timestamp) {
        while let Some((at, slot)) = self.alarms.take(to) {
            if self.is_for(plan, slot, at) {
                self.ring(plan, slot, to);
            }
        }
    }

    /// Whether an alarm was set for the instance that is there now, and not replaced by an earlier one.
    fn is_for(&mut self, plan: &Blueprint<M>, slot: Slot, at: Timestamp) -> bool {
        let is_live = self.store.is_live(slot);
        is_live && plan.machine.alarm(self.store.state_mut(slot)).is_some_and(|alarm| *alarm == at)
    }

    fn ring(&mut self, plan: &Blueprint<M>, slot: Slot, to: Timestamp) {
        let before = plan.machine.violations(self.store.state(slot));
        let before = (before.0, before.1.len());
        let state = self.store.state_mut(slot);
        if let Some(alarm) = plan.machine.alarm(state) {
            *alarm = Timestamp::MAX;
        }
        let scratch = self.buffers.scratch.get_or_insert_with(|| plan.machine.scratch());
        plan.machine.advance(state, scratch, to);
        self.look_after(plan, slot, to, before);
    }

    /// Finds whom the matches of the position concern, and makes the instances that part ways with those they were part
    /// of. What is to be visited ends up in `tasks`.
    fn concern(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        self.buffers.tasks.clear();
        self.buffers.applying.clear();
        if self.matches.is_empty() {
            return;
        }
        let born = self.born(plan);
        if plan.needs_domains {
            self.domains.note(&plan.shape, &self.matches, now.position, &mut self.values);
        }
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

    /// All matches ask for the same values.
    fn concern_one(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        let variables = plan.shape.variables;
        self.buffers.applying.extend(0..self.matches.len() as u32);
        let mask = self.matches.get(0).mask;
        let to = self.buffers.applying.len();
        let mut ids = std::mem::take(&mut self.buffers.ids);
        ids.clear();
        ids.extend_from_slice(self.matches.ids(0, variables));
        let inert = !self.restless && self.is_inert(plan, mask, now);
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
                    self.buffers.tasks.push(Task { slot, from: 0, to });
                } else {
                    forks.push(slot);
                }
                slot = self.store.next(number, shared, slot);
            }
        }
        if self.partials == 0 {
            // The root alone can be parted from.
            if let [root] = *forks.as_slice() {
                let target = self.join(root, &ids);
                let mask = mask_of(&target);
                if self.moves(plan, root, mask, (0, to), now) && self.store.find(mask, &target) == END {
                    let slot = self.fork(plan, root, mask, &target);
                    self.buffers.tasks.push(Task { slot, from: 0, to });
                }
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
                self.buffers.tasks.push(Task { slot, from: applying.0, to: applying.1 });
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
                self.buffers.tasks.push(Task { slot, from: 0, to });
            }
        }
    }

    /// The matches ask for different values: a binding may be concerned by any compatible ones of them.
    fn concern_several(&mut self, plan: &Blueprint<M>, now: Now<'_>, born: &[Vec<Id>]) {
        let variables = plan.shape.variables;
        let asked: Vec<Vec<Id>> =
            (0..self.matches.len()).map(|at| self.matches.ids(at, variables).to_vec()).collect();
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
                        let is_new = self.store.find(mask, &target) == END
                            && targets.iter().all(|(known, _)| *known != target);
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
                || (!(quiet && self.is_inert_part(plan, mask, from, to, now))
                    && self.moves(plan, parent, mask, (from, to), now));
            if moves {
                let slot = self.fork(plan, parent, mask, &target);
                self.buffers.tasks.push(Task { slot, from, to });
                made.push(target);
            } else {
                self.buffers.applying.truncate(from);
            }
        }
    }

    /// Whether these matches make a binding part ways with the instance that stands for it.
    fn moves(
        &mut self,
        plan: &Blueprint<M>,
        parent: Slot,
        target: Mask,
        (from, to): (usize, usize),
        now: Now<'_>,
    ) -> bool {
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
        let ids: Vec<Id> = store.binding(parent);
        let moment = Moment {
            position: now.position,
            first: now.first,
            matches,
            applying: &buffers.applying[from..to],
            ids: &ids,
            values,
        };
        plan.machine.reacts(store.state(parent), &moment)
    }

    fn assign(&mut self, slot: Slot, binding: &[Id], asked: &[Vec<Id>]) {
        let from = self.buffers.applying.len();
        self.applying_to(binding, asked);
        self.buffers.tasks.push(Task { slot, from, to: self.buffers.applying.len() });
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
    fn fork(&mut self, plan: &Blueprint<M>, parent: Slot, mask: Mask, target: &[Id]) -> Slot {
        let splits = plan.machine.splits() & mask & !self.store.kind(parent).mask;
        let mut state = if splits == 0 {
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
        let kind = Kind { mask, quiet: self.store.kind(parent).quiet };
        let deadline = plan.machine.deadline(&state);
        let alarm = plan.machine.alarm(&mut state).map(|alarm| {
            *alarm = deadline;
            deadline
        });
        if mask != plan.shape.full() {
            self.partials += 1;
        } else {
            self.violated += plan.machine.violations(&state).0;
        }
        let slot = self.store.add(&plan.shape, kind, target, state, &mut self.values);
        if let Some(at) = alarm.filter(|at| *at < Timestamp::MAX) {
            self.alarms.set(at, slot);
        }
        slot
    }

    fn run_tasks(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        let tasks = std::mem::take(&mut self.buffers.tasks);
        for task in &tasks {
            self.visit(plan, now, *task);
        }
        self.buffers.tasks = tasks;
    }

    /// Visits the instances that nothing at the position concerns.
    fn visit_others(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        let mut visited: Vec<Slot> = self.buffers.tasks.iter().map(|task| task.slot).collect();
        visited.sort_unstable();
        let slots: Vec<Slot> = self.store.slots().collect();
        for slot in slots {
            if visited.binary_search(&slot).is_err() && !plan.machine.is_settled(self.store.state(slot)) {
                self.visit(plan, now, Task { slot, from: 0, to: 0 });
            }
        }
        let can_rest = |slot: Slot| {
            let state = self.store.state(slot);
            plan.machine.skips_idle(state) || plan.machine.is_settled(state)
        };
        if self.store.slots().all(can_rest) {
            self.restless = false;
            let slots: Vec<Slot> = self.store.slots().collect();
            for slot in slots {
                let before = plan.machine.violations(self.store.state(slot));
                let before = (before.0, before.1.len());
                self.look_after(plan, slot, now.frontier, before);
            }
        }
    }

    #[inline]
    fn visit(&mut self, plan: &Blueprint<M>, now: Now<'_>, task: Task) {
        let Slicer { values, store, matches, buffers, forgotten, .. } = self;
        let slot = task.slot;
        let before_all = forgotten.violated;
        let before = plan.machine.violations(store.state(slot));
        let before = (before.0, before.1.len());
        let mut ids = std::mem::take(&mut buffers.ids);
        ids.clear();
        ids.extend((0..plan.shape.variables).map(|variable| store.id(slot, variable)));
        let moment = Moment {
            position: now.position,
            first: now.first,
            matches,
            applying: &buffers.applying[task.from..task.to],
            ids: &ids,
            values,
        };
        let scratch = buffers.scratch.get_or_insert_with(|| plan.machine.scratch());
        let is_direct = plan.universal && store.kind(slot).mask == plan.shape.full();
        let sum = is_direct.then_some(forgotten);
        let sink = &mut Sink { sum, found: &mut buffers.found };
        plan.machine.visit(store.state_mut(slot), scratch, &moment, sink);
        if self.forgotten.violated > before_all {
            self.violated += self.forgotten.violated - before_all;
            self.list_found(plan, &ids);
        }
        self.buffers.ids = ids;
        self.look_after(plan, slot, now.frontier, before);
    }

    /// Gives violations that a machine found their binding, and lists them.
    #[cold]
    fn list_found(&mut self, plan: &Blueprint<M>, ids: &[Id]) {
        let binding = self.name(plan, ids);
        let found: Vec<Violation> = self.buffers.found.drain(..).collect();
        for violation in found {
            let violation = Violation { binding: binding.clone(), ..violation };
            if self.most_recent > 0 {
                self.most_recent -= 1;
                self.recent.push(violation.clone());
            }
            self.forgotten.list(std::iter::once(violation));
        }
    }

    /// After something may have changed: tells violations, sets the alarm, forgets what needs no memory.
    fn look_after(&mut self, plan: &Blueprint<M>, slot: Slot, frontier: Timestamp, before: (u64, usize)) {
        let kind = self.store.kind(slot);
        let is_full = kind.mask == plan.shape.full();
        let state = self.store.state(slot);
        let (violated, listed) = plan.machine.violations(state);
        if is_full && plan.universal && violated > before.0 {
            let room = self.most_recent.min(listed.len() - before.1);
            let fresh: Vec<Violation> = listed[before.1..before.1 + room].to_vec();
            self.violated += violated - before.0;
            self.most_recent -= room;
            let binding = self.name(plan, &self.store.binding(slot));
            self.recent.extend(fresh.into_iter().map(|one| Violation { binding: binding.clone(), ..one }));
        }
        if self.restless {
            return;
        }
        let state = self.store.state_mut(slot);
        let busy_until = plan.machine.busy_until(state);
        let quiet = busy_until < frontier;
        let deadline = plan.machine.deadline(state);
        // What only time makes quiet is looked at again then.
        let wake = if quiet { deadline } else { deadline.min(busy_until) };
        if let Some(alarm) = plan.machine.alarm(state)
            && wake < *alarm
        {
            *alarm = wake;
            self.alarms.set(wake, slot);
        }
        if is_full && quiet && plan.shape.variables > 0 && self.may_forget(plan, slot) {
            self.forget(plan, slot);
            return;
        }
        if quiet != kind.quiet {
            self.store.refile(&plan.shape, slot, Kind { quiet, ..kind });
        }
        if kind.mask == 0 {
            self.root_matters = !quiet || plan.machine.has_counted(self.store.state(slot));
        }
    }

    /// Whether a quiet full binding can be told from the instance that would stand for it by nothing but what it
    /// has counted.
    fn may_forget(&self, plan: &Blueprint<M>, slot: Slot) -> bool {
        if plan.machine.remembers_all() {
            return false;
        }
        let state = self.store.state(slot);
        if !plan.universal && plan.machine.violations(state).0 > 0 {
            return false;
        }
        if self.partials == 0 && !self.root_matters {
            return true;
        }
        let binding = self.store.binding(slot);
        let Some(parent) = self.store.sole_parent(plan.shape.full(), &binding) else { return false };
        self.store.kind(parent).quiet && !plan.machine.has_counted(self.store.state(parent))
    }

    fn forget(&mut self, plan: &Blueprint<M>, slot: Slot) {
        let state = self.store.state(slot);
        if plan.universal && plan.machine.has_counted(state) {
            let outcome = plan.machine.outcome(state);
            let order = self.store.binding(slot);
            let binding =
                if outcome.violations.is_empty() { Binding::default() } else { self.name(plan, &order) };
            self.forgotten.add(outcome, 1, &binding);
        }
        self.store.remove(slot, &mut self.values);
    }

    /// Whether the matches of the position, all for the same values, do nothing to a binding to which nothing has
    /// happened so far.
    fn is_inert(&mut self, plan: &Blueprint<M>, mask: Mask, now: Now<'_>) -> bool {
        let to = self.buffers.applying.len();
        self.is_inert_part(plan, mask, 0, to, now)
    }

    fn is_inert_part(&mut self, plan: &Blueprint<M>, mask: Mask, from: usize, to: usize, now: Now<'_>) -> bool {
        if !plan.machine.is_steady() || (plan.machine.remembers_all() && mask == plan.shape.full()) {
            return false;
        }
        let mut atoms = 0_u64;
        for index in &self.buffers.applying[from..to] {
            let one = self.matches.get(*index);
            let atom = one.atom().0;
            if atom >= 64 || self.matches.numbers(one).next().is_some() {
                return false;
            }
            atoms |= 1 << atom;
        }
        if let Some(known) = self.buffers.inert.get(&atoms) {
            return *known;
        }
        let answer = self.try_out(plan, from, to, now);
        if let Some(answer) = answer {
            self.buffers.inert.insert(atoms, answer);
        }
        answer.unwrap_or(false)
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
        plan.machine.visit(&mut state, scratch, &moment, &mut Sink { sum: None, found: &mut found });
        let after = plan.machine.outcome(&state);
        let same = (after.activated, after.satisfied, after.violated) == (counted.activated, counted.satisfied, counted.violated);
        Some(same && plan.machine.busy_until(&state) == Timestamp::MIN && plan.machine.deadline(&state) == Timestamp::MAX)
    }

    /// A binding with names and values.
    pub(crate) fn name(&self, plan: &Blueprint<M>, ids: &[Id]) -> Binding {
        let bound = plan.prefix.iter().zip(ids).filter(|(_, id)| **id != NONE);
        Binding { values: bound.map(|(quantifier, id)| (quantifier.variable.clone(), self.values.get(*id))).collect() }
    }

    /// How many violations are certain so far.
    pub(crate) fn violated_so_far(&self, plan: &Blueprint<M>) -> u64 {
        if plan.shape.variables > 0 {
            return self.violated;
        }
        let root = self.store.find(0, &[]);
        if root == END { 0 } else { plan.machine.violations(self.store.state(root)).0 }
    }

    /// Violations that became certain since the last call.
    pub(crate) fn news(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.recent)
    }

    pub(crate) fn scratch(&mut self, plan: &Blueprint<M>) -> &mut M::Scratch {
        self.buffers.scratch.get_or_insert_with(|| plan.machine.scratch())
    }

    /// Makes a restored one whole; `false` if it cannot have been saved like this.
    pub(crate) fn rebuild(&mut self, plan: &Blueprint<M>) -> bool {
        self.domains.rebuild();
        self.values.rebuild()
            && self.store.rebuild(&plan.shape, &self.values)
            && self.alarms.fits(self.store.capacity())
            && self.domains.fits(&plan.shape, &self.values)
    }

    /// An event matches an atom, for whatever values.
    #[inline]
    pub(crate) fn notice(&mut self, origin: Origin) {
        self.merged |=
            self.noticed.is_some_and(|last| last.time == origin.time && last.event_index != origin.event_index);
        self.noticed = Some(origin);
    }

    /// The number of a value at a variable's place in an event.
    #[inline]
    pub(crate) fn number(&mut self, value: &Value<'_>) -> Id {
        self.values.number(value)
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
    let origin = Origin { event_index: 0, time: Timestamp::from_ticks(0), event: gnomon_core::symbols::Name(0) };
    let (values, ids) = (Values::default(), vec![NONE; shape.variables]);
    let mut scratch = machine.scratch();
    let mut happen = |state: &mut M::State, position: u64, atoms: &[usize]| {
        let mut matches = Matches::default();
        for atom in atoms {
            let draft = matches.begin(shape.variables);
            matches.commit(draft, AtomId(*atom as u32), origin);
        }
        let applying: Vec<u32> = (0..atoms.len() as u32).collect();
        let moment =
            Moment { position, first: &origin, matches: &matches, applying: &applying, ids: &ids, values: &values };
        machine.visit(state, &mut scratch, &moment, &mut Sink { sum: None, found: &mut vec![] });
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

/// Whether a prefix has nothing but plain `forall`s.
pub(crate) fn is_universal(prefix: &[Quantifier]) -> bool {
    prefix.iter().all(|quantifier| quantifier.kind == QuantifierKind::Forall && quantifier.threshold.is_none())
}
