// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command as its users meet it: arguments and files in, text and a status out.

mod arguments;
mod check;
mod errors;
mod examples;
mod json;
mod pages;
mod support;
