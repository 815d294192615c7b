// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads lines of pairs, in pieces of several sizes.

use crate::testing::{read, setup};
use crate::{Format, LogFormat, ReaderSetup};

fn logfmt(log: &str, setup: &ReaderSetup) -> String {
    read(Format::Logfmt, log.as_bytes(), setup)
}

#[test]
fn pairs_are_fields() {
    let log = "time=3 event=logon user=ann n=007 ok note=\"a \\\"b\\\" c\" empty= q=\"\"\n\ntime=4 event=logoff\n";
    assert_eq!(
        logfmt(log, &setup(&["logon"], &[], &["user", "n", "ok", "note", "empty"])),
        "0 logon@3 user=\"ann\" n=7 ok=true note=\"a \\\"b\\\" c\" (\"ann\", 7, true, \"a \\\"b\\\" c\", \"\")\n1 logoff@4\n"
    );
}

#[test]
fn events_are_named_by_the_message() {
    let log = "ts=2026-11-16T11:42:20Z level=info msg=\"user logged in\" user=ann\n";
    assert_eq!(logfmt(log, &ReaderSetup::default()), "0 user logged in@2026-11-16T11:42:20Z\n");
    let declared = ReaderSetup { event_field: Some("level".to_owned()), ..ReaderSetup::default() };
    assert_eq!(logfmt(log, &declared), "0 info@2026-11-16T11:42:20Z\n");
}

#[test]
fn other_lines_are_counted_or_refused() {
    let log = "time=1 event=a\npanic: x\n\tat y\nplain text\ntime=x event=b\ntime=2 event=c\ntime=3 event=d\n";
    assert_eq!(logfmt(log, &ReaderSetup::default()), "0 a@1\n1 c@2\n2 d@3\n");
    let strict = ReaderSetup { log: Some(LogFormat::Logfmt { strict: true }), ..ReaderSetup::default() };
    assert!(
        logfmt("time=1 event=a\nx\"y\n", &strict)
            .ends_with("G0526 2:1 the line `x\"y` does not consist of `key=value` pairs: a quote is inside a key")
    );
    assert!(logfmt("a b\nc d\n", &ReaderSetup::default()).starts_with("G0526 1:1 no line of the log is an event"));
}
