// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses inside a segment: stimuli that wait for their responses, counted in groups that one event answers together.
// RULE R10, R16

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Durations;
use gnomon_ir::core::AtomId;
use serde::{Deserialize, Serialize};

use super::{AtomMask, Letter, bit, has};
use crate::slice::machines::recorder::Activation;

/// A chain of stimuli and the chain of responses that must follow.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// All stimuli but the last, in order.
    lead: Vec<AtomMask>,
    /// The last stimulus.
    asks: AtomMask,
    /// The responses, in order.
    steps: Vec<AtomMask>,
    /// The event that restarts the responses, if there is one.
    without: AtomMask,
    required: bool,
    within: Interval,
    /// One stimulus, one response, at any distance from 0 on.
    simple: bool,
}

/// The progress of the stimuli and responses of a segment.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct ResponseProgress {
    /// The number of leading stimuli that have come.
    lead: u16,
    /// A required stimulus has come.
    has_stimulus: bool,
    pending: PendingStimuli,
}

/// Stimuli without a response, nearly always none or one.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
enum PendingStimuli {
    #[default]
    None,
    One(Activation),
    Many(Box<WaitingStimuli>),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct WaitingStimuli {
    /// Stimuli that are too recent for the first response, oldest first.
    young: VecDeque<Activation>,
    /// For each response, the stimuli that wait for it.
    stages: Vec<Option<StimulusGroup>>,
}

/// Stimuli that wait for the same response.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct StimulusGroup {
    first: Activation,
    last: Timestamp,
    times: i128,
    count: u64,
}

impl StimulusGroup {
    fn of(one: Activation) -> Self {
        let time = one.time();
        StimulusGroup { first: one, last: time, times: time.ticks(), count: 1 }
    }

    fn join(self, other: StimulusGroup) -> StimulusGroup {
        StimulusGroup {
            first: if other.first.position() < self.first.position() { other.first } else { self.first },
            last: self.last.max(other.last),
            times: self.times + other.times,
            count: self.count + other.count,
        }
    }

    /// Returns the durations until now.
    fn waited(&self, now: Timestamp) -> Durations {
        let sum = now.ticks() * i128::from(self.count) - self.times;
        Durations { min: now - self.last, max: now - self.first.time(), sum, count: self.count }
    }
}

fn join(into: &mut Option<StimulusGroup>, group: StimulusGroup) {
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
        let steps: Vec<AtomMask> = responses.iter().map(|atom| bit(*atom)).collect();
        let simple = lead.is_empty() && steps.len() == 1 && within.lo <= Duration::ZERO;
        Response {
            lead: lead.iter().map(|atom| bit(*atom)).collect(),
            asks: bit(*last),
            steps,
            without: without.map(bit).unwrap_or_default(),
            required,
            within,
            simple,
        }
    }

    /// The stimuli.
    pub(super) fn stimuli(&self) -> impl Iterator<Item = AtomMask> {
        self.lead.iter().copied().chain([self.asks])
    }

    pub(super) fn is_required(&self) -> bool {
        self.required
    }

    /// Takes an event of the segment. Returns the waiting times of the stimuli that it answers.
    #[inline]
    pub(super) fn step(
        &self,
        answers: &mut ResponseProgress,
        letter: impl Letter,
        now: Activation,
    ) -> Option<Durations> {
        let answered = match &mut answers.pending {
            PendingStimuli::None => None,
            PendingStimuli::One(one) => {
                let met = has(letter, self.steps[0]);
                let waited = met.then(|| StimulusGroup::of(*one).waited(now.time()));
                if met {
                    answers.pending = PendingStimuli::None;
                }
                waited
            }
            PendingStimuli::Many(waiting) => {
                let waited = self.progress(waiting, letter, now.time());
                if waiting.is_empty() {
                    answers.pending = PendingStimuli::None;
                }
                waited
            }
        };
        if has(letter, self.asks) && usize::from(answers.lead) == self.lead.len() {
            // A stimulus that is not required is not remembered.
            answers.has_stimulus |= self.required;
            self.ask(&mut answers.pending, now);
        }
        if self.lead.get(usize::from(answers.lead)).is_some_and(|next| has(letter, *next)) {
            answers.lead += 1;
        }
        answered
    }

    /// Returns true if an event has an effect.
    pub(super) fn reacts(&self, answers: &ResponseProgress, letter: impl Letter) -> bool {
        let asks = has(letter, self.asks) && usize::from(answers.lead) == self.lead.len();
        let leads = self.lead.get(usize::from(answers.lead)).is_some_and(|next| has(letter, *next));
        asks || leads
            || match &answers.pending {
                PendingStimuli::None => false,
                PendingStimuli::One(_) => has(letter, self.steps[0]),
                PendingStimuli::Many(_) => {
                    has(letter, self.without) || self.steps.iter().any(|step| has(letter, *step))
                }
            }
    }

    fn ask(&self, pending: &mut PendingStimuli, now: Activation) {
        match pending {
            PendingStimuli::None if self.simple => *pending = PendingStimuli::One(now),
            PendingStimuli::None => {
                let mut waiting = self.no_stimuli();
                self.add(&mut waiting, now);
                *pending = PendingStimuli::Many(Box::new(waiting));
            }
            PendingStimuli::One(first) => {
                let mut waiting = self.no_stimuli();
                self.add(&mut waiting, *first);
                self.add(&mut waiting, now);
                *pending = PendingStimuli::Many(Box::new(waiting));
            }
            PendingStimuli::Many(waiting) => self.add(waiting, now),
        }
    }

    fn no_stimuli(&self) -> WaitingStimuli {
        WaitingStimuli { young: VecDeque::new(), stages: vec![None; self.steps.len()] }
    }

    fn add(&self, waiting: &mut WaitingStimuli, now: Activation) {
        if self.within.lo <= Duration::ZERO {
            join(&mut waiting.stages[0], StimulusGroup::of(now));
        } else {
            waiting.young.push_back(now);
        }
    }

    /// COST: O(responses); each recent stimulus moves to the first group once.
    fn progress(&self, waiting: &mut WaitingStimuli, letter: impl Letter, now: Timestamp) -> Option<Durations> {
        while waiting.young.front().is_some_and(|one| now - one.time() >= self.within.lo) {
            if let Some(one) = waiting.young.pop_front() {
                join(&mut waiting.stages[0], StimulusGroup::of(one));
            }
        }
        let last = self.steps.len() - 1;
        let starts_anew = has(letter, self.without);
        let mut answered = None;
        // The last stage first, so that no group advances two stages by one event.
        for stage in (0..=last).rev() {
            if stage == 0 && starts_anew {
                // An event between the first and the last response undoes the first. The last itself is not between.
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

    /// The allowed distance of a response from its stimulus.
    pub(super) fn within(&self) -> Interval {
        self.within
    }

    /// Returns true if the segment is satisfied when it ends now.
    pub(super) fn is_met(&self, answers: &ResponseProgress) -> bool {
        matches!(answers.pending, PendingStimuli::None) && (!self.required || answers.has_stimulus)
    }
}

impl ResponseProgress {
    /// The oldest stimulus that waits.
    pub(super) fn oldest(&self) -> Option<Activation> {
        match &self.pending {
            PendingStimuli::None => None,
            PendingStimuli::One(one) => Some(*one),
            PendingStimuli::Many(waiting) => {
                let grouped = waiting.stages.iter().flatten().map(|group| group.first);
                grouped.chain(waiting.young.front().copied()).min_by_key(Activation::position)
            }
        }
    }
}

impl WaitingStimuli {
    fn is_empty(&self) -> bool {
        self.young.is_empty() && self.stages.iter().all(Option::is_none)
    }
}
