// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables: deterministic, complete automata over letters.
//!
//! Expressions, state machines and formulae with a finite automaton become tables when the plan is made. The output of a state is the
//! forbidden category of the words that lead there. States with equal outputs now and after every word are merged
//! ([`Table::new`]), so `create next* modify modify* next` has six states: five on the way to a match and one without a way out.

use rustc_hash::FxHashMap;

/// The most states of a table before it is minimised.
pub(crate) const MOST_STATES: usize = 10_000;

/// The body of a property has more states than [`MOST_STATES`], or is too large to count them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooManyStates;

/// The output of a state without a forbidden category.
pub(super) const NO_CATEGORY: u16 = u16::MAX;

/// A deterministic automaton. State 0 is initial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Table {
    letters: usize,
    /// The target of each state and letter.
    next: Vec<u32>,
    /// For each state, the place of its category in the list of forbidden ones, or [`NO_CATEGORY`].
    outputs: Vec<u16>,
    /// For each state, true if one or more letters lead to a state with a category.
    may_report: Vec<bool>,
}

impl Table {
    #[inline]
    pub(super) fn next(&self, state: u32, letter: usize) -> u32 {
        self.next[state as usize * self.letters + letter]
    }

    pub(super) fn output(&self, state: u32) -> u16 {
        self.outputs[state as usize]
    }

    pub(super) fn may_report(&self, state: u32) -> bool {
        self.may_report[state as usize]
    }

    pub(super) fn state_count(&self) -> usize {
        self.outputs.len()
    }

    /// Creates the smallest table with these targets and outputs: merges states that no word distinguishes, after Moore: the classes of a round are the classes of the round before, divided by the
    /// classes of their targets. Classes are numbered in the order in which they are reached.
    pub(super) fn new(letters: usize, next: &[u32], outputs: &[u16]) -> Self {
        let order = reachable(letters, next);
        let mut classes = vec![u32::MAX; outputs.len()];
        let mut count = divide(&order, &mut classes, |state, key| key.push(u32::from(outputs[state])));
        loop {
            let before = classes.clone();
            let targets = |state: usize| &next[state * letters..(state + 1) * letters];
            let now = divide(&order, &mut classes, |state, key| {
                key.push(before[state]);
                key.extend(targets(state).iter().map(|target| before[*target as usize]));
            });
            if now == count {
                break;
            }
            count = now;
        }
        let mut table =
            Table { letters, next: vec![0; count * letters], outputs: vec![NO_CATEGORY; count], may_report: vec![] };
        for state in order {
            let class = classes[state] as usize;
            table.outputs[class] = outputs[state];
            for letter in 0..letters {
                table.next[class * letters + letter] = classes[next[state * letters + letter] as usize];
            }
        }
        table.may_report = may_reach(letters, &table.next, &table.outputs);
        table
    }
}

/// Returns for each state whether one or more letters lead to one with a category, searching backwards from these.
pub(super) fn may_reach(letters: usize, next: &[u32], outputs: &[u16]) -> Vec<bool> {
    let mut sources: Vec<Vec<u32>> = vec![vec![]; outputs.len()];
    for (place, target) in next.iter().enumerate() {
        sources[*target as usize].push((place / letters.max(1)) as u32);
    }
    let mut may_reach = vec![false; outputs.len()];
    let mut pending: Vec<usize> = (0..outputs.len()).filter(|state| outputs[*state] != NO_CATEGORY).collect();
    while let Some(state) = pending.pop() {
        for source in &sources[state] {
            if !std::mem::replace(&mut may_reach[*source as usize], true) {
                pending.push(*source as usize);
            }
        }
    }
    may_reach
}

/// Returns the states that words lead to, the initial one first.
fn reachable(letters: usize, next: &[u32]) -> Vec<usize> {
    let mut is_known = vec![false; (next.len().checked_div(letters).unwrap_or(0)).max(1)];
    is_known[0] = true;
    let (mut order, mut at) = (vec![0], 0);
    while let Some(&state) = order.get(at) {
        for target in &next[state * letters..(state + 1) * letters] {
            if !std::mem::replace(&mut is_known[*target as usize], true) {
                order.push(*target as usize);
            }
        }
        at += 1;
    }
    order
}

/// Numbers the states by keys, equal keys alike. Returns the number of different keys.
fn divide(order: &[usize], classes: &mut [u32], mut key: impl FnMut(usize, &mut Vec<u32>)) -> usize {
    let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    for state in order {
        let mut own = Vec::new();
        key(*state, &mut own);
        let fresh = known.len() as u32;
        classes[*state] = *known.entry(own).or_insert(fresh);
    }
    known.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_no_word_distinguishes_are_one() {
        // Over the letter 0: 0 -> 1 -> 2 -> 1, where 1 and 2 are alike. State 3 is not reached.
        let table = Table::new(1, &[1, 2, 1, 0], &[NO_CATEGORY, 0, 0, 1]);
        assert_eq!(table.state_count(), 2);
        assert_eq!((table.next(0, 0), table.next(1, 0)), (1, 1));
        assert_eq!((table.output(0), table.output(1)), (NO_CATEGORY, 0));
        assert!(table.may_report(0) && table.may_report(1));
    }

    #[test]
    fn states_without_a_way_to_a_category_are_known() {
        // Letter 0 leads to the category, letter 1 away from it for good.
        let table = Table::new(2, &[1, 2, 2, 2, 2, 2], &[NO_CATEGORY, 0, NO_CATEGORY]);
        assert_eq!(table.state_count(), 3);
        let [first, second, third] = [0, 1, 2].map(|state| table.may_report(state));
        assert!(first && !second && !third);
    }
}
