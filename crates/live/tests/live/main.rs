// SPDX-License-Identifier: MIT OR Apache-2.0
//! A watch beside `check`: the same events must be said the same of, in whatever pieces they come and whenever it is
//! restarted.

mod blocks;
mod numbers;
mod restart;
mod same;
mod specs;
mod support;
mod time;
