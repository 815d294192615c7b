// SPDX-License-Identifier: MIT OR Apache-2.0
//! One state per binding: which bindings a position concerns, which are made, which are forgotten.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Binding, Origin, Violation};
use gnomon_ir::core::Quantifier;
use gnomon_ir::spec::QuantifierKind;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::alarms::Alarms;
use super::domain::Domains;
use super::index::{END, Slot};
use super::machine::{Machine, Moment, Sink};
use super::matches::{Mask, Matches};
use super::store::{Kind, ROOT, Shape, Store};
use super::sum::{Lent, Sum};
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

impl<M> Blueprint<M> {
    /// Whether an instance that binds these variables is one binding, which is reported for itself.
    #[inline]
    fn is_reported(&self, mask: Mask) -> bool {
        self.universal && mask == self.shape.full() && mask != 0
    }
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
    pub(super) alarms: Alarms,
    /// What was counted for bindings that are forgotten.
    pub(crate) forgotten: Sum,
    /// What the root counted for bindings while they had no instance, short of what it has counted at the end.
    pub(super) lent: Lent,
    /// How many violations full bindings have, those of forgotten ones included.
    pub(crate) violated: u64,
    /// Violations that became certain since they were last asked for, as far as they are listed.
    recent: Vec<Violation>,
    most_recent: usize,
    /// How many of those that were told each binding goes on listing; `None`: all.
    keep: Option<usize>,
    /// Whether every instance must be looked at at every position.
    pub(super) restless: bool,
    /// Whether the instance that binds nothing is busy or has counted something.
    root_matters: bool,
    /// How many other instances do not bind every variable.
    pub(super) partials: usize,
    /// An instance that could be forgotten, kept for one more event: often the next one is about the same binding. [`END`]
    /// if there is none.
    lingering: Slot,
    /// Whether some position merged events that the property could have told apart.
    pub(crate) merged: bool,
    /// The last event that matched an atom.
    noticed: Option<Origin>,
    #[serde(skip)]
    pub(super) buffers: Buffers<M>,
}

/// Room that is used again at each position.
#[derive(Clone, Debug)]
pub(super) struct Buffers<M: Machine> {
    pub(super) scratch: Option<M::Scratch>,
    pub(super) tasks: Vec<Task>,
    pub(super) applying: Vec<u32>,
    pub(super) ids: Vec<Id>,
    pub(super) found: Vec<Violation>,
    pub(super) forks: Vec<Slot>,
    /// Which sets of atoms do nothing to a binding to which nothing has happened.
    pub(super) inert: FxHashMap<u64, bool>,
    /// The one that was asked for last: the next is mostly the same.
    pub(super) last_inert: Option<(u64, bool)>,
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
            last_inert: None,
        }
    }
}

/// An instance to visit, and the part of `applying` that are its matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) slot: Slot,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// A position and how far time has come with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now<'a> {
    pub(super) position: u64,
    pub(super) first: &'a Origin,
    pub(super) frontier: Timestamp,
}

/// How many violations are told between two times that someone asks.
const MOST_AT_ONCE: usize = 1 << 20;

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
            lent: Lent::default(),
            violated: 0,
            recent: Vec::new(),
            most_recent: max_violations,
            keep: None,
            restless: true,
            root_matters: true,
            partials: 0,
            lingering: END,
            merged: false,
            noticed: None,
            buffers: Buffers::default(),
        };
        slicer.begin(plan, max_violations);
        slicer
    }

    /// Forgets everything, as if it were new. The room for bindings stays, and what the buffers know: that depends on the
    /// property alone.
    pub(crate) fn restart(&mut self, plan: &Blueprint<M>, max_violations: usize) {
        self.values.clear();
        self.store.clear();
        self.matches.clear();
        self.domains.clear();
        self.alarms.clear();
        self.forgotten = Sum::new(max_violations);
        self.lent = Lent::default();
        self.violated = 0;
        self.recent.clear();
        self.most_recent = max_violations;
        self.keep = None;
        self.partials = 0;
        self.lingering = END;
        self.merged = false;
        self.noticed = None;
        self.buffers.found.clear();
        self.begin(plan, max_violations);
    }

    /// Puts the instance that binds nothing there.
    fn begin(&mut self, plan: &Blueprint<M>, max_violations: usize) {
        let rests = plan.machine.rests();
        (self.restless, self.root_matters) = (!rests, !rests);
        self.buffers.ids.clear();
        self.buffers.ids.resize(plan.shape.variables, NONE);
        let start = plan.machine.start(max_violations);
        let root = Kind { mask: 0, quiet: rests };
        self.store.add(&plan.shape, root, &self.buffers.ids, start, &mut self.values);
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

    /// How many bindings have a state of their own, apart from the one that stands for all the rest.
    pub(crate) fn bindings(&self) -> usize {
        self.store.live() - 1 - usize::from(self.lingering != END)
    }

    pub(crate) fn bytes(&self, plan: &Blueprint<M>) -> usize {
        let states = self.store.live() * plan.machine.weight();
        self.values.bytes() + self.store.bytes() + self.domains.bytes() + self.alarms.bytes() + states
    }

    /// The open position, whose first event this is, is complete.
    #[inline]
    pub(crate) fn close(&mut self, plan: &Blueprint<M>, position: u64, first: &Origin) {
        self.ring_before(plan, first.time);
        let frontier = Timestamp::from_ticks(first.time.ticks() + plan.least_gap);
        let now = Now { position, first, frontier };
        self.buffers.tasks.clear();
        if self.restless {
            self.concern(plan, now);
            self.run_tasks(plan, now);
            self.visit_others(plan, now);
        } else {
            if self.is_simple(plan) {
                self.concern_full(plan, now);
            } else if !self.matches.is_empty() {
                self.release(plan);
                self.concern(plan, now);
                self.run_tasks(plan, now);
            }
            // Where positions strictly follow one another, this one is the last chance of a deadline at its time.
            while let Some(slot) = self.alarms.take(frontier) {
                self.last_chance(plan, now, slot);
            }
        }
        self.matches.clear();
        self.values.settle();
    }

    /// An alarm rings at the time of the present position.
    fn last_chance(&mut self, plan: &Blueprint<M>, now: Now<'_>, slot: Slot) {
        if self.buffers.tasks.iter().any(|task| task.slot == slot) {
            // It has seen the position.
            self.look_after(plan, slot, now.frontier, None);
        } else {
            self.visit(plan, now, Task { slot, from: 0, to: 0 });
        }
    }

    /// Nothing earlier than `to` will come.
    pub(crate) fn advance(&mut self, plan: &Blueprint<M>, to: Timestamp) {
        if self.restless {
            let slots: Vec<Slot> = self.store.slots().collect();
            for slot in slots {
                self.ring(plan, slot, to);
            }
        } else {
            self.ring_before(plan, to);
        }
        self.values.settle();
    }

    #[inline]
    fn ring_before(&mut self, plan: &Blueprint<M>, to: Timestamp) {
        while let Some(slot) = self.alarms.take(to) {
            self.ring(plan, slot, to);
        }
    }

    fn ring(&mut self, plan: &Blueprint<M>, slot: Slot, to: Timestamp) {
        let before = Some(self.counted(plan, slot));
        let state = self.store.state_mut(slot);
        let scratch = self.buffers.scratch.get_or_insert_with(|| plan.machine.scratch());
        plan.machine.advance(state, scratch, to, self.forgotten.most_listed());
        self.look_after(plan, slot, to, before);
    }

    fn run_tasks(&mut self, plan: &Blueprint<M>, now: Now<'_>) {
        let mut tasks = std::mem::take(&mut self.buffers.tasks);
        if plan.machine.lends()
            && let Some(root) = tasks.iter().position(|task| task.slot == ROOT)
        {
            // The others are compared with it.
            tasks.swap(0, root);
        }
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
                self.look_after(plan, slot, now.frontier, None);
            }
        }
    }

    pub(super) fn visit(&mut self, plan: &Blueprint<M>, now: Now<'_>, task: Task) {
        self.visit_kind(plan, now, task, self.store.kind(task.slot));
    }

    /// The same, where the kind of the instance is known.
    #[allow(clippy::inline_always)] // once for every event
    #[inline(always)]
    pub(super) fn visit_kind(&mut self, plan: &Blueprint<M>, now: Now<'_>, task: Task, kind: Kind) {
        let slot = task.slot;
        let is_direct = plan.is_reported(kind.mask);
        let before = (!is_direct || !M::COUNTS_IN_SINK).then(|| self.counted(plan, slot));
        let Slicer { values, store, matches, buffers, forgotten, .. } = self;
        let before_all = forgotten.violated;
        let (state, ids) = store.parts(slot);
        let moment = Moment {
            position: now.position,
            first: now.first,
            matches,
            applying: &buffers.applying[task.from as usize..task.to as usize],
            ids,
            values,
        };
        let scratch = buffers.scratch.get_or_insert_with(|| plan.machine.scratch());
        let most_listed = forgotten.most_listed();
        let sum = is_direct.then_some(forgotten);
        plan.machine.visit(state, scratch, &moment, &mut Sink { sum, found: &mut buffers.found, most_listed });
        if self.forgotten.violated > before_all {
            self.violated += self.forgotten.violated - before_all;
            let ids = self.store.binding(slot);
            self.list_found(plan, &ids);
        }
        self.look_after_kind(plan, slot, kind, now.frontier, before);
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
    fn look_after(&mut self, plan: &Blueprint<M>, slot: Slot, frontier: Timestamp, before: Option<(u64, usize)>) {
        self.look_after_kind(plan, slot, self.store.kind(slot), frontier, before);
    }

    #[allow(clippy::inline_always)] // once for every event
    #[inline(always)]
    fn look_after_kind(
        &mut self,
        plan: &Blueprint<M>,
        slot: Slot,
        kind: Kind,
        frontier: Timestamp,
        before: Option<(u64, usize)>,
    ) {
        let is_full = kind.mask == plan.shape.full();
        if let Some(before) = before
            && is_full
            && plan.universal
        {
            self.tell(plan, slot, before);
        }
        if self.restless {
            return;
        }
        let state = self.store.state(slot);
        let busy_until = plan.machine.busy_until(state);
        let quiet = busy_until < frontier;
        let deadline = plan.machine.deadline(state);
        // What only time makes quiet is looked at again then.
        self.alarms.arm(if quiet { deadline } else { deadline.min(busy_until) }, slot);
        if is_full && plan.shape.variables > 0 {
            let rejoins = plan.machine.lends() && plan.machine.is_like(state, self.store.state(ROOT));
            if rejoins {
                self.lent.take_back(plan.machine.counts(self.store.state(ROOT)));
            }
            if rejoins || (quiet && self.may_forget(plan, slot)) {
                // One that remembers something to tell is forgotten at once: what it tells must not depend on others.
                if rejoins || self.lingering != END || !plan.machine.rests() {
                    self.forget(plan, slot);
                } else {
                    self.alarms.disarm(slot);
                    self.lingering = slot;
                }
                return;
            }
        }
        if quiet != kind.quiet {
            self.store.refile(&plan.shape, slot, Kind { quiet, ..kind });
        }
        if kind.mask == 0 {
            self.root_matters = !quiet || plan.machine.has_counted(self.store.state(slot));
        }
    }

    /// Violations that the state lists itself, beyond those that it had before, are news.
    fn tell(&mut self, plan: &Blueprint<M>, slot: Slot, before: (u64, usize)) {
        let state = self.store.state(slot);
        let (violated, listed) = plan.machine.violations(state);
        if violated > before.0 {
            let mut fresh: Vec<Violation> = listed[before.1..].to_vec();
            if listed.is_empty() && self.most_recent > 0 {
                // It keeps no list, and tells when it is asked.
                fresh = plan.machine.outcome(state).violations;
            }
            fresh.truncate(self.most_recent);
            self.violated += violated - before.0;
            self.most_recent -= fresh.len();
            if let Some(keep) = self.keep {
                plan.machine.trim(self.store.state_mut(slot), keep);
            }
            let binding = self.name(plan, &self.store.binding(slot));
            self.recent.extend(fresh.into_iter().map(|one| Violation { binding: binding.clone(), ..one }));
        }
    }

    /// How many violations a state has, and lists.
    fn counted(&self, plan: &Blueprint<M>, slot: Slot) -> (u64, usize) {
        let (violated, listed) = plan.machine.violations(self.store.state(slot));
        (violated, listed.len())
    }

    /// Whether a quiet full binding can be told from the instance that would stand for it by nothing but what it
    /// has counted.
    fn may_forget(&self, plan: &Blueprint<M>, slot: Slot) -> bool {
        if plan.machine.remembers_all() || plan.machine.lends() {
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

    /// An event concerns this instance, or one that is about to be made if it is [`END`]: the one that lingers does so no more.
    #[inline]
    pub(super) fn release_unless(&mut self, plan: &Blueprint<M>, slot: Slot) {
        if self.lingering == slot {
            self.lingering = END;
        } else {
            self.release(plan);
        }
    }

    /// Nothing lingers any more.
    #[inline]
    pub(super) fn release(&mut self, plan: &Blueprint<M>) {
        let slot = std::mem::replace(&mut self.lingering, END);
        if slot == END {
            return;
        }
        if self.may_forget(plan, slot) {
            self.forget(plan, slot);
        } else {
            self.store.refile(&plan.shape, slot, Kind { mask: plan.shape.full(), quiet: true });
        }
    }

    fn forget(&mut self, plan: &Blueprint<M>, slot: Slot) {
        let state = self.store.state(slot);
        if plan.universal && plan.machine.has_counted(state) {
            let outcome = plan.machine.outcome(state);
            let order = self.store.binding(slot);
            let binding = if outcome.violations.is_empty() { Binding::default() } else { self.name(plan, &order) };
            self.forgotten.add(outcome, 1, &binding);
        }
        self.alarms.disarm(slot);
        self.store.remove(slot, &mut self.values);
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

    /// The same, for someone who asks again and again: nothing is left out because there were many before. Of those that
    /// were told the first `keep` stay listed.
    pub(crate) fn tell_all(&mut self, keep: usize) -> Vec<Violation> {
        (self.most_recent, self.keep) = (MOST_AT_ONCE, Some(keep));
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
            && self.alarms.rebuild(self.store.capacity())
            && self.can_linger(plan)
            && self.domains.fits(&plan.shape, &self.values)
    }

    fn can_linger(&self, plan: &Blueprint<M>) -> bool {
        let is_there = |slot: Slot| {
            (slot as usize) < self.store.capacity()
                && self.store.is_live(slot)
                && self.store.kind(slot).mask == plan.shape.full()
        };
        self.lingering == END || (self.lingering != ROOT && is_there(self.lingering))
    }

    /// An event matches an atom, for whatever values.
    #[inline]
    pub(crate) fn notice(&mut self, origin: &Origin) {
        self.merged |=
            self.noticed.is_some_and(|last| last.time == origin.time && last.event_index != origin.event_index);
        self.noticed = Some(*origin);
    }
}

/// Whether a prefix has nothing but plain `forall`s.
pub(crate) fn is_universal(prefix: &[Quantifier]) -> bool {
    prefix.iter().all(|quantifier| quantifier.kind == QuantifierKind::Forall && quantifier.threshold.is_none())
}
