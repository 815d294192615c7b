// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check --reference`: the whole trace in memory, judged by the plain semantics.
//!
//! It shares the readers with the ordinary way and nothing that judges.

use std::collections::BTreeSet;
use std::sync::Arc;

use gnomon::compile::Compiled;
use gnomon::event::{Event, Fields, Want};
use gnomon::offline::{
    self, Cases, Division, Found, Input, Legend, Listener, Lot, Options, Report, Sum, units_are_known,
};
use gnomon::symbols::{Key, Symbols};
use gnomon::time::Clock;
use gnomon::trace::Reader;
use gnomon::value::Value;
use gnomon::verdict::{Decided, Origin, Outcome};
use gnomon_oracle::{OracleEvent, Trace};

/// How many events are read between two calls of `progress`.
const PROGRESS_EVERY: u64 = 1 << 12;

/// Judges one trace with the oracle.
pub(crate) fn judge(
    compiled: &Compiled,
    input: Input,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, gnomon::Error> {
    let (mut reader, has_cases) = offline::reader(compiled, input, options)?;
    let mut division = Division::new(reader.symbols(), has_cases, options);
    let (mut cases, mut times, mut events) = (Vec::new(), None, 0);
    let externs: Vec<(String, Key)> = compiled
        .spec
        .externs
        .iter()
        .filter_map(|external| {
            let field = external.field();
            compiled.plan.symbols().find_key(&field).map(|key| (field, key))
        })
        .collect();
    while let Some(origin) = reader.advance()? {
        if events == 0 {
            units_are_known(compiled, reader.time_kind(), options.reorder)?;
        }
        let case = match division.lot(reader.fields(), reader.case_number(), reader.case()) {
            Lot::None => continue,
            Lot::Known(number) => number,
            Lot::New(label) => {
                cases.push(Case { label, ..Case::default() });
                cases.len() - 1
            }
        };
        let event = Event { name: origin.event, index: origin.event_index, time: origin.time, fields: reader.fields() };
        let want = compiled.plan.projection().want(event.name);
        cases[case].events.push(remember(&event, want, reader.symbols()));
        cases[case].places.push(origin.event_index);
        for (name, key) in &externs {
            cases[case].assign(name, event.fields.get(*key));
        }
        let (first, _) = times.unwrap_or((origin.time, origin.time));
        times = Some((first, origin.time));
        if events % PROGRESS_EVERY == 0 {
            listener.progress(reader.bytes_read(), events);
        }
        events += 1;
    }
    let symbols = reader.symbols().clone();
    let unseen = unseen(compiled, &cases);
    let judge = |case: Case| {
        let mut trace = Trace::with_symbols(case.events, symbols.clone());
        for (from, variable, value) in case.assigned {
            trace.assign(from, &variable, value);
        }
        let cores = compiled.plan.cores().iter();
        let judged = cores.map(|core| gnomon_oracle::judge(core, &trace, options.end, options.max_violations));
        judged.map(|outcome| in_file_order(outcome, &case.places)).collect::<Vec<Outcome>>()
    };
    let (outcomes, cases) = if division.is_divided() {
        let mut sum = Sum::new(compiled.plan.cores().len(), options.max_violations);
        for case in cases {
            sum.add(&case.label.clone(), judge(case));
        }
        let (outcomes, cases) = sum.finish(division.field(), division.without());
        (outcomes, Some(cases))
    } else {
        (judge(cases.pop().unwrap_or_default()), None)
    };
    let legend = Legend { symbols: &symbols, time_kind: reader.time_kind() };
    tell(&outcomes, cases.as_ref(), legend, options, listener);
    Ok(Report {
        source: reader.source_name().to_owned(),
        events,
        first_time: times.map(|(first, _)| first),
        last_time: times.map(|(_, last)| last),
        clock: Clock::new(compiled.spec.time.unit),
        time_kind: reader.time_kind(),
        outcomes,
        late: reader.get_ref().late().cloned().unwrap_or_default(),
        unseen,
        unmatched: reader.unmatched().cloned().unwrap_or_default(),
        stopped: None,
        freer: vec![],
        externs: reader.externs().report(),
        cases,
        symbols,
    })
}

/// A whole trace, or one case of it.
#[derive(Default)]
struct Case {
    label: Arc<str>,
    events: Vec<OracleEvent>,
    /// The places of its events in the file.
    places: Vec<u64>,
    /// External variables that changed: at which event, and to what.
    assigned: Vec<(usize, String, Value<'static>)>,
}

impl Case {
    /// What an external variable is at the latest event.
    fn assign(&mut self, variable: &str, value: Option<Value<'_>>) {
        let known = self.assigned.iter().rev().find(|(_, name, _)| name == variable).map(|(.., value)| value);
        if let Some(value) = value.filter(|value| known != Some(value)) {
            self.assigned.push((self.events.len() - 1, variable.to_owned(), value.into_owned()));
        }
    }
}

/// The oracle knows nothing before it knows all: whoever listens hears everything at the end.
fn tell(
    outcomes: &[Outcome],
    cases: Option<&Cases>,
    legend: Legend<'_>,
    options: &Options,
    listener: &mut dyn Listener,
) {
    for (property, outcome) in outcomes.iter().enumerate().filter(|_| options.tell_violations) {
        for (number, violation) in outcome.violations.iter().enumerate() {
            let case = cases.and_then(|cases| cases.label(property, number));
            listener.violation(&Found { property, violation, case, legend });
        }
    }
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

fn unseen(compiled: &Compiled, cases: &[Case]) -> Vec<String> {
    let events = cases.iter().flat_map(|case| &case.events);
    let names: BTreeSet<&str> = events.map(|event| event.name.as_str()).collect();
    let atoms = compiled.plan.cores().iter().flat_map(gnomon::ir::core::Core::atoms);
    let missing = atoms.filter(|atom| !atom.patterns.iter().any(|pattern| names.contains(pattern.event.as_str())));
    missing.map(|atom| atom.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}
