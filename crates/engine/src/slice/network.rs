// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operator network as the machine of a binding: any formula.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Outcome, Verdict, Violation};
use gnomon_ir::core::Reading;
use serde::{Deserialize, Serialize};

use super::domain::Named;
use super::machine::{Extent, Machine, Moment, Sink};
use super::matches::Mask;
use super::values::{Id, Values};
use crate::network::{self, Network};
use crate::positions::Gathered;
use crate::terms::variables::Variables;

/// The state for one binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Instance {
    run: network::State,
}

/// Buffers for one call.
#[derive(Clone, Debug)]
pub(crate) struct Buffers {
    gathered: Gathered,
    scratch: network::Scratch,
}

impl Machine for Network {
    type State = Instance;
    type Scratch = Buffers;
    const COUNTS_IN_SINK: bool = false;

    fn scratch(&self) -> Buffers {
        Buffers { gathered: Gathered::new(self), scratch: Network::scratch(self) }
    }

    fn start(&self, max_violations: usize) -> Instance {
        Instance { run: Network::start(self, max_violations) }
    }

    #[inline]
    fn visit(&self, state: &mut Instance, buffers: &mut Buffers, moment: &Moment<'_>, _: &mut Sink<'_>) {
        let Buffers { gathered, scratch } = buffers;
        for one in moment.matches() {
            let atom = one.atom().0 as usize;
            let again = gathered.add(self, atom / 64, 1 << (atom % 64), one.origin);
            state.run.merged |= again;
            for (measure, number) in moment.matches.numbers(one) {
                gathered.measure(measure, one.origin, number);
            }
        }
        self.position(&mut state.run, scratch, moment.position, gathered, &Variables::default(), moment.first);
        gathered.clear();
    }

    fn reacts(&self, _: &Instance, _: &Moment<'_>) -> bool {
        true
    }

    fn splits(&self) -> Mask {
        0
    }

    fn replay(&self, from: &Instance, _: &[Id], _: &Values) -> Instance {
        from.clone()
    }

    fn advance(&self, state: &mut Instance, buffers: &mut Buffers, to: Timestamp, _: usize) {
        Network::advance(self, &mut state.run, &mut buffers.scratch, to);
    }

    fn skips_idle(&self, state: &Instance) -> bool {
        state.run.skips_idle()
    }

    fn deadline(&self, state: &Instance) -> Timestamp {
        state.run.wake()
    }

    fn busy_until(&self, state: &Instance) -> Timestamp {
        state.run.busy_until()
    }

    fn is_settled(&self, state: &Instance) -> bool {
        state.run.is_settled()
    }

    fn has_counted(&self, state: &Instance) -> bool {
        state.run.has_counted()
    }

    fn violations<'s>(&self, state: &'s Instance) -> (u64, &'s [Violation]) {
        (state.run.violated(), state.run.listed())
    }

    fn trim(&self, state: &mut Instance, keep: usize) {
        state.run.trim(keep);
    }

    fn outcome(&self, state: &Instance) -> Outcome {
        Network::outcome(&state.run, Verdict::Inconclusive)
    }

    fn finish(&self, state: &mut Instance, buffers: &mut Buffers, extent: Extent, end: End) -> Outcome {
        let Extent { positions, last_time, frontier, .. } = extent;
        self.catch_up(&mut state.run, positions, last_time, frontier);
        Network::finish(self, &mut state.run, &mut buffers.scratch, end)
    }

    fn name(&self, _: &mut Instance, _: Named) {}

    fn admits(&self, _: &[Id], _: &Values) -> bool {
        true
    }

    fn is_choosy(&self) -> bool {
        false
    }

    fn whole(&self) -> (Span, bool) {
        let span = match &self.core.reading {
            Reading::Whole(whole) => whole.span,
            Reading::Invariants(invariants) => {
                invariants.iter().map(|invariant| invariant.span).reduce(Span::to).unwrap_or_default()
            }
        };
        (span, self.core.looks_ahead(self.core.formula))
    }

    fn remembers_all(&self) -> bool {
        false
    }

    fn is_steady(&self) -> bool {
        Network::is_steady(self)
    }

    fn weight(&self) -> usize {
        Network::weight(self)
    }
}
