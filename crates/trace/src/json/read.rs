// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one object at a time. A first pass finds where the object ends, so that all of it is in the buffer; the
//! second is the scanner's, which NDJSON has too.

use std::io::Read;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;

use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context, late_time, no_name, no_time};
use crate::cursor::is_space;
use crate::error::{Code, Fault, TraceError, quote};
use crate::fields::{MOST_FIELDS, last_wins, too_many_fields};
use crate::names::Names;
use crate::ndjson::{Field, Line, Scanner, Text, read_time, text};
use crate::reader::{Entry, Place, Reader, Setup};
use crate::roles::{Keys, Kind, Roles};
use crate::stretch::Stretch;

/// Reads the JSON of the competitions; see `json/FORMAT.md`.
pub struct JsonReader<R> {
    line: Line<R>,
    context: Context,
    roles: Roles,
    state: State,
    /// The index of the next event.
    index: u64,
    /// Where the present row begins.
    row_place: Place,
    /// Where the last event begins.
    place: Place,
    /// How much of the present row was read.
    length: usize,
    /// Whether the present event has fields that were asked for.
    has_fields: bool,
}

/// What was read last, and thereby what may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Nothing,
    /// The `[` of the list.
    Opened,
    /// An event of the list.
    Listed,
    /// The comma after an event of the list.
    Separated,
    /// The `]` of the list.
    Closed,
    /// An event without a list.
    Streamed,
    /// A comma after such an event.
    Parted,
}

const SHAPE: &str = "write an event as `{\"logon\": {\"time\": 3, \"user\": \"ann\"}}`";

impl<R: Read> JsonReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, time_field, clock, .. } = setup;
        let roles = Roles::new(&symbols, &projection, time_field, Keys::UNNAMED);
        JsonReader {
            line: Line { buffer, fields: Vec::new() },
            context: Context::new(source, symbols, projection, clock),
            roles,
            state: State::Nothing,
            index: 0,
            row_place: Place::START,
            place: Place::START,
            length: 0,
            has_fields: false,
        }
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        if !self.find_object()? {
            return Ok(None);
        }
        self.length = object_end(&mut self.line.buffer)?;
        let start = self.line.buffer.row_start();
        let object = Stretch { start, end: start + self.length };
        if self.roles.is_open() {
            self.settle(object)?;
        }
        let (event, time) = self.read_event(object)?;
        self.place = self.row_place;
        let event_index = self.index;
        self.index += 1;
        let time = time.unwrap_or_else(|| self.context.times.whole(event_index as i64));
        Ok(Some(Origin { event_index, time, event }))
    }

    /// Begins a row at what follows blanks.
    #[inline]
    fn turn(&mut self) -> Result<Option<u8>, Fault> {
        let buffer = &mut self.line.buffer;
        let byte = loop {
            match buffer.row().get(self.length).copied() {
                Some(byte) if is_space(byte) => self.length += 1,
                Some(byte) => break Some(byte),
                None if buffer.more()? => {}
                None => break None,
            }
        };
        self.row_place = self.row_place.after(&buffer.row()[..self.length]);
        buffer.set_length(self.length);
        buffer.turn();
        self.length = 0;
        Ok(byte)
    }

    /// Goes to the next object; false at the end.
    #[inline]
    fn find_object(&mut self) -> Result<bool, Fault> {
        loop {
            let byte = self.turn()?;
            self.state = match (self.state, byte) {
                (State::Opened | State::Separated, Some(b'{')) => State::Listed,
                (State::Nothing | State::Streamed | State::Parted, Some(b'{')) => State::Streamed,
                (State::Nothing, Some(b'[')) => State::Opened,
                (State::Opened | State::Listed, Some(b']')) => State::Closed,
                (State::Listed, Some(b',')) => State::Separated,
                (State::Streamed, Some(b',')) => State::Parted,
                (State::Nothing | State::Closed | State::Streamed | State::Parted, None) => return Ok(false),
                (state, byte) => return Err(self.unexpected(state, byte)),
            };
            if byte == Some(b'{') {
                return Ok(true);
            }
            self.length = 1;
        }
    }

    #[cold]
    fn unexpected(&mut self, state: State, byte: Option<u8>) -> Fault {
        let expected = match state {
            State::Listed => "`,` or `]`",
            State::Closed => "nothing more",
            State::Opened => "an event or `]`",
            State::Nothing | State::Separated | State::Streamed | State::Parted => "an event",
        };
        if byte.is_none() {
            return Fault::new(Code::BadJson, 0, format!("the input ends where {expected} should be"))
                .help("the trace may have been cut off; get all of it");
        }
        // A failure to read on is not what the message is about.
        let _ = self.line.buffer.fill(16);
        let row = self.line.buffer.row();
        let piece = &row[..row.iter().position(|&byte| is_space(byte)).unwrap_or(row.len()).clamp(1, 16)];
        let message = format!("{} stands where {expected} should be", quote(piece));
        let is_value = !matches!(state, State::Listed | State::Closed);
        Fault::new(if is_value { Code::NotOneEvent } else { Code::BadJson }, 0, message).help(SHAPE)
    }

    /// Learns from the first event where the time is.
    #[cold]
    fn settle(&mut self, object: Stretch) -> Result<(), Fault> {
        let bytes = self.line.buffer.padded();
        let mut scanner = Scanner::new(bytes, object)?;
        open_event(&mut scanner, object)?;
        let mut keys = Vec::new();
        while let Some((key, _)) = scanner.entry(keys.is_empty())? {
            if keys.len() >= MOST_FIELDS {
                return Err(too_many_fields(key.inside.start - object.start));
            }
            keys.push(text(bytes, key));
        }
        let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
        self.roles.settle(&keys)?;
        if self.roles.time_field().is_none() {
            self.context.times.count_positions();
        }
        Ok(())
    }

    /// The name and the time of the event that is this object.
    #[inline]
    fn read_event(&mut self, object: Stretch) -> Result<(Name, Option<Timestamp>), Fault> {
        let Line { buffer, fields } = &mut self.line;
        let Context { names, projection, times, .. } = &mut self.context;
        let bytes = buffer.padded();
        let (keep_some, keep_all) = (self.roles.wants_fields(), self.roles.wants_all());
        let mut scanner = Scanner::new(bytes, object)?;
        let name = open_event(&mut scanner, object)?;
        let mut time = None;
        fields.clear();
        let mut is_first = true;
        while let Some((key, value)) = scanner.entry(is_first)? {
            is_first = false;
            let role = if key.escaped {
                self.roles.find_text(&text(bytes, key))
            } else {
                self.roles.find(bytes, key.inside.start, key.inside.len())
            };
            let is_time = role.kind == Kind::Time;
            if is_time {
                time = Some(value);
            }
            if keep_all || (keep_some && role.key != Key::OTHER) {
                if fields.len() >= MOST_FIELDS {
                    return Err(too_many_fields(key.inside.start - object.start));
                }
                fields.push(Field { key: role.key, text: key, value, is_time });
            }
        }
        close_event(&mut scanner, object)?;
        let event = event_name(names, bytes, name, object)?;
        let want = projection.want(event);
        self.has_fields = *want != Want::Nothing;
        if *want == Want::All {
            last_wins(fields, |field| text(bytes, field.text));
        }
        let time = match (time, self.roles.time_field()) {
            (Some(value), Some(_)) => Some(read_time(times, bytes, value, object)?),
            (None, Some(_)) => return Err(no_time(0)),
            (Some(value), None) => return Err(late_time(value.start - object.start)),
            (None, None) => None,
        };
        Ok((event, time))
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        let row = self.line.buffer.row();
        let place = self.row_place.after(&row[..fault.at().min(row.len())]);
        TraceError::new(&self.context.source, place, fault)
    }
}

/// Where the object ends that the row begins with. Only braces and strings count: the scanner sees to the rest.
#[inline]
pub(crate) fn object_end<R: Read>(buffer: &mut Buffer<R>) -> Result<usize, Fault> {
    let (mut at, mut depth, mut in_string) = (0, 0_u64, false);
    loop {
        let row = buffer.row();
        while let Some(&byte) = row.get(at) {
            at += 1;
            match byte {
                b'"' => in_string = !in_string,
                // The escaped byte may not be there yet.
                b'\\' if in_string => at += 1,
                b'{' if !in_string => depth += 1,
                b'}' if !in_string => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(at);
                    }
                }
                _ => {}
            }
        }
        if !buffer.more()? {
            return Err(Fault::new(Code::BadJson, 0, "the input ends inside the object that begins here")
                .help("the trace may have been cut off; get all of it"));
        }
    }
}

/// Reads the event's name, and enters its fields.
#[inline]
fn open_event(scanner: &mut Scanner<'_, false>, object: Stretch) -> Result<Text, Fault> {
    scanner.open_object()?;
    scanner.skip_blanks();
    if scanner.peek() == b'}' {
        return Err(not_one_event(0, "this object has no event in it"));
    }
    let name = scanner.key()?;
    scanner.skip_blanks();
    if !scanner.take(b'{') {
        let at = scanner.at() - object.start;
        let key = quote(name.inside.of(scanner.bytes()));
        let fault = not_one_event(at, &format!("what stands under {key} is no object with the event's fields"));
        return Err(match name.inside.of(scanner.bytes()) {
            b"event" | b"name" | b"time" | b"timestamp" => {
                fault.help("if the events are flat objects, one per line, add `--format ndjson`")
            }
            _ => fault,
        });
    }
    Ok(name)
}

/// Demands that nothing follows the event in its object.
#[inline]
fn close_event(scanner: &mut Scanner<'_, false>, object: Stretch) -> Result<(), Fault> {
    scanner.skip_blanks();
    if scanner.peek() == b',' {
        return Err(not_one_event(scanner.at() - object.start, "this object has more than one event in it"));
    }
    if scanner.take(b'}') { scanner.end() } else { Err(scanner.expected("`}`")) }
}

#[cold]
fn not_one_event(at: usize, message: &str) -> Fault {
    Fault::new(Code::NotOneEvent, at, message).help(SHAPE)
}

#[inline]
fn event_name(names: &mut Names, bytes: &[u8], name: Text, object: Stretch) -> Result<Name, Fault> {
    let Stretch { start, end } = name.inside;
    if let Some(id) = names.raw().find(bytes, start, end - start) {
        return Ok(Name(id));
    }
    if start == end {
        return Err(no_name(start - object.start));
    }
    Ok(names.intern(&text(bytes, name), Some(name.inside.of(bytes))))
}

impl<R: Read> Reader for JsonReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.error(fault))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.has_fields { &self.line } else { &NoFields }
    }

    answer_from_context!();

    fn bytes_read(&self) -> u64 {
        self.line.buffer.bytes_read()
    }

    #[inline]
    fn place(&self) -> Place {
        self.place
    }

    fn time_field(&self) -> Option<&str> {
        self.roles.time_field()
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        if self.has_fields { self.line.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
