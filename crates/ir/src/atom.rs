// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event atoms as written, and the event patterns of the trace that they stand for.

use std::fmt;

use gnomon_core::datetime::{self, TimePart, ZoneOffsets};
use gnomon_core::{Clock, Comparison, Span, Timestamp, Value};

use crate::spec::{TimeDeclaration, Variable};

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
    /// `@hour op literal`
    Time(Box<TimeComparison>),
    /// `!c`
    Not(Box<Condition>),
    /// `c && d`
    And(Box<Condition>, Box<Condition>),
    /// `c || d`
    Or(Box<Condition>, Box<Condition>),
}

/// A comparison of the time of an event, or of a part of it, with a literal.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeComparison {
    /// The left side.
    pub part: TimePart,
    /// The comparison.
    pub comparison: Comparison,
    /// The right side as written.
    pub literal: Value<'static>,
    /// The right side as a number, once it is known how the spec reads times.
    bound: Option<i128>,
    /// The zone in which hours and days are counted.
    zone: ZoneOffsets,
}

impl TimeComparison {
    /// Creates a comparison; `None` if the part cannot have the value of the literal.
    pub fn new(part: TimePart, comparison: Comparison, literal: Value<'static>) -> Option<Self> {
        let is_valid = match (part, &literal) {
            (TimePart::Time, Value::Text(text)) => datetime::parse(text).is_ok(),
            (TimePart::Time, Value::Number(_)) => true,
            (TimePart::Weekday, Value::Text(text)) => datetime::weekday(text).is_some(),
            (TimePart::Hour | TimePart::Weekday, Value::Number(_)) => whole(&literal).is_some(),
            _ => false,
        };
        is_valid.then(|| TimeComparison { part, comparison, literal, bound: None, zone: ZoneOffsets::default() })
    }

    /// Returns true if the unit of the times must be known: it compares with a date, an hour or a day.
    pub fn needs_unit(&self) -> bool {
        self.part != TimePart::Time || matches!(self.literal, Value::Text(_))
    }

    /// Returns true if the right side is known as a number.
    pub fn is_resolved(&self) -> bool {
        self.bound.is_some()
    }

    /// Returns the comparison in a spec that reads times like this.
    fn resolved(&self, time: &TimeDeclaration) -> TimeComparison {
        let bound = match (self.part, &self.literal) {
            (TimePart::Time, Value::Text(text)) => datetime::parse(text).ok().map(|parsed| {
                let is_local = datetime::parse_written(text, None).map_or(true, |written| written.offset.is_none());
                if is_local { time.offsets.time_of_local(parsed) } else { parsed }.ticks()
            }),
            (TimePart::Time, literal) => {
                Clock::new(time.unit).parse_number(&literal.to_string()).ok().map(Timestamp::ticks)
            }
            (_, Value::Text(text)) => datetime::weekday(text),
            (_, literal) => whole(literal),
        };
        TimeComparison { bound, zone: time.offsets.clone(), ..self.clone() }
    }

    /// Evaluates the comparison at a time.
    // RULE T10
    pub fn holds(&self, time: Timestamp) -> bool {
        self.bound.is_some_and(|bound| self.comparison.accepts(self.part.of(time, &self.zone).cmp(&bound)))
    }
}

/// Returns the whole number that a literal is.
fn whole(literal: &Value<'static>) -> Option<i128> {
    literal.to_string().parse().ok()
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

    /// Evaluates the condition at a time, on fields with these values. It is two-valued: a comparison on an absent field is false, its
    /// negation true.
    // RULE T8
    pub fn holds<'v>(&self, time: Timestamp, field: &dyn Fn(&Path) -> Option<&'v Value<'static>>) -> bool {
        match self {
            Condition::Time(comparison) => comparison.holds(time),
            Condition::Compare(path, comparison, literal) => {
                field(path).is_some_and(|value| comparison.holds(value, literal))
            }
            Condition::Not(of) => !of.holds(time, field),
            Condition::And(left, right) => left.holds(time, field) && right.holds(time, field),
            Condition::Or(left, right) => left.holds(time, field) || right.holds(time, field),
        }
    }

    /// Calls `visit` on every path in it, with the literal that it is compared with.
    pub fn compared<'a>(&'a self, visit: &mut dyn FnMut(&'a Path, &'a Value<'static>)) {
        match self {
            Condition::Compare(path, _, literal) => visit(path, literal),
            Condition::Time(_) => {}
            Condition::Not(of) => of.compared(visit),
            Condition::And(left, right) | Condition::Or(left, right) => {
                left.compared(visit);
                right.compared(visit);
            }
        }
    }

    /// Calls `visit` on every comparison of the time in it.
    pub fn times<'a>(&'a self, visit: &mut dyn FnMut(&'a TimeComparison)) {
        match self {
            Condition::Compare(..) => {}
            Condition::Time(comparison) => visit(comparison),
            Condition::Not(of) => of.times(visit),
            Condition::And(left, right) | Condition::Or(left, right) => {
                left.times(visit);
                right.times(visit);
            }
        }
    }

    /// Returns the condition with every path rewritten.
    #[must_use]
    pub fn map_paths(&self, rewrite: &dyn Fn(&Path) -> Path) -> Condition {
        self.map(&|leaf| match leaf {
            Condition::Compare(path, comparison, value) => {
                Condition::Compare(rewrite(path), *comparison, value.clone())
            }
            other => other.clone(),
        })
    }

    /// Returns the condition in a spec that reads times like this.
    #[must_use]
    pub fn resolved(&self, time: &TimeDeclaration) -> Condition {
        self.map(&|leaf| match leaf {
            Condition::Time(comparison) => Condition::Time(Box::new(comparison.resolved(time))),
            other => other.clone(),
        })
    }

    /// Returns the condition with every comparison replaced.
    fn map(&self, replace: &dyn Fn(&Condition) -> Condition) -> Condition {
        let of = |inner: &Condition| Box::new(inner.map(replace));
        match self {
            Condition::Compare(..) | Condition::Time(_) => replace(self),
            Condition::Not(inner) => Condition::Not(of(inner)),
            Condition::And(left, right) => Condition::And(of(left), of(right)),
            Condition::Or(left, right) => Condition::Or(of(left), of(right)),
        }
    }
}
