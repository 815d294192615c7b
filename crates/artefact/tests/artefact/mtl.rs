// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `mtl` form of every cell is true of exactly the traces that the cell is true of.

use gnomon_core::verdict::End;
use gnomon_ir::pattern::ScopeKind;
use gnomon_oracle::Truth;

use crate::cells::{alphabet, property, timed, untimed};
use crate::segments::{Asked, Event, P, Q, R, S, T, Z, holds};
use crate::traces::{core, each, some, spec, trace};

fn agree(scope: ScopeKind, asked: &Asked, steps: &[i64], most: usize) -> u64 {
    let letters = alphabet(scope, asked);
    let spec = spec(&letters);
    let property = property(scope, asked);
    let formula =
        gnomon_artefact::mtl(&spec, &property).unwrap_or_else(|refusal| panic!("{scope:?} {asked:?}: {refusal}"));
    let core = core(&spec, &formula);
    let mut judged = 0;
    let mut compare = |events: &[Event]| {
        let expected = if holds(scope, asked, events) { Truth::True } else { Truth::False };
        let got = gnomon_oracle::value(&core, &trace(events), End::Complete);
        let text = || gnomon_lang::mtl::print(&formula);
        assert_eq!(got, expected, "{scope:?} {asked:?} {events:?}: {}", text());
        judged += 1;
    };
    each(&letters, steps, most, &mut compare);
    some(&letters, steps, 12, 150, &mut compare);
    judged
}

/// Returns the greatest length of traces with this many choices per event whose number is within the budget.
pub(crate) fn length(choices: usize, budget: usize) -> usize {
    (1..9).take_while(|length| choices.pow(*length) <= budget).last().unwrap_or(1) as usize
}

#[test]
fn untimed_cells_agree_on_all_short_traces() {
    for scope in ScopeKind::ALL {
        for asked in untimed() {
            let most = length(alphabet(scope, &asked).len(), 1_000);
            assert!(agree(scope, &asked, &[1], most) > 150, "{scope:?} {asked:?}");
        }
    }
}

#[test]
fn timed_cells_agree_on_all_short_traces() {
    for scope in ScopeKind::ALL {
        for asked in timed() {
            let steps = [0, 1, 2];
            let most = length(alphabet(scope, &asked).len() * steps.len(), 1_000);
            assert!(agree(scope, &asked, &steps, most) > 150, "{scope:?} {asked:?}");
        }
    }
}

#[test]
fn what_is_written_is_read_as_the_same() {
    let spec = spec(&[P, Q, R, S, T, Z, P | S]);
    for scope in ScopeKind::ALL {
        for asked in untimed().into_iter().chain(timed()) {
            let formula = gnomon_artefact::mtl(&spec, &property(scope, &asked)).expect("it has a form");
            let text = gnomon_lang::mtl::print(&formula);
            let (read, diagnostics) = gnomon_lang::parse(&text);
            assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
            assert_eq!(gnomon_lang::mtl::print(&read.properties[0]), text);
        }
    }
}
