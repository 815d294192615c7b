// SPDX-License-Identifier: MIT OR Apache-2.0
//! A written trace reads as the original, or the writer reports the losses: for generated traces, in every
//! format and between all pairs of formats.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "round_trip/memory.rs"]
mod memory;

use gnomon_core::random::Random;
use gnomon_trace::{Format, Losses, Reader, ReaderSetup, TableColumns, convert, create, find_columns, open};

use memory::{Memory, TestEvent, Trace, generate};

/// A format to write, with its columns known in advance or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OutputTarget {
    Table(Format),
    Of(Format),
}

const TARGETS: [OutputTarget; 9] = [
    OutputTarget::Table(Format::Csv),
    OutputTarget::Table(Format::Parquet),
    OutputTarget::Of(Format::Parquet),
    OutputTarget::Of(Format::Csv),
    OutputTarget::Of(Format::Ndjson),
    OutputTarget::Of(Format::Json),
    OutputTarget::Of(Format::Xml),
    OutputTarget::Of(Format::Xes),
    OutputTarget::Of(Format::Monpoly),
];

impl OutputTarget {
    fn format(self) -> Format {
        match self {
            OutputTarget::Table(format) | OutputTarget::Of(format) => format,
        }
    }
}

/// Writes what a reader has; `make` gives the same reader again, for the columns.
fn write<R: Reader>(make: &dyn Fn() -> R, target: OutputTarget) -> (Vec<u8>, Losses) {
    let table: Option<TableColumns> =
        matches!(target, OutputTarget::Table(_)).then(|| find_columns(&mut make()).unwrap());
    let mut out = Vec::new();
    let mut writer = create(target.format(), &mut out, table).unwrap();
    let losses = convert(&mut make(), &mut *writer).unwrap().losses;
    drop(writer);
    (out, losses)
}

/// Returns the events of a trace.
fn read(bytes: &[u8], format: Format) -> Result<Trace, String> {
    let failed = |error| format!("{error}\n{}", String::from_utf8_lossy(bytes));
    let mut reader = open(bytes, "t", Some(format), ReaderSetup::everything()).map_err(failed)?;
    let mut events = Vec::new();
    while let Some(origin) = reader.advance().map_err(failed)? {
        let fields = reader.entries().into_iter().filter(|entry| !entry.is_time);
        let fields = fields.map(|entry| (entry.key.to_string(), entry.value.into_owned())).collect();
        events.push(TestEvent { name: reader.symbols().name_text(origin.event).to_owned(), time: origin.time, fields });
    }
    Ok(Trace { kind: reader.time_kind(), events })
}

/// Counts on their way: (round trips without loss, all).
fn check(random: &mut Random, plain: bool, counts: &mut (u64, u64)) {
    let trace = generate(random, plain);
    let field = ["time", "Timestamp", "time:timestamp"][random.index(3)];
    let field = if plain { "time" } else { field };
    for first in TARGETS {
        let (bytes, losses) = write(&|| Memory::new(trace.clone(), field), first);
        let shown = String::from_utf8_lossy(&bytes);
        let again = read(&bytes, first.format()).unwrap_or_else(|error| panic!("{first:?} of {trace:?}: {error}"));
        counts.1 += 1;
        if losses.is_empty() && !trace.events.is_empty() {
            counts.0 += 1;
            assert_eq!(again, trace, "{first:?}\n{shown}");
        }
        assert_eq!(again.events.len(), trace.events.len(), "{first:?}\n{shown}");
        for second in TARGETS {
            let reopen = || open(&bytes[..], "t", Some(first.format()), ReaderSetup::everything()).unwrap();
            let (other, losses) = write(&reopen, second);
            let other_shown = String::from_utf8_lossy(&other);
            let end =
                read(&other, second.format()).unwrap_or_else(|error| panic!("{first:?} {second:?}: {error}\n{shown}"));
            counts.1 += 1;
            if losses.is_empty() && !trace.events.is_empty() {
                counts.0 += 1;
                assert_eq!(end, again, "{first:?} {second:?}\n{shown}\n{other_shown}");
            }
        }
    }
}

#[test]
fn awkward_traces_survive_or_the_loss_is_reported() {
    let mut counts = (0, 0);
    for seed in 0..400 {
        check(&mut Random::new(seed), false, &mut counts);
    }
    assert!(counts.0 * 10 > counts.1, "only {counts:?} came back");
}

#[test]
fn plain_traces_come_back() {
    let mut counts = (0, 0);
    for seed in 0..100 {
        check(&mut Random::new(seed), true, &mut counts);
    }
    assert!(counts.0 * 3 > counts.1, "only {counts:?} came back");
}

#[test]
fn losses_have_a_first_example() {
    let text = "{\"event\":\"a\",\"time\":1,\"n\":\"1\",\"l\":[1],\"e\":\"\",\"z\":null}\n{\"event\":\"b\",\"time\":2,\"q\":\"7\"}\n";
    let reported = |target| {
        let reader = || open(text.as_bytes(), "t.ndjson", None, ReaderSetup::everything()).unwrap();
        let (_, losses) = write(&reader, target);
        let reported: Vec<String> = losses
            .iter()
            .map(|lost| format!("{:?} {} {} {}", lost.loss, lost.count, lost.event_index, lost.field))
            .collect();
        reported.join(", ")
    };
    assert_eq!(reported(OutputTarget::Table(Format::Csv)), "Look 2 0 n, Nested 1 0 l, EmptyText 1 0 e, Positions 1 1 ");
    assert_eq!(reported(OutputTarget::Of(Format::Csv)), "Look 2 0 n, Nested 1 0 l, EmptyText 1 0 e");
    assert_eq!(reported(OutputTarget::Of(Format::Xml)), "Look 2 0 n, Nested 1 0 l");
    assert_eq!(reported(OutputTarget::Of(Format::Xes)), "TimeName 2 0 time, NumberTime 2 0 time, Null 1 0 z");
    assert_eq!(reported(OutputTarget::Of(Format::Monpoly)), "FieldNames 2 0 n, Nested 1 0 l, Null 1 0 z");
    assert_eq!(reported(OutputTarget::Table(Format::Parquet)), "Positions 1 1 ");
    assert_eq!(reported(OutputTarget::Of(Format::Ndjson)), "");
    assert_eq!(reported(OutputTarget::Of(Format::Json)), "");
}

#[test]
fn cases_come_back() {
    let text = "<log><trace><string key=\"concept:name\" value=\"c1\"/><int key=\"n\" value=\"3\"/>\
                <event><string key=\"concept:name\" value=\"a\"/><date key=\"time:timestamp\" value=\"2024-05-01T12:00:00+02:00\"/></event>\
                <event><string key=\"concept:name\" value=\"b\"/><date key=\"time:timestamp\" value=\"2024-05-02T12:00:00.5Z\"/></event></trace>\
                <trace><string key=\"concept:name\" value=\"c2\"/>\
                <event><string key=\"concept:name\" value=\"a\"/><date key=\"time:timestamp\" value=\"2024-05-01T12:00:00\"/></event></trace></log>";
    let reader = || open(text.as_bytes(), "t.xes", None, ReaderSetup::everything()).unwrap();
    let (csv, _) = write(&reader, OutputTarget::Table(Format::Csv));
    assert_eq!(
        String::from_utf8(csv.clone()).unwrap(),
        "event, time:timestamp, case:concept:name, case:n\na, 2024-05-01T12:00:00+02:00, c1, 3\n\
         b, 2024-05-02T12:00:00.5Z, c1, 3\na, 2024-05-01T12:00:00, c2, \n"
    );
    let (xes, losses) =
        write(&|| open(&csv[..], "t.csv", None, ReaderSetup::everything()).unwrap(), OutputTarget::Of(Format::Xes));
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(read(&xes, Format::Xes), read(text.as_bytes(), Format::Xes));
    assert_eq!(String::from_utf8(xes).unwrap().matches("<trace>").count(), 2);
}
