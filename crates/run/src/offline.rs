// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges a trace after the fact.

use std::collections::BTreeSet;
use std::io::Read;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::event::Event;
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{Clock, Quantity, TimeKind, Timestamp};
use gnomon_core::verdict::{End, Outcome};
use gnomon_trace::{AnyReader, Format, Late, Order, Ordered, Reader, Setup, open};

use crate::compile::Compiled;
use crate::error::Error;

/// How to judge.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The trace's format; `None`: found out.
    pub format: Option<Format>,
    /// Whether the trace is all there is.
    pub end: End,
    /// How late an event may come.
    pub reorder: Option<Quantity>,
    /// How many violations of each property are listed.
    pub max_violations: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { format: None, end: End::Complete, reorder: None, max_violations: 1000 }
    }
}

/// An open trace.
pub struct Input {
    /// What it is called in messages; its extension may tell the format.
    pub name: String,
    /// Its bytes.
    pub bytes: Box<dyn Read + Send>,
}

/// What was found.
#[derive(Debug)]
pub struct Report {
    /// The trace's name.
    pub source: String,
    /// How many events were judged.
    pub events: u64,
    /// The time of the first.
    pub first_time: Option<Timestamp>,
    /// The time of the last.
    pub last_time: Option<Timestamp>,
    /// The trace's unit.
    pub clock: Clock,
    /// What its times are.
    pub time_kind: TimeKind,
    /// The names of its events.
    pub symbols: Symbols,
    /// What became of each property of the plan.
    pub outcomes: Vec<Outcome>,
    /// Events that came later than [`Options::reorder`] allows; they were not judged.
    pub late: Late,
    /// Events that the properties speak of and the trace never has.
    pub unseen: Vec<String>,
}

/// How many events are judged between two calls of `progress`.
const PROGRESS_EVERY: u64 = 1 << 16;

/// Judges one trace. `progress` hears now and then how many bytes and events are done.
pub fn judge(
    compiled: &Compiled,
    input: Input,
    options: &Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, Error> {
    let order = order(compiled, options)?;
    let setup = setup(compiled);
    // One loop for each format, so that the reader's inner loop and the monitor's are compiled together.
    match open(input.bytes, &input.name, options.format, setup)? {
        AnyReader::Csv(reader) => run(compiled, Ordered::new(reader, order), &input.name, options, progress),
        AnyReader::Ndjson(reader) => run(compiled, Ordered::new(reader, order), &input.name, options, progress),
    }
}

/// What a reader must know to read for these properties.
pub fn setup(compiled: &Compiled) -> Setup {
    Setup {
        symbols: compiled.plan.symbols().clone(),
        projection: compiled.plan.projection().clone(),
        time_field: compiled.spec.time.field.clone(),
        clock: Clock::new(compiled.spec.time.unit),
    }
}

/// How the order of a trace is watched over.
pub fn order(compiled: &Compiled, options: &Options) -> Result<Order, Error> {
    let Some(delay) = options.reorder else { return Ok(Order::Strict) };
    let clock = Clock::new(compiled.spec.time.unit);
    let duration = clock.duration(delay).ok_or_else(|| {
        let span = compiled.spec.time.span.unwrap_or_default();
        Error::spec(Diagnostic::error("G0402", span, format!("`{delay}` is no whole number of nanoseconds")))
    })?;
    Ok(Order::Within(duration))
}

fn run<R: Reader>(
    compiled: &Compiled,
    mut reader: Ordered<R>,
    name: &str,
    options: &Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, Error> {
    let mut monitor = compiled.plan.start(options.max_violations);
    let mut seen = Seen::new(compiled.plan.symbols().name_count());
    let (mut events, mut first_time, mut last_time) = (0, None, None);
    while let Some(event) = reader.next()? {
        if events == 0 {
            first_time = Some(event.time);
        }
        last_time = Some(event.time);
        events += 1;
        seen.add(&event);
        monitor.step(&event);
        if events % PROGRESS_EVERY == 1 {
            if events == 1 {
                units_are_known(compiled, reader.time_kind(), options.reorder)?;
            }
            progress(reader.bytes_read(), events);
        }
    }
    Ok(Report {
        source: name.to_owned(),
        events,
        first_time,
        last_time,
        clock: Clock::new(compiled.spec.time.unit),
        time_kind: reader.time_kind(),
        outcomes: monitor.finish(options.end),
        late: reader.late().cloned().unwrap_or_default(),
        unseen: seen.missing(compiled),
        symbols: reader.symbols().clone(),
    })
}

/// A constant with a unit says nothing about a trace whose numbers have none.
pub fn units_are_known(compiled: &Compiled, kind: TimeKind, reorder: Option<Quantity>) -> Result<(), Error> {
    if kind == TimeKind::DateTime || compiled.spec.time.unit.is_some() {
        return Ok(());
    }
    let in_spec = compiled.plan.cores().iter().find_map(|core| core.needs_unit);
    if in_spec.is_none() && reorder.is_none_or(|delay| delay.unit.is_none()) {
        return Ok(());
    }
    let what = match kind {
        TimeKind::Position => "the trace has no times, so an event's place counts as its time",
        TimeKind::Number | TimeKind::DateTime => {
            "the trace's times are plain numbers, and the spec does not say of what"
        }
    };
    let declaration = match &compiled.spec.time.field {
        Some(field) => format!("time {field} in s"),
        None => "time in s".to_owned(),
    };
    Err(Error::spec(
        Diagnostic::error(
            "G0401",
            in_spec.unwrap_or_default(),
            "a constant with a unit, but the trace's unit is unknown",
        )
        .label("this has a unit")
        .help(format!("declare what one unit of the trace's time is, for example `{declaration}`; or drop the unit"))
        .note(what),
    ))
}

/// Which of the spec's event names the trace has.
struct Seen {
    names: Vec<bool>,
}

impl Seen {
    fn new(names: usize) -> Self {
        Seen { names: vec![false; names] }
    }

    #[inline]
    fn add(&mut self, event: &Event<'_>) {
        if let Some(seen) = self.names.get_mut(event.name.0 as usize) {
            *seen = true;
        }
    }

    /// Atoms none of whose events ever came.
    fn missing(&self, compiled: &Compiled) -> Vec<String> {
        let mut missing = BTreeSet::new();
        let symbols = compiled.plan.symbols();
        for atom in compiled.plan.cores().iter().flat_map(|core| &core.atoms) {
            let came = atom.patterns.iter().any(|pattern| {
                symbols.find_name(&pattern.event).is_some_and(|name| self.names.get(name.0 as usize) == Some(&true))
            });
            if !came {
                missing.insert(atom.name.clone());
            }
        }
        missing.into_iter().collect()
    }
}
