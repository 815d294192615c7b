// SPDX-License-Identifier: MIT OR Apache-2.0
//! An automaton as written: transitions lead to names of states.

use gnomon_ir::{Guard, Quantifier, State, Transition, Variable};

use crate::syntax::atom::AtomSyntax;

/// The body of a block.
pub(super) struct Syntax {
    /// `None` if it could not be understood, which has been reported.
    pub(super) prefix: Option<Vec<Quantifier>>,
    /// `where [ ... ]`
    pub(super) condition: Option<Guard>,
    pub(super) states: Vec<StateSyntax>,
    /// True if all of it was understood; anything else has been reported.
    pub(super) whole: bool,
}

/// `accept skip(name) { ... }`
pub(super) type StateSyntax = State<TransitionSyntax>;

/// `event if [...] -> A else -> B`, with the names of the states that it leads to.
pub(super) type TransitionSyntax = Transition<AtomSyntax, Variable>;
