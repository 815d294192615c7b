// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folders, traces and watches for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use gnomon_live::wire::Status;
use gnomon_live::{Batch, BodyFormat, Live, Numbering, Options, Origin, Receipt, Refusal, TimeSource};
use gnomon_report::{About, json};
use gnomon_run::compile::compile_file;
use gnomon_run::offline::{By, Input, Options as Offline, judge};
use gnomon_trace::{NdjsonWriter, Reader, Setup, convert, open};
use serde_json::Value;

/// A folder that is removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gnomon-live-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A trace of any format as NDJSON lines, with a time in each.
pub(crate) fn ndjson(path: &Path, time_field: Option<String>) -> String {
    let mut setup = Setup::everything();
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

/// What `check --report json` says, property by property.
pub(crate) fn check(spec_name: &str, spec: &str, trace: &str, by: Option<&str>, prefix: bool) -> Value {
    let (compiled, diagnostics) = compile_file(spec_name, spec, &[]);
    let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let input = Input::stream("trace.ndjson".to_owned(), std::io::Cursor::new(trace.to_owned()));
    let options = Offline {
        by: by.map_or(By::Whole, |field| By::Field(field.to_owned())),
        end: if prefix { gnomon_core::verdict::End::Prefix } else { gnomon_core::verdict::End::Complete },
        mode: Some(gnomon_run::offline::Mode::Standard),
        ..Offline::default()
    };
    let report = judge(&compiled, input, &options, &mut |_, _| {}).unwrap();
    let about = About { spec_name, compiled: &compiled };
    properties(&json::render(&about, &[report], &[None]))
}

/// The properties of a report, and how many events there were.
pub(crate) fn properties(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|error| panic!("{error}: {report}"));
    let trace = &report["traces"][0];
    serde_json::json!([trace["events"], trace["properties"], trace["cases"]])
}

/// A watch of a spec that takes times as they are.
pub(crate) fn options(spec_name: &str, spec: &str) -> Options {
    Options { time: TimeSource::Replay, ..Options::new(spec_name, spec) }
}

pub(crate) async fn send(live: &Live, body: impl Into<String>) -> Result<Receipt, Refusal> {
    send_numbered(live, body, None).await
}

pub(crate) async fn send_numbered(
    live: &Live,
    body: impl Into<String>,
    numbering: Option<(&str, u64)>,
) -> Result<Receipt, Refusal> {
    let numbering = numbering.map(|(producer, first)| Numbering { producer: producer.to_owned(), first });
    let body = Bytes::from(body.into());
    live.submit(Batch { body, format: BodyFormat::Ndjson, numbering, origin: Origin::Http }).await
}

/// The status, once so many events were judged: it is published a moment after that.
pub(crate) async fn status_after(live: &Live, events: u64) -> Status {
    while live.status().events.judged < events {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    live.status()
}

/// What was judged, as text.
pub(crate) fn export(live: &Live) -> String {
    let lines = live.export(0).unwrap().expect("there is a journal");
    let bytes: Vec<u8> = lines.map(Result::unwrap).collect::<Vec<_>>().concat();
    String::from_utf8(bytes).unwrap()
}

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Fails where two reports differ, and says where.
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
