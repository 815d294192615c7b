// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports of `check` and of a watch in a comparable form.

use gnomon::compile::compile_file;
use gnomon::offline::{DivideBy, NamedInput, Options, ViolationMode, judge};
use gnomon::report::{SpecContext, json};
use gnomon::verdict::End;
use serde_json::{Value, json};

use crate::start::TestServer;

/// Returns the properties in the report of `check`.
pub(crate) fn check(spec: &str, name: &str, trace: &str, is_complete: bool) -> Value {
    let (compiled, diagnostics) = compile_file("shop.rv", spec, &[]);
    let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let input = NamedInput::stream(name.to_owned(), std::io::Cursor::new(trace.to_owned()));
    let end = if is_complete { End::Complete } else { End::Prefix };
    let options = Options { by: DivideBy::Whole, end, mode: Some(ViolationMode::Standard), ..Options::default() };
    let report = judge(&compiled, input, &options, &mut |_, _| {}).unwrap();
    properties(&json::render(&SpecContext { spec_name: "shop.rv", compiled: &compiled }, &[report], &[None], &[]))
}

/// Returns the properties in the report of a watch.
pub(crate) fn watched(server: &TestServer, is_complete: bool) -> Value {
    let end = if is_complete { "complete" } else { "prefix" };
    properties(&server.get(&format!("/api/v1/report?end={end}")).text())
}

/// Returns the properties of a report and the number of events.
fn properties(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|error| panic!("{error}: {report}"));
    let trace = &report["traces"][0];
    json!([trace["events"], trace["properties"]])
}

/// Returns the export of a watch.
pub(crate) fn exported(server: &TestServer) -> String {
    let answer = server.get("/api/v1/export");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text()
}

/// Removes times and durations, for events at other times.
pub(crate) fn without_times(mut value: Value) -> Value {
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| !["time", "duration", "deadline", "summary"].contains(&key.as_str()));
            members.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}
