// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads exports, in pieces of several sizes, in JSON and in protobuf with and without lengths.

use std::fs;
use std::path::Path;

use crate::testing::{SlowInput, read, setup, transcript};
use crate::{AnyReader, Format, OrderPolicy, OrderedReader, Reader, ReaderSetup, open};

const TRACE_A: &str = "0000000000000000000000000000000a";
const TRACE_B: &str = "0000000000000000000000000000000b";

/// A span of a trace, in JSON.
fn span(trace: &str, name: &str, start: u64, end: u64) -> String {
    format!(
        "{{\"traceId\":\"{trace}\",\"spanId\":\"00000000000000{start:02x}\",\"name\":\"{name}\",\"kind\":2,\
         \"startTimeUnixNano\":\"{start}\",\"endTimeUnixNano\":\"{end}\",\
         \"attributes\":[{{\"key\":\"http.route\",\"value\":{{\"stringValue\":\"/{name}\"}}}}]}}"
    )
}

fn request(service: &str, spans: &[String]) -> String {
    format!(
        "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\"{service}\"}}}}]}},\
         \"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}\n",
        spans.join(",\n")
    )
}

/// Two services, two traces, out of order.
fn lines() -> String {
    let shop = [span(TRACE_B, "pay", 30, 40), span(TRACE_A, "order", 10, 70)];
    request("shop", &shop) + &request("bank", &[span(TRACE_A, "charge", 20, 35)])
}

fn otlp(bytes: &[u8], setup: &ReaderSetup) -> String {
    read(Format::Otlp, bytes, setup)
}

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../otlp/tests/data").join(name)).unwrap()
}

#[test]
fn all_by_time() {
    assert_eq!(
        otlp(lines().as_bytes(), &ReaderSetup::default()),
        "0 order@1970-01-01T00:00:00.00000001Z\n1 charge@1970-01-01T00:00:00.00000002Z\n\
         2 pay@1970-01-01T00:00:00.00000003Z\n3 charge@1970-01-01T00:00:00.000000035Z\n\
         4 pay@1970-01-01T00:00:00.00000004Z\n5 order@1970-01-01T00:00:00.00000007Z\n"
    );
    let wanted = setup(&["charge"], &["order"], &["http.route", "EventType", "service", "resource.service.name"]);
    let read = otlp(lines().as_bytes(), &wanted);
    let of = |index: usize| read.lines().nth(index).unwrap().split_once("Z ").unwrap().1.to_owned();
    assert_eq!(of(0), "http.route=\"/order\" EventType=\"start\" service=\"shop\" resource.service.name=\"shop\"");
    assert_eq!(
        of(3),
        "http.route=\"/charge\" EventType=\"end\" service=\"bank\" resource.service.name=\"bank\" \
         (\"end\", \"bank\", \"bank\", \"0000000000000000000000000000000a\", \"0000000000000014\", \"server\", \"unset\", 15, \
         \"/charge\", \"bank\")"
    );
}

#[test]
fn trace_by_trace() {
    let text = lines();
    let reader = open(text.as_bytes(), "t.json", None, ReaderSetup::everything()).unwrap();
    let (reader, has_cases) = reader.by_case();
    assert!(has_cases && matches!(reader, AnyReader::Otlp(_)));
    let mut reader = OrderedReader::new(reader, OrderPolicy::Strict);
    let mut reported = Vec::new();
    while let Some(origin) = reader.advance().unwrap() {
        let case = reader.case().unwrap().chars().last().unwrap();
        let name = reader.symbols().name_text(origin.event);
        reported.push(format!("{case}{} {name} {}", reader.case_number(), reader.location()));
        let entries = reader.entries();
        assert_eq!((entries[0].key.as_ref(), entries[0].is_time), ("time", true));
    }
    assert_eq!(
        reported,
        ["a1 order 2:1", "a1 charge 3:126", "a1 charge 3:126", "a1 order 2:1", "b2 pay 1:126", "b2 pay 1:126"]
    );
}

/// The forms that a file of protobuf has: one request, a request behind another, lengths of both kinds.
#[test]
fn protobuf_with_and_without_lengths() {
    let requests = [data("python-shop.pb"), data("python-bank.pb")];
    let json = [data("python-shop.json"), data("python-bank.json")].concat();
    let everything = ReaderSetup::everything();
    let expected = otlp(&json, &everything);
    assert_eq!(expected.lines().count(), 30);
    let varint = |length: usize| vec![(length & 127 | 128) as u8, (length >> 7) as u8];
    let wide = |length: usize| (length as u32).to_be_bytes().to_vec();
    let framed = |length: &dyn Fn(usize) -> Vec<u8>| {
        requests.iter().flat_map(|request| [length(request.len()), request.clone()].concat()).collect::<Vec<u8>>()
    };
    assert_eq!(otlp(&requests.concat(), &everything), expected);
    assert_eq!(otlp(&framed(&varint), &everything), expected);
    assert_eq!(otlp(&framed(&wide), &everything), expected);
    let bytes = framed(&wide);
    let mut reader = open(SlowInput::new(&bytes, 5), "t.otlp", None, everything).unwrap();
    assert_eq!(transcript(&mut reader).unwrap(), expected);
    assert_eq!(reader.location().line, 1);
}

#[test]
fn what_is_wrong() {
    let bank = data("python-bank.pb");
    let cut = |length: usize| bank[..length].to_vec();
    let cases: [(Vec<u8>, &str); 12] = [
        (b"event, time\na, 1\n".to_vec(), "G0528 1:1 this is not the beginning of a request"),
        (b"[]".to_vec(), "G0528 1:1 this is not the beginning of a request"),
        (b"{\"event\":\"a\"}".to_vec(), "G0528 1:1 this is not an export of traces: it has no `resourceSpans`"),
        (b"{} \n x".to_vec(), "G0528 2:2 this is not the beginning of a request"),
        (b" {\"resourceSpans\":\n [}".to_vec(), "G0513 2:3 found `}` where an object should be"),
        (b"{\"resourceSpans\":[".to_vec(), "G0513 1:1 the input ends inside the object that begins here"),
        (cut(500), "G0528 1:501 the input ends inside a request"),
        (b"\x05\x0A\x01\x08\x02\x00".to_vec(), "G0528 1:4 this number does not end"),
        (b"\x00\x00\x00\x03\x0A\x01\x08".to_vec(), "G0528 1:4 this number does not end"),
        (b"\x00\x00".to_vec(), "G0528 1:1 this is not the beginning of a request"),
        ([&bank[..], b"\x00"].concat(), "G0528 2:1 this is not the beginning of a request"),
        (
            request("a", &["{\"name\":\"x\"}".to_owned()]).into_bytes(),
            "G0505 1:123 this span, or an event on it, has no time",
        ),
    ];
    for (bytes, expected) in cases {
        let shown = otlp(&bytes, &ReaderSetup::everything());
        assert!(shown.starts_with(expected), "{:?}: {shown}", String::from_utf8_lossy(&bytes));
    }
    for empty in ["", " \n", "{}", "{}\n{\"resourceMetrics\":[{}]}{}"] {
        assert_eq!(otlp(empty.as_bytes(), &ReaderSetup::everything()), "", "{empty}");
    }
}
