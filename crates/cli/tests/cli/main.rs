// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command as its users meet it: arguments and files in, text and a status out.

mod arguments;
mod cases;
mod check;
mod convert;
mod errors;
mod examples;
mod generate;
mod jobs;
mod json;
mod limits;
mod pages;
mod quantified;
mod reports;
mod support;
mod text;
mod translate;
