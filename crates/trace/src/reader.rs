// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every reader offers, and how one is opened.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::path::Path;

use gnomon_core::event::{Event, Fields, Projection};
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use memchr::{memchr_iter, memrchr};

use crate::arrow::ArrowReader;
use crate::buffer::Buffer;
use crate::csv::CsvReader;
use crate::error::TraceError;
use crate::format::{Format, HEAD};
use crate::json::JsonReader;
use crate::message::{Adapter, MessageReader};
use crate::monpoly::MonpolyReader;
use crate::ndjson::NdjsonReader;
use crate::otlp::OtlpReader;
use crate::parquet;
use crate::text::{TextPattern, TextReader, Unmatched, no_pattern};
use crate::xes::XesReader;
use crate::xml::XmlReader;

/// What a reader must know before it begins.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The names that are known already; those of the trace are added.
    pub symbols: Symbols,
    /// What is wanted of the events.
    pub projection: Projection,
    /// The field with the events' names; `None`: `event`, or else `name`. In formats whose names have a place of their
    /// own it says nothing.
    pub event_field: Option<String>,
    /// The declared time field.
    pub time_field: Option<String>,
    /// How the trace's numbers become times.
    pub clock: Clock,
    /// How the lines of a plain text log are events. With it an input is a text log, unless the format is given or the
    /// extension tells another.
    pub text: Option<TextPattern>,
    /// How captured messages are events, beyond what they say themselves.
    pub messages: Adapter,
}

impl Setup {
    /// A setup that wants every field of every event.
    #[must_use]
    pub fn everything() -> Setup {
        let mut setup = Setup::default();
        setup.projection.add_everything();
        setup
    }
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
    /// Where an input begins.
    pub(crate) const START: Place = Place { line: 1, column: 1 };

    /// Where `at` bytes after the start of this text is, if the text begins a line.
    #[cold]
    pub(crate) fn within(first_line: u64, text: &[u8], at: usize) -> Place {
        Place { line: first_line, column: 1 }.after(&text[..at.min(text.len())])
    }

    /// Where a text that begins here ends.
    #[inline]
    pub(crate) fn after(self, text: &[u8]) -> Place {
        const FEW: usize = 24;
        if text.len() > FEW {
            return self.after_many(text);
        }
        let Place { mut line, mut column } = self;
        for &byte in text {
            column += u64::from(byte & 0xC0 != 0x80);
            if byte == b'\n' {
                (line, column) = (line + 1, 1);
            }
        }
        Place { line, column }
    }

    #[inline(never)]
    fn after_many(self, text: &[u8]) -> Place {
        let characters = |text: &[u8]| text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64;
        match memrchr(b'\n', text) {
            None => Place { line: self.line, column: self.column + characters(text) },
            Some(last) => {
                let newlines = 1 + memchr_iter(b'\n', &text[..last]).count() as u64;
                Place { line: self.line + newlines, column: characters(&text[last + 1..]) + 1 }
            }
        }
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

    /// Where the times come from: the field with this name, in formats that have no field for it a word that stands
    /// for it, `None` where places are times. Known once the first event was read.
    fn time_field(&self) -> Option<&str>;

    /// Every field of the present event with its name, in the order of the file, the time among them. All are there
    /// if the projection wants all of this event.
    fn entries(&self) -> Vec<Entry<'_>>;

    /// The case that the present event belongs to, in formats that tell cases apart.
    fn case(&self) -> Option<&str> {
        None
    }

    /// A number that changes with the case. Times are in order within a case.
    #[inline]
    fn case_number(&self) -> u64 {
        0
    }

    /// The lines of a text log that are no events.
    fn unmatched(&self) -> Option<&Unmatched> {
        None
    }

    /// The events that come next, if it is known without reading them that none of them has a name that
    /// [`Setup::symbols`] had, and that nothing is wanted of the others. [`Reader::leap`] passes them; else they are read.
    #[inline]
    fn gap(&mut self) -> Option<Gap> {
        None
    }

    /// Passes the events of the gap that [`Reader::gap`] told just now.
    fn leap(&mut self, gap: Gap) {
        let _ = gap;
    }

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

/// Events one after the other of which nothing is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// How many; at least one.
    pub events: u64,
    /// The time of the first.
    pub first: Timestamp,
    /// The time of the last.
    pub last: Timestamp,
}

/// What a reader around another one answers alike. The other one is its field `reader`.
#[macro_export]
macro_rules! answer_from_reader {
    () => {
        fn symbols(&self) -> &gnomon_core::symbols::Symbols {
            self.reader.symbols()
        }

        fn projection(&self) -> &gnomon_core::event::Projection {
            self.reader.projection()
        }

        fn clock(&self) -> gnomon_core::time::Clock {
            self.reader.clock()
        }

        fn time_kind(&self) -> gnomon_core::time::TimeKind {
            self.reader.time_kind()
        }

        fn bytes_read(&self) -> u64 {
            self.reader.bytes_read()
        }

        fn source_name(&self) -> &str {
            self.reader.source_name()
        }

        fn time_field(&self) -> Option<&str> {
            self.reader.time_field()
        }
    };
}

/// A field with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry<'a> {
    /// The name.
    pub key: Cow<'a, str>,
    /// The value.
    pub value: Value<'a>,
    /// Whether it is the event's time.
    pub is_time: bool,
}

impl Entry<'_> {
    /// The field with text of its own.
    pub fn into_owned(self) -> Entry<'static> {
        let key = Cow::Owned(self.key.into_owned());
        Entry { key, value: self.value.into_owned(), is_time: self.is_time }
    }
}

/// A reader of one of the formats. An enum rather than a trait object, so that a loop over it is compiled for each.
pub enum AnyReader<R> {
    /// See [`Format::Csv`].
    Csv(CsvReader<R>),
    /// See [`Format::Ndjson`].
    Ndjson(NdjsonReader<R>),
    /// See [`Format::Json`].
    Json(JsonReader<R>),
    /// See [`Format::Xml`].
    Xml(XmlReader<R>),
    /// See [`Format::Xes`].
    Xes(XesReader<R>),
    /// See [`Format::Monpoly`].
    Monpoly(MonpolyReader<R>),
    /// See [`Format::Text`].
    Text(TextReader<R>),
    /// See [`Format::Messages`].
    Messages(MessageReader<R>),
    /// See [`Format::Otlp`].
    Otlp(OtlpReader<R>),
    /// See [`Format::Parquet`]; or the columns of another program.
    Arrow(ArrowReader),
}

/// Begins to read a trace. `name` stands for the input in messages, and its extension tells the format where none is
/// given. What is packed with gzip or zstd is unpacked on the way.
pub fn open<R: Read>(input: R, name: &str, format: Option<Format>, setup: Setup) -> Result<AnyReader<R>, TraceError> {
    let start = |fault| TraceError::new(name, Place::START, fault);
    let mut buffer = Buffer::open(input).map_err(start)?;
    let by_name = || Format::of_path(Path::new(name), setup.text.is_some());
    let format = if let Some(format) = format.or_else(by_name) {
        format
    } else {
        buffer.fill(HEAD).map_err(start)?;
        // Whether lines are captured messages can be told from a whole line only.
        while Format::is_undecided(buffer.row()) {
            let seen = buffer.row().len();
            buffer.fill(2 * seen).map_err(start)?;
            if buffer.row().len() == seen {
                break;
            }
        }
        Format::detect(Some(Path::new(name)), buffer.row())
    };
    Ok(match format {
        Format::Csv => AnyReader::Csv(CsvReader::new(buffer, name, setup)?),
        Format::Ndjson => AnyReader::Ndjson(NdjsonReader::new(buffer, name, setup)),
        Format::Json => AnyReader::Json(JsonReader::new(buffer, name, setup)),
        Format::Xml => AnyReader::Xml(XmlReader::new(buffer, name, setup)),
        Format::Xes => AnyReader::Xes(XesReader::new(buffer, name, setup)),
        Format::Monpoly => AnyReader::Monpoly(MonpolyReader::new(buffer, name, setup)),
        Format::Text => {
            let mut setup = setup;
            let pattern = setup.text.take().ok_or_else(|| start(no_pattern()))?;
            AnyReader::Text(TextReader::new(buffer, name, pattern, setup).map_err(start)?)
        }
        Format::Messages => AnyReader::Messages(MessageReader::new(buffer, name, setup)),
        Format::Otlp => AnyReader::Otlp(OtlpReader::new(buffer, name, setup)),
        Format::Parquet => AnyReader::Arrow(parquet::open_stream(buffer, name, setup)?),
    })
}

impl<R: Read> AnyReader<R> {
    /// Asks for the events of one case after the other, and tells whether the format has cases. To be asked before the
    /// first event is read.
    #[must_use]
    pub fn by_case(self) -> (Self, bool) {
        match self {
            AnyReader::Otlp(reader) => (AnyReader::Otlp(reader.by_trace()), true),
            AnyReader::Xes(_) => (self, true),
            other => (other, false),
        }
    }
}

/// Calls the reader inside.
macro_rules! delegate {
    ($any:expr, $reader:ident => $call:expr) => {
        match $any {
            AnyReader::Csv($reader) => $call,
            AnyReader::Ndjson($reader) => $call,
            AnyReader::Json($reader) => $call,
            AnyReader::Xml($reader) => $call,
            AnyReader::Xes($reader) => $call,
            AnyReader::Monpoly($reader) => $call,
            AnyReader::Text($reader) => $call,
            AnyReader::Messages($reader) => $call,
            AnyReader::Otlp($reader) => $call,
            AnyReader::Arrow($reader) => $call,
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
    fn time_field(&self) -> Option<&str> {
        delegate!(self, reader => reader.time_field())
    }
    fn entries(&self) -> Vec<Entry<'_>> {
        delegate!(self, reader => reader.entries())
    }
    fn case(&self) -> Option<&str> {
        delegate!(self, reader => reader.case())
    }
    #[inline]
    fn case_number(&self) -> u64 {
        delegate!(self, reader => reader.case_number())
    }
    fn unmatched(&self) -> Option<&Unmatched> {
        delegate!(self, reader => reader.unmatched())
    }
}
