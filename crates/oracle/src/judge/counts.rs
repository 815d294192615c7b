// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts, durations and violations, accumulated over bindings.

use gnomon_core::{DecisionPoint, Duration, Durations, Simultaneous, Violation};

use crate::trace::Trace;
use crate::truth::Truth;

#[derive(Default)]
pub(super) struct OutcomeCounts {
    pub(super) activated: u64,
    pub(super) satisfied: u64,
    pub(super) violated: u64,
    pub(super) pending: u64,
    pub(super) durations: Option<Durations>,
    /// Violations of each binding, in the order of the bindings.
    pub(super) violations: Vec<Vec<Violation>>,
}

impl OutcomeCounts {
    // RULE V7
    pub(super) fn activation(&mut self, value: Truth) {
        self.activated += 1;
        match value {
            Truth::True => self.satisfied += 1,
            Truth::False => self.violated += 1,
            Truth::Unknown => self.pending += 1,
        }
    }

    // RULE V8
    pub(super) fn duration(&mut self, duration: Duration) {
        let sum = duration.ticks();
        let so_far = self.durations.unwrap_or(Durations { min: duration, max: duration, sum: 0, count: 0 });
        self.durations = Some(Durations {
            min: so_far.min.min(duration),
            max: so_far.max.max(duration),
            sum: so_far.sum + sum,
            count: so_far.count + 1,
        });
    }

    /// The violations that follow are of another binding than those before.
    pub(super) fn next_binding(&mut self) {
        self.violations.push(vec![]);
    }

    /// The values of the last binding were all seen with an event, and not before: none of its violations is decided before.
    // RULE Q3
    pub(super) fn show(&mut self, shown: Option<usize>, trace: &Trace, simultaneous: Simultaneous) {
        let (Some(shown), Some(of_binding)) = (shown.map(|event| trace.origin(event)), self.violations.last_mut())
        else {
            return;
        };
        for violation in of_binding {
            let is_before = match violation.decided {
                DecisionPoint::Event(decided) if simultaneous == Simultaneous::Merge => decided.time < shown.time,
                DecisionPoint::Event(decided) => decided.event_index < shown.event_index,
                DecisionPoint::Deadline(time) => time < shown.time,
                DecisionPoint::End(_) => false,
            };
            if is_before {
                violation.decided = DecisionPoint::Event(shown);
            }
        }
    }

    pub(super) fn violation(&mut self, violation: Violation) {
        match self.violations.last_mut() {
            Some(of_binding) => of_binding.push(violation),
            None => self.violations.push(vec![violation]),
        }
    }
}

/// Joins adjacent violations of each binding to ranges, puts all in the order of the trace, and keeps the first ones.
// RULE V11, Q6
pub(super) fn ranges(violations: Vec<Vec<Violation>>, max_violations: usize) -> Vec<Violation> {
    let mut all: Vec<Violation> = violations.into_iter().flat_map(joined).collect();
    // The sort is stable: what is broken alike at one position stays in the order of the bindings.
    all.sort_by_key(|violation| (violation.at.position, violation.failed));
    all.truncate(max_violations);
    all
}

/// Puts the violations of all bindings in the order of the trace, and keeps the first ones.
// RULE L17
pub(super) fn single_positions(violations: Vec<Vec<Violation>>, max_violations: usize) -> Vec<Violation> {
    let mut all: Vec<Violation> = violations.into_iter().flatten().collect();
    all.sort_by_key(|violation| (violation.at.position, violation.failed));
    all.truncate(max_violations);
    all
}

fn joined(mut violations: Vec<Violation>) -> Vec<Violation> {
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
    joined
}
