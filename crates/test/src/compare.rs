// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares outcomes of the oracle and the engine.

use std::collections::BTreeMap;

use gnomon_core::verdict::{Binding, DecisionPoint, Outcome, TracePosition, Violation};

/// Describes the differences between the oracle's result (its outcome and every single violation) and an engine's outcome.
/// Explanations and the choice of the failed part are not compared. Ranges of violations are expanded first.
pub fn difference(expected: &(Outcome, Vec<Violation>), found: &Outcome) -> Option<String> {
    let mut differences = Vec::new();
    let mut differs = |what: &str, expected: String, found: String| {
        if expected != found {
            differences.push(format!("{what}: oracle {expected}, engine {found}"));
        }
    };
    let (outcome, violations) = expected;
    differs("verdict", outcome.verdict.to_string(), found.verdict.to_string());
    differs("presumably", format!("{:?}", outcome.presumably), format!("{:?}", found.presumably));
    differs("positions", outcome.positions.to_string(), found.positions.to_string());
    differs("counts", counts(outcome), counts(found));
    differs("durations", format!("{:?}", outcome.durations), format!("{:?}", found.durations));
    differs("merged", outcome.merged_simultaneous.to_string(), found.merged_simultaneous.to_string());
    let (wanted, listed) = (positions(violations), positions(&found.violations));
    if wanted != listed {
        differs("violated", show(&wanted), show(&listed));
    }
    for violation in &found.violations {
        let same_binding = violations.iter().filter(|known| known.binding == violation.binding);
        let moments: Vec<(TracePosition, DecisionPoint)> =
            same_binding.map(|known| (known.at, known.decided)).collect();
        if !moments.contains(&(violation.at, violation.decided)) {
            let binding = &violation.binding;
            differs(
                &format!("moments of ({binding})"),
                format!("{moments:?}"),
                format!("{:?}", (violation.at, violation.decided)),
            );
        }
    }
    let in_order = |pair: &[Violation]| {
        let key = |violation: &Violation| (violation.at.position, violation.failed);
        key(&pair[0]).cmp(&key(&pair[1])).then_with(|| pair[0].binding.compare(&pair[1].binding)).is_le()
    };
    if !found.violations.windows(2).all(in_order) {
        let order = found.violations.iter().map(|found| (found.at.position, found.binding.clone())).collect::<Vec<_>>();
        differs("order", "by position, part and binding".to_owned(), show(&order));
    }
    (!differences.is_empty()).then(|| differences.join("\n"))
}

fn counts(outcome: &Outcome) -> String {
    let Outcome { activated, satisfied, violated, open_at_end, pending, .. } = outcome;
    format!(
        "activated {activated} satisfied {satisfied} violated {violated} ({open_at_end} at the end) pending {pending}"
    )
}

/// Lists every violated position with its binding.
pub fn positions(violations: &[Violation]) -> Vec<(u64, Binding)> {
    let range = |violation: &Violation| {
        let binding = violation.binding.clone();
        let last = violation.until_position.unwrap_or(violation.at.position);
        (violation.at.position..=last).map(move |position| (position, binding.clone()))
    };
    let mut positions: Vec<(u64, Binding)> = violations.iter().flat_map(range).collect();
    positions.sort_by(|left, right| left.0.cmp(&right.0).then_with(|| left.1.compare(&right.1)));
    positions
}

fn show(positions: &[(u64, Binding)]) -> String {
    positions.iter().map(|(position, binding)| format!("{position} ({binding})")).collect::<Vec<_>>().join(", ")
}

/// Frequencies of qualities, for the distribution of generated cases.
#[derive(Clone, Debug, Default)]
pub struct Census {
    counts: BTreeMap<String, u64>,
    total: u64,
}

impl Census {
    /// Counts an item with these qualities.
    pub fn add(&mut self, qualities: impl IntoIterator<Item = String>) {
        self.total += 1;
        for quality in qualities {
            *self.counts.entry(quality).or_default() += 1;
        }
    }

    /// Returns the percentage of items with the quality.
    pub fn percent(&self, quality: &str) -> u64 {
        let count = self.counts.get(quality).copied().unwrap_or(0);
        (count * 100).checked_div(self.total).unwrap_or(0)
    }

    /// A line per quality.
    pub fn table(&self) -> String {
        let line =
            |(quality, count): (&String, &u64)| format!("{quality:24} {count:6} {:3} %\n", self.percent(quality));
        self.counts.iter().map(line).collect()
    }
}
