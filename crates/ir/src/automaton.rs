// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event automata with variables, guards and assignments, as written.

use gnomon_core::diagnostic::Span;
use gnomon_core::value::{Comparison, Value};

use crate::pattern::Atom;
use crate::spec::Variable;

/// An automaton. Its first state is where it begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Automaton {
    /// `where [ ... ]`: which bindings are judged at all.
    pub condition: Option<Guard>,
    /// The states: those that are declared in the order of the file, then those that are only named.
    pub states: Vec<State>,
}

impl Automaton {
    /// The events of its transitions, as they are written.
    pub fn atoms(&self) -> Vec<&Atom> {
        self.states.iter().flat_map(|state| &state.transitions).map(|transition| &transition.event).collect()
    }
}

/// A state.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Its name.
    pub name: Variable,
    /// `accept`
    pub accepting: bool,
    /// What an event does that no transition takes.
    pub otherwise: Otherwise,
    /// What leads out of it, in the order of the file.
    pub transitions: Vec<Transition>,
}

/// What an event of the slice does in a state where no transition takes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Otherwise {
    /// `skip`: the run stays.
    Stay,
    /// `next`: the run dies.
    Die,
}

/// `event if [...] -> A do [...] else if [...] -> B else -> C`
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// The events that take it.
    pub event: Atom,
    /// Tried in order; the first whose guard is true is taken.
    pub branches: Vec<Branch>,
    /// Where it is written.
    pub span: Span,
}

/// `if [guard] -> state do [assignments]`
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// When it is taken; `None`: always.
    pub guard: Option<Guard>,
    /// Where it leads: a place in [`Automaton::states`].
    pub target: usize,
    /// What happens after the move, one after the other.
    pub assignments: Vec<Assignment>,
}

/// `variable = expression`
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// What gets the value.
    pub variable: Variable,
    /// The value.
    pub value: Expression,
}

/// A condition over variables.
#[derive(Clone, PartialEq, Debug)]
pub enum Guard {
    /// `e < f`; false if a side has no value.
    Compare(Expression, Comparison, Expression),
    /// `not g`
    Not(Box<Guard>),
    /// `g and h`
    And(Box<Guard>, Box<Guard>),
    /// `g or h`
    Or(Box<Guard>, Box<Guard>),
}

/// A value computed from variables.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// A literal.
    Literal(Value<'static>),
    /// A variable: it has a value once an event or an assignment gave it one.
    Variable(Variable),
    /// Numbers only; anything else has no value.
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
}

/// `+ - *`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
}
