// SPDX-License-Identifier: MIT OR Apache-2.0
//! The outcomes of many cases as one.

use std::sync::Arc;

use gnomon_core::verdict::{Durations, Outcome, Verdict, Violation};

/// What a report says about a trace that was judged by cases.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// How many there are.
    pub total: u64,
    /// How many of them violate some property.
    pub violating: u64,
    /// For each property of the plan, how many cases violate it.
    pub violating_each: Vec<u64>,
    /// For each property of the plan, the case of each violation that its outcome lists.
    pub labels: Vec<Vec<Arc<str>>>,
    /// The field whose values they are; `None` where the format tells cases apart.
    pub field: Option<String>,
    /// How many events belong to no case; they were not judged.
    pub without: u64,
}

impl Cases {
    /// The case of a property's violation.
    pub fn label(&self, property: usize, violation: usize) -> Option<&str> {
        self.labels.get(property)?.get(violation).map(|label| &**label)
    }
}

/// Adds up the outcomes of cases. Memory: the violations that will be listed, not the cases.
#[derive(Debug)]
pub struct Sum {
    properties: Vec<Property>,
    max_violations: usize,
    total: u64,
    violating: u64,
    first: First,
}

/// Which violations come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum First {
    /// Those of the first events.
    Index,
    /// The earliest: where each part of a trace counts its own events.
    Time,
}

#[derive(Debug)]
struct Property {
    outcome: Outcome,
    violating: u64,
    violations: Vec<(Violation, Arc<str>)>,
}

impl Sum {
    /// No cases yet: nothing is violated.
    pub fn new(properties: usize, max_violations: usize) -> Self {
        let outcome = Outcome {
            verdict: Verdict::Holds,
            presumably: None,
            positions: 0,
            activated: 0,
            satisfied: 0,
            violated: 0,
            pending: 0,
            durations: None,
            violations: Vec::new(),
            merged_simultaneous: false,
        };
        let property = || Property { outcome: outcome.clone(), violating: 0, violations: Vec::new() };
        Sum {
            properties: (0..properties).map(|_| property()).collect(),
            max_violations,
            total: 0,
            violating: 0,
            first: First::Index,
        }
    }

    /// The earliest violations are listed, of whichever part of the trace.
    #[must_use]
    pub(super) fn by_time(mut self) -> Self {
        self.first = First::Time;
        self
    }

    /// Adds one case.
    pub fn add(&mut self, label: &Arc<str>, outcomes: Vec<Outcome>) {
        self.total += 1;
        self.violating += u64::from(outcomes.iter().any(|outcome| outcome.verdict == Verdict::Violated));
        for (property, outcome) in self.properties.iter_mut().zip(outcomes) {
            property.add(label, outcome, self.max_violations, self.first);
        }
    }

    /// Adds what others have added up, with the case of each violation.
    pub(super) fn join(&mut self, outcomes: Vec<Outcome>, cases: &Cases) {
        self.total += cases.total;
        self.violating += cases.violating;
        for (index, (property, mut outcome)) in self.properties.iter_mut().zip(outcomes).enumerate() {
            let violations = std::mem::take(&mut outcome.violations);
            let labels = cases.labels.get(index).map(Vec::as_slice).unwrap_or_default();
            property.violations.extend(violations.into_iter().zip(labels.iter().cloned()));
            property.violating += cases.violating_each.get(index).copied().unwrap_or_default();
            property.sum_up(&outcome, self.max_violations, self.first);
        }
    }

    /// The outcome of each property over all cases.
    pub fn finish(self, field: Option<&str>, without: u64) -> (Vec<Outcome>, Cases) {
        let mut cases = Cases {
            total: self.total,
            violating: self.violating,
            field: field.map(str::to_owned),
            without,
            ..Cases::default()
        };
        let mut outcomes = Vec::new();
        for mut property in self.properties {
            property.keep_first(self.max_violations, self.first);
            let (violations, labels) = property.violations.into_iter().unzip();
            cases.violating_each.push(property.violating);
            cases.labels.push(labels);
            outcomes.push(Outcome { violations, ..property.outcome });
        }
        (outcomes, cases)
    }
}

impl Property {
    fn add(&mut self, label: &Arc<str>, mut case: Outcome, max_violations: usize, first: First) {
        self.violating += u64::from(case.verdict == Verdict::Violated);
        let violations = std::mem::take(&mut case.violations);
        self.violations.extend(violations.into_iter().map(|violation| (violation, label.clone())));
        self.sum_up(&case, max_violations, first);
    }

    fn sum_up(&mut self, case: &Outcome, max_violations: usize, first: First) {
        if self.violations.len() > max_violations.saturating_mul(2) {
            self.keep_first(max_violations, first);
        }
        let sum = &mut self.outcome;
        (sum.verdict, sum.presumably) = both((sum.verdict, sum.presumably), (case.verdict, case.presumably));
        sum.positions += case.positions;
        sum.activated += case.activated;
        sum.satisfied += case.satisfied;
        sum.violated += case.violated;
        sum.pending += case.pending;
        sum.merged_simultaneous |= case.merged_simultaneous;
        sum.durations = match (sum.durations, case.durations) {
            (Some(left), Some(right)) => Some(join(left, right)),
            (left, right) => left.or(right),
        };
    }

    fn keep_first(&mut self, most: usize, first: First) {
        let origin = |violation: &Violation| violation.at.origin;
        match first {
            First::Index => self.violations.sort_by_key(|(violation, _)| origin(violation).event_index),
            First::Time => self.violations.sort_by(|(left, left_case), (right, right_case)| {
                let key = |violation| (origin(violation).time, origin(violation).event_index);
                key(left).cmp(&key(right)).then_with(|| left_case.cmp(right_case))
            }),
        }
        self.violations.truncate(most);
    }
}

/// One violated spoils both, one undecided leaves both undecided.
fn both(left: (Verdict, Option<bool>), right: (Verdict, Option<bool>)) -> (Verdict, Option<bool>) {
    let any = |verdict| left.0 == verdict || right.0 == verdict;
    if any(Verdict::Violated) {
        (Verdict::Violated, None)
    } else if any(Verdict::Inconclusive) {
        (Verdict::Inconclusive, Some(left.1 != Some(false) && right.1 != Some(false)))
    } else {
        (Verdict::Holds, None)
    }
}

fn join(left: Durations, right: Durations) -> Durations {
    Durations {
        min: left.min.min(right.min),
        max: left.max.max(right.max),
        sum: left.sum + right.sum,
        count: left.count + right.count,
    }
}
