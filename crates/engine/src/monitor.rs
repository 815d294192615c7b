// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run of a plan.

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Violation};
use serde::{Deserialize, Serialize};

use crate::network::{self, Network};
use crate::plan::Plan;
use crate::positions::Gathered;
use crate::snapshot;

/// The state of one run: fed with events in the order of their times, asked for outcomes at the end.
#[derive(Clone, Debug)]
pub struct Monitor {
    plan: Plan,
    pub(crate) state: State,
}

/// All that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// For each property of the plan.
    pub(crate) runs: Vec<Run>,
    /// The first event of the position that is being gathered, for properties that merge simultaneous events.
    open: Option<Origin>,
}

/// One property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) network: network::State,
    /// The position that is being gathered.
    pub(crate) gathered: Gathered,
}

impl Run {
    /// The gathered position, whose first event this is, is complete.
    #[inline]
    fn position(&mut self, network: &Network, first: &Origin) {
        if self.gathered.is_idle() && network.skip(&mut self.network, first.time) {
            return;
        }
        network.position(&mut self.network, &self.gathered, first);
        self.gathered.clear();
    }
}

impl Monitor {
    pub(crate) fn new(plan: Plan, max_violations: usize) -> Self {
        let run = |network: &Network| Run { network: network.start(max_violations), gathered: Gathered::new(network) };
        let state = State { runs: plan.inner.networks.iter().map(run).collect(), open: None };
        Monitor { plan, state }
    }

    pub(crate) fn resume(plan: Plan, state: State) -> Self {
        Monitor { plan, state }
    }

    /// An event happens. Its time must not be before that of the event before, or before what [`Monitor::advance`]
    /// promised.
    #[inline]
    pub fn step(&mut self, event: &Event<'_>) {
        let origin = Origin { event_index: event.index, time: event.time, event: event.name };
        if self.state.open.as_ref().is_some_and(|open| open.time != event.time) {
            self.close_position();
        }
        let inner = &*self.plan.inner;
        let State { runs, open } = &mut self.state;
        inner.matcher.each(event, |property, word, bits| {
            let (network, run) = (&inner.networks[property], &mut runs[property]);
            let again = run.gathered.add(network, word, bits, origin);
            if again && network.core.simultaneous == Simultaneous::Merge {
                run.network.merged = true;
            }
        });
        if inner.some_sequence {
            for (network, run) in inner.networks.iter().zip(runs) {
                if network.core.simultaneous == Simultaneous::Sequence {
                    run.position(network, &origin);
                }
            }
        }
        open.get_or_insert(origin);
    }

    /// Ends the open position, if there is one.
    #[inline]
    fn close_position(&mut self) {
        let Some(open) = &self.state.open else { return };
        for (network, run) in self.plan.inner.networks.iter().zip(&mut self.state.runs) {
            if network.core.simultaneous == Simultaneous::Merge {
                run.position(network, open);
            }
        }
        self.state.open = None;
    }

    /// Time passes: no event earlier than `to` will come.
    pub fn advance(&mut self, to: Timestamp) {
        if self.state.open.as_ref().is_some_and(|open| open.time < to) {
            self.close_position();
        }
        for (network, run) in self.plan.inner.networks.iter().zip(&mut self.state.runs) {
            network.advance(&mut run.network, to);
        }
    }

    /// The trace ends: what became of each property, in the order of the plan.
    #[must_use]
    pub fn finish(mut self, end: End) -> Vec<Outcome> {
        self.close_position();
        let networks = self.plan.inner.networks.iter().zip(&mut self.state.runs);
        networks.map(|(network, run)| network.finish(&mut run.network, end)).collect()
    }

    /// How many violations of a property are certain so far. What happens at a position counts once a later event, or
    /// [`Monitor::advance`], has closed it.
    pub fn violated(&self, property: usize) -> u64 {
        self.state.runs.get(property).map_or(0, |run| run.network.violated())
    }

    /// Violations of a property that became certain since the last call, for telling them at once. One that the next
    /// position may continue is held back until it does not; what was told here does not grow into a range later.
    pub fn news(&mut self, property: usize) -> &[Violation] {
        self.state.runs.get_mut(property).map_or(&[], |run| run.network.news())
    }

    /// The run as data: [`Plan::restore`] goes on from it as if nothing had happened.
    pub fn save(&self) -> Vec<u8> {
        snapshot::save(&self.plan, &self.state)
    }
}
