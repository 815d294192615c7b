// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of an automaton: runs it for every binding.
// RULE A7, A8, A9, A10

use gnomon_core::{End, Simultaneous};
use gnomon_ir::{AutomatonCore, QuantifierKind};

use super::counts::OutcomeCounts;
use super::{Judgement, violation_at, whole_trace};
use crate::automaton::{AutomatonRun, is_judged, run};
use crate::decision_time::DecisionTime;
use crate::domain::Domains;
use crate::prefix::{BodyValues, QuantifiedBody, is_plain_forall};
use crate::trace::Trace;
use crate::truth::Truth;

pub(super) fn judge(core: &AutomatonCore, trace: &Trace, end: End) -> Judgement {
    let domains = Domains::new(&core.atoms, core.prefix.len(), trace);
    let is_reported_per_binding = core.prefix.iter().all(is_plain_forall);
    let mut counts = OutcomeCounts::default();
    let mut values = BodyValues::new();
    for choice in domains.choices(core.prefix.len()) {
        let binding = domains.values(&choice);
        if !is_judged(core, &binding) {
            let neutral = neutral(core);
            values.insert(choice, (neutral, neutral));
            continue;
        }
        let run = run(core, trace, &binding);
        let value = run.truth(end);
        if is_reported_per_binding {
            count(&run, value, trace, &mut counts);
        }
        if is_reported_per_binding && value == Truth::False && !trace.events().is_empty() {
            counts.next_binding();
            // RULE A10
            let decided = run.certain().map_or(DecisionTime::End, DecisionTime::Position);
            let binding = domains.binding(&core.prefix, &choice);
            counts.violation(violation_at(trace, run.fall(), decided, binding, core.span));
            counts.show(domains.shown(&choice), trace, Simultaneous::Sequence);
        }
        values.insert(choice, (value, run.truth(End::Complete)));
    }
    let quantified = QuantifiedBody { prefix: &core.prefix, domains: &domains, values: &values, end };
    if !is_reported_per_binding {
        whole_trace::report(&quantified, trace, (core.span, true), &mut counts);
    }
    Judgement::quantified(&quantified, trace.events().len(), counts)
}

/// Returns the neutral value for a binding that the condition excludes.
// RULE A7
fn neutral(core: &AutomatonCore) -> Truth {
    Truth::from(core.prefix.last().is_none_or(|innermost| innermost.kind == QuantifierKind::Forall))
}

// RULE A8
fn count(run: &AutomatonRun, value: Truth, trace: &Trace, counts: &mut OutcomeCounts) {
    let (Some(first), Some(last)) = (run.slice.first(), run.slice.last()) else {
        // No event asked anything of it, but it may be rejected all the same.
        counts.violated += u64::from(value == Truth::False);
        return;
    };
    counts.activation(value);
    if value == Truth::True {
        counts.duration(trace.events()[*last].time - trace.events()[*first].time);
    }
}

impl AutomatonRun {
    // RULE A9
    fn truth(&self, end: End) -> Truth {
        let last = self.statuses[self.statuses.len() - 1];
        match end {
            End::Complete => Truth::from(last.accepting),
            End::Prefix if last.trapped => Truth::False,
            End::Prefix if last.safe => Truth::True,
            End::Prefix => Truth::Unknown,
        }
    }

    /// The event with which the binding fell: the last that took it from accepting to not accepting, else the first
    /// that concerns it, else the first of the trace. One that is rejected from the beginning falls with the first of the trace.
    // RULE A10
    fn fall(&self) -> usize {
        if self.statuses[0].trapped {
            return 0;
        }
        let steps = self.statuses.windows(2).zip(&self.slice);
        let mut falls = steps.filter(|(pair, _)| pair[0].accepting && !pair[1].accepting);
        falls.next_back().map(|(_, event)| *event).or(self.slice.first().copied()).unwrap_or(0)
    }

    /// The event with which it became certain that the binding is rejected; if that was so from the beginning, the first.
    // RULE A10
    fn certain(&self) -> Option<usize> {
        let trapped = self.statuses.iter().position(|status| status.trapped)?;
        Some(if trapped == 0 { 0 } else { self.slice[trapped - 1] })
    }
}
