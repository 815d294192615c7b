// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tries short traces one after the other.

use gnomon_core::verdict::Verdict;
use gnomon_ir::spec::ExampleEvent;

use super::recipe::{Recipe, TraceStep};

/// The maximum number of traces that are tried.
const MAX_TRIES: usize = 4_000;
/// The maximum length of a trace.
const MAX_LENGTH: usize = 6;

/// Returns the first short trace that gets this verdict.
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
            let steps: Vec<TraceStep> = places.iter().map(|place| alphabet[*place].clone()).collect();
            let worth_it = verdict == Verdict::Violated || recipe.is_exercised(&steps);
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
            // The next trace in lexicographic order.
            let Some(place) = places.iter().rposition(|place| place + 1 < alphabet.len()) else { break };
            places[place] += 1;
            places[place + 1..].fill(0);
        }
    }
    None
}
