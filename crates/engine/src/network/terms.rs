// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluates terms at the present position and updates the functions of the past.

use std::borrow::Cow;

use gnomon_core::list::{all_true, reachable};
use gnomon_core::{Comparison, Fraction, Value};
use gnomon_ir::{Edge, FormulaNode, OccurrenceCore, TermCore, TermId};

use super::Network;
use super::evaluator::Evaluator;
use crate::terms::history::{CountWindow, ElapsedTime, NumberWindow, Recall, TermHistory};
use crate::terms::value::{StoredValue, TermValue, operate};

/// The terms that are updated at a position.
#[derive(Clone, Debug)]
pub(super) struct TermUpdates {
    /// Terms that are updated before the position is evaluated, parts before the terms that contain them.
    before: Vec<TermId>,
    /// Terms that are updated afterwards, parts after the terms that contain them.
    after: Vec<TermId>,
}

impl TermUpdates {
    /// Returns true if no term is updated.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Returns the updates of the terms that are compared, and of their parts.
    pub(super) fn of(terms: &[TermCore], compared: impl Iterator<Item = TermId>) -> Self {
        let needed = reachable(compared, |id| terms[id.0 as usize].parts());
        let which = |takes_in: fn(&TermCore) -> bool| -> Vec<TermId> {
            needed.iter().copied().filter(|id| takes_in(&terms[id.0 as usize])).collect()
        };
        let before = which(|term| match term {
            TermCore::Fold { .. } | TermCore::Count { .. } => true,
            TermCore::Past { event, .. } | TermCore::Elapsed { event, .. } => event.starts,
            _ => false,
        });
        let mut after = which(|term| matches!(term, TermCore::Past { .. } | TermCore::Elapsed { .. }));
        after.reverse();
        TermUpdates { before, after }
    }
}

impl Network {
    pub(super) fn new_histories(&self) -> Vec<Option<TermHistory>> {
        let history = |term: &TermCore| match term {
            TermCore::Past { .. } => Some(TermHistory::Recall(Recall::default())),
            TermCore::Elapsed { .. } => Some(TermHistory::Elapsed(ElapsedTime::default())),
            TermCore::Count { reach, .. } => Some(TermHistory::Count(CountWindow::new(*reach))),
            TermCore::Fold { reach, .. } => Some(TermHistory::Numbers(NumberWindow::new(*reach))),
            _ => None,
        };
        self.core.terms.iter().map(history).collect()
    }

    /// Returns true if restored histories are those of its terms.
    pub(super) fn histories_fit(&self, histories: &[Option<TermHistory>]) -> bool {
        let fits = |(own, restored): (&Option<TermHistory>, &Option<TermHistory>)| {
            own.as_ref().map(std::mem::discriminant) == restored.as_ref().map(std::mem::discriminant)
        };
        let own = self.new_histories();
        own.len() == histories.len() && own.iter().zip(histories).all(fits)
    }

    /// Returns true if a position where no atom is true updates no function of the past.
    pub(super) fn terms_are_idle(&self) -> bool {
        self.core.terms.iter().all(|term| match term {
            TermCore::Past { event, .. } | TermCore::Elapsed { event, .. } => !event.starts,
            TermCore::Count { of, .. } => self.idle_value(*of) == Some(false),
            TermCore::Fold { .. } => false,
            _ => true,
        })
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn compare(&mut self, left: TermId, comparison: Comparison, right: TermId) -> bool {
        if let (Some(left), Some(right)) = (self.number(left), self.number(right)) {
            return comparison.accepts(left.compare(right));
        }
        let Some(left) = self.term(left) else { return false };
        self.term(right).is_some_and(|right| left.compares(comparison, &right))
    }

    /// RULE B6: a value that is not a list has no elements.
    pub(super) fn each(&mut self, list: TermId, of: Edge) -> bool {
        self.elements(list).into_iter().all(|element| self.with_element(element, |evaluator| evaluator.value(of)))
    }

    fn elements(&mut self, list: TermId) -> Vec<Value<'static>> {
        let Some(TermValue::Other(value)) = self.term(list) else { return vec![] };
        let Value::List(elements) = value.into_owned() else { return vec![] };
        elements
    }

    fn with_element<T>(&mut self, element: Value<'static>, ask: impl FnOnce(&mut Self) -> T) -> T {
        self.elements.push(element);
        let answer = ask(self);
        self.elements.pop();
        answer
    }

    /// RULES K12, K13. Returns the value of a node that may wait for the next position, if the present one decides it.
    pub(super) fn certain(&mut self, edge: Edge) -> Option<bool> {
        let network = self.network;
        if !network.waits[edge.node.0 as usize] {
            return Some(self.value(edge));
        }
        let value = match network.core.node(edge.node) {
            FormulaNode::And(edges) => all_true(edges.iter().map(|edge| self.certain(*edge))),
            FormulaNode::Each { list, of } => {
                let elements = self.elements(*list).into_iter();
                all_true(elements.map(|element| self.with_element(element, |evaluator| evaluator.certain(*of))))
            }
            _ => None,
        };
        value.map(|value| value != edge.negated)
    }

    /// Returns the value of a term at the present position.
    pub(crate) fn term(&mut self, id: TermId) -> Option<TermValue<'a>> {
        let network = self.network;
        match &network.core.terms[id.0 as usize] {
            TermCore::Value(value) => Some(TermValue::Other(Cow::Borrowed(value))),
            TermCore::Variable { variable, steps } => {
                TermValue::at(self.position.variables.get(network.variables[*variable])?, steps)
            }
            TermCore::Element { depth, steps } => {
                // The element does not live as long as the position, so the value is copied.
                TermValue::inside(self.elements.get(*depth)?, steps).map(|reading| reading.store().read())
            }
            TermCore::Past { back, .. } => match self.history(id)? {
                TermHistory::Recall(recall) => recall.get(*back).map(StoredValue::read),
                _ => None,
            },
            _ => self.number(id).map(TermValue::Number),
        }
    }

    /// Returns the value of a term at the present position, if it is a number.
    #[inline]
    fn number(&mut self, id: TermId) -> Option<Fraction> {
        let network = self.network;
        match &network.core.terms[id.0 as usize] {
            TermCore::Number(number) => Some(*number),
            TermCore::Variable { variable, steps } if steps.is_empty() => {
                match self.position.variables.get(network.variables[*variable])? {
                    StoredValue::Number(number) => Some(*number),
                    StoredValue::Other(_) => None,
                }
            }
            term => self.number_of(id, term),
        }
    }

    fn number_of(&mut self, id: TermId, term: &TermCore) -> Option<Fraction> {
        let time = self.position.time;
        match (term, self.histories[id.0 as usize].as_mut()) {
            (TermCore::Operation(operation, left, right), _) => {
                let (left, right) = (self.number(*left)?, self.number(*right)?);
                operate(*operation, left, right)
            }
            (TermCore::Elapsed { ticks, .. }, Some(TermHistory::Elapsed(elapsed))) => {
                Some(Fraction::new((time - elapsed.last?).ticks(), *ticks))
            }
            (TermCore::Count { .. }, Some(TermHistory::Count(times))) => {
                Some(Fraction::whole(times.count(time) as i128))
            }
            (TermCore::Fold { fold, .. }, Some(TermHistory::Numbers(numbers))) => numbers.query(*fold, time),
            (TermCore::Variable { .. } | TermCore::Element { .. } | TermCore::Past { .. }, _) => {
                self.term(id)?.number()
            }
            _ => None,
        }
    }

    fn history(&mut self, id: TermId) -> Option<&mut TermHistory> {
        self.histories[id.0 as usize].as_mut()
    }

    fn has(&self, event: OccurrenceCore) -> bool {
        self.position.has(event.atom)
    }

    /// Updates terms before the position is evaluated: windows include it, and it may show that an activity started at the position
    /// before it.
    #[inline]
    pub(crate) fn update_terms_before(&mut self) {
        let network = self.network;
        for id in &self.layout.terms.before {
            let id = *id;
            match &network.core.terms[id.0 as usize] {
                TermCore::Fold { fold, of, .. } => {
                    let number = self.number(*of);
                    let time = self.position.time;
                    if let (Some(number), Some(TermHistory::Numbers(numbers))) = (number, self.history(id)) {
                        numbers.add(*fold, time, number);
                    }
                }
                TermCore::Count { of, .. } => {
                    let (holds, time) = (self.value(*of), self.position.time);
                    if let (true, Some(TermHistory::Count(times))) = (holds, self.history(id)) {
                        times.push(time);
                    }
                }
                TermCore::Past { event, back, .. } if event.starts && self.has(*event) => {
                    if let Some(TermHistory::Recall(recall)) = self.history(id) {
                        recall.push_before(*back);
                    }
                }
                TermCore::Elapsed { event, .. } if event.starts && self.has(*event) => {
                    if let Some(TermHistory::Elapsed(elapsed)) = self.history(id) {
                        elapsed.last = elapsed.before.or(elapsed.last);
                    }
                }
                _ => {}
            }
        }
    }

    /// Updates terms after the position was evaluated, for later positions to look back on. A term is updated before its parts, so that
    /// it reads them as they were.
    #[inline]
    pub(crate) fn update_terms_after(&mut self) {
        let network = self.network;
        for id in &self.layout.terms.after {
            let id = *id;
            match &network.core.terms[id.0 as usize] {
                TermCore::Past { of, event, back } if event.starts || self.has(*event) => {
                    let value = self.term(*of).map(|reading| reading.store());
                    if let Some(TermHistory::Recall(recall)) = self.history(id) {
                        if event.starts {
                            recall.set_before(value);
                        } else {
                            recall.push(value, *back);
                        }
                    }
                }
                TermCore::Elapsed { event, .. } if event.starts || self.has(*event) => {
                    let time = self.position.time;
                    if let Some(TermHistory::Elapsed(elapsed)) = self.history(id) {
                        *(if event.starts { &mut elapsed.before } else { &mut elapsed.last }) = Some(time);
                    }
                }
                _ => {}
            }
        }
    }
}
