// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of a formula for one binding: position by position for invariants, otherwise as a whole.

use gnomon_core::list::reachable;
use gnomon_core::{Binding, DecisionPoint, Duration, End, Origin, Span, Timestamp, TracePosition, Value, Violation};
use gnomon_ir::core::{AtomId, Edge, FormulaCore, FormulaNode, Invariant, NodeId, Reporting, WholeFormula};

use super::counts::OutcomeCounts;
use super::violation;
use crate::atom;
use crate::decision_time::{DecisionTime, TruthHistory};
use crate::trace::Trace;
use crate::truth::Truth;
use crate::truth_table::Facts;

/// One binding over a trace with at least one position.
pub(super) struct BindingEvaluator<'a> {
    core: &'a FormulaCore,
    trace: &'a Trace,
    history: TruthHistory<'a>,
    values: Vec<Value<'static>>,
    named: Binding,
}

impl<'a> BindingEvaluator<'a> {
    pub(super) fn new(
        core: &'a FormulaCore,
        trace: &'a Trace,
        facts: &'a Facts,
        (values, named): (Vec<Value<'static>>, Binding),
        end: End,
        now: Option<Timestamp>,
    ) -> Self {
        BindingEvaluator { core, trace, history: TruthHistory::new(core, facts, end, now), values, named }
    }

    /// Returns the truth value of the formula, now and if the trace were complete.
    pub(super) fn value(&self) -> (Truth, Truth) {
        let formula = self.core.formula;
        (self.history.truth(formula, 0), self.history.truth_if_complete(formula, 0))
    }

    pub(super) fn report(&self, end: End, counts: &mut OutcomeCounts) {
        match &self.core.reporting {
            Reporting::Invariants(invariants) => {
                for invariant in invariants {
                    self.invariant(invariant, end, counts);
                }
            }
            Reporting::Whole(whole) => self.whole(whole, counts),
        }
    }

    // RULE V5, V7
    fn invariant(&self, invariant: &Invariant, end: End, counts: &mut OutcomeCounts) {
        let times = &self.history.facts.times;
        let base = match self.base(invariant) {
            InvariantBase::At(base) => base,
            InvariantBase::Missing if end == End::Prefix => return,
            InvariantBase::Missing => {
                // RULE V6
                counts.activation(Truth::False);
                let last = times.len() - 1;
                counts.violation(self.violation(
                    last,
                    DecisionTime::End,
                    invariant.antecedent,
                    invariant.consequent_span,
                ));
                return;
            }
            InvariantBase::Refused(at) => {
                counts.activation(Truth::False);
                let decided = DecisionTime::Position(at);
                counts.violation(self.violation(at, decided, invariant.antecedent, invariant.consequent_span));
                return;
            }
        };
        let reaches = |at: &usize| {
            let present = *at == base;
            !(present && invariant.strict) && invariant.reach.contains(times[*at] - times[base])
        };
        for at in (base..times.len()).filter(reaches) {
            let asked = invariant.antecedent.map_or(Truth::True, |antecedent| self.history.truth(antecedent, at));
            if asked != Truth::True {
                continue;
            }
            let value = self.history.truth(invariant.consequent, at);
            counts.activation(value);
            match value {
                Truth::True if invariant.takes_time => {
                    counts.duration(self.time_of(self.settled(invariant.consequent, at)) - times[at]);
                }
                Truth::True => counts.duration(Duration::ZERO),
                Truth::False => {
                    let decided = self.history.settled(at, |table| {
                        invariant.antecedent.is_none_or(|antecedent| table.truth(antecedent, at) == Truth::True)
                            && table.truth(invariant.consequent, at) == Truth::False
                    });
                    counts.violation(self.violation(at, decided, invariant.antecedent, invariant.consequent_span));
                }
                Truth::Unknown => {}
            }
        }
    }

    /// Returns the position that the `X`s of `X^n G` lead to.
    fn base(&self, invariant: &Invariant) -> InvariantBase {
        let times = &self.history.facts.times;
        for (at, next) in invariant.nexts.iter().enumerate() {
            match times.get(at + 1) {
                None => return InvariantBase::Missing,
                Some(time) if !next.contains(*time - times[at]) => return InvariantBase::Refused(at + 1),
                Some(_) => {}
            }
        }
        InvariantBase::At(invariant.nexts.len())
    }

    fn whole(&self, whole: &WholeFormula, counts: &mut OutcomeCounts) {
        let formula = self.core.formula;
        let value = self.history.truth(formula, 0);
        counts.activation(value);
        match value {
            Truth::False => {
                counts.violation(self.violation(0, self.settled(formula, 0), None, whole.span));
            }
            Truth::True if whole.takes_time => {
                counts.duration(self.time_of(self.settled(formula, 0)) - self.history.facts.times[0]);
            }
            Truth::True => counts.duration(Duration::ZERO),
            Truth::Unknown => {}
        }
    }

    fn settled(&self, edge: Edge, at: usize) -> DecisionTime {
        self.history.settled(at, |table| table.truth(edge, at).is_definite())
    }

    fn time_of(&self, decided: DecisionTime) -> Timestamp {
        let times = &self.history.facts.times;
        match decided {
            DecisionTime::Position(at) => times[at],
            DecisionTime::Deadline(time) => time,
            DecisionTime::End => times[times.len() - 1],
        }
    }

    fn violation(&self, position: usize, decided: DecisionTime, antecedent: Option<Edge>, failed: Span) -> Violation {
        let asked = antecedent.map_or_else(Vec::new, |edge| atoms_of(self.core, edge));
        let origin = self.event_of(position, &asked);
        let decided = match decided {
            DecisionTime::Position(at) if at == position => DecisionPoint::Event(origin),
            DecisionTime::Position(at) => {
                let all: Vec<AtomId> = (0..self.core.atoms.len()).map(|id| AtomId(id as u32)).collect();
                DecisionPoint::Event(self.event_of(at, &all))
            }
            DecisionTime::Deadline(time) => DecisionPoint::Deadline(time),
            DecisionTime::End => DecisionPoint::End(self.time_of(decided)),
        };
        violation(TracePosition { position: position as u64, origin }, decided, self.named.clone(), failed)
    }

    /// Returns the event that names a position: the first that matches one of these atoms, else the first.
    // RULE V13
    fn event_of(&self, position: usize, atoms: &[AtomId]) -> Origin {
        let events = self.history.facts.positions[position].events.clone();
        let matching = |index: &usize| {
            let event = &self.trace.events()[*index];
            atoms.iter().any(|id| atom::matches(&self.core.atoms[id.0 as usize], event, &self.values))
        };
        self.trace.origin(events.clone().find(matching).unwrap_or(events.start))
    }
}

/// The position at which the body of `X^n G body` is first evaluated.
enum InvariantBase {
    /// A position of the trace.
    At(usize),
    /// Beyond the end of the trace.
    Missing,
    /// Nowhere: this position is not at a distance from the one before it that `X` allows.
    Refused(usize),
}

/// Returns the atoms that occur in the formula of an edge.
fn atoms_of(core: &FormulaCore, edge: Edge) -> Vec<AtomId> {
    let parts = reachable([edge.node], |id| core.node(id).children().into_iter().map(|child| child.node));
    let atom = |id: NodeId| match core.node(id) {
        FormulaNode::Atom(atom) => Some(*atom),
        node => node.measure().map(|measure| core.measures[measure.0 as usize].atom),
    };
    parts.into_iter().filter_map(atom).collect()
}
