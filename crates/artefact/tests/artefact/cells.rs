// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every cell, as it is asked directly and as a property.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_ir::atom::Atom;
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Behaviour, CountBound, Pattern, Scope, ScopeKind};
use gnomon_ir::spec::{Body, Language, Options, Property};

use crate::segments::{Asked, NAMES, P, Q, R, S, T, Within, Z};

pub(crate) fn atom(bit: u8) -> Atom {
    let name = NAMES[bit.trailing_zeros() as usize].to_owned();
    Atom { name, name_span: Span::default(), arguments: None, condition: None, span: Span::default() }
}

fn atoms(bits: &[u8]) -> Vec<Atom> {
    bits.iter().map(|bit| atom(*bit)).collect()
}

fn bounds(Within(least, most): Within) -> Option<Bounds> {
    let hi = most.map(Quantity::whole);
    let bounds = Bounds { lo: Quantity::whole(least), hi, hi_closed: hi.is_some(), ..Bounds::ANY };
    (bounds != Bounds::ANY).then_some(bounds)
}

fn behaviour(asked: &Asked) -> Behaviour {
    match asked {
        Asked::Absence(event) => Behaviour::Absence(atom(*event)),
        Asked::Existence(event, within) => Behaviour::Existence { event: atom(*event), within: bounds(*within) },
        Asked::Count(amount, number, event) => {
            Behaviour::Count { amount: *amount, number: *number, event: atom(*event) }
        }
        Asked::Rate(number, event, window) => {
            Behaviour::Rate { number: *number, event: atom(*event), window: Quantity::whole(*window) }
        }
        Asked::Universality => {
            use gnomon_core::value::{Comparison, Value};
            use gnomon_ir::atom::{Condition, Path};
            let field = Path { field: "good".to_owned(), steps: vec![] };
            let condition = Condition::Compare(field, Comparison::Equal, Value::Bool(true));
            Behaviour::Universality(Atom { condition: Some(condition), name: "u".to_owned(), ..atom(P) })
        }
        Asked::Only(events) => Behaviour::Only(atoms(events)),
        Asked::Precedence { causes, effects, required, within } => Behaviour::Precedence {
            causes: atoms(causes),
            effects: atoms(effects),
            required: *required,
            within: bounds(*within),
        },
        Asked::Response { stimuli, responses, without, required, within } => Behaviour::Response {
            stimuli: atoms(stimuli),
            responses: atoms(responses),
            without: without.map(atom),
            required: *required,
            within: bounds(*within),
        },
        Asked::Recurrence(event, every) => {
            Behaviour::Recurrence { event: atom(*event), every: Quantity::whole(*every), every_span: Span::default() }
        }
    }
}

/// The property of a cell.
pub(crate) fn property(scope: ScopeKind, asked: &Asked) -> Property {
    let span = Span::default();
    let scope =
        Scope { kind: scope, opens: scope.opens().then(|| atom(Q)), closes: scope.closes().then(|| atom(R)), span };
    Property {
        name: "cell".to_owned(),
        name_span: span,
        title: None,
        language: Language::Pattern,
        options: Options::default(),
        prefix: vec![],
        body: Body::Pattern(Pattern { scope, behaviour: behaviour(asked), behaviour_span: span }),
        body_span: span,
    }
}

pub(crate) fn precedence(causes: &[u8], effects: &[u8], required: bool, within: Within) -> Asked {
    Asked::Precedence { causes: causes.to_vec(), effects: effects.to_vec(), required, within }
}

pub(crate) fn response(stimuli: &[u8], responses: &[u8], without: Option<u8>, required: bool, within: Within) -> Asked {
    Asked::Response { stimuli: stimuli.to_vec(), responses: responses.to_vec(), without, required, within }
}

/// The behaviours without time.
pub(crate) fn untimed() -> Vec<Asked> {
    let any = Within::ANY;
    vec![
        Asked::Absence(P),
        Asked::Existence(P, any),
        Asked::Count(CountBound::AtMost, 0, P),
        Asked::Count(CountBound::AtMost, 1, P),
        Asked::Count(CountBound::AtMost, 2, P),
        Asked::Count(CountBound::AtLeast, 0, P),
        Asked::Count(CountBound::AtLeast, 2, P),
        Asked::Count(CountBound::Exactly, 0, P),
        Asked::Count(CountBound::Exactly, 1, P),
        Asked::Count(CountBound::Exactly, 2, P),
        Asked::Universality,
        Asked::Only(vec![P, S]),
        precedence(&[P], &[S], false, any),
        precedence(&[P], &[S], true, any),
        precedence(&[S, T], &[P], false, any),
        precedence(&[P], &[S, T], false, any),
        precedence(&[P], &[S, P], false, any),
        precedence(&[S, T], &[P, Z], false, any),
        precedence(&[S, T, Z], &[P], false, any),
        precedence(&[P], &[S, T, Z], false, any),
        response(&[P], &[S], None, false, any),
        response(&[P], &[S], None, true, any),
        response(&[P], &[P], None, false, any),
        response(&[S, T], &[P], None, false, any),
        response(&[P], &[S, T], None, false, any),
        response(&[S, T], &[P, Z], None, false, any),
        response(&[P], &[S, T], Some(Z), false, any),
        response(&[P], &[S, T, S], Some(Z), false, any),
        response(&[P], &[S, T, P], None, false, any),
        response(&[S, P, T], &[Z], None, false, any),
    ]
}

/// The behaviours with time.
pub(crate) fn timed() -> Vec<Asked> {
    let mut all = vec![
        Asked::Rate(0, P, 1),
        Asked::Rate(1, P, 1),
        Asked::Rate(1, P, 0),
        Asked::Rate(2, P, 2),
        Asked::Recurrence(P, 0),
        Asked::Recurrence(P, 1),
        Asked::Recurrence(P, 2),
    ];
    for within in [Within(0, Some(1)), Within(0, Some(0)), Within(1, Some(2)), Within(1, None)] {
        all.push(Asked::Existence(P, within));
        all.push(precedence(&[P], &[S], false, within));
        all.push(precedence(&[P], &[S], true, within));
        all.push(precedence(&[P], &[S, P], false, within));
        all.push(response(&[P], &[S], None, false, within));
        all.push(response(&[P], &[P], None, false, within));
        all.push(response(&[P], &[S], None, true, within));
        all.push(response(&[P, S], &[P], None, false, within));
    }
    all.push(precedence(&[P, S], &[P], false, Within(1, None)));
    all.push(response(&[P], &[S, P], None, false, Within(1, None)));
    all
}

/// The letters that a behaviour can distinguish, in overlapping events too.
pub(crate) fn alphabet(scope: ScopeKind, asked: &Asked) -> Vec<u8> {
    let own: Vec<u8> = match asked {
        Asked::Absence(atom) | Asked::Existence(atom, _) | Asked::Count(_, _, atom) | Asked::Rate(_, atom, _) => {
            vec![*atom]
        }
        Asked::Recurrence(atom, _) => vec![*atom],
        Asked::Universality => vec![P, S],
        Asked::Only(atoms) => atoms.clone(),
        Asked::Precedence { causes, effects, .. } => causes.iter().chain(effects).copied().collect(),
        Asked::Response { stimuli, responses, without, .. } => {
            stimuli.iter().chain(responses).chain(without).copied().collect()
        }
    };
    let mut bits: Vec<u8> = own;
    bits.extend(scope.opens().then_some(Q));
    bits.extend(scope.closes().then_some(R));
    bits.sort_unstable();
    bits.dedup();
    let mut letters = vec![0];
    letters.extend(&bits);
    for (index, left) in bits.iter().enumerate() {
        letters.extend(bits[index + 1..].iter().map(|right| left | right));
    }
    letters
}
