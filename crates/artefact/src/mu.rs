// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates patterns to the modal mu-calculus.
//!
//! Where a finite prefix of a trace shows that the pattern is violated, the formula forbids these prefixes, and `mu` can monitor it.
//! Elsewhere a least fixpoint requires events to come; a trace that ends without them, like a run that deadlocks, violates the formula.

mod clause;
mod formula;
mod word;

use std::fmt::Write as _;

use gnomon_ir::{
    Argument, Atom, Body, ModalFormula, Property, RegularFormula, ScopeKind, Sort, SortedVariable, Spec, Variable,
};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;
use clause::{RequiredChain, SegmentClause, clauses, words_without};
use formula::StateFormula;
use word::WordSet;

/// The sort of variables, which the reader of the formula defines.
pub(crate) const SORT: &str = "Data";

/// A property in the mu-calculus.
#[derive(Clone, PartialEq, Debug)]
pub struct MuText {
    /// The formula for `mu`, if it is in the part of the calculus that can be monitored.
    pub modal: Option<ModalFormula>,
    /// The formula in the notation of mCRL2.
    pub text: String,
    /// Remarks for the reader of the formula.
    pub note: Option<String>,
}

impl MuText {
    /// Returns the text of a file with the formula, preceded by the note as a comment.
    pub fn file(&self) -> String {
        let note = self.note.as_ref().map_or(String::new(), |note| format!("% {note}\n"));
        format!("{note}{}\n", self.text)
    }
}

/// Translates a property to the mu-calculus.
pub fn mu(spec: &Spec, property: &Property) -> Result<MuText, Refusal> {
    if let Body::Modal(modal) = &property.body {
        return Ok(MuText { text: gnomon_lang::mu::print_modal(modal), modal: Some(modal.clone()), note: None });
    }
    let prepared = PreparedPattern::of(spec, property, "has no translation to the mu-calculus")?;
    let inside = SegmentWords::of(&prepared);
    let parts: Vec<StateFormula> = clauses(&inside)?.iter().filter_map(|clause| inside.stated(clause)).collect();
    if parts.is_empty() {
        return Err(Refusal::new("every trace satisfies it, so there is nothing to monitor"));
    }
    let state = StateFormula::all(parts);
    let mut text = String::new();
    for variable in &prepared.variables {
        let _ = write!(text, "forall {}:{SORT}. ", variable.name);
    }
    if prepared.variables.is_empty() || !matches!(state, StateFormula::All(_)) {
        state.write(&mut text);
    } else {
        state.write_part(&mut text);
    }
    // A variable that no word mentions has no values there, and nothing would be asked.
    let modal = state.modal().filter(|modal| prepared.variables.iter().all(|variable| mentions(modal, variable)));
    let modal = modal.map(|modal| {
        prepared.variables.iter().rev().fold(modal, |modal, variable| {
            let sorted = SortedVariable { variable: variable.clone(), sort: Sort::Any, sort_name: SORT.to_owned() };
            ModalFormula::Forall(sorted, Box::new(modal))
        })
    });
    Ok(MuText { note: note(&prepared, modal.is_some()), modal, text })
}

/// Returns true if an atom of a formula mentions a variable.
fn mentions(modal: &ModalFormula, variable: &Variable) -> bool {
    let is_it = |argument: &Argument| matches!(argument, Argument::Variable(other) if other.name == variable.name);
    modal.atoms().iter().any(|atom| atom.arguments.iter().flatten().any(is_it))
}

fn note(prepared: &PreparedPattern<'_>, monitored: bool) -> Option<String> {
    let mut notes = Vec::new();
    if !monitored {
        notes.push("No finite beginning of a trace shows every violation: a model checker decides the formula over all runs, a monitor decides the pattern when a trace ends.".to_owned());
    }
    if prepared.atoms().iter().any(|atom| atom.condition.is_some()) {
        notes.push(
            "mCRL2 has no conditions in brackets on actions: there, make the event an action of its own.".to_owned(),
        );
    }
    if !prepared.variables.is_empty() {
        notes.push(format!("`{SORT}` stands for the sort of the parameter."));
    }
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// A segment and its surroundings.
struct SegmentWords<'c, 's> {
    prepared: &'c PreparedPattern<'s>,
    /// Atoms that no event of the segment matches.
    ends: Vec<&'c Atom>,
}

impl<'c, 's> SegmentWords<'c, 's> {
    fn of(prepared: &'c PreparedPattern<'s>) -> Self {
        let restarts = prepared.opens.as_ref().filter(|_| prepared.scope.restarts());
        SegmentWords { prepared, ends: restarts.into_iter().chain(&prepared.closes).collect() }
    }

    /// Returns the events of the segment that match all atoms of `has` and none of `lacks`.
    fn letter(&self, has: &[&Atom], lacks: &[&Atom]) -> WordSet {
        let lacks: Vec<&Atom> = lacks.iter().chain(&self.ends).copied().collect();
        WordSet::letter(self.prepared, has, &lacks)
    }

    /// Returns the words that lead to the beginning of a segment.
    fn before(&self, anywhere: bool) -> WordSet {
        let prepared = self.prepared;
        let Some(opens) = &prepared.opens else { return WordSet::NIL };
        let closes: Vec<&Atom> = prepared.closes.iter().collect();
        let open = || WordSet::letter(prepared, &[opens], &closes);
        let any = || WordSet::letter(prepared, &[], &[]);
        match prepared.scope {
            ScopeKind::After => WordSet::letter(prepared, &[], &[opens]).star().then(open()),
            _ if anywhere || prepared.scope.restarts() => any().star().then(open()),
            _ => {
                // Complete segments, and the events between them.
                let both = closes
                    .iter()
                    .fold(WordSet::NONE, |word, close| word.or(WordSet::letter(prepared, &[opens, close], &[])));
                let idle = || WordSet::letter(prepared, &[], &[opens]).or(both.clone()).star();
                let close = || {
                    closes.iter().fold(WordSet::NONE, |word, close| word.or(WordSet::letter(prepared, &[close], &[])))
                };
                let segment = open().then(WordSet::letter(prepared, &[], &closes).star()).then(close());
                idle().then(segment).star().then(idle()).then(open())
            }
        }
    }

    /// Returns the formula of a clause; `None` if it is true of every trace.
    fn stated(&self, clause: &SegmentClause<'c>) -> Option<StateFormula> {
        let prepared = self.prepared;
        let word = self.before(clause.anywhere).then(clause.word.clone());
        let closes: Vec<&Atom> = prepared.closes.iter().collect();
        if prepared.scope.needs_end() {
            let rest = match &clause.must_follow {
                Some(required) => words_without(self, required),
                None => self.letter(&[], &[]).star(),
            };
            let close = WordSet::letter(prepared, &closes, &[]);
            return Some(StateFormula::After(word.then(rest).then(close).0?, Box::new(StateFormula::False)));
        }
        let then = match (&clause.must_follow, &prepared.opens) {
            (Some(required), _) => self.inevitable(required),
            // A restart of the segment cancels the violation.
            (None, Some(opens)) if prepared.scope.restarts() => {
                SegmentWords { prepared, ends: closes }.inevitable(&RequiredChain { chain: vec![opens], without: None })
            }
            (None, _) => StateFormula::False,
        };
        Some(match word.0? {
            RegularFormula::Nil => then,
            regular => StateFormula::After(regular, Box::new(then)),
        })
    }

    /// Returns a formula for: the required events come before the segment ends.
    fn inevitable(&self, required: &RequiredChain<'c>) -> StateFormula {
        self.after_step(required, 0)
    }

    /// Returns the formula after the first `done` required events.
    fn after_step(&self, required: &RequiredChain<'c>, done: usize) -> StateFormula {
        let Some(step) = required.chain.get(done).copied() else { return StateFormula::Goes };
        let is_last = done + 1 == required.chain.len();
        let excluded = required.without.filter(|_| done > 0);
        let mut parts = vec![StateFormula::Goes];
        let mut after = |word: WordSet, then: StateFormula| {
            parts.extend(word.0.map(|regular| StateFormula::After(regular, Box::new(then))));
        };
        if let Some(close) = &self.prepared.closes {
            after(WordSet::letter(self.prepared, &[close], &[]), StateFormula::False);
        }
        let waits: Vec<&Atom> = std::iter::once(step).chain(excluded).collect();
        after(self.letter(&[], &waits), StateFormula::Again(done));
        if !is_last {
            let lacks: Vec<&Atom> = excluded.into_iter().collect();
            after(self.letter(&[step], &lacks), self.after_step(required, done + 1));
        }
        if let (Some(excluded), Some(first)) = (excluded, required.chain.first().copied()) {
            let unless_done: &[&Atom] = if is_last { &[step] } else { &[] };
            let lacks: Vec<&Atom> = unless_done.iter().copied().chain([first]).collect();
            after(self.letter(&[excluded], &lacks), StateFormula::Again(0));
            after(self.letter(&[excluded, first], unless_done), StateFormula::Again(1));
        }
        StateFormula::Least(done, Box::new(StateFormula::all(parts)))
    }
}
