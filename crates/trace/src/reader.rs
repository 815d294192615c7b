// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface of all readers, and the function that opens one.
//!
//! A [`Reader`] is a cursor over events. [`Reader::advance`] moves to the next one and returns its name, time and index; [`Reader::fields`]
//! gives access to its fields until the next call, without copying them. [`open`] decompresses the input, detects the format from the
//! extension and the first bytes, and creates the reader of that format.
//!
//! INVARIANT: a reader holds one row in memory, whatever the length of the trace, and decodes only the fields of its projection.
//! [`Reader::time_kind`] and [`Reader::time_field`] are known after the first event, because that event decides them.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use gnomon_core::event::{Event, Fields, Projection};
use gnomon_core::event_block::EventBlock;
use gnomon_core::symbols::{Key, Name, Symbols};
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_message::Adapter;
use gnomon_scan::{Buffer, Fault, TraceError};

use crate::arrow::ArrowReader;
use crate::cancellable::CancellableFile;
use crate::checkpoints::{Checkpoint, Checkpoints};
use crate::chunks::{ChunkedReader, ParseQueue};
use crate::csv::CsvReader;
use crate::dates::DateNotation;
use crate::decompressed_input::DecompressedInput;
use crate::format::{Format, HEAD, LONG_HEAD};
use crate::json::JsonReader;
use crate::logfmt::LogfmtReader;
use crate::messages::MessageReader;
use crate::monpoly::MonpolyReader;
use crate::name_template::NameTemplate;
use crate::ndjson::NdjsonReader;
use crate::otlp::OtlpReader;
use crate::owned::OwnedEventReader;
use crate::parquet;
use crate::state::{ReaderState, RecognisedFact, SkippedEvents, UnmatchedLines};
use crate::text::{
    Preset, TextPattern, TextReader, binary, is_binary, looks_like_text, no_pattern, not_recognised, recognise,
};
use crate::xes::XesReader;
use crate::xml::XmlReader;

/// The parameters of a reader.
#[derive(Clone, Debug, Default)]
pub struct ReaderSetup {
    /// The symbols of the properties; the names of the trace are added.
    pub symbols: Symbols,
    /// The fields that are wanted of each event.
    pub projection: Projection,
    /// The field with the event names; by default `event`, or else `name`. Ignored in formats that have a fixed place
    /// for the name.
    pub event_field: Option<String>,
    /// The declared names of events. Ignored if there is an `event_field`, and in formats that have a fixed place for the name.
    pub name: Option<NameTemplate>,
    /// The declared time field.
    pub time_field: Option<String>,
    /// The conversion of the trace's numbers to times.
    pub clock: Clock,
    /// The declared notation of date-times.
    pub dates: DateNotation,
    /// True if events without a time may stand among events with one, in NDJSON and XML. [`Reader::time_kind`] is then that of the
    /// current event. Ignored if there is a `time_field`.
    pub allows_untimed: bool,
    /// The declared format of a log. With it an input is such a log, unless the format is given or the extension is
    /// that of another format.
    pub log: Option<LogFormat>,
    /// The queries that turn captured messages into events, beyond their own structure.
    pub messages: Adapter,
}

/// The declared format of a log.
#[derive(Clone, Debug)]
pub enum LogFormat {
    /// Lines that match a pattern or have a usual format.
    Lines(TextPattern),
    /// Lines of `key=value` pairs; `strict` makes other lines an error.
    Logfmt {
        /// True if other lines are an error.
        strict: bool,
    },
    /// A table without a header; the names of its columns.
    Csv(Vec<String>),
}

impl LogFormat {
    /// Returns the format of the reader.
    fn format(&self) -> Format {
        match self {
            LogFormat::Lines(_) => Format::Text,
            LogFormat::Logfmt { .. } => Format::Logfmt,
            LogFormat::Csv(_) => Format::Csv,
        }
    }

    /// Returns true if its lines are JSON.
    fn is_json(&self) -> bool {
        let usual = if let LogFormat::Lines(pattern) = self { pattern.usual_format() } else { None };
        matches!(usual, Some(Preset::Docker | Preset::Json))
    }
}

impl ReaderSetup {
    /// Returns the format of an input if its name and the declared format of a log decide.
    pub(crate) fn format_of(&self, name: &str) -> Option<Format> {
        let declared = self.log.as_ref();
        Format::of_path(Path::new(name), declared.map(LogFormat::format), declared.is_some_and(LogFormat::is_json))
    }

    /// Creates a setup that wants every field of every event.
    #[must_use]
    pub fn everything() -> ReaderSetup {
        let mut setup = ReaderSetup::default();
        setup.projection.add_everything();
        setup
    }

    /// Returns the source of event names.
    pub(crate) fn name_source(&self) -> NameSource<'_> {
        let field = self.event_field.as_deref().or_else(|| self.name.as_ref()?.only_field());
        match (field, &self.name) {
            (Some(field), _) => NameSource::Field(field),
            (None, Some(template)) => NameSource::Template(template),
            (None, None) => NameSource::Usual,
        }
    }
}

/// The source of event names in formats that have no fixed place for them.
#[derive(Clone, Copy)]
pub(crate) enum NameSource<'a> {
    /// The field `event`, or else `name`.
    Usual,
    Field(&'a str),
    Template(&'a NameTemplate),
}

pub use gnomon_scan::Location;

/// A source of events.
pub trait Reader {
    /// Advances to the next event; returns `None` at the end. After an error the reader must not be used any more.
    fn advance(&mut self) -> Result<Option<Origin>, TraceError>;

    /// Reads on while events have names of `bare`, each on a line of its own, and appends them to the empty list `run`, at most
    /// [`RUN_LENGTH`] of them. The event after them, and all events of a format that has no faster way to read such runs, are left
    /// to [`Reader::advance`].
    fn advance_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) {
        let _ = (bare, run);
    }

    /// Reads on while events have names of `names`, each on a line of its own, and nothing is wanted of them but whole numbers. Sets the
    /// columns of `block` and adds the events, at most [`RUN_LENGTH`] of them, each with the field `required`, if there is one. The event
    /// after them, and all events of a format that has no faster way to read such blocks, are left to [`Reader::advance`].
    fn advance_block(&mut self, names: &NameSet, required: Option<Key>, block: &mut EventBlock) {
        let _ = (names, required, block);
    }

    /// Returns the fields of the current event.
    fn fields(&self) -> &dyn Fields;

    /// Returns the state that readers of all formats share.
    fn state(&self) -> &ReaderState;

    /// Returns the number of bytes of the input that were read.
    fn bytes_read(&self) -> u64;

    /// Returns the symbols: those of [`ReaderSetup::symbols`], then all event names so far.
    fn symbols(&self) -> &Symbols {
        self.state().symbols()
    }

    /// Returns the fields that are wanted of each event.
    fn projection(&self) -> &Projection {
        &self.state().projection
    }

    /// Returns the unit of times that are numbers.
    fn clock(&self) -> Clock {
        self.state().clock()
    }

    /// Returns the kind of the times; known after the first event.
    fn time_kind(&self) -> TimeKind {
        self.state().time_kind()
    }

    /// Returns the location at which the current event begins.
    #[inline]
    fn location(&self) -> Location {
        self.state().location
    }

    /// Returns the name of the input, for messages.
    fn source_name(&self) -> &str {
        &self.state().source
    }

    /// Returns the name of the time field, or a word for it in formats that have no such field; `None` where positions
    /// are times. Known after the first event.
    fn time_field(&self) -> Option<&str> {
        self.state().time_field.as_deref()
    }

    /// Returns the fields of the current event with their names, in the order of the file, the time included. The list
    /// is complete if the projection wants all fields of this event.
    fn entries(&self) -> Vec<FieldEntry<'_>>;

    /// Returns the case of the current event, in formats that have cases.
    fn case(&self) -> Option<&str> {
        None
    }

    /// Returns a number that changes with the case. Times are in order within a case.
    #[inline]
    fn case_number(&self) -> u64 {
        0
    }

    /// Returns the names of the cases of the format that were read so far and have no events.
    fn empty_cases(&self) -> &[String] {
        &self.state().empty_cases
    }

    /// Returns the numbers of events that were skipped.
    fn skipped(&self) -> SkippedEvents {
        self.state().skipped
    }

    /// Lists the names of all fields of the current event, whether wanted or not, without those of its name and its time. Empty
    /// if the format does not tell.
    fn field_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the lines of a text log that are not events.
    fn unmatched(&self) -> &UnmatchedLines {
        &self.state().unmatched
    }

    /// Lists decisions of the reader that a user must know, such as the year of times without one. Complete at the end.
    fn notes(&self) -> Vec<String> {
        self.state().notes()
    }

    /// Returns the events that come next, if they are known without being read to have no name of
    /// [`ReaderSetup::symbols`], and nothing is wanted of other names. The caller either skips them
    /// ([`Reader::skip_gap`]) or reads them as usual.
    #[inline]
    fn gap(&mut self) -> Option<EventGap> {
        None
    }

    /// Skips the events of the gap that [`Reader::gap`] returned last.
    fn skip_gap(&mut self, gap: EventGap) {
        let _ = gap;
    }

    /// Returns the places of events that were noted so far.
    fn checkpoints(&self) -> &Checkpoints {
        &self.state().checkpoints
    }

    /// Continues with the event of a checkpoint of the same input, which must be after the current event. Returns false if the
    /// format must be read event by event; then nothing has changed.
    fn skip_to(&mut self, checkpoint: Checkpoint) -> Result<bool, TraceError> {
        let _ = checkpoint;
        Ok(false)
    }

    /// Returns true if [`Reader::location`] counts the rows of a table, or events without text, as lines.
    fn counts_rows(&self) -> bool {
        false
    }

    /// Returns the text of the current event, and the number of bytes before it in the decompressed input; `None` in formats without
    /// text.
    fn raw(&self) -> Option<(u64, &[u8])> {
        None
    }

    /// Returns the queue at which other threads can parse the input, if it is cut into chunks.
    fn parse_queue(&self) -> Option<&Arc<ParseQueue>> {
        None
    }

    /// Returns the offset from UTC, in seconds, in which the first date-time of the input is written.
    fn utc_offset(&self) -> i32 {
        self.state().times.dates().utc_offset()
    }

    /// Returns the next event; `None` at the end.
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

/// The greatest number of events that [`Reader::advance_run`] reads at a time. They stay in the first-level cache.
pub const RUN_LENGTH: usize = 256;

/// A set of event names, for a test at every event.
#[derive(Clone, Debug)]
pub struct NameSet {
    listed: Vec<bool>,
    /// True if names that are not listed belong to the set.
    others: bool,
}

impl NameSet {
    /// Creates the set of all names, or of none.
    pub fn new(all: bool) -> Self {
        NameSet { listed: Vec::new(), others: all }
    }

    /// Adds or removes a name.
    pub fn set(&mut self, name: Name, belongs: bool) {
        let index = name.0 as usize;
        if self.listed.len() <= index {
            self.listed.resize(index + 1, self.others);
        }
        self.listed[index] = belongs;
    }

    /// Returns true if a name belongs to the set.
    #[inline]
    pub fn contains(&self, name: Name) -> bool {
        self.listed.get(name.0 as usize).copied().unwrap_or(self.others)
    }
}

/// Consecutive events of which nothing is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventGap {
    /// Their number; at least one.
    pub events: u64,
    /// The time of the first.
    pub first: Timestamp,
    /// The time of the last.
    pub last: Timestamp,
}

/// A field with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldEntry<'a> {
    /// The name.
    pub key: Cow<'a, str>,
    /// The value.
    pub value: Value<'a>,
    /// True for the event's time.
    pub is_time: bool,
}

impl FieldEntry<'_> {
    /// Returns the field with text of its own.
    pub fn into_owned(self) -> FieldEntry<'static> {
        let key = Cow::Owned(self.key.into_owned());
        FieldEntry { key, value: self.value.into_owned(), is_time: self.is_time }
    }
}

/// The bytes that [`AnyReader`] reads. The input is boxed, so that the readers of all formats are compiled once, in this crate, whatever
/// the input is. It is read in large blocks, so the indirect calls cost nothing.
pub(crate) type AnyInput<'a> = DecompressedInput<'a>;

/// A reader of one of the formats. An enum rather than a trait object, so that a caller can compile its loop together with the reader
/// of a format.
pub enum AnyReader<'a> {
    /// See [`Format::Csv`].
    Csv(CsvReader<AnyInput<'a>>),
    /// See [`Format::Ndjson`].
    Ndjson(NdjsonReader<AnyInput<'a>>),
    /// See [`Format::Json`].
    Json(JsonReader<AnyInput<'a>>),
    /// See [`Format::Xml`].
    Xml(XmlReader<AnyInput<'a>>),
    /// See [`Format::Xes`].
    Xes(XesReader<AnyInput<'a>>),
    /// See [`Format::Monpoly`].
    Monpoly(MonpolyReader<AnyInput<'a>>),
    /// See [`Format::Text`].
    Text(TextReader<AnyInput<'a>>),
    /// See [`Format::Logfmt`].
    Logfmt(LogfmtReader<AnyInput<'a>>),
    /// See [`Format::Messages`].
    Messages(MessageReader<AnyInput<'a>>),
    /// See [`Format::Otlp`].
    Otlp(OtlpReader<AnyInput<'a>>),
    /// See [`Format::Parquet`]; also the columns of another program.
    Arrow(ArrowReader),
    /// The events of another program.
    Events(OwnedEventReader),
    /// An input of rows that several threads parse.
    Chunked(Box<ChunkedReader>),
}

/// Begins to read a trace. `name` stands for the input in messages; its extension determines the format if none is
/// given. Compressed input is decompressed.
pub fn open<'a>(
    input: impl Read + Send + 'a,
    name: &str,
    format: Option<Format>,
    setup: ReaderSetup,
) -> Result<AnyReader<'a>, TraceError> {
    open_boxed(Box::new(input), None, name, format, setup)
}

/// Begins to read a trace from an input that is boxed already. `seeker` is a second handle of a file.
pub(crate) fn open_boxed<'a>(
    input: Box<dyn Read + Send + 'a>,
    seeker: Option<CancellableFile>,
    name: &str,
    format: Option<Format>,
    setup: ReaderSetup,
) -> Result<AnyReader<'a>, TraceError> {
    let start = |fault| TraceError::new(name, Location::START, fault);
    let input = DecompressedInput::open(input).map_err(start)?.with_seeker(seeker);
    let mut buffer = Buffer::open(input).map_err(start)?;
    let mut setup = setup;
    let mut recognised = None;
    let format = if let Some(format) = format.or_else(|| setup.format_of(name)) {
        format
    } else {
        let length = head_length(&mut buffer).map_err(start)?;
        let head = &buffer.row()[..length];
        let detected = Format::detect(Some(Path::new(name)), head);
        match recognise(head).filter(|found| detected == Format::Text || found.is_object_of(detected)) {
            Some(found) => {
                let (log, fact) = found.log();
                recognised = Some(fact);
                let format = log.format();
                setup.log = Some(log);
                format
            }
            None if detected != Format::Text => detected,
            None if is_binary(head) => return Err(start(binary())),
            None if looks_like_text(head) => return Err(start(not_recognised(head))),
            None => Format::Csv,
        }
    };
    let mut reader = match format {
        Format::Csv => AnyReader::Csv(CsvReader::new(buffer, name, setup)?),
        Format::Ndjson => AnyReader::Ndjson(NdjsonReader::new(buffer, name, setup)),
        Format::Json => AnyReader::Json(JsonReader::new(buffer, name, setup)),
        Format::Xml => AnyReader::Xml(XmlReader::new(buffer, name, setup)),
        Format::Xes => AnyReader::Xes(XesReader::new(buffer, name, setup)),
        Format::Monpoly => AnyReader::Monpoly(MonpolyReader::new(buffer, name, setup)),
        Format::Text => {
            let Some(LogFormat::Lines(pattern)) = setup.log.take() else {
                buffer.fill(HEAD).map_err(start)?;
                return Err(start(no_pattern(buffer.row())));
            };
            AnyReader::Text(TextReader::new(buffer, name, pattern, setup).map_err(start)?)
        }
        Format::Logfmt => AnyReader::Logfmt(LogfmtReader::new(buffer, name, setup)),
        Format::Messages => AnyReader::Messages(MessageReader::new(buffer, name, setup)),
        Format::Otlp => AnyReader::Otlp(OtlpReader::new(buffer, name, setup)),
        Format::Parquet => AnyReader::Arrow(parquet::open_stream(buffer, name, setup)?),
    };
    reader.add_recognised(recognised);
    Ok(reader)
}

/// Reads the beginning of the input and returns how many of its bytes determine the format. The number depends on the bytes alone: the
/// buffer may hold more, depending on how many bytes each read returned.
fn head_length(buffer: &mut Buffer<AnyInput<'_>>) -> Result<usize, Fault> {
    let mut length = HEAD;
    loop {
        buffer.fill(length)?;
        let Some(head) = buffer.row().get(..length) else { return Ok(buffer.row().len()) };
        if length >= LONG_HEAD || !Format::is_undecided(head) {
            return Ok(length);
        }
        length *= 2;
    }
}

impl AnyReader<'_> {
    /// Adds the format that was recognised, before what the reader itself found.
    fn add_recognised(&mut self, fact: Option<RecognisedFact>) {
        let state = match self {
            AnyReader::Text(reader) => reader.state_mut(),
            AnyReader::Logfmt(reader) => reader.state_mut(),
            _ => return,
        };
        state.recognised.splice(..0, fact);
    }

    /// Divides the work of a reader that has read nothing among threads, if its input can be cut into chunks of rows
    /// ([`ChunkedReader`]).
    #[must_use]
    pub fn in_chunks(self, threads: usize) -> Self
    where
        Self: 'static,
    {
        match ChunkedReader::new(self, threads) {
            Ok(reader) => AnyReader::Chunked(Box::new(reader)),
            Err(reader) => *reader,
        }
    }

    /// Requests the events of one case after the other; returns true if the format has cases. Must be called before the
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
            AnyReader::Logfmt($reader) => $call,
            AnyReader::Messages($reader) => $call,
            AnyReader::Otlp($reader) => $call,
            AnyReader::Arrow($reader) => $call,
            AnyReader::Events($reader) => $call,
            AnyReader::Chunked($reader) => $call,
        }
    };
}

impl Reader for AnyReader<'_> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        delegate!(self, reader => reader.advance())
    }
    fn advance_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) {
        delegate!(self, reader => reader.advance_run(bare, run));
    }

    fn advance_block(&mut self, names: &NameSet, required: Option<Key>, block: &mut EventBlock) {
        delegate!(self, reader => reader.advance_block(names, required, block));
    }
    #[inline]
    fn fields(&self) -> &dyn Fields {
        delegate!(self, reader => reader.fields())
    }
    fn state(&self) -> &ReaderState {
        delegate!(self, reader => reader.state())
    }
    fn bytes_read(&self) -> u64 {
        delegate!(self, reader => reader.bytes_read())
    }
    #[inline]
    fn location(&self) -> Location {
        delegate!(self, reader => reader.location())
    }
    fn entries(&self) -> Vec<FieldEntry<'_>> {
        delegate!(self, reader => reader.entries())
    }
    fn case(&self) -> Option<&str> {
        delegate!(self, reader => reader.case())
    }
    #[inline]
    fn case_number(&self) -> u64 {
        delegate!(self, reader => reader.case_number())
    }
    fn field_names(&self) -> Vec<String> {
        delegate!(self, reader => reader.field_names())
    }
    #[inline]
    fn gap(&mut self) -> Option<EventGap> {
        delegate!(self, reader => reader.gap())
    }
    fn skip_gap(&mut self, gap: EventGap) {
        delegate!(self, reader => reader.skip_gap(gap));
    }
    fn skip_to(&mut self, checkpoint: Checkpoint) -> Result<bool, TraceError> {
        delegate!(self, reader => reader.skip_to(checkpoint))
    }
    fn counts_rows(&self) -> bool {
        delegate!(self, reader => reader.counts_rows())
    }
    fn raw(&self) -> Option<(u64, &[u8])> {
        delegate!(self, reader => reader.raw())
    }
    fn parse_queue(&self) -> Option<&Arc<ParseQueue>> {
        delegate!(self, reader => reader.parse_queue())
    }
}
