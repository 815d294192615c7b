// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places of events in reports, and violations that only the end of a log decides.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::TestFolder;

const SPEC: &str = "mtl calm { G (! alarm) }\n";

/// The violations of the JSON report of one trace.
fn violations(folder: &TestFolder, arguments: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["check"].iter().chain(arguments).copied().chain(["--report", "json"]).collect();
    let output = folder.run(&all);
    let report: Value = serde_json::from_str(&output.stdout).expect(&output.stderr);
    report["traces"][0]["properties"][0]["violations"].as_array().expect("there is a list").clone()
}

fn places(folder: &TestFolder, arguments: &[&str]) -> Vec<(Option<u64>, Option<u64>)> {
    let place = |violation: &Value| (violation["at"]["line"].as_u64(), violation["at"]["offset"].as_u64());
    violations(folder, arguments).iter().map(place).collect()
}

/// Lines and offsets of the alarms that are at these places of a text.
fn expected(text: &str) -> Vec<(Option<u64>, Option<u64>)> {
    let place = |at: usize| (Some(text[..at].matches('\n').count() as u64 + 1), Some(at as u64));
    text.match_indices('§')
        .enumerate()
        .map(|(count, (at, sign))| {
            let removed = count * sign.len();
            let (line, _) = place(at);
            (line, Some((at - removed) as u64))
        })
        .collect()
}

/// Each `§` stands before an event that is an alarm.
const TRACES: &[(&str, &str)] = &[
    ("plain.csv", "event,time\nping,1\n§alarm,2\nping,3\n§alarm,5\n"),
    ("blank.csv", "event,time\n\nping,1\n\n\n§alarm,2\n  \nping,3\n§alarm,4"),
    ("crlf.csv", "event,time\r\nping,1\r\n\r\n§alarm,2\r\n"),
    ("bom.csv", "\u{feff}event,time\nping,1\n§alarm,2\n"),
    ("quoted.csv", "event,time,text\nping,1,\"a\nb\"\n§alarm,2,\"c\n\nd\"\nping,3,e\n§alarm,4,e\n"),
    ("ticks.csv", "event,time\nping,1\ngnomon.tick,2\n§alarm,3\nping,4\ngnomon.tick,4\n§alarm,5\n"),
    ("a.ndjson", "{\"event\":\"ping\",\"time\":1}\n\n§{\"event\":\"alarm\",\"time\":2}\n"),
    ("a.json", "[{\"ping\":{\"time\":1}},\n  {\"ping\":\n   {\"time\":2}},\n §{\"alarm\":{\"time\":3}}]\n"),
    ("a.monpoly", "@1 ping (1)\n@2 §alarm (3)\n\n@3 ping (1)\n@4 §alarm (4)\n"),
];

#[test]
fn lines_and_offsets_are_those_of_the_file() {
    let folder = TestFolder::with(&[("s.rv", SPEC)]);
    for (name, marked) in TRACES {
        folder.write(name, marked.replace('§', "").as_bytes());
        let mut arguments = vec!["s.rv", name];
        if *name == "a.monpoly" {
            arguments.extend(["--format", "monpoly"]);
        }
        assert_eq!(places(&folder, &arguments), expected(marked), "{name}");
        arguments.extend(["--jobs", "3"]);
        assert_eq!(places(&folder, &arguments), expected(marked), "{name} with several threads");
    }
}

#[test]
fn markup_and_columns_have_lines_and_rows() {
    let folder = TestFolder::with(&[("s.rv", SPEC)]);
    folder.write("a.csv", b"event,time\nping,1\nalarm,2\n\nping,3\nalarm,7\n");
    for (name, lines) in [("b.xml", None), ("b.xes", None), ("b.parquet", Some([2, 4]))] {
        let written = folder.run(&["convert", "a.csv", name]);
        assert_eq!(written.status, 0, "{name}: {}", written.stderr);
        let found: Vec<u64> = places(&folder, &["s.rv", name]).iter().filter_map(|(line, _)| *line).collect();
        let expected = lines.map_or_else(
            || {
                let text = folder.read(name);
                let alarms = text.match_indices("alarm").map(|(at, _)| {
                    let start = text[..at].rfind("<event").expect("an element begins before");
                    text[..start].matches('\n').count() as u64 + 1
                });
                alarms.collect()
            },
            |rows| rows.to_vec(),
        );
        assert_eq!(found, expected, "{name}");
    }
    let drawn = folder.run(&["check", "s.rv", "b.parquet"]).stdout;
    assert!(drawn.contains("::: b.parquet (row numbers)") && drawn.contains("false at row 2"), "{drawn}");
}

#[test]
fn text_logs_compressed_files_and_long_files_have_lines() {
    let text_spec = "log text \"{time} {level} {event}\"\nmtl calm { G (! alarm) }\n";
    let folder = TestFolder::with(&[("s.rv", SPEC), ("t.rv", text_spec)]);
    let text = "1 info ping\nnonsense\n2 warn alarm\n3 info ping\n\n4 warn alarm\n";
    folder.write("t.txt", text.as_bytes());
    assert_eq!(places(&folder, &["t.rv", "t.txt"]), [(Some(3), Some(21)), (Some(6), Some(47))]);
    let raw = violations(&folder, &["t.rv", "t.txt", "--raw"]);
    assert_eq!(raw[0]["at"]["raw"], "2 warn alarm");
    assert_eq!(violations(&folder, &["t.rv", "t.txt"])[0]["at"]["raw"], Value::Null);
    let drawn = folder.run(&["check", "t.rv", "t.txt", "--raw"]).stdout;
    assert!(drawn.contains("3 | t=2  alarm  2 warn alarm  "), "{drawn}");
    let drawn = folder.run(&["check", "t.rv", "t.txt"]).stdout;
    assert!(drawn.contains("3 | t=2  alarm  level=\"warn\"  "), "{drawn}");
    // Longer than several buffers of the reader.
    for (spec, name) in [("s.rv", "long.ndjson"), ("t.rv", "long.txt")] {
        let mut lines = String::new();
        let mut expected = Vec::new();
        for index in 0..40_000 {
            let is_alarm = index % 15_000 == 14_000;
            let event = if is_alarm { "alarm" } else { "ping" };
            if index % 7_000 == 1 {
                lines.push('\n');
            }
            if is_alarm {
                expected.push((Some(lines.matches('\n').count() as u64 + 1), Some(lines.len() as u64)));
            }
            let _ = match spec {
                "s.rv" => writeln!(lines, "{{\"event\":\"{event}\",\"time\":{index},\"note\":\"a note\"}}"),
                _ => writeln!(lines, "{index} information {event}"),
            };
        }
        folder.write(name, lines.as_bytes());
        assert_eq!(places(&folder, &[spec, name]), expected, "{name}");
    }
    let mut long = "event,time,note\n".to_owned();
    for index in 0..60_000 {
        let name = if index % 15_000 == 14_000 { "alarm" } else { "ping" };
        let _ = writeln!(long, "{name},{index},a note");
        if index % 20_000 == 0 {
            long.push('\n');
        }
    }
    folder.write("long.csv", long.as_bytes());
    let alarms = long
        .match_indices("\nalarm")
        .map(|(at, _)| (Some(long[..=at].matches('\n').count() as u64 + 1), Some(at as u64 + 1)));
    let expected: Vec<_> = alarms.collect();
    assert_eq!(places(&folder, &["s.rv", "long.csv"]), expected);
    let packed = folder.run(&["convert", "long.csv", "long.csv.gz"]);
    assert_eq!(packed.status, 0, "{}", packed.stderr);
    let lines: Vec<u64> = places(&folder, &["s.rv", "long.csv.gz"]).iter().filter_map(|(line, _)| *line).collect();
    assert_eq!(lines, [14_002, 29_002, 44_002, 59_002], "the converted file has no blank lines");
    let standard_input =
        folder.run_with_input(&["check", "s.rv", "-", "--report", "json"], b"event,time\nping,1\nalarm,2\nping,3\n");
    assert!(standard_input.stdout.contains("\"event\":\"alarm\",\"line\":3}"), "{}", standard_input.stdout);
}

#[test]
fn cases_and_late_events_keep_their_lines() {
    let folder = TestFolder::with(&[("s.rv", SPEC)]);
    folder.write("c.csv", b"event,time,id\nping,1,a\nalarm,2,b\nping,3,b\nalarm,4,a\n");
    assert_eq!(places(&folder, &["s.rv", "c.csv", "--by", "id"]), [(Some(3), Some(23)), (Some(5), Some(42))]);
    folder.write("r.csv", b"event,time\nping,5\nalarm,4\nping,6\nalarm,7\n");
    assert_eq!(places(&folder, &["s.rv", "r.csv", "--reorder", "3"]), [(Some(3), Some(18)), (Some(5), Some(33))]);
}

#[test]
fn people_see_lines_fields_and_the_offset_of_the_log() {
    let folder = TestFolder::with(&[("s.rv", SPEC)]);
    let trace = "event,time,who\nping,2026-11-16T11:42:20+02:00,ann\nalarm,2026-11-16T11:42:21+02:00,bob\n";
    folder.write("a.csv", trace.as_bytes());
    let drawn = folder.run(&["check", "s.rv", "a.csv"]).stdout;
    for part in [
        "from 2026-11-16T11:42:20+02:00 to 2026-11-16T11:42:21+02:00",
        "::: a.csv (line numbers)",
        "false at line 3",
        "3 | t=2026-11-16T11:42:21+02:00  alarm  who=\"bob\"  ",
    ] {
        assert!(drawn.contains(part), "{part} in {drawn}");
    }
    let json = folder.run(&["check", "s.rv", "a.csv", "--report", "json"]).stdout;
    assert!(json.contains("\"time\":\"2026-11-16T09:42:21Z\""), "{json}");
    let raw = folder.run(&["check", "s.rv", "a.csv", "--raw"]).stdout;
    assert!(raw.contains("alarm  alarm,2026-11-16T11:42:21+02:"), "{raw}");
    let raw = folder.run(&["check", "s.rv", "a.csv", "--raw", "--report", "json"]).stdout;
    assert!(raw.contains("\"raw\":\"alarm,2026-11-16T11:42:21+02:00,bob\""), "{raw}");
}

#[test]
fn obligations_that_are_open_at_the_end_are_counted() {
    let folder = TestFolder::with(&[("s.rv", "mtl late { G (ask -> F[0,3] answer) }\n")]);
    folder.write("a.csv", b"event,time,id\nask,1,a\nanswer,9,a\nask,10,a\nask,11,b\n");
    let drawn = folder.run(&["check", "s.rv", "a.csv"]).stdout;
    let note = "`late`: 2 of 3 violations are obligations still open when the log ends; with `--prefix` they would be inconclusive";
    assert!(drawn.contains(note), "{drawn}");
    let json = folder.run(&["check", "s.rv", "a.csv", "--report", "json", "--max-violations", "1"]).stdout;
    assert!(json.contains("\"open_at_end\":2"), "{json}");
    let junit = folder.run(&["check", "s.rv", "a.csv", "--report", "junit"]).stdout;
    assert!(junit.contains("2 of 3 violations are obligations still open"), "{junit}");
    let cases = folder.run(&["check", "s.rv", "a.csv", "--by", "id"]).stdout;
    assert!(cases.contains("2 of 3 violations are obligations still open when their cases end"), "{cases}");
    let prefix = folder.run(&["check", "s.rv", "a.csv", "--prefix"]).stdout;
    assert!(prefix.contains("1 violated  2 pending") && !prefix.contains("still open"), "{prefix}");
    folder.write("b.csv", b"event,time\nask,1\n");
    let whole = folder.run(&["check", "s.rv", "b.csv"]).stdout;
    assert!(whole.contains("1 of 1 violation is an obligation still open when the log ends; with `--prefix` the property would be inconclusive"), "{whole}");
}
