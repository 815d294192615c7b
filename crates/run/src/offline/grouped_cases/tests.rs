// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares reports of generated properties and traces with the definition, each case checked by a monitor of its own, and with the
//! per-event driver.

use std::fmt::Write as _;
use std::io::Cursor;

use gnomon_core::event::{OwnedFields, PROGRESS_MARKER};
use gnomon_core::number::Number;
use gnomon_core::random::Random;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{Clock, Quantity, TimeKind};
use gnomon_core::value::Value;
use gnomon_core::verdict::End;
use gnomon_ir::spec::Language;
use gnomon_oracle::OracleEvent;
use gnomon_test::case::{Case, at};
use gnomon_test::property::for_all_in;
use gnomon_trace::{EventRecord, EventTime, FieldEntry, Format, create};

use super::super::{
    DivideBy, Driver, Limits, NamedInput, OpenTrace, Options, Report, can_group, judge, judge_grouped, open_stream,
};
use super::*;
use crate::compile::{CompiledSpec, compile};
use crate::offline::CaseId;

/// The field of the case in generated traces.
const CASE: &str = "case";

/// Sizes with which almost every event begins a round, and such with which there are a few rounds.
const SMALL_SIZES: [BlockSizes; 2] = [
    BlockSizes { case_bits: 0, block_bytes: 1, buffer_bytes: 1, early_rounds: [1, 2, 3] },
    BlockSizes { case_bits: 1, block_bytes: 400, buffer_bytes: 500, early_rounds: [2, 5, 7] },
];

/// Checks each case with a monitor of its own.
struct MonitorPerCase<'a> {
    job: CheckJob<'a>,
    division: Division,
    cases: Vec<(Monitor, u64)>,
}

impl Visitor for MonitorPerCase<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, _: &S) -> Result<bool, Error> {
        let number = match self.division.case(event, 0, None).case {
            CaseId::None => return Ok(false),
            CaseId::Known(number) => number,
            CaseId::New(_) => {
                self.cases.push((self.job.compiled.plan.start(self.job.options.max_violations), 0));
                self.cases.len() - 1
            }
        };
        let (monitor, events) = &mut self.cases[number];
        monitor.step(event);
        *events += 1;
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        self.cases.iter_mut().for_each(|(monitor, _)| monitor.advance(to));
        Ok(())
    }
}

/// Lists the outcomes of cases, with the violations if every case lists its own.
struct CaseLines {
    text: String,
    has_violations: bool,
}

impl Listener for CaseLines {
    fn case(&mut self, case: &CaseOutcomes<'_>) {
        let _ = write!(self.text, "\ncase {} with {} events:", case.label, case.events);
        for outcome in case.outcomes {
            let mut outcome = outcome.clone();
            if !self.has_violations {
                outcome.violations.clear();
            }
            let _ = write!(self.text, " {outcome:?}");
        }
    }
}

/// A trace in a file, and the options with which it is checked.
struct Check {
    compiled: CompiledSpec,
    bytes: Vec<u8>,
    options: Options,
}

impl Check {
    fn input(&self) -> NamedInput {
        NamedInput::stream("trace".to_owned(), Cursor::new(self.bytes.clone()))
    }

    /// Returns what `check` reports, as text. The names of events are numbered in the order of the readers and left out.
    fn report(&self, check: impl FnOnce(&mut CaseLines) -> Result<Report, Error>) -> String {
        let mut lines = CaseLines { text: String::new(), has_violations: self.options.max_violations > 100 };
        match check(&mut lines) {
            Ok(report) => format!("{:#?}{}", Report { symbols: Symbols::default(), ..report }, lines.text),
            Err(error) => error.to_string(),
        }
    }

    fn by_definition(&self) -> String {
        self.report(|lines| {
            let job = CheckJob { compiled: &self.compiled, name: "trace", options: &self.options };
            let (mut stream, has_cases) = open_stream(&self.compiled, self.input(), &self.options)?;
            let division = Division::new(&self.compiled, stream.context().symbols, has_cases, &self.options);
            let mut visitor = MonitorPerCase { job, division, cases: Vec::new() };
            let mut driver = Driver::of(job);
            let _ = driver.run(&mut stream, &mut visitor)?;
            let mut sum = OutcomeSum::new(self.compiled.properties.len(), self.options.max_violations);
            for (number, (monitor, events)) in visitor.cases.into_iter().enumerate() {
                let outcomes = monitor.finish(self.options.end);
                let label = visitor.division.label(number);
                lines.case(&CaseOutcomes { label, events, outcomes: &outcomes, context: stream.context() });
                sum.add(label, outcomes);
            }
            let (outcomes, cases) = sum.finish(visitor.division.field(), visitor.division.without());
            Ok(Report { cases: Some(cases), ..driver.report(&stream, outcomes) })
        })
    }

    fn per_event(&self) -> String {
        let limits = Limits { bindings: Some(u64::MAX), ..Limits::default() };
        let options = Options { limits, ..self.options.clone() };
        self.report(|lines| judge(&self.compiled, self.input(), &options, lines))
    }

    fn grouped(&self, sizes: BlockSizes, jobs: usize) -> String {
        let options = Options { jobs, ..self.options.clone() };
        let job = CheckJob { compiled: &self.compiled, name: "trace", options: &options };
        assert!(can_group(job));
        self.report(|lines| {
            let OpenTrace { reader, how, has_cases } =
                OpenTrace::new(&self.compiled, self.input().content, "trace", &options)?;
            let stream = how.stream(reader);
            let division = Division::new(&self.compiled, stream.context().symbols, has_cases, &options);
            judge_grouped(job, stream, GroupedCases::with_sizes(job, division, lines, sizes))
        })
    }

    /// Fails if the drivers report different things.
    fn compare(&self) -> Result<(), String> {
        let expected = self.by_definition();
        let mut found = vec![("one monitor for each case".to_owned(), self.per_event())];
        for jobs in [1, 2] {
            for sizes in SMALL_SIZES.into_iter().chain([BlockSizes::new(1)]) {
                let name = format!("2^{} cases a block, {jobs} jobs", sizes.case_bits);
                found.push((name, self.grouped(sizes, jobs)));
            }
        }
        for (driver, report) in found {
            if report != expected {
                let line = report.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
                let (line, wanted) = line.unwrap_or_default();
                let trace = String::from_utf8_lossy(&self.bytes);
                return Err(format!(
                    "{driver}:\n{line}\nby definition:\n{wanted}\n{trace}\nby {:?}, {} violations, {:?}, {:?}",
                    self.options.by, self.options.max_violations, self.options.end, self.options.reorder
                ));
            }
        }
        Ok(())
    }
}

/// The events of a case several times, interleaved, with values of the case field and progress markers among them.
fn interleaved(case: &Case, random: &mut Random) -> Vec<OracleEvent> {
    let mut events = Vec::new();
    for _ in 0..=random.below(3) {
        let shift = at(random.below(4) as i64).ticks();
        events.extend(case.events.iter().map(|event| {
            let time = Timestamp::from_ticks(event.time.ticks() + shift);
            OracleEvent { time, ..event.clone() }
        }));
    }
    let values = [
        Some(Value::Number(Number::Int(1))),
        Some(Value::Text("1".into())),
        Some(Value::Text("x".into())),
        Some(Value::Text("x y".into())),
        Some(Value::Bool(true)),
        Some(Value::Null),
        None,
    ];
    let value_count = 1 + random.below(values.len() as u64);
    for event in &mut events {
        event.fields.push((CASE.to_owned(), values[random.below(value_count) as usize].clone()));
    }
    events.sort_by_key(|event| event.time);
    for _ in 0..random.below(3) {
        let place = random.below(events.len() as u64 + 1) as usize;
        let before = place.checked_sub(1).map_or(at(0), |before| events[before].time);
        let after = events.get(place).map_or(Timestamp::from_ticks(before.ticks() + at(3).ticks()), |next| next.time);
        let time = [before, after][random.below(2) as usize];
        events.insert(place, OracleEvent::new(PROGRESS_MARKER, time));
    }
    events
}

fn written(events: &[OracleEvent], format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = create(format, &mut out, None).expect("the format can be written");
    let clock = Clock::default();
    for (index, event) in (0..).zip(events) {
        let entry = |(name, value): &(String, Option<Value<'static>>)| {
            value.clone().map(|value| FieldEntry { key: name.clone().into(), value, is_time: false })
        };
        let fields: Vec<FieldEntry<'_>> = event.fields.iter().filter_map(entry).collect();
        let parameters = event.fields.iter().map(|(_, value)| (Key::OTHER, value.clone().unwrap_or(Value::Null)));
        let parameters = OwnedFields { entries: parameters.collect() };
        let event_time = EventTime { field: "time", time: event.time, kind: TimeKind::Number, clock, written: None };
        let event_time = Some(event_time);
        let record =
            EventRecord { name: &event.name, index, event_time, fields: &fields, parameters: &parameters, case: 0 };
        writer.write(&record).expect("memory can be written");
    }
    writer.finish().expect("memory can be written");
    drop(writer);
    out
}

fn compare(case: &Case) -> Result<(), String> {
    for variant in 0..4 {
        let mut random = Random::new(variant + 10 * case.events.len() as u64);
        let mut events = interleaved(case, &mut random);
        let reorder = (random.below(3) == 0).then(|| Quantity::whole(random.below(3) as i64));
        if reorder.is_some() && events.len() > 1 {
            for _ in 0..4 {
                let place = random.below(events.len() as u64 - 1) as usize;
                events.swap(place, place + 1);
            }
        }
        let mut fields: Vec<&str> =
            case.events.iter().flat_map(|event| &event.fields).map(|(name, _)| &**name).collect();
        fields.extend([CASE, CASE]);
        let by = DivideBy::Field(fields[random.below(fields.len() as u64) as usize].to_owned());
        let max_violations = [0, 1, 2, 1000][random.below(4) as usize];
        let end = [End::Complete, End::Prefix][random.below(2) as usize];
        let format = if random.below(4) == 0 { Format::Csv } else { Format::Ndjson };
        let (compiled, diagnostics) = compile(&case.spec_text(), &[]);
        let compiled = compiled.ok_or_else(|| format!("{diagnostics:?}"))?;
        let format_option = Some(format);
        let options = Options { by, end, reorder, max_violations, format: format_option, ..Options::default() };
        Check { compiled, bytes: written(&events, format), options }.compare()?;
    }
    Ok(())
}

fn compare_language(language: Language, count: u64) {
    for_all_in(language, "grouped cases", count, compare);
}

#[test]
fn soloist_is_reported_as_by_definition() {
    compare_language(Language::Soloist, 150);
}

#[test]
fn mtl_is_reported_as_by_definition() {
    compare_language(Language::Mtl, 150);
}

#[test]
fn qea_is_reported_as_by_definition() {
    compare_language(Language::Qea, 150);
}

#[test]
fn nomad_is_reported_as_by_definition() {
    compare_language(Language::Nomad, 150);
}

#[test]
fn albert_is_reported_as_by_definition() {
    compare_language(Language::Albert, 150);
}

#[test]
fn patterns_are_reported_as_by_definition() {
    compare_language(Language::Pattern, 150);
}

#[test]
fn clock_constraints_are_reported_as_by_definition() {
    compare_language(Language::Ccsl, 150);
}

#[test]
fn plug_ins_are_reported_as_by_definition() {
    compare_language(Language::Mop, 150);
}

#[test]
fn mu_is_reported_as_by_definition() {
    compare_language(Language::Mu, 150);
}
