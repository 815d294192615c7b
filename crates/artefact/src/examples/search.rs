// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short traces, tried out one after the other.

use gnomon_core::verdict::Verdict;
use gnomon_ir::spec::ExampleEvent;

use super::recipe::{Recipe, Step};

/// How many traces are tried.
const MAX_TRIES: usize = 4_000;
/// How long they may be.
const MAX_LENGTH: usize = 6;

/// The first of the short traces that gets this verdict.
pub(super) fn search(
    recipe: &Recipe<'_, '_>,
    verdict: Verdict,
    judge: &mut dyn FnMut(&[ExampleEvent]) -> Verdict,
) -> Option<Vec<ExampleEvent>> {
    let alphabet = recipe.alphabet();
    let mut tries = 0;
    for length in 1..=MAX_LENGTH {
        let mut places = vec![0; length];
        loop {
            let steps: Vec<Step> = places.iter().map(|place| alphabet[*place].clone()).collect();
            let worth_it = verdict == Verdict::Violated || recipe.is_telling(&steps);
            if worth_it {
                tries += 1;
                let trace = recipe.trace(&steps);
                if judge(&trace) == verdict {
                    return Some(trace);
                }
            }
            if tries >= MAX_TRIES {
                return None;
            }
            // The next one, as numbers are counted.
            let Some(place) = places.iter().rposition(|place| place + 1 < alphabet.len()) else { break };
            places[place] += 1;
            places[place + 1..].fill(0);
        }
    }
    None
}
