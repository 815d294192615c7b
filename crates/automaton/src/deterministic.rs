// SPDX-License-Identifier: MIT OR Apache-2.0
//! Determinisation: explores the states of a machine that reads events.
//!
//! An [`EventMachine`] does not see events. It asks questions about the current event, one after the other, and only
//! those that matter in its state: does the event match this atom? is it in time? [`ways`] runs the machine once for
//! every combination of answers, like a depth-first search over a binary tree, and so finds all outgoing edges of a
//! state without knowing the alphabet:
//!
//! ```text
//! state "waiting" of `b responds to a`:
//!     b? yes            -> answered
//!     b? no,  a? yes    -> waiting
//!     b? no,  a? no     -> waiting
//! ```
//!
//! An answer that follows from earlier ones is not branched over: if `a` and `b` cannot match the same event, `a? yes`
//! implies `b? no`. [`graph`](fn@graph) repeats this from the initial state until no new state is found.

use gnomon_core::list::index_of;
use gnomon_ir::atom::Atom;
use gnomon_ir::walk::{SpanEraser, WalkMut as _};

use crate::graph::{Graph, NodeShape};

/// A question about an event.
#[derive(Clone, PartialEq, Debug)]
pub enum EventQuestion {
    /// Does the event match the atom?
    Event(Atom),
    /// Another question, as text.
    Other(String),
}

impl EventQuestion {
    /// Creates the question if an event matches an atom. The source location of the atom does not matter.
    pub fn event(atom: &Atom) -> Self {
        let mut atom = atom.clone();
        SpanEraser.atom(&mut atom);
        EventQuestion::Event(atom)
    }
}

/// Answers questions about an event.
pub type Answerer<'a> = dyn FnMut(EventQuestion) -> bool + 'a;

/// A machine that reads events one by one.
pub trait EventMachine {
    /// State of the machine.
    type State: Clone + PartialEq;

    /// Before the first event.
    fn initial(&self) -> Self::State;

    /// After an event. A state in which nothing changes any more is [final](Self::is_final).
    fn next(&self, state: &Self::State, answerer: &mut Answerer<'_>) -> Self::State;

    /// Returns the transition that the passage of time causes: its label and the new state.
    fn after_deadline(&self, state: &Self::State) -> Option<(String, Self::State)>;

    /// Returns true if no event changes the state.
    fn is_final(&self, state: &Self::State) -> bool;

    /// Returns shape and text of the state in a drawing.
    fn shown(&self, state: &Self::State) -> (NodeShape, String);
}

/// More states than this are not drawn.
const MAX_STATES: usize = 60;

/// Draws all reachable states. `apart` returns true if no event matches both atoms, `text` returns an atom as written.
pub fn graph<R: EventMachine>(
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
            let known = |answers: &[(EventQuestion, bool)], question: &EventQuestion| {
                excluded(answers, question, apart).then_some(false)
            };
            for (target, answers) in ways(reader, &state, &known) {
                targets.push((target, label(&answers, apart, text)));
            }
            targets.extend(reader.after_deadline(&state).map(|(time, target)| (target, time)));
        }
        for (target, label) in targets {
            if states.len() >= MAX_STATES && !states.contains(&target) {
                cut = true;
                continue;
            }
            graph.edge(at, index_of(&mut states, target), &label);
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
pub type EventAnswers = Vec<(EventQuestion, bool)>;

/// Infers the answer to a question from earlier answers, if they determine it.
pub type Inference<'a> = dyn Fn(&[(EventQuestion, bool)], &EventQuestion) -> Option<bool> + 'a;

/// Every way to answer the questions that are asked in a state, and where it leads. `known` says what follows from the answers
/// so far: such a question is not counted among them.
pub fn ways<R: EventMachine>(reader: &R, state: &R::State, known: &Inference<'_>) -> Vec<(R::State, EventAnswers)> {
    let mut found = Vec::new();
    // The answers to begin with; the last of them is the one that changed.
    let mut begun: EventAnswers = Vec::new();
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

/// Returns true if the event matches an atom that excludes a positive answer to this question.
fn excluded(answers: &[(EventQuestion, bool)], question: &EventQuestion, apart: &dyn Fn(&Atom, &Atom) -> bool) -> bool {
    let EventQuestion::Event(atom) = question else { return false };
    answers.iter().any(|(known, answer)| matches!(known, EventQuestion::Event(known) if *answer && apart(known, atom)))
}

fn label(
    answers: &[(EventQuestion, bool)],
    apart: &dyn Fn(&Atom, &Atom) -> bool,
    text: &dyn Fn(&Atom) -> String,
) -> String {
    let written = |question: &EventQuestion| match question {
        EventQuestion::Event(atom) => text(atom),
        EventQuestion::Other(words) => words.clone(),
    };
    let yes: Vec<&EventQuestion> = answers.iter().filter(|(_, answer)| *answer).map(|(question, _)| question).collect();
    if yes.is_empty() {
        return "any other event".to_owned();
    }
    let plain = |question: &EventQuestion| match question {
        EventQuestion::Event(atom) => {
            yes.iter().any(|known| matches!(known, EventQuestion::Event(known) if apart(known, atom)))
        }
        EventQuestion::Other(_) => false,
    };
    let no = answers.iter().filter(|(question, answer)| !answer && !plain(question));
    let no = no.map(|(question, _)| format!("not {}", written(question)));
    yes.iter().map(|question| written(question)).chain(no).collect::<Vec<_>>().join(", ")
}
