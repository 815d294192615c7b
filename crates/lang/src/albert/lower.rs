// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers [`Syntax`] to the shared [`Formula`] and [`Term`].
//!
//! The syntax tree does not distinguish formulae from values, because parentheses hold either. Lowering knows from the
//! context which of the two a part must be, and reports a part that is the other.

use gnomon_core::{Diagnostic, Quantity, Span, Value};
use gnomon_ir::atom::Atom;
use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::term::{ActivityPhase, Occurrence, Term, TermKind};

use super::operator::{Function, Operator};
use super::syntax::{AlbertForm, CallArgument, Syntax, is_value};
use crate::syntax::{AtomSyntax, Cursor, Lower, SyntaxKind, no_variables};

/// Lowers a tree, with an implicit "in every state" around it; `None` if a part of it is missing, which has been
/// reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: &Syntax) -> Option<Formula> {
    let body = Lowering { cursor }.formula(syntax)?;
    Some(Formula { span: body.span, kind: unary(Unary::Always, Bounds::ANY, body) })
}

struct Lowering<'c, 's> {
    cursor: &'c mut Cursor<'s>,
}

impl Lower<AlbertForm> for Lowering<'_, '_> {
    fn atom(&mut self, atom: &AtomSyntax) -> Option<FormulaKind> {
        bare_event(self.cursor, atom);
        None
    }

    fn own(&mut self, form: &AlbertForm, syntax: &Syntax) -> Option<Formula> {
        let kind = match form {
            AlbertForm::Compare(left, comparison, right) => {
                let (left, right) = (self.term(left), self.term(right));
                FormulaKind::Compare(Box::new(left?), *comparison, Box::new(right?))
            }
            AlbertForm::Each { kind, variable, list, of } => {
                let of = Box::new(self.formula(of)?);
                FormulaKind::Each { kind: *kind, variable: variable.clone(), list: list.clone(), of }
            }
            AlbertForm::Call(operator, arguments) if !operator.is_value() => {
                self.operator(*operator, arguments, syntax)?
            }
            _ => {
                no_formula(self.cursor, syntax);
                return None;
            }
        };
        Some(Formula { kind, span: syntax.span })
    }
}

impl Lowering<'_, '_> {
    fn operator(&mut self, operator: Function, arguments: &[CallArgument], syntax: &Syntax) -> Option<FormulaKind> {
        let span = syntax.span;
        Some(match (operator, arguments) {
            (Function::Until, [CallArgument::Part(left), CallArgument::Part(right)]) => {
                let (left, right) = (self.formula(left), self.formula(right));
                until(left?, right?)
            }
            (Function::Between, [CallArgument::Part(first), CallArgument::Part(second), window]) => {
                let (first, second) = (self.formula(first), self.formula(second));
                let (reach, _) = length(window)?;
                between(first?, second?, reach, span)
            }
            (Function::Within, [CallArgument::Part(of), window]) => {
                let of = self.formula(of)?;
                let (reach, place) = length(window)?;
                unary(Unary::Eventually, Bounds { span: Some(place), ..Bounds::up_to(reach) }, of)
            }
            (Function::InFuture, [CallArgument::Part(of), window]) => {
                let of = Box::new(self.formula(of)?);
                FormulaKind::InFuture { reach: length(window)?.0, of }
            }
            (Function::Becomes, [CallArgument::Part(of)]) => becomes(self.formula(of)?),
            (Function::Always, [CallArgument::Part(of)]) => unary(Unary::Always, Bounds::ANY, self.formula(of)?),
            (Function::Eventually, [CallArgument::Part(of)]) => {
                unary(Unary::Eventually, Bounds::ANY, self.formula(of)?)
            }
            (Function::OnEvent, _) => FormulaKind::OnEvent(self.occurrence(syntax)?),
            _ => return None,
        })
    }

    fn term(&mut self, syntax: &Syntax) -> Option<Term> {
        let kind = match syntax.kind.as_ref() {
            SyntaxKind::Missing => return None,
            SyntaxKind::Constant(value) => TermKind::Literal(Value::Bool(*value)),
            SyntaxKind::Own(AlbertForm::Literal(value)) => TermKind::Literal(value.clone()),
            SyntaxKind::Own(AlbertForm::Time(quantity)) => TermKind::Time(*quantity),
            SyntaxKind::Own(AlbertForm::Variable(reference)) => TermKind::Variable(reference.clone()),
            SyntaxKind::Own(AlbertForm::Operation(operation, left, right)) => {
                let (left, right) = (self.term(left), self.term(right));
                TermKind::Operation(*operation, Box::new(left?), Box::new(right?))
            }
            SyntaxKind::Own(AlbertForm::Call(operator, arguments)) if operator.is_value() => {
                self.function(*operator, arguments)?
            }
            SyntaxKind::Atom(atom) => {
                bare_variable(self.cursor, atom);
                return None;
            }
            _ => {
                no_value(self.cursor, syntax);
                return None;
            }
        };
        Some(Term { kind, span: syntax.span })
    }

    fn function(&mut self, operator: Function, arguments: &[CallArgument]) -> Option<TermKind> {
        Some(match (operator, arguments) {
            (Function::Past, [CallArgument::Part(of), CallArgument::Part(event), back]) => {
                let (of, event) = (self.term(of), self.occurrence(event));
                let CallArgument::Times(back) = back else { return None };
                TermKind::Past { of: Box::new(of?), event: event?, back: *back }
            }
            (Function::Count, [CallArgument::Part(of), window]) => {
                let of = Box::new(self.formula(of)?);
                TermKind::Count { of, window: length(window)?.0 }
            }
            (Function::Fold(fold), [CallArgument::Part(of), window]) => {
                let of = Box::new(self.term(of)?);
                TermKind::Fold { fold, of, window: length(window)?.0 }
            }
            (Function::Elapsed, [CallArgument::Part(event)]) => TermKind::Elapsed(self.occurrence(event)?),
            _ => return None,
        })
    }

    /// Lowers `onEvent(X)`.
    fn occurrence(&mut self, syntax: &Syntax) -> Option<Occurrence> {
        match syntax.kind.as_ref() {
            SyntaxKind::Missing => {}
            SyntaxKind::Own(AlbertForm::Call(Function::OnEvent, arguments)) => {
                let [CallArgument::Event(atom)] = arguments.as_slice() else { return None };
                let event = atom.lower(|span| {
                    self.cursor.report(no_variables(self.cursor.slice(span), span, "ALBERT"));
                    None
                })?;
                return Some(Occurrence { activity: activity(atom, &event), event, span: syntax.span });
            }
            SyntaxKind::Atom(atom) => bare_event(self.cursor, atom),
            _ => no_event(self.cursor, syntax),
        }
        None
    }
}

/// Returns the activity whose start or end a name may denote: `start_X` the start of X, `end_X` its end.
fn activity(written: &AtomSyntax, event: &Atom) -> Option<(ActivityPhase, Atom)> {
    let start = event.name.strip_prefix("start_").map(|name| (ActivityPhase::Start, name));
    let (phase, name) = start.or_else(|| event.name.strip_prefix("end_").map(|name| (ActivityPhase::End, name)))?;
    if name.is_empty() {
        return None;
    }
    let mut activity = Atom { name: name.to_owned(), ..event.clone() };
    if !written.quoted {
        activity.name_span.start = activity.name_span.end - name.len() as u32;
    }
    Some((phase, activity))
}

fn length(argument: &CallArgument) -> Option<(Quantity, Span)> {
    match argument {
        CallArgument::Window(quantity, span) => Some((*quantity, *span)),
        _ => None,
    }
}

/// Returns the interval `[0,K]`.
fn unary(operator: Unary, interval: Bounds, of: Formula) -> FormulaKind {
    FormulaKind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of) }
}

fn until(left: Formula, right: Formula) -> FormulaKind {
    let (left, right) = (Box::new(left), Box::new(right));
    FormulaKind::Binary { operator: Binary::Until, strict: false, interval: Bounds::ANY, left, right }
}

fn and(left: Formula, right: Formula) -> FormulaKind {
    FormulaKind::Connective(Connective::And, Box::new(left), Box::new(right))
}

fn not(of: Formula) -> Formula {
    Formula { span: of.span, kind: FormulaKind::Not(Box::new(of)) }
}

/// RULE D17: `Becomes(c)` is c now, and not in the state before.
fn becomes(of: Formula) -> FormulaKind {
    let span = of.span;
    let before = Formula { kind: unary(Unary::Previous, Bounds::ANY, not(of.clone())), span };
    and(of, before)
}

/// RULE D18: `Between(f, g, K)` asks for g some time after the next f, however far away that is.
fn between(first: Formula, second: Formula, reach: Quantity, span: Span) -> FormulaKind {
    let later = Formula { kind: FormulaKind::InFuture { reach, of: Box::new(second) }, span };
    let right = Formula { kind: and(first.clone(), later), span };
    until(not(first), right)
}

/// Returns true if a tree is certainly a formula.
pub(super) fn is_formula(syntax: &Syntax) -> bool {
    match syntax.kind.as_ref() {
        SyntaxKind::Not(_) | SyntaxKind::Connective(..) => true,
        SyntaxKind::Own(AlbertForm::Compare(..) | AlbertForm::Each { .. } | AlbertForm::Call(..)) => !is_value(syntax),
        _ => false,
    }
}

/// Reports a value where a formula should be.
#[inline(never)]
pub(super) fn no_formula(cursor: &mut Cursor<'_>, syntax: &Syntax) {
    let written = cursor.slice(syntax.outer).to_owned();
    let diagnostic = Diagnostic::error("G0135", syntax.outer, "expected a formula, found a value")
        .label("something that is true or false is expected here");
    cursor.report(match syntax.own() {
        Some(AlbertForm::Variable(_)) => {
            diagnostic.edit("compare it with something", syntax.outer, format!("({written} = true)"))
        }
        Some(AlbertForm::Literal(Value::Text(_))) => diagnostic.edit(
            "an event of that name is written with `onEvent`",
            syntax.outer,
            format!("onEvent({written})"),
        ),
        _ => diagnostic.help(format!("compare it with something, as in `{written} > 0`")),
    });
}

/// Reports a formula where a value should be.
#[inline(never)]
pub(super) fn no_value(cursor: &mut Cursor<'_>, syntax: &Syntax) {
    let diagnostic = Diagnostic::error("G0135", syntax.outer, "expected a value, found a formula")
        .label("a number, a text or a similar value is expected here");
    cursor.report(match syntax.own() {
        Some(AlbertForm::Call(Function::OnEvent, _)) => {
            let written = cursor.slice(syntax.span);
            diagnostic.help(format!("count it: `count({written}, 60)`; formulae are joined with `&& || -> <->`"))
        }
        _ => diagnostic.help("values are variables, literals, functions such as `max($x, 60)`, and `+ - * /` of them"),
    });
}

/// Reports a tree that is not `onEvent(X)`.
#[inline(never)]
pub(super) fn no_event(cursor: &mut Cursor<'_>, syntax: &Syntax) {
    cursor.report(
        Diagnostic::error("G0135", syntax.outer, "expected an event")
            .label("`onEvent(X)` is expected here")
            .help("`past` and `elapsed` refer to states in which an event occurs: `elapsed(onEvent(Pay))`"),
    );
}

/// Reports a name that is not a formula.
#[inline(never)]
pub(super) fn bare_event(cursor: &mut Cursor<'_>, atom: &AtomSyntax) {
    if unknown_function(cursor, atom) {
        return;
    }
    let written = cursor.slice(atom.span);
    let meant = format!("onEvent({written})");
    cursor.report(
        Diagnostic::error("G0134", atom.span, format!("`{written}` alone is not a formula"))
            .label("an event, or a variable that is compared, is expected")
            .edit(format!("write an event as `{meant}`, a variable as `${}`", atom.name), atom.span, meant),
    );
}

/// Reports a name with parameters that is a misspelt operator. Returns false if it is not one.
fn unknown_function(cursor: &mut Cursor<'_>, atom: &AtomSyntax) -> bool {
    let meant = Operator::meant(&atom.name).filter(|_| atom.arguments.is_some() && !atom.quoted);
    let Some(Operator { word, .. }) = meant else { return false };
    cursor.report(
        Diagnostic::error("G0133", atom.name_span, format!("unknown function `{}`; did you mean `{word}`?", atom.name))
            .label("not an operator or a function")
            .edit(format!("write `{word}`"), atom.name_span, *word),
    );
    true
}

/// Reports a name that is not a value.
#[inline(never)]
pub(super) fn bare_variable(cursor: &mut Cursor<'_>, atom: &AtomSyntax) {
    if unknown_function(cursor, atom) {
        return;
    }
    if atom.arguments.is_some() {
        cursor.report(
            Diagnostic::error("G0133", atom.name_span, format!("unknown function `{}`", atom.name))
                .label("not a function")
                .help("the functions are `past count sum avg min max elapsed`"),
        );
        return;
    }
    let (written, name) = (cursor.slice(atom.span), cursor.slice(atom.name_span));
    let diagnostic = Diagnostic::error("G0134", atom.span, format!("`{written}` is not a value"));
    cursor.report(if atom.condition.is_some() {
        diagnostic.label("not a function").help("the functions are `past count sum avg min max elapsed`")
    } else {
        diagnostic.label("a variable is written with `$`, a text in quotes").edit(
            format!("write a variable as `${name}`, a text as `\"{name}\"`"),
            atom.span,
            format!("${name}"),
        )
    });
}
