// SPDX-License-Identifier: MIT OR Apache-2.0
//! Context-free grammars: an incremental recogniser for any grammar, whose states are shared between instances.
//!
//! The recogniser is Earley's (1970) with two changes. A state of it is the set of *items* after some word: productions with a dot in front
//! of what must come next. An item also needs to know where it returns to when its production is complete. Earley stores the place in the word;
//! here it is a [`ContinuationId`], a number that depends on the items alone. So equal sets of items are one state, whatever the words
//! and instances that lead to them, and a letter in a known state is one lookup.
//!
//! - A *continuation* is the set of items that wait for one nonterminal in one state, each behind that nonterminal. If the only one of them is
//!   complete then, the continuation is that item's own: a call in last position returns straight to the caller of the caller, as Leo (1991) found.
//!   So right recursion needs no memory.
//! - States keep incomplete items only. What completes at a letter is followed through continuations immediately, once for each continuation
//!   ([`GrammarStates::complete`]).
//!
//! Example: `S -> S lock S unlock | epsilon`. Before the first letter, `S . lock S unlock` is an item whose continuation is the first
//! state's for S. `lock` leads to `S lock . S unlock`, state 1. In state 1 a second `lock` leads to `S lock . S unlock` again, with state 1's
//! continuation for S: state 2. `unlock` returns to `S . lock S unlock` and `S lock S . unlock` in state 1's: one level less. There are
//! as many states as levels, and each is computed once.
//!
//! Grammars are reduced first: every nonterminal derives a word and occurs in a derivation from the start symbol. Then each item
//! can be completed, and a word has an extension in the language exactly if some item is left.
//!
//! COST: a letter in a known state is one lookup, by `runs.rs`. A new state costs its items; for LR(1) grammars that is constant, amortised.
//! Memory: the states; those that no instance is in any more are collected by `runs.rs` from time to time.

use std::collections::{BTreeSet, VecDeque};

use gnomon_ir::core::{CfgCore, GrammarSymbol};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::slice::storage::index::Mask;
use crate::work;

/// The number of a state of the recogniser.
type StateId = u32;

/// The number of a continuation.
type ContinuationId = u32;

/// A place in a right side: production by production, with one place behind the last symbol of each.
type DotId = u32;

/// A place in a right side, and what follows when the production is complete.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
struct Item {
    dot: DotId,
    continuation: ContinuationId,
}

/// The continuation of the start symbol: the word is in the language.
const ACCEPT: ContinuationId = 0;

/// A reduced grammar.
#[derive(Clone, Debug)]
pub(super) struct Grammar {
    /// For each place in a right side, the symbol behind the dot; `None` at the end.
    symbols: Vec<Option<GrammarSymbol>>,
    /// For each place, true if the rest of the right side derives the empty word.
    rest_is_nullable: Vec<bool>,
    /// For each place, true if the rest of the right side derives no other word than the empty one.
    rest_is_empty: Vec<bool>,
    /// For each nonterminal, the first places of its right sides.
    productions: Vec<Vec<DotId>>,
    nullable: Vec<bool>,
    /// False if the language has no word.
    has_words: bool,
}

impl Grammar {
    pub(super) fn new(core: &CfgCore) -> Self {
        let count = core.nonterminals.len();
        let is_productive = least(core, |symbol, known| match symbol {
            GrammarSymbol::Letter(_) => true,
            GrammarSymbol::Nonterminal(number) => known[number],
        });
        let nullable = least(core, |symbol, known| match symbol {
            GrammarSymbol::Letter(_) => false,
            GrammarSymbol::Nonterminal(number) => known[number],
        });
        let is_usable = |symbol: &GrammarSymbol| match symbol {
            GrammarSymbol::Letter(_) => true,
            GrammarSymbol::Nonterminal(number) => is_productive[*number],
        };
        // Unreachable nonterminals are never predicted; unproductive ones must go.
        let has_letters = has_letters(core, &is_productive);
        let mut grammar = Grammar {
            symbols: vec![],
            rest_is_nullable: vec![],
            rest_is_empty: vec![],
            productions: vec![vec![]; count],
            has_words: is_productive.first().copied().unwrap_or(false),
            nullable,
        };
        for (number, nonterminal) in core.nonterminals.iter().enumerate() {
            for right in nonterminal.productions.iter().filter(|right| right.iter().all(is_usable)) {
                grammar.productions[number].push(grammar.symbols.len() as DotId);
                grammar.symbols.extend(right.iter().copied().map(Some));
                grammar.symbols.push(None);
                let rests = |all: &dyn Fn(&GrammarSymbol) -> bool| -> Vec<bool> {
                    (0..=right.len()).map(|from| right[from..].iter().all(all)).collect()
                };
                let is_nullable = |symbol: &GrammarSymbol| match symbol {
                    GrammarSymbol::Letter(_) => false,
                    GrammarSymbol::Nonterminal(number) => grammar.nullable[*number],
                };
                let is_empty = |symbol: &GrammarSymbol| match symbol {
                    GrammarSymbol::Letter(_) => false,
                    GrammarSymbol::Nonterminal(number) => !has_letters[*number],
                };
                let (nullable_rests, empty_rests) = (rests(&is_nullable), rests(&is_empty));
                grammar.rest_is_nullable.extend(nullable_rests);
                grammar.rest_is_empty.extend(empty_rests);
            }
        }
        grammar
    }
}

impl Grammar {
    /// Returns each letter of a word of the language with the parameters that the letters before it bind together. `masks` has those of
    /// each letter.
    pub(super) fn pairs(&self, masks: &[Mask]) -> BTreeSet<(Mask, usize)> {
        // The sets of parameters that words of a nonterminal bind, and that are bound before the nonterminal.
        let mut inside: Vec<BTreeSet<Mask>> = vec![BTreeSet::new(); self.productions.len()];
        let mut before = inside.clone();
        let mut pairs = BTreeSet::new();
        if self.has_words {
            before[0].insert(0);
        }
        loop {
            let size = |sets: &[BTreeSet<Mask>]| sets.iter().map(BTreeSet::len).sum::<usize>();
            let known = size(&inside) + size(&before) + pairs.len();
            for number in 0..self.productions.len() {
                for first in &self.productions[number] {
                    // For each place, the sets bound from the beginning of the production, and from that of the word.
                    let (mut own, mut all) = (BTreeSet::from([0]), before[number].clone());
                    for symbol in self.symbols[*first as usize..].iter().map_while(|symbol| *symbol) {
                        let more = match symbol {
                            GrammarSymbol::Letter(letter) => {
                                pairs.extend(all.iter().map(|mask| (*mask, letter.0 as usize)));
                                BTreeSet::from([masks[letter.0 as usize]])
                            }
                            GrammarSymbol::Nonterminal(other) => {
                                before[other].extend(all.iter().copied());
                                inside[other].clone()
                            }
                        };
                        let join = |sets: &BTreeSet<Mask>| -> BTreeSet<Mask> {
                            sets.iter().flat_map(|set| more.iter().map(move |other| set | other)).collect()
                        };
                        (own, all) = (join(&own), join(&all));
                    }
                    inside[number].extend(own);
                }
            }
            if size(&inside) + size(&before) + pairs.len() == known {
                return pairs;
            }
        }
    }
}

/// Returns the nonterminals with a production of which all symbols pass, given those that are known to pass.
fn least(core: &CfgCore, passes: impl Fn(GrammarSymbol, &[bool]) -> bool) -> Vec<bool> {
    let mut known = vec![false; core.nonterminals.len()];
    loop {
        let mut has_changed = false;
        for (number, nonterminal) in core.nonterminals.iter().enumerate() {
            let has_one =
                || nonterminal.productions.iter().any(|right| right.iter().all(|symbol| passes(*symbol, &known)));
            if !known[number] && has_one() {
                (known[number], has_changed) = (true, true);
            }
        }
        if !has_changed {
            return known;
        }
    }
}

/// Returns the productive nonterminals that derive a word with a letter.
fn has_letters(core: &CfgCore, is_productive: &[bool]) -> Vec<bool> {
    let mut known = vec![false; core.nonterminals.len()];
    let is_usable = |symbol: &GrammarSymbol| match symbol {
        GrammarSymbol::Letter(_) => true,
        GrammarSymbol::Nonterminal(number) => is_productive[*number],
    };
    loop {
        let mut has_changed = false;
        for (number, nonterminal) in core.nonterminals.iter().enumerate() {
            let has_letter = |symbol: &GrammarSymbol| match symbol {
                GrammarSymbol::Letter(_) => true,
                GrammarSymbol::Nonterminal(number) => known[*number],
            };
            let one = |right: &Vec<GrammarSymbol>| right.iter().all(is_usable) && right.iter().any(has_letter);
            if !known[number] && nonterminal.productions.iter().any(one) {
                (known[number], has_changed) = (true, true);
            }
        }
        if !has_changed {
            return known;
        }
    }
}

/// The states and continuations that are in use.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct GrammarStates {
    states: Vec<GrammarState>,
    /// For each continuation, the items that wait for its nonterminal, behind it.
    continuations: Vec<Vec<Item>>,
    /// For each continuation, the incomplete items that its completion leads to, and true if it completes the start symbol.
    #[serde(skip)]
    completions: Vec<Option<(Box<[Item]>, bool)>>,
    #[serde(skip)]
    numbers: FxHashMap<StateKey, StateId>,
}

/// The items that distinguish a state, in order, and true if the word is in the language.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct StateKey {
    items: Box<[Item]>,
    is_accepting: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct GrammarState {
    key: StateKey,
    /// Each letter that may come, with an item behind it. Computed when it is needed first.
    scans: Option<Box<[(u32, Item)]>>,
}

/// The state before the first letter.
pub(super) const INITIAL: StateId = 0;

impl GrammarStates {
    pub(super) fn new(grammar: &Grammar) -> Self {
        let mut states = GrammarStates { continuations: vec![vec![]], ..GrammarStates::default() };
        let mut builder = StateBuilder::default();
        if grammar.has_words {
            for dot in &grammar.productions[0] {
                states.add(grammar, &mut builder, Item { dot: *dot, continuation: ACCEPT });
            }
        }
        states.number(builder);
        states
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns true if the word is in the language.
    pub(super) fn is_accepting(&self, state: StateId) -> bool {
        self.states[state as usize].key.is_accepting
    }

    /// Returns true if no extension of the word is in the language, nor is the word.
    pub(super) fn has_failed(&self, state: StateId) -> bool {
        let StateKey { items, is_accepting } = &self.states[state as usize].key;
        items.is_empty() && !is_accepting
    }

    /// Returns true if the word has a longer extension in the language.
    pub(super) fn has_items(&self, state: StateId) -> bool {
        !self.states[state as usize].key.items.is_empty()
    }

    /// Returns the state after a letter.
    pub(super) fn next(&mut self, grammar: &Grammar, state: StateId, letter: u32) -> StateId {
        if self.states[state as usize].scans.is_none() {
            let scans = self.predict(grammar, state);
            self.states[state as usize].scans = Some(scans);
        }
        let scans = self.states[state as usize].scans.as_deref().unwrap_or_default();
        let from = scans.partition_point(|(own, _)| *own < letter);
        let behind: Vec<Item> =
            scans[from..].iter().take_while(|(own, _)| *own == letter).map(|(_, item)| *item).collect();
        let mut builder = StateBuilder::default();
        for item in behind {
            self.add(grammar, &mut builder, item);
        }
        self.number(builder)
    }

    fn number(&mut self, builder: StateBuilder) -> StateId {
        let mut items: Vec<Item> = builder.items.into_iter().collect();
        items.sort_unstable();
        let key = StateKey { items: items.into(), is_accepting: builder.is_accepting };
        self.intern(key)
    }

    fn intern(&mut self, key: StateKey) -> StateId {
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let id = self.states.len() as StateId;
        self.numbers.insert(key.clone(), id);
        self.states.push(GrammarState { key, scans: None });
        id
    }

    /// Adds an item to a new state, and what it completes.
    fn add(&mut self, grammar: &Grammar, builder: &mut StateBuilder, item: Item) {
        work::add(1);
        if !grammar.rest_is_empty[item.dot as usize] {
            builder.items.insert(item);
        }
        if grammar.rest_is_nullable[item.dot as usize] && builder.completed.insert(item.continuation) {
            let (items, is_accepting) = self.complete(grammar, item.continuation);
            work::add(items.len());
            builder.items.extend(items.iter().copied());
            builder.is_accepting |= is_accepting;
        }
    }

    /// Returns the incomplete items that the completion of a continuation leads to, and true if one completes the start symbol.
    fn complete(&mut self, grammar: &Grammar, continuation: ContinuationId) -> (&[Item], bool) {
        self.completions.resize(self.continuations.len(), None);
        let place = continuation as usize;
        if self.completions[place].is_none() {
            let mut items: FxHashSet<Item> = FxHashSet::default();
            let mut reached: FxHashSet<ContinuationId> = FxHashSet::from_iter([continuation]);
            let mut pending = vec![continuation];
            while let Some(one) = pending.pop() {
                for item in &self.continuations[one as usize] {
                    work::add(1);
                    if !grammar.rest_is_empty[item.dot as usize] {
                        items.insert(*item);
                    }
                    if grammar.rest_is_nullable[item.dot as usize] && reached.insert(item.continuation) {
                        pending.push(item.continuation);
                    }
                }
            }
            let mut items: Vec<Item> = items.into_iter().collect();
            items.sort_unstable();
            self.completions[place] = Some((items.into(), reached.contains(&ACCEPT)));
        }
        self.completions[place].as_ref().map_or((&[], false), |(items, accepts)| (items, *accepts))
    }

    /// Predicts what may come next in a state: adds the first items of nonterminals that are waited for, and their continuations. Returns the
    /// letters that may come, in order, each with an item behind it.
    fn predict(&mut self, grammar: &Grammar, state: StateId) -> Box<[(u32, Item)]> {
        /// A continuation that is being collected, before tail calls are resolved.
        struct Pending {
            items: Vec<(DotId, Target)>,
        }
        /// A continuation of another state, or the pending one of a nonterminal.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        enum Target {
            Known(ContinuationId),
            Own(usize),
        }
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        let mut pending: Vec<Pending> = Vec::new();
        let mut scans: Vec<(u32, DotId, Target)> = Vec::new();
        let mut known: FxHashSet<(DotId, Target)> = FxHashSet::default();
        let own = self.states[state as usize].key.items.iter();
        let mut queue: VecDeque<(DotId, Target)> =
            own.map(|item| (item.dot, Target::Known(item.continuation))).collect();
        known.extend(queue.iter().copied());
        while let Some((dot, target)) = queue.pop_front() {
            work::add(1);
            match grammar.symbols[dot as usize] {
                None => {}
                Some(GrammarSymbol::Letter(letter)) => scans.push((letter.0, dot + 1, target)),
                Some(GrammarSymbol::Nonterminal(number)) => {
                    let fresh = pending.len();
                    let place = *places.entry(number).or_insert(fresh);
                    if place == fresh {
                        pending.push(Pending { items: vec![] });
                        for first in &grammar.productions[number] {
                            if known.insert((*first, Target::Own(place))) {
                                queue.push_back((*first, Target::Own(place)));
                            }
                        }
                    }
                    pending[place].items.push((dot + 1, target));
                    // The nonterminal may derive nothing.
                    if grammar.nullable[number] && known.insert((dot + 1, target)) {
                        queue.push_back((dot + 1, target));
                    }
                }
            }
        }
        // A continuation whose only item is complete is that of the item. Such links do not form a cycle: each nonterminal is predicted
        // because of an item of the state.
        let resolve = |mut target: Target| {
            while let Target::Own(place) = target {
                match *pending[place].items.as_slice() {
                    [(dot, next)] if grammar.symbols[dot as usize].is_none() && next != target => target = next,
                    _ => break,
                }
            }
            target
        };
        let first = self.continuations.len();
        let mut numbers = vec![ACCEPT; pending.len()];
        let mut count = 0;
        for (place, number) in numbers.iter_mut().enumerate() {
            if resolve(Target::Own(place)) == Target::Own(place) {
                *number = (first + count) as ContinuationId;
                count += 1;
            }
        }
        let number = |target: Target| match resolve(target) {
            Target::Known(continuation) => continuation,
            Target::Own(place) => numbers[place],
        };
        let item = |(dot, target): (DotId, Target)| Item { dot, continuation: number(target) };
        for (place, one) in pending.iter().enumerate() {
            if resolve(Target::Own(place)) == Target::Own(place) {
                let mut items: Vec<Item> = one.items.iter().copied().map(item).collect();
                items.sort_unstable();
                items.dedup();
                self.continuations.push(items);
            }
        }
        let mut scans: Vec<(u32, Item)> =
            scans.into_iter().map(|(letter, dot, target)| (letter, item((dot, target)))).collect();
        scans.sort_unstable();
        scans.dedup();
        scans.into()
    }

    /// Keeps the states of a list, the initial one, and the continuations that they need. Returns the new number of each old state; states
    /// that are not kept have none.
    pub(super) fn retain(&mut self, kept: &[StateId]) -> Vec<Option<StateId>> {
        let old = std::mem::take(self);
        let mut is_kept = vec![false; old.states.len()];
        is_kept[INITIAL as usize] = true;
        for state in kept {
            is_kept[*state as usize] = true;
        }
        let mut is_needed = vec![false; old.continuations.len()];
        is_needed[ACCEPT as usize] = true;
        let mut pending: Vec<ContinuationId> = Vec::new();
        let mut need = |item: &Item, pending: &mut Vec<ContinuationId>| {
            if !std::mem::replace(&mut is_needed[item.continuation as usize], true) {
                pending.push(item.continuation);
            }
        };
        let kept_states = || old.states.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept).map(|(state, _)| state);
        for state in kept_states() {
            let scans = state.scans.iter().flatten().map(|(_, item)| item);
            state.key.items.iter().chain(scans).for_each(|item| need(item, &mut pending));
        }
        while let Some(one) = pending.pop() {
            old.continuations[one as usize].iter().for_each(|item| need(item, &mut pending));
        }
        let mut numbers = vec![ACCEPT; old.continuations.len()];
        for (place, _) in is_needed.iter().enumerate().filter(|(_, is_needed)| **is_needed) {
            numbers[place] = self.continuations.len() as ContinuationId;
            self.continuations.push(vec![]);
        }
        let renumber = |item: &Item| Item { continuation: numbers[item.continuation as usize], ..*item };
        for (place, items) in old.continuations.iter().enumerate().filter(|(place, _)| is_needed[*place]) {
            // Numbers stay in order, so sorted items stay sorted.
            self.continuations[numbers[place] as usize] = items.iter().map(renumber).collect();
        }
        let state_numbers = old.states.into_iter().zip(&is_kept).map(|(state, is_kept)| {
            is_kept.then(|| {
                let key = StateKey { items: state.key.items.iter().map(renumber).collect(), ..state.key };
                let id = self.intern(key);
                let scans = state.scans;
                let scans = scans.map(|scans| scans.iter().map(|(letter, item)| (*letter, renumber(item))).collect());
                self.states[id as usize].scans = scans;
                id
            })
        });
        state_numbers.collect()
    }

    /// Adds the states of another run of the grammar. Returns the number that each of them has here.
    pub(super) fn absorb(&mut self, other: GrammarStates) -> Vec<StateId> {
        let first = self.continuations.len() as ContinuationId;
        let renumber = |item: &Item| match item.continuation {
            ACCEPT => *item,
            other => Item { continuation: first + other - 1, ..*item },
        };
        let more = other.continuations.iter().skip(1).map(|items| items.iter().map(renumber).collect());
        self.continuations.extend(more);
        let states = other.states.into_iter().map(|GrammarState { key, .. }| {
            self.intern(StateKey { items: key.items.iter().map(renumber).collect(), ..key })
        });
        states.collect()
    }

    pub(super) fn bytes(&self) -> usize {
        let items = |items: usize| items * size_of::<Item>();
        let state = |state: &GrammarState| {
            let scans = state.scans.as_ref().map_or(0, |scans| scans.len());
            // The key is stored twice, and the table of keys has an entry for it.
            3 * size_of::<GrammarState>() + items(2 * state.key.items.len() + 2 * scans)
        };
        let continuations = self.continuations.iter().map(|own| size_of::<Vec<Item>>() + items(own.capacity()));
        let completions = self.completions.iter().flatten().map(|(own, _)| items(own.len()));
        self.states.iter().map(state).sum::<usize>()
            + continuations.sum::<usize>()
            + completions.sum::<usize>()
            + self.completions.capacity() * size_of::<Option<(Box<[Item]>, bool)>>()
    }

    /// Completes restored states. Returns false if they are damaged.
    pub(super) fn rebuild(&mut self, grammar: &Grammar) -> bool {
        let (dots, continuations) = (grammar.symbols.len(), self.continuations.len());
        let is_known = |item: &Item| (item.dot as usize) < dots && (item.continuation as usize) < continuations;
        let is_sound = |state: &GrammarState| {
            state.key.items.iter().all(is_known)
                && state.scans.iter().flatten().all(|(_, item)| is_known(item))
                && state.scans.as_ref().is_none_or(|scans| scans.is_sorted())
        };
        self.numbers = (0..).zip(&self.states).map(|(id, state)| (state.key.clone(), id)).collect();
        continuations > 0
            && !self.states.is_empty()
            && self.numbers.len() == self.states.len()
            && self.continuations.iter().flatten().all(is_known)
            && self.states.iter().all(is_sound)
    }
}

/// The items of a state that is being built.
#[derive(Default)]
struct StateBuilder {
    items: FxHashSet<Item>,
    is_accepting: bool,
    /// The continuations that were completed.
    completed: FxHashSet<ContinuationId>,
}

#[cfg(test)]
mod tests {
    use gnomon_ir::core::{LetterId, NonterminalCore};

    use super::*;

    /// Reads `S -> a S b |; T -> ...`: capital letters are nonterminals in their order, small ones letters.
    fn grammar(text: &str) -> CfgCore {
        let rules: Vec<(&str, &str)> = text.split(';').map(|rule| rule.split_once("->").unwrap()).collect();
        let names: Vec<&str> = rules.iter().map(|(name, _)| name.trim()).collect();
        let symbol = |word: &str| match names.iter().position(|name| *name == word) {
            Some(number) => GrammarSymbol::Nonterminal(number),
            None => GrammarSymbol::Letter(LetterId(u32::from(word.as_bytes()[0] - b'a'))),
        };
        let nonterminal = |(name, right): &(&str, &str)| NonterminalCore {
            name: name.trim().to_owned(),
            productions: right.split('|').map(|right| right.split_whitespace().map(symbol).collect()).collect(),
        };
        CfgCore { nonterminals: rules.iter().map(nonterminal).collect() }
    }

    /// The words of each nonterminal up to a length, by repeated substitution.
    fn words(core: &CfgCore, most: usize) -> BTreeSet<Vec<u32>> {
        let mut known: Vec<BTreeSet<Vec<u32>>> = vec![BTreeSet::new(); core.nonterminals.len()];
        loop {
            let before: usize = known.iter().map(BTreeSet::len).sum();
            for (number, nonterminal) in core.nonterminals.iter().enumerate() {
                for right in &nonterminal.productions {
                    let mut all: BTreeSet<Vec<u32>> = BTreeSet::from([vec![]]);
                    for symbol in right {
                        let parts: Vec<Vec<u32>> = match symbol {
                            GrammarSymbol::Letter(letter) => vec![vec![letter.0]],
                            GrammarSymbol::Nonterminal(other) => known[*other].iter().cloned().collect(),
                        };
                        let joined = all.iter().flat_map(|one| parts.iter().map(move |part| [&one[..], part].concat()));
                        all = joined.filter(|word| word.len() <= most).collect();
                    }
                    known[number].extend(all);
                }
            }
            if known.iter().map(BTreeSet::len).sum::<usize>() == before {
                return known.swap_remove(0);
            }
        }
    }

    fn all_words(letters: u32, most: u32) -> Vec<Vec<u32>> {
        let of_length = |length: u32| {
            (0..letters.pow(length))
                .map(move |number| (0..length).map(|at| number / letters.pow(at) % letters).collect())
        };
        (0..=most).flat_map(of_length).collect()
    }

    const GRAMMARS: [&str; 18] = [
        "S -> a S b |",
        "S -> S a S b |",
        "S -> a S b S |",
        "S -> S S | a",
        "S -> S S | a S b | a b |",
        "S -> A; A -> A | a",
        "S -> A B; A -> a A |; B -> b B |",
        "S -> a S | S b |",
        "S -> a S | a S b S | a",
        "S -> A S b | b; A -> | A A | a",
        "S -> a S a | b S b | a | b |",
        "S -> A; A -> B a | a; B -> A b",
        "S -> A | B; A -> a A b | a b; B -> a B b b | a b b",
        "S -> A a; A -> S b | B; B -> a | A A",
        "S -> a B; B -> B b",
        "S -> a B | a; B -> b B",
        "S -> a T; T -> b S | S |",
        "S -> A A A; A -> a | b S b |",
    ];

    /// Viability needs longer words: the words of a grammar up to 12 letters show the viable ones up to 5.
    #[test]
    fn words_and_viable_words_are_those_of_the_grammar() {
        for text in GRAMMARS {
            let core = grammar(text);
            let language = words(&core, 12);
            let grammar = Grammar::new(&core);
            let mut states = GrammarStates::new(&grammar);
            for word in all_words(2, 5) {
                let state = word.iter().fold(INITIAL, |state, letter| states.next(&grammar, state, *letter));
                assert_eq!(states.is_accepting(state), language.contains(&word), "{text}: {word:?}");
                let is_viable = language.range(word.clone()..).next().is_some_and(|next| next.starts_with(&word));
                assert_eq!(!states.has_failed(state), is_viable, "{text}: {word:?} viable");
                let has_longer = language.iter().any(|other| other.len() > word.len() && other.starts_with(&word));
                assert_eq!(states.has_items(state), has_longer, "{text}: {word:?} longer");
            }
        }
    }

    #[test]
    fn retained_and_absorbed_states_behave_alike() {
        for text in GRAMMARS {
            let grammar = Grammar::new(&grammar(text));
            let mut states = GrammarStates::new(&grammar);
            let words = all_words(2, 4);
            let run = |states: &mut GrammarStates, from: StateId, word: &[u32]| {
                word.iter().fold(from, |state, letter| states.next(&grammar, state, *letter))
            };
            let reached: Vec<StateId> = words.iter().map(|word| run(&mut states, INITIAL, word)).collect();
            let saved = postcard::to_stdvec(&states).unwrap();
            let mut restored: GrammarStates = postcard::from_bytes(&saved).unwrap();
            assert!(restored.rebuild(&grammar));
            let mut retained = states.clone();
            let numbers = retained.retain(&reached[3..9]);
            let mut both = GrammarStates::new(&grammar);
            run(&mut both, INITIAL, &[0, 1, 0]);
            let absorbed = both.absorb(states.clone());
            assert!(retained.rebuild(&grammar) && both.rebuild(&grammar));
            for from in &reached[3..9] {
                for word in &words {
                    let plain = run(&mut states, *from, word);
                    let own = (states.is_accepting(plain), states.has_items(plain));
                    let same = |others: &mut GrammarStates, from: StateId| {
                        let state = run(others, from, word);
                        assert_eq!((others.is_accepting(state), others.has_items(state)), own, "{text}: {word:?}");
                    };
                    same(&mut restored, *from);
                    same(&mut retained, numbers[*from as usize].unwrap());
                    same(&mut both, absorbed[*from as usize]);
                }
            }
        }
    }

    /// The number of states after a long word.
    fn count(text: &str, word: impl Iterator<Item = u32>) -> usize {
        let grammar = Grammar::new(&grammar(text));
        let mut states = GrammarStates::new(&grammar);
        word.fold(INITIAL, |state, letter| states.next(&grammar, state, letter));
        states.len() + states.continuations.len()
    }

    #[test]
    fn recursion_without_nesting_needs_no_memory() {
        let flat = || (0..2_000).map(|at| at % 2);
        for text in ["S -> S a S b |", "S -> a S b S |", "S -> a b S |", "S -> S a b |", "S -> T; T -> a b | a b T"] {
            let count = count(text, flat());
            assert!(count < 30, "{text}: {count}");
        }
        // Nesting needs a state for each level.
        let nested = count("S -> a S b |", (0..1_000).map(|at| u32::from(at >= 500)));
        assert!((500..3_000).contains(&nested), "{nested}");
    }
}
