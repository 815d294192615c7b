// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the paper says of its automata, where it is right, and what is right where it is not.

mod drawing;
mod formulae;
mod paper;
mod semantics;
