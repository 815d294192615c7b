// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies of properties: automata over letters, whose states say which forbidden category a word has.
//!
//! A body with finitely many states is a [`Table`], computed in advance. The states of a grammar, and of a formula of the past with very
//! many, are computed when they are reached first, and numbered ([`BodyStates`]).

use gnomon_ir::core::{Category, ForbiddenCore, PluginBody, PluginCore};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::grammar::{Grammar, GrammarStates};
use super::linear::LinearVerdict;
use super::past::PastFormula;
use super::table::{MOST_STATES, NO_CATEGORY, Table, TooManyStates};
use super::{ere, linear};

/// The number of a state of a body; 0 is the one before the first letter.
pub(super) type BodyState = u32;

/// A body ready to run.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Table(Table),
    Past {
        formula: PastFormula,
        /// The category of letters at which the formula is false, and of those at which it is true.
        categories: [u16; 2],
    },
    Grammar {
        grammar: Box<Grammar>,
        matching: u16,
        failing: u16,
    },
}

/// The states of a body that were computed so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum BodyStates {
    /// All of them are in the table.
    Table,
    Past(PastStates),
    Grammar(GrammarStates),
}

/// States that are lists of words, numbered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct PastStates {
    states: Vec<Vec<u32>>,
    #[serde(skip)]
    numbers: FxHashMap<Vec<u32>, BodyState>,
}

impl PastStates {
    fn number(&mut self, state: Vec<u32>) -> BodyState {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        let number = self.states.len() as BodyState;
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        number
    }
}

impl Body {
    pub(super) fn new(core: &PluginCore) -> Result<Self, TooManyStates> {
        let letters = core.letters.len();
        let place = |is_it: &dyn Fn(&Category) -> bool| place_of(&core.forbidden, is_it);
        let matching = place(&|category| *category == Category::Match);
        let failing = place(&|category| *category == Category::Fail);
        let (violation, validation) =
            (place(&|category| *category == Category::Violation), place(&|category| *category == Category::Validation));
        Ok(match &core.body {
            PluginBody::Ere(ere) => {
                let automaton = ere::automaton(ere, letters)?;
                let can_match = can_reach(letters, &automaton.next, &automaton.accepting);
                let output = |(accepts, can_match): (&bool, &bool)| match (accepts, can_match) {
                    (true, _) => matching,
                    (false, false) => failing,
                    (false, true) => NO_CATEGORY,
                };
                let outputs: Vec<u16> = automaton.accepting.iter().zip(&can_match).map(output).collect();
                Body::Table(Table::new(letters, &automaton.next, &outputs))
            }
            PluginBody::Fsm(fsm) => {
                let failure = fsm.states.len();
                let state_place = |state: usize| {
                    place(&|category| match category {
                        Category::States { states, fail, .. } => {
                            if state == failure {
                                *fail
                            } else {
                                states.get(state).copied().unwrap_or(false)
                            }
                        }
                        Category::Fail => state == failure,
                        Category::Match | Category::Violation | Category::Validation => false,
                    })
                };
                let targets = fsm.states.iter().flat_map(|state| {
                    (0..letters).map(|letter| state.targets.get(letter).copied().flatten().unwrap_or(failure) as u32)
                });
                let next: Vec<u32> = targets.chain((0..letters).map(|_| failure as u32)).collect();
                let outputs: Vec<u16> = (0..=failure).map(state_place).collect();
                Body::Table(Table::new(letters, &next, &outputs))
            }
            PluginBody::Ltl(formula) => {
                let automaton = linear::automaton(formula, letters)?;
                let output = |verdict: &LinearVerdict| match verdict {
                    LinearVerdict::Violation => violation,
                    LinearVerdict::Validation => validation,
                    LinearVerdict::Undecided | LinearVerdict::Decided => NO_CATEGORY,
                };
                let outputs: Vec<u16> = automaton.verdicts.iter().map(output).collect();
                Body::Table(Table::new(letters, &automaton.next, &outputs))
            }
            PluginBody::PastLtl(formula) => {
                let (formula, categories) = (PastFormula::new(formula), [violation, validation]);
                match past_table(&formula, categories, letters) {
                    Some(table) => Body::Table(table),
                    None => Body::Past { formula, categories },
                }
            }
            PluginBody::Cfg(grammar) => Body::Grammar { grammar: Box::new(Grammar::new(grammar)), matching, failing },
        })
    }

    /// Returns the states before the first letter of any run.
    pub(super) fn start(&self) -> BodyStates {
        match self {
            Body::Table(_) => BodyStates::Table,
            Body::Past { formula, .. } => {
                let mut states = PastStates::default();
                states.number(formula.initial());
                BodyStates::Past(states)
            }
            Body::Grammar { grammar, .. } => BodyStates::Grammar(GrammarStates::new(grammar)),
        }
    }

    /// Returns the state after a letter.
    pub(super) fn next(&self, states: &mut BodyStates, state: BodyState, letter: usize) -> BodyState {
        match (self, states) {
            (Body::Table(table), BodyStates::Table) => table.next(state, letter),
            (Body::Past { formula, .. }, BodyStates::Past(states)) => {
                let next = formula.next(&states.states[state as usize], letter as u32);
                states.number(next)
            }
            (Body::Grammar { grammar, .. }, BodyStates::Grammar(states)) => states.next(grammar, state, letter as u32),
            _ => other_body(),
        }
    }

    /// Returns the place of the forbidden category that the words of a state have, or [`NO_CATEGORY`]. Of the initial state that of the
    /// word without letters, which nobody asks for.
    pub(super) fn category(&self, states: &BodyStates, state: BodyState) -> u16 {
        match (self, states) {
            (Body::Table(table), BodyStates::Table) => table.output(state),
            (Body::Past { categories, .. }, BodyStates::Past(states)) => {
                let truth = PastFormula::truth(&states.states[state as usize]);
                truth.map_or(NO_CATEGORY, |truth| categories[usize::from(truth)])
            }
            (Body::Grammar { matching, failing, .. }, BodyStates::Grammar(states)) => {
                if states.is_accepting(state) {
                    *matching
                } else if states.has_failed(state) {
                    *failing
                } else {
                    NO_CATEGORY
                }
            }
            _ => other_body(),
        }
    }

    /// RULE L16. Returns true if one or more letters may lead to a word with a forbidden category. Not explored for formulae of the past without
    /// a table, nor for grammars where failure is forbidden: any word may be followed by one.
    pub(super) fn may_report(&self, states: &BodyStates, state: BodyState) -> bool {
        match (self, states) {
            (Body::Table(table), BodyStates::Table) => table.may_report(state),
            (Body::Past { .. }, BodyStates::Past(_)) => true,
            (Body::Grammar { failing, .. }, BodyStates::Grammar(states)) => {
                *failing != NO_CATEGORY || states.has_items(state)
            }
            _ => other_body(),
        }
    }
}

impl BodyStates {
    /// Keeps the states of a list and the initial one. Returns a function from old numbers of these states to new ones.
    pub(super) fn retain(&mut self, kept: &[BodyState]) -> Vec<Option<BodyState>> {
        match self {
            BodyStates::Table => vec![],
            BodyStates::Grammar(states) => states.retain(kept),
            BodyStates::Past(states) => {
                let old = std::mem::take(states);
                let mut is_kept = vec![false; old.states.len()];
                is_kept[0] = true;
                for state in kept {
                    is_kept[*state as usize] = true;
                }
                let numbered = old.states.into_iter().zip(is_kept);
                numbered.map(|(state, is_kept)| is_kept.then(|| states.number(state))).collect()
            }
        }
    }

    /// Adds the states of another run of the body. Returns the number that each of them has here; the same ones for a table.
    pub(super) fn absorb(&mut self, other: BodyStates) -> Vec<BodyState> {
        match (self, other) {
            (BodyStates::Past(own), BodyStates::Past(other)) => {
                other.states.into_iter().map(|state| own.number(state)).collect()
            }
            (BodyStates::Grammar(own), BodyStates::Grammar(other)) => own.absorb(other),
            _ => vec![],
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            BodyStates::Table => 0,
            BodyStates::Grammar(states) => states.bytes(),
            BodyStates::Past(states) => {
                // Each state is in the list and in the table.
                let words: usize = states.states.iter().map(Vec::len).sum();
                2 * (words * size_of::<u32>() + states.states.len() * size_of::<Vec<u32>>())
            }
        }
    }

    /// Completes restored states and returns their number; `None` if they are damaged or of another body. There is no limit for a
    /// table's.
    pub(super) fn rebuild(&mut self, body: &Body) -> Option<usize> {
        match (body, self) {
            (Body::Table(table), BodyStates::Table) => Some(table.state_count()),
            (Body::Grammar { grammar, .. }, BodyStates::Grammar(states)) => {
                states.rebuild(grammar).then(|| states.len())
            }
            (Body::Past { formula, .. }, BodyStates::Past(states)) => {
                states.numbers = (0..).zip(&states.states).map(|(number, state)| (state.clone(), number)).collect();
                let length = formula.initial().len();
                let is_sound = !states.states.is_empty()
                    && states.numbers.len() == states.states.len()
                    && states.states.iter().all(|state| state.len() == length);
                is_sound.then_some(states.states.len())
            }
            _ => None,
        }
    }
}

/// Returns the table of a formula of the past, unless it has too many states.
fn past_table(formula: &PastFormula, categories: [u16; 2], letters: usize) -> Option<Table> {
    let mut states = PastStates::default();
    states.number(formula.initial());
    let (mut next, mut outputs) = (vec![], vec![]);
    while let Some(state) = states.states.get(outputs.len()).cloned() {
        outputs.push(PastFormula::truth(&state).map_or(NO_CATEGORY, |truth| categories[usize::from(truth)]));
        next.extend((0..letters as u32).map(|letter| states.number(formula.next(&state, letter))));
        if states.states.len() > MOST_STATES {
            return None;
        }
    }
    Some(Table::new(letters, &next, &outputs))
}

/// Returns the place of the first category that passes.
fn place_of(forbidden: &[ForbiddenCore], is_it: &dyn Fn(&Category) -> bool) -> u16 {
    forbidden.iter().position(|one| is_it(&one.category)).map_or(NO_CATEGORY, |place| place as u16)
}

/// Returns for each state of an automaton whether one of the goals can be reached from it, itself included.
fn can_reach(letters: usize, next: &[u32], goals: &[bool]) -> Vec<bool> {
    let outputs = goals.iter().map(|is_goal| if *is_goal { 0 } else { NO_CATEGORY }).collect::<Vec<u16>>();
    super::table::may_reach(letters, next, &outputs).iter().zip(goals).map(|(may, is_goal)| *may || *is_goal).collect()
}

#[cold]
fn other_body() -> ! {
    unreachable!("states are of their plan's body: `Body::start` makes them so, `BodyStates::rebuild` checks it")
}
