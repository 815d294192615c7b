// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mu-calculus form of every untimed cell is true of exactly the runs that the cell is true of.

use gnomon_core::verdict::{End, Verdict};
use gnomon_ir::core::Core;
use gnomon_ir::pattern::{CountBound, ScopeKind};
use gnomon_ir::spec::{Body, Language, Property};

use crate::cells::{alphabet, property, timed, untimed};
use crate::linear;
use crate::mtl::length;
use crate::segments::{Asked, Event, P, holds};
use crate::traces::{core, each, some, spec, trace};

/// Which cells every finite violation of which is seen at an event.
fn is_safety(scope: ScopeKind, asked: &Asked) -> bool {
    let forbids = match asked {
        Asked::Absence(_) | Asked::Universality | Asked::Only(_) | Asked::Count(CountBound::AtMost, ..) => true,
        Asked::Count(CountBound::Exactly, number, _) => *number == 0,
        Asked::Precedence { required, .. } => !required,
        _ => false,
    };
    scope.needs_end() || forbids && !scope.restarts()
}

#[test]
fn untimed_cells_agree_on_all_short_runs() {
    for scope in ScopeKind::ALL {
        for asked in untimed() {
            let letters = alphabet(scope, &asked);
            let written = gnomon_artefact::mu(&spec(&letters), &property(scope, &asked));
            if matches!(asked, Asked::Count(CountBound::AtLeast, 0, _)) {
                assert!(written.is_err_and(|refusal| refusal.reason.contains("every trace")));
                continue;
            }
            let written = written.expect("an untimed cell has a form");
            assert_eq!(written.modal.is_some(), is_safety(scope, &asked), "{scope:?} {asked:?}: {}", written.text);
            assert_eq!(written.note.is_some(), written.modal.is_none() || asked_has_condition(&asked));
            let formula = linear::read(&written.text);
            let mut judged = 0;
            let mut compare = |events: &[Event]| {
                let expected = holds(scope, &asked, events);
                assert_eq!(
                    linear::holds(&formula, events),
                    expected,
                    "{scope:?} {asked:?} {events:?}: {}",
                    written.text
                );
                judged += 1;
            };
            each(&letters, &[1], length(letters.len(), 4_000), &mut compare);
            some(&letters, &[1], 12, 300, &mut compare);
            assert!(judged > 300);
        }
    }
}

/// Returns true if the oracle finds that every continuation of a trace violates the property.
fn is_violated(core: &Core, events: &[Event]) -> bool {
    gnomon_oracle::judge(core, &trace(events), End::Prefix, 1).verdict == Verdict::Violated
}

#[test]
fn safety_cells_are_violated_at_the_same_event() {
    for scope in ScopeKind::ALL {
        for asked in untimed().into_iter().filter(|asked| is_safety(scope, asked)) {
            let letters = alphabet(scope, &asked);
            let (spec, property) = (spec(&letters), property(scope, &asked));
            // A number of at least 0 is never too small: there is no formula.
            let Ok(written) = gnomon_artefact::mu(&spec, &property) else { continue };
            let body = Body::Modal(written.modal.expect("a safety cell is monitored"));
            let modal = core(&spec, &Property { language: Language::Mu, body, ..property.clone() });
            let pattern = core(&spec, &property);
            let mut judged = 0;
            let mut compare = |events: &[Event]| {
                assert_eq!(
                    is_violated(&modal, events),
                    is_violated(&pattern, events),
                    "{scope:?} {asked:?} {events:?}"
                );
                judged += 1;
            };
            each(&letters, &[1], length(letters.len(), 300), &mut compare);
            some(&letters, &[1], 9, 60, &mut compare);
            assert!(judged > 60);
        }
    }
}

fn asked_has_condition(asked: &Asked) -> bool {
    matches!(asked, Asked::Universality)
}

#[test]
fn cells_with_time_are_refused() {
    for asked in timed() {
        let refusal = gnomon_artefact::mu(&spec(&[P]), &property(ScopeKind::Globally, &asked)).expect_err("no time");
        assert!(refusal.reason.contains("time"), "{refusal}");
    }
}
