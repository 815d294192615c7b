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
                .label("the window cannot be divided into steps of length zero")
                .help("write a step above zero, for example `M^{60,10}`"),
        );
        Duration::from_ticks(1)
    }

    /// The window of a rate, which is divided by: above zero, and a known number of seconds.
    pub(super) fn rate_window(&mut self, quantity: Quantity, span: Span) -> Duration {
        let window = self.duration(quantity, span);
        if window <= Duration::ZERO {
            self.diagnostics.push(
                Diagnostic::error("G0323", span, "the window of the rate is zero")
                    .label("a rate over a window of zero is not defined")
                    .help("write a window above zero, for example `rate[60s](request) <= 5`"),
            );
        } else if quantity.unit.is_none() && self.clock.unit.is_none() {
            self.diagnostics.push(
                Diagnostic::error("G0324", span, format!("it is not known how many seconds `{quantity}` is"))
                    .label("a rate is a number of events per second")
                    .help(format!("write the window with a unit, as in `rate[{quantity}s]`; a log whose times are plain numbers needs `time in s` too")),
            );
        }
        window
    }

    /// A number that values of fields are compared with.
    pub(super) fn value_bound(&mut self, quantity: Quantity, span: Span) -> Ratio {
        self.number_bound(quantity, span, "the values of a field are plain numbers")
    }

    /// A number of occurrences.
    pub(super) fn count_bound(&mut self, quantity: Quantity, span: Span) -> Ratio {
        self.number_bound(quantity, span, "occurrences are counted")
    }

    /// A number without a unit.
    fn number_bound(&mut self, quantity: Quantity, span: Span, because: &str) -> Ratio {
        if let Some(unit) = quantity.unit {
            self.diagnostics.push(
                Diagnostic::error("G0305", span, format!("`{quantity}` is an amount of time, but {because}"))
                    .label("this compares with a plain number")
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
                    .label("it contains no distance")
                    .help("write the smaller bound first; an open end excludes its own value"),
            );
            Interval::ANY
        })
    }
}
