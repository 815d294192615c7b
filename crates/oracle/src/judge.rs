// SPDX-License-Identifier: MIT OR Apache-2.0
//! From truth values to an outcome: verdict, counts, violations.

mod automaton;
mod binding;
mod formula;
mod modal;
mod once;
mod ranges;
mod requirement;
mod rule;
mod tally;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Outcome, Verdict, Violation};
use gnomon_ir::core::Core;

use self::tally::Tally;
use crate::trace::Trace;
use crate::truth::Truth;

/// Judges a trace. Outcomes name events by the trace's symbols; summaries and stories stay empty.
pub fn judge(core: &Core, trace: &Trace, end: End, max_violations: usize) -> Outcome {
    judge_at(core, trace, end, None, max_violations)
}

/// Judges a trace after whose last event nothing came before the time `now`.
pub fn judge_at(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>, max_violations: usize) -> Outcome {
    let (mut outcome, violations) = judged(core, trace, end, now).told();
    outcome.violations = ranges::ranges(violations, max_violations);
    outcome
}

/// Judges like [`judge_at`], but gives every single violation, each with its own moment, instead of listing ranges in
/// the outcome: those of one binding after those of the binding before.
pub fn judge_each(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>) -> (Outcome, Vec<Violation>) {
    let (outcome, violations) = judged(core, trace, end, now).told();
    (outcome, violations.concat())
}

/// What is known of the whole property, its quantifiers included.
pub fn value(core: &Core, trace: &Trace, end: End) -> Truth {
    judged(core, trace, end, None).truth
}

fn judged(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    match core {
        Core::Formula(core) => formula::judge(core, trace, end, now),
        Core::Automaton(core) => automaton::judge(core, trace, end),
        Core::Rule(core) => rule::judge(core, trace, end, now),
        Core::Requirement(core) => requirement::judge(core, trace, end, now),
        Core::Modal(core) => modal::judge(core, trace, end),
    }
}

struct Judgement {
    truth: Truth,
    if_complete: Truth,
    positions: usize,
    tally: Tally,
    merged_simultaneous: bool,
}

impl Judgement {
    // RULE V3, V9
    fn told(self) -> (Outcome, Vec<Vec<Violation>>) {
        let Judgement { truth, if_complete, positions, tally, merged_simultaneous } = self;
        let verdict = match truth {
            Truth::True => Verdict::Holds,
            Truth::False => Verdict::Violated,
            Truth::Unknown => Verdict::Inconclusive,
        };
        let outcome = Outcome {
            verdict,
            presumably: (truth == Truth::Unknown).then_some(if_complete == Truth::True),
            positions: positions as u64,
            activated: tally.activated,
            satisfied: tally.satisfied,
            violated: tally.violated,
            pending: tally.pending,
            durations: tally.durations,
            violations: vec![],
            merged_simultaneous,
        };
        (outcome, tally.violations)
    }
}
