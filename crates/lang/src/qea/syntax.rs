// SPDX-License-Identifier: MIT OR Apache-2.0
//! An automaton as written: states lead to names, not yet to states.

use gnomon_core::diagnostic::Span;
use gnomon_ir::automaton::{Assignment, Guard, Otherwise};
use gnomon_ir::spec::{Quantifier, Variable};

use crate::specfile::atom::AtomSyntax;

/// The body of a block.
pub(super) struct Syntax {
    /// `None` if it could not be understood, which has been reported.
    pub(super) prefix: Option<Vec<Quantifier>>,
    /// `where [ ... ]`
    pub(super) condition: Option<Guard>,
    pub(super) states: Vec<State>,
    /// Whether all of it was understood; what was not has been reported.
    pub(super) whole: bool,
}

/// `accept skip(name) { ... }`
pub(super) struct State {
    pub(super) name: Variable,
    pub(super) accepting: bool,
    pub(super) otherwise: Otherwise,
    pub(super) transitions: Vec<Transition>,
}

/// `event if [...] -> A else -> B`
pub(super) struct Transition {
    pub(super) event: AtomSyntax,
    pub(super) branches: Vec<Branch>,
    pub(super) span: Span,
}

/// `if [guard] -> state do [assignments]`
pub(super) struct Branch {
    pub(super) guard: Option<Guard>,
    pub(super) target: Variable,
    pub(super) assignments: Vec<Assignment>,
}
