// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns: the segments that a scope selects, and the verdict on each of them.
//!
//! First, every event is matched against the atoms ([`EventMatches`]). Then segments are cut out, and each behaviour is
//! evaluated by trying all combinations of events of the segment. Example: `between open and close: absence of write`
//! on `open write close open close` has two segments, `[write]` (violated) and `[]` (satisfied).

mod segment;
mod segment_prefix;

use gnomon_core::{End, Timestamp};
use gnomon_ir::{AtomId, BehaviourCore, ScopeKind};

use crate::decision_time::DecisionTime;
use crate::truth::Truth;
use segment_prefix::SegmentPrefix;

pub(crate) use segment::{SegmentEnd, TraceSegment};

/// A scope and a behaviour.
pub(crate) struct PatternDefinition {
    pub(crate) scope: ScopeKind,
    pub(crate) opens: Option<AtomId>,
    pub(crate) closes: Option<AtomId>,
    pub(crate) behaviour: BehaviourCore,
}

/// Atoms that an event matches under a binding.
#[derive(Clone, Debug)]
pub(crate) struct EventMatches {
    pub(crate) time: Timestamp,
    /// For each atom, true if the event matches it.
    pub(crate) matches: Vec<bool>,
}

impl EventMatches {
    pub(crate) fn is(&self, AtomId(atom): AtomId) -> bool {
        self.matches[atom as usize]
    }
}

/// Verdict on a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SegmentVerdict {
    Satisfied,
    /// Violated, and the time at which that was decided.
    Violated(DecisionTime),
    Pending,
}

/// Until when a trace is known.
#[derive(Clone, Copy)]
pub(crate) struct TraceExtent {
    pub(crate) end: End,
    /// The time before which nothing came after the last event.
    pub(crate) now: Option<Timestamp>,
}

impl PatternDefinition {
    /// Returns the verdict on a segment of these events.
    // RULE R14, R15
    pub(crate) fn verdict(
        &self,
        segment: &TraceSegment,
        events: &[EventMatches],
        known: TraceExtent,
    ) -> SegmentVerdict {
        if self.is_reported_early()
            && let Some(decided) = self.refutation(segment, events, known)
        {
            return SegmentVerdict::Violated(decided);
        }
        let (end, decided) = match segment.ending {
            SegmentEnd::Closed(index) => (events[index].time, DecisionTime::Position(index)),
            SegmentEnd::Open if known.end == End::Complete && !self.scope.needs_end() => {
                (last_time(segment, events, known), DecisionTime::End)
            }
            SegmentEnd::Open | SegmentEnd::Restarted => return SegmentVerdict::Pending,
        };
        let segment_prefix = self.segment_prefix(segment, events, segment.events.end);
        if segment_prefix.answer(end) { SegmentVerdict::Satisfied } else { SegmentVerdict::Violated(decided) }
    }

    /// Returns the truth value of the pattern without its quantifiers.
    // RULE R17, R18
    pub(crate) fn truth(&self, events: &[EventMatches], known: TraceExtent) -> Truth {
        if events.is_empty() && known.end == End::Prefix {
            return Truth::Unknown;
        }
        let segments = self.segments(events);
        let verdicts: Vec<SegmentVerdict> =
            segments.iter().map(|segment| self.verdict(segment, events, known)).collect();
        let is_violated = verdicts.iter().any(|verdict| matches!(verdict, SegmentVerdict::Violated(_)));
        let is_settled = |segment: &TraceSegment, verdict: &SegmentVerdict| match segment.ending {
            SegmentEnd::Closed(_) => !self.scope.repeats() && *verdict == SegmentVerdict::Satisfied,
            SegmentEnd::Open => {
                matches!(self.scope, ScopeKind::Globally | ScopeKind::Until | ScopeKind::After)
                    && self.segment_prefix(segment, events, segment.events.end).is_sure()
            }
            SegmentEnd::Restarted => false,
        };
        match known.end {
            _ if is_violated => Truth::False,
            End::Complete => Truth::True,
            End::Prefix if segments.iter().zip(&verdicts).any(|(segment, verdict)| is_settled(segment, verdict)) => {
                Truth::True
            }
            End::Prefix => Truth::Unknown,
        }
    }

    /// Returns the answered stimuli of a segment: each event that completes a sequence of stimuli, with the event that
    /// completes its earliest answer. A stimulus does not count if another one has missed its deadline by then.
    // RULE R16
    pub(crate) fn answers(&self, segment: &TraceSegment, events: &[EventMatches]) -> Vec<(usize, usize)> {
        let answered = self.segment_prefix(segment, events, segment.events.end).answered().into_iter();
        let first = segment.events.start;
        let placed = answered.map(|(stimulus, answer)| (first + stimulus, first + answer));
        let is_asked =
            |answer: usize| self.segment_prefix(segment, events, answer).overdue(events[answer].time).is_none();
        placed.filter(|(_, answer)| is_asked(*answer)).collect()
    }

    /// Returns true if a violation is reported before the segment ends, as soon as it is certain.
    // RULE R14
    fn is_reported_early(&self) -> bool {
        matches!(self.scope, ScopeKind::Globally | ScopeKind::Until | ScopeKind::After | ScopeKind::AfterUntil)
    }

    /// Returns the decision time of a violation that became certain while the segment was open.
    // RULE R12
    fn refutation(&self, segment: &TraceSegment, events: &[EventMatches], known: TraceExtent) -> Option<DecisionTime> {
        for index in segment.events.clone() {
            // Up to this event time passed, and then it came.
            if let Some(deadline) = self.segment_prefix(segment, events, index).overdue(events[index].time) {
                return Some(DecisionTime::Deadline(deadline));
            }
            if self.segment_prefix(segment, events, index + 1).is_broken() {
                return Some(DecisionTime::Position(index));
            }
        }
        let passed = match segment.ending {
            SegmentEnd::Closed(index) => events[index].time,
            SegmentEnd::Open | SegmentEnd::Restarted => last_time(segment, events, known),
        };
        self.segment_prefix(segment, events, segment.events.end).overdue(passed).map(DecisionTime::Deadline)
    }

    /// The events of a segment before this one.
    fn segment_prefix<'a>(
        &'a self,
        segment: &TraceSegment,
        events: &'a [EventMatches],
        before: usize,
    ) -> SegmentPrefix<'a> {
        let from = segment.events.start;
        SegmentPrefix { behaviour: &self.behaviour, opened: segment.opened, events: &events[from..before] }
    }
}

/// Returns the latest time that is known to have passed. Before the first event there is no time to measure from.
// RULE R11, R18
fn last_time(segment: &TraceSegment, events: &[EventMatches], known: TraceExtent) -> Timestamp {
    let Some(last) = events.last() else { return segment.opened };
    known.now.map_or(last.time, |now| now.max(last.time))
}
