// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event automata as the machine of a binding.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Because, Binding, Decided, Durations, End, Origin, Outcome, Verdict, Violation};
use gnomon_ir::automaton::Otherwise;
use gnomon_ir::core::AutomatonCore;
use serde::{Deserialize, Serialize};

use super::guard::{self, Scope, holds};
use super::runs::{Configuration, Runs, step};
use super::subsets::{Set, Subsets};
use crate::slice::Named;
use crate::slice::machine::{Extent, Machine, Moment, Sink};
use crate::slice::matches::{Mask, Matches};
use crate::slice::values::{Id, NONE, Values};

/// An automaton ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    pub(crate) core: AutomatonCore,
    /// For each state, whether an accepting one can be reached, itself included; guards are ignored.
    hopeful: Vec<bool>,
    /// For each state, whether a run there stays accepting whatever comes.
    safe: Vec<bool>,
    /// The table of sets of states, where nothing but the event decides.
    subsets: Option<Subsets>,
    /// The quantified variables that guards and assignments look at.
    splits: Mask,
}

/// The state for one binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Progress {
    runs: Where,
    slice: Option<Slice>,
    /// What has happened, while a variable that guards look at has no value.
    log: Vec<Entry>,
}

/// An event that concerned a binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    position: u64,
    first: Origin,
    matches: Matches,
}

/// Where the runs are.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Where {
    /// In a set of states that the table knows.
    Set(Set),
    /// In configurations of their own.
    Runs(Box<Runs>),
}

/// What is known of the events that concerned the binding.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Slice {
    first: Timestamp,
    last: Timestamp,
    /// Where it ceased to be accepted for the last time; where it began, if it never was accepted.
    rejected_at: At,
    /// Whether it ever ceased to be.
    has_fallen: bool,
    accepting: bool,
    /// When it became certain that it never will be.
    lost_at: Option<Origin>,
}

impl Events {
    pub(crate) fn new(core: &AutomatonCore) -> Self {
        let reach = reachable(core);
        let hopeful = reach.iter().map(|states| states.iter().any(|state| core.states[*state].accepting)).collect();
        let stays = |state: &usize| core.states[*state].accepting && core.states[*state].otherwise == Otherwise::Stay;
        let safe = reach.iter().map(|states| states.iter().all(stays)).collect();
        Events { subsets: Subsets::new(core), core: core.clone(), hopeful, safe, splits: guard::mentioned(core) }
    }

    fn accepts(&self, runs: &Where) -> bool {
        self.any(runs, |state| self.core.states[state].accepting)
    }

    fn is_lost(&self, runs: &Where) -> bool {
        !self.any(runs, |state| self.hopeful[state])
    }

    fn is_safe(&self, runs: &Where) -> bool {
        self.any(runs, |state| self.safe[state])
    }

    fn any(&self, runs: &Where, of: impl Fn(usize) -> bool) -> bool {
        match (runs, &self.subsets) {
            (Where::Set(set), Some(subsets)) => subsets.states(*set).any(of),
            (Where::Set(_), None) => false,
            (Where::Runs(runs), _) => runs.configurations.iter().any(|one| of(one.state as usize)),
        }
    }

    fn beginning(&self) -> Where {
        if self.subsets.is_some() {
            return Where::Set(Subsets::INITIAL);
        }
        let registers = vec![None; self.core.registers.len()];
        Where::Runs(Box::new(Runs { configurations: vec![Configuration { state: 0, registers }] }))
    }

    fn after(&self, runs: &Where, moment: &Moment<'_>) -> Where {
        match (runs, &self.subsets) {
            (Where::Set(set), Some(subsets)) => Where::Set(subsets.step(*set, moment.letter() as usize)),
            (Where::Runs(runs), _) => Where::Runs(Box::new(step(&self.core, runs, moment))),
            (Where::Set(_), None) => runs.clone(),
        }
    }

    /// An event of the slice, if there is one.
    fn happen(&self, state: &mut Progress, moment: &Moment<'_>) {
        let Some(one) = moment.matches().next() else { return };
        let origin = one.origin;
        let at = At { position: moment.position, origin };
        let was_accepting = state.slice.map_or_else(|| self.accepts(&state.runs), |slice| slice.accepting);
        state.runs = self.after(&state.runs, moment);
        let accepting = self.accepts(&state.runs);
        let is_lost = self.is_lost(&state.runs);
        let fresh = Slice {
            first: origin.time,
            last: origin.time,
            rejected_at: at,
            has_fallen: false,
            accepting,
            lost_at: None,
        };
        let slice = state.slice.get_or_insert(fresh);
        slice.last = origin.time;
        if was_accepting && !accepting {
            slice.rejected_at = at;
            slice.has_fallen = true;
        }
        slice.accepting = accepting;
        if is_lost {
            slice.lost_at.get_or_insert(origin);
        }
        let is_split = (0..moment.ids.len()).any(|at| self.splits >> at & 1 == 1 && moment.ids[at] == NONE);
        if is_split {
            let matches = moment.matches.extract(moment.applying);
            let entry = Entry { position: moment.position, first: *moment.first, matches };
            state.log.push(entry);
        }
    }

    fn ending(&self, state: &Progress, extent: Extent, end: End) -> Outcome {
        let accepted = self.accepts(&state.runs);
        let is_lost = self.is_lost(&state.runs);
        let verdict = match end {
            End::Complete if accepted => Verdict::Holds,
            End::Complete => Verdict::Violated,
            End::Prefix if is_lost => Verdict::Violated,
            End::Prefix if self.is_safe(&state.runs) => Verdict::Holds,
            End::Prefix => Verdict::Inconclusive,
        };
        let count = |yes: bool| u64::from(yes && state.slice.is_some());
        let durations = state.slice.filter(|_| verdict == Verdict::Holds).map(|slice| {
            let took = slice.last - slice.first;
            Durations { min: took, max: took, sum: took.ticks(), count: 1 }
        });
        let mut outcome = Outcome {
            verdict,
            presumably: (verdict == Verdict::Inconclusive).then_some(accepted),
            positions: extent.positions,
            activated: count(true),
            satisfied: count(verdict == Verdict::Holds),
            violated: u64::from(verdict == Verdict::Violated),
            pending: count(verdict == Verdict::Inconclusive),
            durations,
            violations: vec![],
            merged_simultaneous: false,
        };
        if verdict == Verdict::Violated {
            outcome.violations.extend(self.violation(state, extent, is_lost));
        }
        outcome
    }

    fn violation(&self, state: &Progress, extent: Extent, is_lost: bool) -> Option<Violation> {
        let (at, lost_at) = match (state.slice, extent.first) {
            (Some(slice), _) => (slice.rejected_at, slice.lost_at),
            (None, Some(origin)) => (At { position: 0, origin }, is_lost.then_some(origin)),
            (None, None) => return None,
        };
        let decided = lost_at.map_or(Decided::End(extent.last_time), Decided::Event);
        let mut because = vec![Because { origin: at.origin, note: "not accepted from here on".to_owned() }];
        if let Some(origin) = lost_at.filter(|origin| origin.event_index != at.origin.event_index) {
            because.push(Because { origin, note: "no way back to an accepting state".to_owned() });
        }
        let places = self.places(&state.runs);
        let summary = if places.is_empty() { "every run died".to_owned() } else { format!("ends in {places}") };
        let failed = self.core.span;
        Some(Violation { at, until_position: None, decided, binding: Binding::default(), failed, summary, because })
    }

    /// The states of the runs in words.
    fn places(&self, runs: &Where) -> String {
        let names = self.core.states.iter().enumerate().filter(|(state, _)| self.any(runs, |other| other == *state));
        names.map(|(_, state)| format!("`{}`", state.name)).collect::<Vec<_>>().join(", ")
    }
}

/// For each state, those that can be reached from it, itself included; guards are ignored.
fn reachable(core: &AutomatonCore) -> Vec<Vec<usize>> {
    let from = |start: usize| {
        let mut seen = vec![start];
        let mut next = 0;
        while let Some(&state) = seen.get(next) {
            let branches = core.states[state].transitions.iter().flat_map(|transition| &transition.branches);
            for branch in branches {
                if !seen.contains(&branch.target) {
                    seen.push(branch.target);
                }
            }
            next += 1;
        }
        seen
    };
    (0..core.states.len()).map(from).collect()
}

impl Machine for Events {
    type State = Progress;
    type Scratch = ();
    const COUNTS_IN_SINK: bool = false;

    fn scratch(&self) {}

    fn start(&self, _: usize) -> Progress {
        Progress { runs: self.beginning(), slice: None, log: vec![] }
    }

    fn visit(&self, state: &mut Progress, (): &mut (), moment: &Moment<'_>, _: &mut Sink<'_>) {
        self.happen(state, moment);
    }

    fn reacts(&self, state: &Progress, moment: &Moment<'_>) -> bool {
        self.after(&state.runs, moment) != state.runs
    }

    fn splits(&self) -> Mask {
        self.splits
    }

    fn replay(&self, from: &Progress, ids: &[Id], values: &Values) -> Progress {
        let mut state = Machine::start(self, 0);
        for entry in &from.log {
            let applying: Vec<u32> = (0..entry.matches.len() as u32).collect();
            let moment = Moment {
                position: entry.position,
                first: &entry.first,
                matches: &entry.matches,
                applying: &applying,
                ids,
                values,
            };
            self.happen(&mut state, &moment);
        }
        state
    }

    fn advance(&self, _: &mut Progress, (): &mut (), _: Timestamp, _: usize) {}

    fn skips_idle(&self, _: &Progress) -> bool {
        true
    }

    fn rests(&self) -> bool {
        true
    }

    fn deadline(&self, _: &Progress) -> Timestamp {
        Timestamp::MAX
    }

    fn busy_until(&self, state: &Progress) -> Timestamp {
        // Once it was named, the times of its events matter.
        let untouched = state.slice.is_none() && state.runs == self.beginning();
        if untouched { Timestamp::MIN } else { Timestamp::MAX }
    }

    fn is_settled(&self, state: &Progress) -> bool {
        state.log.is_empty() && state.slice.is_some_and(|slice| slice.lost_at.is_some())
    }

    fn has_counted(&self, state: &Progress) -> bool {
        state.slice.is_some()
    }

    fn violations<'s>(&self, state: &'s Progress) -> (u64, &'s [Violation]) {
        (u64::from(self.is_settled(state)), &[])
    }

    fn outcome(&self, state: &Progress) -> Outcome {
        let extent =
            Extent { positions: 0, last_time: Timestamp::MIN, frontier: Timestamp::MIN, first: None, most_listed: 0 };
        self.ending(state, extent, End::Prefix)
    }

    fn finish(&self, state: &mut Progress, (): &mut (), extent: Extent, end: End) -> Outcome {
        self.ending(state, extent, end)
    }

    fn name(&self, state: &mut Progress, named: Named) {
        let Named { first, last } = named;
        let accepting = self.accepts(&state.runs);
        let lost_at = self.is_lost(&self.beginning()).then_some(first.origin);
        let fresh = Slice { first: first.origin.time, last, rejected_at: first, has_fallen: false, accepting, lost_at };
        let slice = state.slice.get_or_insert(fresh);
        slice.first = slice.first.min(first.origin.time);
        slice.last = slice.last.max(last);
        if !slice.has_fallen && first.position < slice.rejected_at.position {
            slice.rejected_at = first;
        }
        if let Some(lost_at) = lost_at
            && slice.lost_at.is_some_and(|known| first.origin.event_index < known.event_index)
        {
            slice.lost_at = Some(lost_at);
        }
    }

    fn admits(&self, ids: &[Id], values: &Values) -> bool {
        self.core.condition.as_ref().is_none_or(|condition| {
            let scope = Scope { ids, values, registers: &[] };
            holds(condition, &scope)
        })
    }

    fn is_choosy(&self) -> bool {
        self.core.condition.is_some()
    }

    fn whole(&self) -> (Span, bool) {
        (self.core.span, true)
    }

    fn remembers_all(&self) -> bool {
        true
    }

    fn is_steady(&self) -> bool {
        // A guard may look at values.
        self.subsets.is_some()
    }

    fn weight(&self) -> usize {
        if self.subsets.is_some() { 0 } else { 96 + 32 * self.core.registers.len() }
    }
}
