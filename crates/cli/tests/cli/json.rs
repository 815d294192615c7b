// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report that other programs read, as whole values.

use serde_json::{Value, json};

use crate::support::{TestFolder, alarms};

fn report(folder: &TestFolder, arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["check"];
    all.extend(arguments);
    all.extend(["--report", "json"]);
    let output = folder.run(&all);
    assert_eq!(output.stderr, "");
    assert!(output.stdout.ends_with('\n') && output.stdout.matches('\n').count() == 1);
    (output.status, serde_json::from_str(&output.stdout).expect("the report is JSON"))
}

#[test]
fn a_violation_with_its_reasons() {
    let spec = "soloist limit \"Withdrawal limit\" (severity high) {\n  G(logoff -> C^{600}_{<=1}(withdraw))\n}\n";
    let trace = "event, time\nlogon, 1\nwithdraw, 20\nlogoff, 30\nwithdraw, 40\nlogoff, 50\n";
    let folder = TestFolder::with(&[("bank.rv", spec), ("day.csv", trace)]);
    let (status, report) = report(&folder, &["bank.rv", "day.csv"]);
    assert_eq!(status, 1);
    let expected = json!({"gnomon": env!("CARGO_PKG_VERSION"), "spec": "bank.rv", "traces": [{
        "source": "day.csv", "events": 5, "first_time": 1, "last_time": 50, "verdict": "violated",
        "properties": [{
            "name": "limit", "language": "soloist", "verdict": "violated", "presumably": null, "positions": 5,
            "activated": 2, "satisfied": 1, "violated": 1, "pending": 0, "exercised": true,
            "duration": {"min": 0, "max": 0, "mean": 0},
            "violations": [{
                "at": {"event_index": 4, "position": 4, "time": 50, "event": "logoff", "line": 6, "offset": 58},
                "until_position": null,
                "decided": {"event_index": 4, "time": 50, "event": "logoff", "line": 6, "offset": 58},
                "binding": {},
                "failed": "C^{600}_{<=1}(withdraw)",
                "because": [
                    {"event_index": 1, "time": 20, "event": "withdraw", "note": "counted: 1 of 2 in the last 600",
                     "line": 3, "offset": 21},
                    {"event_index": 3, "time": 40, "event": "withdraw", "note": "counted: 2 of 2 in the last 600",
                     "line": 5, "offset": 45},
                    {"event_index": 4, "time": 50, "event": "logoff", "note": "the rule applies here", "line": 6, "offset": 58},
                ],
                "summary": "counted 2 `withdraw` in the last 600; at most 1 allowed",
            }],
            "title": "Withdrawal limit", "severity": "high",
        }],
    }], "errors": []});
    assert_eq!(report, expected, "\n{report:#}");
}

#[test]
fn a_deadline_has_a_time_but_no_event() {
    let spec = "soloist polite { G(request -> F[0,3] reply) }\n";
    let trace = "event, time\nhello, 0\nrequest, 1\nreply, 2.5\nrequest, 10\nping, 20\n";
    let folder = TestFolder::with(&[("polite.rv", spec), ("day.csv", trace)]);
    let (status, report) = report(&folder, &["polite.rv", "day.csv"]);
    assert_eq!(status, 1);
    let property = &report["traces"][0]["properties"][0];
    assert_eq!(property["duration"], json!({"min": "1.5", "max": "1.5", "mean": "1.5"}));
    let violation = &property["violations"][0];
    assert_eq!(
        violation["at"],
        json!({"event_index": 3, "position": 3, "time": 10, "event": "request", "line": 5, "offset": 43})
    );
    assert_eq!(violation["decided"], json!({"event_index": null, "time": 13, "event": null}));
    assert_eq!(violation["failed"], json!("F[0,3] reply"));
}

#[test]
fn times_keep_their_digits_and_their_kind() {
    let spec = "soloist calm { G(!alarm) }\n";
    let folder = TestFolder::with(&[
        ("calm.rv", spec),
        ("large.csv", "event, time\na, 9223372036854775806\nb, 9223372036854775806.000000001\n"),
        ("dates.csv", "event, time\na, 2024-05-01T12:30:00.25+02:00\n"),
        ("empty.csv", "event, time\n"),
        ("nothing.csv", ""),
    ]);
    let times = |name: &str| {
        let (status, report) = report(&folder, &["calm.rv", name]);
        assert_eq!(status, 0);
        (report["traces"][0]["first_time"].clone(), report["traces"][0]["last_time"].clone())
    };
    assert_eq!(times("large.csv"), (json!(9_223_372_036_854_775_806_u64), json!("9223372036854775806.000000001")));
    assert_eq!(times("dates.csv"), (json!("2024-05-01T10:30:00.25Z"), json!("2024-05-01T10:30:00.25Z")));
    assert_eq!(times("empty.csv"), (json!(null), json!(null)));
}

#[test]
fn a_prefix_may_leave_a_property_open() {
    let spec = "soloist polite { G(request -> F[0,3] reply) }\nsoloist idle { G(never -> never) }\n";
    let folder = TestFolder::with(&[("polite.rv", spec), ("day.csv", "event, time\nhello, 0\nrequest, 1\n")]);
    let (status, report) = report(&folder, &["polite.rv", "day.csv", "--prefix"]);
    assert_eq!(status, 0);
    let trace = &report["traces"][0];
    assert_eq!(trace["verdict"], json!("inconclusive"));
    let polite = &trace["properties"][0];
    assert_eq!((&polite["presumably"], &polite["pending"]), (&json!(false), &json!(1)));
    assert_eq!(polite["duration"], json!(null));
    let idle = &trace["properties"][1];
    assert_eq!((&idle["presumably"], &idle["exercised"]), (&json!(true), &json!(false)));
}

#[test]
fn violations_are_counted_exactly_and_listed_up_to_a_number() {
    let spec = "soloist calm { G(!alarm) }\n";
    let folder = TestFolder::with(&[("calm.rv", spec), ("day.csv", &alarms(20))]);
    let (_, report) = report(&folder, &["calm.rv", "day.csv", "--max-violations", "3"]);
    let property = &report["traces"][0]["properties"][0];
    assert_eq!(property["violated"], json!(10));
    assert_eq!(property["violations"].as_array().unwrap().len(), 3);
}
