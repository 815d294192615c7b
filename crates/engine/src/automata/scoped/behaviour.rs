// SPDX-License-Identifier: MIT OR Apache-2.0
//! Behaviours: what the events of one segment do to the answer.
// RULE R6, R7, R8, R11, R12, R13

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Durations;
use gnomon_ir::core::{BehaviourCore, RequirementCore};
use gnomon_ir::requirement::Amount;
use serde::{Deserialize, Serialize};

use super::precedence::{Order, Precedence};
use super::response::{Answers, Response};
use super::{Letter, bit, has};
use crate::automata::desk::Asked;

/// A behaviour ready to run.
#[derive(Clone, Debug)]
pub(super) enum Behaviour {
    /// Not one of these.
    Absence(Letter),
    Existence(Letter, Interval),
    Count(Amount, u64, Letter),
    Rate(u64, Letter, Duration),
    /// The first not without the second.
    Universality(Letter, Letter),
    /// Nothing but these.
    Only(Letter),
    Precedence(Precedence),
    Response(Response),
    Recurrence(Letter, Duration),
}

/// How far a segment has come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum Progress {
    /// Nothing to remember, or how many have come.
    Number(u64),
    /// The times of the last ones.
    Times(VecDeque<Timestamp>),
    /// The last one, or the opening.
    Last(Asked),
    Order(Order),
    Answers(Answers),
    /// The answer is no, whatever comes; because of this.
    Lost(Asked),
}

/// What an event did.
pub(super) enum Effect {
    /// The answer is still open.
    Open,
    /// Stimuli were answered, after so long.
    Answered(Durations),
    /// The answer is no.
    Lost,
}

impl Behaviour {
    pub(super) fn new(core: &RequirementCore) -> Self {
        match &core.behaviour {
            BehaviourCore::Absence(event) => Behaviour::Absence(bit(*event)),
            BehaviourCore::Existence { event, within } => Behaviour::Existence(bit(*event), *within),
            BehaviourCore::Count { amount, number, event } => Behaviour::Count(*amount, *number, bit(*event)),
            BehaviourCore::Rate { number, event, window } => Behaviour::Rate(*number, bit(*event), *window),
            BehaviourCore::Universality { named, like } => Behaviour::Universality(bit(*named), bit(*like)),
            BehaviourCore::Only(events) => Behaviour::Only(events.iter().fold(0, |all, event| all | bit(*event))),
            BehaviourCore::Precedence { causes, effects, required, within } => {
                Behaviour::Precedence(Precedence::new(causes, effects, *required, *within))
            }
            BehaviourCore::Response { stimuli, responses, without, required, within } => {
                Behaviour::Response(Response::new(stimuli, responses, *without, *required, *within))
            }
            BehaviourCore::Recurrence { event, every } => Behaviour::Recurrence(bit(*event), *every),
        }
    }

    /// Whether time alone can change something: see [`Behaviour::deadline`].
    pub(super) fn is_timed(&self) -> bool {
        match self {
            Behaviour::Existence(_, within) => within.hi.is_some(),
            Behaviour::Response(response) => response.within().hi.is_some(),
            Behaviour::Recurrence(..) => true,
            Behaviour::Absence(_)
            | Behaviour::Count(..)
            | Behaviour::Rate(..)
            | Behaviour::Universality(..)
            | Behaviour::Only(_)
            | Behaviour::Precedence(_) => false,
        }
    }

    /// A segment in which nothing has happened.
    pub(super) fn start(&self, opened: Asked) -> Progress {
        match self {
            Behaviour::Absence(_)
            | Behaviour::Existence(..)
            | Behaviour::Count(..)
            | Behaviour::Universality(..)
            | Behaviour::Only(_) => Progress::Number(0),
            Behaviour::Rate(..) => Progress::Times(VecDeque::new()),
            Behaviour::Precedence(_) => Progress::Order(Order::default()),
            Behaviour::Response(_) => Progress::Answers(Answers::default()),
            Behaviour::Recurrence(..) => Progress::Last(opened),
        }
    }

    /// An event of the segment that `opened`.
    #[inline]
    pub(super) fn step(&self, progress: &mut Progress, letter: Letter, now: Asked, opened: Asked) -> Effect {
        let stands = match (self, &mut *progress) {
            (Behaviour::Response(response), Progress::Answers(answers)) => {
                return response.step(answers, letter, now).map_or(Effect::Open, Effect::Answered);
            }
            (Behaviour::Absence(event), _) => !has(letter, *event),
            (Behaviour::Existence(event, within), Progress::Number(number)) => {
                *number |= u64::from(has(letter, *event) && within.contains(now.time() - opened.time()));
                true
            }
            (Behaviour::Count(amount, most, event), Progress::Number(number)) => {
                let more = has(letter, *event);
                // More than one too many need not be told apart.
                *number = number.saturating_add(u64::from(more)).min(most.saturating_add(1));
                *amount == Amount::AtLeast || *number <= *most
            }
            (Behaviour::Rate(most, event, window), Progress::Times(times)) => {
                !has(letter, *event) || keeps_rate(times, *most, *window, now.time())
            }
            (Behaviour::Universality(named, like), _) => !has(letter, *named) || has(letter, *like),
            (Behaviour::Only(events), _) => has(letter, *events),
            (Behaviour::Precedence(precedence), Progress::Order(order)) => precedence.step(order, letter, now.time()),
            (Behaviour::Recurrence(event, _), Progress::Last(last)) => {
                if has(letter, *event) {
                    *last = now;
                }
                true
            }
            _ => true,
        };
        if stands {
            return Effect::Open;
        }
        *progress = Progress::Lost(now);
        Effect::Lost
    }

    /// Whether an event of the segment does anything.
    pub(super) fn reacts(&self, progress: &Progress, letter: Letter) -> bool {
        match (self, progress) {
            (_, Progress::Lost(_)) => false,
            (Behaviour::Response(response), Progress::Answers(answers)) => response.reacts(answers, letter),
            (Behaviour::Precedence(precedence), Progress::Order(order)) => precedence.reacts(order, letter),
            (Behaviour::Existence(event, _), Progress::Number(number)) => *number == 0 && has(letter, *event),
            (Behaviour::Count(Amount::AtLeast, most, event), Progress::Number(number)) => {
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
            (Behaviour::Only(events), _) => !has(letter, *events),
            (Behaviour::Response(_) | Behaviour::Precedence(_), _) => true,
        }
    }

    /// After which time the answer is no, unless something comes; and how that time is written.
    pub(super) fn deadline(&self, progress: &Progress, opened: Asked) -> Option<Deadline> {
        let told = |from: Asked, within: Interval| {
            let last = from.time().saturating_add(within.hi?);
            let told = from.time().saturating_add(within.written_hi()?);
            Some(Deadline { last, told, because: from })
        };
        match (self, progress) {
            (Behaviour::Existence(_, within), Progress::Number(0)) => told(opened, *within),
            (Behaviour::Response(response), Progress::Answers(answers)) => {
                response.within().hi?;
                told(answers.oldest()?, response.within())
            }
            (Behaviour::Recurrence(_, every), Progress::Last(last)) => {
                let time = last.time().saturating_add(*every);
                Some(Deadline { last: time, told: time, because: *last })
            }
            _ => None,
        }
    }

    /// The answer if the segment ended at this time.
    pub(super) fn is_met(&self, progress: &Progress, end: Timestamp) -> bool {
        match (self, progress) {
            (_, Progress::Lost(_)) => false,
            (Behaviour::Existence(..), Progress::Number(number)) => *number > 0,
            (Behaviour::Count(amount, bound, _), Progress::Number(number)) => match amount {
                Amount::AtMost => number <= bound,
                Amount::AtLeast => number >= bound,
                Amount::Exactly => number == bound,
            },
            (Behaviour::Precedence(precedence), Progress::Order(order)) => precedence.is_met(order),
            (Behaviour::Response(response), Progress::Answers(answers)) => response.is_met(answers),
            (Behaviour::Recurrence(_, every), Progress::Last(last)) => end - last.time() <= *every,
            _ => true,
        }
    }

    /// Whether the answer is yes, whatever comes.
    pub(super) fn is_safe(&self, progress: &Progress) -> bool {
        match (self, progress) {
            (Behaviour::Existence(..), Progress::Number(number)) => *number > 0,
            (Behaviour::Count(Amount::AtLeast, bound, _), Progress::Number(number)) => number >= bound,
            (Behaviour::Precedence(precedence), Progress::Order(order)) => precedence.is_safe(order),
            _ => false,
        }
    }
}

/// The end of a time in which something must come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    /// The last moment of it.
    pub(super) last: Timestamp,
    /// The same, as it is written.
    pub(super) told: Timestamp,
    /// What the time is counted from.
    pub(super) because: Asked,
}

/// Whether one more keeps to at most so many in a window.
fn keeps_rate(times: &mut VecDeque<Timestamp>, most: u64, window: Duration, now: Timestamp) -> bool {
    while times.front().is_some_and(|time| now - *time > window) {
        times.pop_front();
    }
    times.push_back(now);
    times.len() as u64 <= most
}
