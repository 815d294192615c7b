// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus under a binding: where in a trace something fails, and what may come next.
//!
//! What each action formula says of each event is worked out first; then words are looked for by trying every way to
//! divide the trace.

mod action;
mod sort;

use std::collections::BTreeSet;

use gnomon_core::value::Value;
use gnomon_ir::core::{DataCore, ModalCore, ModalNode, RegularCore};
use gnomon_ir::pattern::VariableId;

use crate::trace::OracleEvent;

pub(crate) use sort::{candidates, has};

/// What is asked, for one binding: conditions on data have become true or false.
// RULE W1
#[derive(Clone, Debug)]
pub(crate) enum Claim {
    /// A condition.
    Data {
        is_true: bool,
        /// Whether it is written `true`, so that no binding makes it false.
        is_certain: bool,
    },
    /// This, if something is true of the binding.
    If(bool, Box<Claim>),
    /// All of these.
    All(Vec<Claim>),
    /// After every word, this.
    After(Words, Box<Claim>),
}

/// Which sequences of events.
// RULE W2
#[derive(Clone, Debug)]
pub(crate) enum Words {
    /// One event.
    Letter(Letter),
    Nil,
    Then(Box<Words>, Box<Words>),
    Or(Box<Words>, Box<Words>),
    Star(Box<Words>),
}

/// An action formula that stands somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    /// Which one.
    pub(crate) number: usize,
    /// For each event, whether it is true of it.
    pub(crate) matches: Vec<bool>,
}

/// Places in a trace: numbers of events seen so far.
pub(crate) type Places = BTreeSet<usize>;

impl Claim {
    /// What a formula in kernel form asks behind the quantifiers of certain variables, and no others.
    // RULE W6
    pub(crate) fn new(
        core: &ModalCore,
        events: &[OracleEvent],
        binding: &[Value<'static>],
        scope: &BTreeSet<VariableId>,
    ) -> Claim {
        let mut reader = Reader { core, events, binding, scope, around: BTreeSet::new(), letters: 0 };
        reader.claim(&core.body)
    }

    /// The places where something fails.
    pub(crate) fn failures(&self) -> Places {
        self.failures_from(0)
    }

    fn failures_from(&self, place: usize) -> Places {
        match self {
            Claim::Data { is_true: true, .. } | Claim::If(false, _) => Places::new(),
            Claim::Data { .. } => Places::from([place]),
            Claim::If(true, then) => then.failures_from(place),
            Claim::All(parts) => parts.iter().flat_map(|part| part.failures_from(place)).collect(),
            Claim::After(words, then) => {
                words.ends(place).into_iter().flat_map(|end| then.failures_from(end)).collect()
            }
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
                let behind = words.ends(from).into_iter().filter(|end| *end <= place);
                words.next(from, place).into_iter().chain(behind.flat_map(|end| then.next_from(end, place))).collect()
            }
        }
    }

    /// Whether some binding may make something in it fail.
    fn may_fail(&self) -> bool {
        match self {
            Claim::Data { is_certain, .. } => !is_certain,
            Claim::All(parts) => parts.iter().any(Claim::may_fail),
            Claim::After(_, then) | Claim::If(_, then) => then.may_fail(),
        }
    }
}

impl Words {
    /// Where the words end that begin at a place.
    // RULE W2
    fn ends(&self, from: usize) -> Places {
        match self {
            Words::Letter(letter) => letter.matches.get(from).filter(|is| **is).map(|_| from + 1).into_iter().collect(),
            Words::Nil => Places::from([from]),
            Words::Then(first, second) => first.ends(from).into_iter().flat_map(|end| second.ends(end)).collect(),
            Words::Or(one, other) => one.ends(from).union(&other.ends(from)).copied().collect(),
            Words::Star(of) => {
                let mut found = Places::from([from]);
                let mut new = vec![from];
                while let Some(place) = new.pop() {
                    new.extend(of.ends(place).into_iter().filter(|end| found.insert(*end)));
                }
                found
            }
        }
    }

    /// The letters that may come next at a place, in words that begin at another.
    // RULE W9
    fn next(&self, from: usize, place: usize) -> BTreeSet<usize> {
        let after = |ends: Places, of: &Words| {
            let ends = ends.into_iter().filter(|end| *end <= place);
            ends.flat_map(|end| of.next(end, place)).collect::<BTreeSet<usize>>()
        };
        match self {
            Words::Letter(letter) => (from == place).then_some(letter.number).into_iter().collect(),
            Words::Nil => BTreeSet::new(),
            Words::Then(first, second) => &first.next(from, place) | &after(first.ends(from), second),
            Words::Or(one, other) => &one.next(from, place) | &other.next(from, place),
            Words::Star(of) => after(self.ends(from), of),
        }
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

struct Reader<'a> {
    core: &'a ModalCore,
    events: &'a [OracleEvent],
    binding: &'a [Value<'static>],
    /// Behind whose quantifiers something is asked.
    scope: &'a BTreeSet<VariableId>,
    /// Those that stand around here.
    around: BTreeSet<VariableId>,
    letters: usize,
}

impl Reader<'_> {
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
                is_certain: *data == DataCore::Constant(true),
            },
            ModalNode::And(parts) => Claim::All(parts.iter().map(|part| self.claim(part)).collect()),
            ModalNode::Box(words, then) => {
                let words = self.words(words);
                Claim::After(words, Box::new(self.claim(then)))
            }
            ModalNode::Implies(data, of) => Claim::If(action::is_true(data, self.binding), Box::new(self.claim(of))),
        }
    }

    fn words(&mut self, words: &RegularCore) -> Words {
        match words {
            RegularCore::Action(formula) => {
                let says = |event| action::holds(self.core, formula, event, self.binding);
                let matches = self.events.iter().map(says).collect();
                self.letters += 1;
                Words::Letter(Letter { number: self.letters, matches })
            }
            RegularCore::Nil => Words::Nil,
            RegularCore::Then(first, second) => {
                let first = self.words(first);
                Words::Then(Box::new(first), Box::new(self.words(second)))
            }
            RegularCore::Or(one, other) => {
                let one = self.words(one);
                Words::Or(Box::new(one), Box::new(self.words(other)))
            }
            RegularCore::Star(of) => Words::Star(Box::new(self.words(of))),
        }
    }
}
