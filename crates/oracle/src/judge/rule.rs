// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule over messages: what became of its suppositions, counted and told.
// RULE N9, N10, N11, N12

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Binding, Decided, End, Violation};
use gnomon_ir::core::RuleCore;

use super::Judgement;
use super::tally::Tally;
use crate::rule::{Instance, Terms, When, messages, truth};
use crate::trace::Trace;
use crate::truth::Truth;

pub(super) fn judge(core: &RuleCore, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    let terms = Terms::new(core);
    let messages = messages(core, trace);
    let instances = terms.instances(&messages, end, now);
    let mut tally = Tally::default();
    for instance in &instances {
        let Some(decision) = &instance.decision else {
            tally.activation(Truth::Unknown);
            continue;
        };
        tally.activation(Truth::from(decision.satisfied));
        if decision.satisfied {
            tally.duration(decision.duration);
        } else {
            // Violations of rules do not make ranges.
            tally.next_binding();
            tally.violation(violation(core, trace, instance, decision.when));
        }
    }
    Judgement {
        truth: truth(&instances, end),
        if_complete: truth(&terms.instances(&messages, End::Complete, now), End::Complete),
        positions: trace.events().len(),
        tally,
        merged_simultaneous: false,
    }
}

// RULE N12
fn violation(core: &RuleCore, trace: &Trace, instance: &Instance, when: When) -> Violation {
    let last = trace.events().last().map(|event| event.time).unwrap_or_default();
    let names = core.correlations.iter().map(|set| &set.name);
    let known = names.zip(&instance.values.of).filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
    Violation {
        at: At { position: instance.at as u64, origin: trace.origin(instance.at) },
        until_position: None,
        decided: match when {
            When::Message(index) => Decided::Event(trace.origin(index)),
            When::Closed(time) => Decided::Deadline(time),
            When::End => Decided::End(last),
        },
        binding: Binding { values: known.collect() },
        failed: core.context_span,
        summary: String::new(),
        because: vec![],
    }
}
