// SPDX-License-Identifier: MIT OR Apache-2.0
//! Claims of the paper about its automata: those that hold, and corrections of those that do not.

mod drawing;
mod formulae;
mod paper;
mod semantics;
