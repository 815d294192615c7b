// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every reader offers, and how one is opened.

use std::fmt;
use std::io::Read;
use std::path::Path;

use gnomon_core::event::{Event, Fields, Projection};
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{Clock, TimeKind};
use gnomon_core::verdict::Origin;

use crate::buffer::Buffer;
use crate::csv::CsvReader;
use crate::error::TraceError;
use crate::format::Format;
use crate::ndjson::NdjsonReader;

/// What a reader must know before it begins.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The names that are known already; those of the trace are added.
    pub symbols: Symbols,
    /// What is wanted of the events.
    pub projection: Projection,
    /// The declared time field.
    pub time_field: Option<String>,
    /// How the trace's numbers become times.
    pub clock: Clock,
}

/// A place in the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1, in characters.
    pub column: u64,
}

impl Place {
    /// Where `at` bytes after the start of this text is, if the text begins a line.
    #[cold]
    pub(crate) fn within(first_line: u64, text: &[u8], at: usize) -> Place {
        let before = &text[..at.min(text.len())];
        let newlines = memchr::memchr_iter(b'\n', before).count() as u64;
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let characters = before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64;
        Place { line: first_line + newlines, column: characters + 1 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A source of events.
pub trait Reader {
    /// Goes on to the next event; `None` at the end. After an error the reader is of no further use.
    fn advance(&mut self) -> Result<Option<Origin>, TraceError>;

    /// The fields of the event that [`Reader::advance`] went to.
    fn fields(&self) -> &dyn Fields;

    /// All event names met so far, after those of [`Setup::symbols`].
    fn symbols(&self) -> &Symbols;

    /// What is wanted of the events.
    fn projection(&self) -> &Projection;

    /// How the trace's numbers become times.
    fn clock(&self) -> Clock;

    /// What the times are; known once the first event was read.
    fn time_kind(&self) -> TimeKind;

    /// How many bytes of the input lie behind.
    fn bytes_read(&self) -> u64;

    /// Where the last event begins.
    fn place(&self) -> Place;

    /// The input's name, for messages.
    fn source_name(&self) -> &str;

    /// The next event; `None` at the end.
    #[inline]
    fn next(&mut self) -> Result<Option<Event<'_>>, TraceError> {
        Ok(self.advance()?.map(|origin| Event {
            name: origin.event,
            index: origin.event_index,
            time: origin.time,
            fields: self.fields(),
        }))
    }
}

/// A reader of one of the formats. An enum rather than a trait object, so that a loop over it is compiled for each.
pub enum AnyReader<R> {
    /// See [`Format::Csv`].
    Csv(CsvReader<R>),
    /// See [`Format::Ndjson`].
    Ndjson(NdjsonReader<R>),
}

/// Begins to read a trace. `name` stands for the input in messages, and its extension tells the format where none is
/// given.
pub fn open<R: Read>(input: R, name: &str, format: Option<Format>, setup: Setup) -> Result<AnyReader<R>, TraceError> {
    let start = |fault| TraceError::new(name, Place { line: 1, column: 1 }, fault);
    let buffer = Buffer::open(input).map_err(start)?;
    Ok(match format.unwrap_or_else(|| Format::detect(Some(Path::new(name)), buffer.row())) {
        Format::Csv => AnyReader::Csv(CsvReader::new(buffer, name, setup)?),
        Format::Ndjson => AnyReader::Ndjson(NdjsonReader::new(buffer, name, setup)),
    })
}

/// Calls the reader inside.
macro_rules! delegate {
    ($any:expr, $reader:ident => $call:expr) => {
        match $any {
            AnyReader::Csv($reader) => $call,
            AnyReader::Ndjson($reader) => $call,
        }
    };
}

impl<R: Read> Reader for AnyReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        delegate!(self, reader => reader.advance())
    }
    #[inline]
    fn fields(&self) -> &dyn Fields {
        delegate!(self, reader => reader.fields())
    }
    fn symbols(&self) -> &Symbols {
        delegate!(self, reader => reader.symbols())
    }
    fn projection(&self) -> &Projection {
        delegate!(self, reader => reader.projection())
    }
    fn clock(&self) -> Clock {
        delegate!(self, reader => reader.clock())
    }
    fn time_kind(&self) -> TimeKind {
        delegate!(self, reader => reader.time_kind())
    }
    fn bytes_read(&self) -> u64 {
        delegate!(self, reader => reader.bytes_read())
    }
    #[inline]
    fn place(&self) -> Place {
        delegate!(self, reader => reader.place())
    }
    fn source_name(&self) -> &str {
        delegate!(self, reader => reader.source_name())
    }
}
