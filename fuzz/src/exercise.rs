// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads arbitrary bytes as a trace and checks the invariants of every reader.

use std::io::{self, Read};

use gnomon_trace::{
    Format, LogFormat, OrderPolicy, OrderedReader, Reader, ReaderSetup, TableColumns, TextPattern, convert, create,
    find_columns, open, summarise,
};

/// An input that yields a few bytes per read.
struct Trickle<'a> {
    rest: &'a [u8],
    step: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.step.min(into.len());
        self.rest.read(&mut into[..length])
    }
}

/// Limit on the events read from an input: a compressed one may expand without end.
const MAX_EVENTS: u64 = 10_000;

/// Reads the bytes with and without projection, whole and in pieces, and rewrites valid traces in every format.
///
/// # Panics
/// If an invariant does not hold.
pub fn trace(format: Option<Format>, bytes: &[u8]) {
    let plain = ReaderSetup { log: lines(format), ..ReaderSetup::default() };
    let all = ReaderSetup { log: lines(format), ..ReaderSetup::everything() };
    let names = outcome(format, bytes, usize::MAX, &plain);
    let whole = outcome(format, bytes, usize::MAX, &all);
    // Skipped fields may be malformed; the events are the same.
    if whole.is_ok() {
        assert_eq!(names.as_ref().map(Vec::len), whole.as_ref().map(Vec::len));
    }
    let step = 1 + bytes.first().map_or(0, |&byte| usize::from(byte) % 13);
    let pieces = outcome(format, bytes, step, &all);
    // The amount decompressed before a damaged block depends on the pieces, and so does the first error.
    let is_damaged = |outcome: &Result<_, String>| outcome.as_ref().is_err_and(|error| error.starts_with("G0519"));
    if !is_damaged(&pieces) && !is_damaged(&whole) {
        assert_eq!(pieces, whole, "in steps of {step}");
    }
    if let Ok(events) = whole
        && format.is_some()
        && events.len() < MAX_EVENTS as usize
    {
        rewrite(format, bytes, &all, events.len());
    }
}

fn lines(format: Option<Format>) -> Option<LogFormat> {
    let pattern = || TextPattern::holes("{time} {level} {event} user={user}").expect("a pattern");
    (format == Some(Format::Text)).then(|| LogFormat::Lines(pattern()))
}

/// Returns a line per event, or the error.
fn outcome(format: Option<Format>, bytes: &[u8], step: usize, setup: &ReaderSetup) -> Result<Vec<String>, String> {
    let shown = |error: gnomon_trace::TraceError| {
        assert!(error.line() > 0 && error.column() > 0, "{error}");
        format!("{} {error}", error.code())
    };
    let reader = open(Trickle { rest: bytes, step }, "t", format, setup.clone()).map_err(shown)?;
    let mut reader = OrderedReader::new(reader, OrderPolicy::Strict);
    let mut events = Vec::new();
    while let Some(origin) = reader.advance().map_err(shown)? {
        assert_eq!(origin.event_index, events.len() as u64);
        let name = reader.symbols().name_text(origin.event);
        let fields = reader.fields();
        let parameters: Vec<String> =
            (0..fields.parameter_count()).map(|index| fields.parameter(index).to_string()).collect();
        let entries = reader.entries();
        events.push(format!("{} {name} {:?} {parameters:?} {entries:?}", reader.location(), origin.time));
        if origin.event_index >= MAX_EVENTS {
            break;
        }
    }
    Ok(events)
}

/// Writes a valid trace in every format and reads it again.
fn rewrite(format: Option<Format>, bytes: &[u8], setup: &ReaderSetup, count: usize) {
    let reopen = || open(bytes, "t", format, setup.clone()).expect("it was opened before");
    let catalogue = summarise(&mut reopen()).expect("it was read before");
    assert_eq!(catalogue.events, count as u64);
    let table: TableColumns = find_columns(&mut reopen()).expect("it was read before");
    for target in Format::ALL {
        for table in [None, Some(table.clone())] {
            let mut out = Vec::new();
            let Some(mut writer) = create(target, &mut out, table) else { continue };
            convert(&mut reopen(), &mut *writer).expect("memory can be written");
            drop(writer);
            match outcome(Some(target), &out, usize::MAX, &ReaderSetup::everything()) {
                Ok(events) => assert_eq!(events.len(), count, "{target}"),
                // Written in a format without cases, the cases of a log are out of order.
                Err(error) if error.starts_with("G0508") => {}
                Err(error) => panic!("{target}: {error}\n{}", String::from_utf8_lossy(&out)),
            }
        }
    }
}
