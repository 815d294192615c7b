// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of the present state, and what functions of the past keep of it.

use std::borrow::Cow;

use gnomon_core::fraction::Fraction;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::core::{Edge, Occurrence, TermCore, TermId};

use super::Network;
use super::present::Present;
use crate::terms::history::{Elapsed, History, Recall, Times};
use crate::terms::numbers::Numbers;
use crate::terms::reading::{Reading, operate};

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
        let Some(left) = self.term(left) else { return false };
        self.term(right).is_some_and(|right| left.compares(comparison, &right))
    }

    /// RULE B6: what is no list has no elements.
    pub(super) fn each(&mut self, list: TermId, of: Edge) -> bool {
        let Some(Reading::Other(value)) = self.term(list) else { return true };
        let Value::List(elements) = value.into_owned() else { return true };
        elements.into_iter().all(|element| {
            self.elements.push(element);
            let holds = self.value(of);
            self.elements.pop();
            holds
        })
    }

    /// The value of a term in the present state.
    pub(crate) fn term(&mut self, id: TermId) -> Option<Reading<'a>> {
        let (network, time) = (self.network, self.instant.time);
        match &network.core.terms[id.0 as usize] {
            TermCore::Number(number) => Some(Reading::Number(*number)),
            TermCore::Value(value) => Some(Reading::Other(Cow::Borrowed(value))),
            TermCore::Variable { variable, steps } => {
                Reading::at(self.instant.variables.get(network.variables[*variable])?, steps)
            }
            TermCore::Element { depth, steps } => {
                // Elements are gone before the position is.
                Reading::at(self.elements.get(*depth)?, steps).map(|reading| reading.keep().read())
            }
            TermCore::Operation(operation, left, right) => {
                let left = self.term(*left)?.number()?;
                let right = self.term(*right)?.number()?;
                operate(*operation, left, right).map(Reading::Number)
            }
            TermCore::Past { back, .. } => match self.history(id)? {
                History::Recall(recall) => recall.get(*back).map(crate::terms::reading::Kept::read),
                _ => None,
            },
            TermCore::Elapsed { ticks, .. } => match self.history(id)? {
                History::Elapsed(elapsed) => {
                    let since = time - elapsed.last?;
                    Some(Reading::Number(Fraction::new(since.ticks(), *ticks)))
                }
                _ => None,
            },
            TermCore::Count { .. } => match self.history(id)? {
                History::Times(times) => Some(Reading::Number(Fraction::whole(times.count(time) as i128))),
                _ => None,
            },
            TermCore::Fold { fold, .. } => match self.history(id)? {
                History::Numbers(numbers) => numbers.query(*fold, time).map(Reading::Number),
                _ => None,
            },
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
        for (id, term) in (0..).map(TermId).zip(&network.core.terms) {
            match term {
                TermCore::Fold { fold, of, .. } => {
                    let number = self.term(*of).and_then(|reading| reading.number());
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
        for (number, term) in network.core.terms.iter().enumerate().rev() {
            let id = TermId(number as u32);
            match term {
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
