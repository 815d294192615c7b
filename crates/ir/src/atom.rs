// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event atoms as written, and the event patterns of the trace that they stand for.

use std::fmt;

use gnomon_core::{Comparison, Span, Value};

use crate::spec::Variable;

/// An event atom as a property writes it: `pay(_, 3)[amount > 1000]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Atom {
    /// The event's name: declared in the spec, or the trace's own.
    pub name: String,
    /// Source location of the name.
    pub name_span: Span,
    /// The parameters; `None` where no parentheses are written.
    pub arguments: Option<Vec<Argument>>,
    /// The condition in brackets.
    pub condition: Option<Condition>,
    /// Source location of the whole atom.
    pub span: Span,
}

/// A parameter of an atom.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// `_`
    Any,
    /// A literal.
    Literal(Value<'static>),
    /// A variable.
    Variable(Variable),
}

/// A condition on an event's fields. On an absent field every comparison is false.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// `field op literal`
    Compare(Path, Comparison, Value<'static>),
    /// `!c`
    Not(Box<Condition>),
    /// `c && d`
    And(Box<Condition>, Box<Condition>),
    /// `c || d`
    Or(Box<Condition>, Box<Condition>),
}

/// A field, or a path into its value: `order/items/0`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    /// The event's field.
    pub field: String,
    /// The steps into its value.
    pub steps: Vec<String>,
}

impl fmt::Display for Path {
    /// `order/items/0`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.field)?;
        self.steps.iter().try_for_each(|step| write!(f, "/{step}"))
    }
}

/// Pattern that an event of the trace must match. An atom is true of an event if one of its patterns matches.
#[derive(Clone, PartialEq, Debug)]
pub struct EventPattern {
    /// The event's name in the trace.
    pub event: String,
    /// Required number of positional parameters.
    pub arity: Option<usize>,
    /// Positional parameters that must equal a literal.
    pub positional: Vec<(usize, Value<'static>)>,
    /// Fields that must be there: declared parameters of an atom with parentheses.
    pub present: Vec<Path>,
    /// Condition on the fields.
    pub condition: Option<Condition>,
    /// Locations of the values of variables. A variable at two locations must have the same value at both.
    pub variables: Vec<(ValueLocation, VariableId)>,
}

/// Location of a value inside an event.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ValueLocation {
    /// The positional parameter at this index.
    Parameter(usize),
    /// A field. It is there in every event that the pattern matches.
    Field(Path),
}

/// A variable's number: those of the prefix first, in its order, then the free variables of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

impl Condition {
    /// The conjunction of what there is.
    pub fn all(parts: impl IntoIterator<Item = Condition>) -> Option<Condition> {
        parts.into_iter().reduce(|left, right| Condition::And(Box::new(left), Box::new(right)))
    }

    /// Evaluates the condition on fields with these values. It is two-valued: a comparison on an absent field is false, its
    /// negation true.
    // RULE T8
    pub fn holds<'v>(&self, field: &dyn Fn(&Path) -> Option<&'v Value<'static>>) -> bool {
        match self {
            Condition::Compare(path, comparison, literal) => {
                field(path).is_some_and(|value| comparison.holds(value, literal))
            }
            Condition::Not(of) => !of.holds(field),
            Condition::And(left, right) => left.holds(field) && right.holds(field),
            Condition::Or(left, right) => left.holds(field) || right.holds(field),
        }
    }

    /// Calls `visit` on every path in it, with the literal that it is compared with.
    pub fn compared<'a>(&'a self, visit: &mut dyn FnMut(&'a Path, &'a Value<'static>)) {
        match self {
            Condition::Compare(path, _, literal) => visit(path, literal),
            Condition::Not(of) => of.compared(visit),
            Condition::And(left, right) | Condition::Or(left, right) => {
                left.compared(visit);
                right.compared(visit);
            }
        }
    }

    /// Returns the condition with every path rewritten.
    #[must_use]
    pub fn map_paths(&self, rewrite: &dyn Fn(&Path) -> Path) -> Condition {
        match self {
            Condition::Compare(path, comparison, value) => {
                Condition::Compare(rewrite(path), *comparison, value.clone())
            }
            Condition::Not(of) => Condition::Not(Box::new(of.map_paths(rewrite))),
            Condition::And(left, right) => {
                Condition::And(Box::new(left.map_paths(rewrite)), Box::new(right.map_paths(rewrite)))
            }
            Condition::Or(left, right) => {
                Condition::Or(Box::new(left.map_paths(rewrite)), Box::new(right.map_paths(rewrite)))
            }
        }
    }
}
