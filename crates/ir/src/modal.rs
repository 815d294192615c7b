// SPDX-License-Identifier: MIT OR Apache-2.0
//! The monitorable fragment of the modal mu-calculus, as written: forbidden sequences of events as regular expressions.

use gnomon_core::diagnostic::Span;

use crate::walk::{AtomCollector, Walk as _};
use crate::{Atom, Guard, QuantifierKind, Variable};

/// A state formula.
#[derive(Clone, PartialEq, Debug)]
pub enum ModalFormula {
    /// `true`, `val(x > 3)`
    Data(DataCondition, Span),
    /// `forall t:Int. phi`
    Forall(SortedVariable, Box<ModalFormula>),
    /// `[rho] phi`: after every word of rho, phi.
    Box {
        /// rho
        regular: RegularFormula,
        /// phi
        then: Box<ModalFormula>,
        /// Source location of the brackets.
        span: Span,
    },
    /// `phi && psi`
    And(Box<ModalFormula>, Box<ModalFormula>),
    /// `b => phi`
    Implies(DataCondition, Box<ModalFormula>),
}

/// A variable and the values that it may have.
#[derive(Clone, PartialEq, Debug)]
pub struct SortedVariable {
    /// The variable.
    pub variable: Variable,
    /// Its sort.
    pub sort: Sort,
    /// The name of the sort, as written.
    pub sort_name: String,
}

gnomon_core::words! {
    /// Sort of a variable. Values of other sorts are not values of the variable.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Sort as word {
        /// Truth values.
        Boolean = "Bool",
        /// Whole numbers from 1.
        Positive = "Pos",
        /// Whole numbers from 0.
        Natural = "Nat",
        /// Whole numbers.
        Integer = "Int",
        /// Numbers.
        Real = "Real",
        /// Any other name: any value.
        Any = "Any",
    }
}

/// A regular formula over action formulae `A`: which sequences of events.
#[derive(Clone, PartialEq, Debug)]
pub enum RegularFormula<A = ActionFormula> {
    /// One event.
    Action(A),
    /// `nil`: no event.
    Nil,
    /// `rho . rho`
    Then(Box<Self>, Box<Self>),
    /// `rho + rho`
    Or(Box<Self>, Box<Self>),
    /// `rho*`
    Star(Box<Self>),
    /// `rho+`
    Plus(Box<Self>),
}

impl<A> RegularFormula<A> {
    /// Returns the sequences with every action formula replaced.
    pub fn map<B>(&self, action: &mut dyn FnMut(&A) -> B) -> RegularFormula<B> {
        let mut boxed = |of: &Self| Box::new(of.map(action));
        match self {
            RegularFormula::Nil => RegularFormula::Nil,
            RegularFormula::Then(left, right) => RegularFormula::Then(boxed(left), boxed(right)),
            RegularFormula::Or(left, right) => RegularFormula::Or(boxed(left), boxed(right)),
            RegularFormula::Star(of) => RegularFormula::Star(boxed(of)),
            RegularFormula::Plus(of) => RegularFormula::Plus(boxed(of)),
            RegularFormula::Action(of) => RegularFormula::Action(action(of)),
        }
    }
}

impl<A: Clone> RegularFormula<A> {
    /// RULE W2, W9: writes `rho+` as `rho . rho*`, so that the first round has letters of its own. A `rho+` inside of further
    /// rounds stays: its letters are different from those that may come first already. Unfolding it too would double the
    /// size with every level of nesting.
    #[must_use]
    pub fn with_first_rounds(&self) -> Self {
        let boxed = |of: &Self| Box::new(of.with_first_rounds());
        match self {
            RegularFormula::Then(left, right) => RegularFormula::Then(boxed(left), boxed(right)),
            RegularFormula::Or(left, right) => RegularFormula::Or(boxed(left), boxed(right)),
            RegularFormula::Star(of) => RegularFormula::Star(boxed(of)),
            RegularFormula::Plus(of) => RegularFormula::Then(boxed(of), Box::new(RegularFormula::Star(of.clone()))),
            RegularFormula::Nil | RegularFormula::Action(_) => self.clone(),
        }
    }
}

/// An action formula: which event. As written, events are atoms and a quantifier has a sorted variable; in kernel form, they are
/// numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum ActionFormula<E = Atom, V = Variable, Q = SortedVariable> {
    /// `push(t, 1)`. A name in the place of a parameter is a variable.
    Event(E),
    /// `true`: any event; `val(t > 1)`: any, if that is so.
    Data(DataCondition<V>),
    /// `!alpha`
    Not(Box<Self>),
    /// `alpha && alpha`
    And(Box<Self>, Box<Self>),
    /// `alpha || alpha`
    Or(Box<Self>, Box<Self>),
    /// `exists d:Nat. alpha`: over all values of the sort, seen or not.
    Quantified(QuantifierKind, Q, Box<Self>),
}

/// A condition on data.
pub type DataCondition<V = Variable> = Guard<V>;

impl<E, V, Q> ActionFormula<E, V, Q> {
    /// Calls `visit` on it and on every action formula inside.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        match self {
            ActionFormula::Event(_) | ActionFormula::Data(_) => {}
            ActionFormula::Not(of) | ActionFormula::Quantified(_, _, of) => of.each(visit),
            ActionFormula::And(left, right) | ActionFormula::Or(left, right) => {
                left.each(visit);
                right.each(visit);
            }
        }
    }
}

impl ModalFormula {
    /// Its atoms, in the order of the text.
    pub fn atoms(&self) -> Vec<&Atom> {
        AtomCollector::collect(|atoms| atoms.modal(self))
    }
}
