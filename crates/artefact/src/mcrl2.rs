// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates patterns to processes of mCRL2 that follow the events and do `error` when the pattern is violated.

mod sorts;

use std::fmt::Write as _;

use gnomon_automaton::deterministic::{EventMachine, EventQuestion, ways};
use gnomon_automaton::pattern::{PatternMachine, PatternPhase};
use gnomon_core::list::index_of;
use gnomon_ir::{Argument, Atom, Behaviour, Property, Spec};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;
use sorts::Actions;

/// Returns a process of mCRL2 that follows another one and does `error` when the events so far violate the property.
pub fn mcrl2(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    let prepared = PreparedPattern::of(spec, property, "has no process in mCRL2")?;
    if prepared.behaviour.has_time() {
        return Err(Refusal::new("it limits times, which the process cannot measure"));
    }
    let actions = Actions::of(&prepared)?;
    let pattern = prepared.pattern();
    let watch = PatternMachine::new(&pattern);
    let mut writer =
        Writer { prepared: &prepared, actions: &actions, states: vec![watch.initial()], out: String::new() };
    let mut at = 0;
    while at < writer.states.len() {
        if at >= MAX_STATES {
            return Err(Refusal::new(format!("the process would have more than {MAX_STATES} states")));
        }
        writer.process(&watch, at);
        at += 1;
    }
    if !writer.states.contains(&PatternPhase::Violated) {
        return Err(Refusal::new("no finite beginning of a trace violates it, so there is nowhere to do `error`"));
    }
    let whole = !writer.states.iter().any(|phase| *phase != PatternPhase::Violated && watch.ends_badly(phase));
    Ok(writer.finish(property, whole))
}

const MAX_STATES: usize = 500;

struct Writer<'c, 's> {
    prepared: &'c PreparedPattern<'s>,
    actions: &'c Actions<'c>,
    states: Vec<PatternPhase>,
    out: String,
}

impl Writer<'_, '_> {
    /// Returns `(t, u)`, or an empty text.
    fn values(&self) -> String {
        in_parentheses(self.actions.variables.iter().map(|variable| variable.name.clone()))
    }

    /// Returns `(t: Data)`, or an empty text.
    fn parameters(&self) -> String {
        in_parentheses(self.actions.variables.iter().map(|variable| format!("{}: {}", variable.name, variable.sort)))
    }

    fn process(&mut self, watch: &PatternMachine<'_>, at: usize) {
        let phase = self.states[at].clone();
        let words = watch.shown(&phase).1.replace('\n', ", ");
        let _ = writeln!(self.out, "% {words}");
        let _ = write!(self.out, "proc S{at}{} =", self.parameters());
        if phase == PatternPhase::Violated {
            self.out.push_str(" error . delta;\n\n");
            return;
        }
        let mut summands: Vec<String> = Vec::new();
        for action in &self.actions.all {
            let known = |answers: &[(EventQuestion, bool)], question: &EventQuestion| {
                self.known(action.event.as_ref(), answers, question)
            };
            for (target, answers) in ways(watch, &phase, &known) {
                let condition = self.condition(&action.parameters, &answers);
                let to = index_of(&mut self.states, target);
                let binders: Vec<String> =
                    action.parameters.iter().map(|(name, sort)| format!("{name}: {sort}")).collect();
                let sum = if binders.is_empty() { String::new() } else { format!("sum {}. ", binders.join(", ")) };
                let given = in_parentheses(action.parameters.iter().map(|(name, _)| name.clone()));
                summands.push(format!("{sum}{condition}{}{given} . S{to}{}", action.name, self.values()));
            }
        }
        let _ = write!(self.out, "\n    {};\n\n", summands.join("\n  + "));
    }

    /// Returns the answer to a question about an event that follows from its name.
    fn known(&self, event: Option<&Atom>, answers: &[(EventQuestion, bool)], question: &EventQuestion) -> Option<bool> {
        match (question, event) {
            (_, None) => Some(false),
            // Another event of the same name; earlier questions asked for the atom itself.
            (EventQuestion::Other(_), Some(event)) => {
                Some(matches!(&self.prepared.behaviour, Behaviour::Universality(atom) if atom.name == event.name))
            }
            (EventQuestion::Event(atom), Some(event)) if atom.name != event.name => Some(false),
            (EventQuestion::Event(atom), Some(_)) => {
                let asks_nothing = atom.condition.is_none()
                    && atom.arguments.iter().flatten().all(|argument| matches!(argument, Argument::Any));
                let apart = |known: &EventQuestion| matches!(known, EventQuestion::Event(known) if self.prepared.apart(known, atom));
                let excluded = answers.iter().any(|(known, answer)| *answer && apart(known));
                if asks_nothing { Some(true) } else { excluded.then_some(false) }
            }
        }
    }

    /// Returns the condition on the parameters of a summand.
    fn condition(&self, parameters: &[(String, String)], answers: &[(EventQuestion, bool)]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (question, answer) in answers {
            let EventQuestion::Event(atom) = question else { continue };
            let test = self.actions.tests(atom, parameters).join(" && ");
            parts.push(if *answer { test } else { format!("!({test})") });
        }
        if parts.is_empty() { String::new() } else { format!("({}) -> ", parts.join(" && ")) }
    }

    fn finish(self, property: &Property, whole: bool) -> String {
        let title: String =
            property.name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let mut out = format!(
            "% A monitor for `{title}`: it follows the events and does `error` when they violate the property.\n\
             % Put it in parallel with a model, synchronised on these actions, and ask whether `error` can happen.\n\
             % This text was not run through the tools of mCRL2.\n"
        );
        if !whole {
            out.push_str(
                "% What only the end of a trace shows is not found here: the formula with a fixpoint says it.\n",
            );
        }
        out.push_str(&self.actions.declared());
        out.push('\n');
        out.push_str(&self.out);
        let values = self.values();
        if values.is_empty() {
            out.push_str("init S0;\n");
        } else {
            // The process chooses the watched value at the beginning.
            let binders = self.parameters();
            let binders = binders.trim_start_matches('(').trim_end_matches(')');
            let _ = write!(out, "proc Start = sum {binders}. watch{values} . S0{values};\n\ninit Start;\n");
        }
        out
    }
}

/// Lists names as `(t, u)`; an empty list is an empty text.
fn in_parentheses(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) }
}
