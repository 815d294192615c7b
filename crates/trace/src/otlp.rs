// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports of OpenTelemetry traces; `otlp/FORMAT.md` says what is accepted.

mod frame;
mod gather;
mod read;

pub use read::OtlpReader;
