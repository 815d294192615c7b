// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plain text logs, read by the pattern that a spec declares.

use serde_json::{Value, json};

use crate::support::{TestFolder, without_places};

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
    let reason = |report: &Value| report["unmatched"]["first"][0]["reason"].clone();
    assert_eq!(reason(&reports[0]), json!("nothing after `{event}` has ` user=`"));
    assert_eq!(reason(&reports[1]), json!("the regular expression does not match"));
    assert_eq!(reports[0]["properties"], reports[1]["properties"]);
    assert_eq!((&reports[0]["events"], &reports[0]["properties"][1]["violated"]), (&json!(4), &json!(1)));
    assert_eq!(reports[0]["unmatched"]["count"], json!(1));
    assert_eq!(
        reports[0]["unmatched"]["first"][0],
        json!({
            "line": 2, "text": "stack trace of something else", "reason": reports[0]["unmatched"]["first"][0]["reason"]
        })
    );
    let output = folder.run(&["check", "text.rv", "service.log"]);
    let warning = "warning: 1 line does not match the format of the log and was skipped; the first is line 2: \
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
        without_places(report["traces"][0]["properties"].clone())
    };
    assert_eq!(events("service.csv"), events("service.log"));
}

const NGINX: &str = "\
203.0.113.7 - - [16/Nov/2026:11:42:20 +0000] \"GET /cart HTTP/1.1\" 200 512 \"-\" \"curl/8.5\"
203.0.113.7 - - [16/Nov/2026:11:42:21 +0000] \"POST /pay HTTP/1.1\" 502 0 \"-\" \"curl/8.5\"
203.0.113.9 - ann [16/Nov/2026:11:42:25 +0000] \"GET / HTTP/1.1\" 200 9 \"-\" \"Mozilla/5.0\"
203.0.113.9 - ann [16/Nov/2026:11:42:26 +0000] \"GET /a HTTP/1.1\" 200 9 \"-\" \"Mozilla/5.0\"
";

#[test]
fn a_log_of_which_no_line_matches_is_not_green() {
    let folder = TestFolder::with(&[("rules.rv", &spec(&format!("log text {PATTERN:?}"))), ("access.log", NGINX)]);
    let output = folder.run(&["check", "rules.rv", "access.log"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    let expected =
        "error[G0526]: no line of the log is an event: 4 of 4 do not match its format\n --> access.log:1:1\n";
    assert!(output.stderr.starts_with(expected), "{}", output.stderr);
    for line in 1..=3 {
        let note = format!(" = note: line {line}: nothing after `{{event}}` has ` user=`: 203.0.113.");
        assert!(output.stderr.contains(&note), "{}", output.stderr);
    }
    assert!(!output.stderr.contains("note: line 4"), "{}", output.stderr);
    let output = folder.run(&["check", "rules.rv", "access.log", "--report", "junit"]);
    assert_eq!(output.status, 2);
    assert!(output.stdout.contains("errors=\"1\"") && output.stdout.contains("line 1: "), "{}", output.stdout);
}

#[test]
fn more_failing_than_matching_lines_are_an_error() {
    let few = "2024-05-01T12:00:00Z INFO request user=ann\nx\nsome day INFO request user=ann\n";
    let folder = TestFolder::with(&[("rules.rv", &spec(&format!("log text {PATTERN:?}"))), ("few.log", few)]);
    let output = folder.run(&["check", "rules.rv", "few.log"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("2 of 3 lines do not match the format of the log"), "{}", output.stderr);
    assert!(output.stderr.contains("line 3: the time `some` could not be read"), "{}", output.stderr);
}

/// However the log is read and whatever is asked, lines that do not match are not a verdict.
#[test]
fn no_option_makes_a_log_green_that_does_not_match() {
    let bad = "a line of another program\n".repeat(70_000);
    let folder = TestFolder::with(&[
        ("rules.rv", &spec(&format!("log text {PATTERN:?}"))),
        ("bad.log", &bad),
        ("service.log", LOG),
        ("unnamed.xes", &xes(1, 9)),
        ("few.xes", &xes(9, 1)),
        ("other.rv", "soloist polite { G(question -> F answer) }\n"),
    ]);
    for options in [
        &[][..],
        &["--jobs", "2"],
        &["--by", "user"],
        &["--by", "user", "--jobs", "2"],
        &["--events"],
        &["--reorder", "5s"],
        &["--reference"],
        &["--prefix"],
        &["--report", "ndjson"],
    ] {
        let output = folder.run(&[&["check", "rules.rv", "bad.log"], options].concat());
        assert!(output.status == 2 && !output.stdout.contains("holds"), "{options:?}: {}", output.stdout);
        assert!(output.stderr.starts_with("error[G0526]: no line of the log is an event: 70000 of "), "{options:?}");
    }
    for arguments in [&["stats", "rules.rv", "bad.log"][..], &["events", "bad.log", "--spec", "rules.rv"]] {
        let output = folder.run(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
    }
    let both = folder.run(&["check", "rules.rv", "bad.log", "service.log"]);
    assert_eq!(both.status, 2);
    assert!(both.stdout.contains("service.log: 4 events"), "{}", both.stdout);
    let unnamed = folder.run(&["check", "other.rv", "unnamed.xes"]);
    assert_eq!(unnamed.status, 2);
    assert!(unnamed.stderr.starts_with("error[G0509]: 9 of 10 events cannot be checked"), "{}", unnamed.stderr);
    let few = folder.run(&["check", "other.rv", "few.xes", "--fail-on", "unmatched"]);
    assert_eq!(few.status, 2);
    assert!(few.stderr.starts_with("error[G0742]: 1 event has no name or no time\n"), "{}", few.stderr);
}

/// A log of one case with events that have a name and events that have none.
fn xes(named: usize, unnamed: usize) -> String {
    let event = "<event><string key=\"concept:name\" value=\"a\"/><date key=\"time:timestamp\" value=\"2026-01-01T00:00:00Z\"/></event>";
    let other = "<event><date key=\"time:timestamp\" value=\"2026-01-01T00:00:00Z\"/></event>";
    let (named, unnamed) = (event.repeat(named), other.repeat(unnamed));
    format!("<log xes.version=\"1.0\"><trace><string key=\"concept:name\" value=\"c\"/>{named}{unnamed}</trace></log>")
}

#[test]
fn the_user_decides_what_is_not_good_enough() {
    let folder = TestFolder::with(&[
        ("rules.rv", &spec(&format!("log text {PATTERN:?}"))),
        ("other.rv", "soloist polite { G(question -> F answer) }\n"),
        ("service.log", LOG),
        ("empty.csv", "event,time\n"),
        ("late.csv", "event,time\na,5\na,9\na,1\n"),
    ]);
    let check = |arguments: &[&str]| {
        let output = folder.run(&[&["check"], arguments].concat());
        (output.status, output.stdout, output.stderr)
    };
    let (status, stdout, stderr) = check(&["other.rv", "empty.csv"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.contains("warning: the trace has no events, so nothing was checked\n"), "{stdout}");
    assert!(stdout.ends_with("1 property: 1 holds, 1 not exercised\n"), "{stdout}");
    for (arguments, reason) in [
        (&["other.rv", "empty.csv", "--fail-on", "empty"][..], "the trace has no events"),
        (&["other.rv", "empty.csv", "--fail-on", "late,not-exercised"], "1 property was not exercised: `polite`"),
        (&["rules.rv", "service.log", "--fail-on", "unmatched"], "1 line does not match the format of the log"),
        (&["other.rv", "late.csv", "--reorder", "2", "--fail-on", "late"], "1 event came too late"),
    ] {
        let (status, _, stderr) = check(arguments);
        assert_eq!(status, 2, "{arguments:?}");
        assert!(stderr.starts_with(&format!("error[G0742]: {reason}")), "{stderr}");
    }
    let (status, _, stderr) = check(&["rules.rv", "service.log", "--fail-on", "empty,late,not-exercised"]);
    assert_eq!((status, stderr.as_str()), (1, ""));
    let (_, stdout, _) = check(&["other.rv", "empty.csv", "--report", "junit"]);
    assert!(stdout.contains("<skipped message=\"not exercised: nothing in the trace"), "{stdout}");
    assert!(stdout.contains("skipped=\"1\""), "{stdout}");
}
