// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random formulae over states.

use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::{Connective, Fold, Formula, Kind};
use gnomon_ir::pattern::{Argument, Atom, Condition};
use gnomon_ir::spec::{QuantifierKind, Spec};
use gnomon_ir::term::{Occurrence, Operation, Term, TermKind};

use crate::build::state::{
    always, becomes, between, compare, count, each, eventually, fold, in_future, named, occurrence, operation, past,
    reference, term, until, value, within,
};
use crate::build::{connective, constant, declaration, formula, not, path};
use crate::random::Random;

/// A property: mostly something that follows from something else.
pub(super) fn property(random: &mut Random) -> Formula {
    let depth = *random.pick(&[0, 1, 1, 1, 2, 2, 2, 3]);
    let body = if random.one_in(3) {
        any(random, depth)
    } else {
        let asked = if random.one_in(4) { any(random, 1) } else { state(random, 1) };
        connective(Connective::Implies, asked, any(random, depth))
    };
    always(body)
}

fn any(random: &mut Random, depth: usize) -> Formula {
    if depth == 0 {
        return state(random, 1);
    }
    let inner = |random: &mut Random| {
        let depth = if random.one_in(4) { 0 } else { depth - 1 };
        any(random, depth)
    };
    match random.below(20) {
        0 => state(random, 2),
        1 | 2 => not(inner(random)),
        3..=5 => {
            let which = *random.pick(&[Connective::And, Connective::Or, Connective::Or, Connective::Implies]);
            connective(which, inner(random), inner(random))
        }
        6..=8 => until(inner(random), inner(random)),
        9..=11 => within(inner(random), reach(random)),
        12..=14 => in_future(inner(random), reach(random)),
        15 => between(state(random, 1), inner(random), reach(random)),
        16 => eventually(inner(random)),
        17 => always(inner(random)),
        _ => becomes(state(random, 1)),
    }
}

fn reach(random: &mut Random) -> i64 {
    random.between(0, 6)
}

/// Something about one state; the start of an activity waits for the next.
fn state(random: &mut Random, depth: usize) -> Formula {
    match random.below(12) {
        0 if depth > 0 => not(state(random, depth - 1)),
        1 | 2 if depth > 0 => {
            let which = *random.pick(&[Connective::And, Connective::Or, Connective::Implies]);
            connective(which, state(random, depth - 1), state(random, depth - 1))
        }
        3 if random.one_in(6) => constant(random.one_in(2)),
        4..=6 => formula(Kind::OnEvent(event(random))),
        _ => at_once(random, depth, &[], Aside::Any),
    }
}

/// What may stand among the elements of a list besides what speaks of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aside {
    /// Anything.
    Any,
    /// What is known with the next state: it is counted.
    Counted,
}

/// What `count` counts: something that is known in its state, or with the next.
fn counted(random: &mut Random, depth: usize) -> Formula {
    match random.below(6) {
        0 => formula(Kind::OnEvent(event(random))),
        1 => becomes(formula(Kind::OnEvent(event(random)))),
        _ => at_once(random, depth, &[], Aside::Counted),
    }
}

/// Something about one state that is known in it, where these stand for elements of lists; among elements also what looks
/// at other states and does not speak of them.
fn at_once(random: &mut Random, depth: usize, elements: &[&'static str], aside: Aside) -> Formula {
    if !elements.is_empty() && random.one_in(6) {
        return match (aside, random.below(3)) {
            (Aside::Any, 0 | 1) => any(random, 1),
            (Aside::Counted, 0) => becomes(formula(Kind::OnEvent(event(random)))),
            _ => formula(Kind::OnEvent(event(random))),
        };
    }
    let inner = |random: &mut Random| at_once(random, depth - 1, elements, aside);
    match random.below(12) {
        0 if depth > 0 => not(inner(random)),
        1 | 2 if depth > 0 => {
            let which = *random.pick(&[Connective::And, Connective::Or, Connective::Implies]);
            connective(which, inner(random), inner(random))
        }
        3 | 4 if elements.len() < 2 => {
            let kind = *random.pick(&[QuantifierKind::Forall, QuantifierKind::Exists]);
            // Now and then the inner one hides the outer one.
            let name = if random.one_in(8) { "q" } else { ["q", "r"][elements.len()] };
            let list = match elements.last() {
                Some(outer) if random.one_in(2) => reference(outer, &["l"]),
                _ if random.one_in(10) => reference(random.pick::<&str>(&["v", "m"]), &[]),
                _ => reference("l", &[]),
            };
            let elements = [elements, &[name]].concat();
            each(kind, name, list, at_once(random, depth.max(1), &elements, aside))
        }
        5 => formula(Kind::OnEvent(past_event(random))),
        _ => comparison(random, depth.min(1) + 1, elements),
    }
}

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::AtMost,
    Comparison::Greater,
    Comparison::AtLeast,
];

fn comparison(random: &mut Random, depth: usize, elements: &[&'static str]) -> Formula {
    let left = match elements {
        [] => any_term(random, depth, elements),
        // What is about no element could stand outside.
        elements => {
            let name = *random.pick(elements);
            let steps: &[&str] = if random.one_in(2) { &["p"] } else { &[] };
            term(TermKind::Variable(reference(name, steps)))
        }
    };
    let right = if random.one_in(2) { literal(random) } else { any_term(random, 1, elements) };
    let (left, right) = if random.one_in(5) { (right, left) } else { (left, right) };
    compare(left, *random.pick(&COMPARISONS), right)
}

fn literal(random: &mut Random) -> Term {
    let value = match random.below(12) {
        0 => Value::Null,
        1 => Value::Bool(random.one_in(2)),
        2 => Value::Text((*random.pick(&["x", "y", "1"])).into()),
        3 => Value::Number(Number::Decimal { mantissa: random.between(-5, 25), scale: 1 }),
        4 => Value::Number(Number::Float(0.5)),
        _ => Value::Number(Number::Int(random.between(0, 3))),
    };
    term(TermKind::Literal(value))
}

fn any_term(random: &mut Random, depth: usize, elements: &[&'static str]) -> Term {
    let window = random.between(0, 8);
    if depth == 0 {
        return match random.below(4) {
            0 => literal(random),
            _ => variable(random),
        };
    }
    match random.below(16) {
        0 | 1 => literal(random),
        2..=4 => variable(random),
        5..=7 => {
            let which = *random.pick(&[Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide]);
            operation(which, any_term(random, depth - 1, elements), any_term(random, depth - 1, elements))
        }
        8 | 9 => past(any_term(random, depth - 1, &[]), event(random), *random.pick(&[1, 1, 1, 2, 2, 3])),
        10 | 11 => count(counted(random, depth - 1), window),
        12 | 13 => {
            let which = *random.pick(&[Fold::Sum, Fold::Mean, Fold::Least, Fold::Greatest]);
            fold(which, any_term(random, depth - 1, &[]), window)
        }
        14 if !elements.is_empty() => term(TermKind::Variable(reference(elements[elements.len() - 1], &[]))),
        _ => term(TermKind::Elapsed(event(random))),
    }
}

fn variable(random: &mut Random) -> Term {
    match random.below(10) {
        0..=4 => value("v"),
        5..=7 => value("w"),
        8 => term(TermKind::Variable(reference("m", &["k"]))),
        _ => term(TermKind::Variable(reference("l", &[random.pick::<&str>(&["0", "1", "k"])]))),
    }
}

/// An event, or an end of an activity.
fn event(random: &mut Random) -> Occurrence {
    match random.below(6) {
        0 | 1 => occurrence(atom(random, &["start_a", "start_b", "start_a", "start_b", "start_c", "start_d"])),
        _ => past_event(random),
    }
}

/// An event, or the end of an activity, or a start that is declared.
fn past_event(random: &mut Random) -> Occurrence {
    let names = ["a", "a", "b", "b", "c", "end_a", "end_b", "end_d", "d", "end_c", "start_c"];
    occurrence(atom(random, &names))
}

fn atom(random: &mut Random, names: &[&str]) -> Atom {
    let mut atom = named(random.pick::<&str>(names));
    match random.below(10) {
        0 => {
            let two = Value::Number(Number::Int(2));
            atom.condition = Some(Condition::Compare(path("v"), *random.pick(&COMPARISONS), two));
        }
        1 if !atom.name.ends_with('c') => atom.arguments = Some(vec![Argument::Any]),
        _ => {}
    }
    atom
}

/// `event start_c = c[v >= 1]` and `event end_c = b`: names that are no ends of activities.
pub(super) fn declare(spec: &mut Spec) {
    let one = Value::Number(Number::Int(1));
    let condition = Condition::Compare(path("v"), Comparison::AtLeast, one);
    spec.events.extend([declaration("start_c", "c", Some(condition)), declaration("end_c", "b", None)]);
}
