// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads XES, in pieces of several sizes.

use crate::testing::{read, setup};
use crate::{Format, OrderPolicy, OrderedReader, Reader, ReaderSetup, SkippedEvents, open};

fn xes(text: &str) -> String {
    xes_with(text, &ReaderSetup::default())
}

fn xes_with(text: &str, setup: &ReaderSetup) -> String {
    read(Format::Xes, text.as_bytes(), setup)
}

const LOG: &str = r#"<?xml version="1.0" encoding="UTF-8" ?>
<!-- a log -->
<log xes.version="1.0" xes.features="nested-attributes" openxes.version="1.0RC7" xmlns="http://www.xes-standard.org/">
  <extension name="Lifecycle" prefix="lifecycle" uri="http://www.xes-standard.org/lifecycle.xesext"/>
  <global scope="event"><string key="concept:name" value="__INVALID__"/></global>
  <classifier name="Event Name" keys="concept:name"/>
  <string key="concept:name" value="the log"/>
  <trace>
    <string key="concept:name" value="173688"/>
    <int key="AMOUNT_REQ" value="20000"/>
    <event>
      <string key="org:resource" value="112"/>
      <string key="lifecycle:transition" value="COMPLETE"/>
      <string key="concept:name" value="A_SUBMITTED"/>
      <date key="time:timestamp" value="2011-10-01T00:38:44.546+02:00"/>
    </event>
    <event>
      <date key="time:timestamp" value="2011-10-01T00:38:44.880+02:00"/>
      <string key='concept:name' value='A &amp; B'><string key="meta" value="ignored"/></string>
      <int key="n" value="7"></int>
      <float key="f" value="1.50"/>
      <boolean key="b" value="true"/>
      <id key="i" value="x-1"/>
      <list key="l"><values><int key="a" value="1"/><list key="b"/></values></list>
      <container key="c"><string key="x" value="y"/></container>
    </event>
  </trace>
  <trace>
    <string key="concept:name" value="173691"/>
    <event><string key="concept:name" value="A_SUBMITTED"/><date key="time:timestamp" value="2010-01-01"/></event>
  </trace>
  <trace/>
</log>
"#;

#[test]
fn a_log_with_all_that_logs_have() {
    assert_eq!(
        xes(LOG),
        "0 A_SUBMITTED@2011-09-30T22:38:44.546Z\n1 A & B@2011-09-30T22:38:44.88Z\n2 A_SUBMITTED@2010-01-01T00:00:00Z\n"
    );
    let wanted =
        setup(&["A & B"], &["A_SUBMITTED"], &["org:resource", "case:AMOUNT_REQ", "case:concept:name", "n", "c"]);
    assert_eq!(
        xes_with(LOG, &wanted),
        "0 A_SUBMITTED@2011-09-30T22:38:44.546Z org:resource=\"112\" case:AMOUNT_REQ=20000 case:concept:name=\"173688\"\n\
         1 A & B@2011-09-30T22:38:44.88Z case:AMOUNT_REQ=20000 case:concept:name=\"173688\" n=7 c={\"x\": \"y\"} \
         (7, 1.5, true, \"x-1\", [1, []], {\"x\": \"y\"})\n\
         2 A_SUBMITTED@2010-01-01T00:00:00Z case:concept:name=\"173691\"\n"
    );
}

#[test]
fn cases_and_their_order() {
    let mut reader = OrderedReader::new(
        open(LOG.as_bytes(), "t.xes", None, ReaderSetup::everything()).unwrap(),
        OrderPolicy::Strict,
    );
    let mut cases = Vec::new();
    while reader.advance().unwrap().is_some() {
        cases.push((reader.case().unwrap().to_owned(), reader.case_number(), reader.entries().len()));
    }
    assert_eq!(cases.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ["173688", "173688", "173691"]);
    assert!(cases[0].1 == cases[1].1 && cases[1].1 != cases[2].1);
    assert_eq!(cases.iter().map(|(_, _, entries)| *entries).collect::<Vec<_>>(), [5, 9, 2]);
    let whole = open(LOG.as_bytes(), "t.xes", None, ReaderSetup::default()).unwrap();
    let mut reader = OrderedReader::new(whole, OrderPolicy::Strict).across_cases();
    reader.advance().unwrap();
    reader.advance().unwrap();
    assert_eq!(reader.advance().unwrap_err().code(), "G0508");
}

#[test]
fn sorting_stays_within_a_case() {
    use gnomon_core::time::Duration;
    let event = |name: &str, time: u32| {
        format!(
            "<event><string key=\"concept:name\" value=\"{name}\"/><int key=\"time:timestamp\" value=\"{time}\"/></event>"
        )
    };
    let text = format!(
        "<log><trace>{}{}</trace><trace>{}{}</trace>{}</log>",
        event("b", 15),
        event("a", 14),
        event("d", 3),
        event("c", 2),
        event("e", 1)
    );
    let delay = OrderPolicy::Within(Duration::from_ticks(5_000_000_000));
    let mut reader = OrderedReader::new(open(text.as_bytes(), "t.xes", None, ReaderSetup::default()).unwrap(), delay);
    let mut seen = Vec::new();
    while let Some(origin) = reader.advance().unwrap() {
        let name = reader.symbols().name_text(origin.event).to_owned();
        seen.push(format!("{name} {}", reader.case().unwrap_or("-")));
    }
    assert_eq!(seen, ["a #1", "b #1", "c #2", "d #2", "e -"]);
    assert_eq!(reader.late().unwrap().count, 0);
}

#[test]
fn times() {
    let event =
        |name: &str, rest: &str| format!("<event><string key=\"concept:name\" value=\"{name}\"/>{rest}</event>");
    let log = |events: &str| format!("<log><trace>{events}</trace></log>");
    assert_eq!(xes(&log(&(event("a", "") + &event("b", "<int key=\"time\" value=\"7\"/>")))), "0 a@0\n1 b@1\n");
    let timed = event("a", "<date key=\"time:timestamp\" value=\"2024-05-01T00:00:00\"/>");
    assert_eq!(xes(&log(&(timed.clone() + &event("b", "")))), "0 a@2024-05-01T00:00:00Z\n");
    let slashes = event("a", "<date key=\"time:timestamp\" value=\"2019/11/03 01:11:19.000\"/>");
    assert_eq!(xes(&log(&slashes)), "0 a@2019-11-03T01:11:19Z\n");
    assert!(xes(&log(&(event("b", "") + &timed))).starts_with("G0505 1:"));
    let declared = ReaderSetup { time_field: Some("when".to_owned()), ..ReaderSetup::default() };
    assert_eq!(xes_with(&log(&event("a", "<int key=\"when\" value=\"5\"/>")), &declared), "0 a@5\n");
    let own = log(&event("a", "<int key=\"time:timestamp\" value=\"12\"/>"));
    assert_eq!((xes(&own), xes_with(&own, &declared)), ("0 a@12\n".to_owned(), "0 a@12\n".to_owned()));
}

#[test]
fn events_that_cannot_be_checked_are_counted() {
    let event = |rest: &str| format!("<event>{rest}</event>");
    let named = "<string key=\"concept:name\" value=\"a\"/>";
    let timed = "<date key=\"time:timestamp\" value=\"2024-05-01\"/>";
    let text = format!(
        "<log><trace>{}<event/>{}{}</trace><trace><string key=\"concept:name\" value=\"none\"/></trace><trace/>\
         <trace>{}</trace></log>",
        event(timed),
        event(&format!("{named}{timed}")).repeat(4),
        event(named),
        event(timed)
    );
    let mut reader = open(text.as_bytes(), "t.xes", None, ReaderSetup::default()).unwrap();
    for _ in 0..4 {
        assert!(reader.advance().unwrap().is_some());
    }
    assert!(reader.advance().unwrap().is_none());
    assert_eq!(reader.skipped(), SkippedEvents { unnamed: 3, untimed: 1 });
    assert_eq!(reader.empty_cases(), ["none", "#3", "#4"]);
}

#[test]
fn a_log_of_which_most_events_cannot_be_checked_is_refused() {
    let event = "<event><string key=\"concept:name\" value=\"a\"/></event>";
    let text = format!("<log><trace>{event}<event/><event/></trace></log>");
    assert!(xes(&text).starts_with("G0509 1:1 2 of 3 events cannot be checked"), "{}", xes(&text));
    assert_eq!(xes(&format!("<log><trace>{event}<event/></trace></log>")), "0 a@0\n");
}

#[test]
fn errors_have_a_location() {
    for (text, expected) in [
        ("", "G0522 1:1 there is no `<log>`"),
        ("<log><trace>", "G0520 1:13 the input ends inside `<trace>`"),
        ("<log><trace><event>", "G0520 1:20 the input ends inside `<event>`"),
        ("<log><global>", "G0520 1:14 the input ends inside `<global>`"),
        ("<log>\n<global><a></b></global></log>", "G0520 2:12 `</b>` is inside `<a>`"),
        ("<log></trace>", "G0520 1:6 `</trace>` is inside `<log>`"),
        ("<log><trace></log>", "G0520 1:13 `</log>` is inside `<trace>`"),
        ("<log><trace><evnt/></trace></log>", "G0522 1:13 the element `evnt` does not belong inside `<trace>`"),
        (
            "<log><trace><event><x/></event></trace></log>",
            "G0522 1:20 the element `x` does not belong inside `<event>`",
        ),
        ("<log><event><string key=\"concept:name\" value=\"\"/></event></log>", "G0509 1:47 this event has no name"),
        (
            "<log><event><string value=\"b\"/></event></log>",
            "G0523 1:13 the attribute `<string value=\"b\"` has no `key`",
        ),
        (
            "<log><event><string key=\"b\"/></event></log>",
            "G0523 1:13 the attribute `<string key=\"b\"` has no `value`",
        ),
        ("<log><event><string key=b/></event></log>", "G0520 1:21 `key=b` is not an attribute"),
        ("<log><event><string key=\"b", "G0520 1:25 this quote is not closed"),
        ("<log><event><string key=\"concept:name\" value=\"&x;\"/></event></log>", "G0521 1:47 the entity `&x;`"),
        ("<log><event><string key=\"&x;\" value=\"a\"/></event></log>", "G0521 1:26 the entity `&x;`"),
        (
            "<log><trace><event><string key=\"concept:name\" value=\"a\"/></event><string key=\"concept:name\" value=\"b\"/></trace></log>",
            "G0522 1:66 an attribute of a trace follows its events",
        ),
    ] {
        let result = xes(text);
        assert!(result.starts_with(expected), "{text:?}: {result}");
    }
    let deep = format!("<log>{}", "<a>".repeat(1000));
    assert!(xes(&deep).starts_with("G0515 1:390 nested more than 128 deep"), "{}", xes(&deep));
    let nested = format!(
        "<log><event><string key=\"concept:name\" value=\"a\"/>{}{}</event></log>",
        "<container key=\"x\">".repeat(1000),
        "</container>".repeat(1000)
    );
    assert!(xes(&nested).starts_with("G0515 1:"), "{}", xes(&nested));
}

#[test]
fn a_fault_inside_a_nested_value_has_its_place() {
    let text = "<log><event><string key=\"concept:name\" value=\"a\"/>\n<list key=\"x\"><string key=\"y\" value=\"&z;\"/></list></event></log>";
    assert_eq!(xes(text), "0 a@0\n");
    let wanted = xes_with(text, &setup(&["a"], &[], &[]));
    assert!(wanted.starts_with("G0521 2:38 the entity `&z;`"), "{wanted}");
}
