// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of time and of number, in ticks and fractions.

use gnomon_core::{Diagnostic, Duration, Interval, Quantity, Span, TICKS_PER_BARE_UNIT};

use super::Checker;
use crate::{Bounds, Ratio};

impl Checker<'_> {
    /// An amount of time in ticks.
    pub(super) fn duration(&mut self, quantity: Quantity, span: Span) -> Duration {
        if quantity.unit.is_some() && self.clock.unit.is_none() && self.needs_unit.is_none() {
            self.needs_unit = Some(span);
        }
        self.clock.duration(quantity).unwrap_or_else(|| {
            self.diagnostics.push(
                Diagnostic::error("G0402", span, format!("`{quantity}` is not a whole number of nanoseconds"))
                    .label("time is exact down to the nanosecond")
                    .help("round the constant, or write it in a finer unit"),
            );
            Duration::ZERO
        })
    }

    /// The step of an aggregate: at least a tick.
    pub(super) fn step(&mut self, quantity: Quantity, span: Span) -> Duration {
        let step = self.duration(quantity, span);
        if step > Duration::ZERO {
            return step;
        }
        self.diagnostics.push(
            Diagnostic::error("G0304", span, "the step of the window is zero")
                .label("the window cannot be cut into steps of no length")
                .help("write a step above zero, for example `M^{60,10}`"),
        );
        Duration::from_ticks(1)
    }

    /// A number of occurrences.
    pub(super) fn count_bound(&mut self, quantity: Quantity, span: Span) -> Ratio {
        if let Some(unit) = quantity.unit {
            self.diagnostics.push(
                Diagnostic::error(
                    "G0305",
                    span,
                    format!("`{quantity}` is an amount of time, but occurrences are counted"),
                )
                .label("this compares with a number of occurrences")
                .help(format!("write the bound without `{unit}`")),
            );
        }
        Ratio { numerator: quantity.billionths, denominator: TICKS_PER_BARE_UNIT }
    }

    /// An interval in ticks.
    pub(super) fn interval(&mut self, bounds: &Bounds) -> Interval {
        let span = bounds.span.unwrap_or_default();
        let lo = self.duration(bounds.lo, span);
        let hi = bounds.hi.map(|hi| (self.duration(hi, span), bounds.hi_closed));
        Interval::new(lo, bounds.lo_closed, hi).unwrap_or_else(|| {
            self.diagnostics.push(
                Diagnostic::error("G0301", span, "the interval is empty")
                    .label("no distance lies in it")
                    .help("write the smaller bound first; an open end leaves its own value out"),
            );
            Interval::ANY
        })
    }
}
