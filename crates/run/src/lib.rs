// SPDX-License-Identifier: MIT OR Apache-2.0
//! Brings traces and monitors together.
//!
//! [`compile::compile`] turns a spec's text into something that runs, [`offline::judge`] runs it over a trace, [`online::Online`] over what
//! comes while it comes ([`pushed::Pushed`] for the events of a program), [`examples::examples`] over the examples inside the spec; [`externs`] asks for what no trace says. Traces are opened by the
//! caller; nothing is printed here.

pub mod compile;
mod error;
pub mod examples;
pub mod externs;
pub mod notation;
pub mod offline;
pub mod online;
pub mod pushed;

pub use error::Error;
