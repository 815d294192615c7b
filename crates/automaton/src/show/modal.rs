// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawing of a mu-calculus formula: states are the possible rests of its words.

use gnomon_ir::{ActionFormula, Atom, DataCondition, ModalFormula, RegularFormula, Spec};

use crate::deterministic::{self, Answerer, EventMachine, EventQuestion};
use crate::graph::{Graph, NodeShape};

/// Draws the automaton that watches a formula for one binding, up to its first violation; `text` tells how an atom is
/// written.
pub fn modal(spec: &Spec, modal: &ModalFormula, title: &str, text: &dyn Fn(&Atom) -> String) -> Graph {
    let apart = |left: &Atom, right: &Atom| spec.are_disjoint(left, right);
    let mut graph = deterministic::graph(&ModalMachine { modal }, title, &apart, text);
    graph.notes.push(
        "a state is the set of sequences that may still be completed; red: a forbidden sequence is complete".to_owned(),
    );
    graph
}

struct ModalMachine<'m> {
    modal: &'m ModalFormula,
}

/// Rest of a word: parts to read one after the other, and the formula behind them.
#[derive(Clone, PartialEq)]
struct RemainingWord<'m> {
    parts: Vec<WordPart<'m>>,
    then: &'m ModalFormula,
}

#[derive(Clone, Copy, PartialEq)]
enum WordPart<'m> {
    Whole(&'m RegularFormula),
    /// Any number of times.
    Again(&'m RegularFormula),
}

/// Possible rests; `None` once a word in front of `false` is complete.
type RemainingWords<'m> = Option<Vec<RemainingWord<'m>>>;

impl<'m> ModalMachine<'m> {
    /// Collects the rests that a formula waits for; returns false if it is violated already.
    fn begin(formula: &'m ModalFormula, waiting: &mut Vec<RemainingWord<'m>>, answerer: &mut Answerer<'_>) -> bool {
        match formula {
            ModalFormula::Data(data, _) => holds(data, answerer),
            ModalFormula::Forall(_, of) => Self::begin(of, waiting, answerer),
            ModalFormula::And(left, right) => {
                Self::begin(left, waiting, answerer) && Self::begin(right, waiting, answerer)
            }
            ModalFormula::Implies(data, of) => !holds(data, answerer) || Self::begin(of, waiting, answerer),
            ModalFormula::Box { regular, then, .. } => {
                Self::open(RemainingWord { parts: vec![WordPart::Whole(regular)], then }, waiting, answerer)
            }
        }
    }

    /// Takes apart what is in front until it is one event.
    fn open(rest: RemainingWord<'m>, waiting: &mut Vec<RemainingWord<'m>>, answerer: &mut Answerer<'_>) -> bool {
        let mut pending = vec![rest];
        let mut visited: Vec<RemainingWord<'m>> = Vec::new();
        while let Some(rest) = pending.pop() {
            if visited.contains(&rest) {
                continue;
            }
            visited.push(rest.clone());
            let RemainingWord { mut parts, then } = rest.clone();
            let Some(first) = parts.pop() else {
                if !Self::begin(then, waiting, answerer) {
                    return false;
                }
                continue;
            };
            let mut with = |more: &[WordPart<'m>]| {
                let parts = parts.iter().chain(more).copied().collect();
                pending.push(RemainingWord { parts, then });
            };
            match first {
                WordPart::Whole(RegularFormula::Action(_)) => {
                    if !waiting.contains(&rest) {
                        waiting.push(rest);
                    }
                }
                WordPart::Whole(RegularFormula::Nil) => with(&[]),
                WordPart::Whole(RegularFormula::Then(left, right)) => {
                    with(&[WordPart::Whole(right), WordPart::Whole(left)]);
                }
                WordPart::Whole(RegularFormula::Or(left, right)) => {
                    with(&[WordPart::Whole(left)]);
                    with(&[WordPart::Whole(right)]);
                }
                WordPart::Whole(RegularFormula::Star(of)) => with(&[WordPart::Again(of)]),
                WordPart::Whole(RegularFormula::Plus(of)) => with(&[WordPart::Again(of), WordPart::Whole(of)]),
                WordPart::Again(of) => {
                    with(&[]);
                    with(&[WordPart::Again(of), WordPart::Whole(of)]);
                }
            }
        }
        true
    }
}

impl<'m> EventMachine for ModalMachine<'m> {
    type State = RemainingWords<'m>;

    fn initial(&self) -> RemainingWords<'m> {
        let mut waiting = Vec::new();
        // What is true of a binding is not known before the first event.
        Self::begin(self.modal, &mut waiting, &mut |_| true).then_some(waiting)
    }

    fn next(&self, state: &RemainingWords<'m>, answerer: &mut Answerer<'_>) -> RemainingWords<'m> {
        let mut waiting = Vec::new();
        for rest in state.as_ref()? {
            let RemainingWord { mut parts, then } = rest.clone();
            let Some(WordPart::Whole(RegularFormula::Action(action))) = parts.pop() else { continue };
            if matches(action, answerer) && !Self::open(RemainingWord { parts, then }, &mut waiting, answerer) {
                return None;
            }
        }
        Some(waiting)
    }

    fn after_deadline(&self, _state: &RemainingWords<'m>) -> Option<(String, RemainingWords<'m>)> {
        None
    }

    fn is_final(&self, state: &RemainingWords<'m>) -> bool {
        state.as_ref().is_none_or(Vec::is_empty)
    }

    fn shown(&self, state: &RemainingWords<'m>) -> (NodeShape, String) {
        match state {
            None => (NodeShape::Rejecting, "violated".to_owned()),
            Some(remaining) if remaining.is_empty() => {
                (NodeShape::Accepting, "no forbidden sequence is possible any more".to_owned())
            }
            Some(remaining) => {
                let number = remaining.len();
                (NodeShape::Accepting, format!("{number} way{} on", if number == 1 { "" } else { "s" }))
            }
        }
    }
}

fn matches(action: &ActionFormula, answerer: &mut Answerer<'_>) -> bool {
    match action {
        ActionFormula::Event(atom) => answerer(EventQuestion::event(atom)),
        ActionFormula::Data(data) => holds(data, answerer),
        ActionFormula::Not(of) => !matches(of, answerer),
        ActionFormula::And(left, right) => matches(left, answerer) && matches(right, answerer),
        ActionFormula::Or(left, right) => matches(left, answerer) || matches(right, answerer),
        ActionFormula::Quantified(_, sorted, of) => {
            let mut events = Vec::new();
            of.each(&mut |part| {
                events.extend(if let ActionFormula::Event(atom) = part { Some(atom.name.as_str()) } else { None });
            });
            answerer(EventQuestion::Other(format!(
                "{} for the {} asked for",
                events.join(" or "),
                sorted.variable.name
            )))
        }
    }
}

fn holds(data: &DataCondition, answerer: &mut Answerer<'_>) -> bool {
    match data {
        DataCondition::Constant(value) => *value,
        DataCondition::Compare(left, comparison, right) => {
            let text = |of| super::events::expression(of);
            answerer(EventQuestion::Other(format!("{} {comparison} {}", text(left), text(right))))
        }
        DataCondition::Not(of) => !holds(of, answerer),
        DataCondition::And(left, right) => holds(left, answerer) && holds(right, answerer),
        DataCondition::Or(left, right) => holds(left, answerer) || holds(right, answerer),
    }
}
