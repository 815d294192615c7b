// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run of a plan.

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Violation};
use serde::{Deserialize, Serialize};

use crate::lane::{Lane, Run};
use crate::network::Network;
use crate::plan::Plan;
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
    /// Properties that merge simultaneous events.
    pub(crate) merge: Lane,
    /// Properties that take each event as a position.
    pub(crate) sequence: Lane,
    /// The first event of the position that is being gathered, for the former.
    open: Option<Origin>,
}

impl Monitor {
    pub(crate) fn new(plan: Plan, max_violations: usize) -> Self {
        let networks = &plan.inner.networks;
        let state = State {
            runs: networks.iter().map(|network| Run::new(network, max_violations)).collect(),
            merge: Lane::new(networks, Simultaneous::Merge),
            sequence: Lane::new(networks, Simultaneous::Sequence),
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
        if self.state.open.as_ref().is_some_and(|open| open.time != event.time) {
            self.close_position();
        }
        let inner = &*self.plan.inner;
        let State { runs, merge, sequence, open } = &mut self.state;
        inner.matcher.each(event, |property, word, bits| {
            let (network, run) = (&inner.networks[property], &mut runs[property]);
            let is_merge = network.core.simultaneous == Simultaneous::Merge;
            if run.gathered.is_idle() {
                (if is_merge { &mut *merge } else { &mut *sequence }).concern(property);
            }
            let again = run.gathered.add(network, word, bits, origin);
            run.network.merged |= again && is_merge;
        });
        if inner.some_sequence {
            sequence.close(&inner.networks, runs, &origin);
        }
        open.get_or_insert(origin);
    }

    /// Ends the open position, if there is one.
    #[inline]
    fn close_position(&mut self) {
        let State { runs, merge, open, .. } = &mut self.state;
        if let Some(first) = open {
            merge.close(&self.plan.inner.networks, runs, first);
            *open = None;
        }
    }

    /// Time passes: no event earlier than `to` will come.
    pub fn advance(&mut self, to: Timestamp) {
        if self.state.open.as_ref().is_some_and(|open| open.time < to) {
            self.close_position();
        }
        let State { runs, merge, sequence, .. } = &mut self.state;
        for lane in [merge, sequence] {
            lane.advance(&self.plan.inner.networks, runs, to);
        }
    }

    /// The trace ends: what became of each property, in the order of the plan.
    #[must_use]
    pub fn finish(mut self, end: End) -> Vec<Outcome> {
        self.close_position();
        let State { runs, merge, sequence, .. } = &mut self.state;
        let finish = |(network, run): (&Network, &mut Run)| {
            merge.catch_up(network, run);
            sequence.catch_up(network, run);
            network.finish(&mut run.network, end)
        };
        self.plan.inner.networks.iter().zip(runs).map(finish).collect()
    }

    /// How many violations of a property are certain so far. What happens at a position counts once a later event, or
    /// [`Monitor::advance`], has closed it.
    pub fn violated(&self, property: usize) -> u64 {
        self.state.runs.get(property).map_or(0, |run| run.network.violated())
    }

    /// Violations of a property that became certain since the last call, for telling them at once. One that the next
    /// position may continue is held back until it does not; what was told here does not grow into a range later.
    pub fn news(&mut self, property: usize) -> &[Violation] {
        let State { runs, merge, sequence, .. } = &mut self.state;
        let (Some(network), Some(run)) = (self.plan.inner.networks.get(property), runs.get_mut(property)) else {
            return &[];
        };
        let positions = match network.core.simultaneous {
            Simultaneous::Merge => merge.positions(),
            Simultaneous::Sequence => sequence.positions(),
        };
        run.network.news(positions)
    }

    /// The run as data: [`Plan::restore`] goes on from it as if nothing had happened.
    pub fn save(&self) -> Vec<u8> {
        snapshot::save(&self.plan, &self.state)
    }
}
