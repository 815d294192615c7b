// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces that are many: `--by`.

use serde_json::{Value, json};

use crate::support::TestFolder;

const SPEC: &str = "soloist polite { G(request -> F[0,3] reply) }\nsoloist calm { G(!alarm) }\n";
const TRACE: &str = "\
event, time, session
open, 0, ann
open, 0, bob
request, 1, ann
request, 2, bob
reply, 2, ann
ping, 3
alarm, 4, ann
reply, 9, bob
open, 9, cem
request, 10, cem
reply, 13, cem
";

fn report(folder: &TestFolder, arguments: &[&str]) -> Value {
    let mut all = vec!["check", "rules.rv", "day.csv", "--report", "json"];
    all.extend(arguments);
    let output = folder.run(&all);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&output.stdout).expect("the report is JSON");
    report["traces"][0].clone()
}

#[test]
fn each_value_of_a_field_is_a_trace() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let trace = report(&folder, &["--by", "session"]);
    assert_eq!(trace["cases"], json!({"total": 3, "violating": 2, "events_without": 1}));
    assert_eq!((&trace["events"], &trace["verdict"]), (&json!(10), &json!("violated")));
    let polite = &trace["properties"][0];
    let numbers = ["activated", "satisfied", "violated", "violating_cases"].map(|name| polite[name].as_u64().unwrap());
    assert_eq!(numbers, [3, 2, 1, 1]);
    assert_eq!(polite["duration"], json!({"min": 1, "max": 3, "mean": 2}));
    let violation = &polite["violations"][0];
    assert_eq!((&violation["case"], &violation["at"]["event_index"]), (&json!("bob"), &json!(3)));
    assert_eq!(violation["at"]["position"], json!(1));
    assert_eq!(trace["properties"][1]["violations"][0]["case"], json!("ann"));
    // The reference gives no explanations; all else is the same.
    let plain = |mut trace: Value| {
        for property in trace["properties"].as_array_mut().unwrap() {
            for violation in property["violations"].as_array_mut().unwrap() {
                (violation["because"], violation["summary"]) = (json!(null), json!(null));
            }
        }
        trace
    };
    assert_eq!(plain(report(&folder, &["--by", "session", "--reference"])), plain(trace));
}

#[test]
fn people_see_which_case_it_was() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--by", "session"]);
    assert_eq!(output.status, 1);
    assert!(output.stdout.starts_with("day.csv: 3 cases, 10 events, from 0 to 13\n"), "{}", output.stdout);
    for part in [
        "\n  1 of 3 cases violates polite\n  1 of 3 cases violates calm\n",
        "::: day.csv, case bob (line numbers)\n",
        "warning: 1 event has no field `session` and was not checked\n",
    ] {
        assert!(output.stdout.contains(part), "{part}\n{}", output.stdout);
    }
}

#[test]
fn cases_appear_in_streamed_reports_and_at_events() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--by", "session", "--events", "--report", "ndjson"]);
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).cloned().collect::<Vec<_>>();
    assert_eq!((of("violation").len(), of("event").len(), of("summary").len()), (2, 10, 2));
    let bad: Vec<Value> = of("event").into_iter().filter(|line| line["verdict"] == json!(false)).collect();
    // Bob's reply comes when its time has passed.
    let places: Vec<_> = bad.iter().map(|line| (&line["case"], &line["event_index"])).collect();
    assert_eq!(places, [(&json!("ann"), &json!(6)), (&json!("bob"), &json!(7))]);
    assert_eq!(of("summary")[0]["cases"]["total"], json!(3));
}

#[test]
fn violations_are_listed_up_to_a_number_over_all_cases() {
    let row = |time: u32| {
        let name = if time.is_multiple_of(2) { "open" } else { "alarm" };
        format!("{name}, {time}, s{}\n", time / 2 % 7)
    };
    let trace: String = std::iter::once("event, time, session\n".to_owned()).chain((0..100).map(row)).collect();
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", &trace)]);
    let trace = report(&folder, &["--by", "session", "--max-violations", "5"]);
    let calm = &trace["properties"][1];
    let listed = calm["violations"].as_array().unwrap();
    let indices: Vec<u64> = listed.iter().map(|found| found["at"]["event_index"].as_u64().unwrap()).collect();
    assert_eq!((indices, &calm["violating_cases"]), (vec![1, 3, 5, 7, 9], &json!(7)));
}

#[test]
fn every_value_is_a_case_and_an_absent_field_none() {
    let spec = "mtl calm { G !alarm }\n";
    let values = ["null", r#""null""#, "1", "1.0", r#""1""#, r#""ann""#, "null", "true"];
    let line = |value: &&str| format!("{{\"event\":\"alarm\",\"time\":0,\"user\":{value}}}\n");
    let trace: String = values.iter().map(line).collect::<String>() + "{\"event\":\"alarm\",\"time\":1}\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.ndjson", &trace)]);
    for flags in [&[][..], &["--reference"], &["--jobs", "2"]] {
        let output =
            folder.run(&[&["check", "rules.rv", "day.ndjson", "--by", "user", "--report", "json"], flags].concat());
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let trace = &report["traces"][0];
        assert_eq!(trace["cases"], json!({"total": 6, "violating": 6, "events_without": 1}));
        let violations = trace["properties"][0]["violations"].as_array().unwrap();
        let mut cases: Vec<&str> = violations.iter().map(|found| found["case"].as_str().unwrap()).collect();
        cases.sort_unstable();
        assert_eq!(cases, [r#""1""#, r#""null""#, "1", "ann", "null", "true"]);
    }
}

#[test]
fn a_field_that_nothing_has_is_a_slip() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--by", "Session"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0710]: no event has the field `Session`"), "{}", output.stderr);
}

#[test]
fn a_critical_violation_of_one_case_stops_all() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let trace = report(&folder, &["--by", "session", "--mode", "critical"]);
    assert_eq!(
        trace["stopped"],
        json!({"property": "calm", "event_index": 6, "time": 4, "event": "alarm", "case": "ann"})
    );
    assert_eq!(trace["events"], json!(6));
}

const LOG: &str = r#"<?xml version="1.0"?>
<log xes.version="1.0">
  <trace>
    <string key="concept:name" value="late"/>
    <event><string key="concept:name" value="open"/><date key="time:timestamp" value="2024-05-01T12:00:00Z"/></event>
    <event><string key="concept:name" value="request"/><date key="time:timestamp" value="2024-05-01T12:00:01Z"/></event>
    <event><string key="concept:name" value="reply"/><date key="time:timestamp" value="2024-05-01T12:00:09Z"/></event>
  </trace>
  <trace>
    <string key="concept:name" value="good"/>
    <event><string key="concept:name" value="open"/><date key="time:timestamp" value="2024-05-01T11:00:00Z"/></event>
    <event><string key="concept:name" value="request"/><date key="time:timestamp" value="2024-05-01T11:00:01Z"/></event>
    <event><string key="concept:name" value="reply"/><date key="time:timestamp" value="2024-05-01T11:00:02Z"/></event>
  </trace>
  <trace>
    <string key="concept:name" value="open-ended"/>
    <event><string key="concept:name" value="open"/><date key="time:timestamp" value="2024-05-01T13:00:00Z"/></event>
    <event><string key="concept:name" value="request"/><date key="time:timestamp" value="2024-05-01T13:00:01Z"/></event>
  </trace>
</log>
"#;

#[test]
fn a_process_log_is_checked_by_case() {
    let spec = "soloist polite { G(request -> F[0,3s] reply) }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.xes", LOG)]);
    let run = |flags: &[&str]| {
        let mut arguments = vec!["check", "rules.rv", "day.xes", "--report", "json"];
        arguments.extend(flags);
        folder.run(&arguments)
    };
    for engine in [&[][..], &["--reference"], &["--reorder", "1s"]] {
        let output = run(engine);
        assert_eq!((output.status, output.stderr.as_str()), (1, ""));
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let trace = &report["traces"][0];
        assert_eq!((&trace["cases"], &trace["events"]), (&json!({"total": 3, "violating": 2}), &json!(8)));
        let violations = trace["properties"][0]["violations"].as_array().unwrap();
        let places: Vec<(&str, u64)> = violations
            .iter()
            .map(|found| (found["case"].as_str().unwrap(), found["at"]["event_index"].as_u64().unwrap()))
            .collect();
        assert_eq!(places, [("late", 1), ("open-ended", 7)]);
    }
    // Taken as one trace, its time goes back.
    let whole = run(&["--by", "none"]);
    assert_eq!(whole.status, 2);
    assert!(whole.stderr.starts_with("error[G0508]"), "{}", whole.stderr);
    let sorted = run(&["--by", "none", "--reorder", "2h"]);
    assert_eq!(sorted.status, 1, "{}", sorted.stderr);
    assert!(!sorted.stdout.contains("\"cases\""), "{}", sorted.stdout);
    // A case that ends in a violation is the last one.
    let critical = run(&["--mode", "critical"]);
    let report: Value = serde_json::from_str(&critical.stdout).unwrap();
    let trace = &report["traces"][0];
    assert_eq!((&trace["stopped"]["case"], &trace["events"]), (&json!("late"), &json!(2)));
}

#[test]
fn cases_without_events_are_cases() {
    let log =
        LOG.replace("</log>", "<trace><string key=\"concept:name\" value=\"empty\"/></trace><trace/></log>").replace(
            "<event><string key=\"concept:name\" value=\"open\"/>",
            "<event/><event><string key=\"concept:name\" value=\"open\"/>",
        );
    let spec = "mtl opened { F open }\nmtl calm { G !alarm }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.xes", &log)]);
    for engine in [&[][..], &["--reference"]] {
        let output = folder.run(&[&["check", "rules.rv", "day.xes", "--report", "json"], engine].concat());
        let report: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
        let trace = &report["traces"][0];
        assert_eq!(trace["cases"], json!({"total": 5, "violating": 2, "empty": 2}));
        assert_eq!(trace["skipped"], json!({"unnamed": 3, "untimed": 0}));
        assert_eq!(
            (&trace["first_time"], &trace["last_time"]),
            (&json!("2024-05-01T11:00:00Z"), &json!("2024-05-01T13:00:01Z"))
        );
        let verdicts = [0, 1].map(|property: usize| trace["properties"][property]["violating_cases"].clone());
        assert_eq!(verdicts, [json!(2), json!(0)]);
    }
    let human = folder.run(&["check", "rules.rv", "day.xes"]).stdout;
    assert!(human.contains("5 cases, 8 events, from 2024-05-01T11:00:00Z to 2024-05-01T13:00:01Z"), "{human}");
    assert!(human.contains("warning: the log has 3 events without a name, which were skipped\n"), "{human}");
}

#[test]
fn ends_are_those_of_the_reference() {
    let spec = "case ends with logout\ncase expires after 4\nmtl polite { G(request -> F[0,3] reply) }\n";
    let trace = "\
event, time, session
request, 0, ann
request, 1, bob
logout, 2, ann
request, 3, ann
request, 4, cem
ping, 9, dan
reply, 9, bob
request, 10, bob
gnomon.tick, 12,
logout, 13, cem
";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    let trace = report(&folder, &["--by", "session"]);
    // ann twice, bob twice, cem twice, dan.
    assert_eq!(trace["cases"]["total"], json!(7));
    let counts = |trace: &Value| {
        let polite = &trace["properties"][0];
        (trace["cases"].clone(), ["activated", "satisfied", "violated", "open_at_end"].map(|name| polite[name].clone()))
    };
    assert_eq!(counts(&trace).1.map(|count| count.as_u64().unwrap_or(0)), [5, 0, 5, 2]);
    assert_eq!(counts(&report(&folder, &["--by", "session", "--reference"])), counts(&trace));
}

#[test]
fn a_case_marker_does_not_end_a_case_that_expired() {
    let spec = "case expires after 4\nmtl polite { G(request -> F reply) }\npattern orderly { globally: reply responds to request }\n\
                mtl quiet { G !request }\n";
    // ann has expired by the progress marker, bob by the event of dan; cem is closed in time; dan opens again after the marker.
    let trace = "\
event, time, session, case, end
request, 0, ann,,
reply, 1, ann,,
gnomon.tick, 6,,,
gnomon.case, 6,,ann,inconclusive
request, 7, bob,,
reply, 8, bob,,
request, 9, cem,,
request, 13, dan,,
gnomon.case, 13,,bob,inconclusive
gnomon.case, 13,,cem,inconclusive
gnomon.case, 13,,dan,inconclusive
reply, 14, dan,,
";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    for options in [&[][..], &["--jobs", "2"], &["--reference"]] {
        let trace = report(&folder, &[&["--by", "session", "--prefix"], options].concat());
        assert_eq!(trace["cases"], json!({"total": 5, "violating": 4}), "{options:?}");
        for property in [0, 1] {
            let counts = ["satisfied", "violated"].map(|name| trace["properties"][property][name].clone());
            // Those of ann and bob; cem and both of dan are not complete.
            assert_eq!(counts, [json!(2), json!(0)], "{options:?} {}", trace["properties"][property]);
        }
    }
    // Each event is reported when it is read.
    let lines = folder.run(&["check", "rules.rv", "day.csv", "--by", "session", "--prefix", "--report", "ndjson"]);
    assert_eq!(lines.status, 1, "{}", lines.stderr);
}
