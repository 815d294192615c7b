// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where some quantifier is no plain `forall`: the property asks once, and the trace as a whole answers.
// RULE Q4

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Duration;
use gnomon_core::verdict::{At, Decided, End, Violation};

use super::tally::Tally;
use crate::prefix::Quantified;
use crate::trace::Trace;
use crate::truth::Truth;

/// Given where the body is written, and whether it looks ahead.
pub(super) fn tell(quantified: &Quantified<'_>, trace: &Trace, (body, looks_ahead): (Span, bool), tally: &mut Tally) {
    let value = quantified.truth();
    let (Some(first), Some(last)) = (trace.events().first(), trace.events().last()) else {
        // RULE V12
        if quantified.end == End::Complete {
            tally.activation(value);
        }
        return;
    };
    tally.activation(value);
    match value {
        Truth::True => tally.duration(if looks_ahead { last.time - first.time } else { Duration::ZERO }),
        Truth::False => tally.violation(Violation {
            at: At { position: 0, origin: trace.origin(0) },
            until_position: None,
            decided: Decided::End(last.time),
            binding: quantified.domains.binding(quantified.prefix, &quantified.culprit()),
            failed: body,
            summary: String::new(),
            because: vec![],
        }),
        Truth::Unknown => {}
    }
}
