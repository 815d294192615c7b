// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of functions of the past: `past`, `elapsed`, `count`, and folds over a window.
//!
//! [`crate::past`] explains sliding windows. Here the window includes the present position, and the entries are fractions, which terms
//! compute exactly.

use std::collections::VecDeque;

use gnomon_core::fraction::Fraction;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::formula::Fold;
use serde::{Deserialize, Serialize};

use super::value::StoredValue;
use crate::past::pop_front_if;

/// The state of one function of the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum TermHistory {
    Recall(Recall),
    Elapsed(ElapsedTime),
    Count(CountWindow),
    Numbers(NumberWindow),
}

/// `past`: the values of a term at the latest occurrences of an event, oldest first.
///
/// COST: O(1); memory: one value for each occurrence that it looks back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Recall {
    values: VecDeque<Option<StoredValue>>,
    /// True if there was a state before this one. Used where the event is the start of an activity, with the value in that state.
    has_before: bool,
    before: Option<StoredValue>,
}

impl Recall {
    pub(crate) fn push(&mut self, value: Option<StoredValue>, back: u64) {
        self.values.push_back(value);
        while self.values.len() as u64 > back {
            self.values.pop_front();
        }
    }

    /// Adds the value in the state before this one, which turns out to be the start of an activity.
    pub(crate) fn push_before(&mut self, back: u64) {
        if std::mem::take(&mut self.has_before) {
            let value = self.before.take();
            self.push(value, back);
        }
    }

    pub(crate) fn set_before(&mut self, value: Option<StoredValue>) {
        (self.has_before, self.before) = (true, value);
    }

    pub(crate) fn get(&self, back: u64) -> Option<&StoredValue> {
        // At most `back` values are stored.
        let oldest = (self.values.len() as u64 == back).then(|| self.values.front());
        oldest??.as_ref()
    }
}

/// `elapsed`: the time of the latest occurrence of an event.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ElapsedTime {
    pub(crate) last: Option<Timestamp>,
    /// The time of the state before this one, where the event is the start of an activity.
    pub(crate) before: Option<Timestamp>,
}

/// `count`: the times of the last K at which a formula held.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CountWindow {
    reach: Duration,
    times: VecDeque<Timestamp>,
}

impl CountWindow {
    pub(crate) fn new(reach: Duration) -> Self {
        CountWindow { reach, times: VecDeque::new() }
    }

    pub(crate) fn push(&mut self, time: Timestamp) {
        self.times.push_back(time);
    }

    pub(crate) fn count(&mut self, now: Timestamp) -> usize {
        while pop_front_if(&mut self.times, |time| now - *time > self.reach).is_some() {}
        self.times.len()
    }
}

/// The sum, mean, least or greatest value of a term over the last K.
///
/// Variables keep their values between events, so equal numbers follow one another: they are stored as runs. For the least and the
/// greatest the queue is monotonic, and all runs have length 1.
///
/// COST: O(1) amortised while the sums are exact and fit; otherwise the window is added up at each query. Memory: a time for
/// each number in the window, and a number for each run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NumberWindow {
    reach: Duration,
    times: VecDeque<Timestamp>,
    /// The numbers at those times. INVARIANT: the lengths of the runs add up to the number of times, and none is zero.
    runs: VecDeque<NumberRun>,
    /// The running sum, for a sum or a mean.
    sum: Fraction,
    /// True if `sum` is the sum of the numbers in the window.
    is_exact: bool,
}

/// Consecutive equal numbers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct NumberRun {
    number: Fraction,
    length: u64,
}

impl NumberWindow {
    pub(crate) fn new(reach: Duration) -> Self {
        NumberWindow { reach, times: VecDeque::new(), runs: VecDeque::new(), sum: Fraction::ZERO, is_exact: true }
    }

    /// Adds the number of the present position.
    #[inline]
    pub(crate) fn add(&mut self, fold: Fold, time: Timestamp, number: Fraction) {
        self.forget(fold, time);
        match fold {
            Fold::Sum | Fold::Mean => self.set_sum(self.sum.plus(number), number),
            Fold::Least => self.drop_dominated(|known| known.compare(number).is_ge()),
            Fold::Greatest => self.drop_dominated(|known| known.compare(number).is_le()),
        }
        self.times.push_back(time);
        match self.runs.back_mut() {
            Some(run) if run.number == number => run.length += 1,
            _ => self.runs.push_back(NumberRun { number, length: 1 }),
        }
    }

    fn drop_dominated(&mut self, is_dominated: impl Fn(Fraction) -> bool) {
        while self.runs.back().is_some_and(|run| is_dominated(run.number)) {
            // Equal numbers dominate each other, so the run has length 1.
            self.runs.pop_back();
            self.times.pop_back();
        }
    }

    /// Sets the running sum. What does not fit cannot be subtracted from, nor does subtracting a float restore the sum: from then on
    /// it is not exact.
    #[inline]
    fn set_sum(&mut self, sum: Option<Fraction>, number: Fraction) {
        self.is_exact &= sum.is_some() && matches!(number, Fraction::Exact { .. });
        self.sum = sum.unwrap_or(Fraction::ZERO);
    }

    /// Returns the result of the window that ends at `time`; `None` if it is empty.
    pub(crate) fn query(&mut self, fold: Fold, time: Timestamp) -> Option<Fraction> {
        self.forget(fold, time);
        let oldest = self.runs.front()?.number;
        match fold {
            Fold::Sum => self.total(),
            Fold::Mean => self.total()?.over(Fraction::whole(self.times.len() as i128)),
            Fold::Least | Fold::Greatest => Some(oldest),
        }
    }

    fn total(&self) -> Option<Fraction> {
        if self.is_exact {
            return Some(self.sum);
        }
        Fraction::sum(self.runs.iter().flat_map(|run| (0..run.length).map(|_| run.number)))
    }

    #[inline]
    fn forget(&mut self, fold: Fold, time: Timestamp) {
        while pop_front_if(&mut self.times, |then| time - *then > self.reach).is_some() {
            let Some(run) = self.runs.front_mut() else { return };
            let number = run.number;
            if run.length > 1 {
                run.length -= 1;
            } else {
                self.runs.pop_front();
            }
            if matches!(fold, Fold::Sum | Fold::Mean) {
                self.set_sum(self.sum.minus(number), number);
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
            let mut numbers = NumberWindow::new(Duration::from_ticks(1));
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
            let mut numbers = NumberWindow::new(Duration::from_ticks(3));
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
        let mut numbers = NumberWindow::new(Duration::from_ticks(1));
        for (time, value) in [(0, "1e300"), (1, "1"), (2, "2")] {
            numbers.add(Fold::Sum, at(time), number(value));
        }
        assert_eq!(numbers.query(Fold::Sum, at(2)), Some(number("3")));
    }
}
