// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written in a format reads as what it was, or the writer said what is lost: for generated traces, in every
//! format and between all pairs of formats.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "round_trip/memory.rs"]
mod memory;

use gnomon_trace::{Columns, Format, Losses, Reader, Setup, columns, convert, create, open};

use memory::{Event, Memory, Random, Trace, generate};

/// A format to write, with its columns known in advance or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Table(Format),
    Of(Format),
}

const TARGETS: [Target; 9] = [
    Target::Table(Format::Csv),
    Target::Table(Format::Parquet),
    Target::Of(Format::Parquet),
    Target::Of(Format::Csv),
    Target::Of(Format::Ndjson),
    Target::Of(Format::Json),
    Target::Of(Format::Xml),
    Target::Of(Format::Xes),
    Target::Of(Format::Monpoly),
];

impl Target {
    fn format(self) -> Format {
        match self {
            Target::Table(format) | Target::Of(format) => format,
        }
    }
}

/// Writes what a reader has; `make` gives the same reader again, for the columns.
fn write<R: Reader>(make: &dyn Fn() -> R, target: Target) -> (Vec<u8>, Losses) {
    let table: Option<Columns> = matches!(target, Target::Table(_)).then(|| columns(&mut make()).unwrap());
    let mut out = Vec::new();
    let mut writer = create(target.format(), &mut out, table).unwrap();
    let losses = convert(&mut make(), &mut *writer).unwrap().losses;
    drop(writer);
    (out, losses)
}

/// What a trace says.
fn read(bytes: &[u8], format: Format) -> Result<Trace, String> {
    let failed = |error| format!("{error}\n{}", String::from_utf8_lossy(bytes));
    let mut reader = open(bytes, "t", Some(format), Setup::everything()).map_err(failed)?;
    let mut events = Vec::new();
    while let Some(origin) = reader.advance().map_err(failed)? {
        let fields = reader.entries().into_iter().filter(|entry| !entry.is_time);
        let fields = fields.map(|entry| (entry.key.to_string(), entry.value.into_owned())).collect();
        events.push(Event { name: reader.symbols().name_text(origin.event).to_owned(), time: origin.time, fields });
    }
    Ok(Trace { kind: reader.time_kind(), events })
}

/// Counts on their way: (round trips without loss, all).
fn check(random: &mut Random, plain: bool, counts: &mut (u64, u64)) {
    let trace = generate(random, plain);
    let field = ["time", "Timestamp", "time:timestamp"][random.below(3)];
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
            let reopen = || open(&bytes[..], "t", Some(first.format()), Setup::everything()).unwrap();
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
fn awkward_traces_come_back_or_the_loss_is_told() {
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
fn losses_are_told_with_their_first_example() {
    let text = "{\"event\":\"a\",\"time\":1,\"n\":\"1\",\"l\":[1],\"e\":\"\",\"z\":null}\n{\"event\":\"b\",\"time\":2,\"q\":\"7\"}\n";
    let told = |target| {
        let reader = || open(text.as_bytes(), "t.ndjson", None, Setup::everything()).unwrap();
        let (_, losses) = write(&reader, target);
        let told: Vec<String> = losses
            .iter()
            .map(|lost| format!("{:?} {} {} {}", lost.loss, lost.count, lost.event_index, lost.field))
            .collect();
        told.join(", ")
    };
    assert_eq!(told(Target::Table(Format::Csv)), "Look 2 0 n, Nested 1 0 l, EmptyText 1 0 e, Positions 1 1 ");
    assert_eq!(told(Target::Of(Format::Csv)), "Look 2 0 n, Nested 1 0 l, EmptyText 1 0 e");
    assert_eq!(told(Target::Of(Format::Xml)), "Look 2 0 n, Nested 1 0 l");
    assert_eq!(told(Target::Of(Format::Xes)), "TimeName 2 0 time, NumberTime 2 0 time, Null 1 0 z");
    assert_eq!(told(Target::Of(Format::Monpoly)), "FieldNames 2 0 n, Nested 1 0 l, Null 1 0 z");
    assert_eq!(told(Target::Table(Format::Parquet)), "Positions 1 1 ");
    assert_eq!(told(Target::Of(Format::Ndjson)), "");
    assert_eq!(told(Target::Of(Format::Json)), "");
}

#[test]
fn cases_come_back() {
    let text = "<log><trace><string key=\"concept:name\" value=\"c1\"/><int key=\"n\" value=\"3\"/>\
                <event><string key=\"concept:name\" value=\"a\"/><date key=\"time:timestamp\" value=\"2024-05-01T12:00:00+02:00\"/></event>\
                <event><string key=\"concept:name\" value=\"b\"/><date key=\"time:timestamp\" value=\"2024-05-02T12:00:00.5Z\"/></event></trace>\
                <trace><string key=\"concept:name\" value=\"c2\"/>\
                <event><string key=\"concept:name\" value=\"a\"/><date key=\"time:timestamp\" value=\"2024-05-01T12:00:00\"/></event></trace></log>";
    let reader = || open(text.as_bytes(), "t.xes", None, Setup::everything()).unwrap();
    let (csv, _) = write(&reader, Target::Table(Format::Csv));
    assert_eq!(
        String::from_utf8(csv.clone()).unwrap(),
        "event, time:timestamp, case:concept:name, case:n\na, 2024-05-01T12:00:00+02:00, c1, 3\n\
         b, 2024-05-02T12:00:00.5Z, c1, 3\na, 2024-05-01T12:00:00, c2, \n"
    );
    let (xes, losses) = write(&|| open(&csv[..], "t.csv", None, Setup::everything()).unwrap(), Target::Of(Format::Xes));
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(read(&xes, Format::Xes), read(text.as_bytes(), Format::Xes));
    assert_eq!(String::from_utf8(xes).unwrap().matches("<trace>").count(), 2);
}
