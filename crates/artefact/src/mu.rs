// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns in the modal mu-calculus.
//!
//! Where a finite beginning of a trace shows that the pattern is violated, the formula says which beginnings must not be:
//! `mu` monitors it. Elsewhere a least fixpoint says what has to come; a trace that ends without it, as a run that gets stuck
//! does, violates the formula.

mod clause;
mod formula;
mod word;

use std::fmt::Write as _;

use gnomon_ir::modal::{Modal, Regular, Sort, Sorted};
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::ScopeKind;
use gnomon_ir::spec::{Body, Property, Spec};

use crate::cell::Cell;
use crate::refusal::Refusal;
use clause::{Clause, Owed, clauses, unpaid};
use formula::State;
use word::Word;

/// The sort of variables: what values they have is for the reader of the formula to say.
pub(crate) const SORT: &str = "Data";

/// A property in the mu-calculus.
#[derive(Clone, PartialEq, Debug)]
pub struct MuText {
    /// The formula that `mu` can monitor, if it is of that part of the calculus.
    pub modal: Option<Modal>,
    /// The formula in the notation of mCRL2.
    pub text: String,
    /// What a reader has to know of it.
    pub note: Option<String>,
}

impl MuText {
    /// The formula as a file of its own, the note as a comment before it.
    pub fn file(&self) -> String {
        let note = self.note.as_ref().map_or(String::new(), |note| format!("% {note}\n"));
        format!("{note}{}\n", self.text)
    }
}

/// The property in the mu-calculus.
pub fn mu(spec: &Spec, property: &Property) -> Result<MuText, Refusal> {
    if let Body::Modal(modal) = &property.body {
        return Ok(MuText { text: gnomon_lang::mu::print_modal(modal), modal: Some(modal.clone()), note: None });
    }
    let cell = Cell::of(spec, property, "has no translation to the mu-calculus")?;
    let inside = Inside::of(&cell);
    let parts: Vec<State> = clauses(&inside)?.iter().filter_map(|clause| inside.stated(clause)).collect();
    if parts.is_empty() {
        return Err(Refusal::new("every trace satisfies it, so there is nothing to watch"));
    }
    let state = State::all(parts);
    let mut text = String::new();
    for variable in &cell.variables {
        let _ = write!(text, "forall {}:{SORT}. ", variable.name);
    }
    if cell.variables.is_empty() || !matches!(state, State::All(_)) {
        state.write(&mut text);
    } else {
        text.push('(');
        state.write(&mut text);
        text.push(')');
    }
    let modal = state.modal().map(|modal| {
        cell.variables.iter().rev().fold(modal, |modal, variable| {
            let sorted = Sorted { variable: variable.clone(), sort: Sort::Any, sort_name: SORT.to_owned() };
            Modal::Forall(sorted, Box::new(modal))
        })
    });
    Ok(MuText { note: note(&cell, modal.is_some()), modal, text })
}

fn note(cell: &Cell<'_>, monitored: bool) -> Option<String> {
    let mut notes = Vec::new();
    if !monitored {
        notes.push("No finite beginning of a trace shows every violation: a model checker decides the formula over all runs, a monitor decides the pattern when a trace ends.".to_owned());
    }
    if cell.atoms().iter().any(|atom| atom.condition.is_some()) {
        notes.push(
            "mCRL2 has no conditions in brackets on actions: there, make the event an action of its own.".to_owned(),
        );
    }
    if !cell.variables.is_empty() {
        notes.push(format!("`{SORT}` stands for the sort of the parameter."));
    }
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// A segment and its surroundings.
struct Inside<'c, 's> {
    cell: &'c Cell<'s>,
    /// What an event of the segment is not.
    ends: Vec<&'c Atom>,
}

impl<'c, 's> Inside<'c, 's> {
    fn of(cell: &'c Cell<'s>) -> Self {
        let restarts = cell.opens.as_ref().filter(|_| cell.scope.restarts());
        Inside { cell, ends: restarts.into_iter().chain(&cell.closes).collect() }
    }

    /// An event of the segment that matches all of these and none of those.
    fn letter(&self, has: &[&Atom], lacks: &[&Atom]) -> Word {
        let lacks: Vec<&Atom> = lacks.iter().chain(&self.ends).copied().collect();
        Word::letter(self.cell, has, &lacks)
    }

    /// What leads to the beginning of a segment.
    fn before(&self, anywhere: bool) -> Word {
        let cell = self.cell;
        let Some(opens) = &cell.opens else { return Word::Nil };
        let closes: Vec<&Atom> = cell.closes.iter().collect();
        let open = || Word::letter(cell, &[opens], &closes);
        let any = || Word::letter(cell, &[], &[]);
        match cell.scope {
            ScopeKind::After => Word::letter(cell, &[], &[opens]).star().then(open()),
            _ if anywhere || cell.scope.restarts() => any().star().then(open()),
            _ => {
                // Whole segments, and what is between them.
                let both =
                    closes.iter().fold(Word::None, |word, close| word.or(Word::letter(cell, &[opens, close], &[])));
                let idle = || Word::letter(cell, &[], &[opens]).or(both.clone()).star();
                let close = || closes.iter().fold(Word::None, |word, close| word.or(Word::letter(cell, &[close], &[])));
                let segment = open().then(Word::letter(cell, &[], &closes).star()).then(close());
                idle().then(segment).star().then(idle()).then(open())
            }
        }
    }

    /// What a clause says of a trace; `None` if it says nothing.
    fn stated(&self, clause: &Clause<'c>) -> Option<State> {
        let cell = self.cell;
        let word = self.before(clause.anywhere).then(clause.word.clone());
        let closes: Vec<&Atom> = cell.closes.iter().collect();
        if cell.scope.needs_end() {
            let rest = match &clause.owed {
                Some(owed) => unpaid(self, owed),
                None => self.letter(&[], &[]).star(),
            };
            let close = Word::letter(cell, &closes, &[]);
            return Some(State::After(word.then(rest).then(close).regular()?, Box::new(State::False)));
        }
        let then = match (&clause.owed, &cell.opens) {
            (Some(owed), _) => self.inevitable(owed),
            // Forgotten if the segment starts anew.
            (None, Some(opens)) if cell.scope.restarts() => {
                Inside { cell, ends: closes }.inevitable(&Owed { chain: vec![opens], without: None })
            }
            (None, _) => State::False,
        };
        Some(match word.regular()? {
            Regular::Nil => then,
            regular => State::After(regular, Box::new(then)),
        })
    }

    /// What is owed comes before the segment ends.
    fn inevitable(&self, owed: &Owed<'c>) -> State {
        self.after_step(owed, 0)
    }

    /// The first `done` steps have come.
    fn after_step(&self, owed: &Owed<'c>, done: usize) -> State {
        let Some(step) = owed.chain.get(done).copied() else { return State::Goes };
        let is_last = done + 1 == owed.chain.len();
        let spoiler = owed.without.filter(|_| done > 0);
        let mut parts = vec![State::Goes];
        let mut after = |word: Word, then: State| {
            parts.extend(word.regular().map(|regular| State::After(regular, Box::new(then))));
        };
        if let Some(close) = &self.cell.closes {
            after(Word::letter(self.cell, &[close], &[]), State::False);
        }
        let waits: Vec<&Atom> = std::iter::once(step).chain(spoiler).collect();
        after(self.letter(&[], &waits), State::Again(done));
        if !is_last {
            let lacks: Vec<&Atom> = spoiler.into_iter().collect();
            after(self.letter(&[step], &lacks), self.after_step(owed, done + 1));
        }
        if let (Some(spoiler), Some(first)) = (spoiler, owed.chain.first().copied()) {
            let unless_done: &[&Atom] = if is_last { &[step] } else { &[] };
            let lacks: Vec<&Atom> = unless_done.iter().copied().chain([first]).collect();
            after(self.letter(&[spoiler], &lacks), State::Again(0));
            after(self.letter(&[spoiler, first], unless_done), State::Again(1));
        }
        State::Least(done, Box::new(State::all(parts)))
    }
}
