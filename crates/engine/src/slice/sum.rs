// SPDX-License-Identifier: MIT OR Apache-2.0
//! What many bindings amount to together.

use std::cmp::Ordering;

use gnomon_core::verdict::{Binding, Durations, Outcome, Verdict, Violation};
use serde::{Deserialize, Serialize};

/// Counts add up; of the violations the first are kept, in the order of reports.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sum {
    pub(crate) activated: u64,
    pub(crate) satisfied: u64,
    pub(crate) violated: u64,
    pub(crate) pending: u64,
    pub(crate) durations: Option<Durations>,
    violations: Vec<Violation>,
    most_listed: usize,
}

impl Sum {
    pub(crate) fn new(most_listed: usize) -> Self {
        Sum { activated: 0, satisfied: 0, violated: 0, pending: 0, durations: None, violations: vec![], most_listed }
    }

    pub(crate) fn most_listed(&self) -> usize {
        self.most_listed
    }

    /// So many bindings came out like this; the violations are those of one of them.
    pub(crate) fn add(&mut self, outcome: Outcome, times: u128, binding: &Binding) {
        let Outcome { violations, .. } = self.count(outcome, times);
        self.list(violations.into_iter().map(|one| Violation { binding: binding.clone(), ..one }));
    }

    /// So many bindings came out like this, whatever their violations are.
    pub(crate) fn count(&mut self, outcome: Outcome, times: u128) -> Outcome {
        let times = u64::try_from(times).unwrap_or(u64::MAX);
        let more = |sum: &mut u64, one: u64| *sum = sum.saturating_add(one.saturating_mul(times));
        more(&mut self.activated, outcome.activated);
        more(&mut self.satisfied, outcome.satisfied);
        more(&mut self.violated, outcome.violated);
        more(&mut self.pending, outcome.pending);
        if let Some(durations) = outcome.durations.filter(|_| times > 0) {
            self.measure(Durations {
                sum: durations.sum.saturating_mul(i128::from(times)),
                count: durations.count.saturating_mul(times),
                ..durations
            });
        }
        outcome
    }

    pub(crate) fn measure(&mut self, other: Durations) {
        self.durations = Some(match self.durations {
            None => other,
            Some(own) => Durations {
                min: own.min.min(other.min),
                max: own.max.max(other.max),
                sum: own.sum.saturating_add(other.sum),
                count: own.count.saturating_add(other.count),
            },
        });
    }

    /// Adds to the list.
    pub(crate) fn list(&mut self, violations: impl Iterator<Item = Violation>) {
        self.violations.extend(violations);
        if self.violations.len() > self.most_listed.saturating_mul(2).saturating_add(64) {
            self.prune();
        }
    }

    /// RULE V11, for each binding.
    fn prune(&mut self) {
        self.violations.sort_by(|left, right| {
            let by_part = left.failed.cmp(&right.failed).then_with(|| left.binding.compare(&right.binding));
            by_part.then_with(|| left.at.position.cmp(&right.at.position))
        });
        self.violations.dedup_by(|later, earlier| {
            let end = earlier.until_position.unwrap_or(earlier.at.position);
            let goes_on = earlier.failed == later.failed
                && earlier.binding.compare(&later.binding).is_eq()
                && end + 1 == later.at.position;
            if goes_on {
                earlier.until_position = Some(later.until_position.unwrap_or(later.at.position));
            }
            goes_on
        });
        self.violations.sort_by(in_order);
        self.violations.truncate(self.most_listed);
    }

    /// Takes another sum in.
    pub(crate) fn join(&mut self, other: Sum) {
        self.activated = self.activated.saturating_add(other.activated);
        self.satisfied = self.satisfied.saturating_add(other.satisfied);
        self.violated = self.violated.saturating_add(other.violated);
        self.pending = self.pending.saturating_add(other.pending);
        if let Some(durations) = other.durations {
            self.measure(durations);
        }
        self.list(other.violations.into_iter());
    }

    pub(crate) fn outcome(mut self, verdict: Verdict, presumably: Option<bool>, positions: u64) -> Outcome {
        self.prune();
        Outcome {
            verdict,
            presumably,
            positions,
            activated: self.activated,
            satisfied: self.satisfied,
            violated: self.violated,
            pending: self.pending,
            durations: self.durations,
            violations: self.violations,
            merged_simultaneous: false,
        }
    }
}

/// What the parts of a property come to.
pub(crate) fn together(outcomes: Vec<Outcome>, most_listed: usize) -> Outcome {
    let mut sum = Sum::new(most_listed);
    let holds = |outcome: &Outcome| outcome.verdict == Verdict::Holds;
    let may_hold = |outcome: &Outcome| holds(outcome) || outcome.presumably == Some(true);
    let (all_hold, all_may) = (outcomes.iter().all(holds), outcomes.iter().all(may_hold));
    let positions = outcomes.first().map_or(0, |outcome| outcome.positions);
    let merged_simultaneous = outcomes.iter().any(|outcome| outcome.merged_simultaneous);
    for outcome in outcomes {
        let Outcome { violations, .. } = sum.count(outcome, 1);
        sum.list(violations.into_iter());
    }
    let verdict = match () {
        () if sum.violated > 0 => Verdict::Violated,
        () if all_hold => Verdict::Holds,
        () => Verdict::Inconclusive,
    };
    let presumably = (verdict == Verdict::Inconclusive).then_some(all_may);
    Outcome { merged_simultaneous, ..sum.outcome(verdict, presumably, positions) }
}

/// What the root has counted for bindings, beyond what it counts for those that it stands for at the end: what it had
/// counted before an instance was made, less what it had counted before the instance was forgotten.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Lent {
    activated: i128,
    satisfied: i128,
}

impl Lent {
    /// A binding has an instance of its own from now on.
    pub(crate) fn hand_out(&mut self, (activated, satisfied): (u64, u64)) {
        self.activated += i128::from(activated);
        self.satisfied += i128::from(satisfied);
    }

    /// The root stands for a binding again.
    pub(crate) fn take_back(&mut self, (activated, satisfied): (u64, u64)) {
        self.activated -= i128::from(activated);
        self.satisfied -= i128::from(satisfied);
    }

    pub(crate) fn join(&mut self, other: Lent) {
        self.activated += other.activated;
        self.satisfied += other.satisfied;
    }

    /// Adds it to what was counted.
    pub(crate) fn settle(self, sum: &mut Sum) {
        let add = |count: &mut u64, more: i128| {
            *count = u64::try_from(i128::from(*count) + more).unwrap_or(u64::MAX);
        };
        add(&mut sum.activated, self.activated);
        add(&mut sum.satisfied, self.satisfied);
    }
}

/// RULE Q6
pub(crate) fn in_order(left: &Violation, right: &Violation) -> Ordering {
    let key = |violation: &Violation| (violation.at.position, violation.failed);
    key(left).cmp(&key(right)).then_with(|| left.binding.compare(&right.binding))
}
