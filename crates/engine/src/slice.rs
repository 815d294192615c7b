// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parametric properties: one state per binding of the quantified variables.
//!
//! A property such as `forall c, i. ...` is about each pair of a collection and an iterator on its own. *Parametric trace
//! slicing* (Chen and Rosu, `JavaMOP`; quantified event automata, QEA, in `MarQ`) divides the trace: the slice of a binding is the
//! subsequence of events that are compatible with it. A plain [*machine*](machine), which knows nothing of variables, runs over
//! each slice. A quantifier then combines the results. The number of slices is not known in advance and may be huge, so the slicer
//! keeps states only for bindings that differ.
//!
//! # Instances
//!
//! An *instance* is a partial binding and a machine state. It stands for every full binding that agrees with it and with no more
//! specific instance. The *root* binds nothing: it stands for all bindings of which nothing is known. An event that matches an
//! atom binds the variables of a set A. It affects an instance that binds the set I if both agree on A ∩ I:
//!
//! - If A ⊆ I, the machine visits the instance.
//! - Otherwise only the bindings with the event's values are affected. If the event would change their state, they *split*: a new
//!   instance gets the joined binding and a copy of the state, and is visited. If not, nothing is stored.
//!
//! An instance that is full and behaves like the initial state again is *evicted*: its counts are added to those of evicted
//! bindings, its row, timer and values are freed, and the root or another instance stands for the binding again.
//!
//! # Example
//!
//! *An iterator is not advanced after its collection was modified*, as an automaton over `create(c, i)`, `modify(c)` and
//! `next(i)`, for all c and i: state 0 goes to 1 on `create`, 1 to 2 on `modify`, 2 to `error` on `next`. `_` is an unbound variable.
//!
//! | event | matches | what happens | instances afterwards |
//! |---|---|---|---|
//! | | | | (_,_) in 0 |
//! | `modify(7)` | c=7 | no-op in state 0: nothing splits | (_,_) in 0 |
//! | `create(7, a)` | c=7, i=a | (7,a) splits from the root | (_,_) in 0; (7,a) in 1 |
//! | `create(7, b)` | c=7, i=b | (7,b) splits from the root | (_,_) in 0; (7,a) in 1; (7,b) in 1 |
//! | `modify(7)` | c=7 | visits both by the index on c; for the root it is a no-op | (_,_) in 0; (7,a) in 2; (7,b) in 2 |
//! | `next(a)` | i=a | visits (7,a) by the index on i: violation | (_,_) in 0; (7,a) in error; (7,b) in 2 |
//!
//! Had the event `modify` an effect in state 0, `modify(7)` would split (7,_) from the root, and `create(7, a)` would split (7,a)
//! from (7,_), the most specific instance that agrees. An event `next(a)` with an effect there would then have to create both
//! (_,a) and the joins with what exists, (7,a).
//!
//! Eviction shows in `forall i. G(request(i) -> F[0,10] response(i))`:
//!
//! | event | what happens | instances afterwards |
//! |---|---|---|
//! | `request(1)` at 0 | (1) splits; its timer is set to 10 | root; (1) waits until 10 |
//! | `response(2)` at 1 | no-op: nothing is open for 2 | root; (1) waits until 10 |
//! | `response(1)` at 4 | the obligation is met, the state is initial: (1) is the last evictable | root; (1) evictable |
//! | `request(3)` at 5 | (1) is evicted, (3) splits | root; (3) waits until 15 |
//! | time passes 15 | the timer of (3) rings: violation, then (3) is evicted | root |
//!
//! The last evictable instance is kept for one more event, because the next one is often about the same binding.
//!
//! # Joins on demand
//!
//! The joins of partial instances are a product: 2,000 values of u and 2,000 of f give 4 million pairs, though events may never connect
//! most of them. Where the machine can [divide](machine::Machine::divide) its state, pairs have no instance until one event
//! binds both variables. *Who accesses a file has logged in, and the file is open*,
//! `forall u, f. G(access(u,f) -> (!logout(u) S login(u)) && (!close(f) S open(f)))`:
//!
//! | event | what happens | instances afterwards |
//! |---|---|---|
//! | `login(1)` | (1,_) splits from the root | root; (1,_) logged in |
//! | `open(a)` | (_,a) splits from the root; no join | root; (1,_) logged in; (_,a) open |
//! | `access(1, a)` | (1,a) is assembled from (1,_) and (_,a), and visited: satisfied. Nothing is open, so it is evicted | as before |
//! | `access(1, b)` | (1,b) is assembled from (1,_) and the root, and visited: violation | as before |
//!
//! The division requires that each operator over the past depends on one set of variables, which the events below it bind, and that
//! no obligation arises without an event that binds all variables. Most requirements on accesses, transfers and messages are of
//! this form. Other properties have all joins.
//!
//! # Idle positions
//!
//! A position without a match for a binding is *idle* for it. Mostly it changes nothing, and the instance is not visited. After
//! `a(1)`, the binding 1 of `forall i. G(a(i) -> X b(i))` must see the next position, whatever its event. Such an instance is
//! *restless*: it is visited at the next position, until its state is at rest (`network/rest.rs`). If the root is restless when
//! the trace begins, all instances are visited until all are at rest.
//!
//! # Keyed instances
//!
//! In the second example every event binds the only variable, so no event concerns two instances, none is partial, and the root stays as it is.
//! The instances of such a property have no rows: a state is stored at the number of its value
//! ([`KeyedStates`](storage::keyed::KeyedStates)), and an event takes the fast path of `slicing/keyed.rs`: value, number, state.
//! Instances change in the same way, except that none is kept for one more event.
//!
//! # Modules
//!
//! - [`slicing`]: which instances an event affects, which split, which are evicted, and which violations that decides. Calls all
//!   modules below.
//! - [`quantifiers`]: the verdict over all instances. Calls storage and machines.
//! - [`classes`]: the bindings that an instance stands for. Calls storage.
//! - [`storage`]: rows, indexes, values, timers. Knows none of the others; a state is opaque to it.
//! - [`machine`] and [`machines`]: what one instance runs. They read values of the storage in guards and know nothing else of it.
//!
//! This file is the front: [`SlicedProperty`] is a compiled property, [`SlicedState`] its state, both a choice of the kinds of machines.
//!
//! # Invariants
//!
//! - INVARIANT: the bindings of instances are closed under joins of compatible ones. So one of the instances that agree with a
//!   full binding is the most specific, and its state is the state of the binding's slice. With joins on demand, that state is the one
//!   assembled from the instances that agree, unless the full binding has an instance.
//! - INVARIANT: a split never changes what a binding has seen. The new instance starts with the state of the instance that stood
//!   for it, or with a replay of its log where guards read the new value.
//! - INVARIANT: an instance is evicted only if the instance that stands for the binding afterwards behaves like it, and its counts
//!   are kept. So instances see a position from the general to the specific ones.
//! - INVARIANT: a value's number is valid while an instance or a domain holds it, and until the end of the open position.
//!
//! # Cost
//!
//! COST: an event costs one lookup per kind of instance (a set of variables, quiescent or not) and one visit per instance that it
//! affects or that is restless, whatever the number of instances; a keyed instance costs one lookup. A no-op costs no memory. Memory: the instances that are not like their parent; a
//! few bytes for each value that a variable had, where quantifiers or classes need the domains.
#![allow(clippy::inline_always)] // measured: functions that run once for every event

mod classes;
pub(crate) mod machine;
pub(crate) mod machines;
mod quantifiers;
mod root_counts;
mod slicing;
pub(crate) mod storage;

use gnomon_core::event::Fields;
use gnomon_core::symbols::Key;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Outcome, Simultaneous, Violation};
use gnomon_ir::atom::VariableId;
use gnomon_ir::core::{Core, FormulaCore};
use serde::{Deserialize, Serialize};

use self::machine::{Capabilities, Extent};
use self::machines::{EventAutomaton, ModalFormula, Obligations, Responses, ScopedPattern};
use self::slicing::{SlicePlan, Slicer};
use crate::engine::{Engine, Observation, SharedState, TouchedEvent};
use crate::matcher::{SliceTest, ValueSource};
use crate::monitor::MemoryUse;
use crate::network::Network;
use crate::partitioner::Owner;
use crate::scheduler::{CompletePosition, EventEffect};

/// Passes the kinds of machines to a macro: the only list of them.
macro_rules! for_each_machine {
    ($then:ident! $($rest:tt)*) => {
        $then! { [Network Obligations Responses EventAutomaton ScopedPattern ModalFormula] $($rest)* }
    };
}

/// Defines the plan and the run of a property as a choice of the kinds.
macro_rules! define_kinds {
    ([$($machine:ident)*]) => {
        #[derive(Clone, Debug)]
        enum MachinePlan {
            $($machine(Box<SlicePlan<$machine>>),)*
        }

        /// The run of a property.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub(crate) enum SlicedState {
            $($machine(Box<Slicer<$machine>>),)*
        }

        impl MachinePlan {
            fn start(&self, max_violations: usize) -> SlicedState {
                match self {
                    $(MachinePlan::$machine(plan) => SlicedState::$machine(Box::new(Slicer::new(plan, max_violations))),)*
                }
            }

            /// Capabilities of the machine, the variable that divides shards, and the number of variables.
            fn summary(&self) -> (Capabilities, Option<usize>, usize) {
                match self {
                    $(MachinePlan::$machine(plan) => (plan.capabilities, plan.shared_by, plan.shape.variables),)*
                }
            }
        }

        impl SlicedState {
            fn has_many_values(&self) -> bool {
                match self {
                    $(SlicedState::$machine(slicer) => slicer.exceeds_cache(),)*
                }
            }

            fn absorb_run(&mut self, plan: &SlicedProperty, other: SlicedState) {
                match (&plan.kind, self, other) {
                    $((MachinePlan::$machine(plan), SlicedState::$machine(own), SlicedState::$machine(other)) => own.absorb(plan, *other),)*
                    _ => {}
                }
            }
        }
    };
}

/// Evaluates an expression with the plan and the run of whatever kind they are.
macro_rules! dispatch {
    ([$($machine:ident)*] ($kind:expr, $run:expr, |$plan:ident, $slicer:ident| $body:expr, $otherwise:expr)) => {
        match (&$kind, $run) {
            $((MachinePlan::$machine($plan), SlicedState::$machine($slicer)) => $body,)*
            _ => $otherwise,
        }
    };
}

macro_rules! with {
    ($plan:expr, $run:expr, |$inner:ident, $slicer:ident| $body:expr) => {
        for_each_machine!(dispatch!(
            $plan.kind,
            $run,
            |$inner, $slicer| $body,
            unreachable!(
                "a run is of its plan's kind: `SlicedState::start` makes it so, `SlicedState::rebuild` checks it"
            )
        ))
    };
}

for_each_machine!(define_kinds!);

/// A property ready to run for every binding.
#[derive(Clone, Debug)]
pub(crate) struct SlicedProperty {
    kind: MachinePlan,
    simultaneous: Simultaneous,
    /// The variable whose values divide the bindings among shards.
    shared_by: Option<usize>,
    /// Every instance is visited at every position.
    visits_all: bool,
    /// See [`Capabilities::may_be_restless`].
    may_be_restless: bool,
    /// See [`Capabilities::reads_previous`].
    reads_previous: bool,
}

impl SlicedProperty {
    pub(crate) fn new(core: &Core) -> Self {
        let kind = match core {
            Core::Automaton(automaton) => {
                MachinePlan::EventAutomaton(Box::new(SlicePlan::new(EventAutomaton::new(automaton), core)))
            }
            Core::Formula(formula) => Self::formula(core, formula),
            Core::Rule(_) | Core::Plugin(_) | Core::Clocks(_) => {
                unreachable!("the plan gives these to their own engines")
            }
            Core::Pattern(pattern) => {
                MachinePlan::ScopedPattern(Box::new(SlicePlan::new(ScopedPattern::new(pattern), core)))
            }
            Core::Modal(modal) => MachinePlan::ModalFormula(Box::new(SlicePlan::new(ModalFormula::new(modal), core))),
        };
        let (capabilities, shared_by, variables) = kind.summary();
        SlicedProperty {
            kind,
            simultaneous: core.simultaneous(),
            shared_by,
            visits_all: capabilities.visits_every_position && variables > 0,
            may_be_restless: capabilities.may_be_restless,
            reads_previous: capabilities.reads_previous,
        }
    }

    /// Chooses the smallest machine that can run a formula.
    fn formula(core: &Core, formula: &FormulaCore) -> MachinePlan {
        let in_sequence = core.simultaneous() == Simultaneous::Sequence;
        if let Some(tables) = Obligations::new(formula).filter(|_| in_sequence) {
            return MachinePlan::Obligations(Box::new(SlicePlan::new(tables, core)));
        }
        match Responses::new(Network::new(formula.clone())) {
            Ok(responses) => MachinePlan::Responses(Box::new(SlicePlan::new(responses, core))),
            Err(network) => MachinePlan::Network(Box::new(SlicePlan::new(*network, core))),
        }
    }

    /// The place of the value that divides the shards. `None` if all shards must see an event: they all detect events that
    /// were merged.
    fn shared_place<'r>(&self, test: &'r SliceTest) -> Option<&'r ValueSource> {
        let is_shared = |id: VariableId| Some(id.0 as usize) == self.shared_by;
        let place = test.variables.iter().find(|(_, id)| is_shared(*id));
        place.filter(|_| self.simultaneous != Simultaneous::Merge).map(|(source, _)| source)
    }
}

impl Engine for SlicedState {
    type Plan = SlicedProperty;
    type Test = SliceTest;

    fn simultaneous(plan: &SlicedProperty) -> Simultaneous {
        plan.simultaneous
    }

    fn can_partition(plan: &SlicedProperty) -> bool {
        plan.shared_by.is_some()
    }

    fn reads_previous(plan: &SlicedProperty) -> bool {
        plan.reads_previous
    }

    fn visits_all_bindings(plan: &SlicedProperty) -> bool {
        plan.visits_all
    }

    fn owner(plan: &SlicedProperty, test: &SliceTest, fields: &dyn Fields) -> Owner {
        match plan.shared_place(test) {
            _ if plan.shared_by.is_none() => Owner::First,
            Some(source) => source.shard_hash(fields).map_or(Owner::None, Owner::Hash),
            None => Owner::All,
        }
    }

    fn partition_key(plan: &SlicedProperty, test: &SliceTest) -> Option<Key> {
        plan.shared_place(test).and_then(ValueSource::key)
    }

    fn start(plan: &SlicedProperty, max_violations: usize) -> Self {
        plan.kind.start(max_violations)
    }

    fn restart(&mut self, plan: &SlicedProperty, max_violations: usize) {
        with!(plan, self, |plan, slicer| slicer.restart(plan, max_violations));
    }

    /// Matches an event with an atom. Where no other event of the position matters, the position is complete.
    #[inline]
    fn observe(
        &mut self,
        plan: &SlicedProperty,
        test: &SliceTest,
        observation: &Observation<'_>,
        position: Option<u64>,
        _: &mut SharedState,
    ) -> EventEffect {
        let immediate = position.filter(|_| test.is_only && !plan.may_be_restless);
        with!(plan, self, |plan, slicer| match immediate {
            Some(position) => EventEffect::Processed(slicer.take_position(plan, test, observation, position)),
            None if slicer.gather(plan, test, observation) => EventEffect::Affected,
            None => EventEffect::None,
        })
    }

    fn exceeds_cache(&self, _: &SharedState) -> bool {
        self.has_many_values()
    }

    fn touch<'e>(
        &self,
        plan: &SlicedProperty,
        events: impl Iterator<Item = TouchedEvent<'e, SliceTest>>,
        _: &SharedState,
    ) {
        with!(plan, self, |plan, slicer| slicer.touch(plan, events));
    }

    #[inline]
    fn visit(&mut self, plan: &SlicedProperty, position: &CompletePosition<'_>, _: &mut SharedState) -> Timestamp {
        with!(plan, self, |plan, slicer| {
            slicer.close(plan, position);
            slicer.next_wakeup()
        })
    }

    fn advance(&mut self, plan: &SlicedProperty, to: Timestamp, _: &mut SharedState) {
        with!(plan, self, |plan, slicer| slicer.advance(plan, to));
    }

    #[inline]
    fn wakeup(&self, plan: &SlicedProperty) -> Timestamp {
        with!(plan, self, |_plan, slicer| slicer.next_wakeup())
    }

    fn sees_every_position(&self, plan: &SlicedProperty) -> bool {
        with!(plan, self, |plan, slicer| slicer.sees_next(plan))
    }

    fn finish(&mut self, plan: &SlicedProperty, extent: Extent, end: End, _: &mut SharedState) -> Outcome {
        with!(plan, self, |plan, slicer| slicer.finish(plan, extent, end))
    }

    fn violation_count(&self, plan: &SlicedProperty) -> u64 {
        with!(plan, self, |_plan, slicer| slicer.violation_count())
    }

    fn watch_violations(&mut self, plan: &SlicedProperty) {
        with!(plan, self, |_plan, slicer| slicer.watch_violations());
    }

    fn drain_settled(&mut self, plan: &SlicedProperty, _: u64) -> Vec<Violation> {
        with!(plan, self, |_plan, slicer| slicer.drain_violations())
    }

    fn drain(&mut self, plan: &SlicedProperty, keep: usize) -> Vec<Violation> {
        with!(plan, self, |_plan, slicer| slicer.drain_all(keep))
    }

    fn memory_use(&self, plan: &SlicedProperty, _: &SharedState) -> MemoryUse {
        with!(plan, self, |plan, slicer| MemoryUse { bindings: slicer.bindings(), bytes: slicer.bytes(plan) })
    }

    fn absorb(&mut self, plan: &SlicedProperty, other: SlicedState) {
        self.absorb_run(plan, other);
    }

    fn rebuild(&mut self, plan: &SlicedProperty, _: &SharedState) -> bool {
        for_each_machine!(dispatch!(plan.kind, self, |plan, slicer| slicer.rebuild(plan), false))
    }
}
