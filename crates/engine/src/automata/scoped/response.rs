// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses inside a segment: stimuli that wait for their answers, in groups that share their fate.
// RULE R10, R16

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Durations;
use gnomon_ir::core::AtomId;
use serde::{Deserialize, Serialize};

use super::{Letter, bit, has};
use crate::automata::desk::Asked;

/// What answers what.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// All stimuli but the last, in order.
    lead: Vec<Letter>,
    /// The last stimulus.
    asks: Letter,
    /// The responses, in order.
    steps: Vec<Letter>,
    /// What starts the responses anew; nothing if no bit is set.
    without: Letter,
    required: bool,
    within: Interval,
    /// One stimulus, one response, at any distance from 0 on.
    simple: bool,
}

/// How far a segment has come.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Answers {
    /// How many of the leading stimuli have come.
    lead: u16,
    /// Whether a stimulus has come that had to.
    seen: bool,
    pending: Pending,
}

/// Nearly always nothing or one thing is open.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
enum Pending {
    #[default]
    None,
    One(Asked),
    Many(Box<Waiting>),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Waiting {
    /// Those that are too young for the first response, oldest first.
    young: VecDeque<Asked>,
    /// Those that wait for the first response, and for each response the ones that have come so far.
    stages: Vec<Option<Group>>,
}

/// Stimuli that have come equally far.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Group {
    first: Asked,
    last: Timestamp,
    times: i128,
    count: u64,
}

impl Group {
    fn of(one: Asked) -> Self {
        let time = one.time();
        Group { first: one, last: time, times: time.ticks(), count: 1 }
    }

    fn join(self, other: Group) -> Group {
        Group {
            first: if other.first.position() < self.first.position() { other.first } else { self.first },
            last: self.last.max(other.last),
            times: self.times + other.times,
            count: self.count + other.count,
        }
    }

    /// How long they waited for what came now.
    fn waited(&self, now: Timestamp) -> Durations {
        let sum = now.ticks() * i128::from(self.count) - self.times;
        Durations { min: now - self.last, max: now - self.first.time(), sum, count: self.count }
    }
}

fn join(into: &mut Option<Group>, group: Group) {
    *into = Some(into.map_or(group, |known| known.join(group)));
}

impl Response {
    pub(super) fn new(
        stimuli: &[AtomId],
        responses: &[AtomId],
        without: Option<AtomId>,
        required: bool,
        within: Interval,
    ) -> Self {
        let (last, lead) = stimuli.split_last().expect("the parser asks for a stimulus");
        let steps: Vec<Letter> = responses.iter().map(|atom| bit(*atom)).collect();
        let simple = lead.is_empty() && steps.len() == 1 && within.lo <= Duration::ZERO;
        Response {
            lead: lead.iter().map(|atom| bit(*atom)).collect(),
            asks: bit(*last),
            steps,
            without: without.map_or(0, bit),
            required,
            within,
            simple,
        }
    }

    /// The stimuli, a bit for each.
    pub(super) fn stimuli(&self) -> impl Iterator<Item = Letter> {
        self.lead.iter().copied().chain([self.asks])
    }

    pub(super) fn is_required(&self) -> bool {
        self.required
    }

    /// An event of the segment; how long those waited that it answers.
    #[inline]
    pub(super) fn step(&self, answers: &mut Answers, letter: Letter, now: Asked) -> Option<Durations> {
        let answered = match &mut answers.pending {
            Pending::None => None,
            Pending::One(one) => {
                let met = has(letter, self.steps[0]);
                let waited = met.then(|| Group::of(*one).waited(now.time()));
                if met {
                    answers.pending = Pending::None;
                }
                waited
            }
            Pending::Many(waiting) => {
                let waited = self.progress(waiting, letter, now.time());
                if waiting.is_empty() {
                    answers.pending = Pending::None;
                }
                waited
            }
        };
        if has(letter, self.asks) && usize::from(answers.lead) == self.lead.len() {
            // Whoever need not come leaves no trace.
            answers.seen |= self.required;
            self.ask(&mut answers.pending, now);
        }
        if self.lead.get(usize::from(answers.lead)).is_some_and(|next| has(letter, *next)) {
            answers.lead += 1;
        }
        answered
    }

    /// Whether an event does anything.
    pub(super) fn reacts(&self, answers: &Answers, letter: Letter) -> bool {
        let asks = has(letter, self.asks) && usize::from(answers.lead) == self.lead.len();
        let leads = self.lead.get(usize::from(answers.lead)).is_some_and(|next| has(letter, *next));
        asks || leads
            || match &answers.pending {
                Pending::None => false,
                Pending::One(_) => has(letter, self.steps[0]),
                Pending::Many(_) => has(letter, self.without) || self.steps.iter().any(|step| has(letter, *step)),
            }
    }

    fn ask(&self, pending: &mut Pending, now: Asked) {
        match pending {
            Pending::None if self.simple => *pending = Pending::One(now),
            Pending::None => {
                let mut waiting = self.nobody();
                self.add(&mut waiting, now);
                *pending = Pending::Many(Box::new(waiting));
            }
            Pending::One(first) => {
                let mut waiting = self.nobody();
                self.add(&mut waiting, *first);
                self.add(&mut waiting, now);
                *pending = Pending::Many(Box::new(waiting));
            }
            Pending::Many(waiting) => self.add(waiting, now),
        }
    }

    fn nobody(&self) -> Waiting {
        Waiting { young: VecDeque::new(), stages: vec![None; self.steps.len()] }
    }

    fn add(&self, waiting: &mut Waiting, now: Asked) {
        if self.within.lo <= Duration::ZERO {
            join(&mut waiting.stages[0], Group::of(now));
        } else {
            waiting.young.push_back(now);
        }
    }

    /// COST: O(responses), and each stimulus ripens once.
    fn progress(&self, waiting: &mut Waiting, letter: Letter, now: Timestamp) -> Option<Durations> {
        while waiting.young.front().is_some_and(|one| now - one.time() >= self.within.lo) {
            if let Some(one) = waiting.young.pop_front() {
                join(&mut waiting.stages[0], Group::of(one));
            }
        }
        let last = self.steps.len() - 1;
        let starts_anew = has(letter, self.without);
        let mut answered = None;
        // Whoever has come furthest first, so that nobody takes two steps at once.
        for stage in (0..=last).rev() {
            if stage == 0 && starts_anew {
                // What comes between the first response and the last undoes the first. The last itself is not between.
                for undone in 1..=last {
                    if let Some(group) = waiting.stages[undone].take() {
                        join(&mut waiting.stages[0], group);
                    }
                }
            }
            if !has(letter, self.steps[stage]) {
                continue;
            }
            if let Some(group) = waiting.stages[stage].take() {
                if stage == last {
                    answered = Some(group.waited(now));
                } else {
                    join(&mut waiting.stages[stage + 1], group);
                }
            }
        }
        answered
    }

    /// How far apart stimulus and response may be.
    pub(super) fn within(&self) -> Interval {
        self.within
    }

    /// The answer if the segment ended now.
    pub(super) fn is_met(&self, answers: &Answers) -> bool {
        matches!(answers.pending, Pending::None) && (!self.required || answers.seen)
    }
}

impl Answers {
    /// The oldest stimulus that waits.
    pub(super) fn oldest(&self) -> Option<Asked> {
        match &self.pending {
            Pending::None => None,
            Pending::One(one) => Some(*one),
            Pending::Many(waiting) => {
                let grouped = waiting.stages.iter().flatten().map(|group| group.first);
                grouped.chain(waiting.young.front().copied()).min_by_key(Asked::position)
            }
        }
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.young.is_empty() && self.stages.iter().all(Option::is_none)
    }
}
