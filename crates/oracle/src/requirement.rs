// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns: the segments that a scope cuts out of a trace, and what each of them answers.
//!
//! What a pattern sees of an event is worked out first, one [`Sight`] for each; then segments are cut, and the question is
//! put to each by looking at its events in every combination.

mod chain;
mod question;
mod segment;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::End;
use gnomon_ir::core::{AtomId, BehaviourCore};
use gnomon_ir::requirement::ScopeKind;

use crate::moment::Moment;
use crate::truth::Truth;
use question::Stretch;

pub(crate) use segment::{Ending, Segment};

/// A scope and a behaviour.
pub(crate) struct Terms {
    pub(crate) scope: ScopeKind,
    pub(crate) opens: Option<AtomId>,
    pub(crate) closes: Option<AtomId>,
    pub(crate) behaviour: BehaviourCore,
}

/// What a pattern sees of an event, under a binding.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) time: Timestamp,
    /// For each atom, whether the event matches it.
    pub(crate) matches: Vec<bool>,
}

impl Sight {
    pub(crate) fn is(&self, AtomId(atom): AtomId) -> bool {
        self.matches[atom as usize]
    }
}

/// What became of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Satisfied,
    /// And when that was decided.
    Violated(Moment),
    Pending,
}

/// Until when a trace is known.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) end: End,
    /// The time before which nothing came after the last event.
    pub(crate) now: Option<Timestamp>,
}

impl Terms {
    /// What became of a segment of these events.
    // RULE R14, R15
    pub(crate) fn fate(&self, segment: &Segment, events: &[Sight], known: Known) -> Fate {
        if self.is_told_early()
            && let Some(moment) = self.refutation(segment, events, known)
        {
            return Fate::Violated(moment);
        }
        let (end, moment) = match segment.ending {
            Ending::Closed(index) => (events[index].time, Moment::Position(index)),
            Ending::Open if known.end == End::Complete && !self.scope.needs_end() => {
                (last_moment(segment, events, known), Moment::End)
            }
            Ending::Open | Ending::Restarted => return Fate::Pending,
        };
        let stretch = self.stretch(segment, events, segment.events.end);
        if stretch.answer(end) { Fate::Satisfied } else { Fate::Violated(moment) }
    }

    /// What is known of the pattern without its quantifiers.
    // RULE R17, R18
    pub(crate) fn truth(&self, events: &[Sight], known: Known) -> Truth {
        if events.is_empty() && known.end == End::Prefix {
            return Truth::Unknown;
        }
        let segments = self.segments(events);
        let fates: Vec<Fate> = segments.iter().map(|segment| self.fate(segment, events, known)).collect();
        let is_violated = fates.iter().any(|fate| matches!(fate, Fate::Violated(_)));
        let is_settled = |segment: &Segment, fate: &Fate| match segment.ending {
            Ending::Closed(_) => !self.scope.repeats() && *fate == Fate::Satisfied,
            Ending::Open => {
                matches!(self.scope, ScopeKind::Globally | ScopeKind::Until | ScopeKind::After)
                    && self.stretch(segment, events, segment.events.end).is_sure()
            }
            Ending::Restarted => false,
        };
        match known.end {
            _ if is_violated => Truth::False,
            End::Complete => Truth::True,
            End::Prefix if segments.iter().zip(&fates).any(|(segment, fate)| is_settled(segment, fate)) => Truth::True,
            End::Prefix => Truth::Unknown,
        }
    }

    /// For each event of a segment that ends a sequence of stimuli and is answered: itself, and the event that completes the
    /// earliest answer, unless another stimulus has waited in vain by then.
    // RULE R16
    pub(crate) fn answers(&self, segment: &Segment, events: &[Sight]) -> Vec<(usize, usize)> {
        let answered = self.stretch(segment, events, segment.events.end).answered().into_iter();
        let first = segment.events.start;
        let placed = answered.map(|(stimulus, answer)| (first + stimulus, first + answer));
        let is_asked = |answer: usize| self.stretch(segment, events, answer).overdue(events[answer].time).is_none();
        placed.filter(|(_, answer)| is_asked(*answer)).collect()
    }

    /// Whether a segment that cannot answer yes any more is told of before it ends.
    // RULE R14
    fn is_told_early(&self) -> bool {
        matches!(self.scope, ScopeKind::Globally | ScopeKind::Until | ScopeKind::After | ScopeKind::AfterUntil)
    }

    /// When it became certain that the answer is no, if it did while the segment was open.
    // RULE R12
    fn refutation(&self, segment: &Segment, events: &[Sight], known: Known) -> Option<Moment> {
        for index in segment.events.clone() {
            // Up to this event time passed, and then it came.
            if let Some(deadline) = self.stretch(segment, events, index).overdue(events[index].time) {
                return Some(Moment::Deadline(deadline));
            }
            if self.stretch(segment, events, index + 1).is_broken() {
                return Some(Moment::Position(index));
            }
        }
        let passed = match segment.ending {
            Ending::Closed(index) => events[index].time,
            Ending::Open | Ending::Restarted => last_moment(segment, events, known),
        };
        self.stretch(segment, events, segment.events.end).overdue(passed).map(Moment::Deadline)
    }

    /// The events of a segment before this one.
    fn stretch<'a>(&'a self, segment: &Segment, events: &'a [Sight], before: usize) -> Stretch<'a> {
        let from = segment.events.start;
        Stretch { behaviour: &self.behaviour, opened: segment.opened, events: &events[from..before] }
    }
}

/// As far as time is known to have passed. Before the first event there is no time to measure from.
// RULE R11, R18
fn last_moment(segment: &Segment, events: &[Sight], known: Known) -> Timestamp {
    let Some(last) = events.last() else { return segment.opened };
    known.now.map_or(last.time, |now| now.max(last.time))
}
