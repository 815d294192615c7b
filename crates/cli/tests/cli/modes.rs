// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modes of `albert` properties: a violation is logged, or stops the verification; per property and per run.

use serde_json::{Value, json};

use crate::support::TestFolder;

const TRACE: &str = "event,time,amount\npay,1,10\npay,2,60\npay,2,20\npay,3,70\npay,9,80\n";

fn report(spec: &str, arguments: &[&str]) -> Value {
    let folder = TestFolder::with(&[("modes.rv", spec), ("day.csv", TRACE)]);
    let output = folder.run(&[&["check", "modes.rv", "day.csv", "--report", "json"], arguments].concat());
    assert_eq!(output.status, 1, "{}", output.stderr);
    let report: Value = serde_json::from_str(&output.stdout).expect("the report is JSON");
    report["traces"][0].clone()
}

fn violated(report: &Value) -> Vec<&Value> {
    report["properties"].as_array().expect("they are a list").iter().map(|property| &property["violated"]).collect()
}

#[test]
fn standard_goes_on_and_critical_stops() {
    // At 2 the later of two payments overwrites the earlier.
    let spec = "albert cap { $amount < 50 }\nalbert low { $amount < 15 }\n";
    let standard = report(spec, &[]);
    assert_eq!((violated(&standard), standard.get("stopped")), (vec![&json!(2), &json!(3)], None));
    let critical = report(spec, &["--mode", "critical"]);
    assert_eq!(violated(&critical), [0, 1]);
    assert_eq!((&critical["stopped"]["property"], &critical["stopped"]["time"]), (&json!("low"), &json!(2)));
    assert_eq!(critical["events"], json!(3));
}

#[test]
fn one_property_may_be_critical() {
    let spec = "albert cap (critical) { $amount < 50 }\nalbert low { $amount < 15 }\n";
    let own = report(spec, &[]);
    assert_eq!(violated(&own), [1, 2]);
    assert_eq!((&own["stopped"]["property"], &own["stopped"]["event_index"]), (&json!("cap"), &json!(3)));
    let standard = report(spec, &["--mode", "standard"]);
    assert_eq!((violated(&standard), standard.get("stopped")), (vec![&json!(2), &json!(3)], None));
}

#[test]
fn a_deadline_stops_too() {
    let spec = "albert soon (critical) { $amount = 10 -> Within($amount = 80, 4) }\nalbert low { $amount < 15 }\n";
    let report = report(spec, &[]);
    assert_eq!(report["stopped"]["property"], json!("soon"));
    assert_eq!(report["stopped"]["event_index"], Value::Null);
    assert_eq!((violated(&report), &report["events"]), (vec![&json!(1), &json!(2)], &json!(4)));
}
