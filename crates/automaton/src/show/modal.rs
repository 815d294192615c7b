// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automaton of a formula of the mu-calculus, as a graph: which parts of which words may come next.

use gnomon_ir::modal::{Action, Data, Modal, Regular};
use gnomon_ir::pattern::Atom;
use gnomon_ir::spec::Spec;

use crate::deterministic::{self, Asked, Question, Reader};
use crate::graph::{Graph, Shape};

/// Draws the automaton that watches a formula for one binding, up to its first violation; `text` tells how an atom is
/// written.
pub fn modal(spec: &Spec, modal: &Modal, title: &str, text: &dyn Fn(&Atom) -> String) -> Graph {
    let apart = |left: &Atom, right: &Atom| spec.apart(left, right);
    let mut graph = deterministic::graph(&Words { modal }, title, &apart, text);
    graph
        .notes
        .push("a state is what may still come of the words; red: a word in front of a false is complete".to_owned());
    graph
}

struct Words<'m> {
    modal: &'m Modal,
}

/// What may follow: parts to be read one after the other, and the formula behind them.
#[derive(Clone, PartialEq)]
struct Rest<'m> {
    parts: Vec<Part<'m>>,
    then: &'m Modal,
}

#[derive(Clone, Copy, PartialEq)]
enum Part<'m> {
    Whole(&'m Regular),
    /// Any number of times.
    Again(&'m Regular),
}

/// What may follow each beginning; `None` once a word is complete in front of a false.
type Rests<'m> = Option<Vec<Rest<'m>>>;

impl<'m> Words<'m> {
    /// What a formula waits for; `false` if it is violated as it stands.
    fn begin(formula: &'m Modal, waiting: &mut Vec<Rest<'m>>, asked: &mut Asked<'_>) -> bool {
        match formula {
            Modal::Data(data, _) => holds(data, asked),
            Modal::Forall(_, of) => Self::begin(of, waiting, asked),
            Modal::And(left, right) => Self::begin(left, waiting, asked) && Self::begin(right, waiting, asked),
            Modal::Implies(data, of) => !holds(data, asked) || Self::begin(of, waiting, asked),
            Modal::Box { regular, then, .. } => {
                Self::open(Rest { parts: vec![Part::Whole(regular)], then }, waiting, asked)
            }
        }
    }

    /// Takes apart what is in front until it is one event.
    fn open(rest: Rest<'m>, waiting: &mut Vec<Rest<'m>>, asked: &mut Asked<'_>) -> bool {
        let mut pending = vec![rest];
        let mut seen: Vec<Rest<'m>> = Vec::new();
        while let Some(rest) = pending.pop() {
            if seen.contains(&rest) {
                continue;
            }
            seen.push(rest.clone());
            let Rest { mut parts, then } = rest.clone();
            let Some(first) = parts.pop() else {
                if !Self::begin(then, waiting, asked) {
                    return false;
                }
                continue;
            };
            let mut with = |more: &[Part<'m>]| {
                let parts = parts.iter().chain(more).copied().collect();
                pending.push(Rest { parts, then });
            };
            match first {
                Part::Whole(Regular::Action(_)) => {
                    if !waiting.contains(&rest) {
                        waiting.push(rest);
                    }
                }
                Part::Whole(Regular::Nil) => with(&[]),
                Part::Whole(Regular::Then(left, right)) => with(&[Part::Whole(right), Part::Whole(left)]),
                Part::Whole(Regular::Or(left, right)) => {
                    with(&[Part::Whole(left)]);
                    with(&[Part::Whole(right)]);
                }
                Part::Whole(Regular::Star(of)) => with(&[Part::Again(of)]),
                Part::Whole(Regular::Plus(of)) => with(&[Part::Again(of), Part::Whole(of)]),
                Part::Again(of) => {
                    with(&[]);
                    with(&[Part::Again(of), Part::Whole(of)]);
                }
            }
        }
        true
    }
}

impl<'m> Reader for Words<'m> {
    type State = Rests<'m>;

    fn initial(&self) -> Rests<'m> {
        let mut waiting = Vec::new();
        // What is true of a binding is not known before the first event.
        Self::begin(self.modal, &mut waiting, &mut |_| true).then_some(waiting)
    }

    fn next(&self, state: &Rests<'m>, asked: &mut Asked<'_>) -> Rests<'m> {
        let mut waiting = Vec::new();
        for rest in state.as_ref()? {
            let Rest { mut parts, then } = rest.clone();
            let Some(Part::Whole(Regular::Action(action))) = parts.pop() else { continue };
            if matches(action, asked) && !Self::open(Rest { parts, then }, &mut waiting, asked) {
                return None;
            }
        }
        Some(waiting)
    }

    fn passing(&self, _state: &Rests<'m>) -> Option<(String, Rests<'m>)> {
        None
    }

    fn is_final(&self, state: &Rests<'m>) -> bool {
        state.as_ref().is_none_or(Vec::is_empty)
    }

    fn shown(&self, state: &Rests<'m>) -> (Shape, String) {
        match state {
            None => (Shape::Rejecting, "violated".to_owned()),
            Some(rests) if rests.is_empty() => (Shape::Accepting, "no word can come any more".to_owned()),
            Some(rests) => {
                let number = rests.len();
                (Shape::Accepting, format!("{number} way{} on", if number == 1 { "" } else { "s" }))
            }
        }
    }
}

fn matches(action: &Action, asked: &mut Asked<'_>) -> bool {
    match action {
        Action::Event(atom) => asked(Question::event(atom)),
        Action::Data(data) => holds(data, asked),
        Action::Not(of) => !matches(of, asked),
        Action::And(left, right) => matches(left, asked) && matches(right, asked),
        Action::Or(left, right) => matches(left, asked) || matches(right, asked),
        Action::Quantified(_, sorted, of) => {
            let mut events = Vec::new();
            named(of, &mut events);
            asked(Question::Other(format!("{} for the {} asked for", events.join(" or "), sorted.variable.name)))
        }
    }
}

/// The names of the events of an action formula.
fn named(action: &Action, names: &mut Vec<String>) {
    match action {
        Action::Event(atom) => names.push(atom.name.clone()),
        Action::Data(_) => {}
        Action::Not(of) | Action::Quantified(_, _, of) => named(of, names),
        Action::And(left, right) | Action::Or(left, right) => {
            named(left, names);
            named(right, names);
        }
    }
}

fn holds(data: &Data, asked: &mut Asked<'_>) -> bool {
    match data {
        Data::Constant(value) => *value,
        Data::Compare(left, comparison, right) => {
            let text = |of| super::events::expression(of);
            asked(Question::Other(format!("{} {comparison} {}", text(left), text(right))))
        }
        Data::Not(of) => !holds(of, asked),
        Data::And(left, right) => holds(left, asked) && holds(right, asked),
        Data::Or(left, right) => holds(left, asked) || holds(right, asked),
    }
}
