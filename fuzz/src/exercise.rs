// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads any bytes as a trace, and checks what must hold of whatever comes out.

use std::io::{self, Read};

use gnomon_trace::{
    Columns, Format, Order, Ordered, Reader, Setup, TextPattern, columns, convert, create, open, survey,
};

/// An input that comes a few bytes at a time.
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

/// A packed input is read no further than this: what it unpacks to may be endless.
const MOST_EVENTS: u64 = 10_000;

/// Reads the bytes in every way there is.
///
/// # Panics
/// If anything is not as it must be.
pub fn trace(format: Option<Format>, bytes: &[u8]) {
    let plain = Setup { text: pattern(format), ..Setup::default() };
    let all = Setup { text: pattern(format), ..Setup::everything() };
    let names = outcome(format, bytes, usize::MAX, &plain);
    let whole = outcome(format, bytes, usize::MAX, &all);
    // What is not looked at may be wrong, but nothing more.
    if whole.is_ok() {
        assert_eq!(names.as_ref().map(Vec::len), whole.as_ref().map(Vec::len));
    }
    let step = 1 + bytes.first().map_or(0, |&byte| usize::from(byte) % 13);
    let pieces = outcome(format, bytes, step, &all);
    // How much can be unpacked in front of a damage depends on the pieces, and with it what is wrong first.
    let is_damaged = |outcome: &Result<_, String>| outcome.as_ref().is_err_and(|error| error.starts_with("G0519"));
    if !is_damaged(&pieces) && !is_damaged(&whole) {
        assert_eq!(pieces, whole, "in steps of {step}");
    }
    if let Ok(events) = whole
        && format.is_some()
        && events.len() < MOST_EVENTS as usize
    {
        rewrite(format, bytes, &all, events.len());
    }
}

fn pattern(format: Option<Format>) -> Option<TextPattern> {
    (format == Some(Format::Text)).then(|| TextPattern::holes("{time} {level} {event} user={user}").expect("a pattern"))
}

/// What is read: a line per event, or the error.
fn outcome(format: Option<Format>, bytes: &[u8], step: usize, setup: &Setup) -> Result<Vec<String>, String> {
    let shown = |error: gnomon_trace::TraceError| {
        assert!(error.line() > 0 && error.column() > 0, "{error}");
        format!("{} {error}", error.code())
    };
    let reader = open(Trickle { rest: bytes, step }, "t", format, setup.clone()).map_err(shown)?;
    let mut reader = Ordered::new(reader, Order::Strict);
    let mut events = Vec::new();
    while let Some(origin) = reader.advance().map_err(shown)? {
        assert_eq!(origin.event_index, events.len() as u64);
        let name = reader.symbols().name_text(origin.event);
        let fields = reader.fields();
        let parameters: Vec<String> =
            (0..fields.parameter_count()).map(|index| fields.parameter(index).to_string()).collect();
        let entries = reader.entries();
        events.push(format!("{} {name} {:?} {parameters:?} {entries:?}", reader.place(), origin.time));
        if origin.event_index >= MOST_EVENTS {
            break;
        }
    }
    Ok(events)
}

/// Writes a trace that can be read in every format, and reads that.
fn rewrite(format: Option<Format>, bytes: &[u8], setup: &Setup, count: usize) {
    let reopen = || open(bytes, "t", format, setup.clone()).expect("it was opened before");
    let catalogue = survey(&mut reopen()).expect("it was read before");
    assert_eq!(catalogue.events, count as u64);
    let table: Columns = columns(&mut reopen()).expect("it was read before");
    for target in Format::ALL {
        for table in [None, Some(table.clone())] {
            let mut out = Vec::new();
            let Some(mut writer) = create(target, &mut out, table) else { continue };
            convert(&mut reopen(), &mut *writer).expect("memory can be written");
            drop(writer);
            match outcome(Some(target), &out, usize::MAX, &Setup::everything()) {
                Ok(events) => assert_eq!(events.len(), count, "{target}"),
                // Written in a format without cases, the cases of a log are out of order.
                Err(error) if error.starts_with("G0508") => {}
                Err(error) => panic!("{target}: {error}\n{}", String::from_utf8_lossy(&out)),
            }
        }
    }
}
