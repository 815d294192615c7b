// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run of a plan.

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Violation};
use serde::{Deserialize, Serialize};

use crate::network;
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
    pub(crate) networks: Vec<network::State>,
    pub(crate) gathered: Vec<Gathered>,
    /// The first event of the position that is being gathered, for properties that merge simultaneous events.
    open: Option<Origin>,
}

impl Monitor {
    pub(crate) fn new(plan: Plan, max_violations: usize) -> Self {
        let networks = &plan.inner.networks;
        let state = State {
            networks: networks.iter().map(|network| network.start(max_violations)).collect(),
            gathered: networks.iter().map(Gathered::new).collect(),
            open: None,
        };
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
        if let Some(open) = self.state.open
            && open.time != event.time
        {
            self.close_position(open);
        }
        let inner = &*self.plan.inner;
        let State { networks, gathered, open } = &mut self.state;
        inner.matcher.each(event, |property, word, bits| {
            let network = &inner.networks[property];
            let again = gathered[property].add(network, word, bits, origin);
            if again && network.core.simultaneous == Simultaneous::Merge {
                networks[property].merged = true;
            }
        });
        for ((network, state), gathered) in inner.networks.iter().zip(networks).zip(gathered) {
            if network.core.simultaneous == Simultaneous::Sequence {
                network.position(state, origin.time, gathered.is_idle(), gathered, origin);
                gathered.clear();
            }
        }
        open.get_or_insert(origin);
    }

    /// Ends the position whose first event this was.
    #[inline]
    fn close_position(&mut self, open: Origin) {
        self.state.open = None;
        let State { networks, gathered, .. } = &mut self.state;
        for ((network, state), gathered) in self.plan.inner.networks.iter().zip(networks).zip(gathered) {
            if network.core.simultaneous == Simultaneous::Merge {
                network.position(state, open.time, gathered.is_idle(), gathered, open);
                gathered.clear();
            }
        }
    }

    /// Time passes: no event earlier than `to` will come.
    pub fn advance(&mut self, to: Timestamp) {
        if let Some(open) = self.state.open
            && open.time < to
        {
            self.close_position(open);
        }
        for (network, state) in self.plan.inner.networks.iter().zip(&mut self.state.networks) {
            network.advance(state, to);
        }
    }

    /// The trace ends: what became of each property, in the order of the plan.
    #[must_use]
    pub fn finish(mut self, end: End) -> Vec<Outcome> {
        if let Some(open) = self.state.open {
            self.close_position(open);
        }
        let networks = self.plan.inner.networks.iter().zip(&mut self.state.networks);
        networks.map(|(network, state)| network.finish(state, end)).collect()
    }

    /// How many violations of a property are certain so far. What happens at a position counts once a later event, or
    /// [`Monitor::advance`], has closed it.
    pub fn violated(&self, property: usize) -> u64 {
        self.state.networks.get(property).map_or(0, network::State::violated)
    }

    /// Violations of a property that became certain since the last call, for telling them at once. One that the next
    /// position may continue is held back until it does not; what was told here does not grow into a range later.
    pub fn news(&mut self, property: usize) -> &[Violation] {
        self.state.networks.get_mut(property).map_or(&[], network::State::news)
    }

    /// The run as data: [`Plan::restore`] goes on from it as if nothing had happened.
    pub fn save(&self) -> Vec<u8> {
        snapshot::save(&self.plan, &self.state)
    }
}
