// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges a trace after the fact.

mod burden;
mod case;
mod divide;
mod frame;
mod freer;
mod input;
mod limit;
mod listen;
mod opened;
mod parallel;
pub mod part;
mod roster;
mod seen;
mod session;
mod starts;
pub mod stats;
mod sum;
mod watch;

use std::io::Read;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::event::{Event, TICK};
use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::time::{Clock, Quantity, TimeKind, Timestamp};
use gnomon_core::verdict::{Decided, End, Outcome};
use gnomon_engine::{Load, Monitor};
use gnomon_trace::{AnyReader, Format, Gap, Late, Order, Ordered, Setup, Unmatched, open_content};

use crate::compile::Compiled;
use crate::error::Error;
use crate::externs::{ExternReport, Externs, Feed, READ, Recording, Sources, Supplied};
pub use divide::{Division, Lot};
pub use frame::{Frame, Landmark};
pub use freer::{holds_under_any, second_thoughts};
pub use input::Input;
use limit::is_due;
pub use limit::{Limit, Limits, Overload};
pub use listen::{Ended, Found, Judged, JudgedCase, Legend, Listener};
pub use opened::{freer, judge_given, judge_opened, literal};
use seen::Seen;
use session::{CaseOf, Session};
pub use starts::literal_starts;
pub use sum::{Cases, Sum};

/// How to judge.
#[derive(Clone, Debug)]
pub struct Options {
    /// The trace's format; `None`: found out.
    pub format: Option<Format>,
    /// The field with the events' names, in formats where that is a field; `None`: the usual one.
    pub event_field: Option<String>,
    /// The field with the times; `None`: the one that the spec declares, or else the usual one.
    pub time_field: Option<String>,
    /// Whether the trace is all there is.
    pub end: End,
    /// How late an event may come.
    pub reorder: Option<Quantity>,
    /// How many violations of each property are listed.
    pub max_violations: usize,
    /// What is judged as a trace of its own.
    pub by: By,
    /// Where the whole begins and ends, if this input, or each case of it, is to be judged as a part of a longer trace.
    pub frame: Option<Frame>,
    /// What a violation does; `None`: stops the verification if its property is declared `critical`.
    pub mode: Option<Mode>,
    /// Whether violations are told while the trace is judged.
    pub tell_violations: bool,
    /// Whether each event is told, with what it decides.
    pub tell_events: bool,
    /// How much the bindings of quantified properties may take.
    pub limits: Limits,
    /// How many threads read and judge, at most. What needs someone who sees everything in order is judged by one, while
    /// another reads (`tell_events`, cases by a field), or does both (`tell_violations`, a critical property, cases of
    /// the format).
    pub jobs: usize,
    /// How external variables are asked for; `None`: they are not, and have the values that are on record in the trace.
    pub sources: Option<Sources>,
    /// Who takes down what is judged, reads of external variables included.
    pub recording: Option<Recording>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            format: None,
            event_field: None,
            time_field: None,
            end: End::Complete,
            reorder: None,
            max_violations: 1000,
            by: By::default(),
            frame: None,
            mode: None,
            tell_violations: false,
            tell_events: false,
            limits: Limits::default(),
            jobs: 1,
            sources: None,
            recording: None,
        }
    }
}

/// What is judged as a trace of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum By {
    /// Each case of a format that has cases, else the whole input.
    #[default]
    Format,
    /// The whole input.
    Whole,
    /// The events that have the same value of this field.
    Field(String),
}

/// What a violation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// It is noted, and judging goes on.
    Standard,
    /// It ends the verification of its trace.
    Critical,
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
    /// Lines of a text log that are no events.
    pub unmatched: Unmatched,
    /// Where a critical violation ended the verification.
    pub stopped: Option<Stopped>,
    /// The cases, where the trace was judged by cases.
    pub cases: Option<Cases>,
    /// Properties of the plan that are violated, and would hold under `matching any`, where someone found out
    /// ([`holds_under_any`]).
    pub freer: Vec<usize>,
    /// What became of the external variables that the properties use.
    pub externs: Vec<ExternReport>,
}

/// Where a critical violation ended the verification. Nothing after it was judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// Which property of the plan was violated.
    pub property: usize,
    /// When that became certain.
    pub decided: Option<Decided>,
    /// In which case.
    pub case: Option<String>,
}

/// How many events are judged between two calls of `progress`.
const PROGRESS_EVERY: u64 = 1 << 16;

/// Judges one trace.
pub fn judge(
    compiled: &Compiled,
    input: Input,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    if !compiled.spec.externs.is_empty() || options.recording.is_some() {
        let name = input.name.clone();
        let (reader, has_cases) = reader(compiled, input, options)?;
        return Work { compiled, name: &name, options }.run(reader, has_cases, listener);
    }
    let order = order(compiled, options)?;
    let work = Work { compiled, name: &input.name, options };
    // One loop for each format, so that the reader's inner loop and the monitor's are compiled together.
    match open_content(input.content, &input.name, options.format, setup(compiled, options))? {
        AnyReader::Csv(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Ndjson(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Json(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Xml(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Monpoly(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Text(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Messages(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Arrow(reader) => work.run(Ordered::new(reader, order), false, listener),
        AnyReader::Xes(reader) if options.by == By::Format => work.run(Ordered::new(reader, order), true, listener),
        AnyReader::Xes(reader) => work.run(Ordered::new(reader, order).across_cases(), false, listener),
        AnyReader::Otlp(reader) if options.by == By::Format => {
            work.run(Ordered::new(reader.by_trace(), order), true, listener)
        }
        AnyReader::Otlp(reader) => work.run(Ordered::new(reader, order), false, listener),
    }
}

/// A trace of any format, in order, with the values of external variables.
pub type AnySupplied = Supplied<Ordered<AnyReader<Box<dyn Read + Send>>>>;

/// Opens a trace for someone who judges it otherwise; tells whether [`Division::new`] finds cases in it.
pub fn reader(compiled: &Compiled, input: Input, options: &Options) -> Result<(AnySupplied, bool), Error> {
    let order = order(compiled, options)?;
    let mut setup = setup(compiled, options);
    let externs = supply(compiled, options, &mut setup);
    let reader = open_content(input.content, &input.name, options.format, setup)?;
    let (reader, has_cases) = if options.by == By::Format { reader.by_case() } else { (reader, false) };
    let ordered = Ordered::new(reader, order);
    let ordered = if has_cases { ordered } else { ordered.across_cases() };
    Ok((Supplied::new(ordered, externs, options.recording.clone()), has_cases))
}

/// The external variables of a spec; the reader is told of their records.
fn supply(compiled: &Compiled, options: &Options, setup: &mut Setup) -> Externs {
    let mut externs = Externs::new(&compiled.spec, &compiled.plan, options.sources.as_ref());
    if !externs.is_empty() {
        externs.expect_records(&mut setup.symbols);
        let read = setup.symbols.name(READ);
        externs.record_keys().into_iter().for_each(|key| setup.projection.add_field(read, key));
    }
    externs
}

/// What a reader must know to read for these properties.
pub fn setup(compiled: &Compiled, options: &Options) -> Setup {
    let mut symbols = compiled.plan.symbols().clone();
    symbols.name(TICK);
    if let Some(frame) = &options.frame {
        frame.announce(&mut symbols);
    }
    let mut projection = compiled.plan.projection().clone();
    if let By::Field(field) = &options.by {
        projection.add_everywhere(symbols.key(field));
    }
    if options.recording.is_some() {
        projection.add_everything();
    }
    Setup {
        symbols,
        projection,
        event_field: options.event_field.clone(),
        time_field: options.time_field.clone().or_else(|| compiled.spec.time.field.clone()),
        clock: Clock::new(compiled.spec.time.unit),
        text: compiled.log.clone(),
        ..Setup::default()
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

/// What the loops work with.
#[derive(Clone, Copy)]
struct Work<'a> {
    compiled: &'a Compiled,
    name: &'a str,
    options: &'a Options,
}

impl Work<'_> {
    fn run<R: Feed + Send>(self, reader: R, has_cases: bool, listener: &mut dyn Listener) -> Result<Report, Error> {
        let division = Division::new(reader.symbols(), has_cases, self.options);
        let critical = match self.options.mode {
            None => self.compiled.properties().any(|property| property.options.critical),
            Some(mode) => mode == Mode::Critical,
        };
        let is_parallel = self.options.jobs > 1;
        let is_plain = !division.is_divided() && self.options.frame.is_none();
        if is_plain && !critical && !self.options.tell_violations && !self.options.tell_events {
            return if is_parallel { parallel::judge(self, reader, listener) } else { self.judge(reader, listener) };
        }
        // What is told at once may be read from someone who writes it just now, and nothing is read beyond a critical
        // violation: neither can be read ahead.
        let reads_ahead = is_parallel && !critical && !self.options.tell_violations && !has_cases;
        let session = Session::new(self, division, reader.symbols().find_name(TICK), listener);
        if reads_ahead { parallel::watch(self, reader, session) } else { watch(reader, session) }
    }

    /// The short way, for when only the outcomes matter.
    fn judge<R: Feed>(self, mut reader: R, listener: &mut dyn Listener) -> Result<Report, Error> {
        let mut monitor = self.compiled.plan.start(self.options.max_violations);
        let mut extent = Extent::new(self.compiled);
        let limits = self.options.limits;
        let tick = reader.symbols().find_name(TICK);
        loop {
            while let Some(gap) = reader.gap().filter(|gap| monitor.leap(gap.events, gap.last)) {
                reader.leap(gap);
                listener.progress(reader.bytes_read(), extent.leap(gap));
            }
            let Some(event) = reader.next()? else { break };
            if Some(event.name) == tick {
                monitor.advance(event.time);
                continue;
            }
            let events = extent.add(event.name, event.time);
            monitor.step(&event);
            if is_due(events) && limits.any() {
                limits.check(&loads(self.compiled, &monitor), 0)?;
            }
            if events % PROGRESS_EVERY == 1 {
                if events == 1 {
                    units_are_known(self.compiled, reader.time_kind(), self.options.reorder)?;
                }
                listener.progress(reader.bytes_read(), events);
            }
        }
        Ok(extent.report(self, &reader, monitor.finish(self.options.end)))
    }
}

/// The long way, for when something happens before the end.
fn watch<R: Feed>(mut reader: R, mut session: Session<'_>) -> Result<Report, Error> {
    while let Some(origin) = reader.advance()? {
        let legend = Legend { symbols: reader.symbols(), time_kind: reader.time_kind() };
        let event = Event { name: origin.event, index: origin.event_index, time: origin.time, fields: reader.fields() };
        let case = CaseOf { number: reader.case_number(), name: reader.case() };
        if session.see(&event, case, reader.bytes_read(), legend)?.is_break() {
            break;
        }
    }
    Ok(session.finish(&reader))
}

/// What each property takes at present.
fn loads(compiled: &Compiled, monitor: &Monitor) -> Vec<Load> {
    (0..compiled.properties.len()).map(|property| monitor.load(property)).collect()
}

/// What is counted of the events.
struct Extent {
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    seen: Seen,
}

impl Extent {
    fn new(compiled: &Compiled) -> Self {
        Extent { events: 0, first: None, last: None, seen: Seen::new(compiled) }
    }

    #[inline]
    fn add(&mut self, name: Name, time: Timestamp) -> u64 {
        if self.events == 0 {
            self.first = Some(time);
        }
        self.last = Some(time);
        self.events += 1;
        self.seen.add(name);
        self.events
    }

    /// Events pass that have none of the names that are looked for.
    fn leap(&mut self, gap: Gap) -> u64 {
        self.first.get_or_insert(gap.first);
        self.last = Some(gap.last);
        self.events += gap.events;
        self.events
    }

    fn report<R: Feed>(self, work: Work<'_>, reader: &R, outcomes: Vec<Outcome>) -> Report {
        let compiled = work.compiled;
        Report {
            source: work.name.to_owned(),
            events: self.events,
            first_time: self.first,
            last_time: self.last,
            clock: Clock::new(compiled.spec.time.unit),
            time_kind: reader.time_kind(),
            outcomes,
            late: reader.late().cloned().unwrap_or_default(),
            unseen: self.seen.missing(compiled),
            symbols: reader.symbols().clone(),
            unmatched: reader.unmatched().cloned().unwrap_or_default(),
            stopped: None,
            freer: vec![],
            externs: reader.externs(),
            cases: None,
        }
    }
}

/// A constant with a unit says nothing about a trace whose numbers have none.
pub fn units_are_known(compiled: &Compiled, kind: TimeKind, reorder: Option<Quantity>) -> Result<(), Error> {
    if kind == TimeKind::DateTime || compiled.spec.time.unit.is_some() {
        return Ok(());
    }
    let in_spec = compiled.plan.cores().iter().find_map(gnomon_ir::core::Core::needs_unit);
    let period = compiled.spec.externs.iter().find(|external| external.every.is_some_and(|every| every.unit.is_some()));
    let in_spec = in_spec.or(period.map(|external| external.span));
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
