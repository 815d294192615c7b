// SPDX-License-Identifier: MIT OR Apache-2.0
//! A percentile of the numbers in a sliding window.

use std::collections::{BTreeMap, VecDeque};

use gnomon_core::number::Number;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::Origin;
use gnomon_ir::formula::Percent;
use serde::{Deserialize, Serialize};

use super::{FoldEntry, pop_front_if};
use crate::work;

/// RULE K14. The numbers of the last K, in two ordered halves: the percentile is the greatest number of the lower half, whose size is
/// the percentile's place among all of them ([`Percent::place`]). A number that enters or leaves moves the boundary by at most one.
///
/// Example, the median of the last 3 numbers:
///
/// | number | lower half | upper half | median |
/// |---|---|---|---|
/// | 5 | 5 | | 5 |
/// | 1 | 1 | 5 | 1 |
/// | 4 | 1 4 | 5 | 4 |
/// | 2 (5 leaves) | 1 2 | 4 | 2 |
///
/// COST: O(log n) per number, for n different numbers in the window; memory: the numbers in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PercentileWindow {
    percent: u64,
    reach: Duration,
    entries: VecDeque<FoldEntry>,
    lower: Multiset,
    upper: Multiset,
}

/// Numbers in ascending order, equal ones counted together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Multiset {
    counts: BTreeMap<Number, u64>,
    length: u64,
}

impl Multiset {
    fn insert(&mut self, number: Number) {
        work::add(1);
        *self.counts.entry(number).or_default() += 1;
        self.length += 1;
    }

    /// Removes one of the numbers that are equal to this one. Returns false if there is none.
    fn remove(&mut self, number: Number) -> bool {
        work::add(1);
        let Some(count) = self.counts.get_mut(&number) else { return false };
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&number);
        }
        self.length -= 1;
        true
    }

    fn least(&self) -> Option<Number> {
        self.counts.first_key_value().map(|(number, _)| *number)
    }

    fn greatest(&self) -> Option<Number> {
        self.counts.last_key_value().map(|(number, _)| *number)
    }
}

impl PercentileWindow {
    pub(super) fn new(percent: Percent, reach: Duration) -> Self {
        PercentileWindow {
            percent: percent.billionths(),
            reach,
            entries: VecDeque::new(),
            lower: Multiset::default(),
            upper: Multiset::default(),
        }
    }

    /// Adds a number of the present position, before the position is queried.
    pub(crate) fn add(&mut self, origin: Origin, number: Number) {
        self.forget(origin.time);
        self.entries.push_back(FoldEntry { origin, number });
        let is_low = self.lower.greatest().is_some_and(|greatest| number <= greatest);
        if is_low {
            self.lower.insert(number);
        } else {
            self.upper.insert(number);
        }
        self.balance();
    }

    /// Returns the percentile of the window that ends at `time`; `None` if it is empty.
    pub(crate) fn query(&mut self, time: Timestamp) -> Option<Number> {
        self.forget(time);
        self.lower.greatest()
    }

    fn forget(&mut self, time: Timestamp) {
        while let Some(FoldEntry { number, .. }) =
            pop_front_if(&mut self.entries, |entry| time - entry.origin.time > self.reach)
        {
            if !self.lower.remove(number) {
                self.upper.remove(number);
            }
            self.balance();
        }
    }

    /// Moves the boundary to the place of the percentile.
    fn balance(&mut self) {
        let place =
            Percent::new(self.percent).map_or(0, |percent| percent.place(self.lower.length + self.upper.length));
        while self.lower.length < place
            && let Some(least) = self.upper.least()
        {
            self.upper.remove(least);
            self.lower.insert(least);
        }
        while self.lower.length > place
            && let Some(greatest) = self.lower.greatest()
        {
            self.lower.remove(greatest);
            self.upper.insert(greatest);
        }
    }

    /// Returns the last time at which a number is still in the window, if none is added.
    pub(super) fn busy_until(&self) -> Timestamp {
        self.entries.back().map_or(Timestamp::MIN, |last| last.origin.time.saturating_add(self.reach))
    }

    /// Iterates over the numbers in the window, oldest first.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &FoldEntry> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_core::random::Random;
    use gnomon_core::symbols::Name;

    fn at(time: i128) -> Origin {
        Origin { event_index: 0, time: Timestamp::from_ticks(time), event: Name(0) }
    }

    /// Compares with sorting the window.
    #[test]
    fn windows_slide() {
        for billionths in [1, 50_000_000_000, 95_000_000_000, 99_900_000_000, 100_000_000_000] {
            let percent = Percent::new(billionths).unwrap();
            let mut random = Random::new(billionths);
            let mut window = PercentileWindow::new(percent, Duration::from_ticks(20));
            let mut all: Vec<(i128, Number)> = Vec::new();
            let mut time = 0;
            for _ in 0..2_000 {
                time += i128::from(random.below(4));
                let number = Number::Int(random.below(30) as i64);
                window.add(at(time), number);
                all.push((time, number));
                let now = time + i128::from(random.below(3) * random.below(15));
                all.retain(|(then, _)| now - then <= 20);
                let mut sorted: Vec<Number> = all.iter().map(|(_, number)| *number).collect();
                sorted.sort_unstable();
                let place = percent.place(sorted.len() as u64) as usize;
                let expected = place.checked_sub(1).map(|index| sorted[index]);
                assert_eq!(window.query(Timestamp::from_ticks(now)), expected);
                time = now;
            }
        }
    }
}
