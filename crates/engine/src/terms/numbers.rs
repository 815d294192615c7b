// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sum, mean, least or greatest of the numbers that a term was in the last K.

use std::collections::VecDeque;

use gnomon_core::fraction::Fraction;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::formula::Fold;
use serde::{Deserialize, Serialize};

/// COST: O(1) amortised, while the sum of the window is exact; else the window is added up at each question.
/// Memory: a time for each number in the window, and a number for each run of equal ones, since variables keep their values;
/// for the least and the greatest, those that no later one beats.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Numbers {
    reach: Duration,
    times: VecDeque<Timestamp>,
    /// The numbers at those times. INVARIANT: the lengths of the runs add up to the number of times; none is zero.
    runs: VecDeque<Run>,
    /// What the numbers add up to, where a sum or a mean is asked for.
    sum: Fraction,
    /// Whether the sum is that of the numbers.
    is_exact: bool,
}

/// Equal numbers, one after the other.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Run {
    number: Fraction,
    length: u64,
}

impl Numbers {
    pub(crate) fn new(reach: Duration) -> Self {
        Numbers { reach, times: VecDeque::new(), runs: VecDeque::new(), sum: Fraction::ZERO, is_exact: true }
    }

    /// Takes in the number of the present state.
    #[inline]
    pub(crate) fn add(&mut self, fold: Fold, time: Timestamp, number: Fraction) {
        self.forget(fold, time);
        match fold {
            Fold::Sum | Fold::Mean => self.carry(self.sum.plus(number)),
            Fold::Least => self.drop_beaten(|known| known.compare(number).is_ge()),
            Fold::Greatest => self.drop_beaten(|known| known.compare(number).is_le()),
        }
        self.times.push_back(time);
        match self.runs.back_mut() {
            Some(run) if run.number.is_same(number) => run.length += 1,
            _ => self.runs.push_back(Run { number, length: 1 }),
        }
    }

    fn drop_beaten(&mut self, is_beaten: impl Fn(Fraction) -> bool) {
        while self.runs.back().is_some_and(|run| is_beaten(run.number)) {
            // Here all runs are of one: equal numbers beat each other.
            self.runs.pop_back();
            self.times.pop_back();
        }
    }

    /// Numbers are added and taken away again: with a float in between, the rest would not be what it was.
    #[inline]
    fn carry(&mut self, sum: Fraction) {
        self.is_exact &= matches!(sum, Fraction::Exact { .. });
        self.sum = sum;
    }

    /// What they make now; of no numbers there is nothing.
    pub(crate) fn query(&mut self, fold: Fold, time: Timestamp) -> Option<Fraction> {
        self.forget(fold, time);
        let oldest = self.runs.front()?.number;
        match fold {
            Fold::Sum => Some(self.total()),
            Fold::Mean => self.total().over(Fraction::whole(self.times.len() as i128)),
            Fold::Least | Fold::Greatest => Some(oldest),
        }
    }

    fn total(&self) -> Fraction {
        if self.is_exact {
            return self.sum;
        }
        // RULE B7: what is exact is added up first, then the floats, oldest first.
        let (mut exact, mut floats) = (Fraction::ZERO, None);
        for run in &self.runs {
            for _ in 0..run.length {
                match run.number {
                    Fraction::Exact { .. } => exact = exact.plus(run.number),
                    Fraction::Float(value) => floats = Some(floats.unwrap_or(0.0) + value),
                }
            }
        }
        floats.map_or(exact, |floats| exact.plus(Fraction::Float(floats)))
    }

    #[inline]
    fn forget(&mut self, fold: Fold, time: Timestamp) {
        while self.times.front().is_some_and(|then| time - *then > self.reach) {
            self.times.pop_front();
            let Some(run) = self.runs.front_mut() else { return };
            let number = run.number;
            if run.length > 1 {
                run.length -= 1;
            } else {
                self.runs.pop_front();
            }
            if matches!(fold, Fold::Sum | Fold::Mean) {
                self.carry(self.sum.minus(number));
            }
            if self.runs.is_empty() {
                (self.sum, self.is_exact) = (Fraction::ZERO, true);
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
    fn equal_numbers_are_kept_together_and_leave_one_by_one() {
        for (fold, expected) in
            [(Fold::Sum, ["10", "8", "5", "2"]), (Fold::Least, ["2"; 4]), (Fold::Greatest, ["3", "3", "3", "2"])]
        {
            let mut numbers = Numbers::new(Duration::from_ticks(3));
            for (time, value) in [(0, "2"), (1, "3"), (2, "3"), (3, "2")] {
                numbers.add(fold, at(time), number(value));
            }
            assert!(numbers.runs.len() < 4 && numbers.times.len() >= numbers.runs.len());
            let answers = [3, 4, 5, 6].map(|time| numbers.query(fold, at(time)).unwrap());
            assert_eq!(answers, expected.map(number), "{fold:?}");
            assert!(numbers.query(fold, at(7)).is_none());
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
