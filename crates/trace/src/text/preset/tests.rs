// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of the usual formats, their parts and their recognition.

use crate::testing::{SlowInput, transcript};
use crate::{Format, LogFormat, NameTemplate, Preset, Reader, ReaderSetup, TextPattern, open};

/// Reads one line; returns its name, and its fields but the time.
fn fields(preset: Preset, line: &str) -> String {
    let mut lines = vec![];
    for step in [usize::MAX, 1, 7] {
        let log = Some(LogFormat::Lines(TextPattern::preset(preset)));
        let setup = ReaderSetup { log, ..ReaderSetup::everything() };
        let mut reader = open(SlowInput::new(line.as_bytes(), step), "t.log", None, setup).unwrap();
        let Some(origin) = reader.advance().unwrap() else { panic!("{line} is not an event") };
        let fields = reader
            .entries()
            .iter()
            .filter(|entry| !entry.is_time)
            .fold(String::new(), |shown, entry| format!("{shown} {}={}", entry.key, entry.value));
        lines.push(format!("{}{fields}", reader.symbols().name_text(origin.event)));
    }
    assert!(lines.iter().all(|line| *line == lines[0]));
    lines.swap_remove(0)
}

#[test]
fn access_logs() {
    for (line, expected) in [
        (
            "192.0.2.1 - - [16/Nov/2026:11:42:20 +0000] \"GET /a/b?x=1 HTTP/1.1\" 200 612 \"-\" \"curl/8 \\\"x\\\"\"",
            "request remote=\"192.0.2.1\" request=\"GET /a/b?x=1 HTTP/1.1\" method=\"GET\" path=\"/a/b\" query=\"x=1\" protocol=\"HTTP/1.1\" status=200 bytes=612 agent=\"curl/8 \\\\\\\"x\\\\\\\"\"",
        ),
        (
            "host:80 ::1 - john doe [16/Nov/2026:11:42:20 +0000] \"POST / HTTP/2.0\" 404 - \"https://a/\" \"x\" \"10.0.0.1\" 0.5",
            "request vhost=\"host:80\" remote=\"::1\" user=\"john doe\" request=\"POST / HTTP/2.0\" method=\"POST\" path=\"/\" protocol=\"HTTP/2.0\" status=404 referer=\"https://a/\" agent=\"x\" rest=\"\\\"10.0.0.1\\\" 0.5\"",
        ),
        (
            "10.1.1.1, 10.2.2.2 - - [16/Nov/2026:11:42:20 +0000] \"GET / HTTP/1.1\" 200 5",
            "request remote=\"10.1.1.1, 10.2.2.2\" request=\"GET / HTTP/1.1\" method=\"GET\" path=\"/\" protocol=\"HTTP/1.1\" status=200 bytes=5",
        ),
        (
            "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"\\x16\\x03\" 400 0",
            "request remote=\"127.0.0.1\" user=\"frank\" request=\"\\\\x16\\\\x03\" status=400 bytes=0",
        ),
    ] {
        assert_eq!(fields(Preset::Nginx, line), expected, "{line}");
        assert_eq!(fields(Preset::Apache, line), expected, "{line}");
    }
}

#[test]
fn syslogs() {
    for (line, expected) in [
        (
            "<34>Oct 11 22:14:15 mymachine su[12]: 'su root' failed",
            "su facility=4 severity=2 host=\"mymachine\" app=\"su\" pid=12 message=\"'su root' failed\"",
        ),
        (
            "Nov  6 11:42:20 host last message repeated 2 times",
            "syslog host=\"host\" message=\"last message repeated 2 times\"",
        ),
        (
            "<165>1 2026-11-16T11:42:20.003Z host app 99 ID [ex@1 a=\"b\\\"]\" c=\"d\"][y] {\"n\": 1}",
            "app facility=20 severity=5 host=\"host\" app=\"app\" pid=99 msgid=\"ID\" data=\"[ex@1 a=\\\"b\\\\\\\"]\\\" c=\\\"d\\\"][y]\" message={\"n\": 1}",
        ),
        ("<0>1 2026-11-16T11:42:20Z - - - - -", "syslog facility=0 severity=0"),
        (
            "2026-11-16T11:42:20+0100 host systemd[1]: Started x.",
            "systemd host=\"host\" app=\"systemd\" pid=1 message=\"Started x.\"",
        ),
    ] {
        assert_eq!(fields(Preset::Syslog, line), expected, "{line}");
    }
}

#[test]
fn container_logs() {
    assert_eq!(
        fields(Preset::Cri, "2026-11-16T11:42:20.25Z stderr F {\"a\": {\"b\": 1}}"),
        "stderr stream=\"stderr\" tag=\"F\" message={\"a\": {\"b\": 1}}"
    );
    assert_eq!(fields(Preset::Cri, "2026-11-16T11:42:20.25Z stdout P"), "stdout stream=\"stdout\" tag=\"P\"");
    assert_eq!(
        fields(
            Preset::Docker,
            "{\"log\":\"say \\\"x\\\"\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-16T11:42:20Z\"}"
        ),
        "stdout log=\"say \\\"x\\\"\" stream=\"stdout\""
    );
    assert_eq!(
        fields(
            Preset::Docker,
            "{\"log\":\"{\\\"level\\\":\\\"error\\\"}\\n\",\"stream\":\"stdout\",\"attrs\":{\"k\":\"v\"},\"time\":\"2026-11-16T11:42:20Z\"}"
        ),
        "stdout log={\"level\": \"error\"} stream=\"stdout\" attrs={\"k\": \"v\"}"
    );
}

#[test]
fn objects_with_text_before_them() {
    for (line, expected) in [
        (
            "2026-11-16 11:42:20 INFO [main] x {\"event\": \"pay\", \"user\": {\"id\": 7}}",
            "pay level=\"INFO\" prefix=\"[main] x\" user={\"id\": 7}",
        ),
        ("[2026-11-16T11:42:20Z] [warn]: {\"msg\": \"slow\", \"n\": 1}", "slow level=\"warn\" n=1"),
        ("app: {\"time\": 3, \"event\": \"pay\"}", "pay prefix=\"app:\""),
        ("{\"time\": 3, \"name\": \"pay\"}", "pay name=\"pay\""),
    ] {
        assert_eq!(fields(Preset::Json, line), expected, "{line}");
    }
}

/// The declared name, the time and the fields that properties want.
#[test]
fn names_can_be_declared() {
    let line = "192.0.2.1 - - [16/Nov/2026:11:42:20 +0000] \"GET /a HTTP/1.1\" 200 612\n\
                192.0.2.1 - - [16/Nov/2026:11:42:21 +0000] \"-\" 400 0\n";
    for (template, expected) in [
        ("{method} {path}", "0 GET /a@2026-11-16T11:42:20Z\n"),
        ("{method}", "0 GET@2026-11-16T11:42:20Z\n"),
        ("hit", "0 hit@2026-11-16T11:42:20Z\n1 hit@2026-11-16T11:42:21Z\n"),
    ] {
        let setup = ReaderSetup {
            log: Some(LogFormat::Lines(TextPattern::preset(Preset::Nginx))),
            name: Some(NameTemplate::parse(template).unwrap()),
            ..ReaderSetup::default()
        };
        let mut reader = open(line.as_bytes(), "t.log", None, setup).unwrap();
        assert_eq!(transcript(&mut reader).unwrap(), expected, "{template}");
    }
    let setup = ReaderSetup {
        log: Some(LogFormat::Lines(TextPattern::preset(Preset::Cri))),
        name: Some(NameTemplate::parse("{message/event}").unwrap()),
        ..ReaderSetup::default()
    };
    let line = "2026-11-16T11:42:20Z stdout F {\"event\": \"pay\"}\n";
    assert_eq!(
        transcript(&mut open(line.as_bytes(), "t", None, setup).unwrap()).unwrap(),
        "0 pay@2026-11-16T11:42:20Z\n"
    );
    let setup = ReaderSetup {
        log: Some(LogFormat::Lines(TextPattern::preset(Preset::Cri))),
        event_field: Some("level".to_owned()),
        ..ReaderSetup::default()
    };
    let error = open(line.as_bytes(), "t", None, setup).err().unwrap();
    assert!(error.help().unwrap().contains("`message`"), "{error}");
}

#[test]
fn formats_are_recognised() {
    for (log, word) in [
        ("192.0.2.1 - - [16/Nov/2026:11:42:20 +0000] \"GET /a HTTP/1.1\" 200 612\n", "nginx"),
        ("<34>1 2026-11-16T11:42:20.003Z host su - ID47 - failed\n", "syslog"),
        ("# a comment\nNov 16 11:42:20 host app: x\nNov 16 11:42:20 host app: y\n  more\n", "syslog"),
        ("2026-11-16T11:42:20.25Z stdout F hello\n", "cri"),
        ("{\"log\":\"x\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-16T11:42:20Z\"}\n", "docker"),
        ("2026-11-16 11:42:20 INFO {\"event\":\"logon\"}\n", "json"),
        ("level=info ts=3 msg=\"x y\"\n", "logfmt"),
    ] {
        let mut reader = open(log.as_bytes(), "t.log", None, ReaderSetup::default()).unwrap();
        assert!(reader.advance().unwrap().is_some(), "{log}");
        let notes = reader.notes();
        assert!(notes[0].contains(&format!("`log {word}` in the spec")), "{log} {notes:?}");
    }
    for log in ["event, time\na, 1\n", "event;time\na;1\n", "start, tp=0, ts=5\n", "", "a\n"] {
        let reader = open(log.as_bytes(), "t.log", Some(Format::Csv), ReaderSetup::default());
        let detected = open(log.as_bytes(), "t.log", None, ReaderSetup::default());
        assert_eq!(reader.is_ok(), detected.is_ok(), "{log}");
        assert_eq!(reader.err().map(|error| error.code()), detected.err().map(|error| error.code()), "{log}");
    }
}

#[test]
fn a_pattern_is_suggested_for_other_logs() {
    for (line, pattern) in [
        ("2026-11-16 11:42:20,123 INFO  [main] com.foo.Bar - Starting", "{time} {level} [{source}] {event}"),
        ("2026/11/16 11:42:20 [error] 1234#0: *5 open() failed", "{time} [{level}] {event}"),
        ("[Mon Nov 16 11:42:20 2026] [core:error] [pid 12] AH00124: x", "[{time}] [{source}] [{thread}] {event}"),
        ("ERROR: something failed badly", "{level}: {event}"),
        ("2026-11-16T11:42:20.123456Z 0 [Note] [MY-010051] [Server] ready", "{time} {event}"),
        ("2026-11-16T11:42:20.123Z  INFO 12345 --- [main] c.e.Shop : started", "{time} {level} {event}"),
        ("2026-11-16T11:42:20Z WARN server: slow", "{time} {level} {event}"),
        ("1234:M 16 Nov 2026 11:42:20.123 * Ready", "{_} {time} {event}"),
        ("I, [2026-11-16T11:42:20.123456 #1234]  INFO -- : Started GET \"/x\" for 1.2.3.4", "{_} [{time} {event}"),
        ("1794829340.123    0 10.0.0.1 TCP_MISS/200 512 GET http://x.org/", "{time} {event}"),
        ("app[7] (2026-11-16 11:42:20) started", "{_} ({time}) {event}"),
        (
            "https 2026-11-16T11:42:20.18Z app/lb 10.0.0.1:80 200 \"GET https://a:443/ HTTP/1.1\" \"waf,forward\"",
            "{_} {time} {event}",
        ),
    ] {
        let error = open(line.as_bytes(), "t.log", None, ReaderSetup::default()).err().unwrap();
        assert_eq!(error.code(), "G0527", "{line}");
        assert!(error.help().unwrap().contains(&format!("`log text \"{pattern}\"`")), "{line} {:?}", error.help());
        let setup =
            ReaderSetup { log: Some(LogFormat::Lines(TextPattern::holes(pattern).unwrap())), ..ReaderSetup::default() };
        assert!(open(line.as_bytes(), "t.log", None, setup).unwrap().advance().unwrap().is_some(), "{line}");
    }
}

#[test]
fn what_is_no_table_is_not_read_as_one() {
    for (log, code) in [
        (&b"garbage line 0\nx\n"[..], "G0527"),
        (b"a said \"x, y\", then\n", "G0527"),
        (b"\x7fELF\x02\x01\x01\0\0", "G0502"),
        (b"a, \"b, c\", d\n", "G0503"),
        (b"name, \"a \"\"b\"\"\"\nx, 1\n", ""),
    ] {
        let error = open(log, "t.log", None, ReaderSetup::default()).err();
        assert_eq!(error.map(|error| error.code()).unwrap_or_default(), code, "{}", String::from_utf8_lossy(log));
    }
}

#[test]
fn stack_traces_continue_their_event() {
    let log = "2026-11-16T11:42:20Z ERROR failed\njava.lang.IllegalStateException: closed\n\tat a.b(C.java:3)\n\
               Caused by: java.io.IOException\n    ... 3 more\n}\n2026-11-16T11:42:21Z ERROR failed\n\
               Traceback (most recent call last):\n  File \"x\"\nValueError: bad\n";
    let setup = || {
        let pattern = TextPattern::holes("{time} {level} {event}").unwrap();
        ReaderSetup { log: Some(LogFormat::Lines(pattern.strict(true))), ..ReaderSetup::default() }
    };
    let mut reader = open(log.as_bytes(), "t.log", None, setup()).unwrap();
    while reader.advance().unwrap().is_some() {}
    assert_eq!((reader.unmatched().count, reader.notes().len()), (0, 1));
    assert!(reader.notes()[0].starts_with("8 lines continue"));
    // Too many lines are not a stack trace.
    let endless = log.to_owned() + &" x\n".repeat(1_200);
    let lenient = || ReaderSetup {
        log: Some(LogFormat::Lines(TextPattern::holes("{time} {level} {event}").unwrap())),
        ..ReaderSetup::default()
    };
    let mut reader = open(endless.as_bytes(), "t.log", None, lenient()).unwrap();
    let error = loop {
        match reader.advance() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it is read"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "G0526");
}
