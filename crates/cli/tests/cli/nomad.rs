// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages, as a tester meets them.

use serde_json::Value;

use crate::support::{TestFolder, root, run};

const LOGIN: &str = "nomad order { P(start(order) | O[10,0] done(login)) / {{order.u, login.u}} }\n";

/// Two orders after one login: the second finds the login used up.
const TWICE: &str = "event, time, u\nlogin, 1, ann\norder, 2, ann\norder, 3, ann\n";

#[test]
fn a_rule_that_any_would_satisfy_says_so() {
    let folder = TestFolder::with(&[("r.rv", LOGIN), ("twice.csv", TWICE)]);
    let output = folder.run(&["check", "r.rv", "twice.csv"]);
    assert_eq!(output.status, 1);
    assert!(output.stdout.contains("note: `order`: it would hold with `(matching any)`"), "{}", output.stdout);
    let output = folder.run(&["check", "r.rv", "twice.csv", "--report", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).expect("the report has it");
    let note = report["traces"][0]["properties"][0]["note"].as_str().expect("the report has it");
    assert!(note.starts_with("it would hold with `(matching any)`"), "{note}");

    folder.write("any.rv", LOGIN.replace("nomad order", "nomad order (matching any)").as_bytes());
    assert_eq!(folder.run(&["check", "any.rv", "twice.csv"]).status, 0);
}

#[test]
fn a_rule_that_is_broken_either_way_has_no_hint() {
    let never = "event, time, u\nlogin, 1, bob\norder, 2, ann\n";
    let folder = TestFolder::with(&[("r.rv", LOGIN), ("never.csv", never)]);
    let output = folder.run(&["check", "r.rv", "never.csv"]);
    assert_eq!(output.status, 1);
    assert!(!output.stdout.contains("matching any"), "{}", output.stdout);
    // A pipe cannot be read a second time.
    let output = folder.run_with_input(&["check", "r.rv", "-", "--format", "csv"], TWICE.as_bytes());
    assert_eq!((output.status, output.stdout.contains("matching any")), (1, false));
}

/// The counts of a property, by its name.
fn counts(report: &Value, name: &str) -> [u64; 4] {
    let properties = report["traces"][0]["properties"].as_array().expect("the report has it");
    let property = properties.iter().find(|property| property["name"] == name).expect("the report has it");
    ["activated", "satisfied", "violated", "pending"].map(|count| property[count].as_u64().expect("the report has it"))
}

/// The verdict at each event.
fn verdicts(report: &Value) -> Vec<bool> {
    let events = report["traces"][0]["event_verdicts"].as_array().expect("the report has it");
    events.iter().map(|event| event["verdict"].as_bool().expect("the report has it")).collect()
}

fn check(folder: &str, arguments: &[&str]) -> Value {
    let output = run(&root().join("examples").join(folder), arguments, b"");
    assert_eq!(output.status, 1, "{}", output.stderr);
    serde_json::from_str(&output.stdout).expect("the report has it")
}

#[test]
fn the_published_table_comes_out() {
    let report = check("rv4ws-example-3", &["check", "example-3.rv", "messages.csv", "--events", "--report", "json"]);
    assert_eq!(verdicts(&report), [true, true, true, true, true, true, false, true]);
    assert_eq!((counts(&report, "r1"), counts(&report, "r2")), ([2, 1, 1, 0], [1, 1, 0, 0]));
}

#[test]
fn the_published_trace_has_the_verdicts_of_its_figure() {
    let arguments = ["check", "product-retriever.rv", "printed-order.ndjson", "--reorder", "1s"];
    let report = check("product-retriever", &[&arguments[..], &["--events", "--report", "json"]].concat());
    assert_eq!(counts(&report, "fault"), [0, 0, 0, 0]);
    assert_eq!(counts(&report, "currency"), [2, 0, 2, 0]);
    assert_eq!(counts(&report, "authorization"), [2, 2, 0, 0]);
    let trace = &report["traces"][0];
    let false_at: Vec<(&str, &str)> = trace["event_verdicts"]
        .as_array()
        .expect("the report has it")
        .iter()
        .filter(|event| event["verdict"] == false)
        .map(|event| {
            (event["time"].as_str().expect("the report has it"), event["event"].as_str().expect("the report has it"))
        })
        .collect();
    let printed = std::fs::read_to_string(root().join("examples/product-retriever/printed-order.ndjson"))
        .expect("the report has it");
    let lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).expect("the report has it"));
    let marked: Vec<Value> = lines.filter(|event| event["marked"] == false).collect();
    assert_eq!(marked.len(), 2);
    for (found, marked) in false_at.iter().zip(&marked) {
        assert!(found.0.starts_with(marked["time"].as_str().expect("the report has it")), "{found:?} {marked}");
        assert_eq!(found.1, marked["event"]);
    }
    assert_eq!(false_at.len(), marked.len());
}
