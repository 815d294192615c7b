// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check` for people: reports, inputs, statuses.

use std::fs;

use crate::support::{TestFolder, alarms, root, run};

const POLITE: &str = "soloist polite { G(request -> F[0,3] reply) }\n";

#[test]
fn the_readme_shows_real_output() {
    let output = run(&root(), &["check", "examples/atm/atm.rv", "examples/atm/b4.xml"], b"");
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains(&format!("```text\n{}```\n", output.stdout)), "README.md should show:\n{}", output.stdout);
}

#[test]
fn the_spec_in_the_readme_passes_its_own_examples() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let spec = readme.split("```text\n").find(|block| block.starts_with("# Three rules")).unwrap();
    let spec = spec.split("```").next().unwrap();
    let shipped = fs::read_to_string(root().join("examples/web-log/web.rv")).unwrap();
    assert!(shipped.starts_with(spec), "README.md should show the beginning of examples/web-log/web.rv");
    let folder = TestFolder::with(&[("readme.rv", spec)]);
    let output = folder.run(&["test", "readme.rv"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.ends_with("6 examples: 6 ok\n"), "{}", output.stdout);
}

#[test]
fn the_reference_agrees_with_the_engine() {
    let command = ["check", "examples/atm/atm.rv", "examples/atm/b4.xml", "--report", "json"];
    let mut reference = command.to_vec();
    reference.push("--reference");
    let verdicts = |arguments: &[&str]| -> Vec<(String, String, u64)> {
        let output = run(&root(), arguments, b"");
        let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let properties = report["traces"][0]["properties"].as_array().unwrap().clone();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        properties
            .iter()
            .map(|property| {
                (text(&property["name"]), text(&property["verdict"]), property["activated"].as_u64().unwrap())
            })
            .collect()
    };
    assert_eq!(verdicts(&command), verdicts(&reference));
}

#[test]
fn a_trace_may_come_from_standard_input() {
    let folder = TestFolder::with(&[("polite.rv", POLITE)]);
    let csv = folder.run_with_input(&["check", "polite.rv", "-"], b"event, time\nhello, 0\nrequest, 1\nreply, 2\n");
    assert_eq!(csv.status, 0, "{}", csv.stderr);
    assert!(csv.stdout.starts_with("<stdin>: 3 events, from 0 to 2\n"), "{}", csv.stdout);
    let ndjson = b"{\"event\":\"hello\",\"time\":0}\n{\"event\":\"request\",\"time\":1}\n";
    let ndjson = folder.run_with_input(&["check", "polite.rv", "-", "--format", "ndjson"], ndjson);
    assert_eq!(ndjson.status, 1, "{}", ndjson.stderr);
    let spec = folder.run_with_input(&["check", "-", "polite.rv"], POLITE.as_bytes());
    assert_eq!(spec.status, 2, "a spec is not a trace");
}

#[test]
fn a_property_without_activations_is_reported() {
    let spec = "soloist polite { G(requst -> F[0,3] reply) }\n";
    let folder = TestFolder::with(&[("polite.rv", spec), ("day.csv", "event, time\nhello, 0\nrequest, 1\n")]);
    let output = folder.run(&["check", "polite.rv", "day.csv"]);
    assert_eq!(output.status, 0);
    assert!(output.stdout.contains("  holds  polite  not exercised"), "{}", output.stdout);
    assert!(
        output.stdout.contains("note: no event of this trace is `requst`; did you mean `request`?\n"),
        "{}",
        output.stdout
    );
}

#[test]
fn several_traces_are_checked_separately() {
    let folder = TestFolder::with(&[
        ("polite.rv", POLITE),
        ("good.csv", "event, time\nhello, 0\nrequest, 1\nreply, 2\n"),
        ("bad.csv", "event, time\nhello, 0\nrequest, 1\n"),
    ]);
    let output = folder.run(&["check", "polite.rv", "good.csv", "bad.csv"]);
    assert_eq!(output.status, 1);
    assert!(output.stdout.contains("good.csv: 3 events") && output.stdout.contains("bad.csv: 2 events"));
    let last = output.stdout.lines().last().unwrap();
    assert_eq!(last, "1 property on 2 traces: 1 violated, 1 holds; 1 of 2 traces violated");
}

#[test]
fn drawing_stops_after_a_few() {
    let folder = TestFolder::with(&[("calm.rv", "soloist calm { G(!alarm) }\n"), ("day.csv", &alarms(40))]);
    let output = folder.run(&["check", "calm.rv", "day.csv"]);
    assert_eq!(output.stdout.matches("violation[calm]").count(), 10, "{}", output.stdout);
    assert!(output.stdout.contains("… and 10 more of `calm`; `--max-violations N` shows more\n"), "{}", output.stdout);
    let output = folder.run(&["check", "calm.rv", "day.csv", "--max-violations", "15"]);
    assert_eq!(output.stdout.matches("violation[calm]").count(), 15);
}

#[test]
fn simultaneous_events_are_merged_with_a_remark() {
    let spec = "soloist few { G(C^{10}_{<=1}(a)) }\n";
    let folder = TestFolder::with(&[("few.rv", spec), ("day.csv", "event, time\nx, 0\na, 1\na, 1\n")]);
    let output = folder.run(&["check", "few.rv", "day.csv"]);
    assert_eq!(output.status, 0);
    assert!(output.stdout.contains("note: events at the same time were merged"), "{}", output.stdout);
}

#[test]
fn late_events_can_be_put_in_order() {
    let folder =
        TestFolder::with(&[("polite.rv", POLITE), ("day.csv", "event, time\nhello, 0\nreply, 3\nrequest, 2\nx, 9\n")]);
    let strict = folder.run(&["check", "polite.rv", "day.csv"]);
    assert_eq!(strict.status, 2);
    assert!(strict.stderr.starts_with("error[G0508]"), "{}", strict.stderr);
    for engine in [&[][..], &["--reference"]] {
        let mut arguments = vec!["check", "polite.rv", "day.csv", "--reorder", "2"];
        arguments.extend(engine);
        let output = folder.run(&arguments);
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    }
    let output = folder.run(&["check", "polite.rv", "day.csv", "--reorder", "0.5"]);
    let late = "warning: 1 event came later than `--reorder` allows and was not checked; \
                the first is event 2 (`request` at 2, line 4), 1 late\n";
    assert!(output.stdout.contains(late), "{}", output.stdout);
    let output = folder.run(&["check", "polite.rv", "day.csv", "--reorder", "5s"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.starts_with("error[G0401]: `--reorder 5s`: "), "{}", output.stderr);
}

#[test]
fn an_empty_trace_has_a_verdict_without_a_place() {
    let folder = TestFolder::with(&[("wish.rv", "soloist wish { F rain }\n"), ("empty.csv", "")]);
    let output = folder.run(&["check", "wish.rv", "empty.csv"]);
    let expected = "\
empty.csv: 0 events

  violated  wish  1 activated  1 violated

warning: the trace has no events, so nothing was checked

1 property: 1 violated
";
    assert_eq!((output.status, output.stdout.as_str()), (1, expected), "{}", output.stderr);
}

#[test]
fn numbers_that_look_like_times_suggest_their_unit() {
    let folder = TestFolder::with(&[("quick.rv", "time \"@at\"\nsoloist quick { G(a -> F[0,3s] b) }\n")]);
    for (time, advice) in [
        ("1763290000", "declare `time \"@at\" in s`"),
        ("1763290000000", "declare `time \"@at\" in ms`"),
        ("1763290000000000", "declare `time \"@at\" in us`"),
        ("1763290000000000000", "declare `time \"@at\" in ns`"),
        ("20261116114220", "declare `time \"@at\" as \"%Y%m%d%H%M%S\"`"),
        ("20261316114220", "for example `time \"@at\" in s`"),
        ("12", "for example `time \"@at\" in s`"),
    ] {
        folder.write("day.csv", format!("event,@at\na,{time}\nb,{time}\n").as_bytes());
        let output = folder.run(&["check", "quick.rv", "day.csv"]);
        assert_eq!(output.status, 2);
        assert!(output.stderr.contains("G0401") && output.stderr.contains(advice), "{time}: {}", output.stderr);
    }
}
