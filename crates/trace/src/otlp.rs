// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports of OpenTelemetry traces; see `otlp/FORMAT.md`.

mod frame;
mod read;
mod span;

pub use read::OtlpReader;
