// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments that a scope selects from a trace.
//!
//! Example: `after open until close` in the trace `x open a b close y` selects one segment with the events `a` and `b`. It is opened by
//! `open` and closed by `close`, neither of which is in it.
// RULE R1, R2, R3, R4, R5

use std::ops::Range;

use gnomon_core::time::Timestamp;

use super::{EventMatches, PatternDefinition};

/// A segment: consecutive events of a trace, between an opening and an end.
#[derive(Clone, Debug)]
pub(crate) struct TraceSegment {
    /// The event that opened it; the first event of the trace if the scope has no opening.
    pub(crate) at: usize,
    /// Time of the opening.
    pub(crate) opened: Timestamp,
    /// The events in it.
    pub(crate) events: Range<usize>,
    pub(crate) ending: SegmentEnd,
}

/// End of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SegmentEnd {
    /// Closed by this event.
    Closed(usize),
    /// Restarted by another opening event; the segment does not count.
    Restarted,
    /// Still open at the end of the trace.
    Open,
}

impl PatternDefinition {
    /// Returns the segments in the order of the trace, including those that were restarted.
    pub(crate) fn segments(&self, events: &[EventMatches]) -> Vec<TraceSegment> {
        let is = |index: usize, atom| events[index].is(atom);
        let mut found = Vec::new();
        // The event that opened a segment, and the first in it.
        let mut open = (!self.scope.opens()).then_some((0, 0));
        let mut end = |(at, from): (usize, usize), to: usize, ending| {
            let opened = events.get(at).map_or(Timestamp::default(), |event| event.time);
            found.push(TraceSegment { at, opened, events: from..to, ending });
        };
        for index in 0..events.len() {
            let opens = self.opens.is_some_and(|atom| is(index, atom));
            let closes = self.closes.is_some_and(|atom| is(index, atom));
            match open {
                Some(segment) if closes => {
                    end(segment, index, SegmentEnd::Closed(index));
                    open = None;
                    if !self.scope.repeats() {
                        break;
                    }
                }
                Some(segment) if opens && self.scope.restarts() => {
                    end(segment, index, SegmentEnd::Restarted);
                    open = Some((index, index + 1));
                }
                None if opens && !closes => open = Some((index, index + 1)),
                Some(_) | None => {}
            }
        }
        if let Some(segment) = open {
            end(segment, events.len(), SegmentEnd::Open);
        }
        found
    }
}
