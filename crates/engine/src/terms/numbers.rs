// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sum, mean, least or greatest of the numbers that a term was in the last K.

use std::collections::VecDeque;

use gnomon_core::fraction::Fraction;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::formula::Fold;
use serde::{Deserialize, Serialize};

/// COST: O(1) amortised, while the sum of the window is exact; else the window is added up at each question.
/// Memory: the numbers in the window; for the least and the greatest, those that no later one beats.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Numbers {
    reach: Duration,
    entries: VecDeque<(Timestamp, Fraction)>,
    /// What the entries add up to, where a sum or a mean is asked for.
    sum: Fraction,
    /// Whether the sum is that of the entries.
    is_exact: bool,
}

impl Numbers {
    pub(crate) fn new(reach: Duration) -> Self {
        Numbers { reach, entries: VecDeque::new(), sum: Fraction::ZERO, is_exact: true }
    }

    /// Takes in the number of the present state.
    pub(crate) fn add(&mut self, fold: Fold, time: Timestamp, number: Fraction) {
        self.forget(fold, time);
        match fold {
            Fold::Sum | Fold::Mean => self.carry(self.sum.plus(number)),
            Fold::Least => self.drop_beaten(|known| known.compare(number).is_ge()),
            Fold::Greatest => self.drop_beaten(|known| known.compare(number).is_le()),
        }
        self.entries.push_back((time, number));
    }

    fn drop_beaten(&mut self, is_beaten: impl Fn(Fraction) -> bool) {
        while self.entries.back().is_some_and(|(_, known)| is_beaten(*known)) {
            self.entries.pop_back();
        }
    }

    /// Numbers are added and taken away again: with a float in between, the rest would not be what it was.
    fn carry(&mut self, sum: Fraction) {
        self.is_exact &= matches!(sum, Fraction::Exact { .. });
        self.sum = sum;
    }

    /// What they make now; of no numbers there is nothing.
    pub(crate) fn query(&mut self, fold: Fold, time: Timestamp) -> Option<Fraction> {
        self.forget(fold, time);
        let (_, oldest) = self.entries.front()?;
        match fold {
            Fold::Sum => Some(self.total()),
            Fold::Mean => self.total().over(Fraction::whole(self.entries.len() as i128)),
            Fold::Least | Fold::Greatest => Some(*oldest),
        }
    }

    fn total(&self) -> Fraction {
        if self.is_exact {
            return self.sum;
        }
        // RULE B7: what is exact is added up first, then the floats, oldest first.
        let (mut exact, mut floats) = (Fraction::ZERO, 0.0);
        for (_, number) in &self.entries {
            match number {
                Fraction::Exact { .. } => exact = exact.plus(*number),
                Fraction::Float(value) => floats += value,
            }
        }
        let has_floats = self.entries.iter().any(|(_, number)| matches!(number, Fraction::Float(_)));
        if has_floats { exact.plus(Fraction::Float(floats)) } else { exact }
    }

    fn forget(&mut self, fold: Fold, time: Timestamp) {
        while let Some((_, number)) = self.entries.front().filter(|(then, _)| time - *then > self.reach).copied() {
            self.entries.pop_front();
            if self.entries.is_empty() {
                (self.sum, self.is_exact) = (Fraction::ZERO, true);
            } else if matches!(fold, Fold::Sum | Fold::Mean) {
                self.carry(self.sum.minus(number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_core::number::Number;

    fn at(ticks: i128) -> Timestamp {
        Timestamp::from_ticks(ticks)
    }

    fn number(text: &str) -> Fraction {
        Fraction::from(Number::parse(text).unwrap())
    }

    #[test]
    fn windows_slide() {
        for (fold, expected) in [
            (Fold::Sum, ["4", "5", "6"]),
            (Fold::Mean, ["2", "2.5", "3"]),
            (Fold::Least, ["1", "1", "1"]),
            (Fold::Greatest, ["3", "4", "5"]),
        ] {
            let mut numbers = Numbers::new(Duration::from_ticks(1));
            assert!(numbers.query(fold, at(0)).is_none());
            let values = ["3", "1", "4", "1", "5"];
            let mut answers = Vec::new();
            for (time, value) in (0_i128..).zip(values) {
                numbers.add(fold, at(time), number(value));
                answers.push(numbers.query(fold, at(time)).unwrap());
            }
            assert_eq!([answers[1], answers[2], answers[4]], expected.map(number), "{fold:?}");
            assert!(numbers.query(fold, at(9)).is_none());
        }
    }

    #[test]
    fn a_float_that_left_leaves_no_trace() {
        let mut numbers = Numbers::new(Duration::from_ticks(1));
        for (time, value) in [(0, "1e300"), (1, "1"), (2, "2")] {
            numbers.add(Fold::Sum, at(time), number(value));
        }
        assert_eq!(numbers.query(Fold::Sum, at(2)), Some(number("3")));
    }
}
