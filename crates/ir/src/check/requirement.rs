// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns: atoms are numbered, bounds become ticks.

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::interval::Interval;

use super::Checker;
use crate::core::{AtomId, BehaviourCore, Quantifier, RequirementCore};
use crate::formula::Bounds;
use crate::pattern::Atom;
use crate::requirement::{Behaviour, Requirement};
use crate::spec::Property;

/// How many different events a pattern may name: a set of them is a word of 64 bits.
const MOST_ATOMS: usize = 64;

impl Checker<'_> {
    pub(super) fn requirement(
        &mut self,
        property: &Property,
        requirement: &Requirement,
        prefix: Vec<Quantifier>,
    ) -> RequirementCore {
        let opens = requirement.scope.opens.as_ref().map(|atom| self.atom(atom));
        let closes = requirement.scope.closes.as_ref().map(|atom| self.atom(atom));
        let behaviour = self.behaviour(requirement);
        self.unused_variables(property);
        let atoms = std::mem::take(&mut self.atoms).finish();
        if atoms.len() > MOST_ATOMS {
            let count = atoms.len();
            self.diagnostics.push(
                Diagnostic::error("G0334", property.body_span, format!("the pattern names {count} different events"))
                    .label(format!("at most {MOST_ATOMS} can be told apart"))
                    .help("give several events one name with an `event` declaration: `event any = a | b | c`"),
            );
        }
        RequirementCore {
            name: property.name.clone(),
            clock: self.clock,
            needs_unit: self.needs_unit,
            atoms,
            prefix,
            scope: requirement.scope.kind,
            opens,
            closes,
            behaviour,
            behaviour_span: requirement.behaviour_span,
            span: property.body_span,
        }
    }

    fn behaviour(&mut self, requirement: &Requirement) -> BehaviourCore {
        let span = requirement.behaviour_span;
        match &requirement.behaviour {
            Behaviour::Absence(event) => BehaviourCore::Absence(self.atom(event)),
            Behaviour::Existence { event, within } => {
                BehaviourCore::Existence { event: self.atom(event), within: self.within(within.as_ref()) }
            }
            Behaviour::Count { amount, number, event } => {
                BehaviourCore::Count { amount: *amount, number: *number, event: self.atom(event) }
            }
            Behaviour::Rate { number, event, window } => {
                BehaviourCore::Rate { number: *number, event: self.atom(event), window: self.duration(*window, span) }
            }
            Behaviour::Universality(event) => {
                let like = self.atom(event);
                let named = self.atom(&Atom { arguments: None, condition: None, ..event.clone() });
                BehaviourCore::Universality { named, like }
            }
            Behaviour::Only(events) => BehaviourCore::Only(self.events(events)),
            Behaviour::Precedence { causes, effects, required, within } => BehaviourCore::Precedence {
                causes: self.events(causes),
                effects: self.events(effects),
                required: *required,
                within: self.within(within.as_ref()),
            },
            Behaviour::Response { stimuli, responses, without, required, within } => BehaviourCore::Response {
                stimuli: self.events(stimuli),
                responses: self.events(responses),
                without: without.as_ref().map(|event| self.atom(event)),
                required: *required,
                within: self.within(within.as_ref()),
            },
            Behaviour::Recurrence { event, every, every_span } => {
                BehaviourCore::Recurrence { event: self.atom(event), every: self.duration(*every, *every_span) }
            }
        }
    }

    fn events(&mut self, events: &[Atom]) -> Vec<AtomId> {
        events.iter().map(|event| self.atom(event)).collect()
    }

    fn within(&mut self, bounds: Option<&Bounds>) -> Interval {
        bounds.map_or(Interval::ANY, |bounds| self.interval(bounds))
    }
}
