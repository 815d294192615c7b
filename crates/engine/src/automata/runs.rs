// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs of an automaton with variables, one configuration each.
// RULE A3, A4

use gnomon_core::value::Value;
use gnomon_ir::automaton::Otherwise;
use gnomon_ir::core::{AutomatonCore, TransitionCore};
use serde::{Deserialize, Serialize};

use super::guard::{Scope, holds, value};
use crate::slice::machine::Moment;
use crate::slice::matches::Match;

/// The configurations that an automaton may be in, each once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Runs {
    pub(crate) configurations: Vec<Configuration>,
}

/// A state, and the values of the free variables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Configuration {
    pub(crate) state: u32,
    pub(crate) registers: Vec<Option<Value<'static>>>,
}

/// Where the runs are after an event of the slice.
pub(crate) fn step(core: &AutomatonCore, runs: &Runs, moment: &Moment<'_>) -> Runs {
    let mut after: Vec<Configuration> = Vec::with_capacity(runs.configurations.len());
    let mut add = |configuration: Configuration| {
        if !after.contains(&configuration) {
            after.push(configuration);
        }
    };
    for one in &runs.configurations {
        let state = &core.states[one.state as usize];
        let mut taken = false;
        for transition in &state.transitions {
            for event in moment.matches().filter(|event| event.atom() == transition.atom) {
                if let Some(next) = take(core, one, transition, event, moment) {
                    taken = true;
                    add(next);
                }
            }
        }
        if !taken && state.otherwise == Otherwise::Stay {
            add(one.clone());
        }
    }
    Runs { configurations: after }
}

/// The configuration after a transition, if the event takes it.
fn take(
    core: &AutomatonCore,
    from: &Configuration,
    transition: &TransitionCore,
    event: &Match,
    moment: &Moment<'_>,
) -> Option<Configuration> {
    let quantified = core.prefix.len();
    let mut registers = from.registers.clone();
    for (variable, value) in moment.matches.registers(event) {
        registers[*variable as usize - quantified] = Some(value.clone());
    }
    let scope = Scope { ids: moment.ids, values: moment.values, registers: &registers };
    let is_open = |guard: &Option<_>| guard.as_ref().is_none_or(|guard| holds(guard, &scope));
    let branch = transition.branches.iter().find(|branch| is_open(&branch.guard))?;
    for (variable, expression) in &branch.assignments {
        let scope = Scope { ids: moment.ids, values: moment.values, registers: &registers };
        let result = value(expression, &scope).map(std::borrow::Cow::into_owned);
        if let Some(result) = result {
            registers[variable.0 as usize - quantified] = Some(result);
        }
    }
    Some(Configuration { state: branch.target as u32, registers })
}
