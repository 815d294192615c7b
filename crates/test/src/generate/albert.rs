// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random formulae over states.

use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::{Argument, Atom, Condition};
use gnomon_ir::formula::{Connective, Fold, Formula, FormulaKind};
use gnomon_ir::spec::{QuantifierKind, Spec};
use gnomon_ir::term::{Occurrence, Operation, Term, TermKind};

use crate::build::state::{
    always, becomes, between, compare, count, each, eventually, fold, in_future, named, occurrence, operation, past,
    reference, term, until, value, within,
};
use crate::build::{connective, constant, declaration, formula, not, path};
use crate::choices::Choices;
use crate::generate::data::great_number;

/// A property: mostly something that follows from something else.
pub(super) fn property(choices: &mut Choices) -> Formula {
    let depth = *choices.pick(&[0, 1, 1, 1, 2, 2, 2, 3]);
    let body = if choices.one_in(3) {
        any(choices, depth)
    } else {
        let asked = if choices.one_in(4) { any(choices, 1) } else { state(choices, 1) };
        connective(Connective::Implies, asked, any(choices, depth))
    };
    always(body)
}

fn any(choices: &mut Choices, depth: usize) -> Formula {
    if depth == 0 {
        return state(choices, 1);
    }
    let inner = |choices: &mut Choices| {
        let depth = if choices.one_in(4) { 0 } else { depth - 1 };
        any(choices, depth)
    };
    match choices.below(20) {
        0 => state(choices, 2),
        1 | 2 => not(inner(choices)),
        3..=5 => {
            let which = *choices.pick(&[Connective::And, Connective::Or, Connective::Or, Connective::Implies]);
            connective(which, inner(choices), inner(choices))
        }
        6..=8 => until(inner(choices), inner(choices)),
        9..=11 => within(inner(choices), reach(choices)),
        12..=14 => in_future(inner(choices), reach(choices)),
        15 => between(state(choices, 1), inner(choices), reach(choices)),
        16 => eventually(inner(choices)),
        17 => always(inner(choices)),
        _ => becomes(state(choices, 1)),
    }
}

fn reach(choices: &mut Choices) -> i64 {
    choices.between(0, 6)
}

/// Something about one state; the start of an activity waits for the next.
fn state(choices: &mut Choices, depth: usize) -> Formula {
    match choices.below(12) {
        0 if depth > 0 => not(state(choices, depth - 1)),
        1 | 2 if depth > 0 => {
            let which = *choices.pick(&[Connective::And, Connective::Or, Connective::Implies]);
            connective(which, state(choices, depth - 1), state(choices, depth - 1))
        }
        3 if choices.one_in(6) => constant(choices.one_in(2)),
        4..=6 => formula(FormulaKind::OnEvent(event(choices))),
        _ => at_once(choices, depth, &[], UnrelatedPart::Any),
    }
}

/// The parts allowed inside a quantified formula that do not mention its element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnrelatedPart {
    /// Anything.
    Any,
    /// A condition that the next state decides; it is counted.
    Counted,
}

/// Generates the argument of `count`: a condition decided in its state, or by the next one.
fn counted(choices: &mut Choices, depth: usize) -> Formula {
    match choices.below(6) {
        0 => formula(FormulaKind::OnEvent(event(choices))),
        1 => becomes(formula(FormulaKind::OnEvent(event(choices)))),
        _ => at_once(choices, depth, &[], UnrelatedPart::Counted),
    }
}

/// Something about one state that is known in it, where these stand for elements of lists; among elements also what looks
/// at other states and does not refer to them.
fn at_once(choices: &mut Choices, depth: usize, elements: &[&'static str], unrelated: UnrelatedPart) -> Formula {
    if !elements.is_empty() && choices.one_in(6) {
        return match (unrelated, choices.below(3)) {
            (UnrelatedPart::Any, 0 | 1) => any(choices, 1),
            (UnrelatedPart::Counted, 0) => becomes(formula(FormulaKind::OnEvent(event(choices)))),
            _ => formula(FormulaKind::OnEvent(event(choices))),
        };
    }
    let inner = |choices: &mut Choices| at_once(choices, depth - 1, elements, unrelated);
    match choices.below(12) {
        0 if depth > 0 => not(inner(choices)),
        1 | 2 if depth > 0 => {
            let which = *choices.pick(&[Connective::And, Connective::Or, Connective::Implies]);
            connective(which, inner(choices), inner(choices))
        }
        3 | 4 if elements.len() < 2 => {
            let kind = *choices.pick(&[QuantifierKind::Forall, QuantifierKind::Exists]);
            // Now and then the inner one hides the outer one.
            let name = if choices.one_in(8) { "q" } else { ["q", "r"][elements.len()] };
            let list = match elements.last() {
                Some(outer) if choices.one_in(2) => reference(outer, &["l"]),
                _ if choices.one_in(10) => reference(choices.pick::<&str>(&["v", "m"]), &[]),
                _ => reference("l", &[]),
            };
            let elements = [elements, &[name]].concat();
            each(kind, name, list, at_once(choices, depth.max(1), &elements, unrelated))
        }
        5 => formula(FormulaKind::OnEvent(past_event(choices))),
        _ => comparison(choices, depth.min(1) + 1, elements),
    }
}

fn comparison(choices: &mut Choices, depth: usize, elements: &[&'static str]) -> Formula {
    let left = match elements {
        [] => any_term(choices, depth, elements),
        // What is about no element could stand outside.
        elements => {
            let name = *choices.pick(elements);
            let steps: &[&str] = if choices.one_in(2) { &["p"] } else { &[] };
            term(TermKind::Variable(reference(name, steps)))
        }
    };
    let right = if choices.one_in(2) { literal(choices) } else { any_term(choices, 1, elements) };
    let (left, right) = if choices.one_in(5) { (right, left) } else { (left, right) };
    compare(left, *choices.pick(&Comparison::ALL), right)
}

fn literal(choices: &mut Choices) -> Term {
    let value = match choices.below(12) {
        0 => Value::Null,
        1 => Value::Bool(choices.one_in(2)),
        2 => Value::Text((*choices.pick(&["x", "y", "1"])).into()),
        3 => Value::Number(Number::from_parts(choices.between(-5, 25).into(), 1).unwrap_or(Number::Int(0))),
        4 => Value::Number(great_number(choices)),
        _ => Value::Number(Number::Int(choices.between(0, 3))),
    };
    term(TermKind::Literal(value))
}

fn any_term(choices: &mut Choices, depth: usize, elements: &[&'static str]) -> Term {
    let window = choices.between(0, 8);
    if depth == 0 {
        return match choices.below(4) {
            0 => literal(choices),
            _ => variable(choices),
        };
    }
    match choices.below(16) {
        0 | 1 => literal(choices),
        2..=4 => variable(choices),
        5..=7 => {
            let which = *choices.pick(&[Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide]);
            operation(which, any_term(choices, depth - 1, elements), any_term(choices, depth - 1, elements))
        }
        8 | 9 => past(any_term(choices, depth - 1, &[]), event(choices), *choices.pick(&[1, 1, 1, 2, 2, 3])),
        10 | 11 => count(counted(choices, depth - 1), window),
        12 | 13 => {
            let which = *choices.pick(&[Fold::Sum, Fold::Mean, Fold::Least, Fold::Greatest]);
            fold(which, any_term(choices, depth - 1, &[]), window)
        }
        14 if !elements.is_empty() => term(TermKind::Variable(reference(elements[elements.len() - 1], &[]))),
        _ => term(TermKind::Elapsed(event(choices))),
    }
}

fn variable(choices: &mut Choices) -> Term {
    match choices.below(10) {
        0..=4 => value("v"),
        5..=7 => value("w"),
        8 => term(TermKind::Variable(reference("m", &["k"]))),
        _ => term(TermKind::Variable(reference("l", &[choices.pick::<&str>(&["0", "1", "k"])]))),
    }
}

/// An event, or an end of an activity.
fn event(choices: &mut Choices) -> Occurrence {
    match choices.below(6) {
        0 | 1 => occurrence(atom(choices, &["start_a", "start_b", "start_a", "start_b", "start_c", "start_d"])),
        _ => past_event(choices),
    }
}

/// An event, or the end of an activity, or a start that is declared.
fn past_event(choices: &mut Choices) -> Occurrence {
    let names = ["a", "a", "b", "b", "c", "end_a", "end_b", "end_d", "d", "end_c", "start_c"];
    occurrence(atom(choices, &names))
}

fn atom(choices: &mut Choices, names: &[&str]) -> Atom {
    let mut atom = named(choices.pick::<&str>(names));
    match choices.below(10) {
        0 => {
            let two = Value::Number(Number::Int(2));
            atom.condition = Some(Condition::Compare(path("v"), *choices.pick(&Comparison::ALL), two));
        }
        1 if !atom.name.ends_with('c') => atom.arguments = Some(vec![Argument::Any]),
        _ => {}
    }
    atom
}

/// `event start_c = c[v >= 1]` and `event end_c = b`: names that are not ends of activities.
pub(super) fn declare(spec: &mut Spec) {
    let one = Value::Number(Number::Int(1));
    let condition = Condition::Compare(path("v"), Comparison::AtLeast, one);
    spec.events.extend([declaration("start_c", "c", Some(condition)), declaration("end_c", "b", None)]);
}
