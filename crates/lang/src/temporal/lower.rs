// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers [`Syntax`] to the shared [`Formula`].
//!
//! Aggregates are the part with the most checks. The parser accepts any window, any number of arguments and a missing
//! comparison, because each of these errors is reported where it stands. Lowering then needs all parts: `window` holds
//! `K`, or `K` and the step `h` for averages and maxima, `compared` the comparison with its bound, and `arguments` one
//! formula, or two for a gap, or one atom with the `field` whose values it is about. A missing part has been reported,
//! and the aggregate lowers to nothing. For example, `count[10m](login) <= 3` becomes `Count { window: 10m, closed, of:
//! login }` compared `<= 3`, where `closed` is true in MTL, whose windows include their far end, and false in SOLOIST.

use gnomon_core::{Comparison, Diagnostic, Quantity, Span};
use gnomon_ir::atom::Argument;
use gnomon_ir::formula::{self, Formula, FormulaKind};

use super::Dialect;
use super::operator::letter;
use super::syntax::{Aggregate, Exponent, Measure, Syntax, TemporalForm};
use crate::syntax::literal::variable;
use crate::syntax::{AtomSyntax, Cursor, Lower, collect_all, no_variables};

/// Limit on the exponent of `X` and `Y`.
const MAX_EXPONENT: u32 = 1_000;

/// Lowers a syntax tree; `None` if a part of it is missing, which has been reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: &Syntax, dialect: &Dialect) -> Option<Formula> {
    let mut lowering = Lowering { cursor, dialect };
    lowering.formula(syntax)
}

struct Lowering<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    dialect: &'c Dialect,
}

impl Lower<TemporalForm> for Lowering<'_, '_> {
    fn atom(&mut self, atom: &AtomSyntax) -> Option<FormulaKind> {
        if self.dialect.variables && !atom.quoted && atom.arguments.is_none() && self.cursor.is_bound(&atom.name) {
            self.variable_as_event(atom);
            return None;
        }
        let lowered = atom.lower(|span| {
            if self.dialect.variables {
                return variable(self.cursor, span).map(Argument::Variable);
            }
            self.no_variables(atom, span);
            None
        });
        lowered.map(FormulaKind::Atom)
    }

    fn own(&mut self, form: &TemporalForm, syntax: &Syntax) -> Option<Formula> {
        let strict = self.dialect.strict;
        let kind = match form {
            TemporalForm::Unary { operator, exponent, interval, of } => {
                let times = exponent.map_or(Some(1), |exponent| self.times(exponent));
                let of = self.formula(of)?;
                let times = times?;
                if times == 0 {
                    // An operator that is repeated zero times is its operand.
                    return Some(of);
                }
                FormulaKind::Unary { operator: *operator, strict, times, interval: *interval, of: Box::new(of) }
            }
            TemporalForm::Binary { operator, interval, left, right } => {
                let (left, right) = (self.formula(left), self.formula(right));
                let (left, right) = (Box::new(left?), Box::new(right?));
                FormulaKind::Binary { operator: *operator, strict, interval: *interval, left, right }
            }
            TemporalForm::Aggregate(aggregate) => self.aggregate(aggregate)?,
        };
        Some(Formula { kind, span: syntax.span })
    }
}

impl Lowering<'_, '_> {
    fn times(&mut self, exponent: Exponent) -> Option<u32> {
        let times = exponent.number.filter(|&times| times <= MAX_EXPONENT);
        if times.is_none() {
            let written = self.cursor.slice(exponent.span);
            self.cursor.report(
                Diagnostic::error("G0308", exponent.span, format!("`{written}` is not a number of times"))
                    .label(format!("a whole number up to {MAX_EXPONENT} is expected"))
                    .help("write a smaller whole number; `X` counts positions, not time"),
            );
        }
        times
    }

    fn variable_as_event(&mut self, atom: &AtomSyntax) {
        let name = &atom.name;
        let message = format!("the variable `{name}` is used where an event is expected");
        let diagnostic =
            Diagnostic::error("G0209", atom.name_span, message).label("a value, which is not true or false");
        let help =
            format!("give it to an event, as in `e({name})`; an event of that name must be in quotes: `\"{name}\"`");
        self.cursor.report(diagnostic.help(help));
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

    fn aggregate(&mut self, aggregate: &Aggregate) -> Option<FormulaKind> {
        let mut arguments = collect_all(aggregate.arguments.iter().map(|part| self.formula(part)))?.into_iter();
        let mut window = aggregate.window.as_ref()?.iter().copied();
        let (comparison, bound) = aggregate.compared?;
        let (first, second) = (arguments.next()?, arguments.next());
        let (whole, step) = (window.next()?, window.next());
        let closed = !self.dialect.strict;
        if aggregate.measure.has_field() {
            let FormulaKind::Atom(of) = first.kind else { return None };
            let (window, field) = (whole, aggregate.field.clone()?);
            let aggregate = match aggregate.measure {
                Measure::Fold(fold) => formula::Aggregate::Fold { fold, window, of, field },
                Measure::Percentile(percent) => {
                    formula::Aggregate::Percentile { percent: percent?, window, closed, of, field }
                }
                _ => formula::Aggregate::Distinct { window, closed, of, field },
            };
            return Some(self.compared(aggregate, comparison, bound));
        }
        let aggregate = match aggregate.measure {
            Measure::Count => formula::Aggregate::Count { window: whole, closed, of: first },
            Measure::Rate => formula::Aggregate::Rate { window: whole, closed, of: first },
            Measure::Average => formula::Aggregate::Average { window: whole, step: step?, of: first },
            Measure::Maximum => formula::Aggregate::Maximum { window: whole, step: step?, of: first },
            Measure::Gap => formula::Aggregate::Gap { window: whole, from: first, to: second? },
            Measure::Fold(_) | Measure::Percentile(_) | Measure::Distinct => return None,
        };
        Some(self.compared(aggregate, comparison, bound))
    }

    fn compared(&self, aggregate: formula::Aggregate, comparison: Comparison, bound: Quantity) -> FormulaKind {
        let full_window = self.dialect.full_window;
        FormulaKind::Aggregate { aggregate: Box::new(aggregate), comparison, bound, full_window }
    }
}
