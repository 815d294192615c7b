// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns truth values into an outcome: verdict, counts, violations.

mod automaton;
mod binding;
mod clocks;
mod counts;
mod formula;
mod modal;
mod pattern;
pub(crate) mod plugin;
mod rule;
mod whole_trace;

use gnomon_core::{Binding, DecisionPoint, End, Outcome, Span, Timestamp, TracePosition, Verdict, Violation};
use gnomon_ir::core::{Core, QuantifierCore};

use self::counts::{OutcomeCounts, ranges, single_positions};
use crate::atom;
use crate::decision_time::DecisionTime;
use crate::prefix::QuantifiedBody;
use crate::trace::Trace;
use crate::truth::Truth;

/// Evaluates a property on a trace. Outcomes name events by the symbols of the trace; they have no explanations.
pub fn judge(core: &Core, trace: &Trace, end: End, max_violations: usize) -> Outcome {
    judge_at(core, trace, end, None, max_violations)
}

/// Evaluates a property on a trace of which is known that no further event comes before the time `now`.
pub fn judge_at(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>, max_violations: usize) -> Outcome {
    let (mut outcome, violations) = judged(core, trace, end, now).into_outcome();
    outcome.violations = match core {
        // RULE L17
        Core::Plugin(_) => single_positions(violations, max_violations),
        _ => ranges(violations, max_violations),
    };
    outcome.open_at_end = open_at_end(core, trace, end, now, outcome.violated);
    outcome
}

/// Evaluates like [`judge_at`], but returns every single violation with its own moment, binding after binding, instead of ranges of
/// violations in the outcome.
pub fn judge_each(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>) -> (Outcome, Vec<Violation>) {
    let (mut outcome, violations) = judged(core, trace, end, now).into_outcome();
    outcome.open_at_end = open_at_end(core, trace, end, now, outcome.violated);
    (outcome, violations.concat())
}

/// Returns the number of violations of a complete trace that a continuation of it could avoid.
// RULE V14
fn open_at_end(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>, violated: u64) -> u64 {
    match end {
        End::Complete if violated > 0 => {
            violated.saturating_sub(judged_at_end(core, trace, End::Prefix, now).counts.violated)
        }
        End::Complete | End::Prefix => 0,
    }
}

/// Returns the truth value of the whole property, its quantifiers included.
pub fn value(core: &Core, trace: &Trace, end: End) -> Truth {
    judged(core, trace, end, None).truth
}

fn judged(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    let mut judgement = judged_at_end(core, trace, end, now);
    let counts_values = |quantifier: &QuantifierCore| quantifier.threshold.is_some_and(|threshold| !threshold.of_all);
    if core.prefix().iter().any(counts_values)
        && judgement.truth == Truth::False
        && let Some(early) = earliest(core, trace)
    {
        judgement.counts.violations = vec![vec![early]];
    }
    judgement
}

/// Returns the violation of a property that is false as a whole after the first positions, whatever follows.
// RULE Q4, Q5
fn earliest(core: &Core, trace: &Trace) -> Option<Violation> {
    trace.positions(core.simultaneous()).into_iter().find_map(|position| {
        let events = trace.events()[..position.events.end].to_vec();
        let cut = Trace::with_symbols(events, trace.symbols().clone());
        let Judgement { truth, counts, .. } = judged_at_end(core, &cut, End::Prefix, None);
        let violation = counts.violations.concat().into_iter().next().filter(|_| truth == Truth::False)?;
        let concerns = |index: &usize| core.atoms().iter().any(|one| atom::matches(one, &trace.events()[*index], &[]));
        let decider = position.events.clone().find(concerns).unwrap_or(position.events.start);
        Some(Violation { decided: DecisionPoint::Event(trace.origin(decider)), ..violation })
    })
}

fn judged_at_end(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    match core {
        Core::Formula(core) => formula::judge(core, trace, end, now),
        Core::Automaton(core) => automaton::judge(core, trace, end),
        Core::Rule(core) => rule::judge(core, trace, end, now),
        Core::Pattern(core) => pattern::judge(core, trace, end, now),
        Core::Modal(core) => modal::judge(core, trace, end),
        Core::Plugin(core) => plugin::judge(core, trace, end),
        Core::Clocks(core) => clocks::judge(core, trace, end),
    }
}

struct Judgement {
    truth: Truth,
    if_complete: Truth,
    positions: usize,
    counts: OutcomeCounts,
    merged_simultaneous: bool,
}

impl Judgement {
    /// Creates the judgement of a body under its quantifiers.
    fn quantified(quantified: &QuantifiedBody<'_>, positions: usize, counts: OutcomeCounts) -> Judgement {
        Judgement {
            truth: quantified.truth(),
            if_complete: quantified.truth_if_complete(),
            positions,
            counts,
            merged_simultaneous: false,
        }
    }

    // RULE V3, V9
    fn into_outcome(self) -> (Outcome, Vec<Vec<Violation>>) {
        let Judgement { truth, if_complete, positions, counts, merged_simultaneous } = self;
        let verdict = match truth {
            Truth::True => Verdict::Holds,
            Truth::False => Verdict::Violated,
            Truth::Unknown => Verdict::Inconclusive,
        };
        let outcome = Outcome {
            verdict,
            presumably: (truth == Truth::Unknown).then_some(if_complete == Truth::True),
            positions: positions as u64,
            activated: counts.activated,
            satisfied: counts.satisfied,
            violated: counts.violated,
            open_at_end: 0,
            pending: counts.pending,
            durations: counts.durations,
            violations: vec![],
            merged_simultaneous,
            fault: None,
        };
        (outcome, counts.violations)
    }
}

/// Creates a violation at an event of the trace, whose position is the index of the event.
fn violation_at(trace: &Trace, event: usize, decided: DecisionTime, binding: Binding, failed: Span) -> Violation {
    let at = TracePosition { position: event as u64, origin: trace.origin(event) };
    let last = trace.events().last().map(|event| event.time).unwrap_or_default();
    let decided = match decided {
        DecisionTime::Position(index) => DecisionPoint::Event(trace.origin(index)),
        DecisionTime::Deadline(time) => DecisionPoint::Deadline(time),
        DecisionTime::End => DecisionPoint::End(last),
    };
    violation(at, decided, binding, failed)
}

fn violation(at: TracePosition, decided: DecisionPoint, binding: Binding, failed: Span) -> Violation {
    Violation {
        at,
        until_position: None,
        decided,
        binding,
        part: failed,
        failed,
        summary: String::new(),
        because: vec![],
    }
}
