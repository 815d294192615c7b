// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words and their categories, for every kind of body.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gnomon_ir::{Category, LetterId, PluginBody, PluginCore};

use super::expression::Automaton;
use super::grammar::{Chart, Grammar};
use super::linear::{LinearMonitor, LinearState, PastState};

/// A word, as far as it matters to a body.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    /// State of an automaton or machine; `None`: the machine has failed.
    State(Option<usize>),
    /// Partial derivations.
    Chart(Chart),
    /// Ways to continue to infinite words.
    Linear(LinearState),
    /// Values of past formulae at the last position.
    Past(PastState),
}

/// Evaluates the words of a property.
pub(super) struct Words<'a> {
    core: &'a PluginCore,
    body: Body<'a>,
    /// Words for which it is known if they can be continued to a forbidden category.
    known: RefCell<BTreeMap<Word, bool>>,
}

enum Body<'a> {
    Expression(Automaton),
    Machine(&'a gnomon_ir::FsmCore),
    Grammar(Grammar),
    Linear(LinearMonitor<'a>),
    Past(LinearMonitor<'a>),
}

impl<'a> Words<'a> {
    pub(super) fn new(core: &'a PluginCore) -> Self {
        let body = match &core.body {
            PluginBody::Ere(ere) => Body::Expression(Automaton::new(ere, core.letters.len())),
            PluginBody::Fsm(machine) => Body::Machine(machine),
            PluginBody::Cfg(grammar) => Body::Grammar(Grammar::new(grammar)),
            PluginBody::Ltl(formula) => Body::Linear(LinearMonitor::new(formula, core.letters.len())),
            PluginBody::PastLtl(formula) => Body::Past(LinearMonitor::new(formula, core.letters.len())),
        };
        Words { core, body, known: RefCell::default() }
    }

    /// The word without letters.
    pub(super) fn empty(&self) -> Word {
        match &self.body {
            Body::Expression(automaton) => Word::State(Some(automaton.start)),
            Body::Machine(_) => Word::State(Some(0)),
            Body::Grammar(grammar) => Word::Chart(grammar.start()),
            Body::Linear(_) => Word::Linear(LinearState::start()),
            Body::Past(_) => Word::Past(PastState::default()),
        }
    }

    /// The word with one more letter.
    pub(super) fn next(&self, word: &Word, letter: LetterId) -> Word {
        let number = letter.0 as usize;
        match (&self.body, word) {
            (Body::Expression(automaton), Word::State(Some(state))) => {
                Word::State(Some(automaton.next[*state][number]))
            }
            (Body::Machine(machine), Word::State(state)) => {
                // RULE L6
                Word::State(state.and_then(|state| machine.states[state].targets[number]))
            }
            (Body::Grammar(grammar), Word::Chart(chart)) => Word::Chart(grammar.next(chart, letter)),
            (Body::Linear(monitor), Word::Linear(state)) => Word::Linear(monitor.next(state, letter)),
            (Body::Past(monitor), Word::Past(state)) => Word::Past(monitor.next_past(state, letter)),
            _ => unreachable!("a word belongs to its body"),
        }
    }

    /// Returns true if a word of at least one letter has a category.
    pub(super) fn has(&self, word: &Word, category: &Category) -> bool {
        match (&self.body, word, category) {
            // RULE L5
            (Body::Expression(automaton), Word::State(Some(state)), Category::Match) => automaton.accepting[*state],
            (Body::Expression(automaton), Word::State(Some(state)), Category::Fail) => !automaton.is_productive(*state),
            // RULE L6
            (Body::Machine(_), Word::State(state), Category::States { states, fail, .. }) => {
                state.map_or(*fail, |state| states[state])
            }
            // RULE L7
            (Body::Grammar(grammar), Word::Chart(chart), Category::Match) => grammar.derives(chart),
            (Body::Grammar(_), Word::Chart(chart), Category::Fail) => chart.is_dead(),
            // RULE L9
            (Body::Linear(_), Word::Linear(state), Category::Violation) => state.is_violated_now(),
            (Body::Linear(_), Word::Linear(state), Category::Validation) => state.is_validated_now(),
            // RULE L11
            (Body::Past(monitor), Word::Past(state), Category::Violation) => !monitor.holds(state),
            (Body::Past(monitor), Word::Past(state), Category::Validation) => monitor.holds(state),
            _ => false,
        }
    }

    /// Returns true if the word has a forbidden category, or a longer word has one.
    // RULE L16
    pub(super) fn can_violate(&self, word: &Word) -> bool {
        if let (Body::Grammar(_), Word::Chart(chart)) = (&self.body, word) {
            // Every word counts as one that can fail.
            let fails = self.core.forbidden.iter().any(|one| one.category == Category::Fail);
            return fails || !chart.is_dead();
        }
        if let Some(known) = self.known.borrow().get(word) {
            return *known;
        }
        let mut reached: Vec<Word> = vec![word.clone()];
        let mut place = 0;
        let is_forbidden = |word: &Word| self.core.forbidden.iter().any(|one| self.has(word, &one.category));
        while let Some(next) = reached.get(place).cloned() {
            if is_forbidden(&next) {
                self.known.borrow_mut().insert(word.clone(), true);
                return true;
            }
            for letter in 0..self.core.letters.len() {
                let longer = self.next(&next, LetterId(letter as u32));
                if !reached.contains(&longer) {
                    reached.push(longer);
                }
            }
            place += 1;
        }
        self.known.borrow_mut().extend(reached.into_iter().map(|word| (word, false)));
        false
    }

    /// Returns the names of the categories that one of some words has, and of the states that machines are in.
    pub(super) fn categories(&self, words: &[Word]) -> Vec<String> {
        let names = match &self.body {
            Body::Expression(_) | Body::Grammar(_) => vec![Category::Match, Category::Fail],
            Body::Linear(_) | Body::Past(_) => vec![Category::Violation, Category::Validation],
            Body::Machine(machine) => {
                let count = machine.states.len();
                let state = |(index, state): (usize, &gnomon_ir::FsmStateCore)| Category::States {
                    name: state.name.clone(),
                    states: (0..count).map(|other| other == index).collect(),
                    fail: false,
                };
                let fail = Category::States { name: "fail".to_owned(), states: vec![false; count], fail: true };
                machine.states.iter().enumerate().map(state).chain([fail]).collect()
            }
        };
        let holds = |category: &&Category| words.iter().any(|word| self.has(word, category));
        names.iter().filter(holds).map(|category| category.name().to_owned()).collect()
    }
}
