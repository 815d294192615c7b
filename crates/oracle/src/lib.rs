// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reference evaluation of properties over a whole trace in memory: slow, plain and complete.
//!
//! Every engine is compared with the oracle. It therefore shares only the types of `gnomon-core` and `gnomon-ir` with
//! them, and prefers obvious code to fast code: one function per operator, citing its rule in `docs/semantics.md`. It does
//! no IO and does not stream. Tests use it, and `gnomon check --reference`.
//!
//! Each language body is evaluated in two independent ways:
//!
//! - From the kernel form. [`truth`] evaluates a part of a formula at a position, [`value`] a whole property with its
//!   quantifiers, [`judge`] returns the complete outcome.
//! - As written, with all sugar ([`spec`]). This checks the lowering to kernel form as well.
//!
//! A formula is a table of truth values: one row per node, operands first, one column per position. For
//! `G(a -> F b)` on `a@1 c@2 b@3`, complete:
//!
//! ```text
//! position          1      2      3
//! a                 true   false  false
//! b                 false  false  true
//! F b               true   true   true
//! a -> F b          true   true   true
//! ```
//!
//! On a prefix the same table has a third value, unknown ([`Truth`]). The other bodies follow the same plan: an automaton
//! keeps the set of all configurations after each event; a pattern tries all combinations of events of a segment; a rule
//! keeps plain lists of instances; a mu-calculus formula tries all ways to divide the trace into words. Quantifiers
//! evaluate the body for every combination of values that occur in the trace.
//!
//! ```
//! use gnomon_core::time::Timestamp;
//! use gnomon_oracle::{OracleEvent, Trace};
//! let at = |time| Timestamp::from_ticks(time);
//! let trace = Trace::new(vec![OracleEvent::new("request", at(10)), OracleEvent::new("reply", at(13))]);
//! assert_eq!(trace.events().len(), 2);
//! ```

mod atom;
mod automaton;
mod clocks;
mod decision_time;
mod distinct;
mod domain;
mod each;
pub mod explain;
mod fold;
mod judge;
mod known_prefix;
mod modal;
mod operators;
mod pattern;
mod percentile;
mod plugin;
mod prefix;
mod rule;
pub mod spec;
mod term;
mod term_value;
mod trace;
mod truth;
mod truth_table;

pub use clocks::ClockHistory;
pub use judge::{judge, judge_at, judge_each, value};
pub use trace::{OracleEvent, Position, Trace};
pub use truth::Truth;
pub use truth_table::truth;
