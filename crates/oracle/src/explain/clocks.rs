// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of relations between clocks by the recent ticks of the two clocks, each with its number.
//!
//! Example: `req < ack` with `req` at 1 and `ack` at 2 and 3. The violation at 3 cites the three events with the notes `` `req`: tick 1 ``, `` `ack`:
//! tick 1 `` and `` `ack`: tick 2 ``, and says that `ack` ticked 2 times and `req` 1 time before.

use gnomon_core::verdict::Violation;
use gnomon_ir::{ClockId, ClocksCore};

use super::{Explanation, ExplanationBuilder};
use crate::atom;
use crate::clocks::ClockHistory;

/// The most ticks of a clock that an explanation cites: the last ones.
const MAX_TICKS: usize = 5;

pub(super) fn explain(
    core: &ClocksCore,
    mut builder: ExplanationBuilder<'_>,
    at: usize,
    violation: &Violation,
) -> Option<Explanation> {
    let evidence = builder.evidence;
    // Without the beginning of the trace the counts are not known.
    if evidence.since.is_some() {
        return None;
    }
    let history = ClockHistory::new(core, evidence.trace);
    let instant = history.instants.iter().position(|instant| instant.events.contains(&at))?;
    let is_it = |relation: &&gnomon_ir::ClockRelationCore| {
        relation.relation.span == violation.failed && history.is_broken(relation, instant)
    };
    let broken = core.relations.iter().find(is_it)?;
    let event_of = |clock: ClockId, instant: usize| {
        let events = history.instants[instant].events.clone();
        let own = core.atoms.get(clock.0 as usize);
        let is_own = |event: &usize| own.is_some_and(|own| atom::matches(own, &evidence.trace.events()[*event], &[]));
        let is_any =
            |event: &usize| core.atoms.iter().any(|one| atom::matches(one, &evidence.trace.events()[*event], &[]));
        events.clone().find(is_own).or_else(|| events.clone().find(is_any)).unwrap_or(events.start)
    };
    let clocks = [broken.relation.left, broken.relation.right];
    let mut notes: Vec<(usize, String)> = Vec::new();
    for clock in clocks {
        let ticks = (0..=instant).rev().filter(|instant| history.ticks(clock, *instant));
        for tick in ticks.take(MAX_TICKS) {
            let note = format!("`{}`: tick {}", core.clock_name(clock), history.count(clock, tick));
            let event = event_of(clock, tick);
            match notes.iter_mut().find(|(known, _)| *known == event) {
                Some((_, known)) => *known = format!("{known}, {note}"),
                None => notes.push((event, note)),
            }
        }
    }
    for (event, note) in notes {
        builder.cite(event, note);
    }
    let counts = clocks.map(|clock| (history.count(clock, instant), history.ticks(clock, instant)));
    Some(builder.finish(core.broken_text(broken, counts)))
}
