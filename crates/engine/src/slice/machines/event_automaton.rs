// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event automata as machines.
//!
//! An automaton runs over the events of its slice. Without registers and guards it is a table ([`Subsets`]) and the state of
//! an instance is a number. Otherwise the state is the list of configurations of its runs.
// RULE A3, A4

use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{
    Binding, Cause, DecisionPoint, Durations, End, Origin, Outcome, TracePosition, Verdict, Violation,
};
use gnomon_ir::automaton::DefaultMove;
use gnomon_ir::core::{AutomatonCore, TransitionCore};
use serde::{Deserialize, Serialize};

use super::guard::{GuardScope, holds, quantified_among, value};
use super::subsets::{Set, Subsets, bits, set_of};
use crate::slice::machine::{
    Attention, BindingPosition, Capabilities, Extent, Machine, Match, Matches, NewInstance, Schedule, Sink, StateCounts,
};
use crate::slice::storage::domains::Mentions;
use crate::slice::storage::index::{Mask, lacks};
use crate::slice::storage::values::{Id, ValueInterner};

/// An automaton ready to run.
#[derive(Clone, Debug)]
pub(crate) struct EventAutomaton {
    core: AutomatonCore,
    /// For each state, true if an accepting one can be reached, itself included; guards are ignored.
    can_accept: Vec<bool>,
    /// For each state, true if a run there stays accepting whatever comes.
    safe: Vec<bool>,
    /// No accepting state can be reached from the first one.
    starts_trapped: bool,
    /// The table of sets of states, where nothing but the event decides.
    subsets: Option<Subsets>,
    /// The quantified variables that guards and assignments read.
    guarded: Mask,
}

/// The state of one instance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AutomatonState {
    runs: RunSet,
    history: Option<SliceHistory>,
    /// The first event of the trace, if it rejects for good.
    trapped_at: Option<TracePosition>,
    /// The events so far, while a variable that guards read has no value.
    log: Vec<AutomatonLogEntry>,
}

/// An event of the slice.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct AutomatonLogEntry {
    position: u64,
    first: Origin,
    matches: Matches,
}

/// The states of the runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum RunSet {
    /// A set of states that the table knows.
    Set(Set),
    /// Configurations, each once.
    Configurations(Box<[Configuration]>),
}

/// A state, and the values of the free variables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Configuration {
    state: u32,
    registers: Vec<Option<Value<'static>>>,
}

/// Summary of the events of the slice.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SliceHistory {
    first: Timestamp,
    last: Timestamp,
    /// Where the slice ceased to be accepted for the last time; where it began, if it never was accepted.
    rejected_at: TracePosition,
    /// It ceased to be accepted at least once.
    was_rejected: bool,
    accepting: bool,
    /// The event after which no continuation is accepted.
    rejected_for_good_at: Option<Origin>,
}

impl EventAutomaton {
    pub(crate) fn new(core: &AutomatonCore) -> Self {
        let reach: Vec<Vec<usize>> = (0..core.states.len()).map(|state| reachable(core, state)).collect();
        let can_accept = reach.iter().map(|states| states.iter().any(|state| core.states[*state].accepting)).collect();
        let stays = |state: &usize| core.states[*state].accepting && core.states[*state].otherwise == DefaultMove::Stay;
        let safe = reach.iter().map(|states| states.iter().all(stays)).collect();
        let can_accept: Vec<bool> = can_accept;
        EventAutomaton {
            subsets: subsets(core),
            guarded: guarded(core),
            core: core.clone(),
            starts_trapped: !can_accept[0],
            can_accept,
            safe,
        }
    }

    fn accepts(&self, runs: &RunSet) -> bool {
        self.any(runs, |state| self.core.states[state].accepting)
    }

    fn is_rejected_for_good(&self, runs: &RunSet) -> bool {
        !self.any(runs, |state| self.can_accept[state])
    }

    fn any(&self, runs: &RunSet, of: impl Fn(usize) -> bool) -> bool {
        match (runs, &self.subsets) {
            (RunSet::Set(set), Some(subsets)) => subsets.states(*set).any(of),
            (RunSet::Set(_), None) => false,
            (RunSet::Configurations(all), _) => all.iter().any(|one| of(one.state as usize)),
        }
    }

    fn initial(&self) -> RunSet {
        if self.subsets.is_some() {
            return RunSet::Set(Subsets::INITIAL);
        }
        let registers = vec![None; self.core.registers.len()];
        RunSet::Configurations(Box::new([Configuration { state: 0, registers }]))
    }

    fn after(&self, runs: &RunSet, at: &BindingPosition<'_>) -> RunSet {
        match (runs, &self.subsets) {
            (RunSet::Set(set), Some(subsets)) => RunSet::Set(subsets.step(*set, at.letter() as usize)),
            (RunSet::Configurations(all), _) => RunSet::Configurations(self.step(all, at).into()),
            (RunSet::Set(_), None) => runs.clone(),
        }
    }

    /// The configurations after an event of the slice.
    fn step(&self, before: &[Configuration], at: &BindingPosition<'_>) -> Vec<Configuration> {
        let mut after: Vec<Configuration> = Vec::with_capacity(before.len());
        let mut add = |configuration: Configuration| {
            if !after.contains(&configuration) {
                after.push(configuration);
            }
        };
        for one in before {
            let state = &self.core.states[one.state as usize];
            let mut has_moved = false;
            for transition in &state.transitions {
                for event in at.matches().filter(|event| event.atom() == transition.atom) {
                    if let Some(next) = self.follow(one, transition, event, at) {
                        has_moved = true;
                        add(next);
                    }
                }
            }
            if !has_moved && state.otherwise == DefaultMove::Stay {
                add(one.clone());
            }
        }
        after
    }

    /// The configuration after a transition, if the event takes it.
    fn follow(
        &self,
        from: &Configuration,
        transition: &TransitionCore,
        event: &Match,
        at: &BindingPosition<'_>,
    ) -> Option<Configuration> {
        let quantified = self.core.prefix.len();
        let mut registers = from.registers.clone();
        for (variable, value) in at.matches.registers(event) {
            registers[*variable as usize - quantified] = Some(value.clone());
        }
        let scope = GuardScope { ids: at.ids, values: at.values, registers: &registers };
        let is_open = |guard: &Option<_>| guard.as_ref().is_none_or(|guard| holds(guard, &scope));
        let branch = transition.branches.iter().find(|branch| is_open(&branch.guard))?;
        for (variable, expression) in &branch.assignments {
            let scope = GuardScope { ids: at.ids, values: at.values, registers: &registers };
            let result = value(expression, &scope).map(std::borrow::Cow::into_owned);
            if let Some(result) = result {
                registers[variable.0 as usize - quantified] = Some(result);
            }
        }
        Some(Configuration { state: branch.target as u32, registers })
    }

    /// Takes in an event of the slice, if the position has one.
    fn happen(&self, state: &mut AutomatonState, at: &BindingPosition<'_>) {
        let Some(origin) = at.matches().next().map(|one| one.origin) else { return };
        let here = TracePosition { position: at.position, origin };
        let was_accepting = state.history.map_or_else(|| self.accepts(&state.runs), |history| history.accepting);
        state.runs = self.after(&state.runs, at);
        let accepting = self.accepts(&state.runs);
        let (first, last) = (origin.time, origin.time);
        let fresh =
            SliceHistory { first, last, rejected_at: here, was_rejected: false, accepting, rejected_for_good_at: None };
        let history = state.history.get_or_insert(fresh);
        history.last = origin.time;
        if was_accepting && !accepting {
            history.rejected_at = here;
            history.was_rejected = true;
        }
        history.accepting = accepting;
        if self.is_rejected_for_good(&state.runs) {
            history.rejected_for_good_at.get_or_insert(origin);
        }
        if lacks(at.ids, self.guarded) {
            let matches = at.matches.extract(at.applying);
            state.log.push(AutomatonLogEntry { position: at.position, first: *at.first, matches });
        }
    }

    /// Runs the events of a log again, for a binding with the values of all variables that guards read.
    fn replay(&self, log: &[AutomatonLogEntry], ids: &[Id], values: &ValueInterner) -> AutomatonState {
        let mut state = self.start(0);
        for AutomatonLogEntry { position, first, matches } in log {
            let applying: Vec<u32> = (0..matches.len() as u32).collect();
            let at = BindingPosition {
                position: *position,
                first,
                previous: None,
                matches,
                applying: &applying,
                ids,
                values,
            };
            self.happen(&mut state, &at);
        }
        state
    }

    /// Adds events that named the binding before it had an instance, and changed nothing.
    fn name(&self, state: &mut AutomatonState, Mentions { first, last }: Mentions) {
        let accepting = self.accepts(&state.runs);
        let began = first.origin.time;
        let (was_rejected, rejected_for_good_at) = (false, None);
        let fresh =
            SliceHistory { first: began, last, rejected_at: first, was_rejected, accepting, rejected_for_good_at };
        let history = state.history.get_or_insert(fresh);
        history.first = history.first.min(began);
        history.last = history.last.max(last);
        if !history.was_rejected && first.position < history.rejected_at.position {
            history.rejected_at = first;
        }
    }

    fn ending(&self, state: &AutomatonState, extent: Extent, end: End) -> Outcome {
        let accepted = self.accepts(&state.runs);
        let is_rejected_for_good = self.is_rejected_for_good(&state.runs);
        let verdict = match end {
            End::Complete if accepted => Verdict::Holds,
            End::Complete => Verdict::Violated,
            End::Prefix if is_rejected_for_good => Verdict::Violated,
            End::Prefix if self.any(&state.runs, |state| self.safe[state]) => Verdict::Holds,
            End::Prefix => Verdict::Inconclusive,
        };
        let count = |yes: bool| u64::from(yes && state.history.is_some());
        let durations = state.history.filter(|_| verdict == Verdict::Holds).map(|history| {
            let took = history.last - history.first;
            Durations { min: took, max: took, sum: took.ticks(), count: 1 }
        });
        let violation = if verdict == Verdict::Violated { self.violation(state, extent) } else { None };
        Outcome {
            verdict,
            presumably: (verdict == Verdict::Inconclusive).then_some(accepted),
            positions: extent.positions,
            activated: count(true),
            satisfied: count(verdict == Verdict::Holds),
            violated: u64::from(verdict == Verdict::Violated),
            open_at_end: u64::from(verdict == Verdict::Violated && !is_rejected_for_good),
            pending: count(verdict == Verdict::Inconclusive),
            durations,
            violations: violation.into_iter().collect(),
            merged_simultaneous: false,
            fault: None,
        }
    }

    fn violation(&self, state: &AutomatonState, extent: Extent) -> Option<Violation> {
        let at_first = |origin| TracePosition { position: 0, origin };
        // RULE A10
        let (at, rejected_for_good_at) = match state.history {
            _ if self.starts_trapped => {
                let at = state.trapped_at.or(extent.first.map(at_first))?;
                (at, Some(at.origin))
            }
            Some(history) => (history.rejected_at, history.rejected_for_good_at),
            None => (extent.first.map(at_first)?, None),
        };
        let decided = rejected_for_good_at.map_or(DecisionPoint::End(extent.last_time), DecisionPoint::Event);
        let mut because = vec![Cause { origin: at.origin, note: "not accepted from here on".to_owned() }];
        if let Some(origin) = rejected_for_good_at.filter(|origin| origin.event_index != at.origin.event_index) {
            because.push(Cause { origin, note: "no way back to an accepting state".to_owned() });
        }
        let states = self.core.states.iter().enumerate().filter(|(at, _)| self.any(&state.runs, |other| other == *at));
        let names: Vec<String> = states.map(|(_, state)| format!("`{}`", state.name)).collect();
        let summary =
            if names.is_empty() { "every run died".to_owned() } else { format!("ends in {}", names.join(", ")) };
        let failed = self.core.span;
        let (part, binding) = (failed, Binding::default());
        Some(Violation { at, until_position: None, decided, binding, part, failed, summary, because })
    }
}

/// The states that can be reached from one, itself included; guards are ignored.
fn reachable(core: &AutomatonCore, start: usize) -> Vec<usize> {
    let mut reached = vec![start];
    let mut next = 0;
    while let Some(&state) = reached.get(next) {
        for branch in core.states[state].transitions.iter().flat_map(|transition| &transition.branches) {
            if !reached.contains(&branch.target) {
                reached.push(branch.target);
            }
        }
        next += 1;
    }
    reached
}

/// The automaton as a table. `None` if something but the event decides, or if the table would be large.
fn subsets(core: &AutomatonCore) -> Option<Subsets> {
    let mut transitions = core.states.iter().flat_map(|state| &state.transitions);
    let has_guards = transitions.any(|one| one.branches.iter().any(|branch| branch.guard.is_some()));
    if has_guards || !core.registers.is_empty() || core.states.len() > 64 {
        return None;
    }
    Subsets::new(1, core.atoms.len(), |set, letter| {
        if letter == 0 {
            return set;
        }
        bits(set).fold(0, |next, number| {
            let state = &core.states[number];
            let has_moved = state.transitions.iter().filter(|transition| letter >> transition.atom.0 & 1 == 1);
            let targets =
                set_of(has_moved.filter_map(|transition| transition.branches.first()).map(|branch| branch.target));
            let stays = targets == 0 && state.otherwise == DefaultMove::Stay;
            next | targets | u64::from(stays) << number
        })
    })
}

/// Returns the quantified variables that guards and assignments mention.
fn guarded(core: &AutomatonCore) -> Mask {
    let transitions = core.states.iter().flat_map(|state| &state.transitions);
    let mut variables = Vec::new();
    for branch in transitions.flat_map(|transition| &transition.branches) {
        branch.guard.iter().for_each(|guard| guard.variables(&mut variables));
        branch.assignments.iter().for_each(|(_, expression)| expression.variables(&mut variables));
    }
    quantified_among(&variables, core.prefix.len())
}

impl Machine for EventAutomaton {
    type State = AutomatonState;
    type Scratch = ();
    const COUNTS_IN_SINK: bool = false;

    fn capabilities(&self) -> Capabilities {
        let is_table = self.subsets.is_some();
        Capabilities {
            initial_is_quiescent: !self.starts_trapped,
            guarded_variables: self.guarded,
            // A guard may look at values.
            is_time_invariant: is_table,
            filters_bindings: self.core.condition.is_some(),
            records_all_events: true,
            heap_bytes: if is_table { 0 } else { 96 + 32 * self.core.registers.len() },
            span: self.core.span,
            looks_ahead: true,
            ..Capabilities::default()
        }
    }

    fn start(&self, _: usize) -> AutomatonState {
        AutomatonState { runs: self.initial(), history: None, trapped_at: None, log: vec![] }
    }

    fn visit(&self, state: &mut AutomatonState, (): &mut (), at: &BindingPosition<'_>, _: &mut Sink<'_>) {
        if self.starts_trapped {
            state.trapped_at.get_or_insert(TracePosition { position: at.position, origin: *at.first });
        }
        self.happen(state, at);
    }

    fn reacts(&self, state: &AutomatonState, at: &BindingPosition<'_>) -> bool {
        self.after(&state.runs, at) != state.runs
    }

    fn split(&self, from: &AutomatonState, to: &NewInstance<'_>) -> AutomatonState {
        let mut state = if to.binds_guarded { self.replay(&from.log, to.ids, to.values) } else { from.clone() };
        state.trapped_at = from.trapped_at;
        if let Some(mentions) = to.mentions {
            self.name(&mut state, mentions);
        }
        state
    }

    fn schedule(&self, state: &AutomatonState) -> Schedule {
        // Once the slice has an event, the times of its events matter.
        Schedule::untimed(state.history.is_none() && state.runs == self.initial())
    }

    fn attention(&self, state: &AutomatonState) -> Attention {
        let is_rejected_for_good = state.history.is_some_and(|history| history.rejected_for_good_at.is_some());
        if state.trapped_at.is_some() || (state.log.is_empty() && is_rejected_for_good) {
            Attention::Nothing
        } else {
            Attention::Matches
        }
    }

    fn counts(&self, state: &AutomatonState) -> StateCounts {
        let violated = u64::from(self.attention(state) == Attention::Nothing);
        StateCounts { any: state.history.is_some(), violated, ..StateCounts::default() }
    }

    fn outcome(&self, state: &AutomatonState) -> Outcome {
        let (last_time, frontier) = (Timestamp::MIN, Timestamp::MIN);
        self.ending(
            state,
            Extent { positions: 0, last_time, frontier, first: None, last: None, most_listed: 0 },
            End::Prefix,
        )
    }

    fn finish(&self, state: &mut AutomatonState, (): &mut (), extent: Extent, end: End) -> Outcome {
        self.ending(state, extent, end)
    }

    fn admits(&self, ids: &[Id], values: &ValueInterner) -> bool {
        let scope = GuardScope { ids, values, registers: &[] };
        self.core.condition.as_ref().is_none_or(|condition| holds(condition, &scope))
    }
}
