// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of a body over the slice of an instance, as one deterministic automaton.
//!
//! The body, creation events, `suffix`, resets, `full-binding` and `connected` together decide what an instance reports at a letter. All of
//! them depend on the letters of its slice alone, so they are one automaton over letters: its state is [`RunState`], the state of an instance
//! is the number of one, and a letter costs one lookup ([`RunStates::step`]). A step that is not known is computed from
//! the body by [`RunRules::compute`].
//!
//! Example: a `suffix` property `a b` over the letters a, b. The slice `a a b` has runs from each letter: after `a a` two of them wait for `b`, in
//! the same state, so there is one. `b` matches: the instance reports, and the run is dropped.
//!
//! | letter | runs afterwards | state | reports |
//! |---|---|---|---|
//! | | none | 0 | |
//! | a | `a . b` | 2 | |
//! | a | `a . b` | 2 | |
//! | b | none: `a b .` reported, `b` matches nothing | 3 | match |
//!
//! A small automaton is computed when the plan is made and shared by all monitors ([`RunStates::explore`]). Otherwise each monitor
//! computes the states that its instances reach, and [collects](RunStates::retain) those that none is in any more.
// RULE L12, L13, L14, L15, L16

use gnomon_ir::core::Creation;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::body::{Body, BodyState, BodyStates};
use super::table::NO_CATEGORY;
use crate::slice::storage::index::Mask;

/// The number of a state.
pub(super) type StateNumber = u32;

/// The state before the first letter of a slice.
pub(super) const INITIAL: StateNumber = 0;

/// The state of an instance that will never report again.
pub(super) const DEAD: StateNumber = 1;

/// A step to a state, with what happens on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RunStep(u32);

impl RunStep {
    const UNKNOWN: RunStep = RunStep(u32::MAX);
    const REPORTS: u32 = 1 << 31;
    const LIVE: u32 = 1 << 30;
    /// Numbers of states are below this.
    const BOUND: u32 = 1 << 29;

    #[inline]
    pub(super) fn target(self) -> StateNumber {
        self.0 & (RunStep::BOUND - 1)
    }

    /// Returns true if the instance reports a forbidden category.
    #[inline]
    pub(super) fn reports(self) -> bool {
        self.0 & RunStep::REPORTS != 0
    }

    /// RULE L16. Returns true if some run has a forbidden category, or may still reach one.
    #[inline]
    pub(super) fn is_live(self) -> bool {
        self.0 & RunStep::LIVE != 0
    }
}

/// A letter of the property.
#[derive(Clone, Copy, Debug)]
pub(super) struct LetterRule {
    /// The parameters that it binds.
    pub(super) mask: Mask,
    pub(super) creates: bool,
}

/// Rules of a property that decide on the runs of an instance.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent options of the property
pub(super) struct RunRules {
    pub(super) body: Body,
    pub(super) letters: Vec<LetterRule>,
    /// All parameters.
    pub(super) full: Mask,
    pub(super) creation: Creation,
    pub(super) suffix: bool,
    pub(super) full_binding: bool,
    pub(super) connected: bool,
    /// For each forbidden category, true if its violations reset the instance.
    pub(super) resets: Vec<bool>,
}

/// The events of the slice so far, as far as runs depend on them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
enum Phase {
    /// There was none, or none that counts: a creation event must come.
    Initial,
    Running,
    /// Nothing will be reported any more.
    Dead,
}

/// The runs of an instance.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct RunState {
    phase: Phase,
    /// The parameters of the instance, where it depends on them what is reported.
    mask: Mask,
    /// Parameters that letters of the slice link, directly or through others, where reports depend on them: disjoint sets, in order.
    links: Box<[Mask]>,
    /// The states of the runs, in order.
    runs: Box<[BodyState]>,
}

impl RunState {
    fn dead() -> Self {
        RunState { phase: Phase::Dead, mask: 0, links: Box::default(), runs: Box::default() }
    }
}

/// The effect of a letter on the runs.
struct RunChange {
    state: RunState,
    /// The place of the forbidden category that is reported, or [`NO_CATEGORY`].
    category: u16,
    is_live: bool,
}

impl RunRules {
    /// Returns true if states depend on the parameters of the instance.
    pub(super) fn depends_on_mask(&self) -> bool {
        self.full_binding || self.connected
    }

    /// Adds the parameters that a letter links to sets of linked ones. Sets that overlap are joined.
    fn link(&self, links: &[Mask], letter: usize) -> Box<[Mask]> {
        let mut own = self.letters[letter].mask;
        if !self.connected || own.count_ones() < 2 {
            return links.into();
        }
        let mut linked: Vec<Mask> = Vec::with_capacity(links.len() + 1);
        for set in links {
            if set & own == 0 {
                linked.push(*set);
            } else {
                own |= set;
            }
        }
        linked.push(own);
        linked.sort_unstable();
        linked.into()
    }

    /// RULE L14. Returns true if an instance with these parameters and events does not report.
    fn is_muted(&self, mask: Mask, links: &[Mask]) -> bool {
        let is_connected = || mask.count_ones() < 2 || links == [mask];
        (self.full_binding && mask != self.full) || (self.connected && !is_connected())
    }

    /// Computes the effect of a letter.
    fn compute(&self, states: &mut BodyStates, before: &RunState, letter: usize) -> RunChange {
        let creates = self.letters[letter].creates;
        let unchanged = |state: RunState| RunChange { state, category: NO_CATEGORY, is_live: false };
        let mut runs: Vec<BodyState> = match (before.phase, self.creation) {
            (Phase::Dead, _) => return unchanged(RunState::dead()),
            (Phase::Initial, Creation::MustBeFirst) if !creates => return unchanged(RunState::dead()),
            (Phase::Initial, Creation::DropBefore) if !creates => return unchanged(before.clone()),
            (Phase::Initial, _) if self.suffix => vec![],
            (Phase::Initial, _) => vec![0],
            (Phase::Running, _) => before.runs.to_vec(),
        };
        if self.suffix && creates {
            runs.push(0);
        }
        for run in &mut runs {
            *run = self.body.next(states, *run, letter);
        }
        let links = self.link(&before.links, letter);
        let is_muted = self.is_muted(before.mask, &links);
        let categories: Vec<u16> = runs.iter().map(|run| self.body.category(states, *run)).collect();
        let least = categories.iter().copied().min().unwrap_or(NO_CATEGORY);
        let category = if is_muted { NO_CATEGORY } else { least };
        if category != NO_CATEGORY {
            let resets = self.resets[category as usize];
            if self.suffix {
                // A run that reported is dropped; an instance that is reset has none.
                let kept = runs.iter().zip(&categories).filter(|(_, own)| !resets && **own == NO_CATEGORY);
                runs = kept.map(|(run, _)| *run).collect();
            } else if resets {
                runs = vec![0];
            }
        }
        runs.retain(|run| self.body.may_report(states, *run));
        runs.sort_unstable();
        runs.dedup();
        let is_live = least != NO_CATEGORY || !runs.is_empty();
        if runs.is_empty() && !self.suffix {
            return RunChange { state: RunState::dead(), category, is_live };
        }
        RunChange {
            state: RunState { phase: Phase::Running, mask: before.mask, links, runs: runs.into() },
            category,
            is_live,
        }
    }
}

/// The states that were computed so far, and the steps between them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunStates {
    body: BodyStates,
    states: Vec<RunState>,
    /// Number of states at which those that are not in use are collected.
    collect_at: usize,
    /// For each state and letter.
    #[serde(skip)]
    steps: Vec<RunStep>,
    /// For each state and letter, the category that is reported.
    #[serde(skip)]
    categories: Vec<u16>,
    #[serde(skip)]
    numbers: FxHashMap<RunState, StateNumber>,
}

/// The least number of states at which some are collected.
const LEAST_COLLECTED: usize = 1 << 14;

impl RunStates {
    pub(super) fn new(rules: &RunRules) -> Self {
        let mut states = RunStates {
            body: rules.body.start(),
            states: vec![],
            collect_at: LEAST_COLLECTED,
            steps: vec![],
            categories: vec![],
            numbers: FxHashMap::default(),
        };
        let initial = RunState { phase: Phase::Initial, mask: 0, links: Box::default(), runs: Box::default() };
        states.number(rules, initial);
        states.number(rules, RunState::dead());
        states
    }

    /// Returns the step of a state by a letter, if it is known.
    #[inline]
    pub(super) fn known_step(&self, letters: usize, state: StateNumber, letter: usize) -> Option<RunStep> {
        let step = self.steps[state as usize * letters + letter];
        (step != RunStep::UNKNOWN).then_some(step)
    }

    /// Returns the step of a state by a letter.
    #[inline]
    pub(super) fn step(&mut self, rules: &RunRules, state: StateNumber, letter: usize) -> RunStep {
        match self.known_step(rules.letters.len(), state, letter) {
            Some(step) => step,
            None => self.compute_step(rules, state, letter),
        }
    }

    /// Returns the category that a step reports.
    pub(super) fn category(&self, letters: usize, state: StateNumber, letter: usize) -> u16 {
        self.categories[state as usize * letters + letter]
    }

    #[cold]
    fn compute_step(&mut self, rules: &RunRules, state: StateNumber, letter: usize) -> RunStep {
        let before = self.states[state as usize].clone();
        let RunChange { state: after, category, is_live } = rules.compute(&mut self.body, &before, letter);
        let target = self.number(rules, after);
        let reports = if category == NO_CATEGORY { 0 } else { RunStep::REPORTS };
        let step = RunStep(target | reports | if is_live { RunStep::LIVE } else { 0 });
        let place = state as usize * rules.letters.len() + letter;
        (self.steps[place], self.categories[place]) = (step, category);
        step
    }

    /// Returns the state of an instance with more parameters and the same slice.
    pub(super) fn with_mask(&mut self, rules: &RunRules, state: StateNumber, mask: Mask) -> StateNumber {
        if !rules.depends_on_mask() || state == DEAD {
            return state;
        }
        let wider = RunState { mask, ..self.states[state as usize].clone() };
        self.number(rules, wider)
    }

    /// Returns the state of an instance with more parameters and the same slice, where all states have been [explored](RunStates::explore).
    pub(super) fn known_with_mask(&self, rules: &RunRules, state: StateNumber, mask: Mask) -> StateNumber {
        if !rules.depends_on_mask() || state == DEAD {
            return state;
        }
        let wider = RunState { mask, ..self.states[state as usize].clone() };
        *self.numbers.get(&wider).expect("instances have unions of the parameters of letters, and all were explored")
    }

    fn number(&mut self, rules: &RunRules, state: RunState) -> StateNumber {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        let number = self.states.len() as StateNumber;
        assert!(number < RunStep::BOUND, "fewer than 2^29 states are in use");
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.steps.resize(self.states.len() * rules.letters.len(), RunStep::UNKNOWN);
        self.categories.resize(self.states.len() * rules.letters.len(), NO_CATEGORY);
        number
    }

    /// Computes all states that instances can reach, at most `most`. Returns false if there are more.
    pub(super) fn explore(&mut self, rules: &RunRules, most: usize) -> bool {
        let masks = if rules.depends_on_mask() { unions(rules) } else { vec![] };
        let mut at = 0;
        while at < self.states.len() {
            for mask in &masks {
                self.with_mask(rules, at as StateNumber, *mask);
            }
            for letter in 0..rules.letters.len() {
                self.step(rules, at as StateNumber, letter);
            }
            if self.states.len() > most {
                return false;
            }
            at += 1;
        }
        true
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns true if states that no instance is in should be collected.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.states.len() >= self.collect_at
    }

    /// Keeps the states that instances are in. Returns a function from their old numbers to their new ones, as a list.
    ///
    /// COST: the states and the instances. The next collection comes when there are twice as many states as are kept, so a new state
    /// pays for it.
    pub(super) fn retain(&mut self, rules: &RunRules, kept: impl Iterator<Item = StateNumber>) -> Vec<StateNumber> {
        let mut is_kept = vec![false; self.states.len()];
        (is_kept[INITIAL as usize], is_kept[DEAD as usize]) = (true, true);
        kept.for_each(|state| is_kept[state as usize] = true);
        let old = std::mem::take(&mut self.states);
        let kept_states = || old.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept).map(|(state, _)| state);
        let runs: Vec<BodyState> = kept_states().flat_map(|state| state.runs.iter().copied()).collect();
        let numbers = self.body.retain(&runs);
        let renumber = |run: &BodyState| numbers.get(*run as usize).copied().flatten().unwrap_or(*run);
        self.steps.clear();
        self.categories.clear();
        self.numbers.clear();
        let state_numbers = old.iter().zip(&is_kept).map(|(state, is_kept)| {
            if !is_kept {
                return DEAD;
            }
            let mut runs: Vec<BodyState> = state.runs.iter().map(renumber).collect();
            runs.sort_unstable();
            self.number(rules, RunState { runs: runs.into(), ..state.clone() })
        });
        let state_numbers = state_numbers.collect();
        self.collect_at = (2 * self.states.len()).max(LEAST_COLLECTED);
        state_numbers
    }

    /// Adds the states of another run of the property. Returns the number that each of them has here.
    pub(super) fn absorb(&mut self, rules: &RunRules, other: RunStates) -> Vec<StateNumber> {
        let numbers = self.body.absorb(other.body);
        let renumber = |run: &BodyState| numbers.get(*run as usize).copied().unwrap_or(*run);
        let states = other.states.into_iter().map(|state| {
            let mut runs: Vec<BodyState> = state.runs.iter().map(renumber).collect();
            runs.sort_unstable();
            self.number(rules, RunState { runs: runs.into(), ..state })
        });
        states.collect()
    }

    pub(super) fn bytes(&self) -> usize {
        let runs: usize = self.states.iter().map(|state| 4 * (state.runs.len() + state.links.len())).sum();
        // Each state is in the list and in the table.
        self.body.bytes()
            + 2 * (runs + self.states.len() * size_of::<RunState>())
            + self.steps.capacity() * (size_of::<RunStep>() + size_of::<u16>())
    }

    /// Completes restored states. Returns false if they are damaged or of another property.
    pub(super) fn rebuild(&mut self, rules: &RunRules) -> bool {
        let Some(bound) = self.body.rebuild(&rules.body) else { return false };
        let states = std::mem::take(&mut self.states);
        let is_sound = |state: &RunState| {
            state.links.iter().fold(state.mask, |all, set| all | set) & !rules.full == 0
                && state.runs.is_sorted()
                && state.runs.iter().all(|run| (*run as usize) < bound)
                && (state.phase != Phase::Dead || *state == RunState::dead())
        };
        let count = states.len();
        if count < 2 || count >= RunStep::BOUND as usize || !states.iter().all(is_sound) {
            return false;
        }
        for state in states {
            self.number(rules, state);
        }
        self.states.len() == count
            && self.states[INITIAL as usize].phase == Phase::Initial
            && self.states[DEAD as usize].phase == Phase::Dead
    }
}

/// Returns all sets of parameters that instances can have: unions of those of letters.
pub(super) fn unions(rules: &RunRules) -> Vec<Mask> {
    let mut unions: Vec<Mask> = vec![0];
    for letter in &rules.letters {
        for at in 0..unions.len() {
            let union = unions[at] | letter.mask;
            if !unions.contains(&union) {
                unions.push(union);
            }
        }
    }
    unions
}
