// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus in kernel form.

use gnomon_core::diagnostic::Span;
use gnomon_core::value::Comparison;

use super::{AtomDefinition, AtomId, ExpressionCore, Quantifier};
use crate::modal::Sort;
use crate::pattern::VariableId;
use crate::spec::QuantifierKind;

/// A formula. Each variable has a name of its own, as if all quantifiers stood in front. It is violated by each event that completes a word in front of something
/// false.
#[derive(Clone, PartialEq, Debug)]
pub struct ModalCore {
    /// The property's name.
    pub name: String,
    /// The atoms, each once. Their patterns give values to the variables of the prefix and to local ones.
    pub atoms: Vec<AtomDefinition>,
    /// The quantifiers; all are plain `forall`.
    pub prefix: Vec<Quantifier>,
    /// For each of them, which values are the variable's.
    pub sorts: Vec<Sort>,
    /// The names and sorts of the variables of action formulae. The first has the number `prefix.len()`.
    pub locals: Vec<(String, Sort)>,
    /// The formula.
    pub body: ModalNode,
    /// Where the body is written.
    pub span: Span,
}

/// A state formula. What data it speaks of are variables of the prefix.
#[derive(Clone, PartialEq, Debug)]
pub enum ModalNode {
    /// A condition on the binding.
    Data(DataCore, Span),
    /// All of these.
    And(Vec<ModalNode>),
    /// For each value of the variable.
    Forall(VariableId, Box<ModalNode>),
    /// After every word, this.
    Box(RegularCore, Box<ModalNode>),
    /// If the first is true of the binding, the second.
    Implies(DataCore, Box<ModalNode>),
}

/// Which sequences of events.
#[derive(Clone, PartialEq, Debug)]
pub enum RegularCore {
    /// One event.
    Action(ActionFormula),
    /// No event.
    Nil,
    /// One after the other.
    Then(Box<RegularCore>, Box<RegularCore>),
    /// Either.
    Or(Box<RegularCore>, Box<RegularCore>),
    /// Any number of times.
    Star(Box<RegularCore>),
}

/// Which event. An event that no atom matches is an event too.
#[derive(Clone, PartialEq, Debug)]
pub enum ActionFormula {
    /// One that the atom matches, with the values that the variables have.
    Event(AtomId),
    /// Any, if this is true of the variables.
    Data(DataCore),
    /// Not such.
    Not(Box<ActionFormula>),
    /// Both.
    And(Box<ActionFormula>, Box<ActionFormula>),
    /// One of them.
    Or(Box<ActionFormula>, Box<ActionFormula>),
    /// For some value of the sort, or for all, whether any event carries it or not.
    Quantified(QuantifierKind, VariableId, Box<ActionFormula>),
}

/// A condition on data. A comparison is false if a side has no value.
#[derive(Clone, PartialEq, Debug)]
pub enum DataCore {
    /// Always so, or never.
    Constant(bool),
    /// Of two values.
    Compare(ExpressionCore, Comparison, ExpressionCore),
    /// Not this.
    Not(Box<DataCore>),
    /// Both.
    And(Box<DataCore>, Box<DataCore>),
    /// One of them.
    Or(Box<DataCore>, Box<DataCore>),
}
