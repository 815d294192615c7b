// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random clock constraints: a few definitions of every kind, and relations between them and events.

use gnomon_core::Span;
use gnomon_ir::{
    Atom, Body, ClockDefinition, ClockExpression, ClockRelation, ClockRelationKind, ClockWord, Clocks, Language,
};

use super::data::plain;
use crate::build::{spec_of, variable};
use crate::choices::Choices;

/// Clocks that are events.
const EVENTS: [&str; 4] = ["a", "b", "c", "d"];
/// Names of defined clocks. The last ones may be events as well: `d` is declared, the others are events of some traces.
const DEFINED: [&str; 6] = ["w", "x", "y", "u", "z", "d"];

/// A property that the checker accepts.
pub(super) fn property(choices: &mut Choices) -> Body {
    loop {
        let body = Body::Clocks(candidate(choices));
        let spec = spec_of(Language::Ccsl, vec![], body.clone());
        if gnomon_ir::check::check(&spec, &spec.properties[0]).0.is_some() {
            return body;
        }
    }
}

/// Names for the traces of a property: those of its events, and one that concerns nobody. A few traces have events of the names of
/// defined clocks.
pub(super) fn names(choices: &mut Choices, body: &Body) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = vec![];
    let atoms = body.atoms();
    for name in EVENTS {
        let is_used = atoms.iter().any(|atom| atom.name == name || (atom.name == "d" && matches!(name, "a" | "b")));
        names.extend(vec![name; if is_used { 4 } else { 0 }]);
    }
    names.push("i");
    if let Body::Clocks(clocks) = body
        && choices.one_in(6)
    {
        names.extend(DEFINED.iter().filter(|name| clocks.defines(name)));
    }
    names
}

fn candidate(choices: &mut Choices) -> Clocks {
    let mut clocks = Clocks::default();
    let mut left: Vec<&str> = DEFINED[..if choices.one_in(8) { 6 } else { 5 }].to_vec();
    let mut names: Vec<&str> = EVENTS[..if choices.one_in(6) { 4 } else { 3 }].to_vec();
    for _ in 0..*choices.pick(&[0, 1, 1, 1, 2, 2, 3]) {
        let name = left.remove(choices.index(left.len()));
        let expression = expression(choices, &names, &clocks);
        clocks.definitions.push(ClockDefinition { clock: variable(name), expression, span: Span::default() });
        names.retain(|other| *other != name);
        names.push(name);
        if choices.one_in(2) {
            names.push(name);
        }
    }
    if choices.one_in(6) {
        let (first, then) = (left.remove(choices.index(left.len())), left[0]);
        let (a, b) = pair(choices, &names);
        let amount = choices.between(1, 3) as u64;
        let dies = match choices.below(3) {
            0 => ClockExpression::UpTo(a, b),
            1 => ClockExpression::Wait(a, amount),
            _ => {
                let prefix = (0..amount).map(|_| choices.one_in(2)).collect();
                ClockExpression::Filter(a, ClockWord { prefix, period: vec![] })
            }
        };
        let after = plain(names[choices.index(names.len())]);
        for (name, expression) in [(first, dies), (then, ClockExpression::Then(plain(first), after))] {
            clocks.definitions.push(ClockDefinition { clock: variable(name), expression, span: Span::default() });
        }
        names.retain(|other| *other != first && *other != then);
        names.extend([then, then]);
    }
    for _ in 0..*choices.pick(&[1, 1, 1, 1, 2, 2, 3]) {
        clocks.relations.push(relation(choices, &names));
    }
    // Definitions need not stand in the order in which they depend on each other.
    if choices.one_in(3) {
        clocks.definitions.reverse();
    }
    clocks
}

fn relation(choices: &mut Choices, names: &[&str]) -> ClockRelation<Atom> {
    let kind = match choices.below(8) {
        0 => ClockRelationKind::Subclock,
        1 => ClockRelationKind::Coincides,
        2 => ClockRelationKind::Excludes,
        3 => ClockRelationKind::Precedes,
        4 => ClockRelationKind::Causes,
        5 => ClockRelationKind::Alternates,
        _ => ClockRelationKind::PrecedesWithin(choices.between(1, 3) as u64),
    };
    let (left, right) = pair(choices, names);
    ClockRelation { kind, left, right, span: Span::default() }
}

/// Two clocks, seldom the same.
fn pair(choices: &mut Choices, names: &[&str]) -> (Atom, Atom) {
    let left = names[choices.index(names.len())];
    let right = names[choices.index(names.len())];
    let right = if left == right { names[choices.index(names.len())] } else { right };
    (plain(left), plain(right))
}

fn expression(choices: &mut Choices, names: &[&str], clocks: &Clocks) -> ClockExpression<Atom> {
    let (a, b) = pair(choices, names);
    let amount = choices.between(1, 3) as u64;
    match choices.below(15) {
        0 => ClockExpression::Union(a, b),
        1 => ClockExpression::Intersection(a, b),
        2 => ClockExpression::Difference(a, b),
        3 => ClockExpression::Delay(a, amount - u64::from(choices.one_in(6))),
        4 | 5 => ClockExpression::DelayOn { of: a, by: amount, on: b },
        6 => {
            let from = if choices.one_in(2) { Some(choices.between(1, 5) as u64) } else { None };
            ClockExpression::Every { of: a, period: amount, from }
        }
        7 | 8 => ClockExpression::Filter(a, word(choices)),
        9 => ClockExpression::Sampled { of: a, by: b, strictly: choices.one_in(2) },
        10 => ClockExpression::UpTo(a, b),
        11 => ClockExpression::Wait(a, amount),
        12 => ClockExpression::Infimum(a, b),
        13 => ClockExpression::Supremum(a, b),
        _ => {
            let mortal: Vec<&ClockDefinition> =
                clocks.definitions.iter().filter(|definition| definition.expression.can_die()).collect();
            match mortal.as_slice() {
                [] => ClockExpression::UpTo(a, b),
                some => ClockExpression::Then(plain(&some[choices.index(some.len())].clock.name), b),
            }
        }
    }
}

fn word(choices: &mut Choices) -> ClockWord {
    let mut digits = |least: i64| (0..choices.between(least, 3)).map(|_| choices.one_in(2)).collect::<Vec<bool>>();
    let (prefix, period) = (digits(0), digits(0));
    let period = if prefix.is_empty() && period.is_empty() { vec![true] } else { period };
    ClockWord { prefix, period }
}
