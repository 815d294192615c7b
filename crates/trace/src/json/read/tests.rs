// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the JSON of the competitions, in pieces of several sizes.

use crate::testing::{read, setup};
use crate::{Format, ReaderSetup};

fn json(text: &str) -> String {
    json_with(text, &ReaderSetup::default())
}

fn json_with(text: &str, setup: &ReaderSetup) -> String {
    read(Format::Json, text.as_bytes(), setup)
}

#[test]
fn lists_and_streams() {
    let plain = "0 start@1\n1 stop@2\n2 start@3\n";
    for text in [
        "[{\"start\":{\"time\":1}},{\"stop\":{\"time\":2}},{\"start\":{\"time\":3}}]",
        "\u{FEFF} [ {\n\"start\" : {\r\n\t\"time\" : 1 } } ,\n{\"stop\":{\"time\":2}}\n,{\"start\":{\"time\":3}}\n]\n",
        "{\"start\":{\"time\":1}}{\"stop\":{\"time\":2}}\n{\"start\":{\"time\":3}}",
        "{\"start\":{\"time\":1}},\n{\"stop\":{\"time\":2}} ,{\"start\":{\"time\":3}},\n",
        "{\"st\\u0061rt\":{\"x\":\"}{\\\"\\\\\",\"t\\u0069me\":1}}{\"stop\":{\"y\":{\"z\":[{}]},\"time\":2.0}}{\"start\":{\"time\":\"3\"}}",
    ] {
        assert_eq!(json(text), plain, "{text}");
    }
    for text in ["", " \n", "[]", "[ ]\n"] {
        assert_eq!(json(text), "", "{text:?}");
    }
    assert_eq!(json("{\"a\":{}} {\"b\":{\"x\":1}}"), "0 a@0\n1 b@1\n");
}

#[test]
fn fields() {
    let text = "[{\"pay\": {\"time\": 1, \"user\": \"ann\", \"n\": \"1\"}},\n{\"show\": {\"n\": {\"a\":\n[1, null]}, \"time\": 2}},\n\
                {\"pay\": {\"time\": 3, \"n\": 1, \"n\": 2, \"event\": true}}]";
    assert_eq!(
        json_with(text, &setup(&["pay"], &["show"], &["n", "event"])),
        "0 pay@1 n=\"1\" (\"ann\", \"1\")\n1 show@2 n={\"a\": [1, null]}\n2 pay@3 n=2 event=true (2, true)\n"
    );
}

#[test]
fn errors_have_a_location() {
    for (text, expected) in [
        ("[", "G0513 1:2 the input ends where an event or `]` should be"),
        ("[{\"a\":{}}", "G0513 1:10 the input ends where `,` or `]` should be"),
        ("[{\"a\":{}},", "G0513 1:11 the input ends where an event should be"),
        ("[{\"a\":{}},]", "G0525 1:11 found `]` where an event should be"),
        ("[{\"a\":{}} {\"b\":{}}]", "G0513 1:11 found `{\"b\":{}}]` where `,` or `]` should be"),
        ("[]x", "G0513 1:3 found `x` where nothing more should be"),
        ("\n{\"a\":{\"x\":1}", "G0513 2:1 the input ends inside the object that begins here"),
        ("{\"a\":{\"x\":\"}}", "G0513 1:1 the input ends inside the object"),
        ("{\"a\":{}},,", "G0525 1:10 found `,` where an event should be"),
        ("7", "G0525 1:1 found `7` where an event should be"),
        ("{}", "G0525 1:1 this object has no event in it"),
        ("{\"a\": 1}", "G0525 1:7 the value of `a` is not an object"),
        ("{\"event\": \"a\"}", "G0525 1:11 the value of `event` is not an object"),
        ("{\"a\": {},\n \"b\": {}}", "G0525 1:9 this object has more than one event in it"),
        ("{\"\": {}}", "G0509 1:3 this event has no name"),
        ("{\"a\": {\"x\": 01}}", "G0513 1:13 `01` is not a JSON value"),
        ("{\"a\": {\"x\": \"\n\"}}", "G0513 1:14 the control character"),
        ("{\"a\": {\"x\": [}]}}", "G0513 1:14 found `}]}` where a value should be"),
        ("{\"a\": {\"x\" 1}}", "G0513 1:12 found `1}}` where `:` after the key should be"),
        ("{\"a\":{\"time\":1}}\n{\"a\":{}}", "G0505 2:1 this event has no time"),
        ("{\"a\":{}}\n{\"a\":{\"time\":1}}", "G0505 2:14 this event has a time"),
        ("{\"a\":{\"time\":true}}", "G0506 1:14 the time `true`"),
    ] {
        let result = json(text);
        assert!(result.starts_with(expected), "{text:?}: {result}");
    }
    let deep = format!("{{\"a\":{{\"x\":{}", "[".repeat(100_000));
    assert!(json(&deep).starts_with("G0513 1:1 "), "{}", json(&deep));
    let deep = format!("{{\"a\":{{\"x\":{}1{}}}}}", "[".repeat(500), "]".repeat(500));
    assert!(json(&deep).starts_with("G0515 1:"), "{}", json(&deep));
    let result = read(Format::Json, b"{\"a\":{\"x\":\"\xFF\"}}", &ReaderSetup::default());
    assert!(result.starts_with("G0512 1:12 "), "{result}");
}
