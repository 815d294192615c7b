// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of patterns.

use gnomon_core::verdict::{Cause, Origin};
use gnomon_ir::core::{AtomId, BehaviourCore};
use gnomon_ir::pattern::CountBound;

use super::{BehaviourProgress, ScopedPattern};
use crate::accounting::Trigger;
use crate::slice::machines::recorder::Activation;

impl ScopedPattern {
    /// Returns the summary and the events that explain it.
    pub(super) fn explanation(
        &self,
        opened: Activation,
        progress: &BehaviourProgress,
        why: Trigger<'_>,
    ) -> (String, Vec<Cause>) {
        let mut because = Vec::new();
        let mut add = |origin: Origin, note: &str| {
            if because.iter().all(|known: &Cause| known.origin.event_index != origin.event_index) {
                because.push(Cause { origin, note: note.to_owned() });
            }
        };
        if self.core.opens.is_some() {
            add(opened.at().origin, "the segment opens");
        }
        if let Some((deciding_event, note)) = self.deciding_event(progress) {
            add(deciding_event, note);
        }
        if let Trigger::Position { decider, letter, .. } = why {
            let closes = self.core.closes.is_some_and(|closes| letter >> closes.0 & 1 == 1);
            add(*decider, if closes { "the segment closes" } else { "not allowed here" });
        }
        (self.summary(progress, why), because)
    }

    /// Returns the event inside the segment that the violation is about.
    fn deciding_event(&self, progress: &BehaviourProgress) -> Option<(Origin, &'static str)> {
        match (&self.behaviour, progress) {
            (super::Behaviour::Response(_), BehaviourProgress::ResponseProgress(answers)) => {
                Some((answers.oldest()?.at().origin, "not answered"))
            }
            (super::Behaviour::Response(_), BehaviourProgress::Lost(one)) => {
                Some((one.at().origin, "not answered in time"))
            }
            (super::Behaviour::Recurrence(..), BehaviourProgress::Lost(one) | BehaviourProgress::Last(one)) => {
                Some((one.at().origin, "the time runs from here"))
            }
            (super::Behaviour::Existence(..), BehaviourProgress::Lost(_)) => None,
            (_, BehaviourProgress::Lost(one)) => Some((one.at().origin, "not allowed here")),
            _ => None,
        }
    }

    fn summary(&self, progress: &BehaviourProgress, why: Trigger<'_>) -> String {
        let lost = matches!(progress, BehaviourProgress::Lost(_));
        let in_time = if matches!(why, Trigger::Deadline(_)) || lost { " in time" } else { "" };
        match &self.core.behaviour {
            BehaviourCore::Absence(event) => format!("{} occurred", self.named(*event)),
            BehaviourCore::Existence { event, .. } => format!("no {}{in_time}", self.named(*event)),
            BehaviourCore::Count { amount, number, event } => {
                let (event, words) = (self.named(*event), amount.words());
                match (amount, progress) {
                    (CountBound::AtLeast | CountBound::Exactly, BehaviourProgress::Number(count)) => {
                        format!("{count} {event}, not {words} {number}")
                    }
                    _ => format!("more than {number} {event}"),
                }
            }
            BehaviourCore::Rate { number, event, .. } => {
                format!("more than {number} {} too close together", self.named(*event))
            }
            BehaviourCore::Universality { named, .. } => format!("{} with other values", self.named(*named)),
            BehaviourCore::Only(_) => "an event that is not allowed".to_owned(),
            BehaviourCore::Precedence { causes, effects, .. } => {
                if lost {
                    format!("{} without {} before", self.list(effects), self.list(causes))
                } else {
                    format!("no {}", self.list(causes))
                }
            }
            BehaviourCore::Response { stimuli, responses, .. } => {
                if lost || self.deciding_event(progress).is_some() {
                    format!("no {} after {}{in_time}", self.list(responses), self.list(stimuli))
                } else {
                    format!("no {}", self.list(stimuli))
                }
            }
            BehaviourCore::Recurrence { event, .. } => format!("too long without {}", self.named(*event)),
        }
    }

    fn named(&self, atom: AtomId) -> String {
        self.core.atoms.get(atom.0 as usize).map_or(String::new(), |atom| format!("`{}`", atom.name))
    }

    fn list(&self, atoms: &[AtomId]) -> String {
        atoms.iter().map(|atom| self.named(*atom)).collect::<Vec<_>>().join(", ")
    }
}
