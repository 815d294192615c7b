// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a segment has come with a behaviour.

use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Amount, Behaviour};

use crate::deterministic::{Asked, Question};

/// How far a segment has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Nothing has been wrong so far.
    Fine,
    /// What must happen has not happened.
    Missing,
    /// So many have happened.
    Count(u64),
    /// Causes and effects that nothing explains, in turn.
    Order {
        /// How many of the causes have come.
        causes: usize,
        /// How many of the effects have come without them.
        effects: usize,
    },
    /// Stimuli and responses, in turn.
    Answer {
        /// How many of the stimuli have come.
        stimuli: usize,
        /// How many of the responses have come since the last stimulus; `None`: it is answered, or there was none.
        responses: Option<usize>,
    },
    /// The answer is yes, whatever comes.
    Yes,
    /// The answer is no, whatever comes.
    No,
}

/// Whether an event matches.
fn is(asked: &mut Asked<'_>, atom: &Atom) -> bool {
    asked(Question::event(atom))
}

/// Whether an event is in time, if that matters.
fn in_time(asked: &mut Asked<'_>, within: Option<&Bounds>) -> bool {
    within.is_none() || asked(Question::Other("in time".to_owned()))
}

impl Progress {
    /// At the opening.
    pub fn begin(behaviour: &Behaviour) -> Progress {
        match behaviour {
            Behaviour::Existence { .. } => Progress::Missing,
            Behaviour::Count { amount: Amount::AtLeast, number: 0, .. } => Progress::Yes,
            Behaviour::Count { .. } => Progress::Count(0),
            Behaviour::Precedence { .. } => Progress::Order { causes: 0, effects: 0 },
            Behaviour::Response { .. } => Progress::Answer { stimuli: 0, responses: None },
            Behaviour::Absence(_)
            | Behaviour::Universality(_)
            | Behaviour::Only(_)
            | Behaviour::Rate { .. }
            | Behaviour::Recurrence { .. } => Progress::Fine,
        }
    }

    /// The answer if the segment ended now.
    pub fn answer(&self, behaviour: &Behaviour) -> bool {
        match (self, behaviour) {
            (Progress::Missing | Progress::No, _) => false,
            (Progress::Count(count), Behaviour::Count { amount, number, .. }) => match amount {
                Amount::AtMost => count <= number,
                Amount::AtLeast => count >= number,
                Amount::Exactly => count == number,
            },
            (Progress::Order { causes, .. }, Behaviour::Precedence { required, .. }) => !required || *causes > 0,
            (Progress::Answer { stimuli, responses }, Behaviour::Response { required, .. }) => {
                responses.is_none() && (!required || *stimuli > 0)
            }
            _ => true,
        }
    }

    /// What may happen when time passes.
    pub fn passing(&self, behaviour: &Behaviour) -> Option<String> {
        let past = |within: &Option<Bounds>| within.and_then(|within| within.hi).map(|hi| format!("{hi} have passed"));
        match (self, behaviour) {
            (Progress::Missing, Behaviour::Existence { within, .. })
            | (Progress::Answer { responses: Some(_), .. }, Behaviour::Response { within, .. }) => past(within),
            (Progress::Fine, Behaviour::Recurrence { every, .. }) => Some(format!("more than {every} without one")),
            _ => None,
        }
    }

    /// After an event of the segment.
    #[must_use]
    pub fn next(&self, behaviour: &Behaviour, asked: &mut Asked<'_>) -> Progress {
        let or_no = |is_fine: bool, progress: &Progress| if is_fine { progress.clone() } else { Progress::No };
        match (self, behaviour) {
            (Progress::Yes | Progress::No, _) => self.clone(),
            (_, Behaviour::Absence(event)) => or_no(!is(asked, event), self),
            (_, Behaviour::Universality(event)) => {
                let named = Atom { arguments: None, condition: None, ..event.clone() };
                let fine = is(asked, event) || !asked(Question::Other(format!("another {}", named.name)));
                or_no(fine, self)
            }
            (_, Behaviour::Only(events)) => or_no(events.iter().any(|event| is(asked, event)), self),
            (_, Behaviour::Existence { event, within }) => {
                if is(asked, event) && in_time(asked, within.as_ref()) {
                    Progress::Yes
                } else {
                    self.clone()
                }
            }
            (_, Behaviour::Rate { number, event, .. }) => {
                let too_many = |asked: &mut Asked<'_>| {
                    *number == 0 || asked(Question::Other(format!("the {number} before it too close")))
                };
                or_no(!(is(asked, event) && too_many(asked)), self)
            }
            (_, Behaviour::Recurrence { event, .. }) => {
                // It makes no difference here, but it is what keeps the segment well.
                is(asked, event);
                self.clone()
            }
            (Progress::Count(count), Behaviour::Count { amount, number, event }) => {
                let count = count + u64::from(is(asked, event));
                match amount {
                    Amount::AtLeast if count >= *number => Progress::Yes,
                    Amount::AtMost | Amount::Exactly if count > *number => Progress::No,
                    _ => Progress::Count(count),
                }
            }
            (Progress::Order { causes, effects }, Behaviour::Precedence { .. }) => {
                order(behaviour, *causes, *effects, asked)
            }
            (Progress::Answer { stimuli, responses }, Behaviour::Response { .. }) => {
                answer(behaviour, *stimuli, *responses, asked)
            }
            _ => self.clone(),
        }
    }

    /// What it is called in a drawing.
    pub fn words(&self, behaviour: &Behaviour) -> String {
        let name = |atom: &Atom| atom.name.clone();
        match (self, behaviour) {
            (Progress::Fine, _) => "nothing wrong".to_owned(),
            (Progress::Missing, Behaviour::Existence { event, .. }) => format!("{} is missing", name(event)),
            (Progress::Missing, _) => "something is missing".to_owned(),
            (Progress::Count(count), Behaviour::Count { event, .. }) => format!("{count} {}", name(event)),
            (Progress::Count(count), _) => count.to_string(),
            (Progress::Order { causes, effects }, Behaviour::Precedence { causes: all, effects: later, .. }) => {
                let seen = |atoms: &[Atom]| atoms.iter().map(name).collect::<Vec<_>>().join(", ");
                match (causes, effects) {
                    (0, 0) => format!("no {} yet", all.first().map(name).unwrap_or_default()),
                    (_, 0) => format!("{} seen", seen(&all[..*causes])),
                    (_, _) => format!("{} seen, {} without a cause", seen(&all[..*causes]), seen(&later[..*effects])),
                }
            }
            (
                Progress::Answer { responses, stimuli },
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
            (Progress::Order { .. } | Progress::Answer { .. }, _) => String::new(),
            (Progress::Yes, _) => "all is well, whatever comes".to_owned(),
            (Progress::No, _) => "broken".to_owned(),
        }
    }
}

fn order(behaviour: &Behaviour, causes: usize, effects: usize, asked: &mut Asked<'_>) -> Progress {
    let Behaviour::Precedence { causes: all, effects: later, within, .. } = behaviour else { return Progress::Yes };
    let untimed = within.is_none();
    let complete = causes == all.len();
    let one_each = all.len() == 1 && later.len() == 1;
    if one_each && !complete && is(asked, &all[0]) {
        // One event may be both. In time, it is its own cause only if no distance is asked for.
        return if untimed { Progress::Yes } else { timed_effect(&later[0], 1, asked) };
    }
    if !untimed && complete && later.len() == 1 {
        return timed_effect(&later[0], causes, asked);
    }
    // The next effect first: what comes with the last cause is not yet explained by it.
    let explained = complete && (untimed || asked(Question::Other("the causes in time".to_owned())));
    let mut unexplained = effects;
    if let Some(effect) = later.get(effects)
        && (effects > 0 || !explained)
        && is(asked, effect)
    {
        unexplained += 1;
    }
    if unexplained == later.len() {
        return Progress::No;
    }
    let causes = causes + usize::from(!complete && is(asked, &all[causes]));
    if causes == all.len() && unexplained == 0 && untimed {
        return Progress::Yes;
    }
    Progress::Order { causes, effects: unexplained }
}

/// An effect whose cause has come, but perhaps too long ago, or not long enough.
fn timed_effect(effect: &Atom, causes: usize, asked: &mut Asked<'_>) -> Progress {
    if is(asked, effect) && !asked(Question::Other("the cause in time".to_owned())) {
        return Progress::No;
    }
    Progress::Order { causes, effects: 0 }
}

fn answer(behaviour: &Behaviour, stimuli: usize, responses: Option<usize>, asked: &mut Asked<'_>) -> Progress {
    let Behaviour::Response { stimuli: asks, responses: all, without, within, required } = behaviour else {
        return Progress::Yes;
    };
    let mut waits = responses;
    if let Some(done) = responses {
        let is_last = done + 1 == all.len();
        let next = is(asked, &all[done]) && (done > 0 || in_time(asked, within.as_ref()));
        let spoilt = |asked: &mut Asked<'_>| without.as_ref().is_some_and(|without| is(asked, without));
        waits = if next && is_last {
            None
        } else if done > 0 && spoilt(asked) {
            Some(usize::from(is(asked, &all[0])))
        } else {
            Some(done + usize::from(next))
        };
    }
    // A stimulus at this event is answered later.
    let last = asks.len() - 1;
    let asks_now = stimuli >= last && is(asked, &asks[last]);
    let stimuli = if stimuli < last { stimuli + usize::from(is(asked, &asks[stimuli])) } else { stimuli };
    // That there was a whole stimulus matters only where one is required.
    let most = if *required { asks.len() } else { last };
    if asks_now {
        return Progress::Answer { stimuli: most, responses: Some(0) };
    }
    Progress::Answer { stimuli, responses: waits }
}
