// SPDX-License-Identifier: MIT OR Apache-2.0
//! An automaton over the events that concern one binding: all its configurations, event by event.
// RULE A1, A2, A3

mod graph;
mod guard;

use gnomon_core::value::Value;
use gnomon_ir::automaton::Otherwise;
use gnomon_ir::core::{AutomatonCore, TransitionCore};
use gnomon_ir::pattern::VariableId;

use self::graph::Graph;
use crate::atom;
use crate::trace::{OracleEvent, Trace};

pub(crate) use self::guard::Memory;

/// How a binding fared.
pub(crate) struct Course {
    /// The events that concern it, by their places in the trace.
    pub(crate) slice: Vec<usize>,
    /// Before the first of them, and after each.
    pub(crate) standings: Vec<Standing>,
}

/// Where a binding stands after some event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// Whether some configuration is in an accepting state.
    pub(crate) accepting: bool,
    /// Whether no configuration can come to an accepting state any more.
    pub(crate) trapped: bool,
    /// Whether some configuration can only come to accepting states, and never die.
    pub(crate) safe: bool,
}

/// A state, and what the free variables are there.
#[derive(Clone, PartialEq, Debug)]
struct Configuration {
    state: usize,
    registers: Vec<Option<Value<'static>>>,
}

/// Whether `where [...]` lets the binding be judged.
// RULE A7
pub(crate) fn is_judged(core: &AutomatonCore, binding: &[Value<'static>]) -> bool {
    let memory = Memory { binding, registers: &[] };
    core.condition.as_ref().is_none_or(|condition| memory.satisfies(condition))
}

/// Runs the automaton for one binding.
pub(crate) fn run(core: &AutomatonCore, trace: &Trace, binding: &[Value<'static>]) -> Course {
    let machine = Machine { core, binding, graph: Graph::new(core) };
    // RULE A1
    let concerns = |event: &OracleEvent| core.atoms.iter().any(|atom| atom::matches(atom, event, binding));
    let events = trace.events();
    let slice: Vec<usize> = (0..events.len()).filter(|index| concerns(&events[*index])).collect();
    let mut configurations = vec![Configuration { state: 0, registers: vec![None; core.registers.len()] }];
    let mut standings = vec![machine.standing(&configurations)];
    for index in &slice {
        let mut after: Vec<Configuration> = Vec::new();
        for next in configurations.iter().flat_map(|configuration| machine.step(configuration, &events[*index])) {
            if !after.contains(&next) {
                after.push(next);
            }
        }
        configurations = after;
        standings.push(machine.standing(&configurations));
    }
    Course { slice, standings }
}

struct Machine<'a> {
    core: &'a AutomatonCore,
    binding: &'a [Value<'static>],
    graph: Graph,
}

impl Machine<'_> {
    fn standing(&self, configurations: &[Configuration]) -> Standing {
        let some = |has: &dyn Fn(usize) -> bool| configurations.iter().any(|configuration| has(configuration.state));
        Standing {
            accepting: some(&|state| self.core.states[state].accepting),
            trapped: !some(&|state| self.graph.may_accept(state)),
            safe: some(&|state| self.graph.stays_accepting(state)),
        }
    }

    /// Where an event of the slice leads.
    // RULE A2, A3
    fn step(&self, from: &Configuration, event: &OracleEvent) -> Vec<Configuration> {
        let state = &self.core.states[from.state];
        let taken: Vec<Configuration> =
            state.transitions.iter().flat_map(|transition| self.take(transition, from, event)).collect();
        match (taken.is_empty(), state.otherwise) {
            (false, _) => taken,
            (true, Otherwise::Stay) => vec![from.clone()],
            (true, Otherwise::Die) => vec![],
        }
    }

    /// Each way in which the event is the transition's.
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
            let memory = Memory { binding: self.binding, registers: &registers };
            branch.guard.as_ref().is_none_or(|guard| memory.satisfies(guard))
        })?;
        for (id, expression) in &branch.assignments {
            let memory = Memory { binding: self.binding, registers: &registers };
            if let Some(value) = memory.value(expression) {
                self.write(&mut registers, *id, value);
            }
        }
        Some(Configuration { state: branch.target, registers })
    }

    /// Quantified variables have their value already.
    fn write(&self, registers: &mut [Option<Value<'static>>], VariableId(id): VariableId, value: Value<'static>) {
        if let Some(register) = (id as usize).checked_sub(self.binding.len()) {
            registers[register] = Some(value);
        }
    }
}
