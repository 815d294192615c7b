// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command as its users meet it: arguments and files in, text and a status out.

mod arguments;
mod ask;
mod automaton;
mod browser;
mod cases;
mod catalogue;
mod check;
mod convert;
mod errors;
mod examples;
mod externs;
mod generate;
mod jobs;
mod json;
mod limits;
mod locations;
mod long_chains;
mod messages;
mod modes;
mod names;
mod nomad;
mod otlp;
mod pages;
mod parquet;
mod plan;
mod progress;
mod quantified;
mod reports;
mod rules_xml;
mod stats;
mod support;
mod text;
mod translate;
mod warnings;
mod watch;
