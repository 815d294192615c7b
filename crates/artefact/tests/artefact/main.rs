// SPDX-License-Identifier: MIT OR Apache-2.0
//! The artefacts of every cell, compared with what the cell means.

mod cells;
mod data;
mod diagram;
mod english;
mod examples;
mod linear;
mod mcrl2;
mod mtl;
mod mu;
mod plugin;
mod segments;
mod traces;
mod watch;
