// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae over states by hand: events, values, and the operators that other languages do not have.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::Quantity;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::Atom;
use gnomon_ir::formula::{Binary, Bounds, Connective, Fold, Formula, FormulaKind, Unary};
use gnomon_ir::spec::QuantifierKind;
use gnomon_ir::term::{ActivityPhase, Occurrence, Operation, Reference, Term, TermKind};

use super::{and, binary, formula, inclusive, interval, not, unary, variable};

/// `onEvent(name)`; a name that begins with `start_` or `end_` may stand for an end of an activity.
pub fn occurrence(event: Atom) -> Occurrence {
    let activity = |prefix: &str, phase| {
        let name = event.name.strip_prefix(prefix)?.to_owned();
        Some((phase, Atom { name, ..event.clone() }))
    };
    let activity = activity("start_", ActivityPhase::Start).or_else(|| activity("end_", ActivityPhase::End));
    Occurrence { event, activity, span: Span::default() }
}

/// An event of this name, whatever its fields.
pub fn named(name: &str) -> Atom {
    let span = Span::default();
    Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span }
}

/// `onEvent(name)`
pub fn on(name: &str) -> Formula {
    formula(FormulaKind::OnEvent(occurrence(named(name))))
}

/// A term of this kind that stands nowhere.
pub fn term(kind: TermKind) -> Term {
    Term { kind, span: Span::default() }
}

/// A whole number.
pub fn number(number: i64) -> Term {
    term(TermKind::Literal(Value::Number(Number::Int(number))))
}

/// `$name/step`
pub fn reference(name: &str, steps: &[&str]) -> Reference {
    let steps = steps.iter().map(|step| (*step).to_owned()).collect();
    Reference { name: name.to_owned(), steps, span: Span::default() }
}

/// `$name`
pub fn value(name: &str) -> Term {
    term(TermKind::Variable(reference(name, &[])))
}

/// `left op right`
pub fn operation(operation: Operation, left: Term, right: Term) -> Term {
    term(TermKind::Operation(operation, Box::new(left), Box::new(right)))
}

/// `past(of, onEvent(event), back)`
pub fn past(of: Term, event: Occurrence, back: u64) -> Term {
    term(TermKind::Past { of: Box::new(of), event, back })
}

/// `count(of, window)`
pub fn count(of: Formula, window: i64) -> Term {
    term(TermKind::Count { of: Box::new(of), window: Quantity::whole(window) })
}

/// `sum(of, window)` and the like
pub fn fold(fold: Fold, of: Term, window: i64) -> Term {
    term(TermKind::Fold { fold, of: Box::new(of), window: Quantity::whole(window) })
}

/// `left comparison right`
pub fn compare(left: Term, comparison: Comparison, right: Term) -> Formula {
    formula(FormulaKind::Compare(Box::new(left), comparison, Box::new(right)))
}

/// `InFuture(of, reach)`
pub fn in_future(of: Formula, reach: i64) -> Formula {
    formula(FormulaKind::InFuture { reach: Quantity::whole(reach), of: Box::new(of) })
}

/// `(forall name in list; of)`
pub fn each(kind: QuantifierKind, name: &str, list: Reference, of: Formula) -> Formula {
    formula(FormulaKind::Each { kind, variable: variable(name), list, of: Box::new(of) })
}

/// `Always(of)`
pub fn always(of: Formula) -> Formula {
    inclusive(unary(Unary::Always, 1, Bounds::ANY, of))
}

/// `Eventually(of)`
pub fn eventually(of: Formula) -> Formula {
    inclusive(unary(Unary::Eventually, 1, Bounds::ANY, of))
}

/// `Within(of, reach)`
pub fn within(of: Formula, reach: i64) -> Formula {
    inclusive(unary(Unary::Eventually, 1, interval((0, true), Some((reach, true))), of))
}

/// `Until(left, right)`
pub fn until(left: Formula, right: Formula) -> Formula {
    inclusive(binary(Binary::Until, Bounds::ANY, left, right))
}

/// `Between(from, to, reach)`
// RULE D18
pub fn between(from: Formula, to: Formula, reach: i64) -> Formula {
    until(not(from.clone()), and(from, in_future(to, reach)))
}

/// `Becomes(of)`
// RULE D17
pub fn becomes(of: Formula) -> Formula {
    and(of.clone(), inclusive(unary(Unary::Previous, 1, Bounds::ANY, not(of))))
}

/// Returns the condition of a `Becomes`, if the formula has that form.
pub fn condition_of_becomes(formula: &Formula) -> Option<&Formula> {
    let FormulaKind::Connective(Connective::And, now, before) = &formula.kind else { return None };
    let FormulaKind::Unary { operator: Unary::Previous, of, .. } = &before.kind else { return None };
    matches!(&of.kind, FormulaKind::Not(was) if same(was, now)).then_some(now)
}

/// Returns true if two formulae have the same text.
fn same(left: &Formula, right: &Formula) -> bool {
    crate::print::albert(left) == crate::print::albert(right)
}
