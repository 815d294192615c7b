// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folders, traces and watches for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use gnomon_live::wire::WatchStatus;
use gnomon_live::{BodyFormat, EventBatch, Live, Numbering, Options, Origin, Receipt, SubmitError, TimeSource};
use gnomon_report::{SpecContext, json};
use gnomon_run::compile::compile_file;
use gnomon_run::offline::{DivideBy, NamedInput, Options as Offline, judge};
use gnomon_trace::{NdjsonWriter, Reader, ReaderSetup, convert, open};
use serde_json::Value;

/// A folder that is removed when dropped.
pub(crate) struct StoreFolder(PathBuf);

impl StoreFolder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gnomon-live-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        StoreFolder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for StoreFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Converts a trace of any format to NDJSON with a time in each line.
pub(crate) fn ndjson(path: &Path, time_field: Option<String>) -> String {
    let mut setup = ReaderSetup::everything();
    setup.time_field = time_field;
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut reader = open(fs::File::open(path).unwrap(), &name, None, setup).unwrap();
    let mut writer = NdjsonWriter::new(Vec::new());
    convert(&mut reader, &mut writer).unwrap();
    let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    if reader.time_field().is_some() {
        return text;
    }
    let timed = |(index, line): (usize, &str)| format!("{{\"time\":{index},{}\n", &line[1..]);
    text.lines().enumerate().map(timed).collect()
}

/// Returns the properties in the report of `check --report json`.
pub(crate) fn check(spec_name: &str, spec: &str, trace: &str, by: Option<&str>, prefix: bool) -> Value {
    check_with((spec_name, spec), trace, by, prefix, false)
}

/// Returns the same, where each event is checked when it is read.
pub(crate) fn check_per_event(spec_name: &str, spec: &str, trace: &str, by: Option<&str>, prefix: bool) -> Value {
    check_with((spec_name, spec), trace, by, prefix, true)
}

fn check_with(
    (spec_name, spec): (&str, &str),
    trace: &str,
    by: Option<&str>,
    prefix: bool,
    report_events: bool,
) -> Value {
    let (compiled, diagnostics) = compile_file(spec_name, spec, &[]);
    let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let input = NamedInput::stream("trace.ndjson".to_owned(), std::io::Cursor::new(trace.to_owned()));
    let options = Offline {
        by: by.map_or(DivideBy::Whole, |field| DivideBy::Field(field.to_owned())),
        end: if prefix { gnomon_core::verdict::End::Prefix } else { gnomon_core::verdict::End::Complete },
        mode: Some(gnomon_run::offline::ViolationMode::Standard),
        report_events,
        ..Offline::default()
    };
    let report = judge(&compiled, input, &options, &mut |_, _| {}).unwrap();
    let about = SpecContext { spec_name, compiled: &compiled };
    properties(&json::render(&about, &[report], &[None], &[]))
}

/// Returns the properties of a report and the number of events.
pub(crate) fn properties(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|error| panic!("{error}: {report}"));
    let trace = &report["traces"][0];
    serde_json::json!([trace["events"], trace["properties"], trace["cases"]])
}

/// Options of a watch that replays timestamps.
pub(crate) fn options(spec_name: &str, spec: &str) -> Options {
    Options { time: TimeSource::Replay, ..Options::new(spec_name, spec) }
}

pub(crate) async fn send(live: &Live, body: impl Into<String>) -> Result<Receipt, SubmitError> {
    send_numbered(live, body, None).await
}

pub(crate) async fn send_numbered(
    live: &Live,
    body: impl Into<String>,
    numbering: Option<(&str, u64)>,
) -> Result<Receipt, SubmitError> {
    let numbering = numbering.map(|(producer, first)| Numbering { producer: producer.to_owned(), first });
    let body = Bytes::from(body.into());
    live.submit(EventBatch { body, format: BodyFormat::Ndjson, numbering, origin: Origin::Http }).await
}

/// Returns the status once this many events are evaluated; it is published a moment later.
pub(crate) async fn status_after(live: &Live, events: u64) -> WatchStatus {
    while live.status().events.judged < events {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    live.status()
}

/// Returns the export as text.
pub(crate) fn export(live: &Live) -> String {
    let lines = live.export(0).unwrap().expect("there is a journal");
    let bytes: Vec<u8> = lines.map(Result::unwrap).collect::<Vec<_>>().concat();
    String::from_utf8(bytes).unwrap()
}

/// Fails if two reports differ, and names the difference.
pub(crate) fn assert_same(found: &Value, expected: &Value, what: &str) {
    if let Some(difference) = difference(found, expected, "") {
        panic!("{what}: {difference}");
    }
}

fn difference(found: &Value, expected: &Value, path: &str) -> Option<String> {
    match (found, expected) {
        (Value::Object(left), Value::Object(right)) if left.keys().eq(right.keys()) => {
            left.iter().find_map(|(key, value)| difference(value, &right[key], &format!("{path}.{key}")))
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            pairs.into_iter().find_map(|(index, (left, right))| difference(left, right, &format!("{path}[{index}]")))
        }
        (left, right) if left == right => None,
        (left, right) => Some(format!("{path}: found {left}, expected {right}")),
    }
}
