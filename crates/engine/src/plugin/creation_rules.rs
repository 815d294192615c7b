// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decides which instances an event may create.
//!
//! An event binds the parameters A. By definition every instance that agrees with it has a join with it, which is an instance as well. Nearly
//! all of these joins can report nothing: an iterator and a collection that has not created it, say. A join is worth storing only if the
//! slice of its source, which binds the parameters M, can be continued by the letter to a word that reports. Words that bind exactly M are
//! known from the body ([`CreationRules::new`]): of `create(c, i) next(i)* modify(c)+ next(i)`, `create` can only be the first letter, so M is empty, and no
//! other letter creates an instance. `JavaMOP` calls these sets *enable sets*.
//!
//! Which instances are created does not change what is reported or counted (RULE L16).

use std::collections::BTreeSet;

use gnomon_ir::core::Creation;

use super::body::Body;
use super::runs::{DEAD, INITIAL, RunRules, RunStates, unions};
use crate::slice::storage::index::Mask;

/// The most pairs of a state and a set of parameters that are visited to find the sources.
const MOST_PAIRS: usize = 100_000;

/// The most sets of parameters that are distinguished.
const MOST_MASKS: usize = 256;

/// The sets of parameters that sources of new instances bind.
#[derive(Clone, Debug)]
pub(super) struct CreationRules {
    /// For each letter, the sets M, in order. `None`: every set.
    sources: Vec<Option<Vec<Mask>>>,
    /// The sets of parameters of which bindings must be remembered ([`SeenBindings`](super::seen::SeenBindings)).
    pub(super) remembered: Vec<Mask>,
    /// Only events that create are remembered, as events before them are dropped.
    pub(super) remembers_creation_only: bool,
}

impl CreationRules {
    /// `states` are all states, if `is_complete`.
    pub(super) fn new(rules: &RunRules, states: &mut RunStates, is_complete: bool) -> Self {
        let pairs = match () {
            () if rules.creation == Creation::DropBefore => {
                let creating = rules.letters.iter().enumerate().filter(|(_, letter)| letter.creates);
                Some(creating.map(|(letter, _)| (0, letter)).collect())
            }
            () if rules.suffix => None,
            () if is_complete => reachable_pairs(rules, states),
            () => grammar_pairs(rules),
        };
        let pairs: Option<BTreeSet<(Mask, usize)>> = pairs;
        let sources = (0..rules.letters.len()).map(|letter| {
            let own = rules.letters[letter].mask;
            if own == 0 {
                return Some(vec![]);
            }
            let of_letter = |pairs: &BTreeSet<(Mask, usize)>| -> Vec<Mask> {
                pairs
                    .iter()
                    .filter(|(mask, other)| *other == letter && own & !mask != 0)
                    .map(|(mask, _)| *mask)
                    .collect()
            };
            pairs.as_ref().map(of_letter)
        });
        let mut creation = CreationRules {
            sources: sources.collect(),
            remembered: vec![],
            remembers_creation_only: rules.creation == Creation::DropBefore,
        };
        creation.remembered = creation.remembered_sets(rules);
        creation
    }

    /// Returns true if an instance that binds these parameters may be the source of a new one.
    #[inline]
    pub(super) fn is_source(&self, letter: usize, mask: Mask) -> bool {
        self.sources[letter].as_ref().is_none_or(|sources| sources.binary_search(&mask).is_ok())
    }

    /// Returns true if a letter creates no instance.
    #[inline]
    pub(super) fn creates_nothing(&self, letter: usize) -> bool {
        self.sources[letter].as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns the sets of parameters that letters bind and that may be in a new instance but not in its source.
    fn remembered_sets(&self, rules: &RunRules) -> Vec<Mask> {
        let mut sets: Vec<Mask> = Vec::new();
        for letter in &rules.letters {
            let own = letter.mask;
            let is_needed = (0..rules.letters.len()).any(|creating| match &self.sources[creating] {
                None => true,
                Some(sources) => sources
                    .iter()
                    .any(|source| own & !(source | rules.letters[creating].mask) == 0 && own & !source != 0),
            });
            let counts = !self.remembers_creation_only || letter.creates;
            if own != 0 && is_needed && counts && !sets.contains(&own) {
                sets.push(own);
            }
        }
        sets
    }
}

/// Visits all pairs of a state and the parameters of the letters before. Returns the pairs of parameters and a letter that does not lead to
/// the dead state unreported; `None` if there are too many.
fn reachable_pairs(rules: &RunRules, states: &mut RunStates) -> Option<BTreeSet<(Mask, usize)>> {
    let mut known = BTreeSet::from([(INITIAL, 0)]);
    let mut pending = vec![(INITIAL, 0)];
    let mut pairs = BTreeSet::new();
    while let Some((state, mask)) = pending.pop() {
        for (letter, rule) in rules.letters.iter().enumerate() {
            let joined = mask | rule.mask;
            let from = states.with_mask(rules, state, joined);
            let step = states.step(rules, from, letter);
            if step.target() != DEAD || step.is_live() {
                pairs.insert((mask, letter));
                if known.insert((step.target(), joined)) {
                    pending.push((step.target(), joined));
                }
            }
            if known.len() > MOST_PAIRS {
                return None;
            }
        }
    }
    Some(pairs)
}

/// Returns the pairs of parameters and a letter that occur in words of a grammar, if only these words matter.
fn grammar_pairs(rules: &RunRules) -> Option<BTreeSet<(Mask, usize)>> {
    let Body::Grammar { grammar, failing, .. } = &rules.body else { return None };
    let matters = *failing == super::table::NO_CATEGORY && !rules.resets.contains(&true);
    if !matters || unions(rules).len() > MOST_MASKS {
        return None;
    }
    let masks: Vec<Mask> = rules.letters.iter().map(|letter| letter.mask).collect();
    Some(grammar.pairs(&masks))
}
