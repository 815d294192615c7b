// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of a mu-calculus formula: the events that violate it, for every binding.
// RULE W6, W8, W9, W10

use std::collections::BTreeSet;

use gnomon_core::{Binding, End, Simultaneous, Value};
use gnomon_ir::{ModalCore, Sort, VariableId};

use super::counts::OutcomeCounts;
use super::{Judgement, violation_at};
use crate::decision_time::DecisionTime;
use crate::domain::Domains;
use crate::modal::{Claim, EventIndices, has, scopes};
use crate::trace::Trace;
use crate::truth::Truth;

pub(super) fn judge(core: &ModalCore, trace: &Trace, end: End) -> Judgement {
    let events = trace.events();
    let sorts: Vec<Sort> = core.sorts.iter().copied().chain(core.locals.iter().map(|local| local.1)).collect();
    let is_of_sort = |variable: usize, value: &_| has(sorts[variable], value);
    let domains = Domains::of_kind(&core.atoms, core.prefix.len(), trace, is_of_sort);
    let mut counts = OutcomeCounts::default();
    let mut is_over = core.prefix.is_empty() && !events.is_empty();
    for (scope, values) in bindings(core, &domains) {
        let claim = Claim::new(core, events, &values, &scope);
        let broken = broken_by(&claim.failures(), events.len());
        let start = claim.next(0);
        let is_active = (1..=events.len()).any(|place| claim.next(place) != start);
        // RULE W9
        counts.activated += u64::from(is_active);
        counts.violated += broken.len() as u64;
        match end {
            _ if !is_active || !broken.is_empty() => {}
            End::Complete => counts.satisfied += 1,
            End::Prefix => counts.pending += 1,
        }
        // RULE W10
        is_over &= claim.next(events.len()).is_empty();
        counts.next_binding();
        for event in broken {
            let binding = named(core, &scope, &values);
            counts.violation(violation_at(trace, event, DecisionTime::Position(event), binding, core.span));
        }
        let variables = scope.iter().map(|variable| variable.0 as usize);
        let shown = variables.filter_map(|variable| domains.first_event(variable, &values[variable])).max();
        counts.show(shown, trace, Simultaneous::Sequence);
    }
    let if_complete = Truth::from(counts.violated == 0);
    let truth = match end {
        End::Prefix if counts.violated == 0 && !is_over => Truth::Unknown,
        _ => if_complete,
    };
    Judgement { truth, if_complete, positions: events.len(), counts, merged_simultaneous: false }
}

/// Returns the choices of values to check: for each set of variables that some part of the formula is quantified over,
/// all combinations of their values. The other variables do not occur in that part and have no value.
// RULE W6
fn bindings(core: &ModalCore, domains: &Domains) -> Vec<(BTreeSet<VariableId>, Vec<Value<'static>>)> {
    let mut all = Vec::new();
    for scope in scopes(&core.body) {
        let mut partial: Vec<Vec<Value<'static>>> = vec![vec![]];
        for variable in 0..core.prefix.len() {
            let values = if scope.contains(&VariableId(variable as u32)) {
                domains.of(variable).to_vec()
            } else {
                vec![Value::Null]
            };
            let longer = |chosen: Vec<Value<'static>>| {
                values.iter().map(|value| [chosen.as_slice(), std::slice::from_ref(value)].concat()).collect::<Vec<_>>()
            };
            partial = partial.into_iter().flat_map(longer).collect();
        }
        all.extend(partial.into_iter().map(|values| (scope.clone(), values)));
    }
    all
}

fn named(core: &ModalCore, scope: &BTreeSet<VariableId>, values: &[Value<'static>]) -> Binding {
    let all = (0_u32..).zip(core.prefix.iter().zip(values));
    let own = all.filter(|(id, _)| scope.contains(&VariableId(*id)));
    Binding { values: own.map(|(_, (quantifier, value))| (quantifier.variable.clone(), value.clone())).collect() }
}

/// The events, by their places in the trace, after which something fails.
// RULE W8
fn broken_by(failures: &EventIndices, events: usize) -> EventIndices {
    failures.iter().map(|place| place.saturating_sub(1)).filter(|event| *event < events).collect()
}
