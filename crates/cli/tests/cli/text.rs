// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plain text logs, read by the pattern that a spec declares.

use serde_json::{Value, json};

use crate::support::TestFolder;

const PATTERN: &str = "{time} {level} {event} user={user}";
const LOG: &str = "\
2024-05-01T12:00:00Z INFO request user=ann
stack trace of something else
2024-05-01T12:00:01Z INFO request user=bob
2024-05-01T12:00:02Z INFO reply user=ann

2024-05-01T12:00:09Z WARN reply user=bob
";

fn spec(log: &str) -> String {
    format!("{log}\nsoloist polite {{ G(request -> F[0,3s] reply) }}\nsoloist calm {{ G(!reply[user = \"bob\"]) }}\n")
}

#[test]
fn the_lines_of_a_log_are_events() {
    let texts = spec(&format!("log text {PATTERN:?}"));
    let regex = spec("log regex \"^(?<time>\\\\S+) \\\\w+ (?<event>\\\\w+) user=(?<user>.*)$\"");
    let folder = TestFolder::with(&[("text.rv", &texts), ("regex.rv", &regex), ("service.log", LOG)]);
    let mut reports = Vec::new();
    for spec in ["text.rv", "regex.rv"] {
        let output = folder.run(&["check", spec, "service.log", "--report", "json"]);
        assert_eq!((output.status, output.stderr.as_str()), (1, ""));
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        reports.push(report["traces"][0].clone());
    }
    assert_eq!(reports[0], reports[1]);
    assert_eq!((&reports[0]["events"], &reports[0]["properties"][1]["violated"]), (&json!(4), &json!(1)));
    assert_eq!(reports[0]["unmatched"]["count"], json!(1));
    assert_eq!(reports[0]["unmatched"]["first"][0], json!({"line": 2, "text": "stack trace of something else"}));
    let output = folder.run(&["check", "text.rv", "service.log"]);
    let warning = "warning: 1 line does not fit the log's pattern and was passed over; the first is line 2: \
                   stack trace of something else\n";
    assert!(output.stdout.contains(warning), "{}", output.stdout);
}

#[test]
fn a_line_that_does_not_fit_may_be_an_error() {
    let folder = TestFolder::with(&[
        ("strict.rv", &spec(&format!("log text {PATTERN:?} (unmatched error)"))),
        ("service.log", LOG),
    ]);
    let output = folder.run(&["check", "strict.rv", "service.log"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0526]: "), "{}", output.stderr);
    assert!(output.stderr.contains(" --> service.log:2:"), "{}", output.stderr);
}

#[test]
fn a_pattern_must_make_sense() {
    for log in ["log text \"{time} {user}\"", "log text \"{time\"", "log regex \"(?<event>\"", "log regex \"a*\""] {
        let folder = TestFolder::with(&[("bad.rv", &spec(log)), ("service.log", LOG)]);
        let output = folder.run(&["check", "bad.rv", "service.log"]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{log}");
        assert!(output.stderr.starts_with("error[G0115]: the pattern cannot be used: "), "{}", output.stderr);
        assert!(output.stderr.contains(" --> bad.rv:1:"), "{}", output.stderr);
    }
}

#[test]
fn a_text_log_can_be_listed_and_converted() {
    let folder = TestFolder::with(&[("rules.rv", &spec(&format!("log text {PATTERN:?}"))), ("service.log", LOG)]);
    let output = folder.run(&["events", "service.log", "--spec", "rules.rv"]);
    assert!(output.stdout.starts_with("service.log: 4 events, from 2024-05-01T12:00:00Z"), "{}", output.stdout);
    let output = folder.run(&["convert", "service.log", "service.csv", "--spec", "rules.rv"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let events = |trace: &str| {
        let output = folder.run(&["check", "rules.rv", trace, "--report", "json"]);
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        report["traces"][0]["properties"].clone()
    };
    assert_eq!(events("service.csv"), events("service.log"));
}
