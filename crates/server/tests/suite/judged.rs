// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `check` says of a trace, and what a watch says, in a form in which they can be laid side by side.

use gnomon::compile::compile_file;
use gnomon::offline::{By, Input, Mode, Options, judge};
use gnomon::report::{About, json};
use gnomon::verdict::End;
use serde_json::{Value, json};

use crate::start::Server;

/// What `check` says, property by property.
pub(crate) fn check(spec: &str, name: &str, trace: &str, is_complete: bool) -> Value {
    let (compiled, diagnostics) = compile_file("shop.rv", spec, &[]);
    let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let input = Input::stream(name.to_owned(), std::io::Cursor::new(trace.to_owned()));
    let end = if is_complete { End::Complete } else { End::Prefix };
    let options = Options { by: By::Whole, end, mode: Some(Mode::Standard), ..Options::default() };
    let report = judge(&compiled, input, &options, &mut |_, _| {}).unwrap();
    properties(&json::render(&About { spec_name: "shop.rv", compiled: &compiled }, &[report], &[None]))
}

/// What a watch says.
pub(crate) fn watched(server: &Server, is_complete: bool) -> Value {
    let end = if is_complete { "complete" } else { "prefix" };
    properties(&server.get(&format!("/api/v1/report?end={end}")).text())
}

/// The properties of a report, and how many events there were.
fn properties(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|error| panic!("{error}: {report}"));
    let trace = &report["traces"][0];
    json!([trace["events"], trace["properties"]])
}

/// What was judged, as the watch hands it out.
pub(crate) fn exported(server: &Server) -> String {
    let answer = server.get("/api/v1/export");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text()
}

/// The same without times and durations: of those that came at another time.
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
