// SPDX-License-Identifier: MIT OR Apache-2.0
//! From truth values to an outcome: verdict, counts, violations.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{At, Decided, Durations, End, Origin, Outcome, Simultaneous, Verdict, Violation};
use gnomon_ir::core::{AtomId, FormulaCore, Edge, Invariant, Node, NodeId, Reading, Whole};

use crate::moment::{History, Moment};
use crate::table::Facts;
use crate::trace::Trace;
use crate::truth::Truth;
use crate::{atom, empty};

/// Judges a trace. Outcomes name events by the trace's symbols; summaries and stories stay empty.
pub fn judge(core: &FormulaCore, trace: &Trace, end: End, max_violations: usize) -> Outcome {
    judge_at(core, trace, end, None, max_violations)
}

/// Judges a trace after whose last event nothing came before the time `now`.
pub fn judge_at(core: &FormulaCore, trace: &Trace, end: End, now: Option<Timestamp>, max_violations: usize) -> Outcome {
    let (mut outcome, violations) = judge_each(core, trace, end, now);
    outcome.violations = ranges(violations, max_violations);
    outcome
}

/// Judges like [`judge_at`], but gives every single violation, each with its own moment, instead of listing ranges in
/// the outcome.
pub fn judge_each(core: &FormulaCore, trace: &Trace, end: End, now: Option<Timestamp>) -> (Outcome, Vec<Violation>) {
    let facts = Facts::new(core, trace);
    let mut tally = Tally::default();
    let (truth, if_complete) = if facts.times.is_empty() {
        judge_empty(core, end, &mut tally);
        (empty::truth(core, core.formula, end), empty::truth(core, core.formula, End::Complete))
    } else {
        let judge = Judge { core, trace, history: History::new(core, &facts, end, now) };
        match &core.reading {
            Reading::Invariants(invariants) => {
                for invariant in invariants {
                    judge.invariant(invariant, end, &mut tally);
                }
            }
            Reading::Whole(whole) => judge.whole(whole, &mut tally),
        }
        (judge.history.truth(core.formula, 0), judge.history.truth_if_complete(core.formula, 0))
    };
    // RULE V3, V9
    let verdict = match truth {
        Truth::True => Verdict::Holds,
        Truth::False => Verdict::Violated,
        Truth::Unknown => Verdict::Inconclusive,
    };
    let outcome = Outcome {
        verdict,
        presumably: (truth == Truth::Unknown).then_some(if_complete == Truth::True),
        positions: facts.times.len() as u64,
        activated: tally.activated,
        satisfied: tally.satisfied,
        violated: tally.violated,
        pending: tally.pending,
        durations: tally.durations,
        violations: vec![],
        merged_simultaneous: merged_simultaneous(core, trace, &facts),
    };
    (outcome, tally.violations)
}

#[derive(Default)]
struct Tally {
    activated: u64,
    satisfied: u64,
    violated: u64,
    pending: u64,
    durations: Option<Durations>,
    violations: Vec<Violation>,
}

impl Tally {
    fn activation(&mut self, value: Truth) {
        self.activated += 1;
        match value {
            Truth::True => self.satisfied += 1,
            Truth::False => self.violated += 1,
            Truth::Unknown => self.pending += 1,
        }
    }

    // RULE V8
    fn duration(&mut self, duration: Duration) {
        let sum = duration.ticks();
        let so_far = self.durations.unwrap_or(Durations { min: duration, max: duration, sum: 0, count: 0 });
        self.durations = Some(Durations {
            min: so_far.min.min(duration),
            max: so_far.max.max(duration),
            sum: so_far.sum + sum,
            count: so_far.count + 1,
        });
    }
}

/// Without positions there is nothing to show and no time that passed, only something to count.
// RULE V12
fn judge_empty(core: &FormulaCore, end: End, tally: &mut Tally) {
    match &core.reading {
        // The first position may still come, and with it what is asked for there.
        _ if end == End::Prefix => {}
        Reading::Invariants(invariants) => {
            let out_of_reach = invariants.iter().filter(|invariant| !invariant.nexts.is_empty());
            out_of_reach.for_each(|_| tally.activation(Truth::False));
        }
        Reading::Whole(_) => tally.activation(empty::truth(core, core.formula, end)),
    }
}

struct Judge<'a> {
    core: &'a FormulaCore,
    trace: &'a Trace,
    history: History<'a>,
}

impl Judge<'_> {
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
                tally.violations.push(self.violation(
                    last,
                    Moment::End,
                    invariant.antecedent,
                    invariant.consequent_span,
                ));
                return;
            }
            Base::Refused(at) => {
                tally.activation(Truth::False);
                let moment = Moment::Position(at);
                tally.violations.push(self.violation(at, moment, invariant.antecedent, invariant.consequent_span));
                return;
            }
        };
        for at in base + 1..times.len() {
            let asked = invariant.antecedent.map_or(Truth::True, |antecedent| self.history.truth(antecedent, at));
            if !invariant.reach.contains(times[at] - times[base]) || asked != Truth::True {
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
                    tally.violations.push(self.violation(at, moment, invariant.antecedent, invariant.consequent_span));
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
        let value = self.history.truth(self.core.formula, 0);
        tally.activation(value);
        if value == Truth::Unknown {
            return;
        }
        let moment = self.settled(self.core.formula, 0);
        if value == Truth::False {
            tally.violations.push(self.violation(0, moment, None, whole.span));
        } else if whole.takes_time {
            tally.duration(self.time_of(moment) - self.history.facts.times[0]);
        } else {
            tally.duration(Duration::ZERO);
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

    fn violation(
        &self,
        position: usize,
        moment: Moment,
        antecedent: Option<Edge>,
        failed: gnomon_core::diagnostic::Span,
    ) -> Violation {
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
        let at = At { position: position as u64, origin };
        Violation { at, until_position: None, decided, failed, summary: String::new(), because: vec![] }
    }

    /// The event that stands for a position: the first that matches one of these atoms, else the first.
    // RULE V13
    fn event_of(&self, position: usize, atoms: &[AtomId]) -> Origin {
        let events = self.history.facts.positions[position].events.clone();
        let matching = |index: &usize| {
            let event = &self.trace.events()[*index];
            atoms.iter().any(|id| atom::matches(&self.core.atoms[id.0 as usize], event))
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
        if let Node::Atom(atom) = core.node(id) {
            atoms.push(*atom);
        }
        pending.extend(core.node(id).children().iter().map(|child| child.node));
    }
    atoms
}

/// Puts violations in the order of the trace, joins those that stand side by side, and keeps the first ones.
// RULE V11
fn ranges(mut violations: Vec<Violation>, max_violations: usize) -> Vec<Violation> {
    violations.sort_by_key(|violation| (violation.failed, violation.at.position));
    let mut joined: Vec<Violation> = Vec::new();
    for violation in violations {
        match joined.last_mut() {
            Some(last)
                if last.failed == violation.failed
                    && last.until_position.unwrap_or(last.at.position) + 1 == violation.at.position =>
            {
                last.until_position = Some(violation.at.position);
            }
            _ => joined.push(violation),
        }
    }
    joined.sort_by_key(|violation| (violation.at.position, violation.failed));
    joined.truncate(max_violations);
    joined
}

/// Whether some position has two events that the property looks at.
fn merged_simultaneous(core: &FormulaCore, trace: &Trace, facts: &Facts) -> bool {
    let looked_at = |index: &usize| core.atoms.iter().any(|atom| atom::matches(atom, &trace.events()[*index]));
    core.simultaneous == Simultaneous::Merge
        && facts.positions.iter().any(|position| position.events.clone().filter(looked_at).count() > 1)
}
