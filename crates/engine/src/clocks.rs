// SPDX-License-Identifier: MIT OR Apache-2.0
//! Relations between clocks: counters of ticks, and queues of ticks that are still to come.
//!
//! A clock is an event or a definition; an instant is a position with all events of one time. At an instant the clocks of its events tick.
//! A definition is evaluated if one of its clocks ticks, and a relation is checked if one of its clocks ticks or if it was broken at the
//! instant before and stays so until a clock catches up. Everything else costs nothing: [`ClockPlan`] lists for each clock the *items*
//! (definitions and relations) that it concerns, and an instant takes the items that its ticks concern in ascending order. Definitions have
//! smaller numbers than the items that use them, so each is evaluated once, before them.
//!
//! Example: of `clock late := req $ 1`, `req < ack` and `ack < late` the definition is item 0 and the relations are 1 and 2. The event `req` is
//! tick 3 of `req`: item 0 counts it and lets `late` tick, which adds item 2 to items 0 and 1; item 1 holds because `ack` does not tick, item 2
//! because `late` has fewer ticks before than `ack`.
//!
//! A clock needs one counter, and the last few ticks for explanations. `a $ n on b` keeps the numbers of the ticks of `b` that are scheduled,
//! as ranges, at most n of them; `sampled` keeps one bit. Everything else follows from the counters.

mod engine;
mod plan;

pub(crate) use engine::ClockEngine;
pub(crate) use plan::ClockPlan;
