// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine of a formula without variables: one operator network.

use gnomon_core::{End, Outcome, Simultaneous, Timestamp, Violation};
use serde::{Deserialize, Serialize};

use super::{Network, NetworkState, PositionAtoms, Scratch};
use crate::accounting::ranges;
use crate::engine::{Engine, Observation, SharedState};
use crate::matcher::{AtomTest, FieldTest};
use crate::scheduler::{CompletePosition, EventEffect, NEXT_POSITION};
use crate::slice::machine::Extent;

/// The state of a formula without variables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NetworkEngine {
    pub(super) state: NetworkState,
    #[serde(skip)]
    pub(super) scratch: Scratch,
    /// The open position.
    pub(super) atoms: PositionAtoms,
}

impl Engine for NetworkEngine {
    type Plan = Network;
    type Test = AtomTest;

    fn simultaneous(network: &Network) -> Simultaneous {
        network.core.simultaneous
    }

    fn reads_previous(network: &Network) -> bool {
        network.reads_previous()
    }

    fn start(network: &Network, max_violations: usize) -> Self {
        let (state, scratch) = (network.start(max_violations), network.scratch());
        NetworkEngine { state, scratch, atoms: PositionAtoms::new(network) }
    }

    #[inline]
    fn observe(
        &mut self,
        network: &Network,
        test: &AtomTest,
        observation: &Observation<'_>,
        _: Option<u64>,
        _: &mut SharedState,
    ) -> EventEffect {
        // Most atoms have no test.
        if !matches!(test.test, FieldTest::Always) && !test.test.passes(observation.event.fields) {
            return EventEffect::None;
        }
        let again = self.atoms.add(network, test.word, test.bits, *observation.origin);
        self.state.merged |= again && network.core.simultaneous == Simultaneous::Merge;
        EventEffect::Affected
    }

    #[allow(clippy::inline_always)] // once for every event
    #[inline(always)]
    fn visit(&mut self, network: &Network, position: &CompletePosition<'_>, shared: &mut SharedState) -> Timestamp {
        let NetworkEngine { state, scratch, atoms } = self;
        network.position(state, scratch, position, atoms, &shared.variables);
        atoms.clear();
        if state.skips_idle() { state.wake() } else { NEXT_POSITION }
    }

    fn advance(&mut self, network: &Network, to: Timestamp, _: &mut SharedState) {
        network.advance(&mut self.state, &mut self.scratch, to);
    }

    #[inline]
    fn wakeup(&self, _: &Network) -> Timestamp {
        self.state.wake()
    }

    fn sees_every_position(&self, _: &Network) -> bool {
        !self.state.skips_idle()
    }

    fn finish(&mut self, network: &Network, extent: Extent, end: End, _: &mut SharedState) -> Outcome {
        network.catch_up(&mut self.state, extent.positions, extent.last_time, extent.frontier);
        let outcome = network.finish(&mut self.state, &mut self.scratch, end);
        Outcome { violations: ranges(outcome.violations, extent.most_listed), ..outcome }
    }

    fn violation_count(&self, _: &Network) -> u64 {
        self.state.record().totals.violated
    }

    fn drain_settled(&mut self, _: &Network, positions: u64) -> Vec<Violation> {
        self.state.record_mut().log.drain_settled(positions)
    }

    fn drain(&mut self, _: &Network, keep: usize) -> Vec<Violation> {
        self.state.record_mut().log.drain(keep)
    }

    fn rebuild(&mut self, network: &Network, _: &SharedState) -> bool {
        self.scratch = network.scratch();
        network.fits(&self.state) && self.atoms.fits(network)
    }
}
