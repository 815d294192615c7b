// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operator network as a machine: any formula.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Outcome, Verdict};
use gnomon_ir::core::Reporting;

use crate::accounting::ObligationRecord;
use crate::network::{self, Network, NetworkState, PositionAtoms};
use crate::scheduler::CompletePosition;
use crate::slice::machine::{Attention, BindingPosition, Capabilities, Extent, Machine, Schedule, Sink, StateCounts};
use crate::slice::storage::index::Mask;
use crate::terms::variables::Variables;

/// Buffers for one call.
#[derive(Clone, Debug)]
pub(crate) struct NetworkBuffers {
    gathered: PositionAtoms,
    scratch: network::Scratch,
}

fn buffers<'b>(network: &Network, buffers: &'b mut Option<NetworkBuffers>) -> &'b mut NetworkBuffers {
    buffers.get_or_insert_with(|| NetworkBuffers {
        gathered: PositionAtoms::new(network),
        scratch: Network::scratch(network),
    })
}

impl Machine for Network {
    type State = NetworkState;
    type Scratch = Option<NetworkBuffers>;
    const COUNTS_IN_SINK: bool = false;

    fn capabilities(&self) -> Capabilities {
        let span = match &self.core.reporting {
            Reporting::Whole(whole) => whole.span,
            Reporting::Invariants(invariants) => {
                invariants.iter().map(|invariant| invariant.span).reduce(Span::to).unwrap_or_default()
            }
        };
        Capabilities {
            is_time_invariant: self.is_time_invariant(),
            visits_every_position: !self.skips_idle(),
            may_be_restless: self.may_be_restless(),
            reads_previous: self.reads_previous(),
            heap_bytes: self.heap_bytes(),
            span,
            looks_ahead: self.core.looks_ahead(self.core.formula),
            ..Capabilities::default()
        }
    }

    fn divide(&mut self, atoms: &[Mask], variables: usize) -> Option<Vec<Mask>> {
        Network::divide(self, atoms, variables)
    }

    fn assemble(&self, root: &NetworkState, parts: &[(Mask, &NetworkState)]) -> NetworkState {
        Network::assemble(self, root, parts)
    }

    fn schedule_assembled(&self, state: &NetworkState) -> Schedule {
        Schedule { busy_until: self.busy_until_assembled(state), deadline: state.wake() }
    }

    fn start(&self, max_violations: usize) -> NetworkState {
        Network::start(self, max_violations)
    }

    #[inline]
    fn visit(
        &self,
        state: &mut NetworkState,
        scratch: &mut Option<NetworkBuffers>,
        at: &BindingPosition<'_>,
        _: &mut Sink<'_>,
    ) {
        let NetworkBuffers { gathered, scratch } = buffers(self, scratch);
        for one in at.matches() {
            let atom = one.atom().0 as usize;
            let again = gathered.add(self, atom / 64, 1 << (atom % 64), one.origin);
            state.merged |= again;
            for (measure, value) in at.matches.measured(one) {
                gathered.measure(measure, one.origin, value.clone());
            }
        }
        let position = CompletePosition { index: at.position, first: at.first, previous: at.previous };
        self.position(state, scratch, &position, gathered, &Variables::default());
        gathered.clear();
    }

    fn reacts(&self, _: &NetworkState, _: &BindingPosition<'_>) -> bool {
        true
    }

    fn advance(&self, state: &mut NetworkState, scratch: &mut Option<NetworkBuffers>, to: Timestamp, _: &mut Sink<'_>) {
        Network::advance(self, state, &mut buffers(self, scratch).scratch, to);
    }

    fn schedule(&self, state: &NetworkState) -> Schedule {
        Schedule { busy_until: self.busy_until(state), deadline: state.wake() }
    }

    fn attention(&self, state: &NetworkState) -> Attention {
        match () {
            () if state.is_settled() => Attention::Nothing,
            () if state.skips_idle() => Attention::Matches,
            () => Attention::Every,
        }
    }

    fn counts(&self, state: &NetworkState) -> StateCounts {
        StateCounts { any: state.has_counted(), ..StateCounts::of(state.record()) }
    }

    fn record_mut<'s>(&self, state: &'s mut NetworkState) -> Option<&'s mut ObligationRecord> {
        Some(state.record_mut())
    }

    fn outcome(&self, state: &NetworkState) -> Outcome {
        Network::outcome(state, Verdict::Inconclusive)
    }

    fn finish(
        &self,
        state: &mut NetworkState,
        scratch: &mut Option<NetworkBuffers>,
        extent: Extent,
        end: End,
    ) -> Outcome {
        let Extent { positions, last_time, frontier, .. } = extent;
        self.catch_up(state, positions, last_time, frontier);
        Network::finish(self, state, &mut buffers(self, scratch).scratch, end)
    }
}
