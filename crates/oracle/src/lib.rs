// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a property means, evaluated slowly and plainly over a whole trace in memory.
//!
//! The oracle is the twin that every engine is compared with, so it shares nothing with them but the words of
//! `gnomon-core` and the forms of `gnomon-ir`, and it is never clever: one file per operator, each citing its rule in
//! `docs/semantics.md`. It does no IO and streams nothing. The tests call it, and `gnomon check --reference`.
//!
//! The nouns: [`Trace`] (events in memory), [`Truth`] (true, false, unknown). [`truth`] says what is known of a part of
//! a formula at a position, [`value`] of a whole property with its quantifiers, [`judge`] gives the outcome, and [`spec`]
//! reads properties with all their sugar, on its own, so that the removal of sugar is checked as well.
//!
//! ```
//! use gnomon_core::time::Timestamp;
//! use gnomon_oracle::{OracleEvent, Trace};
//! let at = |time| Timestamp::from_ticks(time);
//! let trace = Trace::new(vec![OracleEvent::new("request", at(10)), OracleEvent::new("reply", at(13))]);
//! assert_eq!(trace.events().len(), 2);
//! ```

mod and;
mod atom;
mod automaton;
mod count;
mod datum;
mod domain;
mod each;
mod empty;
mod fold;
mod gap;
mod in_future;
mod judge;
mod maximum;
mod modal;
mod moment;
mod prefix;
mod requirement;
mod rule;
mod since;
pub mod spec;
mod state;
mod table;
mod term;
mod time_at_least;
mod trace;
mod truth;
mod until;
mod view;

pub use judge::{judge, judge_at, judge_each, value};
pub use table::truth;
pub use trace::{OracleEvent, Position, Trace};
pub use truth::Truth;
