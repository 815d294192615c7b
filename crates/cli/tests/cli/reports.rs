// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports that are written while a trace is judged, reports for build servers, and verdicts at events.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{TestFolder, alarms, root, run};

const POLITE: &str = "soloist polite { G(request -> F[0,3] reply) }\n";

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// The command reads no further than it must, so that a pipe that stays open gets its lines.
#[test]
fn lines_of_an_open_pipe_come_immediately() {
    let folder = TestFolder::with(&[("calm.rv", "soloist calm { G(!alarm) }\n")]);
    for (format, text) in [
        ("csv", "event, time\nhello, 0\nalarm, 1\nhello, 2\nhello, 3\n"),
        (
            "ndjson",
            "{\"event\":\"hello\",\"time\":0}\n{\"event\":\"alarm\",\"time\":1}\n{\"event\":\"hello\",\"time\":2}\n\
             {\"event\":\"hello\",\"time\":3}\n",
        ),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gnomon"))
            .args(["check", "calm.rv", "-", "--report", "ndjson", "--format", format])
            .current_dir(folder.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut input = child.stdin.take().expect("it was piped");
        input.write_all(text.as_bytes()).expect("the pipe takes it");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it was piped")).read_line(&mut line).expect("it is text");
        assert_eq!(lines(&line)[0]["at"]["event_index"], 1, "{format}");
        drop(input);
        assert_eq!(child.wait().expect("it ends").code(), Some(1));
    }
}

#[test]
fn violations_come_line_by_line_and_then_the_sums() {
    let spec = "soloist calm \"Calm\" { G(!alarm) }\nsoloist polite { G(request -> F[0,3] reply) }\n";
    let trace = "event, time\nhello, 0\nalarm, 1\nrequest, 2\nx, 3\nping, 9\nrequest, 10\n";
    let folder = TestFolder::with(&[("both.rv", spec), ("day.csv", trace)]);
    let output = folder.run(&["check", "both.rv", "day.csv", "--report", "ndjson"]);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let lines = lines(&output.stdout);
    let words: Vec<(&str, &str)> =
        lines.iter().map(|line| (line["type"].as_str().unwrap(), line["property"].as_str().unwrap())).collect();
    assert_eq!(
        words,
        [
            ("violation", "calm"),
            ("violation", "polite"),
            ("violation", "polite"),
            ("summary", "calm"),
            ("summary", "polite")
        ]
    );
    let expected = json!({
        "type": "violation", "property": "polite", "trace": "day.csv",
        "at": {"event_index": 2, "position": 2, "time": 2, "event": "request"},
        "until_position": null,
        "decided": {"event_index": null, "time": 5, "event": null},
        "binding": {}, "failed": "F[0,3] reply",
        "because": lines[1]["because"], "summary": lines[1]["summary"],
    });
    assert_eq!(lines[1], expected);
    let expected = json!({
        "type": "summary", "property": "calm", "trace": "day.csv", "language": "soloist", "verdict": "violated",
        "presumably": null, "positions": 6, "activated": 5, "satisfied": 4, "violated": 1, "pending": 0,
        "exercised": true, "duration": {"min": 0, "max": 0, "mean": 0}, "title": "Calm",
        "events": 6, "first_time": 0, "last_time": 10, "unseen": ["reply"],
    });
    assert_eq!(lines[3], expected);
}

/// Whatever the order in which violations are found, the lines together are the list of the report that comes at the end.
#[test]
fn the_lines_cover_the_whole_report() {
    // Two requests at once are one violation over two positions in the end, decided apart.
    let trace = "event, time\nhello, 0\nrequest, 1\nrequest, 3\nx, 5\n";
    let folder =
        TestFolder::with(&[("polite.rv", POLITE), ("day.csv", trace), ("calm.rv", "soloist calm { G(!alarm) }\n")]);
    folder.write("alarms.csv", alarms(40).as_bytes());
    for (spec, trace) in [("polite.rv", "day.csv"), ("calm.rv", "alarms.csv")] {
        let at_once = folder.run(&["check", spec, trace, "--report", "ndjson"]).stdout;
        let in_the_end = folder.run(&["check", spec, trace, "--report", "json"]).stdout;
        let report: Value = serde_json::from_str(&in_the_end).unwrap();
        let positions = |violations: &[Value]| {
            let mut all = std::collections::BTreeSet::new();
            for violation in violations {
                let first = violation["at"]["position"].as_u64().unwrap();
                all.extend(first..=violation["until_position"].as_u64().unwrap_or(first));
            }
            all
        };
        let reported: Vec<Value> = lines(&at_once).into_iter().filter(|line| line["type"] == "violation").collect();
        let listed = report["traces"][0]["properties"][0]["violations"].as_array().unwrap();
        assert_eq!(positions(&reported), positions(listed), "{at_once}");
    }
    let few = folder.run(&["check", "calm.rv", "alarms.csv", "--report", "ndjson", "--max-violations", "3"]);
    assert_eq!(few.stdout.matches("\"type\":\"violation\"").count(), 3);
    assert!(few.stdout.contains("\"violated\":20"), "{}", few.stdout);
}

#[test]
fn a_trace_that_breaks_off_has_violations_but_no_sums() {
    let trace = "event, time\nhello, 0\nalarm, 1\nx, 2\nx, 3\nbroken, x\n";
    let folder = TestFolder::with(&[("calm.rv", "soloist calm { G(!alarm) }\n"), ("day.csv", trace)]);
    let output = folder.run(&["check", "calm.rv", "day.csv", "--report", "ndjson"]);
    assert_eq!(output.status, 2);
    let lines = lines(&output.stdout);
    assert_eq!(lines.len(), 2, "{}", output.stdout);
    assert_eq!(lines[0]["type"], json!("violation"));
    let error = json!([lines[1]["type"], lines[1]["trace"], lines[1]["code"], lines[1]["line"], lines[1]["column"]]);
    assert_eq!(error, json!(["error", "day.csv", "G0506", 6, 9]));
    assert!(output.stderr.starts_with("error[G0506]"), "{}", output.stderr);
}

#[test]
fn build_servers_get_test_cases() {
    let spec = "\
soloist calm \"Calm & quiet\" { G(!\"<alarm>\") }
soloist polite { G(request -> F[0,3] reply) }
soloist idle { G(never -> never) }
";
    let trace = "event, time\nhello, 0\n<alarm>, 1\nx, 2\nrequest, 8\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace), ("bad.csv", "event, time\na, b\n")]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "bad.csv", "--prefix", "--report", "junit"]);
    assert_eq!(output.status, 2);
    let xml = &output.stdout;
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                <testsuites name=\"gnomon\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"2\">\n  \
                <testsuite name=\"day.csv\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"2\">\n    \
                <testcase name=\"calm: Calm &amp; quiet\" classname=\"rules\">\n      \
                <failure message=\"";
    assert!(xml.starts_with(head), "{xml}");
    for part in [
        "type=\"violation\">violation[calm]: ",
        "t=1  &lt;alarm&gt;",
        "<skipped message=\"inconclusive, presumably false\"/>",
        "not exercised",
        "<testsuite name=\"bad.csv\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">",
        "<error message=\"",
    ] {
        assert!(xml.contains(part), "{part}\n{xml}");
    }
    assert!(xml.ends_with("</testsuites>\n"), "{xml}");
    assert_eq!(xml.matches("<testcase").count(), xml.matches("</testcase>").count());
}

#[test]
fn each_event_has_a_verdict() {
    let spec = "soloist calm { G(!alarm) }\nsoloist polite { G(request -> F[0,3] reply) }\nsoloist few { G(C^{9}_{<=1}(alarm)) }\n";
    // Event 4 shares its time with an alarm; at event 6 a deadline is found to have passed.
    let trace = "event, time\nhello, 0\nalarm, 1\nx, 2\nalarm, 3\nx, 3\nrequest, 4\nx, 50\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--events", "--property", "calm", "--property", "few"]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    let table = "   0     0  hello         ok
   1     1  alarm         VIOLATED calm
   2     2  x             ok
   3     3  alarm         VIOLATED calm, few
   4     3  x             ok
   5     4  request       ok
   6    50  x             ok

day.csv: 7 events, from 0 to 50
";
    // The count is broken again at every position while both alarms are in the window.
    let table = table.replace("request       ok", "request       VIOLATED few");
    assert!(output.stdout.starts_with(&table), "{}", output.stdout);

    let output = folder.run(&["check", "rules.rv", "day.csv", "--events", "--report", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let events = report["traces"][0]["event_verdicts"].as_array().unwrap();
    assert_eq!(events.len(), 7);
    assert_eq!(
        events[3],
        json!({"event_index": 3, "time": 3, "event": "alarm", "verdict": false, "violated": ["calm", "few"]})
    );
    assert_eq!(
        events[6],
        json!({"event_index": 6, "time": 50, "event": "x", "verdict": false, "violated": ["polite"]})
    );
    assert_eq!(report["traces"][0]["end_verdicts"], json!(null));

    let output = folder.run(&["check", "rules.rv", "day.csv", "--events", "--report", "ndjson"]);
    let reported: Vec<Value> = lines(&output.stdout).into_iter().filter(|line| line["type"] == "event").collect();
    assert_eq!(reported.len(), 7);
    assert_eq!((&reported[3]["verdict"], &reported[3]["trace"]), (&json!(false), &json!("day.csv")));
}

/// Each violation belongs to the event at which it is found: by itself, by a deadline before it, or to the end.
#[test]
fn verdicts_at_the_end_have_a_separate_line() {
    let spec = "soloist polite { G(request -> F[0,3] reply) }\nmtl each { forall i. G(open(i) -> F close(i)) }\n";
    let trace = "event, time, i\nhello, 0,\nrequest, 1,\nopen, 1, 7\nrequest, 9,\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--events"]);
    let table = "   0     0  hello         ok
   1     1  request       ok
   2     1  open          ok
   3     9  request       VIOLATED polite
         9  at the end    VIOLATED polite, each (i = 7)

day.csv: 4 events, from 0 to 9
";
    assert!(output.stdout.starts_with(table), "{}", output.stdout);
    let end = json!({"time": 9, "verdict": false, "violated": ["polite", "each"],
        "bindings": [{"property": "each", "binding": {"i": 7}}]});
    let output = folder.run(&["check", "rules.rv", "day.csv", "--events", "--report", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["traces"][0]["event_verdicts"].as_array().map(Vec::len), Some(4));
    assert_eq!(report["traces"][0]["end_verdicts"], json!([end]));
    let output = folder.run(&["check", "rules.rv", "day.csv", "--events", "--report", "ndjson"]);
    let ends: Vec<Value> = lines(&output.stdout).into_iter().filter(|line| line["type"] == "end").collect();
    assert_eq!((ends.len(), &ends[0]["violated"]), (1, &json!(["polite", "each"])));
    // Of a trace that goes on nothing is decided by its end.
    let output = folder.run(&["check", "rules.rv", "day.csv", "--events", "--prefix"]);
    assert!(!output.stdout.contains("at the end"), "{}", output.stdout);
}

/// The table of the paper that the rules come from.
#[test]
fn the_third_example_of_the_paper_has_its_table() {
    let files = ["examples/rv4ws-example-3/example-3.rv", "examples/rv4ws-example-3/messages.csv"];
    let output = run(&root(), &["check", files[0], files[1], "--events", "--report", "json"], b"");
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let verdicts: Vec<&Value> =
        report["traces"][0]["event_verdicts"].as_array().unwrap().iter().map(|event| &event["verdict"]).collect();
    assert_eq!(verdicts, [true, true, true, true, true, true, false, true]);
    assert_eq!(report["traces"][0]["event_verdicts"][6]["violated"], json!(["r1"]));
}

/// A window that ends with the last event is not over: nothing later shows that its time has passed.
#[test]
fn looking_at_events_passes_no_time() {
    let spec = "nomad r { P(start(a) | O[0,10] done(b)) }\nmtl m { G(a -> F[0,10] b) }\n";
    let trace = "event, time\na, 0\nx, 10\ny, 10\nx, 20\na, 21\nz, 31\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    let reported = folder.run(&["check", "rules.rv", "day.csv", "--events"]).stdout;
    let bad: Vec<&str> = reported.lines().filter(|line| line.contains("VIOLATED")).collect();
    let expected = ["   3    20  x             VIOLATED r, m", "        31  at the end    VIOLATED m"];
    assert_eq!(bad, expected, "{reported}");
    for end in [&[][..], &["--prefix"]] {
        let plain = folder.run(&[&["check", "rules.rv", "day.csv"], end].concat()).stdout;
        for flags in [&["--events"][..], &["--mode", "standard"]] {
            let output = folder.run(&[&["check", "rules.rv", "day.csv"], end, flags].concat());
            assert!(output.stdout.ends_with(&plain), "{flags:?} {end:?}: {}", output.stdout);
        }
    }
    let lines = lines(&folder.run(&["check", "rules.rv", "day.csv", "--report", "ndjson"]).stdout);
    let counts: Vec<[&Value; 2]> = lines
        .iter()
        .filter(|line| line["type"] == "summary")
        .map(|line| [&line["violated"], &line["pending"]])
        .collect();
    assert_eq!(counts, [[1, 1], [2, 0]]);
}

#[test]
fn in_a_sequence_each_event_answers_for_itself() {
    let spec = "simultaneous sequence\nsoloist calm { G(!alarm) }\n";
    let trace = "event, time\nhello, 0\nalarm, 1\nalarm, 1\nx, 1\n";
    let folder = TestFolder::with(&[("calm.rv", spec), ("day.csv", trace)]);
    let output = folder.run(&["check", "calm.rv", "day.csv", "--events", "--report", "ndjson"]);
    let verdicts: Vec<Value> = lines(&output.stdout)
        .into_iter()
        .filter(|line| line["type"] == "event")
        .map(|line| line["verdict"].clone())
        .collect();
    assert_eq!(verdicts, [json!(true), json!(false), json!(false), json!(true)]);
}

#[test]
fn verdicts_at_events_change_no_report() {
    for flags in [&["--events"][..], &["--mode", "standard"], &["--by", "none"]] {
        let plain = run(&root(), &["check", "examples/atm/atm.rv", "examples/atm/b4.xml"], b"").stdout;
        let mut arguments = vec!["check", "examples/atm/atm.rv", "examples/atm/b4.xml"];
        arguments.extend(flags);
        let output = run(&root(), &arguments, b"");
        assert!(output.stdout.ends_with(&plain), "{flags:?}");
    }
}

#[test]
fn a_critical_violation_stops() {
    let spec = "soloist calm (critical) { G(!alarm) }\nsoloist polite { G(request -> F[0,3] reply) }\n";
    let trace = "event, time\nhello, 0\nrequest, 1\nalarm, 2\nrequest, 3\nx, 30\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    let report = |arguments: &[&str]| -> Value {
        let mut all = vec!["check", "rules.rv", "day.csv", "--report", "json"];
        all.extend(arguments);
        let output = folder.run(&all);
        assert_eq!((output.status, output.stderr.as_str()), (1, ""));
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        report["traces"][0].clone()
    };
    let stopped = report(&[]);
    assert_eq!(stopped["stopped"], json!({"property": "calm", "event_index": 2, "time": 2, "event": "alarm"}));
    assert_eq!((&stopped["events"], &stopped["last_time"]), (&json!(3), &json!(2)));
    assert_eq!(stopped["properties"][1]["verdict"], json!("inconclusive"));
    let gone_on = report(&["--mode", "standard"]);
    assert_eq!((&gone_on["events"], &gone_on["stopped"]), (&json!(5), &json!(null)));
    let any = report(&["--mode", "critical", "--property", "polite"]);
    assert_eq!(any["stopped"], json!({"property": "polite", "event_index": null, "time": 4, "event": null}));
    assert_eq!(any["events"], json!(4));

    let human = folder.run(&["check", "rules.rv", "day.csv"]);
    let warning = "warning: stopped: `calm` was violated at event 2 (`alarm` at 2), and that is critical; \
                   later events were not checked\n";
    assert!(human.stdout.contains(warning), "{}", human.stdout);
    let none_listed = folder.run(&["check", "rules.rv", "day.csv", "--report", "json", "--max-violations", "0"]);
    assert!(none_listed.stdout.contains("\"stopped\":{\"property\":\"calm\",\"event_index\":2"));
    assert!(none_listed.stdout.contains("\"violations\":[]"), "{}", none_listed.stdout);
}

#[test]
fn a_critical_violation_at_the_last_event_stops_too() {
    for language in ["soloist", "mtl"] {
        let folder = TestFolder::with(&[
            ("calm.rv", &format!("{language} calm (critical) {{ G(!alarm) }}\n{language} late {{ G(F[0,9] z) }}\n")),
            ("day.csv", "event, time\nhello, 0\nalarm, 1\n"),
        ]);
        let output = folder.run(&["check", "calm.rv", "day.csv", "--report", "json"]);
        assert_eq!(output.status, 1);
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let trace = &report["traces"][0];
        assert_eq!(trace["stopped"], json!({"property": "calm", "event_index": 1, "time": 1, "event": "alarm"}));
        assert_eq!(trace["properties"][1]["verdict"], json!("inconclusive"));
    }
}
