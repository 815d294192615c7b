// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae without data as tables: the sets of rests that events lead to, numbered.

use std::collections::BTreeSet;

use gnomon_ir::core::{ActionFormula, DataCore};
use rustc_hash::FxHashMap;

use super::words::Words;

/// The most atoms: there is a column for each set of them.
const MOST_ATOMS: usize = 8;
const MOST_SETS: usize = 1_000;

/// The number of a set of rests.
pub(super) type Set = u16;

#[derive(Clone, Debug)]
pub(super) struct Table {
    next: Vec<Set>,
    letters: usize,
    /// For each set, whether it is a violation to have come there.
    pub(super) breaks: Vec<bool>,
    /// For each set, its rests, a bit for each.
    pub(super) members: Vec<u64>,
    /// The rests that something can follow, a bit for each.
    movers: u64,
    /// For each set, whether events that match nothing do nothing, there and wherever it leads.
    pub(super) rests: Vec<bool>,
    /// For each set, whether the same letters may come next as at the beginning.
    pub(super) like_first: Vec<bool>,
    /// For each set, whether none may.
    pub(super) over: Vec<bool>,
}

impl Table {
    pub(super) const INITIAL: Set = 0;

    /// `None` if something but the matching atoms decides, or if the table would be large.
    pub(super) fn new(words: &Words, words_letters: &[BTreeSet<usize>], atoms: usize) -> Option<Self> {
        let breaches = words.breaches.iter().flatten();
        let plain =
            breaches.clone().all(|breach| breach.given.is_empty() && breach.broken == DataCore::Constant(false))
                && words.actions.iter().all(is_plain);
        if !plain || atoms > MOST_ATOMS || words.moves.len() > 64 {
            return None;
        }
        let letters = 1_usize << atoms;
        let enabled: Vec<Vec<bool>> =
            (0..letters).map(|letter| words.actions.iter().map(|action| holds(action, letter)).collect()).collect();
        let initial = words.initial.iter().fold(0_u64, |set, rest| set | 1 << rest);
        let mut members = vec![initial];
        let mut numbers: FxHashMap<u64, Set> = FxHashMap::from_iter([(initial, Self::INITIAL)]);
        let mut next = Vec::new();
        let mut at = 0;
        while let Some(&set) = members.get(at) {
            for enabled in &enabled {
                let after = after(words, set, enabled);
                let number = *numbers.entry(after).or_insert(members.len() as Set);
                if number as usize == members.len() {
                    members.push(after);
                }
                next.push(number);
            }
            if members.len() > MOST_SETS {
                return None;
            }
            at += 1;
        }
        let broken = words.breaches.iter().enumerate().filter(|(_, breaches)| !breaches.is_empty());
        let broken = broken.fold(0_u64, |set, (rest, _)| set | 1 << rest);
        let breaks: Vec<bool> = members.iter().map(|set| set & broken != 0).collect();
        let movers = words.moves.iter().enumerate().filter(|(_, moves)| !moves.is_empty());
        let movers = movers.fold(0_u64, |set, (rest, _)| set | 1 << rest);
        let next_letters = |set: u64| {
            let own = (0..64).filter(|rest| set >> rest & 1 == 1);
            own.flat_map(|rest: usize| words_letters[rest].iter().copied()).collect::<BTreeSet<usize>>()
        };
        let first = next_letters(initial);
        let like_first = members.iter().map(|set| next_letters(*set) == first).collect();
        let over = members.iter().map(|set| next_letters(*set).is_empty()).collect();
        let mut table = Table { next, letters, breaks, members, movers, rests: vec![], like_first, over };
        table.rests = table.resting();
        Some(table)
    }

    #[inline]
    pub(super) fn step(&self, set: Set, letter: usize) -> Set {
        self.next.get(set as usize * self.letters + letter).copied().unwrap_or(set)
    }

    /// Whether events that match nothing do nothing, once the first event has come.
    pub(super) fn rests_after_first(&self) -> bool {
        (0..self.letters).all(|letter| self.rests[self.step(Self::INITIAL, letter) as usize])
    }

    /// A set rests if it stays where it is without breaking anything, and all that it leads to do.
    fn resting(&self) -> Vec<bool> {
        let count = self.members.len();
        // What nothing can follow is gone with the next event, whichever it is.
        let going_on = |set: usize| self.members[set] & self.movers;
        let mut rests: Vec<bool> = (0..count)
            .map(|set| {
                let next = self.step(set as Set, 0) as usize;
                going_on(next) == going_on(set) && !self.breaks[next]
            })
            .collect();
        loop {
            let still: Vec<bool> = (0..count)
                .map(|set| rests[set] && (0..self.letters).all(|letter| rests[self.step(set as Set, letter) as usize]))
                .collect();
            if still == rests {
                return rests;
            }
            rests = still;
        }
    }
}

fn after(words: &Words, set: u64, enabled: &[bool]) -> u64 {
    let own = (0..64).filter(|rest| set >> rest & 1 == 1);
    let moves = own.flat_map(|rest| &words.moves[rest]).filter(|one| enabled[one.action]);
    moves.fold(0, |set, one| set | 1 << one.to)
}

/// Whether nothing but the matching atoms decides.
fn is_plain(action: &ActionFormula) -> bool {
    match action {
        ActionFormula::Event(_) | ActionFormula::Data(DataCore::Constant(_)) => true,
        ActionFormula::Data(_) | ActionFormula::Quantified(..) => false,
        ActionFormula::Not(of) => is_plain(of),
        ActionFormula::And(left, right) | ActionFormula::Or(left, right) => is_plain(left) && is_plain(right),
    }
}

fn holds(action: &ActionFormula, letter: usize) -> bool {
    match action {
        ActionFormula::Event(atom) => letter >> atom.0 & 1 == 1,
        ActionFormula::Data(data) => *data == DataCore::Constant(true),
        ActionFormula::Not(of) => !holds(of, letter),
        ActionFormula::And(left, right) => holds(left, letter) && holds(right, letter),
        ActionFormula::Or(left, right) => holds(left, letter) || holds(right, letter),
        ActionFormula::Quantified(..) => false,
    }
}
