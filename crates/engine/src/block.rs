// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of positions, for plans whose properties are all formulae without variables or relations between clocks.
//!
//! A run of events of which no field is needed is processed in two passes. The first one matches all events of the run, so that each
//! property has the list of its matches ([`BlockBuffer::fill`]). The second one calls each property once, with all positions that the run
//! completes ([`PositionBlock`]). The property goes from one match to the next; the positions between them cost it nothing as long as no
//! deadline passes. Property by property rather than event by event, state and plan stay in the cache, and the scheduler is asked once
//! for a run.
//!
//! INVARIANT: a property visits the positions that it would visit event by event, in the same order, and ends in the same state
//! (`runs_of_events_without_fields_are_as_if_pushed_one_by_one` of the differential tests).
//!
//! Example: for `G(a -> F[0,5] b)` and the run x@1 a@2 x@3 x@4 b@5 x@6, where events of equal times are merged, the block has five
//! positions: the last event may still get company. The property has two matches, at the places 1 and 4 of the block.

use gnomon_core::event::NoFields;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;

use crate::matcher::{FieldTest, Matcher};

/// Consecutive complete positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PositionBlock<'a> {
    /// The number of the first position.
    pub(crate) index: u64,
    /// The first event of each position.
    pub(crate) firsts: &'a [Origin],
    /// The first event of the position before them, if some property must know it.
    pub(crate) previous: Option<Origin>,
    /// The events of the run.
    pub(crate) events: &'a [Origin],
    /// For each unit of the plan, the matches of its atoms, in the order of the events.
    pub(crate) matches: &'a [Vec<BlockMatch>],
}

/// An event of a run that makes atoms of a unit true.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockMatch {
    /// The place of the position in the block. The place behind the last one is that of the position that stays open.
    pub(crate) position: u32,
    /// The place of the event in the run.
    pub(crate) event: u32,
    /// See [`AtomTest`](crate::matcher::AtomTest).
    pub(crate) word: u32,
    pub(crate) bits: u64,
}

/// The effect of a block on a unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct BlockEffect {
    /// The time after which the unit must be woken.
    pub(crate) wakeup: Timestamp,
    /// True if the unit must be visited at the next position.
    pub(crate) sees_every_position: bool,
    /// True if an event of the position that stays open affects the unit.
    pub(crate) is_affected: bool,
}

/// Buffers for blocks, kept to reuse the memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockBuffer {
    /// The first events of the positions that a run completes, where simultaneous events are merged.
    pub(crate) merged: Vec<Origin>,
    pub(crate) matches: Vec<Vec<BlockMatch>>,
    /// The units with matches, each once. The flag is true if the unit merges simultaneous events.
    pub(crate) matched: Vec<(u32, bool)>,
    /// The places of the events that some unit mentions.
    mentioned: Vec<u32>,
    /// For each event, the place of its position where simultaneous events are merged; empty if that is the same distance from the
    /// place of the event for all of them.
    places: Vec<u32>,
}

impl BlockBuffer {
    /// Matches the events of a run. `open` is the first event of the open position where simultaneous events are merged.
    pub(crate) fn fill(
        &mut self,
        events: &[Origin],
        matcher: &Matcher,
        units: usize,
        open: Option<&mut Option<Origin>>,
    ) {
        let offset = open.map_or(0, |open| self.merge(events, open));
        let BlockBuffer { matches, matched, mentioned, places, .. } = self;
        for (unit, _) in matched.drain(..) {
            matches[unit as usize].clear();
        }
        matches.resize_with(units, Vec::new);
        // Without a branch: which events are mentioned cannot be predicted.
        mentioned.resize(events.len(), 0);
        let mut count = 0;
        for (event, place) in events.iter().zip(0..) {
            mentioned[count] = place;
            count += usize::from(matcher.mentions(event.event));
        }
        for event in &mentioned[..count] {
            let (event, place) = (*event, *event as usize);
            let Some(tests) = matcher.tests(events[place].event) else { continue };
            for test in &tests.tests {
                let Some(atoms) = test.test.atom() else { continue };
                if !matches!(atoms.test, FieldTest::Always) && !atoms.test.passes(&NoFields) {
                    continue;
                }
                let own = &mut matches[test.unit];
                if own.is_empty() {
                    matched.push((test.unit as u32, test.merges));
                }
                let position = match places.get(place) {
                    _ if !test.merges => event,
                    Some(position) => *position,
                    None => event + offset,
                };
                own.push(BlockMatch { position, event, word: atoms.word as u32, bits: atoms.bits });
            }
        }
    }

    /// Lists the positions that the events complete where simultaneous events are merged, and replaces the open one. Returns the
    /// distance from the places of events to those of their positions, if all are at the same one.
    fn merge(&mut self, events: &[Origin], open: &mut Option<Origin>) -> u32 {
        let BlockBuffer { merged, places, .. } = self;
        merged.clear();
        places.clear();
        let ([first, ..], [before @ .., last]) = (events, events) else { return 0 };
        let is_company = open.is_some_and(|open| open.time == first.time);
        if !is_company && events.windows(2).all(|pair| pair[0].time != pair[1].time) {
            merged.extend(open.replace(*last));
            let offset = merged.len() as u32;
            merged.extend_from_slice(before);
            return offset;
        }
        for event in events {
            if open.is_none_or(|first| first.time != event.time) {
                merged.extend(open.replace(*event));
            }
            places.push(merged.len() as u32);
        }
        0
    }
}
