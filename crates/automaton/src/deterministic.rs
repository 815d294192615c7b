// SPDX-License-Identifier: MIT OR Apache-2.0
//! Deterministic automata over events, found by walking from state to state.
//!
//! What reads an event asks questions about it, one after the other, and only those that matter in its state. The walk answers
//! each question both ways, unless an earlier answer rules one out.

use gnomon_core::diagnostic::Span;
use gnomon_ir::pattern::{Argument, Atom};

use crate::graph::{Graph, Shape};

/// A question about an event.
#[derive(Clone, PartialEq, Debug)]
pub enum Question {
    /// Whether the atom matches it.
    Event(Atom),
    /// Whether something else is so.
    Other(String),
}

impl Question {
    /// Whether an atom matches the event. Where the atom is written makes no other question of it.
    pub fn event(atom: &Atom) -> Self {
        let mut atom = Atom { name_span: Span::default(), span: Span::default(), ..atom.clone() };
        for argument in atom.arguments.iter_mut().flatten() {
            if let Argument::Variable(variable) = argument {
                variable.span = Span::default();
            }
        }
        Question::Event(atom)
    }
}

/// Answers questions about an event.
pub type Asked<'a> = dyn FnMut(Question) -> bool + 'a;

/// What reads events one by one.
pub trait Reader {
    /// What it remembers.
    type State: Clone + PartialEq;

    /// Before the first event.
    fn initial(&self) -> Self::State;

    /// After an event. A state in which nothing changes any more is [final](Self::is_final).
    fn next(&self, state: &Self::State, asked: &mut Asked<'_>) -> Self::State;

    /// What happens when time passes: how much, and what comes of it.
    fn passing(&self, state: &Self::State) -> Option<(String, Self::State)>;

    /// Whether no event changes it.
    fn is_final(&self, state: &Self::State) -> bool;

    /// How it looks, and what stands in it.
    fn shown(&self, state: &Self::State) -> (Shape, String);
}

/// More states than this are not drawn.
const MAX_STATES: usize = 60;

/// Draws all states that can be reached. `apart` tells that no event matches both atoms, `text` how an atom is written.
pub fn graph<R: Reader>(
    reader: &R,
    title: &str,
    apart: &dyn Fn(&Atom, &Atom) -> bool,
    text: &dyn Fn(&Atom) -> String,
) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    let mut states = vec![reader.initial()];
    let mut cut = false;
    let mut at = 0;
    while let Some(state) = states.get(at).cloned() {
        let (shape, words) = reader.shown(&state);
        graph.node(shape, &words);
        let mut targets: Vec<(R::State, String)> = Vec::new();
        if !reader.is_final(&state) {
            let known =
                |answers: &[(Question, bool)], question: &Question| excluded(answers, question, apart).then_some(false);
            for (target, answers) in ways(reader, &state, &known) {
                targets.push((target, label(&answers, apart, text)));
            }
            targets.extend(reader.passing(&state).map(|(time, target)| (target, time)));
        }
        for (target, label) in targets {
            let known = states.iter().position(|known| *known == target);
            if known.is_none() && states.len() >= MAX_STATES {
                cut = true;
                continue;
            }
            let to = known.unwrap_or_else(|| {
                states.push(target);
                states.len() - 1
            });
            graph.edge(at, to, &label);
        }
        at += 1;
    }
    if let Some(first) = graph.nodes.first_mut() {
        first.initial = true;
    }
    if cut {
        graph.notes.push(format!("only {MAX_STATES} states are drawn"));
    }
    graph
}

/// The answers on the way to a state.
pub type Answers = Vec<(Question, bool)>;

/// What follows from the answers so far.
pub type Known<'a> = dyn Fn(&[(Question, bool)], &Question) -> Option<bool> + 'a;

/// Every way to answer the questions that are asked in a state, and where it leads. `known` says what follows from the answers
/// so far: such a question is not counted among them.
pub fn ways<R: Reader>(reader: &R, state: &R::State, known: &Known<'_>) -> Vec<(R::State, Answers)> {
    let mut found = Vec::new();
    // The answers to begin with; the last of them is the one that changed.
    let mut begun: Answers = Vec::new();
    loop {
        let mut answers = begun.clone();
        let target = reader.next(state, &mut |question| {
            if let Some((_, answer)) = answers.iter().find(|(known, _)| *known == question) {
                return *answer;
            }
            if let Some(answer) = known(&answers, &question) {
                return answer;
            }
            answers.push((question, true));
            true
        });
        found.push((target, answers.clone()));
        while answers.last().is_some_and(|(_, answer)| !answer) {
            answers.pop();
        }
        let Some((_, answer)) = answers.last_mut() else { return found };
        *answer = false;
        begun = answers;
    }
}

/// Whether the event matches an atom with which this question cannot be answered with yes.
fn excluded(answers: &[(Question, bool)], question: &Question, apart: &dyn Fn(&Atom, &Atom) -> bool) -> bool {
    let Question::Event(atom) = question else { return false };
    answers.iter().any(|(known, answer)| matches!(known, Question::Event(known) if *answer && apart(known, atom)))
}

fn label(answers: &[(Question, bool)], apart: &dyn Fn(&Atom, &Atom) -> bool, text: &dyn Fn(&Atom) -> String) -> String {
    let written = |question: &Question| match question {
        Question::Event(atom) => text(atom),
        Question::Other(words) => words.clone(),
    };
    let yes: Vec<&Question> = answers.iter().filter(|(_, answer)| *answer).map(|(question, _)| question).collect();
    if yes.is_empty() {
        return "any other event".to_owned();
    }
    let plain = |question: &Question| match question {
        Question::Event(atom) => yes.iter().any(|known| matches!(known, Question::Event(known) if apart(known, atom))),
        Question::Other(_) => false,
    };
    let no = answers.iter().filter(|(question, answer)| !answer && !plain(question));
    let no = no.map(|(question, _)| format!("not {}", written(question)));
    yes.iter().map(|question| written(question)).chain(no).collect::<Vec<_>>().join(", ")
}
