// SPDX-License-Identifier: MIT OR Apache-2.0
//! An automaton as written: transitions lead to names of states.

use gnomon_core::diagnostic::Span;
use gnomon_ir::{Assignment, DefaultMove, Guard, Quantifier, Variable};

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
pub(super) struct StateSyntax {
    pub(super) name: Variable,
    pub(super) accepting: bool,
    pub(super) otherwise: DefaultMove,
    pub(super) transitions: Vec<TransitionSyntax>,
}

/// `event if [...] -> A else -> B`
pub(super) struct TransitionSyntax {
    pub(super) event: AtomSyntax,
    pub(super) branches: Vec<BranchSyntax>,
    pub(super) span: Span,
}

/// `if [guard] -> state do [assignments]`
pub(super) struct BranchSyntax {
    pub(super) guard: Option<Guard>,
    pub(super) target: Variable,
    pub(super) assignments: Vec<Assignment>,
}
