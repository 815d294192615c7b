// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a recorded trace.
//!
//! [`judge`] opens the input and picks the cheapest driver that can do the job:
//!
//! | Condition | Driver |
//! |---|---|
//! | only outcomes are wanted | one monitor for the whole trace (`WholeTraceVisitor`) |
//! | the same, with `jobs` above 1 | shards in several threads (`parallel`), or one monitor while other threads parse |
//! | cases of a field of which only outcomes are wanted | the events of each case, one case after the other (`GroupedCases`) |
//! | other cases, reports while reading, critical properties, bounds | one monitor for each case (`CaseDriver`) |
//!
//! [`part::judge_part`] checks a part of a trace on one of many machines, [`stats::judge`] keeps statistics over time, and
//! [`judge_reopenable`] reads an input more than once where that gives a better answer.

mod bounds;
mod case_driver;
mod case_table;
pub(crate) mod division;
mod event_log;
mod explanations;
mod grouped_cases;
mod input;
mod listener;
mod locate;
pub(crate) mod memory;
mod oracle_event;
mod outcome_sum;
mod parallel;
pub mod part;
mod reopenable;
pub mod stats;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::event::{CASE_MARKER, CASE_MARKER_FIELDS, Event, PROGRESS_MARKER};
use gnomon_core::event_block::EventBlock;
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{Clock, Quantity, TimeKind, Timestamp, Unit};
use gnomon_core::verdict::{DecisionPoint, End, Origin, Outcome};
use gnomon_engine::{MemoryUse, Monitor};
use gnomon_ir::spec::Spec;
use gnomon_trace::{
    AnyReader, Checkpoints, EventGap, Format, LateEvents, OrderPolicy, Reader, ReaderSetup, SkippedEvents, TraceInput,
    UnmatchedLines, open_input,
};

use crate::compile::CompiledSpec;
use crate::driver::CheckJob;
pub use crate::driver::{Driver, EventSource, Visitor};
use crate::error::Error;
pub use crate::expectations::{EmptyRange, FieldMismatch, UnmetExpectation, ValueKind};
use crate::externs::{ExternReport, ExternSources, Externs, READ, SharedRecorder};
pub use crate::stream::EventStream;
pub use bounds::{BoundaryEvent, TraceBounds};
use case_driver::CaseDriver;
pub(crate) use division::CaseField;
pub use division::{CaseEnd, CaseId, CaseStep, Division};
pub use explanations::PartValues;
pub use gnomon_oracle::Truth;
pub use gnomon_oracle::explain::PartValue;
use grouped_cases::GroupedCases;
pub use input::NamedInput;
pub use listener::{CaseOutcomes, EndVerdict, EventVerdict, Listener, ReportedViolation, TraceContext};
pub use locate::{EventLocation, EventLocations};
pub use memory::{ExceededLimit, Limits, Overload};
pub use oracle_event::oracle_event;
pub(crate) use outcome_sum::SavedSum;
pub use outcome_sum::{CaseSummary, OutcomeSum, worst_verdict};
pub use parallel::ThreadWork;
pub use reopenable::{judge_reopenable, judge_reopenable_by, literal_starts, with_literal_starts};

/// Options of a check.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
#[derive(Clone, Debug)]
pub struct Options {
    /// The format of the trace; `None`: detected.
    pub format: Option<Format>,
    /// The field with the names of events, in formats where that is a field; `None`: the usual one.
    pub event_field: Option<String>,
    /// The field with the times; `None`: the one that the spec declares, or else the usual one.
    pub time_field: Option<String>,
    /// The end of the trace: complete, or a prefix of a longer one.
    pub end: End,
    /// The longest delay of an event that arrives out of order.
    pub reorder: Option<Quantity>,
    /// Greatest number of violations listed for each property.
    pub max_violations: usize,
    /// The division into cases.
    pub by: DivideBy,
    /// First and last event of the whole trace, if this input, or each case of it, is checked as a part of a longer trace.
    pub bounds: Option<TraceBounds>,
    /// The effect of a violation; `None`: it stops the verification if its property is declared `critical`.
    pub mode: Option<ViolationMode>,
    /// Report violations to the listener while the trace is read.
    pub report_violations: bool,
    /// Report each event to the listener, with the violations that it decides.
    pub report_events: bool,
    /// Limits for the bindings of quantified properties.
    pub limits: Limits,
    /// Greatest number of threads. Some checks need all events in order in one thread; then the other threads only parse
    /// (`report_events`, cases by a field), or there is a single thread (`report_violations`, a critical property, cases of
    /// the format).
    pub jobs: usize,
    /// Access to external variables; `None`: they have only the values that the trace records.
    pub sources: Option<ExternSources>,
    /// Records the events of the trace and the reads of external variables.
    pub recording: Option<SharedRecorder>,
    /// Greatest number of violations of each property whose events are located in the input ([`judge_reopenable`]).
    pub located_violations: usize,
    /// Keep the text of the located events.
    pub keep_raw: bool,
    /// Evaluate the parts of the formulae of explained violations ([`Report::parts`]).
    pub explain_parts: bool,
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
            by: DivideBy::default(),
            bounds: None,
            mode: None,
            report_violations: false,
            report_events: false,
            limits: Limits::default(),
            jobs: 1,
            sources: None,
            recording: None,
            located_violations: usize::MAX,
            keep_raw: false,
            explain_parts: false,
        }
    }
}

impl Options {
    /// Returns true if an event that comes later has a greater index, so that its violations are listed later, too. Events that
    /// were out of order keep the indices that they have in the file.
    fn lists_in_order(&self) -> bool {
        self.reorder.is_none()
    }
}

/// The division of a trace into cases, each a trace of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum DivideBy {
    /// Each case of a format that has cases, else the whole input.
    #[default]
    Format,
    /// The whole input.
    Whole,
    /// The events that have the same value of this field.
    Field(String),
}

/// The effect of a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViolationMode {
    /// It is counted, and the check continues.
    Standard,
    /// It stops the verification of its trace.
    Critical,
}

/// The result of checking a trace.
#[derive(Debug, Default)]
pub struct Report {
    /// The name of the trace.
    pub source: String,
    /// Number of events that were checked.
    pub events: u64,
    /// Time of the first event.
    pub first_time: Option<Timestamp>,
    /// Time of the last event.
    pub last_time: Option<Timestamp>,
    /// The unit of times.
    pub clock: Clock,
    /// The kind of times.
    pub time_kind: TimeKind,
    /// The names of events.
    pub symbols: Symbols,
    /// The outcome of each property of the plan.
    pub outcomes: Vec<Outcome>,
    /// Events that came later than [`Options::reorder`] allows; they were not checked.
    pub late: LateEvents,
    /// Events that the properties mention and the trace does not have.
    pub unseen: Vec<String>,
    /// Fields that the properties use and no event has, or not as they are used.
    pub unmet: Vec<UnmetExpectation>,
    /// Variables for which no event has a value.
    pub empty_ranges: Vec<EmptyRange>,
    /// Numbers of events that could not be checked and were skipped by the reader.
    pub skipped: SkippedEvents,
    /// Number of cases of the format that have no events.
    pub empty_cases: u64,
    /// Lines of a text log that are not events.
    pub unmatched: UnmatchedLines,
    /// Decisions of the reader that a user must know.
    pub notes: Vec<String>,
    /// The critical violation that stopped the verification.
    pub stopped: Option<CriticalStop>,
    /// The work of the threads, if there were several and chunks of the trace were parsed in parallel.
    pub work: Option<ThreadWork>,
    /// Summary of the cases of a divided trace.
    pub cases: Option<CaseSummary>,
    /// Properties of the plan that are violated but would hold under `matching any`, if that was tried
    /// ([`judge_reopenable`]).
    pub relaxed: Vec<usize>,
    /// Reads of the external variables that the properties use.
    pub externs: Vec<ExternReport>,
    /// Places in the input of the events that the listed violations cite ([`judge_reopenable`]).
    pub locations: EventLocations,
    /// Values of the parts of the formulae of explained violations, if [`Options::explain_parts`] asks for them.
    pub parts: PartValues,
    /// The offset from UTC, in seconds, in which the first date-time of the trace is written.
    pub utc_offset: i32,
    /// Places that the reader noted, from which [`judge_reopenable`] finds the cited events.
    pub checkpoints: Checkpoints,
}

/// The critical violation that stopped the verification. Nothing after it was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CriticalStop {
    /// The property of the plan.
    pub property: usize,
    /// The event or time that decided the violation.
    pub decided: Option<DecisionPoint>,
    /// The case.
    pub case: Option<String>,
}

/// A stream over a trace of any format.
pub type AnyStream = EventStream<AnyReader<'static>>;

/// Checks one trace.
pub fn judge(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    let NamedInput { name, content } = input;
    let opened = OpenTrace::new(compiled, content, &name, options)?;
    let job = CheckJob { compiled, name: &name, options };
    let opened = if reads_ahead(job, &opened) { opened.in_chunks(options) } else { opened };
    let is_divided = opened.has_cases || matches!(options.by, DivideBy::Field(_));
    let reports_events = options.report_violations || options.report_events;
    if is_divided || options.bounds.is_some() || reports_events || is_critical(compiled, options) {
        return judge_cases(job, opened, listener);
    }
    // The readers of the usual formats, the monitors and the driver are compiled together.
    let OpenTrace { reader, how, .. } = opened;
    match reader {
        AnyReader::Csv(reader) => judge_whole(job, how.stream(reader), listener),
        AnyReader::Ndjson(reader) => judge_whole(job, how.stream(reader), listener),
        AnyReader::Arrow(reader) => judge_whole(job, how.stream(reader), listener),
        reader => judge_whole(job, how.stream(reader), listener),
    }
}

/// Opens a trace for a visitor of the caller. The flag is true if [`Division::new`] finds cases of the format in it.
pub fn open_stream(compiled: &CompiledSpec, input: NamedInput, options: &Options) -> Result<(AnyStream, bool), Error> {
    let OpenTrace { reader, how, has_cases } = OpenTrace::new(compiled, input.content, &input.name, options)?;
    Ok((how.stream(reader), has_cases))
}

/// An open trace.
struct OpenTrace {
    reader: AnyReader<'static>,
    how: StreamSetup,
    /// True if the format has cases and they are checked separately.
    has_cases: bool,
}

/// Arguments that turn a reader into a stream.
struct StreamSetup {
    order: OrderPolicy,
    across_cases: bool,
    externs: Externs,
    recording: Option<SharedRecorder>,
}

impl OpenTrace {
    /// Has several threads parse the trace, if its format permits it. A recording needs the fields with their names, which chunks do not
    /// keep.
    fn in_chunks(self, options: &Options) -> Self {
        if options.recording.is_some() {
            self
        } else {
            OpenTrace { reader: self.reader.in_chunks(options.jobs), ..self }
        }
    }

    fn new(compiled: &CompiledSpec, content: TraceInput, name: &str, options: &Options) -> Result<Self, Error> {
        let order = order(compiled, options)?;
        let mut setup = setup(compiled, options);
        let mut externs = Externs::new(&compiled.spec, &compiled.plan, options.sources.as_ref());
        if !externs.is_empty() {
            externs.expect_records(&mut setup.symbols);
            let read = setup.symbols.name(READ);
            externs.record_keys().into_iter().for_each(|key| setup.projection.add_field(read, key));
        }
        let reader = open_input(content, name, options.format, setup)?;
        let (reader, has_cases) = if options.by == DivideBy::Format { reader.by_case() } else { (reader, false) };
        let how = StreamSetup { order, across_cases: !has_cases, externs, recording: options.recording.clone() };
        Ok(OpenTrace { reader, how, has_cases })
    }
}

impl StreamSetup {
    fn stream<R: Reader>(self, reader: R) -> EventStream<R> {
        EventStream::new(reader, self.order, self.across_cases, self.externs, self.recording)
    }
}

/// Returns the setup of a reader for these properties: names, projection, fields, clock.
pub fn setup(compiled: &CompiledSpec, options: &Options) -> ReaderSetup {
    let mut symbols = compiled.plan.symbols().clone();
    symbols.name(PROGRESS_MARKER);
    let case_marker = symbols.name(CASE_MARKER);
    if let Some(bounds) = &options.bounds {
        bounds.announce(&mut symbols);
    }
    let mut projection = compiled.plan.projection().clone();
    if let DivideBy::Field(field) = &options.by {
        CaseField::announce(field, &mut symbols, &mut projection);
        for field in CASE_MARKER_FIELDS {
            projection.add_field(case_marker, symbols.key(field));
        }
    }
    if options.recording.is_some() {
        projection.add_everything();
    }
    ReaderSetup {
        symbols,
        projection,
        event_field: options.event_field.clone(),
        name: compiled.name.clone(),
        time_field: options.time_field.clone().or_else(|| compiled.spec.time.field.clone()),
        clock: Clock::new(compiled.spec.time.unit),
        dates: compiled.dates.clone(),
        log: compiled.log.clone(),
        ..ReaderSetup::default()
    }
}

/// Returns the policy for events that are out of order.
pub fn order(compiled: &CompiledSpec, options: &Options) -> Result<OrderPolicy, Error> {
    let Some(delay) = options.reorder else { return Ok(OrderPolicy::Strict) };
    let clock = Clock::new(compiled.spec.time.unit);
    let duration = clock.duration(delay).ok_or_else(|| {
        let span = compiled.spec.time.span.unwrap_or_default();
        Error::spec(Diagnostic::error("G0402", span, format!("`{delay}` is not a whole number of nanoseconds")))
    })?;
    Ok(OrderPolicy::Within(duration))
}

/// Returns true if a violation can stop the verification.
fn is_critical(compiled: &CompiledSpec, options: &Options) -> bool {
    match options.mode {
        None => compiled.properties().any(|property| property.options.critical),
        Some(mode) => mode == ViolationMode::Critical,
    }
}

/// Returns true if other threads may read ahead. A violation must be reported as soon as its event is written, and nothing may be read
/// beyond a critical one.
fn reads_ahead(job: CheckJob<'_>, opened: &OpenTrace) -> bool {
    let CheckJob { compiled, options, .. } = job;
    options.jobs > 1 && !is_critical(compiled, options) && !options.report_violations && !opened.has_cases
}

/// Checks an undivided trace of which only the outcomes are wanted.
fn judge_whole<R: Reader + Send>(
    job: CheckJob<'_>,
    mut stream: EventStream<R>,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    let parse_queue = stream.reader().parse_queue().cloned();
    if job.options.jobs > 1 && (parse_queue.is_none() || job.compiled.plan.can_partition()) {
        return parallel::judge(job, stream, listener);
    }
    let monitor = job.compiled.plan.start(job.options.max_violations);
    let mut whole = WholeTraceVisitor { job, monitor, listener };
    let mut driver = Driver::of(job);
    let work = match parse_queue {
        Some(queue) => Some(parallel::drive_with_parsers(&queue, &mut driver, job, &mut stream, &mut whole)?),
        None => driver.run(&mut stream, &mut whole).map(|_| None)?,
    };
    let outcomes = whole.monitor.finish(job.options.end);
    Ok(Report { work, ..driver.report(&stream, outcomes) })
}

/// Checks a trace by cases, or one that reports something before its end.
fn judge_cases(job: CheckJob<'_>, opened: OpenTrace, listener: &mut dyn Listener) -> Result<Report, Error> {
    let reads_ahead = reads_ahead(job, &opened);
    let OpenTrace { reader, how, has_cases } = opened;
    let mut stream = how.stream(reader);
    let division = Division::new(job.compiled, stream.context().symbols, has_cases, job.options);
    if can_group(job) {
        return judge_grouped(job, stream, GroupedCases::new(job, division, listener));
    }
    let mut cases = CaseDriver::new(job, division, listener);
    let mut driver = Driver::of(job);
    let work = parallel::drive(&mut driver, job, &mut stream, &mut cases, reads_ahead)?;
    if has_cases {
        cases.add_empty(stream.empty_cases());
    }
    let (outcomes, cases, stopped) = cases.finish(stream.context());
    Ok(Report { stopped, work, cases, ..driver.report(&stream, outcomes) })
}

/// Returns true if events can be gathered by case before they are checked: nothing is reported before the end, and no limit
/// counts the bindings of all cases at the same time.
fn can_group(job: CheckJob<'_>) -> bool {
    let CheckJob { compiled, options, .. } = job;
    let reports_events = options.report_violations || options.report_events;
    let is_whole = options.bounds.is_none() && options.limits.bindings.is_none();
    matches!(options.by, DivideBy::Field(_)) && is_whole && !reports_events && !is_critical(compiled, options)
}

/// Checks the cases of a field of which only the outcomes are wanted.
fn judge_grouped<R: Reader + Send>(
    job: CheckJob<'_>,
    mut stream: EventStream<R>,
    mut cases: GroupedCases<'_>,
) -> Result<Report, Error> {
    let mut driver = Driver::of(job);
    let work = parallel::drive(&mut driver, job, &mut stream, &mut cases, job.options.jobs > 1)?;
    let (outcomes, cases) = cases.finish(stream.context())?;
    Ok(Report { work, cases: Some(cases), ..driver.report(&stream, outcomes) })
}

/// Checks a whole trace with one monitor.
struct WholeTraceVisitor<'a> {
    job: CheckJob<'a>,
    monitor: Monitor,
    listener: &'a mut dyn Listener,
}

impl Visitor for WholeTraceVisitor<'_> {
    #[inline]
    fn event<S: EventSource>(&mut self, event: &Event<'_>, _: &S) -> Result<bool, Error> {
        self.monitor.step(event);
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        self.monitor.advance(to);
        Ok(())
    }

    const TAKES_RUNS: bool = true;

    fn run(&mut self, events: &[Origin]) {
        self.monitor.step_run(events);
    }

    fn block(&mut self, block: &EventBlock) -> Result<(), Error> {
        self.monitor.step_block(block);
        Ok(())
    }

    #[inline]
    fn gap(&mut self, gap: EventGap) -> bool {
        self.monitor.skip_unread(gap.events, gap.last)
    }

    #[inline]
    fn check_limits(&mut self) -> Result<(), Error> {
        let limits = self.job.options.limits;
        if limits.any() { limits.check(&loads(self.job.compiled, &self.monitor), 0) } else { Ok(()) }
    }

    fn report_progress(&mut self, bytes: u64, events: u64) {
        self.listener.progress(bytes, events);
    }
}

/// Returns the memory of each property.
fn loads(compiled: &CompiledSpec, monitor: &Monitor) -> Vec<MemoryUse> {
    (0..compiled.properties.len()).map(|property| monitor.memory_use(property)).collect()
}

/// Fails if the spec or `reorder` has a duration with a unit and the times of the trace are numbers without one.
/// `first` is a time of the trace, by which the unit is guessed for the advice.
pub fn check_units(
    compiled: &CompiledSpec,
    kind: TimeKind,
    first: Timestamp,
    reorder: Option<Quantity>,
) -> Result<(), Error> {
    if kind == TimeKind::DateTime || compiled.spec.time.unit.is_some() {
        return Ok(());
    }
    let in_spec = compiled.plan.cores().iter().find_map(gnomon_ir::core::Core::needs_unit);
    let period = compiled.spec.externs.iter().find(|external| external.every.is_some_and(|every| every.unit.is_some()));
    let expiry = compiled.spec.cases.expiry.filter(|(expiry, _)| expiry.unit.is_some());
    let in_spec = in_spec.or(period.map(|external| external.span)).or(expiry.map(|(_, span)| span));
    if in_spec.is_none() && reorder.is_none_or(|delay| delay.unit.is_none()) {
        return Ok(());
    }
    let what = match kind {
        TimeKind::Position => "the trace has no times, so an event's place counts as its time",
        TimeKind::Number | TimeKind::DateTime => {
            "the trace's times are plain numbers, and the spec does not say of what"
        }
    };
    let number = compiled.clock().print_number(first);
    let likely = if kind == TimeKind::Number { likely_unit(first, compiled.clock()) } else { None };
    let is_date = kind == TimeKind::Number && is_compact_date(&number);
    let mut time = compiled.spec.time.clone();
    if is_date {
        time.field.get_or_insert_with(|| "time".to_owned());
        time.format = Some((COMPACT_DATE.to_owned(), Span::default()));
    } else {
        time.unit = Some(likely.unwrap_or(Unit::Second));
    }
    let declaration = gnomon_lang::print_declarations(&Spec { time, ..Spec::default() });
    let declaration = declaration.trim_end();
    let help = match likely {
        _ if kind == TimeKind::Position => {
            "declare the field with the times, such as `time FIELD`; or drop the unit: `gnomon events` lists the fields"
                .to_owned()
        }
        _ if is_date => format!("`{number}` is probably a date and time: declare `{declaration}`; or drop the unit"),
        Some(unit) => {
            format!("`{number}` is probably a number of {unit} since 1970: declare `{declaration}`; or drop the unit")
        }
        None => {
            format!("declare what one unit of the trace's time is, for example `{declaration}`; or drop the unit")
        }
    };
    Err(Error::spec(
        Diagnostic::error(
            "G0401",
            in_spec.unwrap_or_default(),
            "a constant with a unit, but the trace's unit is unknown",
        )
        .label("this has a unit")
        .help(help)
        .note(what),
    ))
}

/// The format of a date and time written as one number, such as `20261116114220`.
const COMPACT_DATE: &str = "%Y%m%d%H%M%S";

/// Returns true for a number that is written like a date and time between 1990 and 2099.
fn is_compact_date(number: &str) -> bool {
    let digits: Option<Vec<u32>> = number.chars().map(|digit| digit.to_digit(10)).collect();
    let Some(digits) = digits.filter(|digits| digits.len() == 14) else { return false };
    let value = |from: usize, to: usize| digits[from..to].iter().fold(0, |value, digit| value * 10 + digit);
    let is_day = (1..=12).contains(&value(4, 6)) && (1..=31).contains(&value(6, 8));
    (1990..2100).contains(&value(0, 4)) && is_day && value(8, 10) < 24 && value(10, 12) < 60 && value(12, 14) < 61
}

/// Returns the unit in which a number is a plausible time since 1970: between 1990 and 2100.
pub fn likely_unit(time: Timestamp, clock: Clock) -> Option<Unit> {
    const PLAUSIBLE_SECONDS: std::ops::Range<i128> = 631_152_000..4_102_444_800;
    let number = time.ticks() / clock.ticks_per_unit();
    let units = [
        (Unit::Second, 1),
        (Unit::Millisecond, 1_000),
        (Unit::Microsecond, 1_000_000),
        (Unit::Nanosecond, 1_000_000_000),
    ];
    units.into_iter().find(|(_, per_second)| PLAUSIBLE_SECONDS.contains(&(number / per_second))).map(|(unit, _)| unit)
}
