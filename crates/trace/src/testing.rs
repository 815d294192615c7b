// SPDX-License-Identifier: MIT OR Apache-2.0
//! Helpers shared by the tests of several readers.

use std::fmt::Write;
use std::io::{self, Cursor, Read};

use gnomon_core::event::FieldSelection;
use gnomon_core::symbols::Key;

use crate::chunks::ChunkedReader;
use crate::{AnyReader, Format, Reader, ReaderSetup, TraceError, open};

/// An input that yields a few bytes per read.
pub(crate) struct SlowInput<'a> {
    rest: &'a [u8],
    step: usize,
}

impl<'a> SlowInput<'a> {
    pub(crate) fn new(bytes: &'a [u8], step: usize) -> Self {
        SlowInput { rest: bytes, step }
    }
}

impl Read for SlowInput<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.step.min(into.len());
        self.rest.read(&mut into[..length])
    }
}

/// Creates a setup in which the names `all` want all their fields, and the names `some` want the fields `keys`.
pub(crate) fn setup(all: &[&str], some: &[&str], keys: &[&str]) -> ReaderSetup {
    let mut setup = ReaderSetup::default();
    let keys: Vec<Key> = keys.iter().map(|key| setup.symbols.key(key)).collect();
    for name in all {
        let name = setup.symbols.name(name);
        setup.projection.add_all(name);
    }
    for name in some {
        let name = setup.symbols.name(name);
        for &key in &keys {
            setup.projection.add_field(name, key);
        }
    }
    setup
}

/// Prints one line per event: index, name, time in the notation of the trace, then the wanted fields and parameters.
pub(crate) fn transcript<R: Reader>(reader: &mut R) -> Result<String, TraceError> {
    let mut text = String::new();
    while let Some(origin) = reader.advance()? {
        let time = reader.clock().print(reader.time_kind(), origin.time);
        let name = reader.symbols().name_text(origin.event);
        write!(text, "{} {name}@{time}", origin.event_index).unwrap();
        let fields = reader.fields();
        let want = reader.projection().selection(origin.event);
        if *want != FieldSelection::Nothing {
            for key in (0..reader.symbols().key_count() as u32).map(Key) {
                if let Some(value) = fields.get(key) {
                    write!(text, " {}={value}", reader.symbols().key_text(key)).unwrap();
                }
            }
        }
        if *want == FieldSelection::All {
            let parameters = (0..fields.parameter_count()).map(|index| fields.parameter(index).to_string());
            write!(text, " ({})", parameters.collect::<Vec<_>>().join(", ")).unwrap();
        }
        text.push('\n');
    }
    Ok(text)
}

fn describe(result: Result<String, TraceError>) -> String {
    result.unwrap_or_else(|error| format!("{} {}:{} {}", error.code(), error.line(), error.column(), error.message()))
}

/// Reads a trace in pieces and in chunks of several sizes, which must not matter. Returns a transcript, or `CODE line:column
/// message`.
pub(crate) fn read(format: Format, bytes: &[u8], setup: &ReaderSetup) -> String {
    let mut first = None;
    for step in [usize::MAX, 1, 2, 3, 7, 64] {
        let result = open(SlowInput::new(bytes, step), "t", Some(format), setup.clone())
            .and_then(|mut reader: AnyReader<'_>| transcript(&mut reader));
        let result = describe(result);
        let first = first.get_or_insert_with(|| result.clone());
        assert_eq!(&result, first, "in steps of {step}");
    }
    let expected = first.unwrap_or_default();
    for length in [1, 30, 200] {
        let reader = open(Cursor::new(bytes.to_vec()), "t", Some(format), setup.clone());
        let result = match reader.map(|reader| ChunkedReader::with_length(reader, 1, length)) {
            Ok(Ok(mut reader)) => transcript(&mut reader),
            Ok(Err(_)) => break,
            Err(error) => Err(error),
        };
        assert_eq!(describe(result), expected, "in chunks of {length}");
    }
    expected
}
