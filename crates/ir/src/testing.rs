// SPDX-License-Identifier: MIT OR Apache-2.0
//! Small properties for the unit tests of this crate.

use gnomon_core::{Quantity, Span};

use crate::atom::{Argument, Atom};
use crate::formula::{Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use crate::spec::{Body, Language, Options, Property, Quantifier, QuantifierKind, Spec, Variable};

pub(crate) fn variable(name: &str) -> Variable {
    Variable { name: name.to_owned(), span: Span::default() }
}

/// `name(x, y)`, or `name` without parameters.
pub(crate) fn event(name: &str, variables: &[&str]) -> Atom {
    let span = Span::default();
    let arguments: Vec<Argument> = variables.iter().map(|name| Argument::Variable(variable(name))).collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    Atom { name: name.to_owned(), name_span: span, arguments, condition: None, span }
}

pub(crate) fn formula(kind: FormulaKind) -> Formula {
    Formula { kind, span: Span::default() }
}

pub(crate) fn atom(name: &str, variables: &[&str]) -> Formula {
    formula(FormulaKind::Atom(event(name, variables)))
}

pub(crate) fn connect(connective: Connective, left: Formula, right: Formula) -> Formula {
    formula(FormulaKind::Connective(connective, Box::new(left), Box::new(right)))
}

/// An operator that includes the present.
pub(crate) fn unary(operator: Unary, of: Formula) -> Formula {
    formula(FormulaKind::Unary { operator, strict: false, times: 1, interval: Bounds::ANY, of: Box::new(of) })
}

/// An operator that includes the present.
pub(crate) fn binary(operator: Binary, left: Formula, right: Formula) -> Formula {
    let (left, right) = (Box::new(left), Box::new(right));
    formula(FormulaKind::Binary { operator, strict: false, interval: Bounds::ANY, left, right })
}

/// `[lo, hi]`, as if written.
pub(crate) fn bounds(lo: i64, hi: i64) -> Bounds {
    let (lo, hi) = (Quantity::whole(lo), Some(Quantity::whole(hi)));
    Bounds { lo, lo_closed: true, hi, hi_closed: true, span: Some(Span::default()) }
}

/// A property with `forall` over these variables.
pub(crate) fn property(language: Language, variables: &[&str], body: Body) -> (Spec, Property) {
    let quantifier = |name: &&str| Quantifier {
        kind: QuantifierKind::Forall,
        threshold: None,
        variables: vec![variable(name)],
        span: Span::default(),
    };
    let property = Property {
        name: "p".to_owned(),
        name_span: Span::default(),
        title: None,
        language,
        options: Options::default(),
        prefix: variables.iter().map(quantifier).collect(),
        body,
        body_span: Span::default(),
    };
    (Spec::default(), property)
}
