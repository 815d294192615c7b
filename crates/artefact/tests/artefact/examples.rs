// SPDX-License-Identifier: MIT OR Apache-2.0
//! The example traces of every cell are as the cell says.

use gnomon_core::verdict::Verdict;
use gnomon_ir::pattern::{CountBound, ScopeKind};
use gnomon_ir::spec::{ExampleEvent, Spec};

use crate::cells::{property, timed, untimed};
use crate::segments::{Asked, Event, NAMES, S, holds};

/// An example as sets of atoms. `u` is an event of the universality cell, good or not.
fn events(trace: &[ExampleEvent]) -> Vec<Event> {
    let event = |(index, event): (usize, &ExampleEvent)| {
        let bit = NAMES.iter().position(|name| *name == event.name);
        let good = format!("{:?}", event.arguments).contains("Bool(true)");
        let letter = match bit {
            Some(bit) => 1 << bit,
            None if event.name == "u" => {
                if good {
                    1
                } else {
                    S
                }
            }
            None => 0,
        };
        let time = event.time.map_or(index as i128 + 1, |time| time.billionths);
        (letter, i64::try_from(time).expect("times are small"))
    };
    trace.iter().enumerate().map(event).collect()
}

/// Times of examples are in billionths.
fn in_billionths(asked: &Asked) -> Asked {
    use crate::segments::Within;
    const BILLION: i64 = 1_000_000_000;
    let scale = |Within(least, most): Within| Within(BILLION * least, most.map(|most| BILLION * most));
    match asked.clone() {
        Asked::Existence(atom, within) => Asked::Existence(atom, scale(within)),
        Asked::Rate(number, atom, window) => Asked::Rate(number, atom, BILLION * window),
        Asked::Recurrence(atom, every) => Asked::Recurrence(atom, BILLION * every),
        Asked::Precedence { causes, effects, required, within } => {
            Asked::Precedence { causes, effects, required, within: scale(within) }
        }
        Asked::Response { stimuli, responses, without, required, within } => {
            Asked::Response { stimuli, responses, without, required, within: scale(within) }
        }
        other => other,
    }
}

#[test]
fn every_cell_has_its_two_examples() {
    for scope in ScopeKind::ALL {
        for asked in untimed().into_iter().chain(timed()) {
            let scaled = in_billionths(&asked);
            let mut judged = 0;
            let found = gnomon_artefact::examples(&Spec::default(), &property(scope, &asked), &mut |trace| {
                judged += 1;
                if holds(scope, &scaled, &events(trace)) { Verdict::Holds } else { Verdict::Violated }
            });
            if matches!(asked, Asked::Count(CountBound::AtLeast, 0, _)) {
                assert!(found.is_err(), "nothing violates {scope:?} {asked:?}");
                continue;
            }
            let found = found.unwrap_or_else(|refusal| panic!("{scope:?} {asked:?}: {refusal}"));
            assert!(!found.accepts.is_empty() && !found.rejects.is_empty());
            // What answers itself is found by trying out.
            assert!(judged <= 3 || overlaps(&asked), "{scope:?} {asked:?}: {judged} traces were tried, {found:?}");
        }
    }
}

fn overlaps(asked: &Asked) -> bool {
    match asked {
        Asked::Precedence { causes, effects, .. } => causes.iter().any(|cause| effects.contains(cause)),
        Asked::Response { stimuli, responses, .. } => stimuli.iter().any(|stimulus| responses.contains(stimulus)),
        _ => false,
    }
}
