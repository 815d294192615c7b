// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the future and the past as automata with three truth values (LTL3: Bauer, Leucker and Schallhart 2011).
//!
//! A formula is *violated* by a finite word if no infinite continuation satisfies it, *validated* if all do. Both are properties of the
//! word's last state in a deterministic automaton, which is built in three steps:
//!
//! 1. A *tableau*: its states guess the truth of what the future decides. A state has a bit for each operator of the past, known from the
//!    letters before, and a bit for each operator of the future, which the last letter's state has promised of the next letter. A letter
//!    makes all parts of the formula true or false, given a guess of the next promises; the guess that the state was reached with
//!    must be right. Each infinite word has exactly one run that is right for good.
//! 2. *Emptiness*: a promise of `f U g` may be put off for ever. A state has a right run if it reaches a strongly connected component in
//!    which each `U` is fulfilled, or not promised, at some step. States without one are removed.
//! 3. *Determinisation*: the set of states that the letters so far may lead to, apart for guesses that make the formula true at the first
//!    letter and those that make it false. If the first set is empty, the word violates; if the second is, it validates.
//!
//! Example: `[](a => o b)` with the letters a, b. After `a` all guesses promise b. A second `a` breaks the promise: the set of states that
//! make the formula true is empty, which is a violation, one letter before an automaton that tests no emptiness of `false` sees it.
//!
//! COST: exponential in the number of temporal operators; the determinised automaton doubly so. Beyond [`MOST_STATES`] the formula is refused.

use std::collections::hash_map::Entry;

use gnomon_ir::core::{Edge, LinearCore, LinearNode};
use rustc_hash::FxHashMap;

use super::table::{MOST_STATES, TooManyStates};

/// The most operators of the future, and of the past.
const MOST_OPERATORS: usize = 16;

/// The most steps between states of a tableau.
const MOST_STEPS: usize = 2_000_000;

/// The most work of determinisation: states in sets.
const MOST_MEMBERS: usize = 20_000_000;

/// A state of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinearVerdict {
    Undecided,
    /// The last letter made a violation certain.
    Violation,
    /// The last letter made the formula certain.
    Validation,
    /// An earlier letter decided.
    Decided,
}

/// A deterministic automaton: its moves, and the verdict in each state.
pub(super) struct LinearAutomaton {
    pub(super) next: Vec<u32>,
    pub(super) verdicts: Vec<LinearVerdict>,
}

/// Returns the automaton of a formula.
pub(super) fn automaton(core: &LinearCore, letters: usize) -> Result<LinearAutomaton, TooManyStates> {
    let tableau = Tableau::new(core, letters)?;
    let is_live = tableau.live_states();
    tableau.determinise(&is_live)
}

/// A step of the tableau by one letter.
#[derive(Clone, Copy, Debug)]
struct Step {
    target: u32,
    /// The `U` that the step fulfils or does not promise, a bit for each.
    fulfilled: u32,
    /// The whole formula is true at the letter.
    is_true: bool,
}

/// The states that guesses lead to.
struct Tableau {
    letters: usize,
    /// For each state and letter, the steps. State 0 is before the first letter.
    steps: Vec<Vec<Step>>,
    /// All `U`, a bit for each.
    all: u32,
}

/// The operators that need a bit, and how the parts of a formula are computed.
struct Operators<'c> {
    core: &'c LinearCore,
    /// For each operator of the future, the edge whose truth at the next letter is guessed.
    future: Vec<Edge>,
    /// For each operator of the past, the edge whose truth at the letter before is remembered.
    past: Vec<Edge>,
    /// For each operator of the future that is an `U`, its bit among the `U`.
    untils: Vec<Option<u32>>,
}

/// The result of a letter, for one memory and one guess.
struct Valuation {
    /// The truth of the guessed edges at this letter.
    promises: u32,
    /// The memory for the next letter.
    memory: u32,
    fulfilled: u32,
    is_true: bool,
}

impl<'c> Operators<'c> {
    fn new(core: &'c LinearCore) -> Self {
        let own = |place: usize| Edge { node: gnomon_ir::core::NodeId(place as u32), negated: false };
        let mut operators = Operators { core, future: vec![], past: vec![], untils: vec![] };
        let mut until_count = 0;
        for (place, node) in core.nodes.iter().enumerate() {
            match node {
                LinearNode::Next(of) => {
                    operators.future.push(*of);
                    operators.untils.push(None);
                }
                LinearNode::Until(..) => {
                    operators.future.push(own(place));
                    operators.untils.push(Some(until_count));
                    until_count += 1;
                }
                LinearNode::Previous(of) => operators.past.push(*of),
                LinearNode::Since(..) => operators.past.push(own(place)),
                LinearNode::True | LinearNode::Letter(_) | LinearNode::And(_) => {}
            }
        }
        operators
    }

    /// Computes the valuations of a letter for all guesses.
    fn outcomes(&self, memory: u32, letter: u32) -> Outcomes {
        let (mut outcomes, mut values) = (Outcomes::default(), Vec::new());
        for guess in 0..1_u32 << self.future.len() {
            let valuation = self.valuation(memory, letter, guess, &mut values);
            let Valuation { promises, memory, fulfilled, is_true } = valuation;
            outcomes.entry(promises).or_default().push((memory, guess, fulfilled, is_true));
        }
        outcomes
    }

    /// Computes all parts of the formula at a letter. `values` is a buffer.
    fn valuation(&self, memory: u32, letter: u32, guess: u32, values: &mut Vec<bool>) -> Valuation {
        values.clear();
        let (mut future, mut past) = (0, 0);
        let mut fulfilled = 0;
        for node in &self.core.nodes {
            let value = |edge: &Edge| values[edge.node.0 as usize] != edge.negated;
            let truth = match node {
                LinearNode::True => true,
                LinearNode::Letter(own) => own.0 == letter,
                LinearNode::And(parts) => parts.iter().all(value),
                LinearNode::Next(_) => {
                    future += 1;
                    guess >> (future - 1) & 1 == 1
                }
                LinearNode::Until(left, right) => {
                    let truth = value(right) || (value(left) && guess >> future & 1 == 1);
                    if let Some(bit) = self.untils[future]
                        && (value(right) || !truth)
                    {
                        fulfilled |= 1 << bit;
                    }
                    future += 1;
                    truth
                }
                LinearNode::Previous(_) => {
                    past += 1;
                    memory >> (past - 1) & 1 == 1
                }
                LinearNode::Since(left, right) => {
                    past += 1;
                    value(right) || (value(left) && memory >> (past - 1) & 1 == 1)
                }
            };
            values.push(truth);
        }
        let value = |edge: &Edge| values[edge.node.0 as usize] != edge.negated;
        let pack =
            |edges: &[Edge]| edges.iter().enumerate().fold(0, |bits, (bit, edge)| bits | u32::from(value(edge)) << bit);
        Valuation { promises: pack(&self.future), memory: pack(&self.past), fulfilled, is_true: value(&self.core.root) }
    }
}

/// The valuations of one memory and letter, by the promises that they keep; each has the memory after it and the guess.
type Outcomes = FxHashMap<u32, Vec<(u32, u32, u32, bool)>>;

impl Tableau {
    fn new(core: &LinearCore, letters: usize) -> Result<Self, TooManyStates> {
        let operators = Operators::new(core);
        if operators.future.len().max(operators.past.len()) > MOST_OPERATORS {
            return Err(TooManyStates);
        }
        let until_count = operators.untils.iter().flatten().count();
        let mut tableau = Tableau { letters, steps: vec![], all: (1 << until_count) - 1 };
        // For each memory, its valuations by letter.
        let mut known: FxHashMap<u32, Vec<Outcomes>> = FxHashMap::default();
        let (mut states, mut numbers) = (vec![None], FxHashMap::default());
        let (mut at, mut step_count, mut valuation_count) = (0, 0, 0);
        while let Some(&state) = states.get(at) {
            let (memory, promises): (u32, Option<u32>) = match state {
                None => (0, None),
                Some((memory, promises)) => (memory, Some(promises)),
            };
            let outcomes = match known.entry(memory) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    valuation_count += letters << operators.future.len();
                    if valuation_count > MOST_STEPS {
                        return Err(TooManyStates);
                    }
                    let outcomes = (0..letters as u32).map(|letter| operators.outcomes(memory, letter));
                    place.insert(outcomes.collect())
                }
            };
            for outcomes in outcomes.iter() {
                let kept = |promise: &u32| promises.is_none_or(|own| own == *promise);
                let own = outcomes.iter().filter(|(promise, _)| kept(promise)).flat_map(|(_, steps)| steps);
                let mut steps = Vec::new();
                for (memory, guess, fulfilled, is_true) in own {
                    let key = (*memory, *guess);
                    let fresh = states.len() as u32;
                    let target = *numbers.entry(key).or_insert(fresh);
                    if target == fresh {
                        states.push(Some(key));
                    }
                    steps.push(Step { target, fulfilled: *fulfilled, is_true: *is_true });
                }
                step_count += steps.len();
                if step_count > MOST_STEPS {
                    return Err(TooManyStates);
                }
                // The order of a hash table must not show.
                steps.sort_unstable_by_key(|step| (step.target, step.is_true, step.fulfilled));
                tableau.steps.push(steps);
            }
            at += 1;
        }
        Ok(tableau)
    }

    fn state_count(&self) -> usize {
        self.steps.len() / self.letters.max(1)
    }

    /// Returns the steps of a state by all letters.
    fn all_steps(&self, state: usize) -> impl Iterator<Item = &Step> {
        self.steps[state * self.letters..(state + 1) * self.letters].iter().flatten()
    }

    /// Returns for each state whether it has an infinite run that fulfils each `U`.
    fn live_states(&self) -> Vec<bool> {
        let components = self.components();
        let count = components.iter().map(|own| *own as usize + 1).max().unwrap_or(0);
        let (mut fulfilled, mut has_steps) = (vec![0; count], vec![false; count]);
        for (state, own) in components.iter().enumerate() {
            for step in self.all_steps(state).filter(|step| components[step.target as usize] == *own) {
                fulfilled[*own as usize] |= step.fulfilled;
                has_steps[*own as usize] = true;
            }
        }
        let mut sources: Vec<Vec<u32>> = vec![vec![]; components.len()];
        for state in 0..components.len() {
            for step in self.all_steps(state) {
                sources[step.target as usize].push(state as u32);
            }
        }
        let is_good = |own: &u32| has_steps[*own as usize] && fulfilled[*own as usize] == self.all;
        let mut is_live: Vec<bool> = components.iter().map(is_good).collect();
        let mut pending: Vec<usize> = (0..is_live.len()).filter(|state| is_live[*state]).collect();
        while let Some(state) = pending.pop() {
            for source in &sources[state] {
                if !std::mem::replace(&mut is_live[*source as usize], true) {
                    pending.push(*source as usize);
                }
            }
        }
        is_live
    }

    /// Returns the number of the strongly connected component of each state, after Tarjan, with a stack of its own: paths can be
    /// long.
    fn components(&self) -> Vec<u32> {
        const NEW: u32 = u32::MAX;
        let count = self.state_count();
        let targets: Vec<Vec<u32>> =
            (0..count).map(|state| self.all_steps(state).map(|step| step.target).collect()).collect();
        let (mut index, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
        let (mut open, mut next_index, mut next_component) = (Vec::new(), 0, 0);
        for root in 0..count {
            if index[root] != NEW {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((state, at)) = calls.pop() {
                if at == 0 {
                    (index[state], low[state]) = (next_index, next_index);
                    next_index += 1;
                    open.push(state);
                }
                if let Some(&target) = targets[state].get(at) {
                    let target = target as usize;
                    calls.push((state, at + 1));
                    if index[target] == NEW {
                        calls.push((target, 0));
                    } else if component[target] == NEW {
                        low[state] = low[state].min(index[target]);
                    }
                    continue;
                }
                if low[state] == index[state] {
                    while let Some(member) = open.pop() {
                        component[member] = next_component;
                        if member == state {
                            break;
                        }
                    }
                    next_component += 1;
                }
                if let Some((caller, _)) = calls.last() {
                    low[*caller] = low[*caller].min(low[state]);
                }
            }
        }
        component
    }

    fn determinise(&self, is_live: &[bool]) -> Result<LinearAutomaton, TooManyStates> {
        /// The states of guesses that make the formula true at the first letter, and of those that make it false.
        #[derive(Clone, PartialEq, Eq, Hash)]
        enum State {
            First,
            Open(Vec<u32>, Vec<u32>),
            Verdict(bool),
            Decided,
        }
        let mut states = vec![State::First];
        let mut numbers: FxHashMap<State, u32> = FxHashMap::from_iter([(State::First, 0)]);
        let mut automaton = LinearAutomaton { next: vec![], verdicts: vec![] };
        let (mut at, mut member_count) = (0, 0);
        while let Some(state) = states.get(at).cloned() {
            automaton.verdicts.push(match state {
                State::First | State::Open(..) => LinearVerdict::Undecided,
                State::Verdict(false) => LinearVerdict::Violation,
                State::Verdict(true) => LinearVerdict::Validation,
                State::Decided => LinearVerdict::Decided,
            });
            for letter in 0..self.letters {
                let live_steps = |from: u32| {
                    self.steps[from as usize * self.letters + letter]
                        .iter()
                        .filter(|step| is_live[step.target as usize])
                };
                let image = |from: &[u32]| {
                    sorted(from.iter().flat_map(|state| live_steps(*state)).map(|step| step.target).collect())
                };
                let first = |value: bool| {
                    sorted(live_steps(0).filter(|step| step.is_true == value).map(|step| step.target).collect())
                };
                let (satisfying, refuting) = match &state {
                    State::First => (first(true), first(false)),
                    State::Open(satisfying, refuting) => (image(satisfying), image(refuting)),
                    State::Verdict(_) | State::Decided => (vec![], vec![]),
                };
                let is_decided = matches!(state, State::Verdict(_) | State::Decided);
                let target = match (satisfying.is_empty(), refuting.is_empty()) {
                    _ if is_decided => State::Decided,
                    (true, _) => State::Verdict(false),
                    (false, true) => State::Verdict(true),
                    (false, false) => State::Open(satisfying, refuting),
                };
                if let State::Open(satisfying, refuting) = &target {
                    member_count += satisfying.len() + refuting.len();
                }
                let fresh = states.len() as u32;
                let number = *numbers.entry(target.clone()).or_insert(fresh);
                if number == fresh {
                    if states.len() == MOST_STATES || member_count > MOST_MEMBERS {
                        return Err(TooManyStates);
                    }
                    states.push(target);
                }
                automaton.next.push(number);
            }
            at += 1;
        }
        Ok(automaton)
    }
}

fn sorted(mut states: Vec<u32>) -> Vec<u32> {
    states.sort_unstable();
    states.dedup();
    states
}

#[cfg(test)]
mod tests {
    use gnomon_ir::core::{LetterId, NodeId};

    use super::*;

    fn edge(node: u32) -> Edge {
        Edge { node: NodeId(node), negated: false }
    }

    fn not(edge: Edge) -> Edge {
        Edge { negated: !edge.negated, ..edge }
    }

    fn letter(number: u32) -> LinearNode {
        LinearNode::Letter(LetterId(number))
    }

    /// Returns the verdict after each letter of a word.
    fn run(core: &LinearCore, letters: usize, word: &[usize]) -> String {
        let automaton = automaton(core, letters).unwrap();
        let mut state = 0;
        let mut verdict = |letter: &usize| {
            state = automaton.next[state * letters + letter] as usize;
            match automaton.verdicts[state] {
                LinearVerdict::Undecided => '?',
                LinearVerdict::Violation => 'v',
                LinearVerdict::Validation => 't',
                LinearVerdict::Decided => '.',
            }
        };
        word.iter().map(&mut verdict).collect()
    }

    #[test]
    fn a_violation_is_reported_as_soon_as_it_is_certain() {
        // [](a => o b): never (true U (a and not o b)); letters a, b, c.
        let nodes = vec![
            LinearNode::True,
            letter(0),
            letter(1),
            LinearNode::Next(edge(2)),
            LinearNode::And(vec![edge(1), not(edge(3))]),
            LinearNode::Until(edge(0), edge(4)),
        ];
        let core = LinearCore { nodes, root: not(edge(5)) };
        assert_eq!(run(&core, 3, &[0, 1, 2, 0, 2, 0]), "????v.");
        assert_eq!(run(&core, 3, &[0, 0]), "?v");
    }

    #[test]
    fn promises_that_cannot_be_kept_count_at_once() {
        // []a and <>b: each letter is a, and some letter is b. With the letters a and b no word satisfies it.
        let nodes = vec![
            LinearNode::True,
            letter(0),
            letter(1),
            LinearNode::Until(edge(0), not(edge(1))),
            LinearNode::Until(edge(0), edge(2)),
            LinearNode::And(vec![not(edge(3)), edge(4)]),
        ];
        let core = LinearCore { nodes, root: edge(5) };
        assert_eq!(run(&core, 2, &[0, 0]), "v.");
    }

    #[test]
    fn eventually_is_validated_and_repeatedly_never_decided() {
        let eventually = vec![LinearNode::True, letter(0), LinearNode::Until(edge(0), edge(1))];
        assert_eq!(run(&LinearCore { nodes: eventually.clone(), root: edge(2) }, 2, &[1, 1, 0, 0]), "??t.");
        let mut repeatedly = eventually;
        repeatedly.push(LinearNode::Until(edge(0), not(edge(2))));
        assert_eq!(run(&LinearCore { nodes: repeatedly, root: not(edge(3)) }, 2, &[0, 1, 0, 1]), "????");
    }

    #[test]
    fn past_operators_over_future_ones_are_exact() {
        // <>(b and (*) o b): some b whose letter before is followed by b, which it is: like <>(b and (*) true).
        let nodes = vec![
            LinearNode::True,
            letter(1),
            LinearNode::Next(edge(1)),
            LinearNode::Previous(edge(2)),
            LinearNode::And(vec![edge(1), edge(3)]),
            LinearNode::Until(edge(0), edge(4)),
        ];
        let core = LinearCore { nodes, root: edge(5) };
        assert_eq!(run(&core, 2, &[1, 0, 1, 0]), "??t.");
    }

    #[test]
    fn too_many_operators_are_refused() {
        let mut nodes = vec![LinearNode::True, letter(0)];
        for place in 1..=20 {
            nodes.push(LinearNode::Next(edge(place)));
        }
        let core = LinearCore { nodes, root: edge(21) };
        assert!(automaton(&core, 2).is_err());
    }
}
