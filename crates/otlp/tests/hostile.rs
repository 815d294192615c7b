// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests that are wrong, odd, or malicious: each is refused with its reason, or decoded as documented.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use gnomon_core::random::Random;
use gnomon_otlp::{Code, ExportRequest, Fault, Limits, decode_json, decode_protobuf, events};

fn read(text: &str) -> Result<ExportRequest, Fault> {
    decode_json(text.as_bytes(), &Limits::default())
}

fn spans(spans: &str) -> String {
    format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{spans}]}}]}}]}}")
}

/// Returns the events of a request: names, times, and the phase of a span.
fn events_of(text: &str) -> Vec<String> {
    let word = |fields: &[(String, gnomon_core::value::Value<'static>)], key: &str| {
        fields.iter().find(|(name, _)| name == key).map_or(String::new(), |(_, value)| format!(" {value}"))
    };
    let request = read(text).unwrap();
    let events = events(&request).into_iter();
    events
        .map(|event| {
            let (phase, duration) = (word(&event.fields, "EventType"), word(&event.fields, "duration"));
            format!("{}@{}{}{duration}", event.name, event.time_ns, phase.replace('"', ""))
        })
        .collect()
}

#[test]
fn odd_spans_have_a_meaning() {
    let one = |members: &str| events_of(&spans(&format!("{{{members}}}")));
    assert_eq!(one("\"name\":\"a\",\"startTimeUnixNano\":5,\"endTimeUnixNano\":\"9\""), ["a@5 start", "a@9 end 4"]);
    // A span that ended before it started ends where it started; the duration is negative.
    assert_eq!(one("\"name\":\"a\",\"startTimeUnixNano\":9,\"endTimeUnixNano\":5"), ["a@9 start", "a@9 end -4"]);
    assert_eq!(one("\"name\":\"a\",\"startTimeUnixNano\":5"), ["a@5 start"]);
    assert_eq!(one("\"name\":\"a\",\"endTimeUnixNano\":5"), ["a@5 end"]);
    assert_eq!(one("\"startTimeUnixNano\":5,\"name\":null"), ["unknown@5 start"]);
    let request =
        read(&spans("{\"name\":\"a\",\"events\":[{\"name\":\"b\"},{\"name\":\"c\",\"timeUnixNano\":3}]}")).unwrap();
    assert_eq!((events(&request).len(), request.untimed()), (1, 2));
    assert!(events(&read("{}").unwrap()).is_empty());
    assert!(events(&read("{\"resourceLogs\":[{\"x\":[1,2.5e3,\"\\ud83d\\u00e9\",null,true]}]}").unwrap()).is_empty());
    assert!(events(&decode_protobuf(b"", &Limits::default()).unwrap()).is_empty());
}

#[test]
fn equal_times_are_ordered_by_nesting() {
    let id = |number: u8| format!("{number:016x}");
    let span = |name: &str, own: u8, parent: u8, start: u64, end: u64| {
        let (own, parent, trace) = (id(own), id(parent), id(7).repeat(2));
        format!(
            "{{\"name\":\"{name}\",\"traceId\":\"{trace}\",\"spanId\":\"{own}\",\"parentSpanId\":\"{parent}\",\
             \"startTimeUnixNano\":{start},\"endTimeUnixNano\":{end},\"events\":[{{\"name\":\"{name}!\",\"timeUnixNano\":{end}}}]}}"
        )
    };
    let names = |list: &[String]| {
        let events = events_of(&spans(&list.join(",")));
        events.iter().map(|event| event.split(['@', ' ']).step_by(2).collect::<Vec<_>>().join(".")).collect::<Vec<_>>()
    };
    // The inner span comes first in the request, because SDKs export completed spans.
    let all = [span("c", 3, 2, 5, 5), span("b", 2, 1, 5, 5), span("d", 4, 1, 5, 8), span("a", 1, 0, 5, 8)];
    assert_eq!(
        names(&all),
        ["a.start", "b.start", "b!", "c.start", "c!", "c.end", "b.end", "d.start", "a!", "d!", "d.end", "a.end"]
    );
    // The next span starts when the previous one ends.
    assert_eq!(
        names(&[span("y", 2, 0, 5, 6), span("x", 1, 0, 4, 5)]),
        ["x.start", "x!", "x.end", "y.start", "y!", "y.end"]
    );
    // A span that is its own parent, a cycle of parents, a repeated span: each event appears once.
    let rings = [span("a", 1, 1, 1, 1), span("b", 2, 3, 1, 1), span("c", 3, 2, 1, 1), span("b", 2, 3, 1, 1)];
    let mut events_of = names(&rings);
    events_of.sort();
    assert_eq!(
        events_of,
        ["a!", "a.end", "a.start", "b!", "b!", "b.end", "b.end", "b.start", "b.start", "c!", "c.end", "c.start"]
    );
}

/// A long chain of nested spans needs no stack.
#[test]
fn a_long_chain() {
    let span = |number: u32| {
        format!(
            "{{\"spanId\":\"{:016x}\",\"parentSpanId\":\"{number:016x}\",\"startTimeUnixNano\":1,\"endTimeUnixNano\":1}}",
            number + 1
        )
    };
    let chain: Vec<String> = (0..50_000).map(span).collect();
    let request = read(&spans(&chain.join(","))).unwrap();
    assert_eq!(events(&request).len(), 100_000);
}

#[test]
fn what_is_wrong_has_a_place() {
    let at = |text: &str| {
        let error = read(text).expect_err(text);
        assert!(!error.message().is_empty());
        (error.code(), error.at())
    };
    for (text, kind, place) in [
        ("", Code::BadJson, 0),
        ("[]", Code::NotAnExport, 0),
        ("{\"event\":\"a\"}", Code::NotAnExport, 0),
        ("{\"resourceSpans\":7}", Code::NotAnExport, 17),
        ("{\"resourceSpans\":[7]}", Code::NotAnExport, 18),
        ("{\"resourceSpans\":[]", Code::BadJson, 19),
        ("{\"resourceSpans\":[],}", Code::BadJson, 20),
        ("{\"resourceSpans\":[]}x", Code::BadJson, 20),
        ("{\"resourceSpans\":[{\"x", Code::BadJson, 19),
        ("{\"a\":\"\u{1}\"}", Code::BadJson, 6),
        ("{\"a\":\"\\x\"}", Code::BadJson, 6),
        ("{\"a\":\"\\u12\"}", Code::BadJson, 6),
        ("{\"a\":nul}", Code::BadJson, 5),
        ("{\"a\":01x}", Code::BadJson, 5),
        ("{\"a\":-}", Code::BadJson, 5),
        ("{\"a\" 1}", Code::BadJson, 5),
        ("{\"a\":1 \"b\":2}", Code::BadJson, 7),
    ] {
        assert_eq!(at(text), (kind, place), "{text}");
    }
    for member in [
        "\"traceId\":\"12\"",
        "\"traceId\":7",
        "\"spanId\":\"zzzzzzzzzzzzzzzz\"",
        "\"startTimeUnixNano\":-1",
        "\"startTimeUnixNano\":18446744073709551616",
        "\"startTimeUnixNano\":1.5",
        "\"startTimeUnixNano\":\"\"",
        "\"kind\":true",
        "\"attributes\":{}",
        "\"attributes\":[{\"key\":\"a\",\"value\":\"b\"}]",
        "\"attributes\":[{\"key\":\"a\",\"value\":{\"intValue\":\"x\"}}]",
        "\"attributes\":[{\"key\":\"a\",\"value\":{\"intValue\":9223372036854775808}}]",
        "\"attributes\":[{\"key\":\"a\",\"value\":{\"doubleValue\":\"x\"}}]",
        "\"attributes\":[{\"key\":\"a\",\"value\":{\"boolValue\":1}}]",
        "\"attributes\":[{\"key\":1}]",
    ] {
        let (kind, place) = at(&spans(&format!("{{{member}}}")));
        assert_eq!(kind, Code::NotAnExport, "{member}");
        assert!(place > 50, "{member}");
    }
    let error = decode_json(b"{\"a\":\"\xE9\"}", &Limits::default()).unwrap_err();
    assert_eq!((error.code(), error.at()), (Code::NotUtf8, 6));
}

#[test]
fn limits_are_kept() {
    let limits = Limits { bytes: 100_000, depth: 3, spans: 10, attributes: 5, values: 20, expanded: 100_000 };
    let kind = |text: &str| decode_json(text.as_bytes(), &limits).map_err(|error| error.code()).err();
    let many = |piece: &str, count: usize| vec![piece; count].join(",");
    let attribute = "{\"key\":\"a\",\"value\":{\"intValue\":1}}";
    let with = |attributes: &str| spans(&format!("{{\"attributes\":[{attributes}]}}"));
    assert_eq!(kind(&" ".repeat(100_001)), Some(Code::TooLong));
    assert_eq!(kind(&spans(&many("{}", 10))), None);
    assert_eq!(kind(&spans(&many("{}", 11))), Some(Code::TooLong));
    assert_eq!(kind(&spans(&format!("{{\"events\":[{}]}}", many("{}", 10)))), Some(Code::TooLong));
    assert_eq!(kind(&with(&many(attribute, 5))), None);
    assert_eq!(kind(&with(&many(attribute, 6))), Some(Code::TooManyCells));
    let list = |inner: &str| format!("{{\"arrayValue\":{{\"values\":[{inner}]}}}}");
    let value = |value: &str| with(&format!("{{\"value\":{value}}}"));
    assert_eq!(kind(&value(&list(&many("{}", 18)))), None);
    assert_eq!(kind(&value(&list(&many("{}", 19)))), Some(Code::TooLong));
    assert_eq!(kind(&value(&list(&list(&list("{}"))))), None);
    assert_eq!(kind(&value(&list(&list(&list(&list("{}")))))), Some(Code::TooDeep));
    // A large text that every event would repeat.
    let large = format!(
        "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"a\",\"value\":{{\"stringValue\":\"{}\"}}}}]}},\"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}",
        "x".repeat(20_000),
        many("{}", 3)
    );
    assert_eq!(kind(&large), Some(Code::TooLong));
}

#[test]
fn nesting_takes_no_stack() {
    for piece in ["[", "{\"a\":"] {
        let error = read(&format!("{{\"x\":{}", piece.repeat(1_000_000))).unwrap_err();
        assert_eq!(error.code(), Code::TooDeep);
    }
    // Lists in lists in protobuf: each is the only value of the enclosing one.
    let mut value = Vec::new();
    for _ in 0..5_000 {
        for field in [1, 5] {
            let mut outer = vec![field << 3 | 2];
            let mut length = value.len();
            while length > 127 {
                outer.push((length & 127 | 128) as u8);
                length >>= 7;
            }
            outer.push(length as u8);
            outer.append(&mut value);
            value = outer;
        }
    }
    let wrap = |field: u8, inner: &[u8]| {
        let length = inner.len();
        let mut message =
            vec![field << 3 | 2, (length & 127 | 128) as u8, (length >> 7 & 127 | 128) as u8, (length >> 14) as u8];
        message.extend(inner);
        message
    };
    let request = wrap(1, &wrap(2, &wrap(2, &wrap(9, &wrap(2, &value)))));
    assert_eq!(decode_protobuf(&request, &Limits::default()).unwrap_err().code(), Code::TooDeep);
}

type Decode = fn(&[u8], &Limits) -> Result<ExportRequest, Fault>;

/// Truncated or modified requests are decoded or refused without a panic.
#[test]
fn damaged_requests() {
    let data = |name: &str| fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap();
    let cases: [(&str, Decode); 3] =
        [("values.pb", decode_protobuf), ("python-bank.pb", decode_protobuf), ("python-bank.json", decode_json)];
    for (name, decode) in cases {
        let bytes = data(name);
        let mut refused = 0;
        for length in 0..bytes.len() {
            refused += usize::from(decode(&bytes[..length], &Limits::default()).is_err());
        }
        assert!(refused > bytes.len() / 2, "{name}: {refused}");
        let mut random = Random::new(7);
        for _ in 0..4000 {
            let mut changed = bytes.clone();
            for _ in 0..3 {
                let at = random.index(changed.len());
                changed[at] ^= 1 << random.below(8);
            }
            match decode(&changed, &Limits::default()) {
                Ok(request) => assert!(events(&request).is_sorted_by_key(|event| event.time_ns)),
                Err(error) => assert!(error.at() <= changed.len(), "{error}"),
            }
        }
    }
    let wrong: [&[u8]; 8] = [
        b"\x0A",
        b"\x0A\x05\x0A",
        b"\x08\x01",
        b"\x0B",
        b"\x00\x00",
        b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        b"\x0D\x01\x02",
        b"{\"resourceSpans\":[]}",
    ];
    for bytes in wrong {
        assert_eq!(decode_protobuf(bytes, &Limits::default()).unwrap_err().code(), Code::NotAnExport, "{bytes:?}");
    }
}
