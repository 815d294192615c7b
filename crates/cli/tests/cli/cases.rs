// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces that are many: `--by`.

use serde_json::{Value, json};

use crate::support::Folder;

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

fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let mut all = vec!["check", "rules.rv", "day.csv", "--report", "json"];
    all.extend(arguments);
    let output = folder.run(&all);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    report["traces"][0].clone()
}

#[test]
fn each_value_of_a_field_is_a_trace() {
    let folder = Folder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
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
    assert_eq!(report(&folder, &["--by", "session", "--reference"]), trace);
}

#[test]
fn people_see_which_case_it_was() {
    let folder = Folder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--by", "session"]);
    assert_eq!(output.status, 1);
    assert!(output.stdout.starts_with("day.csv: 3 cases, 10 events, from 0 to 13\n"), "{}", output.stdout);
    for part in [
        "\n  1 of 3 cases violates polite\n  1 of 3 cases violates calm\n",
        "::: day.csv, case bob\n",
        "warning: 1 event has no field `session` and was not judged\n",
    ] {
        assert!(output.stdout.contains(part), "{part}\n{}", output.stdout);
    }
}

#[test]
fn cases_are_told_at_once_and_at_events() {
    let folder = Folder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--by", "session", "--events", "--report", "ndjson"]);
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).cloned().collect::<Vec<_>>();
    assert_eq!((of("violation").len(), of("event").len(), of("summary").len()), (2, 10, 2));
    let bad: Vec<Value> = of("event").into_iter().filter(|line| line["verdict"] == json!(false)).collect();
    assert_eq!(bad.len(), 1, "{bad:?}");
    assert_eq!((&bad[0]["case"], &bad[0]["event_index"]), (&json!("ann"), &json!(6)));
    assert_eq!(of("summary")[0]["cases"]["total"], json!(3));
}

#[test]
fn violations_are_listed_up_to_a_number_over_all_cases() {
    let mut trace = "event, time, session\n".to_owned();
    for time in 0..100 {
        trace += &format!("{}, {time}, s{}\n", if time % 2 == 0 { "open" } else { "alarm" }, time / 2 % 7);
    }
    let folder = Folder::with(&[("rules.rv", SPEC), ("day.csv", &trace)]);
    let trace = report(&folder, &["--by", "session", "--max-violations", "5"]);
    let calm = &trace["properties"][1];
    let listed = calm["violations"].as_array().unwrap();
    let indices: Vec<u64> = listed.iter().map(|found| found["at"]["event_index"].as_u64().unwrap()).collect();
    assert_eq!((indices, &calm["violating_cases"]), (vec![1, 3, 5, 7, 9], &json!(7)));
}

#[test]
fn a_field_that_nothing_has_is_a_slip() {
    let folder = Folder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--by", "Session"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0710]: no event has the field `Session`"), "{}", output.stderr);
}

#[test]
fn a_critical_violation_of_one_case_stops_all() {
    let folder = Folder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let trace = report(&folder, &["--by", "session", "--mode", "critical"]);
    assert_eq!(
        trace["stopped"],
        json!({"property": "calm", "event_index": 6, "time": 4, "event": "alarm", "case": "ann"})
    );
    assert_eq!(trace["events"], json!(6));
}
