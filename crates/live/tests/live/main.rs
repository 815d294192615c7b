// SPDX-License-Identifier: MIT OR Apache-2.0
//! A watch beside `check`: the same events must be said the same of, in whatever pieces they come and whenever it is
//! restarted.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::format_collect, reason = "a trace is a few lines")]

mod blocks;
mod externs;
mod numbers;
mod restart;
mod same;
mod specs;
mod support;
mod time;
