// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of a segment with respect to a behaviour.

use gnomon_ir::{Atom, Behaviour, Bounds, CountBound};

use crate::deterministic::{Answerer, EventQuestion};

/// Progress of a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SegmentProgress {
    /// Nothing has been wrong so far.
    Fine,
    /// The required event has not happened.
    Missing,
    /// Number of events so far.
    Count(u64),
    /// Causes and effects that nothing explains, in turn.
    Order {
        /// Number of causes that have come, in order.
        causes: usize,
        /// Number of effects that have come without them.
        effects: usize,
    },
    /// Stimuli and responses, in turn.
    Answer {
        /// Number of stimuli that have come, in order.
        stimuli: usize,
        /// Number of responses since the last stimulus; `None` if it is answered or there was none.
        responses: Option<usize>,
    },
    /// The answer is yes, whatever comes.
    Yes,
    /// The answer is no, whatever comes.
    No,
}

/// Asks if the event matches an atom.
fn is(answerer: &mut Answerer<'_>, atom: &Atom) -> bool {
    answerer(EventQuestion::event(atom))
}

/// Asks if the event is in time, where the behaviour has a bound.
fn in_time(answerer: &mut Answerer<'_>, within: Option<&Bounds>) -> bool {
    within.is_none() || answerer(EventQuestion::Other("in time".to_owned()))
}

impl SegmentProgress {
    /// Returns the progress at the opening.
    pub fn begin(behaviour: &Behaviour) -> SegmentProgress {
        match behaviour {
            Behaviour::Existence { .. } => SegmentProgress::Missing,
            Behaviour::Count { amount: CountBound::AtLeast, number: 0, .. } => SegmentProgress::Yes,
            Behaviour::Count { .. } => SegmentProgress::Count(0),
            Behaviour::Precedence { .. } => SegmentProgress::Order { causes: 0, effects: 0 },
            Behaviour::Response { .. } => SegmentProgress::Answer { stimuli: 0, responses: None },
            Behaviour::Absence(_)
            | Behaviour::Universality(_)
            | Behaviour::Only(_)
            | Behaviour::Rate { .. }
            | Behaviour::Recurrence { .. } => SegmentProgress::Fine,
        }
    }

    /// The answer if the segment ended now.
    pub fn answer(&self, behaviour: &Behaviour) -> bool {
        match (self, behaviour) {
            (SegmentProgress::Missing | SegmentProgress::No, _) => false,
            (SegmentProgress::Count(count), Behaviour::Count { amount, number, .. }) => match amount {
                CountBound::AtMost => count <= number,
                CountBound::AtLeast => count >= number,
                CountBound::Exactly => count == number,
            },
            (SegmentProgress::Order { causes, .. }, Behaviour::Precedence { required, .. }) => !required || *causes > 0,
            (SegmentProgress::Answer { stimuli, responses }, Behaviour::Response { required, .. }) => {
                responses.is_none() && (!required || *stimuli > 0)
            }
            _ => true,
        }
    }

    /// Describes the deadline that may pass, if there is one.
    pub fn after_deadline(&self, behaviour: &Behaviour) -> Option<String> {
        let past = |within: &Option<Bounds>| within.and_then(|within| within.hi).map(|hi| format!("{hi} have passed"));
        match (self, behaviour) {
            (SegmentProgress::Missing, Behaviour::Existence { within, .. })
            | (SegmentProgress::Answer { responses: Some(_), .. }, Behaviour::Response { within, .. }) => past(within),
            (SegmentProgress::Fine, Behaviour::Recurrence { every, .. }) => {
                Some(format!("more than {every} without one"))
            }
            _ => None,
        }
    }

    /// After an event of the segment.
    #[must_use]
    pub fn next(&self, behaviour: &Behaviour, answerer: &mut Answerer<'_>) -> SegmentProgress {
        let or_no =
            |is_fine: bool, progress: &SegmentProgress| if is_fine { progress.clone() } else { SegmentProgress::No };
        match (self, behaviour) {
            (SegmentProgress::Yes | SegmentProgress::No, _) => self.clone(),
            (_, Behaviour::Absence(event)) => or_no(!is(answerer, event), self),
            (_, Behaviour::Universality(event)) => {
                let fine = is(answerer, event) || !answerer(EventQuestion::Other(format!("another {}", event.name)));
                or_no(fine, self)
            }
            (_, Behaviour::Only(events)) => or_no(events.iter().any(|event| is(answerer, event)), self),
            (_, Behaviour::Existence { event, within }) => {
                if is(answerer, event) && in_time(answerer, within.as_ref()) {
                    SegmentProgress::Yes
                } else {
                    self.clone()
                }
            }
            (_, Behaviour::Rate { number, event, .. }) => {
                let too_many = |answerer: &mut Answerer<'_>| {
                    *number == 0 || answerer(EventQuestion::Other(format!("the {number} before it too close")))
                };
                or_no(!(is(answerer, event) && too_many(answerer)), self)
            }
            (_, Behaviour::Recurrence { event, .. }) => {
                // It makes no difference here, but it is what keeps the segment well.
                is(answerer, event);
                self.clone()
            }
            (SegmentProgress::Count(count), Behaviour::Count { amount, number, event }) => {
                let count = count + u64::from(is(answerer, event));
                match amount {
                    CountBound::AtLeast if count >= *number => SegmentProgress::Yes,
                    CountBound::AtMost | CountBound::Exactly if count > *number => SegmentProgress::No,
                    _ => SegmentProgress::Count(count),
                }
            }
            (SegmentProgress::Order { causes, effects }, Behaviour::Precedence { .. }) => {
                order(behaviour, *causes, *effects, answerer)
            }
            (SegmentProgress::Answer { stimuli, responses }, Behaviour::Response { .. }) => {
                answer(behaviour, *stimuli, *responses, answerer)
            }
            _ => self.clone(),
        }
    }

    /// Returns the text for drawings.
    pub fn words(&self, behaviour: &Behaviour) -> String {
        let name = |atom: &Atom| atom.name.clone();
        match (self, behaviour) {
            (SegmentProgress::Fine, _) => "nothing wrong".to_owned(),
            (SegmentProgress::Missing, Behaviour::Existence { event, .. }) => format!("{} is missing", name(event)),
            (SegmentProgress::Count(count), Behaviour::Count { event, .. }) => format!("{count} {}", name(event)),
            (SegmentProgress::Order { causes, effects }, Behaviour::Precedence { causes: all, effects: later, .. }) => {
                let listed = |atoms: &[Atom]| atoms.iter().map(name).collect::<Vec<_>>().join(", ");
                match (causes, effects) {
                    (0, 0) => format!("no {} yet", all.first().map(name).unwrap_or_default()),
                    (_, 0) => format!("{} seen", listed(&all[..*causes])),
                    (_, _) => {
                        format!("{} seen, {} without a cause", listed(&all[..*causes]), listed(&later[..*effects]))
                    }
                }
            }
            (
                SegmentProgress::Answer { responses, stimuli },
                Behaviour::Response { responses: all, stimuli: asks, required, .. },
            ) => match responses {
                Some(done) => format!("waiting for {}", all.get(*done).map(name).unwrap_or_default()),
                None if *stimuli > 0 && *stimuli < asks.len() => {
                    format!("{} seen", asks[..*stimuli].iter().map(name).collect::<Vec<_>>().join(", "))
                }
                None if *required && *stimuli == 0 => {
                    format!("{} is missing", asks.first().map(name).unwrap_or_default())
                }
                None => "nothing to answer".to_owned(),
            },
            (SegmentProgress::Yes, _) => "satisfied, whatever follows".to_owned(),
            (SegmentProgress::No, _) => "broken".to_owned(),
            // A behaviour never has the progress of another one.
            _ => String::new(),
        }
    }
}

fn order(behaviour: &Behaviour, causes: usize, effects: usize, answerer: &mut Answerer<'_>) -> SegmentProgress {
    let Behaviour::Precedence { causes: all, effects: later, within, .. } = behaviour else {
        return SegmentProgress::Yes;
    };
    let untimed = within.is_none();
    let complete = causes == all.len();
    let one_each = all.len() == 1 && later.len() == 1;
    if one_each && !complete && is(answerer, &all[0]) {
        // One event may be both. In time, it is its own cause only if no distance is asked for.
        return if untimed { SegmentProgress::Yes } else { timed_effect(&later[0], 1, answerer) };
    }
    if !untimed && complete && later.len() == 1 {
        return timed_effect(&later[0], causes, answerer);
    }
    // The next effect first: what comes with the last cause is not yet explained by it.
    let explained = complete && (untimed || answerer(EventQuestion::Other("the causes in time".to_owned())));
    let mut unexplained = effects;
    if let Some(effect) = later.get(effects)
        && (effects > 0 || !explained)
        && is(answerer, effect)
    {
        unexplained += 1;
    }
    if unexplained == later.len() {
        return SegmentProgress::No;
    }
    let causes = causes + usize::from(!complete && is(answerer, &all[causes]));
    if causes == all.len() && unexplained == 0 && untimed {
        return SegmentProgress::Yes;
    }
    SegmentProgress::Order { causes, effects: unexplained }
}

/// An effect whose cause has come, but perhaps too long ago, or not long enough.
fn timed_effect(effect: &Atom, causes: usize, answerer: &mut Answerer<'_>) -> SegmentProgress {
    if is(answerer, effect) && !answerer(EventQuestion::Other("the cause in time".to_owned())) {
        return SegmentProgress::No;
    }
    SegmentProgress::Order { causes, effects: 0 }
}

fn answer(
    behaviour: &Behaviour,
    stimuli: usize,
    responses: Option<usize>,
    answerer: &mut Answerer<'_>,
) -> SegmentProgress {
    let Behaviour::Response { stimuli: asks, responses: all, without, within, required } = behaviour else {
        return SegmentProgress::Yes;
    };
    let mut waits = responses;
    if let Some(done) = responses {
        let is_last = done + 1 == all.len();
        let next = is(answerer, &all[done]) && (done > 0 || in_time(answerer, within.as_ref()));
        let spoilt = |answerer: &mut Answerer<'_>| without.as_ref().is_some_and(|without| is(answerer, without));
        waits = if next && is_last {
            None
        } else if done > 0 && spoilt(answerer) {
            Some(usize::from(is(answerer, &all[0])))
        } else {
            Some(done + usize::from(next))
        };
    }
    // A stimulus at this event is answered later.
    let last = asks.len() - 1;
    let asks_now = stimuli >= last && is(answerer, &asks[last]);
    let stimuli = if stimuli < last { stimuli + usize::from(is(answerer, &asks[stimuli])) } else { stimuli };
    // That there was a whole stimulus matters only where one is required.
    let most = if *required { asks.len() } else { last };
    if asks_now {
        return SegmentProgress::Answer { stimuli: most, responses: Some(0) };
    }
    SegmentProgress::Answer { stimuli, responses: waits }
}
