// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators over the past whose parts are known immediately: their value is known when the position comes.
//!
//! # Sliding windows
//!
//! Each operator is a question about the last K time units: if a part was true, how often, the time between two parts, a sum or a
//! maximum. The window slides with time, so recomputing it at each position would cost its length. Instead each operator
//! keeps a queue of what is in the window, oldest first, and a running result:
//!
//! - A position that satisfies the part is pushed at the back and added to the running result.
//! - Before a query, entries older than K are popped from the front and subtracted ([`pop_front_if`]).
//!
//! Each entry is pushed and popped once, so the cost is O(1) amortised; percentiles and numbers of different values need ordered maps,
//! O(log n) ([`percentile`], [`distinct`]). Memory is the entries in the window. Sums are subtracted exactly: integers and decimals are kept as
//! integers ([`ExactSum`]), because a float sum does not return to its old value.
//!
//! A minimum or maximum cannot be subtracted. There the queue is *monotonic*: a number that arrives removes all numbers at the back
//! that it beats, since it is at least as good and stays longer. The front is the result. Example, the maximum over the last 3 ticks:
//!
//! | time | number | queue | maximum |
//! |---|---|---|---|
//! | 0 | 5 | 5 | 5 |
//! | 1 | 2 | 5 2 | 5 |
//! | 2 | 4 | 5 4 (2 can never be the maximum again) | 5 |
//! | 4 | 1 | 4 1 (5 has left the window) | 4 |
//!
//! # Order within a position
//!
//! A position is queried before [`PastOperator`] is updated with it, parents before their parts, so that each operator reads its
//! parts as they were. Only the values of events are added first ([`PastOperator::add`]), because their windows include the present.

mod distinct;
mod percentile;

use std::cmp::Ordering;
use std::collections::VecDeque;

use gnomon_core::fraction::Fraction;
use gnomon_core::interval::Interval;
use gnomon_core::number::{MAX_PLACES, Number};
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::Origin;
use gnomon_core::wide_integer::WideInteger;
use gnomon_ir::core::{FormulaNode, Ratio};
use gnomon_ir::formula;
use serde::{Deserialize, Serialize};

use distinct::DistinctWindow;
use percentile::PercentileWindow;

/// The state of one operator over the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum PastOperator {
    Since(Since),
    Count(OccurrenceWindow),
    Maximum(OccurrenceWindow),
    Gap(GapWindow),
    Fold(FoldWindow),
    Percentile(PercentileWindow),
    Distinct(DistinctWindow),
}

impl PastOperator {
    /// Creates the state of a node before the first position; `None` if the node has no state.
    pub(crate) fn new(node: &FormulaNode) -> Option<Self> {
        match node {
            FormulaNode::Since { interval, .. } => Some(PastOperator::Since(Since::new(*interval))),
            FormulaNode::Count { reach, .. } => Some(PastOperator::Count(OccurrenceWindow::new(*reach))),
            // The window is open at its far end: one tick less, because times are whole ticks.
            FormulaNode::Maximum { window, .. } => {
                Some(PastOperator::Maximum(OccurrenceWindow::new(Duration::from_ticks(window.ticks() - 1))))
            }
            FormulaNode::Gap { reach, .. } => Some(PastOperator::Gap(GapWindow::new(*reach))),
            FormulaNode::Fold { fold, reach, .. } => Some(PastOperator::Fold(FoldWindow::new(*fold, *reach))),
            FormulaNode::Percentile { percent, reach, .. } => {
                Some(PastOperator::Percentile(PercentileWindow::new(*percent, *reach)))
            }
            FormulaNode::Distinct { reach, .. } => Some(PastOperator::Distinct(DistinctWindow::new(*reach))),
            _ => None,
        }
    }

    /// Returns the last time at which the state may matter, if nothing is added.
    pub(crate) fn busy_until(&self) -> Timestamp {
        let (latest, reach) = match self {
            PastOperator::Since(since) => return since.busy_until(),
            PastOperator::Count(of) | PastOperator::Maximum(of) => (of.origins.back().map(|last| last.time), of.reach),
            PastOperator::Gap(gap) => (gap.latest_start(), gap.reach),
            PastOperator::Fold(fold) => (fold.entries.back().map(|last| last.origin.time), fold.reach),
            PastOperator::Percentile(window) => return window.busy_until(),
            PastOperator::Distinct(window) => return window.busy_until(),
        };
        latest.map_or(Timestamp::MIN, |latest| latest.saturating_add(reach))
    }

    /// Adds a value that an event of the present position carries, before the position is queried.
    pub(crate) fn add(&mut self, origin: Origin, value: &Value<'static>) {
        match (self, value) {
            (PastOperator::Fold(numbers), Value::Number(number)) => numbers.add(origin, *number),
            (PastOperator::Percentile(numbers), Value::Number(number)) => numbers.add(origin, *number),
            (PastOperator::Distinct(values), value) => values.add(origin, value),
            _ => {}
        }
    }

    /// Returns the value of a node other than S at the position at `time`, before [`PastOperator`] is updated with it. `part` is the
    /// value there of the argument of C and M and of the end of D.
    pub(crate) fn aggregate(&mut self, node: &FormulaNode, time: Timestamp, part: bool) -> bool {
        match (node, self) {
            (FormulaNode::Count { comparison, bound, .. }, PastOperator::Count(of)) => {
                bound.compared_by(*comparison, i128::from(of.count(time, part)), 1)
            }
            (FormulaNode::Maximum { step, comparison, bound, .. }, PastOperator::Maximum(of)) => {
                bound.compared_by(*comparison, i128::from(of.fullest(time, *step, part).count), 1)
            }
            (FormulaNode::Fold { fold, comparison, bound, .. }, PastOperator::Fold(numbers)) => {
                numbers.query(time, *fold, *comparison, *bound)
            }
            (FormulaNode::Percentile { comparison, bound, .. }, PastOperator::Percentile(numbers)) => {
                numbers.query(time).is_some_and(|number| comparison.accepts(compare(number, *bound)))
            }
            (FormulaNode::Distinct { comparison, bound, .. }, PastOperator::Distinct(values)) => {
                bound.compared_by(*comparison, i128::from(values.query(time)), 1)
            }
            (FormulaNode::Gap { comparison, bound, .. }, PastOperator::Gap(gap)) => {
                let mean = gap.query(time, part);
                mean.count > 0 && bound.compared_by(*comparison, mean.sum, i128::from(mean.count))
            }
            _ => false,
        }
    }
}

/// Removes and returns the front of a queue if `is_done` is true of it.
#[inline]
pub(crate) fn pop_front_if<T>(queue: &mut VecDeque<T>, is_done: impl FnOnce(&T) -> bool) -> Option<T> {
    if queue.front().is_some_and(is_done) { queue.pop_front() } else { None }
}

/// The positions of the last K at which a part held, for [`FormulaNode::Count`] (RULE K7) and [`FormulaNode::Maximum`] (RULE K8).
///
/// COST: O(1) amortised; memory: the occurrences in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OccurrenceWindow {
    reach: Duration,
    origins: VecDeque<Origin>,
}

/// The step of a window with the most occurrences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FullestStep {
    pub(crate) count: u64,
    /// The number m of the step.
    pub(crate) step: i128,
}

impl OccurrenceWindow {
    fn new(reach: Duration) -> Self {
        OccurrenceWindow { reach, origins: VecDeque::new() }
    }

    /// Returns the number of occurrences in the window that ends at `time`, one more if the part `holds` there.
    #[inline]
    pub(crate) fn count(&mut self, time: Timestamp, holds: bool) -> u64 {
        self.forget(time);
        self.origins.len() as u64 + u64::from(holds && self.reach >= Duration::ZERO)
    }

    /// Returns the fullest step of the window that ends at `time`. Step m has the occurrences at a distance d with `floor(d / h) = m`.
    ///
    /// COST: the occurrences in the window, or a binary search for each of the K/h steps, whichever is less.
    pub(crate) fn fullest(&mut self, time: Timestamp, step: Duration, holds: bool) -> FullestStep {
        self.forget(time);
        let present = u64::from(holds && self.reach >= Duration::ZERO);
        let steps = (self.reach.ticks() + 1) / step.ticks();
        let searches = i128::from(usize::BITS - self.origins.len().leading_zeros());
        if steps.saturating_mul(searches) < self.origins.len() as i128 {
            self.by_search(time, step, present, steps)
        } else {
            self.by_scan(time, step, present)
        }
    }

    fn by_scan(&self, time: Timestamp, step: Duration, present: u64) -> FullestStep {
        let mut best = FullestStep { count: 0, step: 0 };
        let mut current = FullestStep { count: present, step: 0 };
        for occurrence in self.origins.iter().rev() {
            let number = step_of(time, step, occurrence);
            if number != current.step {
                best = fuller(best, current);
                current = FullestStep { count: 0, step: number };
            }
            current.count += 1;
        }
        fuller(best, current)
    }

    fn by_search(&self, time: Timestamp, step: Duration, present: u64, steps: i128) -> FullestStep {
        let mut best = FullestStep { count: 0, step: 0 };
        let mut newer = self.origins.len();
        for number in 0..=steps {
            let older = self.origins.partition_point(|occurrence| step_of(time, step, occurrence) > number);
            let count = (newer - older) as u64 + if number == 0 { present } else { 0 };
            best = fuller(best, FullestStep { count, step: number });
            newer = older;
        }
        best
    }

    /// Adds the present position.
    #[inline]
    pub(crate) fn add(&mut self, origin: Origin) {
        self.forget(origin.time);
        self.origins.push_back(origin);
    }

    #[inline]
    fn forget(&mut self, time: Timestamp) {
        while pop_front_if(&mut self.origins, |oldest| time - oldest.time > self.reach).is_some() {}
    }

    /// Iterates over the occurrences, oldest first, without the present position.
    pub(crate) fn origins(&self) -> impl DoubleEndedIterator<Item = &Origin> {
        self.origins.iter()
    }
}

/// Returns the number of the step that an occurrence is in, counted back from `time`.
pub(crate) fn step_of(time: Timestamp, step: Duration, occurrence: &Origin) -> i128 {
    (time - occurrence.time).ticks() / step.ticks()
}

fn fuller(best: FullestStep, other: FullestStep) -> FullestStep {
    if other.count > best.count { other } else { best }
}

/// RULE K6. A candidate is a position where `right` held, with `left` at every position since. A candidate witnesses S while its
/// distance is in the interval. Of the candidates that have reached the lower end only the latest matters, because it leaves the
/// interval last; those that have not are queued.
///
/// Example: `a S[2,5] b` with `b` at the times 0 and 1. At time 2 the candidate 0 is in reach; at time 3 the candidate 1 replaces it; the
/// formula is true until time 6, or until a position without `a`.
///
/// COST: O(1) amortised; memory: the candidates nearer than the lower end, one if there is no upper end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Since {
    interval: Interval,
    /// The latest candidate at least as far back as the lower end.
    in_reach: Option<Timestamp>,
    /// Nearer candidates, oldest first.
    too_near: VecDeque<Timestamp>,
    /// For explanations: where `right` last held, and where `left` last did not.
    last_right: Option<Origin>,
    last_break: Option<Origin>,
}

impl Since {
    pub(crate) fn new(interval: Interval) -> Self {
        Since { interval, in_reach: None, too_near: VecDeque::new(), last_right: None, last_break: None }
    }

    /// Returns the value at a position, before [`Since::update`] adds it.
    #[inline]
    pub(crate) fn query(&mut self, time: Timestamp) -> bool {
        while let Some(candidate) = pop_front_if(&mut self.too_near, |candidate| time - *candidate >= self.interval.lo)
        {
            self.in_reach = Some(candidate);
        }
        self.in_reach.is_some_and(|candidate| !self.interval.is_past(time - candidate))
    }

    #[inline]
    pub(crate) fn update(&mut self, origin: Origin, left: bool, right: bool) {
        if !left {
            self.in_reach = None;
            self.too_near.clear();
            self.last_break = Some(origin);
        }
        if right {
            self.last_right = Some(origin);
            self.add(origin.time);
        }
    }

    fn add(&mut self, time: Timestamp) {
        if self.interval.hi.is_none() && (self.in_reach.is_some() || !self.too_near.is_empty()) {
            return; // the oldest candidate never leaves the interval
        }
        if self.interval.lo <= Duration::ZERO {
            self.in_reach = Some(time);
        } else {
            self.query(time); // keeps the queue short even if there are no queries
            self.too_near.push_back(time);
        }
    }

    pub(crate) fn busy_until(&self) -> Timestamp {
        let latest = self.too_near.back().copied().or(self.in_reach);
        latest.map_or(Timestamp::MIN, |latest| self.interval.hi.map_or(Timestamp::MAX, |hi| latest.saturating_add(hi)))
    }

    /// Returns true if there is a candidate, at whatever distance.
    pub(crate) fn has_candidate(&self) -> bool {
        self.in_reach.is_some() || !self.too_near.is_empty()
    }

    /// Returns true if explanations may cite an earlier event.
    pub(crate) fn remembers(&self) -> bool {
        self.last_right.is_some() || self.last_break.is_some()
    }

    pub(crate) fn last_right(&self) -> Option<Origin> {
        self.last_right
    }

    pub(crate) fn last_break(&self) -> Option<Origin> {
        self.last_break
    }
}

/// RULE K9. A start waits until an end comes, which ends all waiting starts; from then on it is a pair, until it leaves the window.
/// The sums of both queues are kept in whole ticks.
///
/// COST: O(1) amortised; memory: the starts in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GapWindow {
    reach: Duration,
    /// Starts that have an end, oldest first.
    pairs: VecDeque<GapPair>,
    /// The sum of the times from start to end, in ticks.
    paired: i128,
    /// Starts without an end, oldest first; all are later than the pairs.
    waiting: VecDeque<Origin>,
    /// The sum of the times of waiting starts, in ticks.
    waited: i128,
}

/// A start, and the time from it to its end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct GapPair {
    pub(crate) start: Origin,
    pub(crate) took: Duration,
}

/// The sum of the times and the number of pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GapMean {
    pub(crate) sum: i128,
    pub(crate) count: u64,
}

impl GapWindow {
    pub(crate) fn new(reach: Duration) -> Self {
        GapWindow { reach, pairs: VecDeque::new(), paired: 0, waiting: VecDeque::new(), waited: 0 }
    }

    /// Returns the pairs of the window that ends at `time`. If `ends` is true, an end happens there.
    pub(crate) fn query(&mut self, time: Timestamp, ends: bool) -> GapMean {
        self.forget(time);
        let mut mean = GapMean { sum: self.paired, count: self.pairs.len() as u64 };
        if ends {
            let waiting = self.waiting.len();
            mean.sum += time.ticks() * waiting as i128 - self.waited;
            mean.count += waiting as u64;
        }
        mean
    }

    pub(crate) fn update(&mut self, origin: Origin, starts: bool, ends: bool) {
        if !starts && !ends {
            return;
        }
        self.forget(origin.time);
        if ends {
            for start in self.waiting.drain(..) {
                let took = origin.time - start.time;
                self.paired += took.ticks();
                self.pairs.push_back(GapPair { start, took });
            }
            self.waited = 0;
        }
        if starts {
            self.waited += origin.time.ticks();
            self.waiting.push_back(origin);
        }
    }

    fn forget(&mut self, time: Timestamp) {
        let is_past = |start: &Origin| time - start.time > self.reach;
        while let Some(pair) = pop_front_if(&mut self.pairs, |pair| is_past(&pair.start)) {
            self.paired -= pair.took.ticks();
        }
        while let Some(start) = pop_front_if(&mut self.waiting, is_past) {
            self.waited -= start.time.ticks();
        }
    }

    fn latest_start(&self) -> Option<Timestamp> {
        let paired = self.pairs.back().map(|pair| pair.start.time);
        paired.max(self.waiting.back().map(|start| start.time))
    }

    /// Iterates over the pairs, oldest first, without an end at the present position.
    pub(crate) fn pairs(&self) -> impl DoubleEndedIterator<Item = &GapPair> {
        self.pairs.iter()
    }

    /// Iterates over the starts that wait for an end, oldest first.
    pub(crate) fn waiting(&self) -> impl DoubleEndedIterator<Item = &Origin> {
        self.waiting.iter()
    }
}

/// RULE K10. The numbers of the last K: their sum, mean, least or greatest. For the least and the greatest the queue is monotonic.
///
/// COST: O(1) amortised; if there are floats in the window, they are added up at each query. Memory: the numbers in the window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FoldWindow {
    reach: Duration,
    keep: Retention,
    entries: VecDeque<FoldEntry>,
    exact: ExactSum,
    floats: usize,
}

/// The numbers that a window keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Retention {
    All,
    /// Numbers that are less than all later ones: candidates for the least.
    Rising,
    /// Numbers that are greater than all later ones: candidates for the greatest.
    Falling,
}

/// A number in the window, and the event that carries it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FoldEntry {
    pub(crate) origin: Origin,
    pub(crate) number: Number,
}

/// A sum of integers and decimals. Whole parts and fractions are added separately, so that the sum cannot overflow.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ExactSum {
    whole: i128,
    /// In units of 10^-18.
    fraction: i128,
    /// The sum of numbers with more than 64 bits or 18 places, in units of 10^-38.
    wide: Option<Box<WideInteger>>,
}

const FRACTION: i128 = 1_000_000_000_000_000_000;
/// The unit of all places that a number has.
const UNIT: i128 = 10_i128.pow(MAX_PLACES);

impl ExactSum {
    fn add(&mut self, number: Number, sign: i128) {
        let Some((mantissa, scale)) = number.parts() else { return };
        if scale <= 18 && i64::try_from(mantissa).is_ok() {
            let power = 10_i128.pow(scale);
            self.whole += sign * (mantissa / power);
            self.fraction += sign * (mantissa % power) * 10_i128.pow(18 - scale);
        } else {
            let sum = self.wide.get_or_insert_default();
            **sum = sum.plus(WideInteger::from(mantissa).times(sign * 10_i128.pow(MAX_PLACES - scale)));
        }
    }

    /// Returns the sum in units of 10^-38.
    fn total(&self) -> WideInteger {
        let fraction = WideInteger::from(self.fraction).times(UNIT / FRACTION);
        let small = WideInteger::from(self.whole).times(UNIT).plus(fraction);
        self.wide.as_ref().map_or(small, |wide| small.plus(**wide))
    }

    fn to_f64(&self) -> f64 {
        format!("{}e-{MAX_PLACES}", self.total()).parse().unwrap_or(f64::INFINITY)
    }

    /// Compares the sum divided by `count` with a bound.
    fn compare(&self, count: i128, bound: Ratio) -> Ordering {
        self.compare_small(count, bound).unwrap_or_else(|| {
            let target = WideInteger::from(bound.numerator).times(count).times(UNIT);
            self.total().times(bound.denominator).cmp(&target)
        })
    }

    /// [`ExactSum::compare`] with 128 bits; `None` if they do not suffice.
    fn compare_small(&self, count: i128, bound: Ratio) -> Option<Ordering> {
        if self.wide.is_some() {
            return None;
        }
        // Compares (whole + fraction) / count with numerator / denominator without rounding: whole parts first.
        let whole = (self.whole + self.fraction.div_euclid(FRACTION)).checked_mul(bound.denominator)?;
        let rest = self.fraction.rem_euclid(FRACTION).checked_mul(bound.denominator)?;
        let difference = bound.numerator.checked_mul(count)?.checked_sub(whole)?;
        Some(rest.cmp(&difference.checked_mul(FRACTION)?))
    }
}

impl FoldWindow {
    pub(crate) fn new(fold: formula::Fold, reach: Duration) -> Self {
        let keep = match fold {
            formula::Fold::Sum | formula::Fold::Mean => Retention::All,
            formula::Fold::Least => Retention::Rising,
            formula::Fold::Greatest => Retention::Falling,
        };
        FoldWindow { reach, keep, entries: VecDeque::new(), exact: ExactSum::default(), floats: 0 }
    }

    /// Adds a number of the present position, before the position is queried.
    pub(crate) fn add(&mut self, origin: Origin, number: Number) {
        self.forget(origin.time);
        while self.entries.back().is_some_and(|last| self.keep.drops(last.number, number)) {
            self.entries.pop_back();
        }
        self.entries.push_back(FoldEntry { origin, number });
        if self.keep == Retention::All {
            self.exact.add(number, 1);
            self.floats += usize::from(is_float(number));
        }
    }

    /// Compares the result of the window that ends at `time` with a bound.
    fn query(&mut self, time: Timestamp, fold: formula::Fold, comparison: Comparison, bound: Ratio) -> bool {
        self.forget(time);
        let count = self.entries.len();
        match fold {
            formula::Fold::Sum => self.sum_compares(1, comparison, bound),
            formula::Fold::Mean => count > 0 && self.sum_compares(count as i128, comparison, bound),
            formula::Fold::Least | formula::Fold::Greatest => {
                self.entries.front().is_some_and(|entry| comparison.accepts(compare(entry.number, bound)))
            }
        }
    }

    fn sum_compares(&self, count: i128, comparison: Comparison, bound: Ratio) -> bool {
        if self.floats == 0 {
            return comparison.accepts(self.exact.compare(count, bound));
        }
        let floats = self.entries.iter().map(|entry| entry.number).filter(|number| is_float(*number));
        let sum = self.exact.to_f64() + floats.fold(0.0, |sum, number| sum + number.to_f64());
        Number::from_f64(sum / count as f64).is_some_and(|mean| comparison.accepts(compare(mean, bound)))
    }

    fn forget(&mut self, time: Timestamp) {
        while let Some(FoldEntry { number, .. }) =
            pop_front_if(&mut self.entries, |entry| time - entry.origin.time > self.reach)
        {
            if self.keep == Retention::All {
                self.exact.add(number, -1);
                self.floats -= usize::from(is_float(number));
            }
        }
    }

    /// Iterates over the numbers in the window, oldest first.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &FoldEntry> {
        self.entries.iter()
    }
}

impl Retention {
    /// Returns true if a later number makes an earlier one irrelevant.
    fn drops(self, earlier: Number, later: Number) -> bool {
        let order = later.cmp(&earlier);
        match self {
            Retention::All => false,
            Retention::Rising => order.is_le(),
            Retention::Falling => order.is_ge(),
        }
    }
}

fn is_float(number: Number) -> bool {
    matches!(number, Number::Float(_))
}

fn compare(number: Number, bound: Ratio) -> Ordering {
    if let Number::Int(whole) = number
        && let Some(left) = i128::from(whole).checked_mul(bound.denominator)
    {
        return left.cmp(&bound.numerator);
    }
    Fraction::from(number).compare(Fraction::new(bound.numerator, bound.denominator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        let mut exact = ExactSum::default();
        for text in ["0.1", "0.2", "-5.5", "9223372036854775807", "9223372036854775807"] {
            exact.add(Number::parse(text).unwrap(), 1);
        }
        let bound = |billionths| Ratio { numerator: billionths, denominator: 1_000_000_000 };
        let sum = 2 * 9_223_372_036_854_775_807_i128 * 1_000_000_000 - 5_200_000_000;
        assert_eq!(exact.compare(1, bound(sum)), Ordering::Equal);
        assert_eq!(exact.compare(1, bound(sum + 1)), Ordering::Less);
        assert_eq!(exact.compare(1, bound(sum - 1)), Ordering::Greater);
        assert_eq!(exact.compare(2, bound(sum / 2)), Ordering::Equal);
        let most = Number::from(i128::MAX);
        for number in [most, most, Number::parse("1e-38").unwrap()] {
            exact.add(number, 1);
            assert_eq!(exact.compare(1, bound(i128::MAX)), Ordering::Greater);
        }
        exact.add(most, -1);
        exact.add(most, -1);
        assert_eq!(exact.compare(1, bound(sum)), Ordering::Greater);
        exact.add(Number::parse("1e-38").unwrap(), -1);
        assert_eq!(exact.compare(1, bound(sum)), Ordering::Equal);
    }
}
