// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus in kernel form.

use gnomon_core::diagnostic::Span;

use super::{AtomDefinition, AtomId, GuardCore, QuantifierCore};
use crate::{ActionFormula, RegularFormula, Sort, VariableId};

/// A formula. Each variable has a name of its own, as if all quantifiers stood in front. It is violated by each event that completes a word in front of something
/// false.
#[derive(Clone, PartialEq, Debug)]
pub struct ModalCore {
    /// The property's name.
    pub name: String,
    /// The atoms, each once. Their patterns give values to the variables of the prefix and to local ones.
    pub atoms: Vec<AtomDefinition>,
    /// The quantifiers; all are plain `forall`.
    pub prefix: Vec<QuantifierCore>,
    /// Sort of each variable of the prefix.
    pub sorts: Vec<Sort>,
    /// The names and sorts of the variables of action formulae. The first has the number `prefix.len()`.
    pub locals: Vec<(String, Sort)>,
    /// The formula.
    pub body: ModalNode,
    /// Source location of the body.
    pub span: Span,
}

/// A state formula. The data that it refers to are variables of the prefix.
#[derive(Clone, PartialEq, Debug)]
pub enum ModalNode {
    /// A condition on the binding.
    Data(GuardCore, Span),
    /// All of these.
    And(Vec<ModalNode>),
    /// Holds for each value of the variable.
    Forall(VariableId, Box<ModalNode>),
    /// After every word, this.
    Box(RegularCore, Box<ModalNode>),
    /// If the first is true of the binding, the second.
    Implies(GuardCore, Box<ModalNode>),
}

/// Sequences of events, with first rounds unfolded ([`RegularFormula::with_first_rounds`]).
pub type RegularCore = RegularFormula<ActionFormulaCore>;

/// Set of events. An event that no atom matches is an event too.
pub type ActionFormulaCore = ActionFormula<AtomId, VariableId, VariableId>;
