// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae by hand.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::pattern::Atom;
use gnomon_ir::spec::{Body, Language, Options, Property, Spec};

/// A formula of this kind that stands nowhere.
pub fn formula(kind: Kind) -> Formula {
    Formula { kind, span: Span::default() }
}

/// `true`, `false`
pub fn constant(value: bool) -> Formula {
    formula(Kind::Constant(value))
}

/// An event of this name, with any parameters.
pub fn atom(name: &str) -> Formula {
    let span = Span::default();
    formula(Kind::Atom(Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span }))
}

/// `!of`
pub fn not(of: Formula) -> Formula {
    formula(Kind::Not(Box::new(of)))
}

/// `left op right`
pub fn connective(connective: Connective, left: Formula, right: Formula) -> Formula {
    formula(Kind::Connective(connective, Box::new(left), Box::new(right)))
}

/// `left && right`
pub fn and(left: Formula, right: Formula) -> Formula {
    connective(Connective::And, left, right)
}

/// `left || right`
pub fn or(left: Formula, right: Formula) -> Formula {
    connective(Connective::Or, left, right)
}

/// `op^times interval of`
pub fn unary(operator: Unary, times: u32, interval: Bounds, of: Formula) -> Formula {
    formula(Kind::Unary { operator, times, interval, of: Box::new(of) })
}

/// `left op interval right`
pub fn binary(operator: Binary, interval: Bounds, left: Formula, right: Formula) -> Formula {
    formula(Kind::Binary { operator, interval, left: Box::new(left), right: Box::new(right) })
}

/// `aggregate comparison bound`
pub fn aggregate(aggregate: Aggregate, comparison: Comparison, bound: Quantity, full_window: bool) -> Formula {
    formula(Kind::Aggregate { aggregate: Box::new(aggregate), comparison, bound, full_window })
}

/// The interval from `lo` to `hi`, each end with whether it belongs to it, as if written.
pub fn interval(lo: (i64, bool), hi: Option<(i64, bool)>) -> Bounds {
    Bounds {
        lo: Quantity::whole(lo.0),
        lo_closed: lo.1,
        hi: hi.map(|(hi, _)| Quantity::whole(hi)),
        hi_closed: hi.is_some_and(|(_, closed)| closed),
        span: Some(Span::default()),
    }
}

/// A spec with one SOLOIST property. Every part of the formula gets a span of its own, so that reports can tell the
/// parts apart.
pub fn spec(mut body: Formula) -> Spec {
    respan(&mut body, &mut 0);
    let property = Property {
        name: "case".to_owned(),
        name_span: Span::default(),
        title: None,
        language: Language::Soloist,
        options: Options::default(),
        body: Body::Formula(body),
        body_span: Span::default(),
    };
    Spec { properties: vec![property], ..Spec::default() }
}

fn respan(formula: &mut Formula, next: &mut usize) {
    let start = *next;
    *next += 1;
    for child in children_mut(formula) {
        respan(child, next);
    }
    *next += 1;
    formula.span = Span::new(start, *next);
}

/// The formulae directly inside this one, to be changed.
pub fn children_mut(formula: &mut Formula) -> Vec<&mut Formula> {
    match &mut formula.kind {
        Kind::Constant(_) | Kind::Atom(_) => vec![],
        Kind::Not(of) | Kind::Unary { of, .. } => vec![of],
        Kind::Connective(_, left, right) | Kind::Binary { left, right, .. } => vec![left, right],
        Kind::Aggregate { aggregate, .. } => match aggregate.as_mut() {
            Aggregate::Count { of, .. } | Aggregate::Average { of, .. } | Aggregate::Maximum { of, .. } => vec![of],
            Aggregate::Gap { from, to, .. } => vec![from, to],
        },
    }
}
