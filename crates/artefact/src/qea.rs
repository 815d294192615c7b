// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates logic plug-ins to automata of `qea` that accept the slices without a violation.
//!
//! A state is a state of [`ReportAutomaton`](gnomon_engine::ReportAutomaton). All accept, apart from those in which the end of the trace is a violation, and from
//! `violated`, which no event leaves. Events that change no state have no transition: in a `skip` state the run stays.

use gnomon_core::Span;
use gnomon_ir::core::LetterSource;
use gnomon_ir::{Automaton, Body, Branch, DefaultMove, Language, Property, Spec, State, Transition, Variable};

use crate::prepared_plugin::PreparedPlugin;
use crate::refusal::Refusal;

/// Translates a property to `qea`: an automaton that has the same verdict on complete traces. A property of `qea` is returned unchanged.
pub fn qea(spec: &Spec, property: &Property) -> Result<Property, Refusal> {
    if property.language == Language::Qea {
        return Ok(property.clone());
    }
    let Body::Plugin(plugin) = &property.body else {
        return Err(Refusal::language(property, "has no translation to `qea`"));
    };
    let prepared = PreparedPlugin::of(spec, property, plugin)?;
    if prepared.core.prefix.is_empty() && prepared.automaton.violated_at_end[0] {
        return Err(Refusal::new(
            "the end of a trace violates it without an event before, but a trace without events does not",
        ));
    }
    let is_open = |name: &str| spec.event(name).is_none_or(|declared| declared.parameters.is_none());
    if let Some(open) =
        plugin.events.iter().find(|one| !one.is_end && one.atom.arguments.is_none() && is_open(&one.atom.name))
    {
        let name = &open.atom.name;
        return Err(Refusal::new(format!("the event `{name}` has any parameters: write how many, as in `{name}(_)`")));
    }
    let body = Body::Automaton(automaton(&prepared));
    Ok(Property { language: Language::Qea, body, ..property.clone() })
}

fn automaton(prepared: &PreparedPlugin<'_>) -> Automaton {
    let found = &prepared.automaton;
    let violated = found.targets.len();
    let name = |name: String| Variable { name, span: Span::default() };
    let state = |place: usize| State {
        name: name(if place == 0 { "start".to_owned() } else { format!("s{place}") }),
        accepting: !found.violated_at_end[place],
        otherwise: DefaultMove::Stay,
        transitions: transitions(prepared, place, violated),
    };
    let mut states: Vec<State> = (0..violated).map(state).collect();
    states.push(State {
        name: name("violated".to_owned()),
        accepting: false,
        otherwise: DefaultMove::Stay,
        transitions: vec![],
    });
    if found.targets.iter().flatten().all(Option::is_some) {
        states.pop();
    }
    Automaton { condition: None, states }
}

/// Returns the transitions that leave a state.
fn transitions(prepared: &PreparedPlugin<'_>, place: usize, violated: usize) -> Vec<Transition> {
    let mut transitions = Vec::new();
    for (letter, target) in prepared.core.letters.iter().zip(&prepared.automaton.targets[place]) {
        if *target == Some(place) || letter.source == LetterSource::EndOfTrace {
            continue;
        }
        for event in prepared.plugin.events.iter().filter(|event| event.atom.name == letter.name) {
            let branch = Branch { guard: None, target: target.unwrap_or(violated), assignments: vec![] };
            transitions.push(Transition { event: event.atom.clone(), branches: vec![branch], span: event.atom.span });
        }
    }
    transitions
}
