// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of automata by the moves of the run.
//!
//! Example: an automaton that must not `read` after `close`. The explanation cites `open` (closed → opened) and `close` (opened → closed),
//! and the summary is "`read` is not allowed in `closed`". Moves that stay in their state are left out, unless they set the value that a
//! variable has at the end.

use gnomon_core::verdict::Violation;
use gnomon_ir::AutomatonCore;

use super::{Explanation, ExplanationBuilder};
use crate::automaton::{self, RunMove};

/// The most moves that an explanation cites: the last ones.
const MAX_MOVES: usize = 12;

pub(super) fn explain(
    core: &AutomatonCore,
    mut builder: ExplanationBuilder<'_>,
    violation: &Violation,
) -> Option<Explanation> {
    let evidence = builder.evidence;
    if evidence.since.is_some() {
        return None;
    }
    let run = automaton::run(core, evidence.trace, evidence.values);
    if run.statuses.last()?.accepting {
        return None;
    }
    let decided = run.statuses.iter().position(|status| status.trapped);
    // What follows after nothing can be accepted any more does not matter.
    let moves = &run.moves[..decided.unwrap_or(run.moves.len()).min(run.moves.len())];
    let changes = changes(moves);
    let skipped = changes.len().saturating_sub(MAX_MOVES);
    for one in &changes[skipped..] {
        builder.cite(one.event, note(core, one));
    }
    let here = evidence.origins.iter().position(|origin| origin.event_index == violation.at.origin.event_index)?;
    builder.cite(here, "not accepted from here on");
    let last = moves.last();
    let states = |of: &[usize]| names(core, of);
    let summary = match last {
        None => format!("ends in {}, which is not accepting", states(&[0])),
        Some(last) if last.to.is_empty() => {
            format!("`{}` is not allowed in {}", event(&builder, last.event), states(&last.from))
        }
        Some(last) if decided.is_some() => {
            format!("`{}` leads to {}, from which nothing is accepted", event(&builder, last.event), states(&last.to))
        }
        Some(last) => format!("ends in {}, which is not accepting", states(&last.to)),
    };
    Some(builder.finish(summary))
}

/// Returns the moves that change the state, or set the value that a variable has at the last move.
fn changes(moves: &[RunMove]) -> Vec<&RunMove> {
    let before_last = &moves[..moves.len().saturating_sub(1)];
    let sets_last_value = |index: usize, one: &RunMove| {
        let is_set_later = |register: usize| {
            before_last.iter().skip(index + 1).any(|later| later.assigned.iter().any(|(other, _)| *other == register))
        };
        index < before_last.len() && one.assigned.iter().any(|(register, _)| !is_set_later(*register))
    };
    let is_change = |(index, one): &(usize, &RunMove)| one.from != one.to || sets_last_value(*index, one);
    moves.iter().enumerate().filter(is_change).map(|(_, one)| one).collect()
}

fn event(builder: &ExplanationBuilder<'_>, event: usize) -> String {
    builder.evidence.trace.events()[event].name.clone()
}

fn names(core: &AutomatonCore, states: &[usize]) -> String {
    let names: Vec<String> = states.iter().map(|state| format!("`{}`", core.states[*state].name)).collect();
    names.join(" or ")
}

/// Returns "`shut` → `opened`", with the values of free variables that the event changed.
fn note(core: &AutomatonCore, one: &RunMove) -> String {
    if one.to.is_empty() {
        return format!("not allowed in {}", names(core, &one.from));
    }
    let values: Vec<String> =
        one.assigned.iter().map(|(register, value)| format!("{} = {value}", core.registers[*register])).collect();
    let values = if values.is_empty() { String::new() } else { format!(", {}", values.join(", ")) };
    if one.from == one.to {
        return format!("stays in {}{values}", names(core, &one.to));
    }
    format!("{} → {}{values}", names(core, &one.from), names(core, &one.to))
}
