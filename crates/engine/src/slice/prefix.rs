// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers: from what the values of a variable say to what all of them say together.
// RULE Q2, Q5

use gnomon_core::verdict::{End, Outcome, Verdict};
use gnomon_ir::core::{Quantifier, Threshold};
use gnomon_ir::spec::QuantifierKind;

/// What is known of a property for certain values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    /// `None`: the trace so far does not tell.
    pub(crate) truth: Option<bool>,
    /// What it would be if the trace ended here.
    pub(crate) if_complete: bool,
}

impl Known {
    pub(crate) fn certain(value: bool) -> Self {
        Known { truth: Some(value), if_complete: value }
    }

    pub(crate) fn of(outcome: &Outcome) -> Self {
        match outcome.verdict {
            Verdict::Holds => Known::certain(true),
            Verdict::Violated => Known::certain(false),
            Verdict::Inconclusive => Known { truth: None, if_complete: outcome.presumably == Some(true) },
        }
    }
}

/// What a quantifier makes of its values: each entry says it of so many of them.
pub(crate) fn combine(quantifier: &Quantifier, all: &[(usize, Known)], end: End) -> Known {
    let count = |of: &dyn Fn(&Known) -> bool| -> usize {
        all.iter().filter(|(_, known)| of(known)).map(|(times, _)| times).sum()
    };
    let total = count(&|_| true);
    let good = count(&|known| known.if_complete);
    let if_complete = match (quantifier.threshold, quantifier.kind) {
        (Some(threshold), _) => meets(threshold, good, total),
        (None, QuantifierKind::Forall) => good == total,
        (None, QuantifierKind::Exists) => good > 0,
    };
    if end == End::Complete {
        return Known::certain(if_complete);
    }
    // More values may come, and what is undecided may become true.
    let (sure, lost) = (count(&|known| known.truth == Some(true)), count(&|known| known.truth == Some(false)));
    let truth = match (quantifier.threshold, quantifier.kind) {
        (Some(threshold), _) if threshold.of_all => None,
        (Some(threshold), _) => settled(threshold, sure),
        (None, QuantifierKind::Forall) => (lost > 0).then_some(false),
        (None, QuantifierKind::Exists) => (sure > 0).then_some(true),
    };
    Known { truth, if_complete }
}

fn meets(threshold: Threshold, good: usize, total: usize) -> bool {
    let (good, total) = (good as i128, total as i128);
    if threshold.of_all {
        total == 0 || threshold.amount.compared_by(threshold.comparison, good, total)
    } else {
        threshold.amount.compared_by(threshold.comparison, good, 1)
    }
}

/// Whether every number from `sure` on compares alike.
fn settled(threshold: Threshold, sure: usize) -> Option<bool> {
    let compares = |number: i128| threshold.amount.compared_by(threshold.comparison, number, 1);
    // Beyond the bound all numbers compare alike; before it, the whole numbers next to it tell.
    let bound = threshold.amount.numerator.div_euclid(threshold.amount.denominator);
    let sure = sure as i128;
    let last = (bound + 2).max(sure);
    let first = compares(sure);
    let alike =
        [bound, bound + 1, last].into_iter().filter(|number| *number >= sure).all(|number| compares(number) == first);
    alike.then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_core::value::Comparison;
    use gnomon_ir::core::Ratio;

    #[test]
    fn a_growing_number_settles_a_comparison_one_way() {
        let threshold = |comparison, numerator, denominator| Threshold {
            comparison,
            amount: Ratio { numerator, denominator },
            of_all: false,
        };
        let three = |comparison| threshold(comparison, 3, 1);
        assert_eq!(settled(three(Comparison::AtLeast), 2), None);
        assert_eq!(settled(three(Comparison::AtLeast), 3), Some(true));
        assert_eq!(settled(three(Comparison::AtMost), 3), None);
        assert_eq!(settled(three(Comparison::AtMost), 4), Some(false));
        assert_eq!(settled(three(Comparison::Equal), 2), None);
        assert_eq!(settled(three(Comparison::Equal), 3), None);
        assert_eq!(settled(three(Comparison::Equal), 4), Some(false));
        assert_eq!(settled(threshold(Comparison::Equal, 5, 2), 0), Some(false));
        assert_eq!(settled(threshold(Comparison::Less, -1, 1), 0), Some(false));
    }
}
