// SPDX-License-Identifier: MIT OR Apache-2.0
//! The monitorable part of the modal mu-calculus, as written: what must never be seen, as regular expressions over
//! events.

use gnomon_core::diagnostic::Span;
use gnomon_core::value::Comparison;

use crate::automaton::Expression;
use crate::pattern::Atom;
use crate::spec::{QuantifierKind, Variable};

/// A state formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Modal {
    /// `true`, `val(x > 3)`
    Data(Data, Span),
    /// `forall t:Int. phi`
    Forall(Sorted, Box<Modal>),
    /// `[rho] phi`: after every word of rho, phi.
    Box {
        /// rho
        regular: Regular,
        /// phi
        then: Box<Modal>,
        /// Where the brackets stand.
        span: Span,
    },
    /// `phi && psi`
    And(Box<Modal>, Box<Modal>),
    /// `b => phi`
    Implies(Data, Box<Modal>),
}

/// A variable and the values that it may have.
#[derive(Clone, PartialEq, Debug)]
pub struct Sorted {
    /// The variable.
    pub variable: Variable,
    /// Its sort.
    pub sort: Sort,
    /// The name of the sort, as written.
    pub sort_name: String,
}

/// What kind of values a variable has. A value that is not of the sort is none of the variable's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// `Bool`
    Boolean,
    /// `Pos`: whole numbers from 1.
    Positive,
    /// `Nat`: whole numbers from 0.
    Natural,
    /// `Int`: whole numbers.
    Integer,
    /// `Real`: numbers.
    Real,
    /// Any other name: any value.
    Any,
}

/// A regular formula: which sequences of events.
#[derive(Clone, PartialEq, Debug)]
pub enum Regular {
    /// One event.
    Action(Action),
    /// `nil`: no event.
    Nil,
    /// `rho . rho`
    Then(Box<Regular>, Box<Regular>),
    /// `rho + rho`
    Or(Box<Regular>, Box<Regular>),
    /// `rho*`
    Star(Box<Regular>),
    /// `rho+`
    Plus(Box<Regular>),
}

/// An action formula: which event.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// `push(t, 1)`. A name in the place of a parameter is a variable.
    Event(Atom),
    /// `true`: any event; `val(t > 1)`: any, if that is so.
    Data(Data),
    /// `!alpha`
    Not(Box<Action>),
    /// `alpha && alpha`
    And(Box<Action>, Box<Action>),
    /// `alpha || alpha`
    Or(Box<Action>, Box<Action>),
    /// `exists d:Nat. alpha`: over all values of the sort, seen or not.
    Quantified(QuantifierKind, Sorted, Box<Action>),
}

/// A condition on data.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// `true`, `false`
    Constant(bool),
    /// `e < f`
    Compare(Expression, Comparison, Expression),
    /// `!b`
    Not(Box<Data>),
    /// `b && c`
    And(Box<Data>, Box<Data>),
    /// `b || c`
    Or(Box<Data>, Box<Data>),
}

impl Modal {
    /// Its atoms, in the order of the text.
    pub fn atoms(&self) -> Vec<&Atom> {
        let mut atoms = Vec::new();
        let mut pending = vec![self];
        while let Some(modal) = pending.pop() {
            match modal {
                Modal::Data(..) => {}
                Modal::Forall(_, of) | Modal::Implies(_, of) => pending.push(of),
                Modal::Box { regular, then, .. } => {
                    regular.atoms(&mut atoms);
                    pending.push(then);
                }
                Modal::And(left, right) => pending.extend([right.as_ref(), left.as_ref()]),
            }
        }
        atoms
    }
}

impl Regular {
    fn atoms<'a>(&'a self, atoms: &mut Vec<&'a Atom>) {
        let mut pending = vec![self];
        while let Some(regular) = pending.pop() {
            match regular {
                Regular::Action(action) => action.atoms(atoms),
                Regular::Nil => {}
                Regular::Then(left, right) | Regular::Or(left, right) => {
                    pending.extend([right.as_ref(), left.as_ref()]);
                }
                Regular::Star(of) | Regular::Plus(of) => pending.push(of),
            }
        }
    }
}

impl Action {
    fn atoms<'a>(&'a self, atoms: &mut Vec<&'a Atom>) {
        let mut pending = vec![self];
        while let Some(action) = pending.pop() {
            match action {
                Action::Event(atom) => atoms.push(atom),
                Action::Data(_) => {}
                Action::Not(of) | Action::Quantified(_, _, of) => pending.push(of),
                Action::And(left, right) | Action::Or(left, right) => {
                    pending.extend([right.as_ref(), left.as_ref()]);
                }
            }
        }
    }
}
