// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adds up the outcomes of many cases.
//!
//! Counts are added, and the verdict is the worst: one violated case makes the sum violated, one undecided case makes it
//! undecided. The sum lists the first violations of all cases, each with its case. Memory is bounded: whenever twice as many
//! violations as wanted have gathered, they are sorted and the later half is dropped.
//!
//! Within one run the first violations are those with the smallest event index. Parts of a trace that were checked on
//! different machines may each count their own events, so their violations are ordered by time instead.

use std::sync::Arc;

use gnomon_core::verdict::{Durations, Outcome, Verdict, Violation};
use serde::{Deserialize, Serialize};

/// Summary of the cases of a divided trace.
#[derive(Clone, Debug, Default)]
pub struct CaseSummary {
    /// Number of cases.
    pub total: u64,
    /// Number of cases that violate a property.
    pub violating: u64,
    /// For each property of the plan, the number of cases that violate it.
    pub violating_each: Vec<u64>,
    /// For each property of the plan, the case of each violation that its outcome lists.
    pub labels: Vec<Vec<Arc<str>>>,
    /// The field whose values are the cases; `None` for cases of the format.
    pub field: Option<String>,
    /// Number of events that belong to no case; they were not checked.
    pub without: u64,
}

impl CaseSummary {
    /// Returns the case of a violation of a property.
    pub fn label(&self, property: usize, violation: usize) -> Option<&str> {
        self.labels.get(property)?.get(violation).map(|label| &**label)
    }
}

/// The sum of the outcomes of cases.
#[derive(Clone, Debug)]
pub struct OutcomeSum {
    properties: Vec<PropertySum>,
    max_violations: usize,
    total: u64,
    violating: u64,
    first: ViolationOrder,
}

/// The order of violations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ViolationOrder {
    /// By index of the event.
    ByIndex,
    /// By time, then by index, then by case.
    ByTime,
}

/// A sum in a snapshot: for each property the counts, the number of violating cases, and the violations with their cases; the numbers
/// of cases and of violating ones.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedSum(Vec<SavedProperty>, u64, u64);

type SavedProperty = (Outcome, u64, Vec<(Violation, String)>);

#[derive(Clone, Debug)]
struct PropertySum {
    outcome: Outcome,
    violating: u64,
    violations: Vec<(Violation, Arc<str>)>,
}

impl OutcomeSum {
    /// Creates the sum of no cases: every property holds.
    pub fn new(properties: usize, max_violations: usize) -> Self {
        OutcomeSum {
            properties: (0..properties).map(|_| PropertySum::new()).collect(),
            max_violations,
            total: 0,
            violating: 0,
            first: ViolationOrder::ByIndex,
        }
    }

    /// Saves the sum for [`OutcomeSum::restore`].
    pub(crate) fn save(&self) -> SavedSum {
        let violation = |(violation, label): &(Violation, Arc<str>)| (violation.clone(), label.to_string());
        let property = |sum: &PropertySum| {
            (sum.outcome.clone(), sum.violating, sum.violations.iter().map(violation).collect::<Vec<_>>())
        };
        SavedSum(self.properties.iter().map(property).collect(), self.total, self.violating)
    }

    /// Restores a saved sum.
    pub(crate) fn restore(saved: SavedSum, max_violations: usize) -> Self {
        let SavedSum(properties, total, violating) = saved;
        let property = |(outcome, violating, violations): (Outcome, u64, Vec<(Violation, String)>)| PropertySum {
            outcome,
            violating,
            violations: violations.into_iter().map(|(violation, label)| (violation, label.into())).collect(),
        };
        let properties = properties.into_iter().map(property).collect();
        OutcomeSum { properties, max_violations, total, violating, first: ViolationOrder::ByIndex }
    }

    /// Returns the number of properties.
    pub(crate) fn property_count(&self) -> usize {
        self.properties.len()
    }

    /// Returns the number of cases that violate a property.
    pub(crate) fn violating_count(&self) -> u64 {
        self.violating
    }

    /// Replaces the properties: each new one is an old one, by its index, or has no cases yet.
    pub(crate) fn replace(&mut self, new: &[Option<usize>]) {
        let mut old: Vec<Option<PropertySum>> = std::mem::take(&mut self.properties).into_iter().map(Some).collect();
        let take = |index: &Option<usize>| index.and_then(|index| old.get_mut(index)?.take());
        self.properties = new.iter().map(take).map(|sum| sum.unwrap_or_else(PropertySum::new)).collect();
    }

    /// Orders violations by time.
    #[must_use]
    pub(super) fn by_time(mut self) -> Self {
        self.first = ViolationOrder::ByTime;
        self
    }

    /// Adds one case.
    pub fn add(&mut self, label: &str, outcomes: Vec<Outcome>) {
        self.total += 1;
        self.violating += u64::from(outcomes.iter().any(|outcome| outcome.verdict == Verdict::Violated));
        for (property, outcome) in self.properties.iter_mut().zip(outcomes) {
            property.add(label, outcome, self.max_violations, self.first);
        }
    }

    /// Adds another sum, with the case of each violation.
    pub(super) fn join(&mut self, outcomes: Vec<Outcome>, cases: &CaseSummary) {
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

    /// Returns the outcome of each property over all cases.
    pub fn finish(self, field: Option<&str>, without: u64) -> (Vec<Outcome>, CaseSummary) {
        let mut cases = CaseSummary {
            total: self.total,
            violating: self.violating,
            field: field.map(str::to_owned),
            without,
            ..CaseSummary::default()
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

impl PropertySum {
    fn new() -> Self {
        let outcome = Outcome {
            verdict: Verdict::Holds,
            presumably: None,
            positions: 0,
            activated: 0,
            satisfied: 0,
            violated: 0,
            open_at_end: 0,
            pending: 0,
            durations: None,
            violations: Vec::new(),
            merged_simultaneous: false,
            fault: None,
        };
        PropertySum { outcome, violating: 0, violations: Vec::new() }
    }

    fn add(&mut self, label: &str, mut case: Outcome, max_violations: usize, first: ViolationOrder) {
        self.violating += u64::from(case.verdict == Verdict::Violated);
        let violations = std::mem::take(&mut case.violations);
        if !violations.is_empty() {
            let label: Arc<str> = label.into();
            self.violations.extend(violations.into_iter().map(|violation| (violation, label.clone())));
        }
        self.sum_up(&case, max_violations, first);
    }

    fn sum_up(&mut self, case: &Outcome, max_violations: usize, first: ViolationOrder) {
        if self.violations.len() > max_violations.saturating_mul(2) {
            self.keep_first(max_violations, first);
        }
        let sum = &mut self.outcome;
        (sum.verdict, sum.presumably) = both((sum.verdict, sum.presumably), (case.verdict, case.presumably));
        sum.positions += case.positions;
        sum.activated += case.activated;
        sum.satisfied += case.satisfied;
        sum.violated += case.violated;
        sum.open_at_end += case.open_at_end;
        sum.pending += case.pending;
        sum.merged_simultaneous |= case.merged_simultaneous;
        sum.fault = sum.fault.take().or_else(|| case.fault.clone());
        sum.durations = match (sum.durations, case.durations) {
            (Some(left), Some(right)) => Some(join(left, right)),
            (left, right) => left.or(right),
        };
    }

    fn keep_first(&mut self, most: usize, first: ViolationOrder) {
        let origin = |violation: &Violation| violation.at.origin;
        match first {
            ViolationOrder::ByIndex => self.violations.sort_by_key(|(violation, _)| origin(violation).event_index),
            ViolationOrder::ByTime => self.violations.sort_by(|(left, left_case), (right, right_case)| {
                let key = |violation| origin(violation).order();
                key(left).cmp(&key(right)).then_with(|| left_case.cmp(right_case))
            }),
        }
        self.violations.truncate(most);
    }
}

/// Combines two verdicts, each with the presumable one: violated wins over undecided, undecided over holds.
fn both(left: (Verdict, Option<bool>), right: (Verdict, Option<bool>)) -> (Verdict, Option<bool>) {
    let verdict = worst_verdict([left.0, right.0]);
    let presumably = left.1 != Some(false) && right.1 != Some(false);
    (verdict, (verdict == Verdict::Inconclusive).then_some(presumably))
}

/// Returns the worst verdict: violated, then inconclusive, then holds.
pub fn worst_verdict(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Holds => 0,
        Verdict::Inconclusive => 1,
        Verdict::Violated => 2,
    };
    verdicts.into_iter().max_by_key(rank).unwrap_or(Verdict::Holds)
}

fn join(left: Durations, right: Durations) -> Durations {
    Durations {
        min: left.min.min(right.min),
        max: left.max.max(right.max),
        sum: left.sum + right.sum,
        count: left.count + right.count,
    }
}
