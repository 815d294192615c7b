// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports of OpenTelemetry traces: judged by trace id or as one, listed, converted.

use std::fs;

use serde_json::{Value, json};

use crate::support::{TestFolder, fenced, root};

fn example(name: &str) -> String {
    fs::read_to_string(root().join("examples/otlp").join(name)).expect("the example is there")
}

fn orders() -> TestFolder {
    TestFolder::with(&[("orders.rv", &example("orders.rv")), ("orders.json", &example("orders.json"))])
}

#[test]
fn the_page_about_spans_is_accurate() {
    let page = fs::read_to_string(root().join("docs/otlp.md")).unwrap();
    let (spec, export) = (fenced(&page, "rv")[0].clone(), fenced(&page, "otlp")[0].clone());
    let folder = TestFolder::with(&[("orders.rv", &spec), ("orders.json", &export)]);
    let violation = fenced(&page, "text")[0].clone();
    for flags in [&[][..], &["--reference"], &["--by", "none"], &["--format", "otlp"]] {
        let output = folder.run(&[&["check", "orders.rv", "orders.json"], flags].concat());
        assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{flags:?}: {}", output.stdout);
        // The reference says that it is so, and not why.
        let reported = if flags == ["--reference"] { "violation[prompt]: " } else { violation.trim_end() };
        assert!(output.stdout.contains(reported), "{}", output.stdout);
        assert!(output.stdout.contains("violation[charged]: "), "{}", output.stdout);
    }
    let output = folder.run(&["events", "orders.json"]);
    assert!(output.stdout.starts_with("orders.json: 5 events, "), "{}", output.stdout);
}

#[test]
fn each_trace_id_is_a_case() {
    let folder = orders();
    for engine in [&[][..], &["--reference"], &["--reorder", "1s"]] {
        let output = folder.run(&[&["check", "orders.rv", "orders.json", "--report", "json"], engine].concat());
        assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{engine:?}");
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let trace = &report["traces"][0];
        assert_eq!(trace["cases"], json!({"total": 4, "violating": 2}));
        let violated = |name: &str| {
            let properties = trace["properties"].as_array().unwrap();
            let property = properties.iter().find(|property| property["name"] == name).unwrap();
            let cases: Vec<&str> = property["violations"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| found["case"].as_str().unwrap())
                .collect();
            assert!(cases.iter().all(|case| case.len() == 32), "{cases:?}");
            cases.len()
        };
        assert_eq!(["answered", "paid", "refused", "complete", "brief"].map(violated), [1, 1, 0, 0, 1]);
    }
}

/// As one trace, the refused order stands before others that are shipped; by a field, each order stands alone again.
#[test]
fn all_spans_as_one_trace_or_by_a_field() {
    let folder = orders();
    let refused = |flags: &[&str]| {
        let arguments = ["check", "orders.rv", "orders.json", "--property", "refused", "--report", "json"];
        let output = folder.run(&[&arguments, flags].concat());
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let trace = &report["traces"][0];
        (output.status, trace["cases"]["total"].clone(), trace["events"].clone())
    };
    assert_eq!(refused(&["--by", "none"]), (1, Value::Null, json!(41)));
    assert_eq!(refused(&["--by", "trace_id"]), (0, json!(4), json!(41)));
    // What the bank noted does not tell the order.
    assert_eq!(refused(&["--by", "order.id"]), (0, json!(4), json!(38)));
}

/// Converted spans, which have a field for the case, give the same verdicts.
#[test]
fn converted_spans_have_equal_verdicts() {
    let folder = orders();
    let output = folder.run(&["convert", "orders.json", "orders.ndjson"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let converted = folder.run(&["check", "orders.rv", "orders.ndjson", "--by", "trace_id"]);
    assert_eq!((converted.status, converted.stderr.as_str()), (1, ""));
    let direct = folder.run(&["check", "orders.rv", "orders.json"]);
    let count = |text: &str| text.matches("violation[").count();
    assert_eq!((count(&converted.stdout), count(&direct.stdout)), (3, 3), "{}{}", converted.stdout, direct.stdout);
    let unwritable = folder.run(&["convert", "orders.ndjson", "again.otlp"]);
    assert_eq!(unwritable.status, 2);
    assert!(
        unwritable.stderr.contains("[G0711]") && unwritable.stderr.contains("can only be read"),
        "{}",
        unwritable.stderr
    );
}
