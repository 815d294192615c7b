// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of a formula under its quantifiers: per binding, or once for the whole trace.
// RULE Q2, Q3, Q4

use gnomon_core::{End, Simultaneous, Span, Timestamp};
use gnomon_ir::core::{FormulaCore, Reporting};

use super::binding::BindingEvaluator;
use super::counts::OutcomeCounts;
use super::{Judgement, whole_trace};
use crate::atom;
use crate::domain::Domains;
use crate::prefix::{BodyValues, QuantifiedBody, is_plain_forall};
use crate::trace::{Position, Trace};
use crate::truth::Truth;
use crate::truth_table::{Facts, truth_of_empty};

pub(super) fn judge(core: &FormulaCore, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    let domains = Domains::new(&core.atoms, core.prefix.len(), trace);
    let is_reported_per_binding = core.prefix.iter().all(is_plain_forall);
    let mut counts = OutcomeCounts::default();
    let mut values = BodyValues::new();
    for choice in domains.choices(core.prefix.len()) {
        let binding = domains.values(&choice);
        let facts = Facts::new(core, trace, &binding);
        let value = if facts.times.is_empty() {
            (truth_of_empty(core, end), truth_of_empty(core, End::Complete))
        } else {
            let named = domains.binding(&core.prefix, &choice);
            let judge = BindingEvaluator::new(core, trace, &facts, (binding, named), end, now);
            if is_reported_per_binding {
                counts.next_binding();
                judge.report(end, &mut counts);
                counts.show(domains.shown(&choice), trace, core.simultaneous);
            }
            judge.value()
        };
        values.insert(choice, value);
    }
    let prefix = core.prefix.as_slice();
    let quantified = QuantifiedBody { prefix, domains: &domains, values: &values, end };
    let positions = trace.positions(core.simultaneous);
    if is_reported_per_binding {
        if positions.is_empty() && prefix.is_empty() {
            count_empty(core, end, &mut counts);
        }
    } else {
        whole_trace::report(&quantified, trace, (body_span(core), core.looks_ahead(core.formula)), &mut counts);
    }
    let merged_simultaneous = merged_simultaneous(core, trace, &positions);
    Judgement { merged_simultaneous, ..Judgement::quantified(&quantified, positions.len(), counts) }
}

/// Without positions there is nothing to show and no time that passed, only something to count.
// RULE V12
fn count_empty(core: &FormulaCore, end: End, counts: &mut OutcomeCounts) {
    match &core.reporting {
        // The first position may still come, and with it what is asked for there.
        _ if end == End::Prefix => {}
        Reporting::Invariants(invariants) => {
            let out_of_reach = invariants.iter().filter(|invariant| !invariant.nexts.is_empty());
            out_of_reach.for_each(|_| counts.activation(Truth::False));
        }
        Reporting::Whole(_) => counts.activation(truth_of_empty(core, end)),
    }
}

fn body_span(core: &FormulaCore) -> Span {
    match &core.reporting {
        Reporting::Whole(whole) => whole.span,
        Reporting::Invariants(invariants) => {
            invariants.iter().map(|invariant| invariant.span).reduce(Span::to).unwrap_or_default()
        }
    }
}

/// Returns true if some position has two events that the property reads, for any binding.
fn merged_simultaneous(core: &FormulaCore, trace: &Trace, positions: &[Position]) -> bool {
    let looked_at = |index: &usize| core.atoms.iter().any(|atom| atom::matches(atom, &trace.events()[*index], &[]));
    core.simultaneous == Simultaneous::Merge
        && positions.iter().any(|position| position.events.clone().filter(looked_at).count() > 1)
}
