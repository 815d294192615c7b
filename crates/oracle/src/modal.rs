// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mu-calculus formulae for one binding: positions where a claim fails, and action formulae that may match next.
//!
//! First, every action formula is evaluated for every event. Then words are found by trying all ways to divide the
//! trace.

mod action;
mod sort;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::Value;
use gnomon_ir::{ActionFormulaCore, GuardCore, ModalCore, ModalNode, RegularCore, RegularFormula, VariableId};

use crate::trace::OracleEvent;

pub(crate) use sort::{ActionReading, has};

/// Formula for one binding: conditions on data are already true or false.
// RULE W1
#[derive(Clone, Debug)]
pub(crate) enum Claim {
    /// A condition.
    Data {
        is_true: bool,
        /// True if the formula is the constant `true`, so that no binding makes it false.
        is_certain: bool,
    },
    /// A claim that is made only if a condition on the binding is true.
    If(bool, Box<Claim>),
    /// Several claims.
    All(Vec<Claim>),
    /// A claim that is made after every word of a set.
    After(WordSet, Box<Claim>),
}

/// Set of sequences of events.
// RULE W2
pub(crate) type WordSet = RegularFormula<ActionMatches>;

/// An action formula that stands somewhere.
#[derive(Clone, Debug)]
pub(crate) struct ActionMatches {
    /// Number of the action formula.
    pub(crate) number: usize,
    /// Value of the action formula for each event.
    pub(crate) matches: Vec<bool>,
    /// True if the action formula names events that match, false if it names those that do not, or all.
    pub(crate) is_positive: bool,
}

/// Positions between the events of a trace, as numbers of preceding events.
pub(crate) type EventIndices = BTreeSet<usize>;

impl Claim {
    /// Returns the part of a formula in kernel form that stands behind the quantifiers of exactly these variables.
    // RULE W6
    pub(crate) fn new(
        core: &ModalCore,
        events: &[OracleEvent],
        binding: &[Value<'static>],
        scope: &BTreeSet<VariableId>,
    ) -> Claim {
        let mut evaluator = Evaluator { core, events, binding, scope, around: BTreeSet::new(), letters: 0 };
        evaluator.claim(&core.body)
    }

    /// The places where something fails.
    pub(crate) fn failures(&self) -> EventIndices {
        self.failures_from(0)
    }

    fn failures_from(&self, place: usize) -> EventIndices {
        match self {
            Claim::Data { is_true: true, .. } | Claim::If(false, _) => EventIndices::new(),
            Claim::Data { .. } => EventIndices::from([place]),
            Claim::If(true, then) => then.failures_from(place),
            Claim::All(parts) => parts.iter().flat_map(|part| part.failures_from(place)).collect(),
            Claim::After(words, then) => {
                ends(words, place).into_iter().flat_map(|end| then.failures_from(end)).collect()
            }
        }
    }

    /// Returns the events that named actions match on a way to a failure at a place, in order; `None` if nothing fails there.
    pub(crate) fn named_events(&self, goal: usize) -> Option<Vec<usize>> {
        self.named_from(0, goal)
    }

    fn named_from(&self, from: usize, goal: usize) -> Option<Vec<usize>> {
        match self {
            Claim::Data { is_true: true, .. } | Claim::If(false, _) => None,
            Claim::Data { .. } => (from == goal).then(Vec::new),
            Claim::If(true, then) => then.named_from(from, goal),
            Claim::All(parts) => parts.iter().find_map(|part| part.named_from(from, goal)),
            Claim::After(words, then) => ends(words, from).into_iter().find_map(|end| {
                let rest = then.named_from(end, goal)?;
                Some([named_in_word(words, from, end)?, rest].concat())
            }),
        }
    }

    /// The letters that may come next at a place, by their numbers.
    // RULE W9
    pub(crate) fn next(&self, place: usize) -> BTreeSet<usize> {
        self.next_from(0, place)
    }

    fn next_from(&self, from: usize, place: usize) -> BTreeSet<usize> {
        match self {
            Claim::Data { .. } => BTreeSet::new(),
            Claim::If(_, then) => then.next_from(from, place),
            Claim::All(parts) => parts.iter().flat_map(|part| part.next_from(from, place)).collect(),
            Claim::After(_, then) if !then.may_fail() => BTreeSet::new(),
            Claim::After(words, then) => {
                let behind = ends(words, from).into_iter().filter(|end| *end <= place);
                next(words, from, place).into_iter().chain(behind.flat_map(|end| then.next_from(end, place))).collect()
            }
        }
    }

    /// Returns true if some binding may make a part of the formula fail.
    fn may_fail(&self) -> bool {
        match self {
            Claim::Data { is_certain, .. } => !is_certain,
            Claim::All(parts) => parts.iter().any(Claim::may_fail),
            Claim::After(_, then) | Claim::If(_, then) => then.may_fail(),
        }
    }
}

/// Returns the positions where words end that begin at `from`.
// RULE W2
fn ends(words: &WordSet, from: usize) -> EventIndices {
    match words {
        WordSet::Action(letter) => letter.matches.get(from).filter(|is| **is).map(|_| from + 1).into_iter().collect(),
        WordSet::Nil => EventIndices::from([from]),
        WordSet::Then(first, second) => ends(first, from).into_iter().flat_map(|end| ends(second, end)).collect(),
        WordSet::Or(one, other) => &ends(one, from) | &ends(other, from),
        WordSet::Star(of) => &EventIndices::from([from]) | &repeated(of, from),
        WordSet::Plus(of) => repeated(of, from),
    }
}

/// Returns the events that named actions match in a word from one position to another; `None` if there is no such word.
fn named_in_word(words: &WordSet, from: usize, to: usize) -> Option<Vec<usize>> {
    let then = |first: &WordSet, second: &WordSet| {
        let mut through = ends(first, from).into_iter().filter(|end| ends(second, *end).contains(&to));
        through
            .next_back()
            .and_then(|end| Some([named_in_word(first, from, end)?, named_in_word(second, end, to)?].concat()))
    };
    match words {
        WordSet::Action(letter) => {
            (from + 1 == to && *letter.matches.get(from)?).then(|| if letter.is_positive { vec![from] } else { vec![] })
        }
        WordSet::Nil => (from == to).then(Vec::new),
        WordSet::Then(first, second) => then(first, second),
        WordSet::Or(one, other) => named_in_word(one, from, to).or_else(|| named_in_word(other, from, to)),
        WordSet::Star(_) if from == to => Some(vec![]),
        WordSet::Star(of) | WordSet::Plus(of) => {
            // The positions between rounds, each with the one before it.
            let mut before = BTreeMap::new();
            let mut new = vec![from];
            while let Some(place) = new.pop() {
                for end in ends(of, place) {
                    if let Entry::Vacant(entry) = before.entry(end) {
                        entry.insert(place);
                        new.push(end);
                    }
                }
            }
            let mut rounds = vec![(*before.get(&to)?, to)];
            while let Some((start, _)) = rounds.last().copied().filter(|(start, _)| *start != from) {
                rounds.push((*before.get(&start)?, start));
            }
            let named = rounds.into_iter().rev().map(|(start, end)| named_in_word(of, start, end));
            Some(named.collect::<Option<Vec<_>>>()?.concat())
        }
    }
}

/// Returns the positions where one word, or several in succession, end.
fn repeated(of: &WordSet, from: usize) -> EventIndices {
    let mut found = EventIndices::new();
    let mut new = vec![from];
    while let Some(place) = new.pop() {
        new.extend(ends(of, place).into_iter().filter(|end| found.insert(*end)));
    }
    found
}

/// The letters that may come next at a place, in words that begin at another.
// RULE W9
fn next(words: &WordSet, from: usize, place: usize) -> BTreeSet<usize> {
    let after = |ends: EventIndices, of: &WordSet| {
        let ends = ends.into_iter().filter(|end| *end <= place);
        ends.flat_map(|end| next(of, end, place)).collect::<BTreeSet<usize>>()
    };
    match words {
        WordSet::Action(letter) => (from == place).then_some(letter.number).into_iter().collect(),
        WordSet::Nil => BTreeSet::new(),
        WordSet::Then(first, second) => &next(first, from, place) | &after(ends(first, from), second),
        WordSet::Or(one, other) => &next(one, from, place) | &next(other, from, place),
        WordSet::Star(of) | WordSet::Plus(of) => &next(of, from, place) | &after(repeated(of, from), of),
    }
}

/// The sets of variables behind whose quantifiers something is asked.
// RULE W6
pub(crate) fn scopes(node: &ModalNode) -> BTreeSet<BTreeSet<VariableId>> {
    match node {
        ModalNode::Data(..) => BTreeSet::from([BTreeSet::new()]),
        ModalNode::And(parts) => parts.iter().flat_map(scopes).collect(),
        ModalNode::Box(_, of) | ModalNode::Implies(_, of) => scopes(of),
        ModalNode::Forall(id, of) => {
            let with = |mut scope: BTreeSet<VariableId>| {
                scope.insert(*id);
                scope
            };
            scopes(of).into_iter().map(with).collect()
        }
    }
}

struct Evaluator<'a> {
    core: &'a ModalCore,
    events: &'a [OracleEvent],
    binding: &'a [Value<'static>],
    /// Behind whose quantifiers something is asked.
    scope: &'a BTreeSet<VariableId>,
    /// Variables whose quantifiers enclose the current part.
    around: BTreeSet<VariableId>,
    letters: usize,
}

impl Evaluator<'_> {
    fn claim(&mut self, node: &ModalNode) -> Claim {
        match node {
            ModalNode::Data(..) if self.around != *self.scope => Claim::All(vec![]),
            ModalNode::Forall(id, of) => {
                self.around.insert(*id);
                let claim = self.claim(of);
                self.around.remove(id);
                claim
            }
            ModalNode::Data(data, _) => Claim::Data {
                is_true: action::is_true(data, self.binding),
                is_certain: *data == GuardCore::Constant(true),
            },
            ModalNode::And(parts) => Claim::All(parts.iter().map(|part| self.claim(part)).collect()),
            ModalNode::Box(words, then) => {
                let words = self.words(words);
                Claim::After(words, Box::new(self.claim(then)))
            }
            ModalNode::Implies(data, of) => Claim::If(action::is_true(data, self.binding), Box::new(self.claim(of))),
        }
    }

    fn words(&mut self, words: &RegularCore) -> WordSet {
        words.map(&mut |formula| {
            let says = |event| action::holds(self.core, formula, event, self.binding);
            self.letters += 1;
            let is_positive = !matches!(formula, ActionFormulaCore::Not(_) | ActionFormulaCore::Data(_));
            ActionMatches { number: self.letters, matches: self.events.iter().map(says).collect(), is_positive }
        })
    }
}
