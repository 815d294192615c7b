// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface between a monitor and the engines that run its properties.
//!
//! A plan is a list of *units*, each compiled for one engine; nearly every property is one unit. [`Engine`] is all that a monitor
//! and its schedulers know of an engine. The list at [`engines`] names the engines; calls are dispatched by a `match`, so that an
//! event costs no virtual call.
//!
//! To add an engine, implement [`Engine`] for its state, add a line to the list, and let `plan.rs` choose it.

use gnomon_core::event::{Event, Fields};
use gnomon_core::event_block::BlockRow;
use gnomon_core::symbols::Key;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Verdict, Violation};
use serde::{Deserialize, Serialize};

use crate::accounting::ObligationRecord;
use crate::block::{BlockEffect, PositionBlock};
use crate::clocks::ClockEngine;
use crate::matcher::AtomTest;
use crate::monitor::MemoryUse;
use crate::network::NetworkEngine;
use crate::partitioner::{Owner, Shard};
use crate::plugin::PluginEngine;
use crate::rules::{Correlations, MessageTests, RuleEngine};
use crate::scheduler::{self, CompletePosition, EventEffect};
use crate::slice;
use crate::slice::machine::Extent;
use crate::terms::variables::{self, Variables};

/// State that several units share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SharedState {
    /// The latest values of the fields that terms read.
    pub(crate) variables: Variables,
    /// The values that correlate messages of rules.
    pub(crate) correlations: Correlations,
}

impl SharedState {
    pub(crate) fn restart(&mut self, fields: &variables::VariableFields) {
        self.variables = Variables::new(fields);
        self.correlations.restart();
    }
}

/// An event with everything that units need to take it in.
#[derive(Clone, Copy)]
pub(crate) struct Observation<'a> {
    pub(crate) event: &'a Event<'a>,
    pub(crate) origin: &'a Origin,
    /// Tests of events of this name that rules share.
    pub(crate) messages: Option<&'a MessageTests>,
    /// The bindings that are run here.
    pub(crate) shard: Shard,
}

/// The greatest number of events of a block whose states are read together.
pub(crate) const MOST_TOUCHED: usize = 64;

/// An event of a block, for one of the tests of a unit.
pub(crate) struct TouchedEvent<'e, T> {
    pub(crate) test: &'e T,
    pub(crate) row: BlockRow<'e>,
    /// The tests that rules share.
    pub(crate) messages: Option<&'e MessageTests>,
}

/// The state of one unit.
pub(crate) trait Engine: Sized {
    /// The compiled property.
    type Plan;
    /// A test that an event must pass to concern the unit, with its effect.
    type Test;

    fn simultaneous(plan: &Self::Plan) -> Simultaneous;

    /// Returns true if several shards can divide the bindings of the unit among themselves.
    fn can_partition(_: &Self::Plan) -> bool {
        false
    }

    /// Returns the shards that must read an event of the test's name.
    fn owner(_: &Self::Plan, _: &Self::Test, _: &dyn Fields) -> Owner {
        Owner::First
    }

    /// Returns the field whose value alone decides which shard must read an event of the test's name, if there is one.
    fn partition_key(_: &Self::Plan, _: &Self::Test) -> Option<Key> {
        None
    }

    /// Returns true if a visit must know the event of the position before.
    fn reads_previous(_: &Self::Plan) -> bool {
        false
    }

    /// Returns true if every binding is visited at every position, because events of other bindings affect it.
    fn visits_all_bindings(_: &Self::Plan) -> bool {
        false
    }

    /// Creates the state before the first event.
    fn start(plan: &Self::Plan, max_violations: usize) -> Self;

    /// Forgets everything. Buffers may be kept.
    fn restart(&mut self, plan: &Self::Plan, max_violations: usize) {
        *self = Self::start(plan, max_violations);
    }

    /// Takes in an event of the open position that has the test's name. With the number of the position the unit may process
    /// the position immediately, if no other event of it can concern the unit.
    fn observe(
        &mut self,
        plan: &Self::Plan,
        test: &Self::Test,
        observation: &Observation<'_>,
        position: Option<u64>,
        shared: &mut SharedState,
    ) -> EventEffect;

    /// Returns true if the states of the unit do not stay in the cache of a processor, so that [`Engine::touch`] pays.
    fn exceeds_cache(&self, _: &SharedState) -> bool {
        false
    }

    /// Reads what the unit will need to take in these events of a block, at most [`MOST_TOUCHED`], so that it is in the cache of the
    /// processor then.
    fn touch<'e>(&self, _: &Self::Plan, _events: impl Iterator<Item = TouchedEvent<'e, Self::Test>>, _: &SharedState)
    where
        Self::Test: 'e,
    {
    }

    /// Takes in the open position, which is complete. Returns the next wake-up.
    fn visit(&mut self, plan: &Self::Plan, position: &CompletePosition<'_>, shared: &mut SharedState) -> Timestamp;

    /// Advances time: no event before `to` will come.
    fn advance(&mut self, plan: &Self::Plan, to: Timestamp, shared: &mut SharedState);

    /// See [`scheduler::Units::wakeup`].
    fn wakeup(&self, plan: &Self::Plan) -> Timestamp;

    /// See [`scheduler::Units::sees_every_position`].
    fn sees_every_position(&self, plan: &Self::Plan) -> bool;

    /// Ends the trace and returns the outcome.
    fn finish(&mut self, plan: &Self::Plan, extent: Extent, end: End, shared: &mut SharedState) -> Outcome;

    /// Begins to count and list violations before the end of the trace.
    fn watch_violations(&mut self, _: &Self::Plan) {}

    /// Returns the number of violations that are certain so far, if [`Engine::watch_violations`] was called at the beginning.
    fn violation_count(&self, plan: &Self::Plan) -> u64;

    /// Drains violations that became certain since the last call and that the next position cannot extend. `positions` is the number
    /// of positions so far.
    fn drain_settled(&mut self, plan: &Self::Plan, positions: u64) -> Vec<Violation>;

    /// Drains all violations that became certain since the last call. The outcome keeps the first `keep`.
    fn drain(&mut self, plan: &Self::Plan, keep: usize) -> Vec<Violation>;

    /// Returns the memory that the bindings take.
    fn memory_use(&self, _: &Self::Plan, _: &SharedState) -> MemoryUse {
        MemoryUse::default()
    }

    /// Adds the state of another shard that ran other bindings on the same events.
    fn absorb(&mut self, _: &Self::Plan, _: Self) {}

    /// Completes a restored state. Returns false if no state of the plan is saved like this.
    fn rebuild(&mut self, plan: &Self::Plan, shared: &SharedState) -> bool;
}

/// Defines an enum of the plans of all engines, one of their tests and one of their states. The state enum is an engine itself: it
/// calls the engine of its plan. The enums have explicit tags, which are quicker to read than a niche inside a variant.
macro_rules! engines {
    ($($(#[$about:meta])* $kind:ident: $engine:ty,)*) => {
        /// A compiled unit.
        #[derive(Debug)]
        #[repr(u8)]
        #[allow(clippy::large_enum_variant)] // there is one of them for each property
        pub(crate) enum PropertyPlan { $($(#[$about])* $kind(<$engine as Engine>::Plan),)* }

        /// A test of a unit.
        #[derive(Clone, Debug)]
        #[repr(u8)]
        pub(crate) enum PropertyTest { $($(#[$about])* $kind(<$engine as Engine>::Test),)* }

        /// The state of a unit.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[repr(u8)]
        #[allow(clippy::large_enum_variant)] // there is one of them for each property
        pub(crate) enum PropertyState {
            $($(#[$about])* $kind($engine),)*
            /// A unit whose engine failed, with the message.
            Failed(String),
        }

        impl Engine for PropertyState {
            type Plan = PropertyPlan;
            type Test = PropertyTest;

            fn simultaneous(plan: &PropertyPlan) -> Simultaneous {
                match plan { $(PropertyPlan::$kind(plan) => <$engine>::simultaneous(plan),)* }
            }

            fn can_partition(plan: &PropertyPlan) -> bool {
                match plan { $(PropertyPlan::$kind(plan) => <$engine>::can_partition(plan),)* }
            }

            fn reads_previous(plan: &PropertyPlan) -> bool {
                match plan { $(PropertyPlan::$kind(plan) => <$engine>::reads_previous(plan),)* }
            }

            fn visits_all_bindings(plan: &PropertyPlan) -> bool {
                match plan { $(PropertyPlan::$kind(plan) => <$engine>::visits_all_bindings(plan),)* }
            }

            fn owner(plan: &PropertyPlan, test: &PropertyTest, fields: &dyn Fields) -> Owner {
                match (plan, test) {
                    $((PropertyPlan::$kind(plan), PropertyTest::$kind(test)) => <$engine>::owner(plan, test, fields),)*
                    _ => other_engine(),
                }
            }

            fn partition_key(plan: &PropertyPlan, test: &PropertyTest) -> Option<Key> {
                match (plan, test) {
                    $((PropertyPlan::$kind(plan), PropertyTest::$kind(test)) => <$engine>::partition_key(plan, test),)*
                    _ => other_engine(),
                }
            }

            fn start(plan: &PropertyPlan, max_violations: usize) -> Self {
                match plan {
                    $(PropertyPlan::$kind(plan) => PropertyState::$kind(<$engine>::start(plan, max_violations)),)*
                }
            }

            fn restart(&mut self, plan: &PropertyPlan, max_violations: usize) {
                if let PropertyState::Failed(_) = self {
                    *self = Self::start(plan, max_violations);
                }
                engines!(@call self, plan, |state, plan| state.restart(plan, max_violations), else |_message| (); $($kind)*)
            }

            #[allow(clippy::inline_always)] // once for every event
            #[inline(always)]
            fn observe(
                &mut self,
                plan: &PropertyPlan,
                test: &PropertyTest,
                observation: &Observation<'_>,
                position: Option<u64>,
                shared: &mut SharedState,
            ) -> EventEffect {
                match (plan, test, self) {
                    $((PropertyPlan::$kind(plan), PropertyTest::$kind(test), PropertyState::$kind(state)) => {
                        state.observe(plan, test, observation, position, shared)
                    })*
                    (_, _, PropertyState::Failed(_)) => EventEffect::None,
                    _ => other_engine(),
                }
            }

            fn exceeds_cache(&self, shared: &SharedState) -> bool {
                match self {
                    $(PropertyState::$kind(state) => state.exceeds_cache(shared),)*
                    PropertyState::Failed(_) => false,
                }
            }

            fn touch<'e>(
                &self,
                plan: &PropertyPlan,
                events: impl Iterator<Item = TouchedEvent<'e, PropertyTest>>,
                shared: &SharedState,
            ) {
                match (plan, self) {
                    $((PropertyPlan::$kind(plan), PropertyState::$kind(state)) => {
                        let own = |TouchedEvent { test, row, messages }| match test {
                            PropertyTest::$kind(test) => Some(TouchedEvent { test, row, messages }),
                            _ => None,
                        };
                        state.touch(plan, events.filter_map(own), shared);
                    })*
                    _ => {}
                }
            }

            #[allow(clippy::inline_always)] // once for every event
            #[inline(always)]
            fn visit(&mut self, plan: &PropertyPlan, position: &CompletePosition<'_>, shared: &mut SharedState) -> Timestamp {
                engines!(@call self, plan, |state, plan| state.visit(plan, position, shared), else |_message| Timestamp::MAX; $($kind)*)
            }

            fn advance(&mut self, plan: &PropertyPlan, to: Timestamp, shared: &mut SharedState) {
                engines!(@call self, plan, |state, plan| state.advance(plan, to, shared), else |_message| (); $($kind)*)
            }

            #[inline]
            fn wakeup(&self, plan: &PropertyPlan) -> Timestamp {
                engines!(@call self, plan, |state, plan| state.wakeup(plan), else |_message| Timestamp::MAX; $($kind)*)
            }

            fn sees_every_position(&self, plan: &PropertyPlan) -> bool {
                engines!(@call self, plan, |state, plan| state.sees_every_position(plan), else |_message| false; $($kind)*)
            }

            fn finish(&mut self, plan: &PropertyPlan, extent: Extent, end: End, shared: &mut SharedState) -> Outcome {
                engines!(@call self, plan, |state, plan| state.finish(plan, extent, end, shared), else |message| failed_outcome(message); $($kind)*)
            }

            fn watch_violations(&mut self, plan: &PropertyPlan) {
                engines!(@call self, plan, |state, plan| state.watch_violations(plan), else |_message| (); $($kind)*)
            }

            fn violation_count(&self, plan: &PropertyPlan) -> u64 {
                engines!(@call self, plan, |state, plan| state.violation_count(plan), else |_message| 0; $($kind)*)
            }

            fn drain_settled(&mut self, plan: &PropertyPlan, positions: u64) -> Vec<Violation> {
                engines!(@call self, plan, |state, plan| state.drain_settled(plan, positions), else |_message| vec![]; $($kind)*)
            }

            fn drain(&mut self, plan: &PropertyPlan, keep: usize) -> Vec<Violation> {
                engines!(@call self, plan, |state, plan| state.drain(plan, keep), else |_message| vec![]; $($kind)*)
            }

            fn memory_use(&self, plan: &PropertyPlan, shared: &SharedState) -> MemoryUse {
                engines!(@call self, plan, |state, plan| state.memory_use(plan, shared), else |_message| MemoryUse::default(); $($kind)*)
            }

            fn absorb(&mut self, plan: &PropertyPlan, other: Self) {
                match (plan, self, other) {
                    $((PropertyPlan::$kind(plan), PropertyState::$kind(own), PropertyState::$kind(other)) => {
                        own.absorb(plan, other);
                    })*
                    (_, PropertyState::Failed(_), _) => {}
                    (_, own, failed @ PropertyState::Failed(_)) => *own = failed,
                    _ => other_engine(),
                }
            }

            fn rebuild(&mut self, plan: &PropertyPlan, shared: &SharedState) -> bool {
                match (plan, self) {
                    $((PropertyPlan::$kind(plan), PropertyState::$kind(state)) => state.rebuild(plan, shared),)*
                    (_, PropertyState::Failed(_)) => true,
                    _ => false,
                }
            }
        }
    };
    (@call $self:expr, $plan:expr, |$state:ident, $own:ident| $call:expr, else |$message:ident| $failed:expr; $($kind:ident)*) => {
        match ($plan, $self) {
            $((PropertyPlan::$kind($own), PropertyState::$kind($state)) => $call,)*
            (_, PropertyState::Failed($message)) => $failed,
            _ => other_engine(),
        }
    };
}

engines! {
    /// A formula without variables: one operator network.
    Network: NetworkEngine,
    /// A property over data: a state for each binding.
    Sliced: slice::SlicedState,
    /// A rule over messages.
    Rule: RuleEngine,
    /// A logic plug-in: a run of its body for each instance of the parameters.
    Plugin: PluginEngine,
    /// Relations between clocks.
    Clocks: ClockEngine,
}

impl PropertyTest {
    /// Returns the test of an atom of a unit that takes blocks of positions.
    #[inline]
    pub(crate) fn atom(&self) -> Option<&AtomTest> {
        match self {
            PropertyTest::Network(test) | PropertyTest::Clocks(test) => Some(test),
            _ => None,
        }
    }
}

/// Returns the outcome of a unit whose engine failed.
fn failed_outcome(message: &str) -> Outcome {
    let outcome = ObligationRecord::new(0).outcome(Verdict::Inconclusive, None, 0);
    Outcome { fault: Some(message.to_owned()), ..outcome }
}

#[cold]
fn other_engine() -> ! {
    unreachable!("tests and states are of their plan's engine: `start` makes them so, `rebuild` checks it")
}

/// The units of a monitor.
pub(crate) struct MonitorUnits<'u> {
    pub(crate) plans: &'u [PropertyPlan],
    pub(crate) states: &'u mut [PropertyState],
    pub(crate) shared: &'u mut SharedState,
    /// The unit whose engine runs.
    pub(crate) running: &'u mut Option<usize>,
}

impl scheduler::Units for MonitorUnits<'_> {
    #[allow(clippy::inline_always)] // once for every event
    #[inline(always)]
    fn visit(&mut self, unit: usize, position: &CompletePosition<'_>) -> Timestamp {
        *self.running = Some(unit);
        self.states[unit].visit(&self.plans[unit], position, self.shared)
    }

    fn visit_block(&mut self, unit: usize, block: &PositionBlock<'_>, scheduled: Timestamp) -> BlockEffect {
        *self.running = Some(unit);
        match (&self.plans[unit], &mut self.states[unit]) {
            (PropertyPlan::Network(network), PropertyState::Network(state)) => {
                state.visit_block(network, block, &block.matches[unit], scheduled, &self.shared.variables)
            }
            (PropertyPlan::Clocks(clocks), PropertyState::Clocks(state)) => {
                state.visit_block(clocks, block, &block.matches[unit])
            }
            (_, PropertyState::Failed(_)) => {
                BlockEffect { wakeup: Timestamp::MAX, sees_every_position: false, is_affected: false }
            }
            _ => other_engine(),
        }
    }

    fn advance(&mut self, unit: usize, to: Timestamp) {
        *self.running = Some(unit);
        self.states[unit].advance(&self.plans[unit], to, self.shared);
    }

    #[inline]
    fn wakeup(&self, unit: usize) -> Timestamp {
        self.states[unit].wakeup(&self.plans[unit])
    }

    fn sees_every_position(&self, unit: usize) -> bool {
        self.states[unit].sees_every_position(&self.plans[unit])
    }

    fn reads_previous(&self, unit: usize) -> bool {
        PropertyState::reads_previous(&self.plans[unit])
    }

    fn violation_count(&self, unit: usize) -> u64 {
        self.states[unit].violation_count(&self.plans[unit])
    }
}
