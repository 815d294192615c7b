// SPDX-License-Identifier: MIT OR Apache-2.0
//! The number of different values in a sliding window.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use serde::{Deserialize, Serialize};

use crate::work;

/// RULE K15. The different values of the last K. A value is in the window as long as its latest occurrence is, so only that one is
/// stored.
///
/// COST: O(log n) per value, for n different values in the window; memory: these values, twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DistinctWindow {
    reach: Duration,
    /// The latest occurrence of each value.
    latest: BTreeMap<OrderedValue, u64>,
    /// The latest occurrences in their order.
    occurrences: BTreeMap<u64, (Origin, OrderedValue)>,
    /// The number of the next occurrence.
    next: u64,
}

/// A value in the order of all values, where equal values (RULE T8) are equal.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OrderedValue(Value<'static>);

impl Ord for OrderedValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

impl PartialOrd for OrderedValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OrderedValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OrderedValue {}

impl DistinctWindow {
    pub(super) fn new(reach: Duration) -> Self {
        DistinctWindow { reach, latest: BTreeMap::new(), occurrences: BTreeMap::new(), next: 0 }
    }

    /// Adds a value of the present position, before the position is queried.
    pub(crate) fn add(&mut self, origin: Origin, value: &Value<'static>) {
        work::add(1);
        self.forget(origin.time);
        let value = OrderedValue(value.clone());
        if let Some(earlier) = self.latest.insert(value.clone(), self.next) {
            self.occurrences.remove(&earlier);
        }
        self.occurrences.insert(self.next, (origin, value));
        self.next += 1;
    }

    /// Returns the number of different values in the window that ends at `time`.
    pub(crate) fn query(&mut self, time: Timestamp) -> u64 {
        self.forget(time);
        self.occurrences.len() as u64
    }

    fn forget(&mut self, time: Timestamp) {
        while let Some(oldest) = self.occurrences.first_entry()
            && time - oldest.get().0.time > self.reach
        {
            work::add(1);
            let (_, value) = oldest.remove();
            self.latest.remove(&value);
        }
    }

    /// Returns the last time at which a value is still in the window, if none is added.
    pub(super) fn busy_until(&self) -> Timestamp {
        let latest = self.occurrences.last_key_value();
        latest.map_or(Timestamp::MIN, |(_, (origin, _))| origin.time.saturating_add(self.reach))
    }

    /// Iterates over the values in the window, each with its latest occurrence, in the order of these.
    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = (&Origin, &Value<'static>)> {
        self.occurrences.values().map(|(origin, value)| (origin, &value.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_core::number::Number;
    use gnomon_core::symbols::Name;

    #[test]
    fn only_the_latest_occurrence_counts() {
        let mut window = DistinctWindow::new(Duration::from_ticks(10));
        let number = |text: &str| Value::Number(Number::parse(text).unwrap());
        let texts = [number("1"), Value::Text("1".into()), number("1.0"), Value::Null, number("10e-1")];
        let mut counts = Vec::new();
        for (time, value) in (0_i128..).step_by(3).zip(&texts) {
            let time = Timestamp::from_ticks(time);
            window.add(Origin { event_index: 0, time, event: Name(0) }, value);
            counts.push(window.query(time));
        }
        assert_eq!(counts, [1, 2, 2, 3, 3]);
        let left = [13, 14, 19, 20, 22, 23].map(|time| window.query(Timestamp::from_ticks(time)));
        assert_eq!(left, [3, 2, 2, 1, 1, 0]);
        assert!(window.latest.is_empty());
    }
}
