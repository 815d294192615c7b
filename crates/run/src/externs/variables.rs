// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of each external variable, and when it is to be asked for again.

use std::fmt;
use std::sync::Arc;

use gnomon_core::event::Fields;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{Clock, Duration, Timestamp};
use gnomon_core::value::Value;
use gnomon_engine::Plan;
use gnomon_ir::spec::{ExternDeclaration, Spec};
use serde::{Deserialize, Serialize};

use super::ask::Asker;
use super::{ExternReport, FAILED, REASON, Sources, VARIABLE};

/// The external variables of a run.
#[derive(Clone)]
pub struct Externs {
    variables: Vec<Variable>,
    /// Where a recorded read says what it is.
    keys: Option<Keys>,
    asker: Option<Arc<Asker>>,
}

#[derive(Clone, Debug)]
struct Variable {
    declaration: ExternDeclaration,
    /// Under which key states have it; `None`: no property uses it.
    key: Option<Key>,
    /// The field of a recorded read that has its value.
    field: Option<Key>,
    /// How old it may become; `None`: it is read once.
    period: Option<Duration>,
    state: State,
}

/// The fields of a recorded read.
#[derive(Clone, Copy, Debug)]
struct Keys {
    variable: Key,
    failed: Key,
    reason: Key,
}

/// All that changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// When it was last asked for, in the trace's time.
    asked: Option<Timestamp>,
    value: Option<Value<'static>>,
    reads: u64,
    recorded: u64,
    failures: u64,
    reason: Option<String>,
}

/// What was read of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    /// Its name.
    pub variable: &'a str,
    /// Its value, or why there is none.
    pub result: Result<&'a Value<'static>, &'a str>,
}

/// A saved state that belongs to other variables, or is damaged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RestoreError;

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the saved state is not that of these external variables")
    }
}

impl std::error::Error for RestoreError {}

impl Externs {
    /// Those of a spec, for a plan of its properties. `sources` tells how they are asked for; `None`: they are not.
    pub fn new(spec: &Spec, plan: &Plan, sources: Option<&Sources>) -> Self {
        let clock = Clock::new(spec.time.unit);
        let variable = |declaration: &ExternDeclaration| Variable {
            key: plan.symbols().find_key(&declaration.field()),
            field: None,
            // A period that is no whole number of ticks was refused when the spec was compiled.
            period: declaration.every.and_then(|every| clock.duration(every)),
            state: State::default(),
            declaration: declaration.clone(),
        };
        let variables: Vec<Variable> = spec.externs.iter().map(variable).collect();
        let is_used = variables.iter().any(|variable| variable.key.is_some());
        let asker = sources.filter(|_| is_used).map(|sources| Arc::new(Asker::new(sources)));
        Externs { variables, keys: None, asker }
    }

    /// Recorded reads will come as events whose fields this table numbers.
    pub fn expect_records(&mut self, symbols: &mut Symbols) {
        for variable in &mut self.variables {
            variable.field = Some(symbols.key(&variable.declaration.name));
        }
        let [variable, failed, reason] = [VARIABLE, FAILED, REASON].map(|key| symbols.key(key));
        self.keys = Some(Keys { variable, failed, reason });
    }

    /// The fields that a recorded read may have.
    pub(crate) fn record_keys(&self) -> Vec<Key> {
        let common = self.keys.iter().flat_map(|keys| [keys.variable, keys.failed, keys.reason]);
        common.chain(self.variables.iter().filter_map(|variable| variable.field)).collect()
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// What an event with these fields has under a key: the value of an external variable, if one is kept there, else a
    /// field of its own.
    #[inline]
    pub fn get<'a>(&'a self, fields: &'a dyn Fields, key: Key) -> Option<Value<'a>> {
        match self.variables.iter().find(|variable| variable.key == Some(key)) {
            Some(variable) => variable.state.value.clone(),
            None => fields.get(key),
        }
    }

    /// A state at this time is about to be judged: asks for what is too old. What was read is told, variable by variable.
    pub fn refresh(&mut self, now: Timestamp, mut tell: impl FnMut(&Read<'_>)) {
        let Some(asker) = &self.asker else { return };
        for Variable { declaration, key, period, state, .. } in &mut self.variables {
            if key.is_none() || !state.is_due(now, *period) {
                continue;
            }
            let result = asker.ask(declaration);
            tell(&Read { variable: &declaration.name, result: result.as_ref().map_err(String::as_str) });
            state.note(now, result);
        }
    }

    /// Somebody else has read a variable.
    pub fn note(&mut self, variable: &str, time: Timestamp, result: &Result<Value<'static>, String>) {
        let named = self.variables.iter_mut().find(|known| known.declaration.name == variable);
        if let Some(known) = named {
            known.state.note(time, result.clone());
        }
    }

    /// Knows what others know of variables that are declared alike.
    pub fn inherit(&mut self, from: &Externs) {
        let alike = |one: &ExternDeclaration, other: &ExternDeclaration| {
            (&one.name, &one.source, &one.path) == (&other.name, &other.source, &other.path)
        };
        for variable in self.variables.iter_mut().filter(|variable| variable.state.reads == 0) {
            let same = from.variables.iter().find(|known| alike(&known.declaration, &variable.declaration));
            if let Some(known) = same {
                variable.state = known.state.clone();
            }
        }
    }

    /// The declarations of those that a property uses.
    pub fn used(&self) -> impl Iterator<Item = &ExternDeclaration> {
        self.variables.iter().filter(|variable| variable.key.is_some()).map(|variable| &variable.declaration)
    }

    /// Whether these are the fields of a recorded read of one of them: then it is taken for that read.
    pub fn absorb(&mut self, fields: &dyn Fields, time: Timestamp) -> bool {
        let Some(keys) = self.keys else { return false };
        let Some(Value::Text(name)) = fields.get(keys.variable) else { return false };
        let of_name = |variable: &&mut Variable| variable.declaration.name == name;
        let Some(variable) = self.variables.iter_mut().find(of_name) else { return false };
        let value = variable.field.and_then(|field| fields.get(field));
        let result = match (fields.get(keys.failed), value) {
            (Some(Value::Bool(true)), _) => Err(match fields.get(keys.reason) {
                Some(Value::Text(reason)) => reason.into_owned(),
                _ => "no reason is on record".to_owned(),
            }),
            (_, Some(value)) => Ok(value.into_owned()),
            (_, None) => return false,
        };
        variable.state.recorded += 1;
        variable.state.note(time, result);
        true
    }

    /// What became of each.
    pub fn report(&self) -> Vec<ExternReport> {
        let report = |Variable { declaration, state, .. }: &Variable| ExternReport {
            name: declaration.name.clone(),
            source: declaration.source.clone(),
            path: declaration.path.clone(),
            every: declaration.every,
            reads: state.reads,
            recorded: state.recorded,
            failures: state.failures,
            value: state.value.clone(),
            reason: state.reason.clone(),
        };
        self.variables.iter().filter(|variable| variable.key.is_some()).map(report).collect()
    }

    /// What is known of them as data: [`Externs::restore`] goes on from it, and asks for nothing that is still fresh.
    pub fn save(&self) -> Vec<u8> {
        let states: Vec<(&str, &State)> =
            self.variables.iter().map(|variable| (&*variable.declaration.name, &variable.state)).collect();
        postcard::to_stdvec(&states).expect("plain data can be written to memory")
    }

    /// Goes on from where [`Externs::save`] left.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let Ok((states, [])) = postcard::take_from_bytes::<Vec<(String, State)>>(saved) else {
            return Err(RestoreError);
        };
        let names = self.variables.iter().map(|variable| &variable.declaration.name);
        if !states.iter().map(|(name, _)| name).eq(names) {
            return Err(RestoreError);
        }
        for (variable, (_, state)) in self.variables.iter_mut().zip(states) {
            variable.state = state;
        }
        Ok(())
    }
}

impl fmt::Debug for Externs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Externs").field("variables", &self.variables).finish_non_exhaustive()
    }
}

impl State {
    /// Whether it must be asked for. What a trace has on record is not: whoever judges it again gets the same values.
    fn is_due(&self, now: Timestamp, period: Option<Duration>) -> bool {
        if self.recorded > 0 {
            return false;
        }
        match (self.asked, period) {
            (None, _) => true,
            (Some(_), None) => false,
            // Where another case begins, time may go back.
            (Some(asked), Some(period)) => now < asked || now - asked > period,
        }
    }

    /// A read at this time. One that failed leaves the value as it was, and is not repeated before its period is over.
    fn note(&mut self, time: Timestamp, result: Result<Value<'static>, String>) {
        self.asked = Some(time);
        self.reads += 1;
        match result {
            Ok(value) => self.value = Some(value),
            Err(reason) => {
                self.failures += 1;
                self.reason = Some(reason);
            }
        }
    }
}
