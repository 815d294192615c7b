// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns as written: every atom of the text is matched against every event, bounds are converted directly.
// RULE R6, R7, R8, R9, R10, R11

use gnomon_core::{Clock, Duration, End, Interval, Quantity, Span};
use gnomon_ir::{Atom, AtomId, BehaviourCore, Bounds, Numbering, Pattern, Spec};

use super::atom::{VariableValues, matches};
use super::window::{interval_of, ticks};
use crate::pattern::{EventMatches, PatternDefinition, TraceExtent};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

/// Returns the truth value of a pattern on a trace, where variables have these values.
pub(super) fn truth(spec: &Spec, pattern: &Pattern, trace: &Trace, bound: &VariableValues, end: End) -> Truth {
    let mut evaluator = Evaluator { clock: Clock::new(spec.time.unit), atoms: Vec::new() };
    let terms = PatternDefinition {
        scope: pattern.scope.kind,
        opens: pattern.scope.opens.as_ref().map(|atom| evaluator.atom(atom)),
        closes: pattern.scope.closes.as_ref().map(|atom| evaluator.atom(atom)),
        behaviour: BehaviourCore::new(&pattern.behaviour, pattern.behaviour_span, &mut evaluator),
    };
    let sight = |event: &OracleEvent| EventMatches {
        time: event.time,
        matches: evaluator.atoms.iter().map(|atom| matches(spec, atom, event, bound)).collect(),
    };
    let events_matches: Vec<EventMatches> = trace.events().iter().map(sight).collect();
    terms.truth(&events_matches, TraceExtent { end, now: None })
}

struct Evaluator {
    clock: Clock,
    /// Each atom of the text, repeated as in the text.
    atoms: Vec<Atom>,
}

impl Numbering for Evaluator {
    fn atom(&mut self, atom: &Atom) -> AtomId {
        self.atoms.push(atom.clone());
        AtomId(self.atoms.len() as u32 - 1)
    }

    fn duration(&mut self, quantity: Quantity, _: Span) -> Duration {
        Duration::from_ticks(ticks(self.clock, quantity))
    }

    fn interval(&mut self, bounds: &Bounds) -> Interval {
        interval_of(self.clock, bounds)
    }
}
