// SPDX-License-Identifier: MIT OR Apache-2.0
//! A watch and `check` must agree on the same events, however they are batched and whenever the watch is restarted.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::format_collect, reason = "a trace is a few lines")]

mod blocks;
mod cases;
mod externs;
mod generated;
mod numbers;
mod restart;
mod same;
mod specs;
mod support;
mod time;
mod versions;
