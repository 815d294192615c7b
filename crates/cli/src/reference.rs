// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check --reference`: the whole trace in memory, judged by the plain semantics.
//!
//! It shares the readers with the ordinary way and nothing that judges.

use std::collections::BTreeSet;

use gnomon::compile::Compiled;
use gnomon::event::{Event, Fields, Want};
use gnomon::offline::{Input, Options, Report, order, setup, units_are_known};
use gnomon::symbols::{Key, Symbols};
use gnomon::time::Clock;
use gnomon::trace::{Ordered, Reader, open};
use gnomon::value::Value;
use gnomon::verdict::{Decided, Origin, Outcome};
use gnomon_oracle::{OracleEvent, Trace};

/// How many events are read between two calls of `progress`.
const PROGRESS_EVERY: usize = 1 << 12;

/// Judges one trace with the oracle.
pub(crate) fn judge(
    compiled: &Compiled,
    input: Input,
    options: &Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, gnomon::Error> {
    let reader = open(input.bytes, &input.name, options.format, setup(compiled))?;
    let mut reader = Ordered::new(reader, order(compiled, options)?);
    let (mut events, mut places) = (Vec::new(), Vec::new());
    while let Some(origin) = reader.advance()? {
        let event = Event { name: origin.event, index: origin.event_index, time: origin.time, fields: reader.fields() };
        events.push(remember(&event, compiled.plan.projection().want(event.name), reader.symbols()));
        places.push(origin.event_index);
        if events.len() % PROGRESS_EVERY == 1 {
            units_are_known(compiled, reader.time_kind(), options.reorder)?;
            progress(reader.bytes_read(), events.len() as u64);
        }
    }
    let trace = Trace::with_symbols(events, reader.symbols().clone());
    let cores = compiled.plan.cores().iter();
    let judged = cores.map(|core| gnomon_oracle::judge(core, &trace, options.end, options.max_violations));
    Ok(Report {
        source: input.name,
        events: trace.events().len() as u64,
        first_time: trace.events().first().map(|event| event.time),
        last_time: trace.events().last().map(|event| event.time),
        clock: Clock::new(compiled.spec.time.unit),
        time_kind: reader.time_kind(),
        symbols: trace.symbols().clone(),
        outcomes: judged.map(|outcome| in_file_order(outcome, &places)).collect(),
        late: reader.late().cloned().unwrap_or_default(),
        unseen: unseen(compiled, &trace),
    })
}

/// An event that outlives its row, with the fields that the properties ask for.
fn remember(event: &Event<'_>, want: &Want, symbols: &Symbols) -> OracleEvent {
    let named = |key: &Key| event.fields.get(*key).map(|value| (symbols.key_text(*key).to_owned(), value.into_owned()));
    let fields = match want {
        Want::Nothing => vec![],
        Want::Fields(keys) => keys.iter().filter_map(named).map(|(name, value)| (name, Some(value))).collect(),
        Want::All => {
            let keys: Vec<Key> = (0..symbols.key_count() as u32).map(Key).collect();
            parameters(event.fields, keys.iter().filter_map(named).collect())
        }
    };
    OracleEvent { name: symbols.name_text(event.name).to_owned(), time: event.time, fields }
}

/// All fields in order. A reader gives parameters without their names, so each named field is laid on the first
/// parameter of its value that has no name yet: where two have equal values it does not matter which is which.
fn parameters(fields: &dyn Fields, named: Vec<(String, Value<'static>)>) -> Vec<(String, Option<Value<'static>>)> {
    let values = (0..fields.parameter_count()).map(|index| fields.parameter(index).into_owned());
    let mut all: Vec<(String, Option<Value<'static>>)> = values.map(|value| (String::new(), Some(value))).collect();
    for (name, value) in named {
        if let Some(free) = all.iter_mut().find(|(known, other)| known.is_empty() && other.as_ref() == Some(&value)) {
            free.0 = name;
        }
    }
    all
}

/// The oracle counts events in the order of time; reports count them as in the file.
fn in_file_order(mut outcome: Outcome, places: &[u64]) -> Outcome {
    let put_right = |origin: &mut Origin| origin.event_index = places[origin.event_index as usize];
    for violation in &mut outcome.violations {
        put_right(&mut violation.at.origin);
        if let Decided::Event(origin) = &mut violation.decided {
            put_right(origin);
        }
        violation.because.iter_mut().for_each(|because| put_right(&mut because.origin));
    }
    outcome
}

fn unseen(compiled: &Compiled, trace: &Trace) -> Vec<String> {
    let names: BTreeSet<&str> = trace.events().iter().map(|event| event.name.as_str()).collect();
    let atoms = compiled.plan.cores().iter().flat_map(|core| &core.atoms);
    let missing = atoms.filter(|atom| !atom.patterns.iter().any(|pattern| names.contains(pattern.event.as_str())));
    missing.map(|atom| atom.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}
