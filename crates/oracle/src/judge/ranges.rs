// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of violations: those that stand side by side are one range.
// RULE V11, Q6

use gnomon_core::verdict::Violation;

/// Joins the violations of each binding, puts all in the order of the trace, and keeps the first ones.
pub(super) fn ranges(violations: Vec<Vec<Violation>>, max_violations: usize) -> Vec<Violation> {
    let mut all: Vec<Violation> = violations.into_iter().flat_map(joined).collect();
    // The sort is stable: what is broken alike at one position stays in the order of the bindings.
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
