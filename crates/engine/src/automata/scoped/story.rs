// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a segment is not as it should be, in words.

use gnomon_core::verdict::{Because, Origin};
use gnomon_ir::core::{AtomId, BehaviourCore};
use gnomon_ir::requirement::Amount;

use super::{Cause, Progress, Scoped};
use crate::automata::desk::Asked;

impl Scoped {
    /// The summary, and the events that explain it.
    pub(super) fn story(&self, opened: Asked, progress: &Progress, why: Cause<'_>) -> (String, Vec<Because>) {
        let mut because = Vec::new();
        let mut add = |origin: Origin, note: &str| {
            if because.iter().all(|known: &Because| known.origin.event_index != origin.event_index) {
                because.push(Because { origin, note: note.to_owned() });
            }
        };
        if self.core.opens.is_some() {
            add(opened.at().origin, "the segment opens");
        }
        if let Some((culprit, note)) = self.culprit(progress) {
            add(culprit, note);
        }
        if let Cause::Position { decider, letter, .. } = why {
            let closes = self.core.closes.is_some_and(|closes| letter >> closes.0 & 1 == 1);
            add(*decider, if closes { "the segment closes" } else { "broken here" });
        }
        (self.summary(progress, why), because)
    }

    /// The event inside the segment that it is about.
    fn culprit(&self, progress: &Progress) -> Option<(Origin, &'static str)> {
        match (&self.behaviour, progress) {
            (super::Behaviour::Response(_), Progress::Answers(answers)) => {
                Some((answers.oldest()?.at().origin, "not answered"))
            }
            (super::Behaviour::Response(_), Progress::Lost(one)) => Some((one.at().origin, "not answered in time")),
            (super::Behaviour::Recurrence(..), Progress::Lost(one) | Progress::Last(one)) => {
                Some((one.at().origin, "the time runs from here"))
            }
            (super::Behaviour::Existence(..), Progress::Lost(_)) => None,
            (_, Progress::Lost(one)) => Some((one.at().origin, "broken here")),
            _ => None,
        }
    }

    fn summary(&self, progress: &Progress, why: Cause<'_>) -> String {
        let lost = matches!(progress, Progress::Lost(_));
        let in_time = if matches!(why, Cause::Deadline(_)) || lost { " in time" } else { "" };
        match &self.core.behaviour {
            BehaviourCore::Absence(event) => format!("{} came", self.named(*event)),
            BehaviourCore::Existence { event, .. } => format!("no {}{in_time}", self.named(*event)),
            BehaviourCore::Count { amount, number, event } => {
                let (event, words) = (self.named(*event), amount.words());
                match (amount, progress) {
                    (Amount::AtLeast | Amount::Exactly, Progress::Number(seen)) => {
                        format!("{seen} {event}, not {words} {number}")
                    }
                    _ => format!("more than {number} {event}"),
                }
            }
            BehaviourCore::Rate { number, event, .. } => {
                format!("more than {number} {} too close together", self.named(*event))
            }
            BehaviourCore::Universality { named, .. } => format!("{} with other values", self.named(*named)),
            BehaviourCore::Only(_) => "an event that is none of those allowed".to_owned(),
            BehaviourCore::Precedence { causes, effects, .. } => {
                if lost {
                    format!("{} without {} before", self.list(effects), self.list(causes))
                } else {
                    format!("no {}", self.list(causes))
                }
            }
            BehaviourCore::Response { stimuli, responses, .. } => {
                if lost || self.culprit(progress).is_some() {
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
