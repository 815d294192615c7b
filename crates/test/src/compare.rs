// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether two outcomes say the same.

use std::collections::BTreeMap;

use gnomon_core::verdict::{At, Binding, Decided, Outcome, Violation};

/// What differs between the oracle's judgement (its outcome and every single violation) and an engine's outcome, in
/// words. Stories are the engine's own, and so is the choice of the part that failed: ranges are opened up first.
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
    let (wanted, told) = (positions(violations), positions(&found.violations));
    if wanted != told {
        differs("violated", show(&wanted), show(&told));
    }
    for violation in &found.violations {
        let same_binding = violations.iter().filter(|known| known.binding == violation.binding);
        let moments: Vec<(At, Decided)> = same_binding.map(|known| (known.at, known.decided)).collect();
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
    let Outcome { activated, satisfied, violated, pending, .. } = outcome;
    format!("activated {activated} satisfied {satisfied} violated {violated} pending {pending}")
}

/// Every position that is broken, as often as it is, each with its binding.
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

/// How often each thing was seen: for the distribution of generated cases.
#[derive(Clone, Debug, Default)]
pub struct Census {
    counts: BTreeMap<String, u64>,
    total: u64,
}

impl Census {
    /// One more thing that has these qualities.
    pub fn add(&mut self, qualities: impl IntoIterator<Item = String>) {
        self.total += 1;
        for quality in qualities {
            *self.counts.entry(quality).or_default() += 1;
        }
    }

    /// The share of the things that have the quality, in percent.
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
