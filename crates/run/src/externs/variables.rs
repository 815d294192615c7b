// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of external variables: values, ages, failures.

use std::fmt;
use std::sync::Arc;

use gnomon_core::event::Fields;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{Clock, Duration, Timestamp};
use gnomon_core::value::Value;
use gnomon_engine::Plan;
use gnomon_ir::spec::{ExternDeclaration, Spec};
use serde::{Deserialize, Serialize};

use super::client::ExternClient;
use super::{ExternReport, ExternSources, FAILED, REASON, VARIABLE};

/// The external variables of a run.
#[derive(Clone, Default)]
pub struct Externs {
    variables: Vec<ExternVariable>,
    /// The keys of recorded reads, if the trace may have some.
    keys: Option<ReadKeys>,
    client: Option<Arc<ExternClient>>,
}

#[derive(Clone, Debug)]
struct ExternVariable {
    declaration: ExternDeclaration,
    /// The key under which events have the value; `None`: no property uses it.
    key: Option<Key>,
    /// The key of the value in a recorded read.
    field: Option<Key>,
    /// The longest age of the value; `None`: it is read once.
    period: Option<Duration>,
    state: ReadState,
}

/// Keys of the fields of a recorded read.
#[derive(Clone, Copy, Debug)]
struct ReadKeys {
    variable: Key,
    failed: Key,
    reason: Key,
}

/// The part of a variable that changes and is saved.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ReadState {
    /// Time of the last read, in the time of the trace.
    read_at: Option<Timestamp>,
    value: Option<Value<'static>>,
    reads: u64,
    recorded: u64,
    failures: u64,
    reason: Option<String>,
}

/// Fields of an event and values of external variables.
pub(crate) struct FieldsWithExterns<'a> {
    pub(crate) fields: &'a dyn Fields,
    pub(crate) externs: &'a Externs,
}

impl Fields for FieldsWithExterns<'_> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.externs.get(self.fields, key)
    }
    fn parameter_count(&self) -> usize {
        self.fields.parameter_count()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.fields.parameter(index)
    }
}

/// The result of reading a variable.
#[derive(Clone, Copy, Debug)]
pub struct ExternRead<'a> {
    /// The name of the variable.
    pub variable: &'a str,
    /// The value, or the reason why there is none.
    pub result: Result<&'a Value<'static>, &'a str>,
}

/// The error that a saved state belongs to other variables or is damaged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the saved state is not that of these external variables")]
pub struct ExternRestoreError;

impl Externs {
    /// Creates the variables of a spec for a plan of its properties. Without `sources` they are never read.
    pub fn new(spec: &Spec, plan: &Plan, sources: Option<&ExternSources>) -> Self {
        let clock = Clock::new(spec.time.unit);
        let variable = |declaration: &ExternDeclaration| ExternVariable {
            key: plan.symbols().find_key(&declaration.field()),
            field: None,
            // A period that is not a whole number of ticks was refused when the spec was compiled.
            period: declaration.every.and_then(|every| clock.duration(every)),
            state: ReadState::default(),
            declaration: declaration.clone(),
        };
        let variables: Vec<ExternVariable> = spec.externs.iter().map(variable).collect();
        let is_used = variables.iter().any(|variable| variable.key.is_some());
        let client = sources.filter(|_| is_used).map(|sources| Arc::new(ExternClient::new(sources)));
        Externs { variables, keys: None, client }
    }

    /// Prepares for recorded reads: registers the keys of their fields.
    pub fn expect_records(&mut self, symbols: &mut Symbols) {
        for variable in &mut self.variables {
            variable.field = Some(symbols.key(&variable.declaration.name));
        }
        let [variable, failed, reason] = [VARIABLE, FAILED, REASON].map(|key| symbols.key(key));
        self.keys = Some(ReadKeys { variable, failed, reason });
    }

    /// Lists the keys of the fields of recorded reads.
    pub(crate) fn record_keys(&self) -> Vec<Key> {
        let common = self.keys.iter().flat_map(|keys| [keys.variable, keys.failed, keys.reason]);
        common.chain(self.variables.iter().filter_map(|variable| variable.field)).collect()
    }

    /// Returns true if the spec declares no external variable.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Returns true if files or servers are read.
    pub(crate) fn reads_sources(&self) -> bool {
        self.client.is_some()
    }

    /// Returns the value under a key: that of an external variable, or else a field of the event.
    #[inline]
    pub fn get<'a>(&'a self, fields: &'a dyn Fields, key: Key) -> Option<Value<'a>> {
        match self.variables.iter().find(|variable| variable.key == Some(key)) {
            Some(variable) => variable.state.value.clone(),
            None => fields.get(key),
        }
    }

    /// Reads the outdated variables before an event of this time is checked. Calls `report` with each read.
    pub fn refresh(&mut self, now: Timestamp, mut report: impl FnMut(&ExternRead<'_>)) {
        let Some(client) = &self.client else { return };
        for ExternVariable { declaration, key, period, state, .. } in &mut self.variables {
            if key.is_none() || !state.is_due(now, *period) {
                continue;
            }
            let result = client.read(declaration);
            report(&ExternRead { variable: &declaration.name, result: result.as_ref().map_err(String::as_str) });
            state.note(now, result);
        }
    }

    /// Takes the result of a read that the caller made.
    pub fn note(&mut self, variable: &str, time: Timestamp, result: &Result<Value<'static>, String>) {
        let named = self.variables.iter_mut().find(|known| known.declaration.name == variable);
        if let Some(known) = named {
            known.state.note(time, result.clone());
        }
    }

    /// Copies the state of variables that have the same declaration in another spec.
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

    /// Lists the declarations of the variables that a property uses.
    pub fn used(&self) -> impl Iterator<Item = &ExternDeclaration> {
        self.variables.iter().filter(|variable| variable.key.is_some()).map(|variable| &variable.declaration)
    }

    /// Takes an event as a recorded read of one of the variables. Returns false if it is not one.
    pub fn absorb(&mut self, fields: &dyn Fields, time: Timestamp) -> bool {
        let Some(keys) = self.keys else { return false };
        let Some(Value::Text(name)) = fields.get(keys.variable) else { return false };
        let of_name = |variable: &&mut ExternVariable| variable.declaration.name == name;
        let Some(variable) = self.variables.iter_mut().find(of_name) else { return false };
        let value = variable.field.and_then(|field| fields.get(field));
        let result = match (fields.get(keys.failed), value) {
            (Some(Value::Bool(true)), _) => Err(match fields.get(keys.reason) {
                Some(Value::Text(reason)) => reason.into_owned(),
                _ => "no reason was recorded".to_owned(),
            }),
            (_, Some(value)) => Ok(value.into_owned()),
            (_, None) => return false,
        };
        variable.state.recorded += 1;
        variable.state.note(time, result);
        true
    }

    /// Reports the variables that a property uses.
    pub fn report(&self) -> Vec<ExternReport> {
        let report = |ExternVariable { declaration, state, .. }: &ExternVariable| ExternReport {
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

    /// Saves the state of the variables. After [`Externs::restore`], values that are still fresh are not read again.
    pub fn save(&self) -> Vec<u8> {
        let states: Vec<(&str, &ReadState)> =
            self.variables.iter().map(|variable| (&*variable.declaration.name, &variable.state)).collect();
        postcard::to_stdvec(&states).expect("plain data can be written to memory")
    }

    /// Restores what [`Externs::save`] saved.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), ExternRestoreError> {
        let Ok((states, [])) = postcard::take_from_bytes::<Vec<(String, ReadState)>>(saved) else {
            return Err(ExternRestoreError);
        };
        let names = self.variables.iter().map(|variable| &variable.declaration.name);
        if !states.iter().map(|(name, _)| name).eq(names) {
            return Err(ExternRestoreError);
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

impl ReadState {
    /// Returns true if the variable must be read. A variable that the trace records is never read, so that checking it again
    /// gives the same values.
    fn is_due(&self, now: Timestamp, period: Option<Duration>) -> bool {
        if self.recorded > 0 {
            return false;
        }
        match (self.read_at, period) {
            (None, _) => true,
            (Some(_), None) => false,
            // Time goes back where another case begins.
            (Some(read_at), Some(period)) => now < read_at || now - read_at > period,
        }
    }

    /// Notes a read. A failed one leaves the value as it was and is not repeated before its period is over.
    fn note(&mut self, time: Timestamp, result: Result<Value<'static>, String>) {
        self.read_at = Some(time);
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
