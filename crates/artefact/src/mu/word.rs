// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of words over events, written without what is plainly impossible.

use gnomon_ir::modal::{Action, Data, Regular};
use gnomon_ir::pattern::Atom;

use crate::cell::Cell;

/// A regular set of words.
#[derive(Clone)]
pub(super) enum Word {
    /// No word.
    None,
    /// The empty word.
    Nil,
    /// One event.
    One(Letter),
    Then(Box<Word>, Box<Word>),
    Or(Box<Word>, Box<Word>),
    Star(Box<Word>),
}

/// An event that matches all of these atoms and none of those.
#[derive(Clone, PartialEq)]
pub(super) struct Letter {
    has: Vec<Atom>,
    lacks: Vec<Atom>,
}

impl Word {
    /// Events that match all of these atoms and none of those; what cannot be otherwise is left out.
    pub(super) fn letter(cell: &Cell<'_>, has: &[&Atom], lacks: &[&Atom]) -> Word {
        let impossible = has
            .iter()
            .enumerate()
            .any(|(index, one)| lacks.contains(one) || has[index + 1..].iter().any(|other| cell.apart(one, other)));
        if impossible {
            return Word::None;
        }
        let mut letter = Letter { has: vec![], lacks: vec![] };
        for atom in has {
            if !letter.has.contains(atom) {
                letter.has.push((*atom).clone());
            }
        }
        for atom in lacks {
            if !letter.lacks.contains(atom) && !has.iter().any(|one| cell.apart(one, atom)) {
                letter.lacks.push((*atom).clone());
            }
        }
        Word::One(letter)
    }

    pub(super) fn then(self, next: Word) -> Word {
        match (self, next) {
            (Word::None, _) | (_, Word::None) => Word::None,
            (Word::Nil, word) | (word, Word::Nil) => word,
            // To the left, as sequences without parentheses are read.
            (word, Word::Then(first, second)) => word.then(*first).then(*second),
            (word, next) => Word::Then(Box::new(word), Box::new(next)),
        }
    }

    pub(super) fn or(self, other: Word) -> Word {
        match (self, other) {
            (Word::None, word) | (word, Word::None) => word,
            (word, other) => Word::Or(Box::new(word), Box::new(other)),
        }
    }

    pub(super) fn star(self) -> Word {
        match self {
            Word::None | Word::Nil => Word::Nil,
            word => Word::Star(Box::new(word)),
        }
    }

    /// The same as a formula; `None` if there is no word.
    pub(super) fn regular(&self) -> Option<Regular> {
        Some(match self {
            Word::None => return None,
            Word::Nil => Regular::Nil,
            Word::One(letter) => Regular::Action(letter.action()),
            Word::Then(first, second) => Regular::Then(Box::new(first.regular()?), Box::new(second.regular()?)),
            Word::Or(left, right) => Regular::Or(Box::new(left.regular()?), Box::new(right.regular()?)),
            Word::Star(of) => Regular::Star(Box::new(of.regular()?)),
        })
    }
}

impl Letter {
    fn action(&self) -> Action {
        let event = |atom: &Atom| Action::Event(atom.clone());
        let both = |left, right| Action::And(Box::new(left), Box::new(right));
        let has = self.has.iter().map(event).reduce(both);
        let lacks = self.lacks.iter().map(event).reduce(|left, right| Action::Or(Box::new(left), Box::new(right)));
        match (has, lacks.map(|any| Action::Not(Box::new(any)))) {
            (Some(has), Some(lacks)) => both(has, lacks),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => Action::Data(Data::Constant(true)),
        }
    }
}
