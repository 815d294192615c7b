// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluation of a behaviour on the first events of a segment: its truth value at the end, and conclusions before.

use gnomon_core::{Duration, Interval, Timestamp};
use gnomon_ir::{AtomId, BehaviourCore, CountBound};

use super::EventMatches;

/// The first events of a segment, or all of them.
pub(super) struct SegmentPrefix<'a> {
    pub(super) behaviour: &'a BehaviourCore,
    /// The time of the opening.
    pub(super) opened: Timestamp,
    pub(super) events: &'a [EventMatches],
}

impl SegmentPrefix<'_> {
    /// The answer of a segment that ended at this time with these events.
    // RULE R6, R7, R8, R9, R10, R11
    pub(super) fn answer(&self, end: Timestamp) -> bool {
        match self.behaviour {
            BehaviourCore::Existence { event, within } => self.exists(*event, *within),
            BehaviourCore::Count { amount: CountBound::AtLeast | CountBound::Exactly, number, event } => {
                self.count(*event) >= *number && !self.is_broken()
            }
            BehaviourCore::Precedence { causes, required, .. } => {
                !self.is_broken() && (!required || self.occurs(causes[0]))
            }
            BehaviourCore::Response { stimuli, responses, without, required, within } => {
                let is_answered = |stimulus| self.answer_to(stimulus, responses, *without, *within).is_some();
                self.stimulated(stimuli).into_iter().all(is_answered) && (!required || self.occurs(stimuli[0]))
            }
            BehaviourCore::Recurrence { .. } => self.overdue(end).is_none(),
            BehaviourCore::Absence(_)
            | BehaviourCore::Count { amount: CountBound::AtMost, .. }
            | BehaviourCore::Rate { .. }
            | BehaviourCore::Universality { .. }
            | BehaviourCore::Only(_) => !self.is_broken(),
        }
    }

    /// Returns true if these events violate the behaviour, whatever follows.
    // RULE R12
    pub(super) fn is_broken(&self) -> bool {
        match self.behaviour {
            BehaviourCore::Absence(event) => self.occurs(*event),
            BehaviourCore::Count { amount: CountBound::AtMost | CountBound::Exactly, number, event } => {
                self.count(*event) > *number
            }
            BehaviourCore::Rate { number, event, window } => {
                let times = self.times(*event);
                let step = usize::try_from(*number).unwrap_or(usize::MAX);
                times.iter().zip(times.iter().skip(step)).any(|(first, last)| *last - *first <= *window)
            }
            BehaviourCore::Universality { named, like } => {
                self.events.iter().any(|event| event.is(*named) && !event.is(*like))
            }
            BehaviourCore::Only(allowed) => self.events.iter().any(|event| !allowed.iter().any(|atom| event.is(*atom))),
            BehaviourCore::Precedence { effects, .. } => {
                chains(effects, self.events).iter().any(|chain| !self.is_preceded(chain[0]))
            }
            BehaviourCore::Existence { .. }
            | BehaviourCore::Count { amount: CountBound::AtLeast, .. }
            | BehaviourCore::Response { .. }
            | BehaviourCore::Recurrence { .. } => false,
        }
    }

    /// The first deadline that has passed unmet when it is this time and no other event has come.
    // RULE R12, R14
    pub(super) fn overdue(&self, now: Timestamp) -> Option<Timestamp> {
        let missed = |from: Timestamp, within: Interval| {
            within.written_hi().filter(|_| within.is_past(now - from)).map(|written| from.saturating_add(written))
        };
        match self.behaviour {
            BehaviourCore::Existence { event, within } if !self.exists(*event, *within) => missed(self.opened, *within),
            BehaviourCore::Response { stimuli, responses, without, within, .. } => {
                let open = self.stimulated(stimuli).into_iter();
                let open = open.filter(|stimulus| self.answer_to(*stimulus, responses, *without, *within).is_none());
                open.filter_map(|stimulus| missed(self.events[stimulus].time, *within)).min()
            }
            BehaviourCore::Recurrence { event, every } => self.pause(*event, *every, now),
            _ => None,
        }
    }

    /// Returns true if these events satisfy the behaviour, whatever follows.
    // RULE R13
    pub(super) fn is_sure(&self) -> bool {
        match self.behaviour {
            BehaviourCore::Existence { event, within } => self.exists(*event, *within),
            BehaviourCore::Count { amount: CountBound::AtLeast, number, event } => self.count(*event) >= *number,
            BehaviourCore::Precedence { causes, effects, within, .. } => {
                let effects = chains(&effects[..1], self.events);
                *within == Interval::ANY
                    && !chains(causes, self.events).is_empty()
                    && effects.iter().all(|effect| self.is_preceded(effect[0]))
            }
            _ => false,
        }
    }

    /// Each event that ends a sequence of stimuli and is answered, with the event that completes the earliest answer.
    // RULE R16
    pub(super) fn answered(&self) -> Vec<(usize, usize)> {
        let BehaviourCore::Response { stimuli, responses, without, within, .. } = self.behaviour else { return vec![] };
        let stimulated = self.stimulated(stimuli).into_iter();
        stimulated.filter_map(|at| Some((at, self.answer_to(at, responses, *without, *within)?))).collect()
    }

    fn occurs(&self, atom: AtomId) -> bool {
        self.events.iter().any(|event| event.is(atom))
    }

    fn times(&self, atom: AtomId) -> Vec<Timestamp> {
        self.events.iter().filter(|event| event.is(atom)).map(|event| event.time).collect()
    }

    fn count(&self, atom: AtomId) -> u64 {
        self.times(atom).len() as u64
    }

    // RULE R6
    fn exists(&self, atom: AtomId, within: Interval) -> bool {
        self.times(atom).into_iter().any(|time| within.contains(time - self.opened))
    }

    /// Returns true if the causes precede this first effect.
    // RULE R9
    fn is_preceded(&self, effect: usize) -> bool {
        let BehaviourCore::Precedence { causes, effects, within, .. } = self.behaviour else { return true };
        let may_coincide = causes.len() == 1 && effects.len() == 1;
        let distance = |cause: usize| self.events[effect].time - self.events[cause].time;
        chains(causes, self.events).iter().any(|chain| {
            let last = chain[chain.len() - 1];
            (last < effect || (may_coincide && last == effect))
                && chain.iter().all(|cause| within.contains(distance(*cause)))
        })
    }

    /// The events that end a sequence of stimuli, each once.
    // RULE R10
    fn stimulated(&self, stimuli: &[AtomId]) -> Vec<usize> {
        let chains = chains(stimuli, self.events);
        (0..self.events.len()).filter(|index| chains.iter().any(|chain| chain.last() == Some(index))).collect()
    }

    /// The event that completes the earliest answer to a stimulus.
    // RULE R10
    fn answer_to(
        &self,
        stimulus: usize,
        responses: &[AtomId],
        without: Option<AtomId>,
        within: Interval,
    ) -> Option<usize> {
        let distance = |response: usize| self.events[response].time - self.events[stimulus].time;
        let is_undisturbed = |chain: &[usize]| {
            let between = chain[0] + 1..chain[chain.len() - 1].max(chain[0] + 1);
            without.is_none_or(|atom| !self.events[between].iter().any(|event| event.is(atom)))
        };
        let answers = chains(responses, self.events).into_iter().filter(|chain| {
            chain[0] > stimulus
                && chain.iter().all(|response| within.contains(distance(*response)))
                && is_undisturbed(chain)
        });
        answers.map(|chain| chain[chain.len() - 1]).min()
    }

    /// The end of the first pause that is too long.
    // RULE R11
    fn pause(&self, atom: AtomId, every: Duration, now: Timestamp) -> Option<Timestamp> {
        let times = self.times(atom);
        let starts = std::iter::once(self.opened).chain(times.iter().copied());
        let ends = times.iter().copied().chain([now]);
        let mut too_long = starts.zip(ends).filter(|(start, end)| *end - *start > every);
        too_long.next().map(|(start, _)| start.saturating_add(every))
    }
}

/// Returns every choice of events that match these atoms in this order, each later than the one before it.
// RULE R9, R10
fn chains(atoms: &[AtomId], events: &[EventMatches]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![vec![]];
    for atom in atoms {
        let longer = |chain: &Vec<usize>| {
            let from = chain.last().map_or(0, |last| last + 1);
            let chain = chain.clone();
            let next = (from..events.len()).filter(|index| events[*index].is(*atom));
            next.map(move |index| [chain.as_slice(), &[index]].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}
