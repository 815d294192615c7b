// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one tuple at a time, each an event of its own.
//!
//! `@3 logon ("ann") ("bob") logoff ("cid");` has one time point and three events of time 3. The reader keeps the time and the name that
//! the next tuple belongs to. Nearly all logs have one tuple per time point and line, `@3 logon ("ann")`: `read_quickly` reads that form
//! with a name that it has read before, and changes nothing if the input is any other; `read_carefully` reads all forms.

use gnomon_core::event::{Fields, NoFields};
use gnomon_core::symbols::Name;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::is_out_of_range;
use gnomon_core::verdict::Origin;
use gnomon_scan::word::{first_marked, load, mark_equal, skip_space, splat, whole_number};
use gnomon_scan::{
    Buffer, ByteRange, ByteSource, Code, Cursor, Fault, MOST_FIELDS, TraceError, out_of_range, quote, too_many_fields,
    utf8,
};

use super::in_word;
use super::tuple::{ArgumentKeys, Tuple, TupleArgument};
use crate::chunks::{ChunkParser, RowEnds};
use crate::names::EventNames;
use crate::reader::{AnyInput, FieldEntry, Reader, ReaderSetup};
use crate::state::ReaderState;

/// Reads logs of `MonPoly`; see `monpoly/FORMAT.md`.
pub struct MonpolyReader<R> {
    tuple: Tuple<R>,
    state: ReaderState,
    /// The time of the current time point.
    time: Option<Timestamp>,
    /// The name that the next tuple belongs to.
    name: Option<Name>,
}

impl<R: ByteSource> MonpolyReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let mut state = ReaderState::new(source, &mut setup);
        let keys = ArgumentKeys::new(state.symbols(), setup.time_field.unwrap_or_else(|| "time".to_owned()));
        state.time_field = Some(keys.time_name.clone());
        let tuple = Tuple {
            cursor: Cursor::new(buffer),
            arguments: Vec::new(),
            time: Timestamp::default(),
            clock: setup.clock,
            kind: TimeKind::default(),
            keys,
        };
        MonpolyReader { tuple, state, time: None, name: None }
    }

    /// The fast path for a time point that begins here, as nearly all do: `@3 logon (…)`, with a name that was learned
    /// before. Changes no state unless it parses everything up to the `(`.
    #[inline]
    fn read_quickly(&mut self) -> Option<(Timestamp, Name)> {
        let Tuple { cursor, .. } = &mut self.tuple;
        if self.state.times.kind() != Some(TimeKind::Number) {
            return None;
        }
        let bytes = cursor.buffer.padded();
        let base = cursor.buffer.row_start();
        let start = skip_space(bytes, base + cursor.at);
        if bytes[start] != b'@' {
            return None;
        }
        let (number, end) = whole_number(bytes, start + 1)?;
        if bytes[end] != b' ' {
            return None;
        }
        let start = end + 1;
        let length = word_length(bytes, start)?;
        let name = self.state.names.find(bytes, start, length)?;
        let end = start + length;
        let open = end + usize::from(bytes[end] == b' ');
        if bytes[open] != b'(' {
            return None;
        }
        let time = self.state.times.whole(number);
        (self.time, self.name) = (Some(time), Some(name));
        cursor.at = start - base;
        cursor.start_row();
        cursor.at = open - start;
        Some((time, name))
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        if let Some((time, name)) = self.read_quickly() {
            return self.event(time, name).map(Some);
        }
        self.read_carefully()
    }

    #[inline(never)]
    fn read_carefully(&mut self) -> Result<Option<Origin>, Fault> {
        loop {
            skip_blanks(&mut self.tuple.cursor)?;
            self.tuple.cursor.start_row();
            match self.tuple.cursor.peek()? {
                Some(b'@') => self.read_time()?,
                Some(b'(') => {
                    let (Some(time), Some(name)) = (self.time, self.name) else {
                        return Err(self.unexpected("a name in front of the tuple"));
                    };
                    return self.event(time, name).map(Some);
                }
                Some(b';') => {
                    self.tuple.cursor.at = 1;
                    (self.time, self.name) = (None, None);
                }
                Some(b'>') => {
                    let Some(end) = self.tuple.cursor.find(b'<', 1)? else {
                        return Err(Fault::new(Code::BadLog, 0, "this command is not closed by `<`"));
                    };
                    self.tuple.cursor.at = end + 1;
                    (self.time, self.name) = (None, None);
                }
                Some(byte) if byte == b'"' || in_word(byte) => {
                    let Some(time) = self.time else {
                        return Err(self.unexpected("a time point such as `@3`"));
                    };
                    let name = event_name(&mut self.state.names, &mut self.tuple.cursor)?;
                    self.name = Some(name);
                    skip_blanks(&mut self.tuple.cursor)?;
                    return self.event(time, name).map(Some);
                }
                Some(_) => return Err(self.unexpected("a name, `@` or `;`")),
                None => return Ok(None),
            }
        }
    }

    /// Reads the time point that begins here.
    fn read_time(&mut self) -> Result<(), Fault> {
        let cursor = &mut self.tuple.cursor;
        cursor.at = 1;
        cursor.skip_space()?;
        self.name = None;
        let range = word(cursor)?;
        if range.len() == 0 {
            return Err(expected(cursor, "the time"));
        }
        self.time = Some(self.state.times.parse(range.of(cursor.row()), range.start)?);
        Ok(())
    }

    /// Reads the event with this name; its tuple, if it has one, begins here.
    #[inline]
    fn event(&mut self, time: Timestamp, name: Name) -> Result<Origin, Fault> {
        self.state.location = self.tuple.cursor.location();
        self.state.want(name);
        self.tuple.time = time;
        self.tuple.kind = self.state.times.kind().unwrap_or_default();
        let Tuple { cursor, arguments, .. } = &mut self.tuple;
        arguments.clear();
        if cursor.peek()? == Some(b'(') {
            read_tuple(cursor, arguments, self.state.has_fields)?;
        }
        Ok(self.state.origin(name, Some(time)))
    }

    #[cold]
    fn unexpected(&mut self, what: &str) -> Fault {
        expected(&mut self.tuple.cursor, what)
            .help("a time point is written like `@3 logon (\"ann\") pay (\"ann\", 5)`")
    }
}

/// Returns the length of the word that begins here, if a blank or a parenthesis ends it. A word with another end was
/// never learned.
#[inline]
fn word_length(bytes: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 256;
    let mut length = 0;
    loop {
        let word = load(bytes, start + length);
        let marks = mark_equal(word, splat(b' ')) | mark_equal(word, splat(b'('));
        length += first_marked(marks);
        if marks != 0 {
            return Some(length);
        }
        if length > LONGEST {
            return None;
        }
    }
}

/// Skips blanks and comments.
#[inline]
fn skip_blanks<R: ByteSource>(cursor: &mut Cursor<R>) -> Result<(), Fault> {
    loop {
        cursor.skip_space()?;
        if cursor.peek()? != Some(b'#') {
            return Ok(());
        }
        // A comment belongs to no event, but a name may stand before it and its tuple behind it.
        cursor.at = cursor.find(b'\n', cursor.at)?.unwrap_or(cursor.row().len());
    }
}

/// Reads the word that begins here; it may be empty.
#[inline]
fn word<R: ByteSource>(cursor: &mut Cursor<R>) -> Result<ByteRange, Fault> {
    let start = cursor.at;
    loop {
        let row = cursor.row();
        let rest = &row[cursor.at..];
        if let Some(length) = rest.iter().position(|&byte| !in_word(byte)) {
            cursor.at += length;
            break;
        }
        cursor.at = row.len();
        if !cursor.buffer.read_more()? {
            break;
        }
    }
    Ok(ByteRange { start, end: cursor.at })
}

/// Reads the name that begins the row, with or without quotes.
#[inline]
fn event_name<R: ByteSource>(names: &mut EventNames, cursor: &mut Cursor<R>) -> Result<Name, Fault> {
    let range = if cursor.peek()? == Some(b'"') { quoted(cursor)? } else { word(cursor)? };
    let start = cursor.buffer.row_start() + range.start;
    if let Some(name) = names.find(cursor.buffer.padded(), start, range.len()) {
        return Ok(name);
    }
    if range.len() == 0 {
        return Err(Fault::no_name(0));
    }
    let text = utf8(cursor.row(), range)?;
    let is_word = text.bytes().all(in_word);
    Ok(names.intern(text, is_word.then_some(text.as_bytes())))
}

/// Reads the text in the quotes that open here. There are no escapes.
fn quoted<R: ByteSource>(cursor: &mut Cursor<R>) -> Result<ByteRange, Fault> {
    let start = cursor.at + 1;
    let Some(end) = cursor.find(b'"', start)? else {
        return Err(Fault::new(Code::BadLog, cursor.at, "this quote is not closed"));
    };
    cursor.at = end + 1;
    Ok(ByteRange { start, end })
}

/// Reads the tuple that opens here.
#[inline]
fn read_tuple<R: ByteSource>(
    cursor: &mut Cursor<R>,
    arguments: &mut Vec<TupleArgument>,
    keep: bool,
) -> Result<(), Fault> {
    let open = cursor.at;
    cursor.at += 1;
    cursor.skip_space()?;
    if cursor.peek()? == Some(b')') {
        cursor.at += 1;
        return Ok(());
    }
    loop {
        let is_quoted = cursor.peek()? == Some(b'"');
        let text = if is_quoted { quoted(cursor)? } else { word(cursor)? };
        if !is_quoted && text.len() == 0 {
            return Err(expected_in_tuple(cursor, open, "a value"));
        }
        if keep {
            if arguments.len() >= MOST_FIELDS {
                return Err(too_many_fields(text.start));
            }
            let written = utf8(cursor.row(), text)?.as_bytes();
            if !is_quoted && is_out_of_range(written) {
                return Err(out_of_range(written, text.start));
            }
            arguments.push(TupleArgument { text, quoted: is_quoted });
        }
        cursor.skip_space()?;
        match cursor.peek()? {
            Some(b',') => cursor.at += 1,
            Some(b')') => {
                cursor.at += 1;
                return Ok(());
            }
            _ => return Err(expected_in_tuple(cursor, open, "`,` or `)`")),
        }
        cursor.skip_space()?;
    }
}

#[cold]
fn expected_in_tuple<R: ByteSource>(cursor: &mut Cursor<R>, open: usize, what: &str) -> Fault {
    if cursor.at >= cursor.row().len() {
        return Fault::new(Code::BadLog, open, "this tuple is not closed by `)`");
    }
    expected(cursor, what).help("put a text that contains blanks or signs in double quotes")
}

#[cold]
fn expected<R: ByteSource>(cursor: &mut Cursor<R>, what: &str) -> Fault {
    let at = cursor.at;
    let rest = cursor.ahead();
    if rest.is_empty() {
        return Fault::new(Code::BadLog, at, format!("the input ends where {what} should be"));
    }
    let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count().clamp(1, 16);
    Fault::new(Code::BadLog, at, format!("found {} where {what} should be", quote(&rest[..length])))
}

impl ChunkParser for MonpolyReader<AnyInput<'static>> {
    const ROW_ENDS: RowEnds = RowEnds::TimePoints;
    const HAS_CHECKPOINTS: bool = false;

    fn fork(&self) -> Self {
        let Tuple { time, clock, kind, keys, .. } = &self.tuple;
        let (cursor, keys) = (Cursor::new(Buffer::default()), keys.clone());
        let tuple = Tuple { cursor, arguments: Vec::new(), time: *time, clock: *clock, kind: *kind, keys };
        MonpolyReader { tuple, state: self.state.fork(), time: None, name: None }
    }

    fn buffer(&self) -> &Buffer<AnyInput<'static>> {
        &self.tuple.cursor.buffer
    }

    fn buffer_mut(&mut self) -> &mut Buffer<AnyInput<'static>> {
        &mut self.tuple.cursor.buffer
    }

    fn state_mut(&mut self) -> &mut ReaderState {
        &mut self.state
    }

    fn position(&self) -> (usize, u64) {
        let cursor = &self.tuple.cursor;
        (cursor.at, cursor.location().after(&cursor.row()[..cursor.at]).line)
    }

    fn load(&mut self, bytes: Vec<u8>, (offset, line): (u64, u64), fault: Option<Fault>) {
        self.tuple.cursor.buffer.load(bytes, offset, fault);
        self.tuple.cursor.move_to_line(line);
    }
}

impl<R: ByteSource> Reader for MonpolyReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.tuple.cursor.error(&self.state.source, fault))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.state.has_fields { &self.tuple } else { &NoFields }
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn raw(&self) -> Option<(u64, &[u8])> {
        Some(self.tuple.cursor.raw())
    }

    fn bytes_read(&self) -> u64 {
        self.tuple.cursor.buffer.bytes_read()
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if self.state.has_fields { self.tuple.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
