// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads text logs, in pieces of several sizes.

use crate::testing::{read, setup, transcript};
use crate::{Format, LogFormat, Reader, ReaderSetup, TextPattern, open};

fn text(pattern: &str, log: &str, setup: ReaderSetup) -> String {
    let text = TextPattern::holes(pattern).unwrap();
    read(Format::Text, log.as_bytes(), &ReaderSetup { log: Some(LogFormat::Lines(text)), ..setup })
}

#[test]
fn holes() {
    let wanted = || setup(&["logon"], &[], &["user", "level"]);
    for (pattern, log, expected) in [
        (
            "{time} {level} {event} user={user}",
            "3 INFO logon user=ann\n4   WARN\tlogon  user=bob b \r\n\n5 INFO logoff user=ann\n",
            "0 logon@3 user=\"ann\" level=\"INFO\" (\"INFO\", \"ann\")\n1 logon@4 user=\"bob b\" level=\"WARN\" (\"WARN\", \"bob b\")\n2 logoff@5\n",
        ),
        ("[{time}] {event}!", "[7] logon!\n[8] a!b!\n[9] c\n", "0 logon@7 ()\n1 a!b@8\n"),
        ("{{{time}}} {event}", "{7} logon\n", "0 logon@7 ()\n"),
        ("{event}", "logon\nx y\n", "0 logon@0 ()\n1 x y@1\n"),
        ("{_} {event} {_}: {user}", "a logon b: 1: 2\na b: c\n", "0 logon@0 user=\"1: 2\" (\"1: 2\")\n"),
        (
            "{event} {level}user={user}",
            "logon user=3\nlogon x user=4\n",
            "0 logon@0 user=3 (null, 3)\n1 logon@1 user=4 level=\"x\" (\"x\", 4)\n",
        ),
        ("  {time}  {event}  ", "1 logon\n 2 logon\n", "0 logon@1 ()\n"),
        ("é{time} {event}", "é1 ü\n", "0 ü@1\n"),
        (
            "{time} {level} {event}",
            "2024-05-01 12:30:00,25 INFO logon\n2024-05-01T12:30:01 INFO x\n2024-05-02 INFO y\n",
            "0 logon@2024-05-01T12:30:00.25Z level=\"INFO\" (\"INFO\")\n1 x@2024-05-01T12:30:01Z\n2 y@2024-05-02T00:00:00Z\n",
        ),
    ] {
        assert_eq!(text(pattern, log, wanted()), expected, "{pattern}");
    }
}

#[test]
fn bad_patterns() {
    for (pattern, at) in
        [("{event}{user}", 7), ("{event} {event}", 8), ("{event", 0), ("{event} }", 8), ("{event} {}", 8)]
    {
        assert_eq!(TextPattern::holes(pattern).unwrap_err().at(), at, "{pattern}");
    }
    assert!(TextPattern::regex("(").is_err());
    #[cfg(feature = "regex")]
    assert!(!TextPattern::regex("(?<time>.)").unwrap().names_events());
    assert!(text("{time} {x}", "1 a", ReaderSetup::default()).starts_with("G0509 1:1 nothing in the pattern"));
}

#[test]
#[cfg(feature = "regex")]
fn regular_expressions() {
    let text = TextPattern::regex(r"^(?<time>\S+) \[(?<level>\w+)\] (?:user (?<user>\w+) )?(?<event>\w+)").unwrap();
    let setup = ReaderSetup { log: Some(LogFormat::Lines(text)), ..setup(&["logon"], &[], &["user"]) };
    let log = "1 [I] user ann logon\n2 [I] logon\n# x\n3 [W] logoff now\n";
    assert_eq!(
        read(Format::Text, log.as_bytes(), &setup),
        "0 logon@1 user=\"ann\" (\"I\", \"ann\")\n1 logon@2 (\"I\")\n2 logoff@3\n"
    );
}

#[test]
fn what_does_not_match_is_counted_or_refused() {
    let log = "header\n1 a\n  at foo(bar)\nx y\n2 b\n3 c\n";
    let pattern = TextPattern::holes("{time} {event}").unwrap();
    let setup = ReaderSetup { log: Some(LogFormat::Lines(pattern.clone())), ..ReaderSetup::default() };
    let mut reader = open(log.as_bytes(), "server.log", None, setup).unwrap();
    assert_eq!(transcript(&mut reader).unwrap(), "0 a@1\n1 b@2\n2 c@3\n");
    let unmatched = reader.unmatched();
    assert_eq!(unmatched.count, 2);
    assert_eq!(reader.notes(), ["1 line continues the event before it, as in a stack trace"]);
    let first: Vec<_> = unmatched.first.iter().map(|sample| (sample.line, &*sample.text, &*sample.reason)).collect();
    let expected = [(1, "header", "nothing after `{time}` has ` `"), (4, "x y", "the time `x` could not be read")];
    assert_eq!(first, expected);
    let strict = ReaderSetup { log: Some(LogFormat::Lines(pattern.strict(true))), ..ReaderSetup::default() };
    let result = read(Format::Text, log.as_bytes(), &strict);
    assert!(result.starts_with("G0526 1:1 the line `header` does not fit"), "{result}");
}

#[test]
fn errors_have_a_location() {
    assert!(read(Format::Text, b"x", &ReaderSetup::default()).starts_with("G0527 1:1 "));
    let declared = ReaderSetup { time_field: Some("when".to_owned()), ..ReaderSetup::default() };
    assert!(text("{time} {event}", "1 a", declared).starts_with("G0504 1:1 the trace has no field `when`"));
    assert!(text("{time} {event}", "1 a\n99999999999999999999 b", ReaderSetup::default()).starts_with("G0506 2:1 "));
    assert!(text("{time} {event}", "1 a\n2024-05-01 b", ReaderSetup::default()).starts_with("G0507 2:1 "));
    let pattern = || Some(LogFormat::Lines(TextPattern::holes("{event} {x}").unwrap()));
    let bytes = b"a \xFF\n\xFF b\n";
    let plain = read(Format::Text, bytes, &ReaderSetup { log: pattern(), ..ReaderSetup::default() });
    assert!(plain.starts_with("G0512 2:1 "), "{plain}");
    let wanted = read(Format::Text, bytes, &ReaderSetup { log: pattern(), ..setup(&["a"], &[], &[]) });
    assert!(wanted.starts_with("G0512 1:3 "), "{wanted}");
}

/// A run of blanks is tried once, not from each of its places.
#[test]
fn a_long_line_takes_no_longer_than_it_must() {
    let pattern = TextPattern::holes("{event} x {user} y").unwrap();
    let line = format!("a{}b", " ".repeat(4 << 20));
    let setup = ReaderSetup { log: Some(LogFormat::Lines(pattern)), ..ReaderSetup::default() };
    let mut reader = open(line.as_bytes(), "t.log", None, setup).unwrap();
    assert!(reader.advance().unwrap_err().message().starts_with("no line of the log is an event"));
}

/// A verdict on the few lines that happen to match would look like a verdict on the log.
#[test]
fn a_log_that_mostly_does_not_match_is_refused() {
    for log in ["x\n16/Nov/x a\n", "1 a\nx y\nz\n"] {
        let result = text("{time} {event}", log, ReaderSetup::default());
        assert!(result.contains("G0526 "), "{result}");
    }
    assert_eq!(text("{time} {event}", "1 a\nx y\n", ReaderSetup::default()), "0 a@1\n");
    assert_eq!(text("{time} {event}", "\n\n", ReaderSetup::default()), "");
}
