// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of the present state, and what functions of the past keep of it.

use std::borrow::Cow;

use gnomon_core::fraction::Fraction;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::core::{Edge, Node, Occurrence, TermCore, TermId};

use super::Network;
use super::present::Present;
use crate::terms::history::{Elapsed, History, Recall, Times};
use crate::terms::numbers::Numbers;
use crate::terms::reading::{Kept, Reading, operate};

/// The terms that take something in at a position.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    /// Before the position is asked about, parts before what they are parts of.
    before: Vec<TermId>,
    /// After that, parts after what they are parts of.
    after: Vec<TermId>,
}

impl Tasks {
    /// Of the terms that are compared, and their parts.
    pub(super) fn of(terms: &[TermCore], compared: Vec<TermId>) -> Self {
        let (mut needed, mut pending) = (vec![false; terms.len()], compared);
        while let Some(id) = pending.pop() {
            if !std::mem::replace(&mut needed[id.0 as usize], true) {
                pending.extend(terms[id.0 as usize].parts());
            }
        }
        let which = |takes_in: fn(&TermCore) -> bool| {
            let numbered = (0..).map(TermId).zip(terms).zip(&needed);
            let found = numbered.filter(|((_, term), needed)| **needed && takes_in(term));
            found.map(|((id, _), _)| id).collect::<Vec<TermId>>()
        };
        let before = which(|term| match term {
            TermCore::Fold { .. } | TermCore::Count { .. } => true,
            TermCore::Past { event, .. } | TermCore::Elapsed { event, .. } => event.starts,
            _ => false,
        });
        let mut after = which(|term| matches!(term, TermCore::Past { .. } | TermCore::Elapsed { .. }));
        after.reverse();
        Tasks { before, after }
    }
}

impl Network {
    pub(super) fn new_histories(&self) -> Vec<Option<History>> {
        let history = |term: &TermCore| match term {
            TermCore::Past { .. } => Some(History::Recall(Recall::default())),
            TermCore::Elapsed { .. } => Some(History::Elapsed(Elapsed::default())),
            TermCore::Count { reach, .. } => Some(History::Times(Times::new(*reach))),
            TermCore::Fold { reach, .. } => Some(History::Numbers(Numbers::new(*reach))),
            _ => None,
        };
        self.core.terms.iter().map(history).collect()
    }

    /// Whether restored histories are those of its terms.
    pub(super) fn histories_fit(&self, histories: &[Option<History>]) -> bool {
        let fits = |(own, restored): (&Option<History>, &Option<History>)| {
            own.as_ref().map(std::mem::discriminant) == restored.as_ref().map(std::mem::discriminant)
        };
        let own = self.new_histories();
        own.len() == histories.len() && own.iter().zip(histories).all(fits)
    }

    /// Whether functions of the past keep nothing of a position where no atom is true.
    pub(super) fn terms_are_idle(&self) -> bool {
        self.core.terms.iter().all(|term| match term {
            TermCore::Past { event, .. } | TermCore::Elapsed { event, .. } => !event.starts,
            TermCore::Count { of, .. } => self.idle_value(*of) == Some(false),
            TermCore::Fold { .. } => false,
            _ => true,
        })
    }
}

impl<'a> Present<'a> {
    pub(super) fn compare(&mut self, left: TermId, comparison: Comparison, right: TermId) -> bool {
        if let (Some(left), Some(right)) = (self.number(left), self.number(right)) {
            return comparison.accepts(left.compare(right));
        }
        let Some(left) = self.term(left) else { return false };
        self.term(right).is_some_and(|right| left.compares(comparison, &right))
    }

    /// RULE B6: what is no list has no elements.
    pub(super) fn each(&mut self, list: TermId, of: Edge) -> bool {
        self.elements(list).into_iter().all(|element| self.with_element(element, |present| present.value(of)))
    }

    fn elements(&mut self, list: TermId) -> Vec<Value<'static>> {
        let Some(Reading::Other(value)) = self.term(list) else { return vec![] };
        let Value::List(elements) = value.into_owned() else { return vec![] };
        elements
    }

    fn with_element<T>(&mut self, element: Value<'static>, ask: impl FnOnce(&mut Self) -> T) -> T {
        self.elements.push(element);
        let answer = ask(self);
        self.elements.pop();
        answer
    }

    /// RULE K12, K13: the value of what may lag, as far as the present position tells it.
    pub(super) fn certain(&mut self, edge: Edge) -> Option<bool> {
        let network = self.network;
        if !network.waits[edge.node.0 as usize] {
            return Some(self.value(edge));
        }
        let value = match network.core.node(edge.node) {
            Node::And(edges) => least(edges.iter().map(|edge| self.certain(*edge))),
            Node::Each { list, of } => {
                let elements = self.elements(*list).into_iter();
                least(elements.map(|element| self.with_element(element, |present| present.certain(*of))))
            }
            _ => None,
        };
        value.map(|value| value != edge.negated)
    }

    /// The value of a term in the present state.
    pub(crate) fn term(&mut self, id: TermId) -> Option<Reading<'a>> {
        let network = self.network;
        match &network.core.terms[id.0 as usize] {
            TermCore::Value(value) => Some(Reading::Other(Cow::Borrowed(value))),
            TermCore::Variable { variable, steps } => {
                Reading::at(self.instant.variables.get(network.variables[*variable])?, steps)
            }
            TermCore::Element { depth, steps } => {
                // Elements are gone before the position is.
                Reading::inside(self.elements.get(*depth)?, steps).map(|reading| reading.keep().read())
            }
            TermCore::Past { back, .. } => match self.history(id)? {
                History::Recall(recall) => recall.get(*back).map(Kept::read),
                _ => None,
            },
            _ => self.number(id).map(Reading::Number),
        }
    }

    /// The number that a term is in the present state, if it is one.
    #[inline]
    fn number(&mut self, id: TermId) -> Option<Fraction> {
        let network = self.network;
        match &network.core.terms[id.0 as usize] {
            TermCore::Number(number) => Some(*number),
            TermCore::Variable { variable, steps } if steps.is_empty() => {
                match self.instant.variables.get(network.variables[*variable])? {
                    Kept::Number(number) => Some(*number),
                    Kept::Other(_) => None,
                }
            }
            term => self.number_of(id, term),
        }
    }

    fn number_of(&mut self, id: TermId, term: &TermCore) -> Option<Fraction> {
        let time = self.instant.time;
        match (term, self.histories[id.0 as usize].as_mut()) {
            (TermCore::Operation(operation, left, right), _) => {
                let (left, right) = (self.number(*left)?, self.number(*right)?);
                operate(*operation, left, right)
            }
            (TermCore::Elapsed { ticks, .. }, Some(History::Elapsed(elapsed))) => {
                Some(Fraction::new((time - elapsed.last?).ticks(), *ticks))
            }
            (TermCore::Count { .. }, Some(History::Times(times))) => Some(Fraction::whole(times.count(time) as i128)),
            (TermCore::Fold { fold, .. }, Some(History::Numbers(numbers))) => numbers.query(*fold, time),
            (TermCore::Variable { .. } | TermCore::Element { .. } | TermCore::Past { .. }, _) => {
                self.term(id)?.number()
            }
            _ => None,
        }
    }

    fn history(&mut self, id: TermId) -> Option<&mut History> {
        self.histories[id.0 as usize].as_mut()
    }

    fn has(&self, event: Occurrence) -> bool {
        self.instant.has(event.atom)
    }

    /// Takes in what counts in the present state itself: windows include it, and it may show that the state before was the
    /// start of an activity. Parts come before what they are parts of.
    #[inline]
    pub(crate) fn remember(&mut self) {
        let network = self.network;
        for id in &self.wiring.terms.before {
            let id = *id;
            match &network.core.terms[id.0 as usize] {
                TermCore::Fold { fold, of, .. } => {
                    let number = self.number(*of);
                    let time = self.instant.time;
                    if let (Some(number), Some(History::Numbers(numbers))) = (number, self.history(id)) {
                        numbers.add(*fold, time, number);
                    }
                }
                TermCore::Count { of, .. } => {
                    let (holds, time) = (self.value(*of), self.instant.time);
                    if let (true, Some(History::Times(times))) = (holds, self.history(id)) {
                        times.push(time);
                    }
                }
                TermCore::Past { event, back, .. } if event.starts && self.has(*event) => {
                    if let Some(History::Recall(recall)) = self.history(id) {
                        recall.push_before(*back);
                    }
                }
                TermCore::Elapsed { event, .. } if event.starts && self.has(*event) => {
                    if let Some(History::Elapsed(elapsed)) = self.history(id) {
                        elapsed.last = elapsed.before.or(elapsed.last);
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes in what later states look back on. What is part of something else comes after it: it must still be as it was.
    #[inline]
    pub(crate) fn recollect(&mut self) {
        let network = self.network;
        for id in &self.wiring.terms.after {
            let id = *id;
            match &network.core.terms[id.0 as usize] {
                TermCore::Past { of, event, back } if event.starts || self.has(*event) => {
                    let value = self.term(*of).map(|reading| reading.keep());
                    if let Some(History::Recall(recall)) = self.history(id) {
                        if event.starts {
                            recall.set_before(value);
                        } else {
                            recall.push(value, *back);
                        }
                    }
                }
                TermCore::Elapsed { event, .. } if event.starts || self.has(*event) => {
                    let time = self.instant.time;
                    if let Some(History::Elapsed(elapsed)) = self.history(id) {
                        *(if event.starts { &mut elapsed.before } else { &mut elapsed.last }) = Some(time);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Of three-valued parts: one that is false decides, one that is unknown leaves it open.
fn least(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}
