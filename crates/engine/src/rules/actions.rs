// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of actions of a rule's context.

use serde::{Deserialize, Serialize};

use crate::slice::storage::index::bits;

/// A set of actions: a bit for each. Nearly all contexts have at most 32 actions, so the bits of the first 32 are inline and the
/// others on the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ActionSet {
    first: u32,
    /// INVARIANT: the last word is not 0, so that equal sets have equal words.
    more: Vec<u32>,
}

impl ActionSet {
    /// The number of actions that need no memory on the heap.
    pub(crate) const INLINE: usize = u32::BITS as usize;

    pub(crate) const EMPTY: Self = ActionSet { first: 0, more: Vec::new() };

    /// Returns the set of these bits. Words beyond the last one that is not 0 may be missing.
    #[inline]
    pub(crate) fn from_words(first: u32, more: impl Iterator<Item = u32>) -> Self {
        let mut more: Vec<u32> = more.collect();
        while more.last() == Some(&0) {
            more.pop();
        }
        ActionSet { first, more }
    }

    /// Returns the bits of the actions 0 to 31.
    #[inline]
    pub(crate) fn first_word(&self) -> u32 {
        self.first
    }

    /// Returns the bits of the actions from 32 on.
    pub(crate) fn more_words(&self) -> &[u32] {
        &self.more
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.first = 0;
        self.more.clear();
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first == 0 && self.more.is_empty()
    }

    #[inline]
    pub(crate) fn contains(&self, action: usize) -> bool {
        let word = match action / Self::INLINE {
            0 => self.first,
            word => self.more.get(word - 1).copied().unwrap_or(0),
        };
        word >> (action % Self::INLINE) & 1 == 1
    }

    #[inline]
    pub(crate) fn insert(&mut self, action: usize) {
        let bit = 1 << (action % Self::INLINE);
        match action / Self::INLINE {
            0 => self.first |= bit,
            word => {
                if self.more.len() < word {
                    self.more.resize(word, 0);
                }
                self.more[word - 1] |= bit;
            }
        }
    }

    /// Adds the actions of another set.
    #[inline]
    pub(crate) fn extend(&mut self, other: &ActionSet) {
        self.first |= other.first;
        if self.more.len() < other.more.len() {
            self.more.resize(other.more.len(), 0);
        }
        for (own, others) in self.more.iter_mut().zip(&other.more) {
            *own |= others;
        }
    }

    /// Iterates over the numbers of the actions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        let words = std::iter::once(self.first).chain(self.more.iter().copied()).enumerate();
        words.flat_map(|(at, word)| bits(word).map(move |bit| at * Self::INLINE + bit))
    }

    /// Returns the allocated bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.more.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(actions: &[usize]) -> ActionSet {
        let mut set = ActionSet::EMPTY;
        for action in actions {
            set.insert(*action);
        }
        set
    }

    #[test]
    fn a_set_has_the_actions_that_were_inserted() {
        let actions = [0, 31, 32, 63, 64, 127, 128, 1000];
        let all = set(&actions);
        assert_eq!(all.iter().collect::<Vec<_>>(), actions);
        for action in 0..1100 {
            assert_eq!(all.contains(action), actions.contains(&action), "{action}");
        }
        assert!(!all.is_empty() && !set(&[64]).is_empty() && ActionSet::EMPTY.is_empty());
    }

    #[test]
    fn equal_sets_are_equal_however_they_came_about() {
        let mut union = set(&[1, 200]);
        union.extend(&set(&[70]));
        assert_eq!(union, set(&[70, 1, 200]));
        let mut union = set(&[70]);
        union.extend(&set(&[1, 200]));
        assert_eq!(union, set(&[200, 70, 1]));
        assert_eq!(ActionSet::from_words(2, [64, 0, 0].into_iter()), set(&[1, 38]));
        assert_eq!(ActionSet::from_words(2, [0, 0].into_iter()), set(&[1]));
    }
}
