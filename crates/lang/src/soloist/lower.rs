// SPDX-License-Identifier: MIT OR Apache-2.0
//! From [`Syntax`] to the shared [`Formula`].

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::formula::{self, Formula};
use gnomon_ir::pattern::{Argument, Atom};

use super::letter::letter;
use super::syntax::{Aggregate, Exponent, Kind, Measure, Syntax};
use crate::specfile::atom::{ArgumentSyntax, AtomSyntax, no_variables};
use crate::specfile::cursor::Cursor;

/// How often `X` and `Y` may be repeated.
const MAX_EXPONENT: u32 = 1_000;

/// The formula that a syntax tree stands for; `None` if a part of it is missing, which has been reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: &Syntax, full_window: bool) -> Option<Formula> {
    let mut lowering = Lowering { cursor, full_window };
    lowering.formula(syntax)
}

struct Lowering<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    full_window: bool,
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
                    times => formula::Kind::Unary { operator: *operator, times, interval: *interval, of: Box::new(of) },
                }
            }
            Kind::Binary { operator, interval, left, right } => {
                let (left, right) = (self.formula(left), self.formula(right));
                formula::Kind::Binary {
                    operator: *operator,
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
        let mut understood = atom.whole;
        let arguments = atom.arguments.as_ref().map(|arguments| {
            let arguments = arguments.iter().map(|argument| match argument {
                ArgumentSyntax::Any => Argument::Any,
                ArgumentSyntax::Literal(value) => Argument::Literal(value.clone()),
                ArgumentSyntax::Word(span) => {
                    understood = false;
                    self.no_variables(atom, *span);
                    Argument::Any
                }
            });
            arguments.collect()
        });
        understood.then(|| Atom {
            name: atom.name.clone(),
            name_span: atom.name_span,
            arguments,
            condition: atom.condition.clone(),
            span: atom.span,
        })
    }

    fn no_variables(&mut self, atom: &AtomSyntax, span: Span) {
        let diagnostic = no_variables(self.cursor.slice(span), span, "SOLOIST");
        let upper = atom.name.to_uppercase();
        let operator = !atom.quoted && letter(&upper).is_some() && letter(&atom.name).is_none();
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
            Measure::Count => formula::Aggregate::Count { window: whole, of: first },
            Measure::Average => formula::Aggregate::Average { window: whole, step: step?, of: first },
            Measure::Maximum => formula::Aggregate::Maximum { window: whole, step: step?, of: first },
            Measure::Gap => formula::Aggregate::Gap { window: whole, from: first, to: second? },
        };
        let full_window = self.full_window;
        Some(formula::Kind::Aggregate { aggregate: Box::new(aggregate), comparison, bound, full_window })
    }
}
