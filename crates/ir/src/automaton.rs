// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event automata with variables, guards and assignments, as written.

use gnomon_core::{Comparison, Span, Value};

use crate::{Atom, Variable};

/// An automaton. Its first state is where it begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Automaton {
    /// `where [ ... ]`: condition on the bindings that count.
    pub condition: Option<Guard>,
    /// The states: those that are declared in the order of the file, then those that are only named.
    pub states: Vec<State>,
}

/// A state. Front ends use another type of transition while they parse.
#[derive(Clone, PartialEq, Debug)]
pub struct State<T = Transition> {
    /// Its name.
    pub name: Variable,
    /// `accept`
    pub accepting: bool,
    /// Effect of an event that no transition takes.
    pub otherwise: DefaultMove,
    /// Outgoing transitions, in the order of the file.
    pub transitions: Vec<T>,
}

/// Effect of an event of the slice that no transition of the state takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DefaultMove {
    /// `skip`: the run stays.
    Stay,
    /// `next`: the run dies.
    Die,
}

/// `event if [...] -> A do [...] else if [...] -> B else -> C`
#[derive(Clone, PartialEq, Debug)]
pub struct Transition<E = Atom, T = usize> {
    /// The events that take it.
    pub event: E,
    /// Tried in order; the first whose guard is true is taken.
    pub branches: Vec<Branch<T>>,
    /// Source location.
    pub span: Span,
}

/// `if [guard] -> state do [assignments]`
#[derive(Clone, PartialEq, Debug)]
pub struct Branch<T = usize> {
    /// Condition of the branch; `None`: always true.
    pub guard: Option<Guard>,
    /// Target state: an index into [`Automaton::states`], or its name while states are still being read.
    pub target: T,
    /// Assignments that follow the move, in order.
    pub assignments: Vec<Assignment>,
}

/// `variable = expression`
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// Variable that receives the value.
    pub variable: Variable,
    /// The value.
    pub value: Expression,
}

/// A condition over variables `V`: as written by name, in kernel form by number. It is true or false of the values that
/// variables have.
#[derive(Clone, PartialEq, Debug)]
pub enum Guard<V = Variable> {
    /// `true`, `false`
    Constant(bool),
    /// `e < f`; false if a side has no value.
    Compare(Expression<V>, Comparison, Expression<V>),
    /// `not g`
    Not(Box<Guard<V>>),
    /// `g and h`
    And(Box<Guard<V>>, Box<Guard<V>>),
    /// `g or h`
    Or(Box<Guard<V>>, Box<Guard<V>>),
}

/// A value computed from variables.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression<V = Variable> {
    /// A literal.
    Literal(Value<'static>),
    /// A variable: it has a value once an event or an assignment gave it one.
    Variable(V),
    /// Numbers only; anything else has no value.
    Arithmetic(Arithmetic, Box<Expression<V>>, Box<Expression<V>>),
}

impl<V> Guard<V> {
    /// Calls `visit` on both sides of every comparison.
    pub fn sides<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression<V>, &'a Expression<V>)) {
        match self {
            Guard::Constant(_) => {}
            Guard::Compare(left, _, right) => visit(left, right),
            Guard::Not(of) => of.sides(visit),
            Guard::And(left, right) | Guard::Or(left, right) => {
                left.sides(visit);
                right.sides(visit);
            }
        }
    }

    /// Calls `visit` on every expression, the parts of others too.
    pub fn expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression<V>)) {
        self.sides(&mut |left, right| {
            left.each(visit);
            right.each(visit);
        });
    }

    /// Appends the variables in it, repetitions included.
    pub fn variables<'a>(&'a self, into: &mut Vec<&'a V>) {
        self.sides(&mut |left, right| {
            left.variables(into);
            right.variables(into);
        });
    }

    /// Returns the condition with its variables replaced.
    pub fn map<W>(&self, variable: &mut dyn FnMut(&V) -> W) -> Guard<W> {
        match self {
            Guard::Constant(value) => Guard::Constant(*value),
            Guard::Compare(left, comparison, right) => {
                Guard::Compare(left.map(variable), *comparison, right.map(variable))
            }
            Guard::Not(of) => Guard::Not(Box::new(of.map(variable))),
            Guard::And(left, right) => Guard::And(Box::new(left.map(variable)), Box::new(right.map(variable))),
            Guard::Or(left, right) => Guard::Or(Box::new(left.map(variable)), Box::new(right.map(variable))),
        }
    }
}

impl<V> Expression<V> {
    /// Calls `visit` on it and on every part of it.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression<V>)) {
        visit(self);
        if let Expression::Arithmetic(_, left, right) = self {
            left.each(visit);
            right.each(visit);
        }
    }

    /// Appends the variables in it, repetitions included.
    pub fn variables<'a>(&'a self, into: &mut Vec<&'a V>) {
        self.each(&mut |part| {
            if let Expression::Variable(variable) = part {
                into.push(variable);
            }
        });
    }

    /// Returns the expression with its variables replaced.
    pub fn map<W>(&self, variable: &mut dyn FnMut(&V) -> W) -> Expression<W> {
        match self {
            Expression::Literal(value) => Expression::Literal(value.clone()),
            Expression::Variable(of) => Expression::Variable(variable(of)),
            Expression::Arithmetic(arithmetic, left, right) => {
                Expression::Arithmetic(*arithmetic, Box::new(left.map(variable)), Box::new(right.map(variable)))
            }
        }
    }
}

gnomon_core::words! {
    /// `+ - *`
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Arithmetic as symbol {
        /// `+`
        Add = "+",
        /// `-`
        Subtract = "-",
        /// `*`
        Multiply = "*",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::variable;

    #[test]
    fn guards_are_mapped_and_their_variables_found() {
        let x = || Expression::Variable(variable("x"));
        let sum = Expression::Arithmetic(Arithmetic::Add, Box::new(x()), Box::new(Expression::Variable(variable("y"))));
        let compare = Guard::Compare(sum, Comparison::Less, Expression::Literal(Value::Null));
        let guard = Guard::And(Box::new(Guard::Not(Box::new(compare))), Box::new(Guard::Constant(true)));
        let numbered: Guard<usize> = guard.map(&mut |variable| variable.name.len());
        let mut found = Vec::new();
        numbered.variables(&mut found);
        assert_eq!(found, [&1, &1]);
        let mut parts = 0;
        guard.expressions(&mut |_| parts += 1);
        assert_eq!(parts, 4);
        assert_eq!(guard.map(&mut Variable::clone), guard);
    }
}
