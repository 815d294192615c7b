// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of an automaton for one binding: the set of configurations after each event of its slice.
//!
//! A configuration is a state with values of the free variables. An event of the slice moves each configuration along all transitions that
//! it matches, so a nondeterministic automaton has several; without a matching transition the configuration stays or dies, as its state
//! declares. The run accepts if some configuration is in an accepting state.
// RULE A1, A2, A3

pub(crate) mod guard;

use std::collections::BTreeSet;

use gnomon_core::list::{reachable, unique};
use gnomon_core::value::Value;
use gnomon_ir::{AutomatonCore, DefaultMove, TransitionCore, VariableId};

use crate::atom;
use crate::trace::{OracleEvent, Trace};

/// Run of an automaton for one binding.
pub(crate) struct AutomatonRun {
    /// The events of the slice, by their places in the trace.
    pub(crate) slice: Vec<usize>,
    /// The status before the first event of the slice, and after each event.
    pub(crate) statuses: Vec<RunStatus>,
    /// For each event of the slice, the move that it caused.
    pub(crate) moves: Vec<RunMove>,
}

/// A move of the configurations by an event.
#[derive(Clone, Debug)]
pub(crate) struct RunMove {
    /// The event, by its place in the trace.
    pub(crate) event: usize,
    /// The states before it.
    pub(crate) from: Vec<usize>,
    /// The states after it.
    pub(crate) to: Vec<usize>,
    /// The free variables, if there is one configuration and they changed.
    pub(crate) assigned: Vec<(usize, Value<'static>)>,
}

impl RunMove {
    fn new(event: usize, before: &[Configuration], after: &[Configuration]) -> RunMove {
        let states = |all: &[Configuration]| unique(all.iter().map(|one| one.state));
        let assigned = match (before, after) {
            ([before], [after]) => {
                let changed = after.registers.iter().zip(&before.registers).enumerate();
                let changed = changed.filter(|(_, (after, before))| after != before);
                changed.filter_map(|(register, (value, _))| Some((register, value.clone()?))).collect()
            }
            _ => vec![],
        };
        RunMove { event, from: states(before), to: states(after), assigned }
    }
}

/// Status of a run after an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunStatus {
    /// True if some configuration is in an accepting state.
    pub(crate) accepting: bool,
    /// True if no configuration can reach an accepting state any more.
    pub(crate) trapped: bool,
    /// True if some configuration can only reach accepting states and never dies.
    pub(crate) safe: bool,
}

/// A state with the values of the free variables.
#[derive(Clone, PartialEq, Debug)]
struct Configuration {
    state: usize,
    registers: Vec<Option<Value<'static>>>,
}

/// Returns true if `where [...]` admits the binding.
// RULE A7
pub(crate) fn is_judged(core: &AutomatonCore, binding: &[Value<'static>]) -> bool {
    let variable = |VariableId(id): &VariableId| binding.get(*id as usize).cloned();
    core.condition.as_ref().is_none_or(|condition| guard::satisfies(condition, &variable))
}

/// Runs the automaton for one binding.
pub(crate) fn run(core: &AutomatonCore, trace: &Trace, binding: &[Value<'static>]) -> AutomatonRun {
    let machine = RunEvaluator { core, binding, graph: StateGraph::new(core) };
    // RULE A1
    let is_in_slice = |event: &OracleEvent| core.atoms.iter().any(|atom| atom::matches(atom, event, binding));
    let events = trace.events();
    let slice: Vec<usize> = (0..events.len()).filter(|index| is_in_slice(&events[*index])).collect();
    let mut configurations = vec![Configuration { state: 0, registers: vec![None; core.registers.len()] }];
    let mut statuses = vec![machine.status(&configurations)];
    let mut moves = Vec::new();
    for index in &slice {
        let after = unique(configurations.iter().flat_map(|from| machine.step(from, &events[*index])));
        moves.push(RunMove::new(*index, &configurations, &after));
        configurations = after;
        statuses.push(machine.status(&configurations));
    }
    AutomatonRun { slice, statuses, moves }
}

struct RunEvaluator<'a> {
    core: &'a AutomatonCore,
    binding: &'a [Value<'static>],
    graph: StateGraph,
}

impl RunEvaluator<'_> {
    fn status(&self, configurations: &[Configuration]) -> RunStatus {
        let some = |has: &dyn Fn(usize) -> bool| configurations.iter().any(|configuration| has(configuration.state));
        RunStatus {
            accepting: some(&|state| self.core.states[state].accepting),
            trapped: !some(&|state| self.graph.may_accept(state)),
            safe: some(&|state| self.graph.stays_accepting(state)),
        }
    }

    /// Returns the configurations after an event of the slice.
    // RULE A2, A3
    fn step(&self, from: &Configuration, event: &OracleEvent) -> Vec<Configuration> {
        let state = &self.core.states[from.state];
        let taken: Vec<Configuration> =
            state.transitions.iter().flat_map(|transition| self.take(transition, from, event)).collect();
        match (taken.is_empty(), state.otherwise) {
            (false, _) => taken,
            (true, DefaultMove::Stay) => vec![from.clone()],
            (true, DefaultMove::Die) => vec![],
        }
    }

    /// Returns a configuration for each pattern of the transition that the event matches.
    // RULE A4, A5
    fn take(&self, transition: &TransitionCore, from: &Configuration, event: &OracleEvent) -> Vec<Configuration> {
        let atom = &self.core.atoms[transition.atom.0 as usize];
        let ways = atom.patterns.iter().filter_map(|pattern| atom::values_under(pattern, event, self.binding));
        ways.filter_map(|values| {
            let mut registers = from.registers.clone();
            for (id, value) in values {
                self.write(&mut registers, id, value);
            }
            self.branch(transition, registers)
        })
        .collect()
    }

    fn branch(&self, transition: &TransitionCore, mut registers: Vec<Option<Value<'static>>>) -> Option<Configuration> {
        let branch = transition.branches.iter().find(|branch| {
            branch.guard.as_ref().is_none_or(|guard| guard::satisfies(guard, &|id| self.read(&registers, *id)))
        })?;
        for (id, expression) in &branch.assignments {
            if let Some(value) = guard::value(expression, &|id| self.read(&registers, *id)) {
                self.write(&mut registers, *id, value);
            }
        }
        Some(Configuration { state: branch.target, registers })
    }

    /// Returns the value of a variable. Quantified variables have the first numbers; a free one may have no value.
    fn read(&self, registers: &[Option<Value<'static>>], VariableId(id): VariableId) -> Option<Value<'static>> {
        match (id as usize).checked_sub(self.binding.len()) {
            Some(register) => registers.get(register).cloned().flatten(),
            None => Some(self.binding[id as usize].clone()),
        }
    }

    /// Assigns a value to a free variable. A quantified variable has its value from the binding.
    fn write(&self, registers: &mut [Option<Value<'static>>], VariableId(id): VariableId, value: Value<'static>) {
        if let Some(register) = (id as usize).checked_sub(self.binding.len()) {
            registers[register] = Some(value);
        }
    }
}

/// Reachability between states, guards ignored: conclusions about the future that hold for every continuation.
// RULE A9
struct StateGraph {
    /// States reachable from each state, itself included.
    reachable: Vec<BTreeSet<usize>>,
    accepting: Vec<bool>,
    /// True for states that ignore the events without a transition; in others such an event ends the run.
    stays: Vec<bool>,
}

impl StateGraph {
    fn new(core: &AutomatonCore) -> StateGraph {
        StateGraph {
            reachable: (0..core.states.len()).map(|state| reachable([state], |from| targets(core, from))).collect(),
            accepting: core.states.iter().map(|state| state.accepting).collect(),
            stays: core.states.iter().map(|state| state.otherwise == DefaultMove::Stay).collect(),
        }
    }

    /// Returns true if an accepting state can be reached.
    fn may_accept(&self, state: usize) -> bool {
        self.reachable[state].iter().any(|there| self.accepting[*there])
    }

    /// Returns true if every reachable state accepts and lets no run die.
    fn stays_accepting(&self, state: usize) -> bool {
        self.reachable[state].iter().all(|there| self.accepting[*there] && self.stays[*there])
    }
}

fn targets(core: &AutomatonCore, from: usize) -> impl Iterator<Item = usize> {
    let branches = core.states[from].transitions.iter().flat_map(|transition| &transition.branches);
    branches.map(|branch| branch.target)
}
