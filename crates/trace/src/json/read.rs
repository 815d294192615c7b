// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one object at a time. A first pass finds the end of the object, so that all of it is in the buffer; the second pass
//! uses the scanner that NDJSON uses.

use gnomon_core::event::Fields;
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_scan::json::{JsonString, Scanner, text};
use gnomon_scan::{Buffer, ByteRange, ByteSource, Code, Fault, TraceError, is_space, quote};

use crate::names::EventNames;
use crate::ndjson::{EventMembers, JsonMember, read_keys, read_members, read_time};
use crate::reader::{FieldEntry, Reader, ReaderSetup};
use crate::roles::{FieldRoles, FormatKeys};
use crate::row::FieldRow;
use crate::state::ReaderState;

/// Reads the JSON of the competitions; see `json/FORMAT.md`.
pub struct JsonReader<R> {
    row: FieldRow<R, JsonMember>,
    state: ReaderState,
    roles: FieldRoles,
    previous: PreviousToken,
}

/// The last token outside of events: it decides which token may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousToken {
    Nothing,
    ListStart,
    ListedEvent,
    ListComma,
    ListEnd,
    /// An event outside of a list.
    StreamedEvent,
    /// The comma after a streamed event.
    StreamComma,
}

const EVENT_EXAMPLE: &str = "write an event as `{\"logon\": {\"time\": 3, \"user\": \"ann\"}}`";

impl<R: ByteSource> JsonReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let state = ReaderState::new(source, &mut setup);
        let roles = FieldRoles::new(&state, setup.time_field, FormatKeys::UNNAMED);
        JsonReader { row: FieldRow::new(buffer), state, roles, previous: PreviousToken::Nothing }
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        if !self.find_object()? {
            return Ok(None);
        }
        let cursor = &mut self.row.cursor;
        cursor.at = object_end(&mut cursor.buffer)?;
        let start = cursor.buffer.row_start();
        let object = ByteRange { start, end: start + cursor.at };
        if self.roles.is_open() {
            self.choose_time_field(object)?;
        }
        let (event, time) = self.read_event(object)?;
        self.state.location = self.row.cursor.location();
        Ok(Some(self.state.origin(event, time)))
    }

    /// Advances to the next object; returns false at the end.
    #[inline]
    fn find_object(&mut self) -> Result<bool, Fault> {
        loop {
            let cursor = &mut self.row.cursor;
            cursor.skip_space()?;
            cursor.start_row();
            let byte = cursor.peek()?;
            self.previous = match (self.previous, byte) {
                (PreviousToken::ListStart | PreviousToken::ListComma, Some(b'{')) => PreviousToken::ListedEvent,
                (PreviousToken::Nothing | PreviousToken::StreamedEvent | PreviousToken::StreamComma, Some(b'{')) => {
                    PreviousToken::StreamedEvent
                }
                (PreviousToken::Nothing, Some(b'[')) => PreviousToken::ListStart,
                (PreviousToken::ListStart | PreviousToken::ListedEvent, Some(b']')) => PreviousToken::ListEnd,
                (PreviousToken::ListedEvent, Some(b',')) => PreviousToken::ListComma,
                (PreviousToken::StreamedEvent, Some(b',')) => PreviousToken::StreamComma,
                (
                    PreviousToken::Nothing
                    | PreviousToken::ListEnd
                    | PreviousToken::StreamedEvent
                    | PreviousToken::StreamComma,
                    None,
                ) => return Ok(false),
                (previous, byte) => return Err(self.unexpected(previous, byte)),
            };
            if byte == Some(b'{') {
                return Ok(true);
            }
            cursor.at = 1;
        }
    }

    #[cold]
    fn unexpected(&mut self, previous: PreviousToken, byte: Option<u8>) -> Fault {
        let expected = match previous {
            PreviousToken::ListedEvent => "`,` or `]`",
            PreviousToken::ListEnd => "nothing more",
            PreviousToken::ListStart => "an event or `]`",
            PreviousToken::Nothing
            | PreviousToken::ListComma
            | PreviousToken::StreamedEvent
            | PreviousToken::StreamComma => "an event",
        };
        if byte.is_none() {
            return Fault::new(Code::BadJson, 0, format!("the input ends where {expected} should be"))
                .help("the trace may have been cut off; get all of it");
        }
        let row = self.row.cursor.ahead();
        let piece = &row[..row.iter().position(|&byte| is_space(byte)).unwrap_or(row.len()).clamp(1, 16)];
        let message = format!("found {} where {expected} should be", quote(piece));
        let is_value = !matches!(previous, PreviousToken::ListedEvent | PreviousToken::ListEnd);
        Fault::new(if is_value { Code::NotOneEvent } else { Code::BadJson }, 0, message).help(EVENT_EXAMPLE)
    }

    /// Chooses the time field from the keys of the first event.
    #[cold]
    fn choose_time_field(&mut self, object: ByteRange) -> Result<(), Fault> {
        let mut scanner = Scanner::new(self.row.cursor.buffer.padded(), object)?;
        open_event(&mut scanner, object)?;
        let keys = read_keys(&mut scanner, object.start)?;
        self.roles.allow_time_path(&keys);
        self.roles.choose_time_field(&keys, &mut self.state)
    }

    /// Reads the name and the time of the event that this object is.
    #[inline]
    fn read_event(&mut self, object: ByteRange) -> Result<(Name, Option<Timestamp>), Fault> {
        let FieldRow { cursor, fields } = &mut self.row;
        let bytes = cursor.buffer.padded();
        let mut scanner = Scanner::new(bytes, object)?;
        let name = open_event(&mut scanner, object)?;
        let EventMembers { time, .. } = read_members(&mut scanner, &self.roles, fields, object.start)?;
        close_event(&mut scanner, object)?;
        let event = event_name(&mut self.state.names, bytes, name, object)?;
        let want = self.state.want(event);
        self.row.drop_repeated(want);
        let bytes = self.row.cursor.buffer.padded();
        let times = &mut self.state.times;
        let read = |value| read_time(times, bytes, value, object);
        let time = self.roles.time(time, |value: ByteRange| value.start - object.start, read)?;
        Ok((event, time))
    }
}

/// Returns the end of the object that the row begins with. Only braces and strings are considered; the scanner checks the rest.
#[inline]
pub(crate) fn object_end<R: ByteSource>(buffer: &mut Buffer<R>) -> Result<usize, Fault> {
    let (mut at, mut depth, mut in_string) = (0, 0_u64, false);
    loop {
        let row = buffer.row();
        while let Some(&byte) = row.get(at) {
            at += 1;
            match byte {
                b'"' => in_string = !in_string,
                // The escaped byte may not have been read yet.
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
        if !buffer.read_more()? {
            return Err(Fault::new(Code::BadJson, 0, "the input ends inside the object that begins here")
                .help("the trace may have been cut off; get all of it"));
        }
    }
}

/// Reads the event's name and enters the object with its fields.
#[inline]
fn open_event(scanner: &mut Scanner<'_, false>, object: ByteRange) -> Result<JsonString, Fault> {
    scanner.open_object()?;
    scanner.skip_blanks();
    if scanner.peek() == b'}' {
        return Err(not_one_event(0, "this object has no event in it"));
    }
    let name = scanner.key()?;
    scanner.skip_blanks();
    if !scanner.take(b'{') {
        let at = scanner.at() - object.start;
        let key = quote(name.range.of(scanner.bytes()));
        let fault = not_one_event(at, &format!("the value of {key} is not an object with the event's fields"));
        return Err(fault.help(format!(
            "{EVENT_EXAMPLE}; if the events are flat objects in a list, write one per line: `jq -c '.[]' FILE | gnomon check SPEC -`"
        )));
    }
    Ok(name)
}

/// Checks that nothing follows the event in its object.
#[inline]
fn close_event(scanner: &mut Scanner<'_, false>, object: ByteRange) -> Result<(), Fault> {
    scanner.skip_blanks();
    if scanner.peek() == b',' {
        return Err(not_one_event(scanner.at() - object.start, "this object has more than one event in it"));
    }
    if scanner.take(b'}') { scanner.end() } else { Err(scanner.expected("`}`")) }
}

#[cold]
fn not_one_event(at: usize, message: &str) -> Fault {
    Fault::new(Code::NotOneEvent, at, message).help(EVENT_EXAMPLE)
}

#[inline]
fn event_name(names: &mut EventNames, bytes: &[u8], name: JsonString, object: ByteRange) -> Result<Name, Fault> {
    let ByteRange { start, end } = name.range;
    if let Some(name) = names.find(bytes, start, end - start) {
        return Ok(name);
    }
    if start == end {
        return Err(Fault::no_name(start - object.start));
    }
    Ok(names.intern(&text(bytes, name), Some(name.range.of(bytes))))
}

impl<R: ByteSource> Reader for JsonReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.row.cursor.error(&self.state.source, fault))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        self.row.wanted(self.state.has_fields)
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn raw(&self) -> Option<(u64, &[u8])> {
        Some(self.row.cursor.raw())
    }

    fn bytes_read(&self) -> u64 {
        self.row.cursor.buffer.bytes_read()
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if self.state.has_fields { self.row.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
