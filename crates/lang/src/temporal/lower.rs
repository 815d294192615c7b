// SPDX-License-Identifier: MIT OR Apache-2.0
//! From [`Syntax`] to the shared [`Formula`].

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::formula::{self, Formula};
use gnomon_ir::pattern::{Argument, Atom};

use super::Dialect;
use super::operator::letter;
use super::syntax::{Aggregate, Exponent, Kind, Measure, Syntax};
use crate::specfile::atom::{AtomSyntax, no_variables};
use crate::specfile::cursor::Cursor;
use crate::specfile::literal::variable;

/// How often `X` and `Y` may be repeated.
const MAX_EXPONENT: u32 = 1_000;

/// The formula that a syntax tree stands for; `None` if a part of it is missing, which has been reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: &Syntax, dialect: &Dialect) -> Option<Formula> {
    let mut lowering = Lowering { cursor, dialect };
    lowering.formula(syntax)
}

struct Lowering<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    dialect: &'c Dialect,
}

impl Lowering<'_, '_> {
    fn formula(&mut self, syntax: &Syntax) -> Option<Formula> {
        let span = syntax.span;
        let kind = match syntax.kind.as_ref() {
            Kind::Missing => return None,
            Kind::Constant(value) => formula::Kind::Constant(*value),
            Kind::Atom(atom) => formula::Kind::Atom(self.atom(atom)?),
            Kind::Not(of) => formula::Kind::Not(Box::new(self.formula(of)?)),
            Kind::Connective(connective, left, right) => {
                // Both sides, before either is given up: each may have something to report.
                let (left, right) = (self.formula(left), self.formula(right));
                formula::Kind::Connective(*connective, Box::new(left?), Box::new(right?))
            }
            Kind::Unary { operator, exponent, interval, of } => {
                let times = exponent.map_or(Some(1), |exponent| self.times(exponent));
                let of = self.formula(of)?;
                match times? {
                    // Repeated not at all: nothing but what it was about.
                    0 => return Some(of),
                    times => formula::Kind::Unary {
                        operator: *operator,
                        strict: self.dialect.strict,
                        times,
                        interval: *interval,
                        of: Box::new(of),
                    },
                }
            }
            Kind::Binary { operator, interval, left, right } => {
                let (left, right) = (self.formula(left), self.formula(right));
                formula::Kind::Binary {
                    operator: *operator,
                    strict: self.dialect.strict,
                    interval: *interval,
                    left: Box::new(left?),
                    right: Box::new(right?),
                }
            }
            Kind::Aggregate(aggregate) => self.aggregate(aggregate)?,
        };
        Some(Formula { kind, span })
    }

    fn times(&mut self, exponent: Exponent) -> Option<u32> {
        let times = exponent.number.filter(|&times| times <= MAX_EXPONENT);
        if times.is_none() {
            let written = self.cursor.slice(exponent.span);
            self.cursor.report(
                Diagnostic::error("G0308", exponent.span, format!("`{written}` is no number of times"))
                    .label(format!("a whole number up to {MAX_EXPONENT} is expected"))
                    .help("write a smaller whole number; `X` counts positions, not time"),
            );
        }
        times
    }

    fn atom(&mut self, atom: &AtomSyntax) -> Option<Atom> {
        atom.lower(|span| {
            if self.dialect.variables {
                return variable(self.cursor, span).map(Argument::Variable);
            }
            self.no_variables(atom, span);
            None
        })
    }

    fn no_variables(&mut self, atom: &AtomSyntax, span: Span) {
        let diagnostic = no_variables(self.cursor.slice(span), span, self.dialect.name);
        let upper = atom.name.to_uppercase();
        let is_letter = |word: &str| letter(self.dialect, word).is_some();
        let operator = !atom.quoted && is_letter(&upper) && !is_letter(&atom.name);
        self.cursor.report(if operator {
            diagnostic.edit(format!("write the operator as `{upper}`"), atom.name_span, upper)
        } else {
            diagnostic
        });
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Option<formula::Kind> {
        let arguments: Vec<Option<Formula>> = aggregate.arguments.iter().map(|part| self.formula(part)).collect();
        let arguments: Option<Vec<Formula>> = arguments.into_iter().collect();
        let mut arguments = arguments?.into_iter();
        let mut window = aggregate.window.as_ref()?.iter().copied();
        let (comparison, bound) = aggregate.compared?;
        let (first, second) = (arguments.next()?, arguments.next());
        let (whole, step) = (window.next()?, window.next());
        let aggregate = match aggregate.measure {
            Measure::Count => formula::Aggregate::Count { window: whole, closed: !self.dialect.strict, of: first },
            Measure::Average => formula::Aggregate::Average { window: whole, step: step?, of: first },
            Measure::Maximum => formula::Aggregate::Maximum { window: whole, step: step?, of: first },
            Measure::Gap => formula::Aggregate::Gap { window: whole, from: first, to: second? },
            Measure::Fold(fold) => {
                let formula::Kind::Atom(of) = first.kind else { return None };
                formula::Aggregate::Fold { fold, window: whole, of, field: aggregate.field.clone()? }
            }
        };
        let full_window = self.dialect.full_window;
        Some(formula::Kind::Aggregate { aggregate: Box::new(aggregate), comparison, bound, full_window })
    }
}
