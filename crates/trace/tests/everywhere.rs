// SPDX-License-Identifier: MIT OR Apache-2.0
//! A field that is wanted of every event is there for names that nobody knew, in every format, and packed or not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write;

use gnomon_core::value::Value;
use gnomon_trace::{Format, LogFormat, Reader, ReaderSetup, TextPattern, open};

const TRACES: [(Format, &str, &str); 10] = [
    (Format::Csv, "x", "event, time, y, x\na, 1, 2, ann\nb, 2, 3, bob\n"),
    (Format::Csv, "x", "a, time=1, y=2, x=ann\nb, time=2, x=bob\n"),
    (
        Format::Ndjson,
        "x",
        "{\"event\":\"a\",\"time\":1,\"y\":2,\"x\":\"ann\"}\n{\"event\":\"b\",\"time\":2,\"x\":\"bob\"}\n",
    ),
    (Format::Json, "x", "{\"a\":{\"time\":1,\"x\":\"ann\"}} {\"b\":{\"time\":2,\"x\":\"bob\"}}"),
    (
        Format::Xml,
        "x",
        "<log><event><name>a</name><field><name>x</name><value>ann</value></field></event>\
         <event><name>b</name><field><name>x</name><value>bob</value></field></event></log>",
    ),
    (
        Format::Xes,
        "case:concept:name",
        "<log><trace><string key=\"concept:name\" value=\"ann\"/><event><string key=\"concept:name\" value=\"a\"/></event></trace>\
         <trace><string key=\"concept:name\" value=\"bob\"/><event><string key=\"concept:name\" value=\"b\"/></event></trace></log>",
    ),
    (Format::Monpoly, "arg2", "@1 a (2, ann)\n@2 b (3, bob)\n"),
    (Format::Text, "x", "1 a ann\n2 b bob\n"),
    (
        Format::Messages,
        "x",
        "{\"time\":1,\"body\":\"<a><y>2</y><x>ann</x></a>\"}\n{\"time\":2,\"body\":{\"type\":\"b\",\"x\":\"bob\"}}\n",
    ),
    (
        Format::Otlp,
        "x",
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\
         {\"name\":\"b\",\"startTimeUnixNano\":\"2\",\"attributes\":[{\"key\":\"x\",\"value\":{\"stringValue\":\"bob\"}}]},\
         {\"name\":\"a\",\"startTimeUnixNano\":\"1\",\"attributes\":[{\"key\":\"x\",\"value\":{\"stringValue\":\"ann\"}}]}]}]}]}",
    ),
];

fn values(format: Format, field: &str, bytes: &[u8]) -> Vec<Option<Value<'static>>> {
    let mut setup = ReaderSetup {
        log: TextPattern::holes("{time} {event} {x}").ok().map(LogFormat::Lines),
        ..ReaderSetup::default()
    };
    let key = setup.symbols.key(field);
    setup.projection.add_everywhere(key);
    let mut reader = open(bytes, "t", Some(format), setup).unwrap();
    let mut values = Vec::new();
    while let Some(event) = reader.next().unwrap() {
        values.push(event.fields.get(key).map(Value::into_owned));
    }
    values
}

#[test]
fn of_names_that_nobody_knew() {
    let expected = ["ann", "bob"].map(|text| Some(Value::Text(text.into())));
    for (format, field, trace) in TRACES {
        assert_eq!(values(format, field, trace.as_bytes()), expected, "{format}");
        let zstd = zstd::encode_all(trace.as_bytes(), 3).unwrap();
        assert_eq!(values(format, field, &zstd), expected, "{format}, zstd");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(trace.as_bytes()).unwrap();
        assert_eq!(values(format, field, &gzip.finish().unwrap()), expected, "{format}, gzip");
    }
}

/// Progress is reported in bytes of the file, not of what it unpacks to.
#[test]
fn bytes_read_are_those_of_the_file() {
    let text = "event, time\n".to_owned() + &"a, 1\n".repeat(100_000);
    let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    for bytes in [text.as_bytes(), &packed] {
        let mut reader = open(bytes, "t.csv", None, ReaderSetup::default()).unwrap();
        while reader.advance().unwrap().is_some() {}
        assert_eq!(reader.bytes_read(), bytes.len() as u64);
    }
}
