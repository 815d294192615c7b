// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]

pub use gnomon_artefact as artefact;
pub use gnomon_assist as assist;
pub use gnomon_automaton as automaton;
pub use gnomon_catalogue as catalogue;
pub use gnomon_core::{diagnostic, escape, event, interval, number, random, symbols, time, value, verdict};
pub use gnomon_engine::{MemoryUse, Monitor, Plan, RestoreError, plan};
pub use gnomon_ir as ir;
pub use gnomon_otlp as otlp;
pub use gnomon_report as report;
pub use gnomon_run::{Error, compile, declare, examples, externs, notation, offline, online, push};
pub use gnomon_trace as trace;
