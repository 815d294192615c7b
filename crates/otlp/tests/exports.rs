// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real exports of the SDKs for Python (protobuf) and Node (JSON), and one with every kind of value: the events are
//! the same in both encodings.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use gnomon_otlp::{Limits, SpanEvent, decode_json, decode_protobuf, events};

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

fn json(name: &str) -> Vec<SpanEvent> {
    events(&decode_json(&data(name), &Limits::default()).unwrap())
}

fn protobuf(name: &str) -> Vec<SpanEvent> {
    events(&decode_protobuf(&data(name), &Limits::default()).unwrap())
}

/// Formats an event in one line, without parts that change from run to run.
fn show(event: &SpanEvent) -> String {
    let hidden = ["trace_id", "span_id", "parent_span_id", "duration", "exception.stacktrace"];
    let fields =
        event.fields.iter().filter(|(key, _)| !hidden.contains(&key.as_str()) && !key.starts_with("resource."));
    let fields: Vec<String> = fields.map(|(key, value)| format!("{key}={value}")).collect();
    format!("{} {}", event.name, fields.join(" "))
}

fn field<'a>(event: &'a SpanEvent, key: &str) -> Option<&'a gnomon_core::value::Value<'static>> {
    event.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

#[test]
fn events_of_the_bank_in_python() {
    let events = protobuf("python-bank.pb");
    let shown: Vec<String> = events.iter().map(show).collect();
    let server = |phase: &str, rest: &str| {
        format!("charge EventType=\"{phase}\" service=\"bank\" destination=\"bank\" kind=\"server\" {rest}")
    };
    let note = |name: &str, rest: &str| format!("{name} service=\"bank\" destination=\"bank\" span=\"charge\" {rest}");
    let carried = |id: u8, amount: &str| format!("order.id={id} amount={amount} balance=1152921504606846976");
    let refused = "exception.type=\"ValueError\" exception.message=\"card refused\" exception.escaped=\"False\"";
    assert_eq!(
        shown,
        [
            server("start", &carried(1, "12.5")),
            note("charged", "receipt=\"r-1\""),
            server("end", &format!("status=\"ok\" {}", carried(1, "12.5"))),
            server("start", &carried(2, "99")),
            note("exception", refused),
            server("end", &format!("status=\"error\" status_message=\"card refused\" {}", carried(2, "99"))),
            server("start", &carried(3, "0.1")),
            note("charged", "receipt=\"r-3\""),
            server("end", &format!("status=\"ok\" {}", carried(3, "0.1"))),
        ]
    );
    let environment = field(&events[0], "resource.deployment.environment.name").unwrap();
    assert_eq!(environment.to_string(), "\"test\"");
    let (start, end) = (&events[0], &events[2]);
    assert_eq!(field(end, "duration").unwrap().to_string(), (end.time_ns - start.time_ns).to_string());
    assert!(field(start, "duration").is_none() && field(start, "status").is_none());
    assert_eq!((start.trace_id.len(), field(start, "span_id")), (32, field(end, "span_id")));
}

#[test]
fn protobuf_and_json_yield_the_same_events() {
    for name in ["python-shop", "python-bank", "values"] {
        let events = protobuf(&format!("{name}.pb"));
        assert!(events.len() > 8, "{name}");
        assert_eq!(events, json(&format!("{name}.json")), "{name}");
    }
}

#[test]
fn every_kind_of_value() {
    let events = json("values.json");
    let start = events.iter().find(|event| event.name == "span é 3").unwrap();
    let shown = show(start);
    let attributes = &shown[shown.find("v0=").unwrap()..];
    assert_eq!(
        attributes,
        "v0=\"p3\" v1=\"tab\\t\\\"q\\\" \\\\ \u{2028} 😀\" v2=false v3=true v4=-9223372036854775808 v5=9223372036854775807 v6=0 \
         v7=0.1 v8=-2 v9=1e300 v10=5e-324 v11=\"NaN\" v12=\"Infinity\" v13=\"-Infinity\" v14=\"AP8Qeg==\" \
         v15=[1, [\"x\"], null] v16={\"a\": 2, \"b\": {\"c\": null}} v17=[] v18=\"\" peer.service=\"p3\" \
         attribute.status=\"p3\" attribute.resource.service.name=\"p3\" attribute.attribute.x=\"p3\""
    );
    assert_eq!(start.time_ns, (1 << 63) + 3);
}

/// Participants by kind of span.
#[test]
fn participants() {
    let events = json("values.json");
    let participants = |name: &str| {
        let event = events.iter().find(|event| event.name == name).unwrap();
        let part = |key| field(event, key).unwrap().to_string();
        [part("kind"), part("source"), part("destination")].map(|text| text.trim_matches('"').to_owned())
    };
    assert_eq!(participants("span é 0"), ["unspecified", "one", "one"]);
    assert_eq!(participants("span é 1"), ["internal", "one", "one"]);
    assert_eq!(participants("span é 2"), ["server", "p2", "one"]);
    assert_eq!(participants("span é 3"), ["client", "one", "p3"]);
    assert_eq!(participants("span é 4"), ["producer", "one", "p4"]);
    assert_eq!(participants("span é 5"), ["consumer", "p5", "one"]);
}

/// Node's clock has a resolution of milliseconds, so spans and their children start at the same time.
#[test]
fn node_in_lines_of_json() {
    let bytes = data("node.json");
    let lines: Vec<Vec<SpanEvent>> = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| events(&decode_json(line, &Limits::default()).unwrap()))
        .collect();
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [34, 12]);
    for events in &lines {
        assert!(events.is_sorted_by_key(|event| event.time_ns));
    }
    let first_of = |id: i64| {
        let is_of =
            |event: &&SpanEvent| field(event, "order.id").is_some_and(|value| value.to_string() == id.to_string());
        lines[0].iter().find(is_of).map(|event| event.name.as_str())
    };
    for id in 1..=4 {
        assert_eq!(first_of(id), Some("POST /orders"));
    }
}
