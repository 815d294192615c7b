// SPDX-License-Identifier: MIT OR Apache-2.0
//! A percentile of the numbers in a window of the past, compared with a bound.
// RULE K14

use gnomon_core::{Comparison, Duration, Number, Value};
use gnomon_ir::{Percent, Ratio};

use crate::fold::{compare_sum, numbers_in_window};
use crate::known_prefix::KnownPrefix;
use crate::truth::Truth;

/// `values` has those of every position.
pub(crate) fn truth(
    view: &KnownPrefix<'_>,
    reach: Duration,
    (percent, values): (Percent, &[Vec<Value<'static>>]),
    comparison: Comparison,
    bound: Ratio,
    at: usize,
) -> Truth {
    let numbers = numbers_in_window(view, reach, values, at);
    let ordering = percentile(percent, &numbers).and_then(|number| compare_sum(&[number], 1, bound));
    Truth::from(ordering.is_some_and(|ordering| comparison.accepts(ordering)))
}

/// Returns the least number such that at least the percentage of the numbers are no greater; `None` if there are none.
fn percentile(percent: Percent, numbers: &[Number]) -> Option<Number> {
    let is_enough = |number: &&Number| {
        let no_greater = numbers.iter().filter(|other| other <= number).count() as u128;
        // no_greater / all >= percent / 100
        no_greater * u128::from(Percent::WHOLE.billionths()) >= u128::from(percent.billionths()) * numbers.len() as u128
    };
    numbers.iter().filter(is_enough).min().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of `numpy.percentile(numbers, p, method="inverted_cdf")`, by hand.
    #[test]
    fn follows_the_inverted_cumulative_distribution() {
        let numbers: Vec<Number> =
            ["40", "15", "50", "20", "35"].iter().map(|text| Number::parse(text).unwrap()).collect();
        for (percent, expected) in [(5, 15), (20, 15), (30, 20), (40, 20), (50, 35), (95, 50), (100, 50)] {
            let percent = Percent::new(percent * 1_000_000_000).unwrap();
            assert_eq!(percentile(percent, &numbers), Some(Number::Int(expected)), "{percent}");
        }
        assert_eq!(percentile(Percent::WHOLE, &[]), None);
    }
}
