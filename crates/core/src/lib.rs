// SPDX-License-Identifier: MIT OR Apache-2.0
//! Types shared by all crates: time, intervals, values, events, verdicts, source locations and diagnostics.
//!
//! This crate does no IO, reads no clock and knows no specification language.
//!
//! The types that most crates use are re-exported at the root. Start with [`Timestamp`] (exact, in ticks),
//! [`event::Event`] (a name, a time, fields), [`Verdict`] with its [`Violation`]s, and [`Diagnostic`].
//!
//! ```
//! use gnomon_core::time::{Clock, Timestamp};
//! let clock = Clock::default();
//! assert_eq!(clock.parse_number("2.5").unwrap(), Timestamp::from_ticks(2_500_000_000));
//! assert_eq!(clock.print_number(Timestamp::from_ticks(2_500_000_000)), "2.5");
//! ```

pub mod datetime;
pub mod diagnostic;
pub mod escape;
pub mod event;
pub mod event_block;
pub mod fraction;
pub mod hash;
pub mod interval;
pub mod linear;
pub mod list;
pub mod number;
pub mod random;
pub mod rounding;
pub mod similar;
pub mod svg;
pub mod symbols;
pub mod time;
pub mod value;
pub mod verdict;
pub mod wide_integer;
mod words;

pub use diagnostic::{Diagnostic, Severity, Span};
pub use fraction::Fraction;
pub use interval::Interval;
pub use number::Number;
pub use symbols::{Name, Symbols};
pub use time::{Clock, Duration, Quantity, TICKS_PER_BARE_UNIT, Timestamp, Unit};
pub use value::{Comparison, Value};
pub use verdict::{
    Binding, DecisionPoint, Durations, End, Origin, Outcome, Simultaneous, TracePosition, Verdict, Violation,
};
