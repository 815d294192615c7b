// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns as written: every atom of the text is asked of every event by itself, bounds are read off the words.
// RULE R6, R7, R8, R9, R10, R11

use gnomon_core::interval::Interval;
use gnomon_core::time::{Clock, Duration, Quantity};
use gnomon_core::verdict::End;
use gnomon_ir::core::{AtomId, BehaviourCore};
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Behaviour, Requirement};
use gnomon_ir::spec::Spec;

use super::declared::{Bound, matches};
use super::window::ticks;
use crate::requirement::{Known, Sight, Terms};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

/// What is known of a pattern over a trace, where variables have these values.
pub(super) fn truth(spec: &Spec, requirement: &Requirement, trace: &Trace, bound: &Bound, end: End) -> Truth {
    let mut reader = Reader { clock: Clock::new(spec.time.unit), atoms: Vec::new() };
    let terms = Terms {
        scope: requirement.scope.kind,
        opens: requirement.scope.opens.as_ref().map(|atom| reader.atom(atom)),
        closes: requirement.scope.closes.as_ref().map(|atom| reader.atom(atom)),
        behaviour: reader.behaviour(&requirement.behaviour),
    };
    let sight = |event: &OracleEvent| Sight {
        time: event.time,
        matches: reader.atoms.iter().map(|atom| matches(spec, atom, event, bound)).collect(),
    };
    let sights: Vec<Sight> = trace.events().iter().map(sight).collect();
    terms.truth(&sights, Known { end, now: None })
}

struct Reader {
    clock: Clock,
    /// Each atom of the text, as often as it stands there.
    atoms: Vec<Atom>,
}

impl Reader {
    fn atom(&mut self, atom: &Atom) -> AtomId {
        self.atoms.push(atom.clone());
        AtomId(self.atoms.len() as u32 - 1)
    }

    fn all(&mut self, atoms: &[Atom]) -> Vec<AtomId> {
        atoms.iter().map(|atom| self.atom(atom)).collect()
    }

    fn duration(&self, quantity: Quantity) -> Duration {
        Duration::from_ticks(ticks(self.clock, quantity))
    }

    fn within(&self, bounds: Option<&Bounds>) -> Interval {
        let interval = bounds.and_then(|bounds| {
            let hi = bounds.hi.map(|hi| (self.duration(hi), bounds.hi_closed));
            Interval::new(self.duration(bounds.lo), bounds.lo_closed, hi)
        });
        interval.unwrap_or(Interval::ANY)
    }

    fn behaviour(&mut self, behaviour: &Behaviour) -> BehaviourCore {
        match behaviour {
            Behaviour::Absence(event) => BehaviourCore::Absence(self.atom(event)),
            Behaviour::Existence { event, within } => {
                BehaviourCore::Existence { event: self.atom(event), within: self.within(within.as_ref()) }
            }
            Behaviour::Count { amount, number, event } => {
                BehaviourCore::Count { amount: *amount, number: *number, event: self.atom(event) }
            }
            Behaviour::Rate { number, event, window } => {
                BehaviourCore::Rate { number: *number, event: self.atom(event), window: self.duration(*window) }
            }
            Behaviour::Universality(event) => {
                let named = Atom { arguments: None, condition: None, ..event.clone() };
                BehaviourCore::Universality { named: self.atom(&named), like: self.atom(event) }
            }
            Behaviour::Only(events) => BehaviourCore::Only(self.all(events)),
            Behaviour::Precedence { causes, effects, required, within } => BehaviourCore::Precedence {
                effects: self.all(effects),
                causes: self.all(causes),
                required: *required,
                within: self.within(within.as_ref()),
            },
            Behaviour::Response { stimuli, responses, without, required, within } => BehaviourCore::Response {
                responses: self.all(responses),
                stimuli: self.all(stimuli),
                without: without.as_ref().map(|event| self.atom(event)),
                required: *required,
                within: self.within(within.as_ref()),
            },
            Behaviour::Recurrence { event, every, .. } => {
                BehaviourCore::Recurrence { event: self.atom(event), every: self.duration(*every) }
            }
        }
    }
}
