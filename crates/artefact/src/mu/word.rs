// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regular sets of words over events, simplified where events are impossible.

use gnomon_core::list::unique;
use gnomon_ir::{ActionFormula, Atom, DataCondition, RegularFormula};

use crate::prepared_pattern::PreparedPattern;

/// Set of words; `None` is the empty set.
#[derive(Clone)]
pub(super) struct WordSet(pub(super) Option<RegularFormula>);

impl WordSet {
    pub(super) const NONE: WordSet = WordSet(None);
    /// The empty word.
    pub(super) const NIL: WordSet = WordSet(Some(RegularFormula::Nil));

    /// Returns the events that match all atoms of `has` and none of `lacks`, without redundant atoms.
    pub(super) fn letter(prepared: &PreparedPattern<'_>, has: &[&Atom], lacks: &[&Atom]) -> WordSet {
        let impossible = has
            .iter()
            .enumerate()
            .any(|(index, one)| lacks.contains(one) || has[index + 1..].iter().any(|other| prepared.apart(one, other)));
        if impossible {
            return WordSet::NONE;
        }
        let possible = lacks.iter().copied().filter(|atom| !has.iter().any(|one| prepared.apart(one, atom)));
        let has = joined(has.iter().copied(), ActionFormula::And);
        let lacks = joined(possible, ActionFormula::Or).map(|any| ActionFormula::Not(Box::new(any)));
        let both = has.into_iter().chain(lacks).reduce(|has, lacks| ActionFormula::And(Box::new(has), Box::new(lacks)));
        let any = ActionFormula::Data(DataCondition::Constant(true));
        WordSet(Some(RegularFormula::Action(both.unwrap_or(any))))
    }

    pub(super) fn then(self, next: WordSet) -> WordSet {
        let (Some(word), Some(next)) = (self.0, next.0) else { return WordSet::NONE };
        WordSet(Some(sequence(word, next)))
    }

    pub(super) fn or(self, other: WordSet) -> WordSet {
        let both = [self.0, other.0].into_iter().flatten();
        WordSet(both.reduce(|word, other| RegularFormula::Or(Box::new(word), Box::new(other))))
    }

    pub(super) fn star(self) -> WordSet {
        match self.0 {
            None | Some(RegularFormula::Nil) => WordSet::NIL,
            Some(word) => WordSet(Some(RegularFormula::Star(Box::new(word)))),
        }
    }
}

/// Joins atoms, each once; `None` if there are none.
fn joined<'a>(
    atoms: impl Iterator<Item = &'a Atom>,
    both: fn(Box<ActionFormula>, Box<ActionFormula>) -> ActionFormula,
) -> Option<ActionFormula> {
    let events = unique(atoms).into_iter().map(|atom| ActionFormula::Event(atom.clone()));
    events.reduce(|left, right| both(Box::new(left), Box::new(right)))
}

fn sequence(word: RegularFormula, next: RegularFormula) -> RegularFormula {
    match (word, next) {
        (RegularFormula::Nil, word) | (word, RegularFormula::Nil) => word,
        // Left-associative, as sequences are parsed.
        (word, RegularFormula::Then(first, second)) => sequence(sequence(word, *first), *second),
        (word, next) => RegularFormula::Then(Box::new(word), Box::new(next)),
    }
}
