// SPDX-License-Identifier: MIT OR Apache-2.0
//! The conformance corpus once more, each trace written as Parquet and read back: what must come out is the same.

use std::path::Path;

use gnomon_core::event::{Fields, OwnedFields};
use gnomon_core::symbols::Key;
use gnomon_core::time::{Clock, TimeKind};
use gnomon_core::value::Value;
use gnomon_oracle::OracleEvent;
use gnomon_test::corpus::{CorpusCase, load};
use gnomon_trace::{EventRecord, EventTime, FieldEntry, Format, Reader, ReaderSetup, create, open};

/// The trace as Parquet; `None` where a table cannot have all of it.
fn written(events: &[OracleEvent], clock: Clock) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut writer = create(Format::Parquet, &mut out, None).expect("Parquet can be written");
    for (index, event) in events.iter().enumerate() {
        let entry = |(name, value): &(String, Option<Value<'static>>)| {
            value.clone().map(|value| FieldEntry { key: name.clone().into(), value, is_time: false })
        };
        let fields: Vec<FieldEntry<'_>> = event.fields.iter().filter_map(entry).collect();
        let count = event.parameters().len();
        let parameters = event.fields[..count].iter();
        let parameters = parameters.map(|(_, value)| (Key::OTHER, value.clone().unwrap_or(Value::Null)));
        let parameters = OwnedFields { entries: parameters.collect() };
        assert_eq!(parameters.parameter_count(), count);
        let event_time = EventTime { field: "time", time: event.time, kind: TimeKind::Number, clock, written: None };
        let (index, event_time) = (index as u64, Some(event_time));
        let record =
            EventRecord { name: &event.name, index, event_time, fields: &fields, parameters: &parameters, case: 0 };
        writer.write(&record).expect("memory can be written");
    }
    writer.finish().expect("memory can be written");
    let is_whole = writer.losses().is_empty();
    drop(writer);
    is_whole.then_some(out)
}

fn judged(case: &CorpusCase, bytes: &[u8]) -> Result<(), String> {
    let plan = gnomon_engine::plan(vec![case.case.core()?]);
    let (symbols, projection) = (plan.symbols().clone(), plan.projection().clone());
    // A table without rows was given no columns.
    let time_field = (!case.case.events.is_empty()).then(|| "time".to_owned());
    let clock = Clock::new(case.case.spec.time.unit);
    let setup = ReaderSetup { symbols, projection, time_field, clock, ..ReaderSetup::default() };
    let mut reader = open(bytes, "t.parquet", None, setup).map_err(|error| error.to_string())?;
    let mut monitor = plan.start(1_000);
    while let Some(event) = reader.next().map_err(|error| error.to_string())? {
        monitor.step(&event);
    }
    if let Some(until) = case.until {
        monitor.advance(until);
    }
    case.expectation.difference(&monitor.finish(case.end)[0]).map_or(Ok(()), Err)
}

#[test]
fn every_case_through_parquet() {
    let suites = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")).expect("the corpus is there");
    let (mut count, mut lossy, mut wrong) = (0, 0, Vec::new());
    for case in suites.iter().flat_map(|suite| &suite.cases) {
        let Some(bytes) = written(&case.case.events, Clock::new(case.case.spec.time.unit)) else {
            lossy += 1;
            continue;
        };
        count += 1;
        if let Err(difference) = judged(case, &bytes) {
            wrong.push(format!("{}\n  {}: {difference}", case.place, case.title));
        }
    }
    println!("{count} judged, {lossy} are not tables");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 500 && lossy * 4 < count, "{count} judged, {lossy} are not tables");
}
