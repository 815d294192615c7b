// SPDX-License-Identifier: MIT OR Apache-2.0
//! From [`Syntax`] to the shared [`Formula`] and [`Term`]: here it is found out which of the two each part must be.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Value;
use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::pattern::Atom;
use gnomon_ir::term::{Moment, Occurrence, Term, TermKind};

use super::mismatch;
use super::operator::Operator;
use super::syntax::{self, Argument, Syntax};
use crate::specfile::atom::{AtomSyntax, no_variables};
use crate::specfile::cursor::Cursor;

/// The formula that a tree stands for; `None` if a part of it is missing, which has been reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: &Syntax) -> Option<Formula> {
    Lowering { cursor }.formula(syntax)
}

struct Lowering<'c, 's> {
    cursor: &'c mut Cursor<'s>,
}

impl Lowering<'_, '_> {
    fn formula(&mut self, syntax: &Syntax) -> Option<Formula> {
        let span = syntax.span;
        let kind = match syntax.kind.as_ref() {
            syntax::Kind::Missing => return None,
            syntax::Kind::Constant(value) => Kind::Constant(*value),
            syntax::Kind::Not(of) => Kind::Not(Box::new(self.formula(of)?)),
            syntax::Kind::Connective(connective, left, right) => {
                // Both sides, before either is given up: each may have something to report.
                let (left, right) = (self.formula(left), self.formula(right));
                Kind::Connective(*connective, Box::new(left?), Box::new(right?))
            }
            syntax::Kind::Compare(left, comparison, right) => {
                let (left, right) = (self.term(left), self.term(right));
                Kind::Compare(Box::new(left?), *comparison, Box::new(right?))
            }
            syntax::Kind::Each { kind, variable, list, of } => {
                let of = Box::new(self.formula(of)?);
                Kind::Each { kind: *kind, variable: variable.clone(), list: list.clone(), of }
            }
            syntax::Kind::Call(operator, arguments) if !operator.is_value() => {
                self.operator(*operator, arguments, syntax)?
            }
            syntax::Kind::Name(atom) => {
                mismatch::bare_event(self.cursor, atom);
                return None;
            }
            _ => {
                mismatch::no_formula(self.cursor, syntax);
                return None;
            }
        };
        Some(Formula { kind, span })
    }

    fn operator(&mut self, operator: Operator, arguments: &[Argument], syntax: &Syntax) -> Option<Kind> {
        let span = syntax.span;
        Some(match (operator, arguments) {
            (Operator::Until, [Argument::Part(left), Argument::Part(right)]) => {
                let (left, right) = (self.formula(left), self.formula(right));
                until(left?, right?)
            }
            (Operator::Between, [Argument::Part(first), Argument::Part(second), window]) => {
                let (first, second) = (self.formula(first), self.formula(second));
                let (reach, _) = length(window)?;
                between(first?, second?, reach, span)
            }
            (Operator::Within, [Argument::Part(of), window]) => {
                let of = self.formula(of)?;
                let (reach, place) = length(window)?;
                unary(Unary::Eventually, up_to(reach, place), of)
            }
            (Operator::InFuture, [Argument::Part(of), window]) => {
                let of = Box::new(self.formula(of)?);
                Kind::InFuture { reach: length(window)?.0, of }
            }
            (Operator::Becomes, [Argument::Part(of)]) => becomes(self.formula(of)?),
            (Operator::Always, [Argument::Part(of)]) => unary(Unary::Always, Bounds::ANY, self.formula(of)?),
            (Operator::Eventually, [Argument::Part(of)]) => unary(Unary::Eventually, Bounds::ANY, self.formula(of)?),
            (Operator::OnEvent, _) => Kind::OnEvent(self.occurrence(syntax)?),
            _ => return None,
        })
    }

    fn term(&mut self, syntax: &Syntax) -> Option<Term> {
        let span = syntax.span;
        let kind = match syntax.kind.as_ref() {
            syntax::Kind::Missing => return None,
            syntax::Kind::Constant(value) => TermKind::Literal(Value::Bool(*value)),
            syntax::Kind::Literal(value) => TermKind::Literal(value.clone()),
            syntax::Kind::Time(quantity) => TermKind::Time(*quantity),
            syntax::Kind::Variable(reference) => TermKind::Variable(reference.clone()),
            syntax::Kind::Operation(operation, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                TermKind::Operation(*operation, Box::new(left?), Box::new(right?))
            }
            syntax::Kind::Call(operator, arguments) if operator.is_value() => self.function(*operator, arguments)?,
            syntax::Kind::Name(atom) => {
                mismatch::bare_variable(self.cursor, atom);
                return None;
            }
            _ => {
                mismatch::no_value(self.cursor, syntax);
                return None;
            }
        };
        Some(Term { kind, span })
    }

    fn function(&mut self, operator: Operator, arguments: &[Argument]) -> Option<TermKind> {
        Some(match (operator, arguments) {
            (Operator::Past, [Argument::Part(of), Argument::Part(event), back]) => {
                let (of, event) = (self.term(of), self.occurrence(event));
                let Argument::Times(back) = back else { return None };
                TermKind::Past { of: Box::new(of?), event: event?, back: *back }
            }
            (Operator::Count, [Argument::Part(of), window]) => {
                let of = Box::new(self.formula(of)?);
                TermKind::Count { of, window: length(window)?.0 }
            }
            (Operator::Fold(fold), [Argument::Part(of), window]) => {
                let of = Box::new(self.term(of)?);
                TermKind::Fold { fold, of, window: length(window)?.0 }
            }
            (Operator::Elapsed, [Argument::Part(event)]) => TermKind::Elapsed(self.occurrence(event)?),
            _ => return None,
        })
    }

    /// `onEvent(X)`
    fn occurrence(&mut self, syntax: &Syntax) -> Option<Occurrence> {
        match syntax.kind.as_ref() {
            syntax::Kind::Missing => None,
            syntax::Kind::Call(Operator::OnEvent, arguments) => {
                let [Argument::Event(atom)] = arguments.as_slice() else { return None };
                let event = self.atom(atom)?;
                Some(Occurrence { activity: activity(atom, &event), event, span: syntax.span })
            }
            syntax::Kind::Name(atom) => {
                mismatch::bare_event(self.cursor, atom);
                None
            }
            _ => {
                mismatch::no_event(self.cursor, syntax);
                None
            }
        }
    }

    fn atom(&mut self, atom: &AtomSyntax) -> Option<Atom> {
        atom.lower(|span| {
            self.cursor.report(no_variables(self.cursor.slice(span), span, "ALBERT"));
            None
        })
    }
}

/// The activity whose start or end a name may stand for.
fn activity(written: &AtomSyntax, event: &Atom) -> Option<(Moment, Atom)> {
    let start = event.name.strip_prefix("start_").map(|name| (Moment::Start, name));
    let (moment, name) = start.or_else(|| event.name.strip_prefix("end_").map(|name| (Moment::End, name)))?;
    if name.is_empty() {
        return None;
    }
    let mut activity = Atom { name: name.to_owned(), ..event.clone() };
    if !written.quoted {
        activity.name_span.start = activity.name_span.end - name.len() as u32;
    }
    Some((moment, activity))
}

fn length(argument: &Argument) -> Option<(Quantity, Span)> {
    match argument {
        Argument::Window(quantity, span) => Some((*quantity, *span)),
        _ => None,
    }
}

/// `[0,K]`
fn up_to(reach: Quantity, span: Span) -> Bounds {
    Bounds { hi: Some(reach), hi_closed: true, span: Some(span), ..Bounds::ANY }
}

fn unary(operator: Unary, interval: Bounds, of: Formula) -> Kind {
    Kind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of) }
}

fn until(left: Formula, right: Formula) -> Kind {
    let (left, right) = (Box::new(left), Box::new(right));
    Kind::Binary { operator: Binary::Until, strict: false, interval: Bounds::ANY, left, right }
}

fn and(left: Formula, right: Formula) -> Kind {
    Kind::Connective(Connective::And, Box::new(left), Box::new(right))
}

fn not(of: Formula) -> Formula {
    Formula { span: of.span, kind: Kind::Not(Box::new(of)) }
}

/// RULE D17: c now, and not in the state before.
fn becomes(of: Formula) -> Kind {
    let span = of.span;
    let before = Formula { kind: unary(Unary::Previous, Bounds::ANY, not(of.clone())), span };
    and(of, before)
}

/// RULE D18: g some time after the next f, however far away that is.
fn between(first: Formula, second: Formula, reach: Quantity, span: Span) -> Kind {
    let later = Formula { kind: Kind::InFuture { reach, of: Box::new(second) }, span };
    let right = Formula { kind: and(first.clone(), later), span };
    until(not(first), right)
}
