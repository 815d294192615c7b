// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs compiled specs over traces. The caller opens the traces; this crate prints nothing.
//!
//! - [`compile`] turns the text of a spec into a [`compile::CompiledSpec`].
//! - [`offline`] checks a recorded trace: [`offline::judge`] returns an [`offline::Report`].
//! - [`online`] checks events as they arrive; [`push::PushMonitor`] wraps it for the events of a program.
//! - [`examples`] checks the examples inside a spec.
//! - [`externs`] reads external variables from files and servers.
//!
//! All of them share one loop over the events of a trace: `driver::Driver` reads items from an
//! [`EventStream`](offline::EventStream) and hands them to a [`Visitor`](offline::Visitor).

pub mod compile;
mod compile_limits;
pub mod declare;
mod driver;
mod error;
pub mod examples;
mod expectations;
pub mod externs;
pub mod notation;
pub mod offline;
pub mod online;
pub mod push;
mod stream;

pub use error::Error;
