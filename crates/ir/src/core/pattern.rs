// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns in kernel form.

use gnomon_core::{Clock, Duration, Interval, Quantity, Span};

use super::{AtomDefinition, AtomId, QuantifierCore};
use crate::{Atom, Behaviour, Bounds, CountBound, ScopeKind};

/// A scope and a behaviour: every segment that the scope cuts out of the trace must be as the behaviour says.
#[derive(Clone, PartialEq, Debug)]
pub struct PatternCore {
    /// The property's name.
    pub name: String,
    /// The trace's unit.
    pub clock: Clock,
    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub needs_unit: Option<Span>,
    /// The atoms, each once.
    pub atoms: Vec<AtomDefinition>,
    /// The variables that it holds for each value of; all are plain `forall`.
    pub prefix: Vec<QuantifierCore>,
    /// Kind of scope.
    pub scope: ScopeKind,
    /// Event that opens a segment, if the scope has one.
    pub opens: Option<AtomId>,
    /// Event that closes a segment, if the scope has one. An event that matches both closes.
    pub closes: Option<AtomId>,
    /// Behaviour required of each segment.
    pub behaviour: BehaviourCore,
    /// Source location of the behaviour.
    pub behaviour_span: Span,
    /// Source location of the body.
    pub span: Span,
}

/// Behaviour required of a segment.
#[derive(Clone, PartialEq, Debug)]
pub enum BehaviourCore {
    /// None of these occurs.
    Absence(AtomId),
    /// The event occurs at a distance from the opening.
    Existence {
        /// The event.
        event: AtomId,
        /// Distances from the opening that count.
        within: Interval,
    },
    /// The number of events is bounded.
    Count {
        /// Kind of bound.
        amount: CountBound,
        /// Bound.
        number: u64,
        /// The event.
        event: AtomId,
    },
    /// Of any `number + 1` events in succession, the first and the last are further apart than the window.
    Rate {
        /// Number of events allowed in the window.
        number: u64,
        /// The event.
        event: AtomId,
        /// Longest forbidden distance, that is the window less one tick.
        window: Duration,
    },
    /// Every event that is `named` is `like` this.
    Universality {
        /// Events of the name, whatever they carry.
        named: AtomId,
        /// Events of the name with the required values.
        like: AtomId,
    },
    /// Every event is one of these.
    Only(Vec<AtomId>),
    /// Whenever the effects happen, each after the one before it, the causes happened, each after the one before it, the last
    /// before the first effect. With one cause and one effect, one event may be both.
    Precedence {
        /// Events that must come first.
        causes: Vec<AtomId>,
        /// Events that they must precede.
        effects: Vec<AtomId>,
        /// True if the only cause must occur in any case.
        required: bool,
        /// Distances from a cause to the first effect that count.
        within: Interval,
    },
    /// Whenever the stimuli happen, each after the one before it, the responses happen, each after the one before it, the first
    /// after the last stimulus.
    Response {
        /// Events that raise an obligation.
        stimuli: Vec<AtomId>,
        /// Events that meet it.
        responses: Vec<AtomId>,
        /// Event that must not occur between the first and the last response.
        without: Option<AtomId>,
        /// True if the only stimulus must occur in any case.
        required: bool,
        /// Distances from the last stimulus to a response that count.
        within: Interval,
    },
    /// From the opening and from each event, the next event or the end of the segment is at most `every` away.
    Recurrence {
        /// The event.
        event: AtomId,
        /// Longest time without the event.
        every: Duration,
    },
}

/// Numbers the atoms of a behaviour and reads its constants.
pub trait Numbering {
    /// The number of an atom.
    fn atom(&mut self, atom: &Atom) -> AtomId;
    /// An amount of time that is written here.
    fn duration(&mut self, quantity: Quantity, span: Span) -> Duration;
    /// Distances between bounds.
    fn interval(&mut self, bounds: &Bounds) -> Interval;
}

impl BehaviourCore {
    /// The kernel form of a behaviour that is written at `span`.
    pub fn new(behaviour: &Behaviour, span: Span, by: &mut dyn Numbering) -> BehaviourCore {
        fn all(by: &mut dyn Numbering, events: &[Atom]) -> Vec<AtomId> {
            events.iter().map(|event| by.atom(event)).collect()
        }
        fn any_or(by: &mut dyn Numbering, bounds: Option<&Bounds>) -> Interval {
            bounds.map_or(Interval::ANY, |bounds| by.interval(bounds))
        }
        match behaviour {
            Behaviour::Absence(event) => BehaviourCore::Absence(by.atom(event)),
            Behaviour::Existence { event, within } => {
                BehaviourCore::Existence { event: by.atom(event), within: any_or(by, within.as_ref()) }
            }
            Behaviour::Count { amount, number, event } => {
                BehaviourCore::Count { amount: *amount, number: *number, event: by.atom(event) }
            }
            Behaviour::Rate { number, event, window } => {
                BehaviourCore::Rate { number: *number, event: by.atom(event), window: by.duration(*window, span) }
            }
            Behaviour::Universality(event) => {
                let like = by.atom(event);
                let named = by.atom(&Atom { arguments: None, condition: None, ..event.clone() });
                BehaviourCore::Universality { named, like }
            }
            Behaviour::Only(events) => BehaviourCore::Only(all(by, events)),
            Behaviour::Precedence { causes, effects, required, within } => BehaviourCore::Precedence {
                causes: all(by, causes),
                effects: all(by, effects),
                required: *required,
                within: any_or(by, within.as_ref()),
            },
            Behaviour::Response { stimuli, responses, without, required, within } => BehaviourCore::Response {
                stimuli: all(by, stimuli),
                responses: all(by, responses),
                without: without.as_ref().map(|event| by.atom(event)),
                required: *required,
                within: any_or(by, within.as_ref()),
            },
            Behaviour::Recurrence { event, every, every_span } => {
                BehaviourCore::Recurrence { event: by.atom(event), every: by.duration(*every, *every_span) }
            }
        }
    }
}
