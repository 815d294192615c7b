// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of a rule: the decisions on its suppositions.
// RULE N9, N10, N11, N12

use gnomon_core::{Binding, End, Timestamp};
use gnomon_ir::core::RuleCore;

use super::counts::OutcomeCounts;
use super::{Judgement, violation_at};
use crate::rule::{Instance, RuleDefinition, messages, truth};
use crate::trace::Trace;
use crate::truth::Truth;

pub(super) fn judge(core: &RuleCore, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    let terms = RuleDefinition::new(core);
    let messages = messages(core, trace);
    let instances = terms.instances(&messages, end, now);
    let mut counts = OutcomeCounts::default();
    for instance in &instances {
        let Some(decision) = &instance.decision else {
            counts.activation(Truth::Unknown);
            continue;
        };
        counts.activation(Truth::from(decision.satisfied));
        if decision.satisfied {
            counts.duration(decision.duration);
        } else {
            // Violations of rules do not make ranges.
            counts.next_binding();
            let binding = binding(core, instance);
            counts.violation(violation_at(trace, instance.at, decision.when, binding, core.context_span));
        }
    }
    Judgement {
        truth: truth(&instances, end),
        if_complete: truth(&terms.instances(&messages, End::Complete, now), End::Complete),
        positions: trace.events().len(),
        counts,
        merged_simultaneous: false,
    }
}

// RULE N12
fn binding(core: &RuleCore, instance: &Instance) -> Binding {
    let names = core.correlations.iter().map(|set| &set.name);
    let known = names.zip(&instance.values.of).filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
    Binding { values: known.collect() }
}
