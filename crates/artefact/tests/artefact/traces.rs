// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of sets of atoms, as the tools see them: every set is an event of its own, and declarations tell what it matches.

use gnomon_core::diagnostic::Span;
use gnomon_core::random::Random;
use gnomon_core::time::{TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_core::value::Value;
use gnomon_ir::core::Core;
use gnomon_ir::spec::{Alternative, EventDeclaration, Property, Spec};
use gnomon_oracle::{OracleEvent, Trace};

use crate::segments::{Event, NAMES, P, S};

fn name(letter: u8) -> String {
    format!("e{letter}")
}

/// Declares the atoms over these sets of them.
pub(crate) fn spec(letters: &[u8]) -> Spec {
    let declared = |name_: &str, matches: &dyn Fn(u8) -> bool| EventDeclaration {
        name: name_.to_owned(),
        name_span: Span::default(),
        parameters: None,
        alternatives: letters
            .iter()
            .filter(|letter| matches(**letter))
            .map(|letter| Alternative { event: name(*letter), condition: None, renames: vec![], span: Span::default() })
            .collect(),
        participants: None,
    };
    let mut events: Vec<EventDeclaration> =
        NAMES.iter().enumerate().map(|(bit, name)| declared(name, &|letter| letter >> bit & 1 == 1)).collect();
    events.push(declared("u", &|letter| letter & (P | S) != 0));
    Spec { events, ..Spec::default() }
}

/// The trace of these events.
pub(crate) fn trace(events: &[Event]) -> Trace {
    let event = |&(letter, time): &Event| {
        let time = Timestamp::from_ticks(i128::from(time) * TICKS_PER_BARE_UNIT);
        let good = ("good".to_owned(), Some(Value::Bool(letter & P != 0)));
        OracleEvent { fields: vec![good], ..OracleEvent::new(name(letter), time) }
    };
    Trace::new(events.iter().map(event).collect())
}

/// A property's kernel form.
pub(crate) fn core(spec: &Spec, property: &Property) -> Core {
    let (core, diagnostics) = gnomon_ir::check::check(spec, property);
    core.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// Calls `visit` on all traces of up to so many of these letters, the time passing by one of `steps` before each but the
/// first.
pub(crate) fn each(letters: &[u8], steps: &[i64], most: usize, visit: &mut dyn FnMut(&[Event])) {
    fn extend(so_far: &mut Vec<Event>, letters: &[u8], steps: &[i64], most: usize, visit: &mut dyn FnMut(&[Event])) {
        visit(so_far);
        if so_far.len() == most {
            return;
        }
        for letter in letters {
            let last = so_far.last().map(|event| event.1);
            for step in if last.is_none() { &steps[..1] } else { steps } {
                so_far.push((*letter, last.map_or(0, |last| last + step)));
                extend(so_far, letters, steps, most, visit);
                so_far.pop();
            }
        }
    }
    extend(&mut Vec::new(), letters, steps, most, visit);
}

/// Calls `visit` on so many traces of up to so many letters, the same ones whenever it is called.
pub(crate) fn some(letters: &[u8], steps: &[i64], most: usize, number: usize, visit: &mut dyn FnMut(&[Event])) {
    let mut random = Random::new(7);
    let mut below = |bound: usize| random.index(bound);
    for _ in 0..number {
        let mut time = 0;
        let length = 1 + below(most);
        let events = (0..length).map(|_| {
            time += steps[below(steps.len())];
            (letters[below(letters.len())], time)
        });
        let events: Vec<Event> = events.collect();
        visit(&events);
    }
}
