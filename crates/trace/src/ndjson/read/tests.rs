// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads NDJSON, in pieces of several sizes.

use gnomon_core::random::Random;

use crate::testing::{read, setup};
use crate::{Format, ReaderSetup};

fn json(text: &str) -> String {
    json_with(text, &ReaderSetup::default())
}

fn json_with(text: &str, setup: &ReaderSetup) -> String {
    read(Format::Ndjson, text.as_bytes(), setup)
}

#[test]
fn names_and_times() {
    let plain = "0 start@1\n1 stop@12345678\n2 start@123456789012345\n";
    for text in [
        "{\"event\":\"start\",\"time\":1}\n{\"event\":\"stop\",\"time\":12345678}\n{\"event\":\"start\",\"time\":123456789012345}\n",
        "\u{FEFF}\n {\"time\" : 1 , \"event\" : \"start\"} \r\n\r\n{\"name\":\"stop\",\"time\":12345678}\n{\"event\":\"start\",\"time\":\"123456789012345\"}",
        "{\"event\":\"start\",\"TS\":\"1\"}\n{\"name\":0,\"event\":\"stop\",\"TS\":12345678}\n{\"name\":\"start\",\"TS\":123456789012345}\n",
        "{\"event\":\"x\",\"event\":\"start\",\"time\":9,\"time\":1.0}\n{\"\\u0065vent\":\"st\\u006fp\",\"t\\u0069me\":1.2345678e7}\n{\"event\":\"start\",\"time\":123456789012345}\n",
        "{\"event\":\"start\",\"x\":[1,{\"a\":\"}\\\"\"}],\"time\":1}\n{\"y\":\"\",\"event\":\"stop\",\"time\":12345678,\"z\":null}\n{\"event\":\"start\",\"time\":123456789012345}\n",
    ] {
        assert_eq!(json(text), plain, "{text}");
    }
}

#[test]
fn other_times() {
    assert_eq!(
        json("{\"event\":\"a\",\"timestamp\":\"2024-05-01T12:30:00.25+02:00\"}\n"),
        "0 a@2024-05-01T10:30:00.25Z\n"
    );
    assert_eq!(json("{\"event\":\"a\"}\n{\"event\":\"b\",\"when\":3}\n"), "0 a@0\n1 b@1\n");
    assert_eq!(json("{\"event\":\"a\",\"time\":-0.5}\n{\"event\":\"a\",\"time\":1e1}\n"), "0 a@-0.5\n1 a@10\n");
    assert_eq!(json(""), "");
    assert_eq!(json("\n \r\n"), "");
}

#[test]
fn fields() {
    let text = r#"{"event":"pay","time":1,"user":"ann","n":3}
{"time":2,"n":2.50,"event":"pay","user":null,"1":"1"}
{"event":"show","time":3,"user":{"id":[1,"é\n"]},"n":true}
{"event":"pay","time":4,"user":"x","u\u0073er":"y","name":"z"}
{"event":"pay","time":5}
{"name":"pay","time":6,"n":7}
"#;
    assert_eq!(
        json_with(text, &setup(&["pay"], &["show"], &["n", "user", "name"])),
        "0 pay@1 n=3 user=\"ann\" (\"ann\", 3)\n1 pay@2 n=2.5 user=null (2.5, null, \"1\")\n\
         2 show@3 n=true user={\"id\": [1, \"é\\n\"]}\n3 pay@4 user=\"y\" name=\"z\" (\"y\", \"z\")\n4 pay@5 ()\n5 pay@6 n=7 (7)\n"
    );
    assert_eq!(json(text), "0 pay@1\n1 pay@2\n2 show@3\n3 pay@4\n4 pay@5\n5 pay@6\n");
    assert_eq!(
        json_with(text, &setup(&[], &["show"], &["time", "event", "user"])),
        "0 pay@1\n1 pay@2\n2 show@3 time=3 user={\"id\": [1, \"é\\n\"]}\n3 pay@4\n4 pay@5\n5 pay@6\n"
    );
}

#[test]
fn a_declared_time_field() {
    let declared = |field: &str| ReaderSetup { time_field: Some(field.to_owned()), ..ReaderSetup::default() };
    assert_eq!(json_with("{\"event\":\"a\",\"time\":1,\"when\":5}", &declared("when")), "0 a@5\n");
    let error = json_with("{\"event\":\"a\",\"time\":1}", &declared("when"));
    assert!(error.starts_with("G0504 1:1 the trace has no field `when`"), "{error}");
}

#[test]
fn errors_have_a_location() {
    for (text, expected) in [
        ("{\"event\":\"a\",\"time\":1}\n{\"event\":\"a\"}\n", "G0505 2:1 this event has no time"),
        ("{\"event\":\"a\",\"time\":1}\n{\"event\":\"a\",\"time\":null}\n", "G0505 2:21 this event has no time"),
        ("{\"event\":\"a\"}\n{\"event\":\"a\",\"Time\":1}\n", "G0505 2:21 this event has a time"),
        ("{\"event\":\"a\",\"time\":true}\n", "G0506 1:21 the time `true` is neither"),
        ("{\"event\":\"é\",\"time\":\"x\"}\n", "G0506 1:21 the time `x` is neither"),
        ("{\"event\":\"a\",\"time\":[1]}\n", "G0506 1:21 "),
        ("{\"event\":\"a\",\"time\":1e99}\n", "G0506 1:21 "),
        ("{\"event\":\"a\",\"time\":1}\n{\"event\":\"a\",\"time\":\"2024-05-01\"}\n", "G0507 2:21 "),
        ("{\"time\":1}\n", "G0509 1:1 this event has no name"),
        ("{}\n", "G0509 1:1 this event has no name"),
        ("{\"event\":\"\",\"time\":1}\n", "G0509 1:10 this event has no name"),
        ("{\"event\":7,\"time\":1}\n", "G0509 1:10 the event's name `7` is not a string"),
        ("{\"event\":\"a\",\"x\":\"\u{1}\"}\n", "G0513 1:19 the control character"),
        ("{\"event\":\"a\"\n", "G0513 1:13 the line ends where `,` or `}` should be"),
        ("{\n\"event\":\"a\"}\n", "G0513 1:2 the line ends where a key in double quotes should be"),
        ("{\"event\":\"a\"}}\n", "G0513 1:14 `}` follows the object on its line"),
        ("{\"event\":\"a\"} {\"event\":\"b\"}\n", "G0513 1:15 "),
        ("{\"event\":\"a\",}\n", "G0513 1:14 found `}` where a key"),
        ("{\"event\":\"a\" \"x\":1}\n", "G0513 1:14 found `\"x\":1}` where `,` or `}`"),
        ("{\"event\":\"a\",\"x\":01}\n", "G0513 1:18 `01` is not a JSON value"),
        ("{\"event\":\"a\",\"x\":[1,nope]}\n", "G0513 1:21 `nope` is not a JSON value"),
        ("{\"event\":\"a\",\"x\":\"\\q\"}\n", "G0513 1:19 "),
        ("{\"event\":\"a\",\"x\":\"abc\n\"}\n", "G0513 1:18 this string is not closed on its line"),
        ("{'event':'a'}\n", "G0513 1:2 "),
        ("[]\n", "G0514 1:1 the line `[]` is not a JSON object"),
        ("\n\nstart, 1\n", "G0514 3:1 the line `start, 1` is not a JSON object"),
    ] {
        let result = json(text);
        assert!(result.starts_with(expected), "{text:?}: {result}");
    }
    let deep = format!("{{\"event\":\"a\",\"x\":{}1{}}}", "[".repeat(500), "]".repeat(500));
    assert!(json(&deep).starts_with("G0515 1:145 nested more than 128 deep"));
    let deepest = format!("{{\"event\":\"a\",\"x\":{}1{}}}", "[".repeat(127), "]".repeat(127));
    assert_eq!(json_with(&deepest, &setup(&["a"], &[], &[])).len(), "0 a@0 ()\n".len() + 127 * 2 + 1);
}

#[test]
fn all_of_a_line_must_be_utf8() {
    let result =
        read(Format::Ndjson, b"{\"event\":\"a\"}\n{\"event\":\"a\",\"x\":\"\xFF\"}\n", &ReaderSetup::default());
    assert!(result.starts_with("G0512 2:19 "), "{result}");
}

#[test]
fn a_line_has_an_end() {
    let mut bytes = b"{\"event\":\"".to_vec();
    bytes.resize(70 << 20, b' ');
    let mut reader = crate::open(&bytes[..], "t", None, ReaderSetup::default()).unwrap();
    let error = crate::Reader::advance(&mut reader).unwrap_err();
    assert_eq!((error.code(), error.line()), ("G0516", 1));
}

/// Every input made of a few odd pieces gives the same in whatever pieces it comes, and never a panic.
#[test]
fn hostile_pieces() {
    let pieces = [
        "{",
        "}",
        "\"",
        "\\",
        ":",
        ",",
        "[",
        "]",
        "1",
        "-",
        ".5",
        "e9",
        "\"event\":\"a\"",
        "\"time\":1",
        "\"a\":",
        "null",
        "\n",
        "\r",
        "\t",
        " ",
        "\0",
        "é",
        "\\ud83d",
        "\\ude00",
        "\"x\"",
        "{\"event\":\"a\",\"time\":2,",
    ];
    let mut numbers = Random::new(3);
    let mut random = |below: usize| numbers.index(below);
    let setup = setup(&["a"], &["1"], &["time", "a"]);
    for _ in 0..3000 {
        let mut text = String::from(["", "{", "{\"event\":\"a\",\"time\":1}\n", "{\"event\":\"a\","][random(4)]);
        for _ in 0..random(24) {
            text += pieces[random(pieces.len())];
        }
        json_with(&text, &setup);
    }
}
