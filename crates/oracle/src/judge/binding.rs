// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula where every variable has its value: position by position, or as a whole.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::{At, Binding, Decided, End, Origin, Violation};
use gnomon_ir::core::{AtomId, Edge, FormulaCore, Invariant, Node, NodeId, Reading, Whole};

use super::tally::Tally;
use crate::atom;
use crate::moment::{History, Moment};
use crate::table::Facts;
use crate::trace::Trace;
use crate::truth::Truth;

/// One binding over a trace with at least one position.
pub(super) struct Judge<'a> {
    core: &'a FormulaCore,
    trace: &'a Trace,
    history: History<'a>,
    values: Vec<Value<'static>>,
    named: Binding,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        core: &'a FormulaCore,
        trace: &'a Trace,
        facts: &'a Facts,
        (values, named): (Vec<Value<'static>>, Binding),
        end: End,
        now: Option<Timestamp>,
    ) -> Self {
        Judge { core, trace, history: History::new(core, facts, end, now), values, named }
    }

    /// What is known of the formula, and what would be if the trace were complete.
    pub(super) fn value(&self) -> (Truth, Truth) {
        let formula = self.core.formula;
        (self.history.truth(formula, 0), self.history.truth_if_complete(formula, 0))
    }

    pub(super) fn tell(&self, end: End, tally: &mut Tally) {
        match &self.core.reading {
            Reading::Invariants(invariants) => {
                for invariant in invariants {
                    self.invariant(invariant, end, tally);
                }
            }
            Reading::Whole(whole) => self.whole(whole, tally),
        }
    }

    // RULE V5, V7
    fn invariant(&self, invariant: &Invariant, end: End, tally: &mut Tally) {
        let times = &self.history.facts.times;
        let base = match self.base(invariant) {
            Base::At(base) => base,
            Base::Missing if end == End::Prefix => return,
            Base::Missing => {
                // RULE V6
                tally.activation(Truth::False);
                let last = times.len() - 1;
                tally.violation(self.violation(last, Moment::End, invariant.antecedent, invariant.consequent_span));
                return;
            }
            Base::Refused(at) => {
                tally.activation(Truth::False);
                let moment = Moment::Position(at);
                tally.violation(self.violation(at, moment, invariant.antecedent, invariant.consequent_span));
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
            tally.activation(value);
            match value {
                Truth::True if invariant.takes_time => {
                    tally.duration(self.time_of(self.settled(invariant.consequent, at)) - times[at]);
                }
                Truth::True => tally.duration(Duration::ZERO),
                Truth::False => {
                    let moment = self.history.settled(at, |table| {
                        invariant.antecedent.is_none_or(|antecedent| table.truth(antecedent, at) == Truth::True)
                            && table.truth(invariant.consequent, at) == Truth::False
                    });
                    tally.violation(self.violation(at, moment, invariant.antecedent, invariant.consequent_span));
                }
                Truth::Unknown => {}
            }
        }
    }

    /// Where the `X`s of `X^n G` lead.
    fn base(&self, invariant: &Invariant) -> Base {
        let times = &self.history.facts.times;
        for (at, next) in invariant.nexts.iter().enumerate() {
            match times.get(at + 1) {
                None => return Base::Missing,
                Some(time) if !next.contains(*time - times[at]) => return Base::Refused(at + 1),
                Some(_) => {}
            }
        }
        Base::At(invariant.nexts.len())
    }

    fn whole(&self, whole: &Whole, tally: &mut Tally) {
        let formula = self.core.formula;
        let value = self.history.truth(formula, 0);
        tally.activation(value);
        match value {
            Truth::False => {
                tally.violation(self.violation(0, self.settled(formula, 0), None, whole.span));
            }
            Truth::True if whole.takes_time => {
                tally.duration(self.time_of(self.settled(formula, 0)) - self.history.facts.times[0]);
            }
            Truth::True => tally.duration(Duration::ZERO),
            Truth::Unknown => {}
        }
    }

    fn settled(&self, edge: Edge, at: usize) -> Moment {
        self.history.settled(at, |table| table.truth(edge, at).is_definite())
    }

    fn time_of(&self, moment: Moment) -> Timestamp {
        let times = &self.history.facts.times;
        match moment {
            Moment::Position(at) => times[at],
            Moment::Deadline(time) => time,
            Moment::End => times[times.len() - 1],
        }
    }

    fn violation(&self, position: usize, moment: Moment, antecedent: Option<Edge>, failed: Span) -> Violation {
        let asked = antecedent.map_or_else(Vec::new, |edge| atoms_of(self.core, edge));
        let origin = self.event_of(position, &asked);
        let decided = match moment {
            Moment::Position(at) if at == position => Decided::Event(origin),
            Moment::Position(at) => {
                let all: Vec<AtomId> = (0..self.core.atoms.len()).map(|id| AtomId(id as u32)).collect();
                Decided::Event(self.event_of(at, &all))
            }
            Moment::Deadline(time) => Decided::Deadline(time),
            Moment::End => Decided::End(self.time_of(moment)),
        };
        Violation {
            at: At { position: position as u64, origin },
            until_position: None,
            decided,
            binding: self.named.clone(),
            failed,
            summary: String::new(),
            because: vec![],
        }
    }

    /// The event that stands for a position: the first that matches one of these atoms, else the first.
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

enum Base {
    /// At this position.
    At(usize),
    /// Beyond the end of the trace.
    Missing,
    /// Nowhere: this position is not at a distance from the one before it that `X` allows.
    Refused(usize),
}

/// The atoms that occur in what an edge stands for.
fn atoms_of(core: &FormulaCore, edge: Edge) -> Vec<AtomId> {
    let mut pending: Vec<NodeId> = vec![edge.node];
    let mut atoms = Vec::new();
    while let Some(id) = pending.pop() {
        match core.node(id) {
            Node::Atom(atom) => atoms.push(*atom),
            Node::Fold { measure, .. } => atoms.push(core.measures[measure.0 as usize].atom),
            _ => {}
        }
        pending.extend(core.node(id).children().iter().map(|child| child.node));
    }
    atoms
}
