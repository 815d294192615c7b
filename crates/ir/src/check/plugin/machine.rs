// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers state machines: a table of targets, and the categories that states and aliases are.

use gnomon_core::Diagnostic;
use gnomon_core::list::reachable;

use super::{Checker, unknown};
use crate::{Category, Fsm, FsmCore, FsmState, FsmStateCore, LetterCore, Variable};

/// Category of words after an event that a state has no transition for.
const FAIL: &str = "fail";
/// Category of all other words.
const NONFAIL: &str = "nonfail";

impl Checker<'_> {
    // RULE L6
    pub(super) fn machine(&mut self, fsm: &Fsm, letters: &[LetterCore]) -> FsmCore {
        for (index, state) in fsm.states.iter().enumerate() {
            if let Some(before) = fsm.states[..index].iter().find(|other| other.name.name == state.name.name) {
                self.twice(&state.name.name, state.name.span, before.name.span);
            }
        }
        for (index, alias) in fsm.aliases.iter().enumerate() {
            let names = fsm.states.iter().map(|state| &state.name);
            let mut before = names.chain(fsm.aliases[..index].iter().map(|other| &other.name));
            if let Some(before) = before.find(|other| other.name == alias.name.name) {
                self.twice(&alias.name.name, alias.name.span, before.span);
            }
            for state in alias.states.iter().filter(|state| state.name != FAIL) {
                self.state_number(fsm, state);
            }
        }
        let states: Vec<FsmStateCore> = fsm.states.iter().map(|state| self.state_of(fsm, state, letters)).collect();
        self.never_reached(fsm, &states);
        FsmCore { states }
    }

    fn state_of(&mut self, fsm: &Fsm, state: &FsmState, letters: &[LetterCore]) -> FsmStateCore {
        let default = state.default.as_ref().and_then(|target| self.state_number(fsm, target));
        let mut targets = vec![default; letters.len()];
        for (index, (event, target)) in state.transitions.iter().enumerate() {
            if let Some((before, _)) = state.transitions[..index].iter().find(|(other, _)| other.name == event.name) {
                self.diagnostics.push(
                    Diagnostic::error(
                        "G0201",
                        event.span,
                        format!("`{}` has two transitions in one state", event.name),
                    )
                    .also(before.span, "here for the first time")
                    .help("leave one of them out"),
                );
            }
            let target = self.state_number(fsm, target);
            if let Some(letter) = self.letter(event, letters) {
                targets[letter.0 as usize] = target;
            }
        }
        FsmStateCore { name: state.name.name.clone(), targets }
    }

    fn state_number(&mut self, fsm: &Fsm, name: &Variable) -> Option<usize> {
        let found = number(fsm, &name.name);
        if found.is_none() {
            let known: Vec<&str> = fsm.states.iter().map(|state| state.name.name.as_str()).collect();
            self.diagnostics.push(unknown("G0211", "a state", name, &known));
        }
        found
    }

    /// Warns of states that no word leads to.
    fn never_reached(&mut self, fsm: &Fsm, states: &[FsmStateCore]) {
        let reached =
            reachable((0..states.len()).take(1), |state: usize| states[state].targets.iter().copied().flatten());
        for (index, state) in fsm.states.iter().enumerate().filter(|(index, _)| !reached.contains(index)) {
            if number(fsm, &state.name.name) != Some(index) {
                continue;
            }
            self.diagnostics.push(
                Diagnostic::warning("G0316", state.name.span, format!("`{}` is never reached", state.name.name))
                    .label("no sequence of events leads here")
                    .help("add a transition to it, or leave it out"),
            );
        }
    }
}

fn number(fsm: &Fsm, name: &str) -> Option<usize> {
    fsm.states.iter().position(|state| state.name.name == name)
}

/// Returns the categories of a machine: its states, its aliases, `fail` and `nonfail`.
pub(super) fn categories(fsm: &Fsm, machine: &FsmCore) -> Vec<Category> {
    let count = machine.states.len();
    let of_states = machine.states.iter().enumerate().map(|(index, state)| Category::States {
        name: state.name.clone(),
        states: (0..count).map(|other| other == index).collect(),
        fail: false,
    });
    let of_aliases = fsm.aliases.iter().map(|alias| {
        let names: Vec<&str> = alias.states.iter().map(|state| state.name.as_str()).collect();
        Category::States {
            name: alias.name.name.clone(),
            states: machine.states.iter().map(|state| names.contains(&state.name.as_str())).collect(),
            fail: names.contains(&FAIL),
        }
    });
    let whole = |name: &str, fail: bool| Category::States { name: name.to_owned(), states: vec![!fail; count], fail };
    of_states.chain(of_aliases).chain([whole(FAIL, true), whole(NONFAIL, false)]).collect()
}
