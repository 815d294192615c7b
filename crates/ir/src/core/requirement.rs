// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns in kernel form.

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::time::{Clock, Duration};

use super::{AtomDefinition, AtomId, Quantifier};
use crate::requirement::{Amount, ScopeKind};

/// A scope and a behaviour: every segment that the scope cuts out of the trace must be as the behaviour says.
#[derive(Clone, PartialEq, Debug)]
pub struct RequirementCore {
    /// The property's name.
    pub name: String,
    /// The trace's unit.
    pub clock: Clock,
    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub needs_unit: Option<Span>,
    /// The atoms, each once.
    pub atoms: Vec<AtomDefinition>,
    /// The variables that it holds for each value of; all are plain `forall`.
    pub prefix: Vec<Quantifier>,
    /// Which segments.
    pub scope: ScopeKind,
    /// What opens a segment, if something does.
    pub opens: Option<AtomId>,
    /// What closes a segment, if something does. An event that does both closes.
    pub closes: Option<AtomId>,
    /// What a segment must be like.
    pub behaviour: BehaviourCore,
    /// Where the behaviour is written.
    pub behaviour_span: Span,
    /// Where the body is written.
    pub span: Span,
}

/// What a segment must be like.
#[derive(Clone, PartialEq, Debug)]
pub enum BehaviourCore {
    /// None of these occurs.
    Absence(AtomId),
    /// It occurs, so far after the opening.
    Existence {
        /// What.
        event: AtomId,
        /// How far.
        within: Interval,
    },
    /// So many occur.
    Count {
        /// How their number is bounded.
        amount: Amount,
        /// By what.
        number: u64,
        /// What.
        event: AtomId,
    },
    /// Of any `number + 1` in succession, the first and the last are further apart than the window.
    Rate {
        /// How many.
        number: u64,
        /// What.
        event: AtomId,
        /// How far apart they are at least, less a tick.
        window: Duration,
    },
    /// Every event that is `named` is `like` this.
    Universality {
        /// Events of the name, whatever they carry.
        named: AtomId,
        /// Those that carry the right values.
        like: AtomId,
    },
    /// Every event is one of these.
    Only(Vec<AtomId>),
    /// Whenever the effects happen, each after the one before it, the causes happened, each after the one before it, the last
    /// before the first effect. With one cause and one effect, one event may be both.
    Precedence {
        /// What must come first.
        causes: Vec<AtomId>,
        /// What it must come before.
        effects: Vec<AtomId>,
        /// Whether the one cause must occur in any case.
        required: bool,
        /// How far before the first effect each of these causes is.
        within: Interval,
    },
    /// Whenever the stimuli happen, each after the one before it, the responses happen, each after the one before it, the first
    /// after the last stimulus.
    Response {
        /// What asks.
        stimuli: Vec<AtomId>,
        /// What answers.
        responses: Vec<AtomId>,
        /// What does not happen after the first of these responses and before the last.
        without: Option<AtomId>,
        /// Whether the one stimulus must occur in any case.
        required: bool,
        /// How far after the last stimulus each of these responses is.
        within: Interval,
    },
    /// From the opening, and from each of these, the next one or the end of the segment is at most so far.
    Recurrence {
        /// What.
        event: AtomId,
        /// How far.
        every: Duration,
    },
}
