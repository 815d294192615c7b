// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports properties with a quantifier other than plain `forall`: one obligation, answered by the trace as a whole.
// RULE Q4

use gnomon_core::{Duration, End, Span};

use super::counts::OutcomeCounts;
use super::violation_at;
use crate::decision_time::DecisionTime;
use crate::prefix::QuantifiedBody;
use crate::trace::Trace;
use crate::truth::Truth;

/// Reports the verdict on a whole trace at the source location of the body. `looks_ahead` is true if the body depends on later events.
pub(super) fn report(
    quantified: &QuantifiedBody<'_>,
    trace: &Trace,
    (body, looks_ahead): (Span, bool),
    counts: &mut OutcomeCounts,
) {
    let value = quantified.truth();
    let (Some(first), Some(last)) = (trace.events().first(), trace.events().last()) else {
        // RULE V12
        if quantified.end == End::Complete {
            counts.activation(value);
        }
        return;
    };
    counts.activation(value);
    match value {
        Truth::True => counts.duration(if looks_ahead { last.time - first.time } else { Duration::ZERO }),
        Truth::False => {
            let binding = quantified.domains.binding(quantified.prefix, &quantified.falsifying_choice());
            counts.violation(violation_at(trace, 0, DecisionTime::End, binding, body));
        }
        Truth::Unknown => {}
    }
}
