// SPDX-License-Identifier: MIT OR Apache-2.0
//! The proxy between real clients and services, on ports of this machine.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod basics;
mod failing;
mod hostile;
mod ruling;
mod streaming;
mod support;
mod versions;
