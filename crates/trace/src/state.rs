// SPDX-License-Identifier: MIT OR Apache-2.0
//! State that the readers of all formats share, and faults about missing times.
//!
//! [`ReaderState`] is what does not depend on a grammar: the numbers of names, the kind and the unit of times, the index of the next
//! event, what was skipped, and notes for the user. A reader of a format has one and updates it with each event; threads that parse
//! chunks each have a copy (`fork`), with the decisions that the first event led to.

use gnomon_core::event::{FieldSelection, Projection};
use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::verdict::Origin;
use gnomon_scan::{Code, Cursor, Fault, Location, TraceError};

use crate::advice::time_declaration;
use crate::checkpoints::Checkpoints;
use crate::dates::DateState;
use crate::names::EventNames;
use crate::reader::ReaderSetup;
use crate::text::{recognise, suggest};
use crate::times::{TimeParser, is_likely_field};

/// The state of a reader between two events. The default methods of [`crate::Reader`] use it, so that the module of a format mainly
/// contains its grammar.
pub struct ReaderState {
    /// The name of the input.
    pub(crate) source: String,
    pub(crate) names: EventNames,
    pub(crate) projection: Projection,
    pub(crate) times: TimeParser,
    /// The time field, once it is known.
    pub(crate) time_field: Option<String>,
    /// The index of the next event.
    pub(crate) index: u64,
    /// The location at which the current event begins.
    pub(crate) location: Location,
    /// True if any field of the current event is wanted.
    pub(crate) has_fields: bool,
    /// Numbers of events that were skipped.
    pub(crate) skipped: SkippedEvents,
    /// Names of the cases of the format that have no events.
    pub(crate) empty_cases: Vec<String>,
    /// Lines of a text log that are not events.
    pub(crate) unmatched: UnmatchedLines,
    /// Places of events, in formats in which a reader can continue at one.
    pub(crate) checkpoints: Checkpoints,
    /// The number of lines of a text log that continue the event before them.
    pub(crate) continued: u64,
    /// The number of lines of a text log that are comments: they begin with `#` and are not events.
    pub(crate) comments: u64,
    /// The index of the next event, and the number of continuation lines read while it was the next one.
    continued_event: (u64, u64),
    /// Facts about the input that a spec could declare.
    pub(crate) recognised: Vec<RecognisedFact>,
    /// Other decisions of the reader that a user must know.
    pub(crate) notes: Vec<String>,
    /// True if the input is cut into chunks, so that the end of the bytes is not the end of the input.
    pub(crate) is_chunked: bool,
    untimed: UntimedEvents,
}

/// Events without a time among events with one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UntimedEvents {
    Refused,
    /// `is_current`: the current event has no time.
    Allowed {
        is_current: bool,
    },
}

/// A fact that was found by looking at the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RecognisedFact {
    /// The fact, in half a sentence.
    pub(crate) fact: String,
    /// The declaration that says the same.
    pub(crate) declaration: String,
}

/// Numbers of events that cannot be checked and were skipped, in formats where that is usual.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SkippedEvents {
    /// Events without a name.
    pub unnamed: u64,
    /// Events without a time, in a trace whose other events have times.
    pub untimed: u64,
}

/// Lines that are not events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnmatchedLines {
    /// Their number.
    pub count: u64,
    /// The first few.
    pub first: Vec<LineSample>,
}

/// A line that is not an event, and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineSample {
    /// The number of the line, from 1.
    pub line: u64,
    /// Its beginning.
    pub text: String,
    /// The reason why it is not an event, in half a sentence.
    pub reason: String,
}

/// The number of unmatched lines that are listed.
const SHOWN: usize = 10;
/// More lines than this are not a stack trace, but another format.
const LONGEST_CONTINUATION: u64 = 1_000;

impl UnmatchedLines {
    /// Adds the lines of the chunk that comes next.
    fn join(&mut self, chunk: UnmatchedLines) {
        self.count += chunk.count;
        let room = SHOWN.saturating_sub(self.first.len());
        self.first.extend(chunk.first.into_iter().take(room));
    }

    /// Counts a line, and lists it if it is one of the first.
    #[cold]
    pub(crate) fn add(&mut self, line: u64, text: &[u8], reason: impl FnOnce() -> String) {
        const LONGEST: usize = 160;
        self.count += 1;
        if self.first.len() < SHOWN {
            let text = String::from_utf8_lossy(&text[..text.len().min(4 * LONGEST)]);
            let mut shown: String = text.chars().take(LONGEST).collect();
            if text.chars().count() > LONGEST {
                shown.push('…');
            }
            self.first.push(LineSample { line, text: shown, reason: reason() });
        }
    }
}

impl ReaderState {
    /// Creates the state before the first event. Takes symbols, projection and clock from the setup.
    pub fn new(source: &str, setup: &mut ReaderSetup) -> Self {
        let names = EventNames::new(std::mem::take(&mut setup.symbols));
        let times = TimeParser::new(setup.clock).with_dates(std::mem::take(&mut setup.dates));
        let start = Self::at_start(source.to_owned(), names, std::mem::take(&mut setup.projection), times);
        let allows_untimed = setup.allows_untimed && setup.time_field.is_none();
        let untimed =
            if allows_untimed { UntimedEvents::Allowed { is_current: false } } else { UntimedEvents::Refused };
        ReaderState { untimed, ..start }
    }

    fn at_start(source: String, names: EventNames, projection: Projection, times: TimeParser) -> Self {
        ReaderState {
            source,
            names,
            projection,
            times,
            time_field: None,
            index: 0,
            location: Location::START,
            has_fields: false,
            skipped: SkippedEvents::default(),
            empty_cases: Vec::new(),
            unmatched: UnmatchedLines::default(),
            checkpoints: Checkpoints::default(),
            continued: 0,
            comments: 0,
            continued_event: (0, 0),
            recognised: Vec::new(),
            notes: Vec::new(),
            is_chunked: false,
            untimed: UntimedEvents::Refused,
        }
    }

    /// Lists decisions of the reader that a user must know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let continued = match self.continued {
            0 => None,
            1 => Some("1 line continues the event before it, as in a stack trace".to_owned()),
            count => Some(format!("{count} lines continue the event before them, as in a stack trace")),
        };
        let recognised = self
            .recognised
            .iter()
            .map(|RecognisedFact { fact, declaration }| format!("{fact}; `{declaration}` in the spec says so"));
        recognised.chain(self.notes.iter().cloned()).chain(self.times.dates().notes()).chain(continued).collect()
    }

    /// Sets the time field and the kind of the times; without a field, positions are times.
    pub fn set_times(&mut self, field: Option<&str>, kind: TimeKind) {
        self.time_field = field.map(str::to_owned);
        self.times.set_kind(kind);
    }

    /// Sets the time field, one of the fields of the first event; without one, positions are times.
    pub(crate) fn set_time_field<S: AsRef<str>>(&mut self, field: Option<&str>, fields: &[S]) {
        self.time_field = field.map(str::to_owned);
        if field.is_none() {
            if !self.allows_untimed() {
                self.times.set_kind(TimeKind::Position);
            }
            if let Some(likely) = fields.iter().map(AsRef::as_ref).find(|field| is_likely_field(field)) {
                self.suggest_time_field(likely);
            }
        }
    }

    /// Notes that a field, or a path into one, may have the times; the first such note stays.
    #[cold]
    pub(crate) fn suggest_time_field(&mut self, field: &str) {
        const START: &str = "the events have no times";
        if !self.notes.iter().any(|note| note.starts_with(START)) {
            let declaration = time_declaration(field);
            self.notes.push(format!("{START}; if their times are in `{field}`, declare `{declaration}` in the spec"));
        }
    }

    /// Completes an event: assigns its index and, where positions are times, its time.
    #[inline]
    pub(crate) fn origin(&mut self, event: Name, time: Option<Timestamp>) -> Origin {
        let event_index = self.index;
        self.index += 1;
        if let UntimedEvents::Allowed { is_current } = &mut self.untimed {
            *is_current = time.is_none();
        }
        let time = time.unwrap_or_else(|| self.times.whole(event_index as i64));
        Origin { event_index, time, event }
    }

    /// Notes the place of the current line, which is the next event.
    #[inline]
    pub(crate) fn note_line<R>(&mut self, cursor: &Cursor<R>) {
        self.checkpoints.note(self.index, cursor.location().line, cursor.buffer.row_offset());
    }

    /// Returns the fields that are wanted of an event with this name, and updates `has_fields`.
    #[inline]
    pub(crate) fn want(&mut self, event: Name) -> &FieldSelection {
        let want = self.projection.selection(event);
        self.has_fields = *want != FieldSelection::Nothing;
        want
    }

    /// Counts a line that is not an event: as one that continues the event before it, or as one that does not match.
    #[cold]
    pub(crate) fn add_unmatched(&mut self, line: u64, text: &[u8], reason: impl FnOnce() -> String) {
        if self.continues_event(text) && self.continued_event.1 < LONGEST_CONTINUATION {
            self.continued_event.1 += 1;
            self.continued += 1;
        } else {
            self.unmatched.add(line, text, reason);
        }
    }

    /// Returns true if a line that is not an event continues the event before it.
    #[cold]
    pub(crate) fn continues_event(&mut self, text: &[u8]) -> bool {
        if self.continued_event.0 != self.index {
            self.continued_event = (self.index, 0);
        }
        self.index > 0 && is_continuation(text)
    }

    /// Refuses an input of which more lines are not events than are, or of which more events have no name or no time than have
    /// both: a verdict on what little is left would look like a verdict on the log. Called at the end of the bytes.
    pub(crate) fn check_end(&self) -> Result<(), TraceError> {
        if self.is_chunked { Ok(()) } else { self.check_counts() }
    }

    /// Does the work of [`ReaderState::check_end`] at the end of the input.
    pub(crate) fn check_counts(&self) -> Result<(), TraceError> {
        let UnmatchedLines { count, first } = &self.unmatched;
        if *count > self.index {
            let message = match self.index {
                0 => format!("no line of the log is an event: {count} of {count} do not match its format"),
                events => {
                    let all = count + events;
                    format!("{count} of {all} lines do not match the format of the log")
                }
            };
            let note = |sample: &LineSample| {
                let LineSample { line, text, reason } = sample;
                format!("line {line}: {reason}: {text}")
            };
            let line = first.first().map_or(1, |sample| sample.line);
            let fault = Fault::new(Code::NoMatch, 0, message).notes(first.iter().take(3).map(note)).help(format!(
                "declare the format of its lines, {}; `gnomon explain G0526` says more",
                format_advice(first)
            ));
            return Err(TraceError::new(&self.source, Location { line, column: 1 }, fault));
        }
        if self.index == 0 && self.comments > 0 {
            let fault = Fault::new(Code::NoMatch, 0, "no line of the log is an event: all begin with `#`")
                .help("lines that begin with `#` are comments, unless the declared format of the log matches them");
            return Err(TraceError::new(&self.source, Location::START, fault));
        }
        let SkippedEvents { unnamed, untimed } = self.skipped;
        let skipped = unnamed + untimed;
        if skipped > self.index {
            let message = match self.index {
                0 => format!("no event of the log can be checked: without a name {unnamed}, without a time {untimed}"),
                events => format!(
                    "{skipped} of {} events cannot be checked: without a name {unnamed}, without a time {untimed}",
                    skipped + events
                ),
            };
            let fault = Fault::new(Code::NoName, 0, message)
                .help("give every event a name (`concept:name`) and a time (`time:timestamp`)");
            return Err(TraceError::new(&self.source, Location::START, fault));
        }
        Ok(())
    }

    /// Returns the kind of the times; of the current event alone, if events without a time may stand among the others.
    pub(crate) fn time_kind(&self) -> TimeKind {
        match self.untimed {
            UntimedEvents::Allowed { is_current: true } => TimeKind::Position,
            UntimedEvents::Allowed { .. } | UntimedEvents::Refused => self.times.kind().unwrap_or_default(),
        }
    }

    /// Returns true if events without a time may stand among events with one.
    pub(crate) fn allows_untimed(&self) -> bool {
        matches!(self.untimed, UntimedEvents::Allowed { .. })
    }

    /// Returns the number of events read so far.
    pub fn event_count(&self) -> u64 {
        self.index
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        self.names.symbols()
    }

    pub(crate) fn clock(&self) -> Clock {
        self.times.clock()
    }
}

/// The changes of a reader's state while it parsed a chunk.
pub(crate) struct ChunkChanges {
    /// Names that occur for the first time.
    pub(crate) names: Vec<String>,
    dates: DateState,
    skipped: SkippedEvents,
    unmatched: UnmatchedLines,
    continued: u64,
    comments: u64,
    /// The number of lines that continue an event at the beginning of the chunk, and at its end.
    continued_first: u64,
    continued_last: u64,
}

impl ReaderState {
    /// Returns the state of another reader with the same decisions, for chunks.
    pub(crate) fn fork(&self) -> Self {
        let start =
            Self::at_start(self.source.clone(), self.names.clone(), self.projection.clone(), self.times.clone());
        ReaderState { time_field: self.time_field.clone(), is_chunked: true, ..start }
    }

    /// Begins a chunk. Its events are numbered from [`ReaderState::CHUNK_INDEX`].
    pub(crate) fn begin_chunk(&mut self) {
        self.index = Self::CHUNK_INDEX;
        self.continued_event = (self.index, 0);
        self.times.dates_mut().begin_chunk();
    }

    /// The index of the first event of a chunk. There are events before it.
    pub(crate) const CHUNK_INDEX: u64 = 1;

    /// Returns the changes since the beginning of the chunk. `names` is the number of names before, `continued_first` the number of
    /// continuation lines before the first event.
    pub(crate) fn take_changes(&mut self, names: usize, continued_first: u64) -> ChunkChanges {
        let symbols = self.names.symbols();
        let new_names = (names..symbols.name_count()).map(|name| symbols.name_text(Name(name as u32)).to_owned());
        ChunkChanges {
            names: new_names.collect(),
            dates: self.times.dates().decisions(),
            skipped: std::mem::take(&mut self.skipped),
            unmatched: std::mem::take(&mut self.unmatched),
            continued: std::mem::take(&mut self.continued),
            comments: std::mem::take(&mut self.comments),
            continued_first,
            continued_last: if self.continued_event.0 == self.index { self.continued_event.1 } else { 0 },
        }
    }

    /// Returns true if this reader would have parsed a chunk that comes next as another one did.
    pub(crate) fn agrees(&self, changes: &ChunkChanges) -> bool {
        let continued = self.continued_before();
        let is_short = continued == 0 || continued + changes.continued_first < LONGEST_CONTINUATION;
        is_short && self.times.dates().agrees(&changes.dates)
    }

    /// Adds the changes of a chunk of `events` events.
    pub(crate) fn join(&mut self, changes: ChunkChanges, events: u64) {
        let has_event = events > 0;
        let continued = if has_event { 0 } else { self.continued_before() };
        self.index += events;
        self.continued_event = (self.index, continued + changes.continued_last);
        self.continued += changes.continued;
        self.comments += changes.comments;
        self.skipped.unnamed += changes.skipped.unnamed;
        self.skipped.untimed += changes.skipped.untimed;
        self.unmatched.join(changes.unmatched);
        self.times.dates_mut().join(changes.dates);
    }

    /// Returns the number of continuation lines since the last event.
    fn continued_before(&self) -> u64 {
        if self.continued_event.0 == self.index { self.continued_event.1 } else { 0 }
    }
}

/// Returns true if a line begins with a blank or reads like a part of a stack trace.
fn is_continuation(line: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] = &[
        b"Traceback (",
        b"Caused by: ",
        b"Suppressed: ",
        b"at ",
        b"... ",
        b"goroutine ",
        b"panic: ",
        b"During handling of ",
    ];
    if line.first().is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'}' | b']' | b')')) {
        return true;
    }
    // `java.lang.IllegalStateException: closed`, `ValueError: bad`
    let word = line.split(|byte| matches!(byte, b':' | b' ')).next().unwrap_or_default();
    let is_exception =
        [&b"Exception"[..], b"Error", b"Warning"].iter().any(|end| word.len() > end.len() && word.ends_with(end))
            && matches!(line.get(word.len()), None | Some(b':'));
    is_exception || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

/// Suggests a declaration of the format of lines: the usual format that they have, or else a pattern for the first.
fn format_advice(lines: &[LineSample]) -> String {
    let text: String = lines.iter().flat_map(|sample| [&*sample.text, "\n"]).collect();
    if let Some(found) = recognise(text.as_bytes()) {
        return format!("`{}`, which reads {}", found.declaration(), found.description());
    }
    let suggestion = suggest(text.as_bytes()).map(|suggestion| suggestion.refined(text.lines().map(str::as_bytes)));
    suggestion.map_or_else(
        || "such as `log text \"{time} {level} {event}\"`".to_owned(),
        |suggestion| format!("for this line {suggestion}"),
    )
}

#[cold]
pub(crate) fn no_time(at: usize) -> Fault {
    Fault::new(Code::NoTime, at, "this event has no time, unlike the others")
        .help("give it one: either every event of a trace has a time or none has")
}

#[cold]
pub(crate) fn unexpected_time(at: usize) -> Fault {
    Fault::new(Code::NoTime, at, "this event has a time, unlike the first event of the trace")
        .help("give that one a time too: either every event of a trace has a time or none has")
}
