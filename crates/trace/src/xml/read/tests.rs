// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the XML of the competitions, in pieces of several sizes.

use std::fmt::Write;

use crate::testing::{read, setup};
use crate::{Format, ReaderSetup};

fn xml(text: &str) -> String {
    xml_with(text, &ReaderSetup::default())
}

fn xml_with(text: &str, setup: &ReaderSetup) -> String {
    read(Format::Xml, text.as_bytes(), setup)
}

/// An event in the shape that most are written in.
fn event(name: &str, fields: &[(&str, &str)]) -> String {
    let mut text = format!("<event>\n  <name>{name}</name>\n");
    for (key, value) in fields {
        writeln!(text, "  <field>\n    <name>{key}</name>\n    <value>{value}</value>\n  </field>").unwrap();
    }
    text + "</event>\n"
}

#[test]
fn names_and_times() {
    let plain = "0 start@1\n1 stop@12345678\n2 start@123456789012345\n";
    let events = event("start", &[("time", "1")])
        + &event("stop", &[("time", "12345678")])
        + &event("start", &[("time", "123456789012345")]);
    for text in [
        format!("<log>\n{events}</log>\n"),
        format!("\u{FEFF}<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- a -->\n<log>{events}</log><!-- b -->\n"),
        format!("<log a=\"b\">{}</log>", events.replace('\n', "").replace("  ", "")),
        format!("<log>{}</log>", events.replace('\n', "\r\n").replace("<name>", "<name> ").replace("</value>", "\n</value>")),
        format!("<log>{}</log>", events.replace("<event>", "<event id='>'><!-- <x> --><?p?>")),
        format!("<log>{}</log>", events.replace("start", "<![CDATA[st]]>a&#114;t").replace("time", "t&#105;me")),
        format!("<log>{}</log>", events.replace("<field>", "<field n=\"1\">").replace("<value>", "<value >")),
        "<log><event><field><value>1</value><name>TS</name></field><name>start</name></event>\
         <event><name>stop</name><field><name>x</name></field><field><name>TS</name><value>12345678.0</value></field></event>\
         <event><name>start</name><field><name>TS</name><value>123456789012345</value></field></event></log>"
            .to_owned(),
    ] {
        assert_eq!(xml(&text), plain, "{text}");
    }
}

#[test]
fn other_times() {
    assert_eq!(
        xml(&format!("<log>{}</log>", event("a", &[("timestamp", "2024-05-01T12:30:00.25+02:00")]))),
        "0 a@2024-05-01T10:30:00.25Z\n"
    );
    assert_eq!(xml(&format!("<log>{}{}</log>", event("a", &[]), event("b", &[("when", "3")]))), "0 a@0\n1 b@1\n");
    assert_eq!(xml("<log></log>"), "");
    assert_eq!(xml("<log/>"), "");
    assert_eq!(xml("<?xml version=\"1.0\"?><log>\n<!-- nothing --></log>\n"), "");
}

#[test]
fn fields() {
    let events = event("pay", &[("time", "1"), ("user", "ann"), ("n", "3")])
        + &event("pay", &[("n", "2.50"), ("time", "2"), ("user", "null")])
        + &event("show", &[("time", "3"), ("user", " a &lt; b "), ("n", "true")])
        + &event("pay", &[("time", "4"), ("user", "x"), ("user", "y"), ("1", "")]);
    let text = format!("<log>{events}</log>");
    assert_eq!(
        xml_with(&text, &setup(&["pay"], &["show"], &["n", "user"])),
        "0 pay@1 n=3 user=\"ann\" (\"ann\", 3)\n1 pay@2 n=2.5 user=null (2.5, null)\n\
         2 show@3 n=true user=\"a < b\"\n3 pay@4 user=\"y\" (\"y\", \"\")\n"
    );
    assert_eq!(xml(&text), "0 pay@1\n1 pay@2\n2 show@3\n3 pay@4\n");
}

#[test]
fn errors_have_a_location() {
    let good = "<event><name>a</name><field><name>time</name><value>1</value></field></event>";
    for (text, expected) in [
        ("", "G0522 1:1 there is no `<log>`"),
        ("  \n", "G0522 2:1 there is no `<log>`"),
        ("start, 1\n", "G0522 1:1 found the text `start, 1\\n` where an element should be"),
        ("<trace/>", "G0522 1:1 the element `trace` does not belong here"),
        ("<log>\n  <evnt/>", "G0522 2:3 the element `evnt` does not belong inside `<log>`"),
        ("<log>\n  <event><nam>x</nam></event>", "G0522 2:10 the element `nam` does not belong inside `<event>`"),
        ("<log><event><name>a</name><field><x/></field></event></log>", "G0522 1:34 the element `x` does"),
        ("<log><event><name>a<b/></name></event></log>", "G0522 1:20 the element `b` does not belong inside `<name>`"),
        ("<log><event><name>a</name>hm</event></log>", "G0522 1:27 found the text `hm`"),
        ("<log><event><name>a</name><name>b</name></event></log>", "G0522 1:33 the event has two names"),
        ("<log><event><field><value>1</value></field></event></log>", "G0522 1:13 this field has no name"),
        ("<log><event><field><name>a</name><name>b</name></field></event></log>", "G0522 1:34 the field has a second"),
        ("<log><event/></log>", "G0509 1:6 this event has no name"),
        ("<log><event></event></log>", "G0509 1:6 this event has no name"),
        ("<log>\n<event>\n<name> </name></event></log>", "G0509 3:8 this event has no name"),
        ("<log>", "G0520 1:6 the input ends inside `<log>`"),
        ("<log><event>", "G0520 1:13 the input ends inside `<event>`"),
        ("<log><event><name>a", "G0520 1:20 the input ends inside `<name>`"),
        ("<log><event><name>a</name></evnt></log>", "G0520 1:27 `</evnt>` is inside `<event>`"),
        ("<log><event><name>a</nam></event></log>", "G0520 1:20 `</nam>` is inside `<name>`"),
        ("<log></log><log>", "G0520 1:12 there is more content after the outermost element"),
        ("<log></log>x", "G0522 1:12 found the text `x`"),
        ("<log></event>", "G0520 1:6 `</event>` is inside `<log>`"),
        ("<log><event><name>&x;</name></event></log>", "G0521 1:19 the entity `&x;` is not one of XML's own"),
        ("<log><event><name>é&x;</name></event></log>", "G0521 1:20 "),
        ("<log><event><name>a & b</name></event></log>", "G0520 1:21 a `&` that begins no entity"),
        ("<!DOCTYPE log [<!ENTITY a \"b\">]><log/>", "G0521 1:1 a document type declaration is not supported"),
        (
            "<?xml version=\"1.0\" encoding=\"latin1\"?><log/>",
            "G0502 1:1 the input says that it is encoded in `latin1`",
        ),
    ] {
        let result = xml(text);
        assert!(result.starts_with(expected), "{text:?}: {result}");
    }
    for (text, expected) in [
        ("<event><name>a</name></event>", "G0505 2:1 this event has no time"),
        ("<event><name>a</name><field><name>time</name><value/></field></event>", "G0505 2:54 this event has no time"),
        ("<event><name>a</name><field><name>time</name><value>x</value></field></event>", "G0506 2:53 the time `x`"),
        (
            "<event><name>a</name><field><name>time</name><value>99999999999999999999</value></field></event>",
            "G0506 2:53",
        ),
        ("<event><name>a</name><field><name>time</name><value>2024-05-01</value></field></event>", "G0507 2:53 "),
    ] {
        let text = format!("<log>{good}\n{text}</log>");
        let result = xml(&text);
        assert!(result.starts_with(expected), "{text:?}: {result}");
    }
    let late = format!("<log><event><name>a</name></event>\n{good}</log>");
    assert!(xml(&late).starts_with("G0505 2:53 this event has a time"), "{}", xml(&late));
}

#[test]
fn only_what_is_used_must_be_utf8() {
    let text = b"<log><event><name>a</name><field><name>x</name><value>\xFF</value></field></event></log>";
    assert_eq!(read(Format::Xml, text, &ReaderSetup::default()), "0 a@0\n");
    let wanted = read(Format::Xml, text, &setup(&["a"], &[], &[]));
    assert!(wanted.starts_with("G0512 1:55 "), "{wanted}");
    let name = read(Format::Xml, b"<log><event><name>\xFF</name></event></log>", &ReaderSetup::default());
    assert!(name.starts_with("G0512 1:19 "), "{name}");
}

/// Events that lie across the end of the buffer, wherever it falls.
#[test]
fn events_across_the_end_of_the_buffer() {
    let mut text = String::from("<log>\n");
    let mut expected = String::new();
    for index in 0..8000 {
        let name = ["start", "a-name-of-twenty-one", "stop"][index % 3];
        text += &event(name, &[("time", &index.to_string()), ("x", &"x".repeat(index % 7))]);
        let field = if name == "stop" { format!(" x=\"{}\"", "x".repeat(index % 7)) } else { String::new() };
        writeln!(expected, "{index} {name}@{index}{field}").unwrap();
    }
    text += "</log>";
    assert!(text.len() > 600 << 10);
    assert_eq!(xml_with(&text, &setup(&[], &["stop"], &["x"])), expected);
}
