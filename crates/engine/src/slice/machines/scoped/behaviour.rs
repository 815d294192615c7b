// SPDX-License-Identifier: MIT OR Apache-2.0
//! Behaviours: the requirements on the events of one segment.
// RULE R6, R7, R8, R11, R12, R13

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Durations;
use gnomon_ir::core::{AtomId, BehaviourCore, PatternCore};
use gnomon_ir::pattern::CountBound;
use serde::{Deserialize, Serialize};

use super::precedence::{Precedence, PrecedenceProgress};
use super::response::{Response, ResponseProgress};
use super::{AtomMask, Letter, bit, has};
use crate::slice::machines::recorder::Activation;

/// A behaviour ready to run.
#[derive(Clone, Debug)]
pub(super) enum Behaviour {
    /// Not one of these.
    Absence(AtomMask),
    Existence(AtomMask, Interval),
    Count(CountBound, u64, AtomMask),
    Rate(u64, AtomMask, Duration),
    /// The first not without the second.
    Universality(AtomMask, AtomMask),
    /// Nothing but these; a mask for each word of a letter.
    Only(Vec<AtomMask>),
    Precedence(Precedence),
    Response(Response),
    Recurrence(AtomMask, Duration),
}

/// The progress of a behaviour in a segment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum BehaviourProgress {
    /// The number of events that count; 0 where nothing is counted.
    Number(u64),
    /// The times of the events in the window.
    Times(VecDeque<Timestamp>),
    /// The last event that counts, or the opening.
    Last(Activation),
    PrecedenceProgress(PrecedenceProgress),
    ResponseProgress(ResponseProgress),
    /// The behaviour is violated, because of this event.
    Lost(Activation),
}

/// The effect of an event on a behaviour.
pub(super) enum BehaviourEffect {
    /// Nothing is decided.
    Open,
    /// Stimuli were answered after these durations.
    Answered(Durations),
    /// The behaviour is violated.
    Lost,
}

impl Behaviour {
    pub(super) fn new(core: &PatternCore) -> Self {
        match &core.behaviour {
            BehaviourCore::Absence(event) => Behaviour::Absence(bit(*event)),
            BehaviourCore::Existence { event, within } => Behaviour::Existence(bit(*event), *within),
            BehaviourCore::Count { amount, number, event } => Behaviour::Count(*amount, *number, bit(*event)),
            BehaviourCore::Rate { number, event, window } => Behaviour::Rate(*number, bit(*event), *window),
            BehaviourCore::Universality { named, like } => Behaviour::Universality(bit(*named), bit(*like)),
            BehaviourCore::Only(events) => Behaviour::Only(by_word(events)),
            BehaviourCore::Precedence { causes, effects, required, within } => {
                Behaviour::Precedence(Precedence::new(causes, effects, *required, *within))
            }
            BehaviourCore::Response { stimuli, responses, without, required, within } => {
                Behaviour::Response(Response::new(stimuli, responses, *without, *required, *within))
            }
            BehaviourCore::Recurrence { event, every } => Behaviour::Recurrence(bit(*event), *every),
        }
    }

    /// Returns true if time alone can violate it: see [`Behaviour::deadline`].
    pub(super) fn is_timed(&self) -> bool {
        match self {
            Behaviour::Existence(_, within) => within.hi.is_some(),
            Behaviour::Response(response) => response.within().hi.is_some(),
            Behaviour::Recurrence(..) => true,
            _ => false,
        }
    }

    /// Returns the progress in a new segment.
    pub(super) fn start(&self, opened: Activation) -> BehaviourProgress {
        match self {
            Behaviour::Rate(..) => BehaviourProgress::Times(VecDeque::new()),
            Behaviour::Precedence(_) => BehaviourProgress::PrecedenceProgress(PrecedenceProgress::default()),
            Behaviour::Response(_) => BehaviourProgress::ResponseProgress(ResponseProgress::default()),
            Behaviour::Recurrence(..) => BehaviourProgress::Last(opened),
            _ => BehaviourProgress::Number(0),
        }
    }

    /// Takes an event of the segment that `opened` began.
    #[inline]
    pub(super) fn step(
        &self,
        progress: &mut BehaviourProgress,
        letter: impl Letter,
        now: Activation,
        opened: Activation,
    ) -> BehaviourEffect {
        let stands = match (self, &mut *progress) {
            (Behaviour::Response(response), BehaviourProgress::ResponseProgress(answers)) => {
                return response.step(answers, letter, now).map_or(BehaviourEffect::Open, BehaviourEffect::Answered);
            }
            (Behaviour::Absence(event), _) => !has(letter, *event),
            (Behaviour::Existence(event, within), BehaviourProgress::Number(number)) => {
                *number |= u64::from(has(letter, *event) && within.contains(now.time() - opened.time()));
                true
            }
            (Behaviour::Count(amount, most, event), BehaviourProgress::Number(number)) => {
                let more = has(letter, *event);
                // One too many is counted; more need not be.
                *number = number.saturating_add(u64::from(more)).min(most.saturating_add(1));
                *amount == CountBound::AtLeast || *number <= *most
            }
            (Behaviour::Rate(most, event, window), BehaviourProgress::Times(times)) => {
                !has(letter, *event) || keeps_rate(times, *most, *window, now.time())
            }
            (Behaviour::Universality(named, like), _) => !has(letter, *named) || has(letter, *like),
            (Behaviour::Only(events), _) => events.iter().any(|event| has(letter, *event)),
            (Behaviour::Precedence(precedence), BehaviourProgress::PrecedenceProgress(order)) => {
                precedence.step(order, letter, now.time())
            }
            (Behaviour::Recurrence(event, _), BehaviourProgress::Last(last)) => {
                if has(letter, *event) {
                    *last = now;
                }
                true
            }
            _ => true,
        };
        if stands {
            return BehaviourEffect::Open;
        }
        *progress = BehaviourProgress::Lost(now);
        BehaviourEffect::Lost
    }

    /// Returns true if an event of the segment has an effect.
    pub(super) fn reacts(&self, progress: &BehaviourProgress, letter: impl Letter) -> bool {
        match (self, progress) {
            (_, BehaviourProgress::Lost(_)) => false,
            (Behaviour::Response(response), BehaviourProgress::ResponseProgress(answers)) => {
                response.reacts(answers, letter)
            }
            (Behaviour::Precedence(precedence), BehaviourProgress::PrecedenceProgress(order)) => {
                precedence.reacts(order, letter)
            }
            (Behaviour::Existence(event, _), BehaviourProgress::Number(number)) => *number == 0 && has(letter, *event),
            (Behaviour::Count(CountBound::AtLeast, most, event), BehaviourProgress::Number(number)) => {
                number <= most && has(letter, *event)
            }
            (
                Behaviour::Absence(event)
                | Behaviour::Count(_, _, event)
                | Behaviour::Rate(_, event, _)
                | Behaviour::Recurrence(event, _)
                | Behaviour::Existence(event, _),
                _,
            ) => has(letter, *event),
            (Behaviour::Universality(named, like), _) => has(letter, *named) && !has(letter, *like),
            (Behaviour::Only(events), _) => !events.iter().any(|event| has(letter, *event)),
            (Behaviour::Response(_) | Behaviour::Precedence(_), _) => true,
        }
    }

    /// Returns the time after which the behaviour is violated unless an event comes.
    pub(super) fn deadline(&self, progress: &BehaviourProgress, opened: Activation) -> Option<SegmentDeadline> {
        let written = |from: Activation, within: Interval| {
            let last = from.time().saturating_add(within.hi?);
            let written = from.time().saturating_add(within.written_hi()?);
            Some(SegmentDeadline { last, written, because: from })
        };
        match (self, progress) {
            (Behaviour::Existence(_, within), BehaviourProgress::Number(0)) => written(opened, *within),
            (Behaviour::Response(response), BehaviourProgress::ResponseProgress(answers)) => {
                response.within().hi?;
                written(answers.oldest()?, response.within())
            }
            (Behaviour::Recurrence(_, every), BehaviourProgress::Last(last)) => {
                let time = last.time().saturating_add(*every);
                Some(SegmentDeadline { last: time, written: time, because: *last })
            }
            _ => None,
        }
    }

    /// Returns true if the behaviour is satisfied when the segment ends at this time.
    pub(super) fn is_met(&self, progress: &BehaviourProgress, end: Timestamp) -> bool {
        match (self, progress) {
            (_, BehaviourProgress::Lost(_)) => false,
            (Behaviour::Existence(..), BehaviourProgress::Number(number)) => *number > 0,
            (Behaviour::Count(amount, bound, _), BehaviourProgress::Number(number)) => match amount {
                CountBound::AtMost => number <= bound,
                CountBound::AtLeast => number >= bound,
                CountBound::Exactly => number == bound,
            },
            (Behaviour::Precedence(precedence), BehaviourProgress::PrecedenceProgress(order)) => {
                precedence.is_met(order)
            }
            (Behaviour::Response(response), BehaviourProgress::ResponseProgress(answers)) => response.is_met(answers),
            (Behaviour::Recurrence(_, every), BehaviourProgress::Last(last)) => end - last.time() <= *every,
            _ => true,
        }
    }

    /// Returns true if the behaviour is satisfied whatever comes.
    pub(super) fn is_safe(&self, progress: &BehaviourProgress) -> bool {
        match (self, progress) {
            (Behaviour::Existence(..), BehaviourProgress::Number(number)) => *number > 0,
            (Behaviour::Count(CountBound::AtLeast, bound, _), BehaviourProgress::Number(number)) => number >= bound,
            (Behaviour::Precedence(precedence), BehaviourProgress::PrecedenceProgress(order)) => {
                precedence.is_safe(order)
            }
            _ => false,
        }
    }
}

/// The end of the time in which an event must come.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentDeadline {
    /// The last time at which the event counts.
    pub(super) last: Timestamp,
    /// The time that reports write, which differs for open intervals.
    pub(super) written: Timestamp,
    /// The event from which the time is counted.
    pub(super) because: Activation,
}

/// Returns the masks of these atoms, joined by word.
fn by_word(atoms: &[AtomId]) -> Vec<AtomMask> {
    let mut masks: Vec<AtomMask> = Vec::new();
    for mask in atoms.iter().map(|atom| bit(*atom)) {
        match masks.iter_mut().find(|known| known.word == mask.word) {
            Some(known) => known.bit |= mask.bit,
            None => masks.push(mask),
        }
    }
    masks
}

/// Adds an event to a window. Returns true if the window has at most `most` events.
fn keeps_rate(times: &mut VecDeque<Timestamp>, most: u64, window: Duration, now: Timestamp) -> bool {
    while times.front().is_some_and(|time| now - *time > window) {
        times.pop_front();
    }
    times.push_back(now);
    times.len() as u64 <= most
}
