// SPDX-License-Identifier: MIT OR Apache-2.0
//! Context-free grammars: all partial derivations of a word, as Earley's sets of items.
// RULE L7

use std::collections::BTreeSet;

use gnomon_ir::{CfgCore, GrammarSymbol, LetterId};

/// A grammar of which every production derives some word.
pub(super) struct Grammar {
    /// Right sides of each nonterminal.
    productions: Vec<Vec<Vec<GrammarSymbol>>>,
}

/// A production up to a place in its right side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    nonterminal: usize,
    production: usize,
    /// Number of symbols before the place.
    done: usize,
    /// Number of letters before the production began.
    origin: usize,
}

/// The items after each number of letters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Chart(Vec<BTreeSet<Item>>);

impl Chart {
    /// Returns true if no continuation of the word can be derived.
    pub(super) fn is_dead(&self) -> bool {
        self.0.last().is_none_or(BTreeSet::is_empty)
    }
}

impl Grammar {
    pub(super) fn new(core: &CfgCore) -> Grammar {
        let mut productive: BTreeSet<usize> = BTreeSet::new();
        let derives = |production: &[GrammarSymbol], productive: &BTreeSet<usize>| {
            production.iter().all(|symbol| match symbol {
                GrammarSymbol::Letter(_) => true,
                GrammarSymbol::Nonterminal(number) => productive.contains(number),
            })
        };
        // A round that finds none ends the search; there are not more rounds than nonterminals.
        for _ in &core.nonterminals {
            for (number, nonterminal) in core.nonterminals.iter().enumerate() {
                if nonterminal.productions.iter().any(|production| derives(production, &productive)) {
                    productive.insert(number);
                }
            }
        }
        let kept = |productions: &Vec<Vec<GrammarSymbol>>| {
            productions.iter().filter(|production| derives(production, &productive)).cloned().collect()
        };
        Grammar { productions: core.nonterminals.iter().map(|nonterminal| kept(&nonterminal.productions)).collect() }
    }

    /// The word without letters.
    pub(super) fn start(&self) -> Chart {
        let first = (0..self.productions.first().map_or(0, Vec::len)).map(|production| Item {
            nonterminal: 0,
            production,
            done: 0,
            origin: 0,
        });
        let mut chart = Chart(vec![first.collect()]);
        self.complete(&mut chart);
        chart
    }

    /// The word with one more letter.
    pub(super) fn next(&self, chart: &Chart, letter: LetterId) -> Chart {
        let mut chart = chart.clone();
        let read = |item: &&Item| self.symbol(item) == Some(GrammarSymbol::Letter(letter));
        let last = chart.0.last().into_iter().flatten();
        let moved = last.filter(read).map(|item| Item { done: item.done + 1, ..*item }).collect();
        chart.0.push(moved);
        self.complete(&mut chart);
        chart
    }

    /// Returns true if the first nonterminal derives the word.
    pub(super) fn derives(&self, chart: &Chart) -> bool {
        let is_whole = |item: &Item| item.nonterminal == 0 && item.origin == 0 && self.symbol(item).is_none();
        chart.0.last().into_iter().flatten().any(is_whole)
    }

    fn symbol(&self, item: &Item) -> Option<GrammarSymbol> {
        self.productions[item.nonterminal][item.production].get(item.done).copied()
    }

    /// Adds to the last set what begins and ends there, until nothing is new.
    fn complete(&self, chart: &mut Chart) {
        let here = chart.0.len() - 1;
        loop {
            let mut new: BTreeSet<Item> = BTreeSet::new();
            for item in &chart.0[here] {
                match self.symbol(item) {
                    Some(GrammarSymbol::Nonterminal(nonterminal)) => {
                        let begun = (0..self.productions[nonterminal].len()).map(|production| Item {
                            nonterminal,
                            production,
                            done: 0,
                            origin: here,
                        });
                        new.extend(begun);
                    }
                    Some(GrammarSymbol::Letter(_)) => {}
                    None => {
                        let waits =
                            |other: &&Item| self.symbol(other) == Some(GrammarSymbol::Nonterminal(item.nonterminal));
                        let waiting = chart.0[item.origin].iter().filter(waits);
                        new.extend(waiting.map(|other| Item { done: other.done + 1, ..*other }));
                    }
                }
            }
            let before = chart.0[here].len();
            chart.0[here].extend(new);
            if chart.0[here].len() == before {
                return;
            }
        }
    }
}
