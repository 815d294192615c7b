// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of a property over clocks: each relation is checked at each instant at which a clock of the property ticks.
// RULE C4, C6

use gnomon_core::{Binding, DecisionPoint, End, Simultaneous, TracePosition};
use gnomon_ir::ClocksCore;

use super::counts::OutcomeCounts;
use super::{Judgement, violation};
use crate::atom;
use crate::clocks::ClockHistory;
use crate::trace::Trace;
use crate::truth::Truth;

pub(super) fn judge(core: &ClocksCore, trace: &Trace, end: End) -> Judgement {
    let history = ClockHistory::new(core, trace);
    let mut counts = OutcomeCounts::default();
    for instant in (0..history.instants.len()).filter(|instant| history.matters(*instant)) {
        let origin = trace.origin(history.instants[instant].events.start);
        let at = TracePosition { position: instant as u64, origin };
        for relation in core.relations.iter().filter(|relation| history.applies(relation, instant)) {
            let is_broken = history.is_broken(relation, instant);
            counts.activation(Truth::from(!is_broken));
            if is_broken {
                let decided = DecisionPoint::Event(origin);
                counts.violation(violation(at, decided, Binding::default(), relation.relation.span));
            }
        }
    }
    counts.pending = core.relations.iter().map(|relation| history.unserved(relation)).sum();
    let truth = match end {
        _ if counts.violated > 0 => Truth::False,
        End::Complete => Truth::True,
        End::Prefix => Truth::Unknown,
    };
    let merged_simultaneous = {
        let is_read = |index: &usize| core.atoms.iter().any(|one| atom::matches(one, &trace.events()[*index], &[]));
        trace.positions(Simultaneous::Merge).iter().any(|instant| instant.events.clone().filter(is_read).count() > 1)
    };
    let if_complete = Truth::from(counts.violated == 0);
    Judgement { truth, if_complete, positions: history.instants.len(), counts, merged_simultaneous }
}
