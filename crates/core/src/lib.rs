// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words every part of Gnomon shares: time, intervals, values, events, verdicts, spans and diagnostics.
//!
//! It does no IO, reads no clock and knows no specification language. Every other crate calls it.
//!
//! The nouns that matter: [`time::Timestamp`] (exact, in ticks), [`event::Event`] (a name, a time, fields),
//! [`verdict::Verdict`] with its [`verdict::Violation`]s, and [`diagnostic::Diagnostic`].
//!
//! ```
//! use gnomon_core::time::{Clock, Timestamp};
//! let clock = Clock::default();
//! assert_eq!(clock.parse_number("2.5").unwrap(), Timestamp::from_ticks(2_500_000_000));
//! assert_eq!(clock.print_number(Timestamp::from_ticks(2_500_000_000)), "2.5");
//! ```

pub mod datetime;
pub mod diagnostic;
pub mod event;
pub mod fraction;
pub mod interval;
pub mod number;
pub mod symbols;
pub mod time;
pub mod value;
pub mod verdict;
