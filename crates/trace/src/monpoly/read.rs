// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one tuple at a time, each an event of its own.

use std::io::Read;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::Name;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::Origin;

use super::in_word;
use super::tuple::{Argument, Keys, Tuple};
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context, no_name};
use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, TraceError, quote};
use crate::fields::{MOST_FIELDS, too_many_fields};
use crate::names::Names;
use crate::reader::{Entry, Place, Reader, Setup};
use crate::scan::{first, load, mark, skip_space, splat, whole_number};
use crate::stretch::{Stretch, utf8};
use crate::times::Times;

/// Reads logs of `MonPoly`; see `monpoly/FORMAT.md`.
pub struct MonpolyReader<R> {
    tuple: Tuple<R>,
    context: Context,
    /// The time of the present time point.
    time: Option<Timestamp>,
    /// The name that the next tuple belongs to.
    name: Option<Name>,
    /// The index of the next event.
    index: u64,
    /// Where the present event begins.
    place: Place,
    /// Whether the present event has fields that were asked for.
    has_fields: bool,
}

impl<R: Read> MonpolyReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, time_field, clock, .. } = setup;
        let keys = Keys::new(&symbols, time_field.unwrap_or_else(|| "time".to_owned()));
        MonpolyReader {
            tuple: Tuple {
                cursor: Cursor::new(buffer),
                arguments: Vec::new(),
                time: Timestamp::default(),
                clock,
                kind: TimeKind::default(),
                keys,
            },
            context: Context::new(source, symbols, projection, clock),
            time: None,
            name: None,
            index: 0,
            place: Place::START,
            has_fields: false,
        }
    }

    /// The quick way over a time point that begins here, as nearly all do: `@3 logon ()`, with a name that was met
    /// before. It changes nothing unless it understands all of that; a tuple that is not empty is left to the careful
    /// way.
    #[inline]
    fn read_quickly(&mut self) -> Option<(Timestamp, Name)> {
        let Tuple { cursor, .. } = &mut self.tuple;
        if self.context.times.kind() != Some(TimeKind::Number) {
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
        let name = Name(self.context.names.raw().find(bytes, start, length)?);
        let end = start + length;
        let open = end + usize::from(bytes[end] == b' ');
        if bytes[open] != b'(' {
            return None;
        }
        let time = self.context.times.whole(number);
        (self.time, self.name) = (Some(time), Some(name));
        cursor.at = start - base;
        cursor.turn();
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
            self.tuple.cursor.turn();
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
                    let name = event_name(&mut self.context.names, &mut self.tuple.cursor)?;
                    self.name = Some(name);
                    skip_blanks(&mut self.tuple.cursor)?;
                    return self.event(time, name).map(Some);
                }
                Some(_) => return Err(self.unexpected("a name, `@` or `;`")),
                None => return Ok(None),
            }
        }
    }

    /// The time point that begins here.
    #[inline]
    fn read_time(&mut self) -> Result<(), Fault> {
        let Tuple { cursor, .. } = &mut self.tuple;
        let times = &mut self.context.times;
        cursor.at = 1;
        cursor.skip_space()?;
        self.name = None;
        let start = cursor.buffer.row_start() + cursor.at;
        if times.kind() == Some(TimeKind::Number)
            && let Some((number, end)) = whole_number(cursor.buffer.padded(), start)
            && end < cursor.buffer.end()
            && is_space(cursor.buffer.padded()[end])
        {
            self.time = Some(times.whole(number));
            cursor.at = end - cursor.buffer.row_start();
        } else {
            self.time = Some(other_time(times, cursor)?);
        }
        Ok(())
    }

    /// The event with this name; its tuple, if it has one, begins here.
    #[inline]
    fn event(&mut self, time: Timestamp, name: Name) -> Result<Origin, Fault> {
        self.place = self.tuple.cursor.place();
        let want = self.context.projection.want(name);
        self.has_fields = *want != Want::Nothing;
        self.tuple.time = time;
        self.tuple.kind = self.context.times.kind().unwrap_or_default();
        let Tuple { cursor, arguments, .. } = &mut self.tuple;
        arguments.clear();
        if cursor.peek()? == Some(b'(') {
            read_tuple(cursor, arguments, self.has_fields)?;
        }
        let event_index = self.index;
        self.index += 1;
        Ok(Origin { event_index, time, event: name })
    }

    #[cold]
    fn unexpected(&mut self, what: &str) -> Fault {
        expected(&mut self.tuple.cursor, what)
            .help("a time point is written like `@3 logon (\"ann\") pay (\"ann\", 5)`")
    }
}

/// How long the word is that begins here, if a blank or a parenthesis ends it. What else may end a word ends none that
/// was met before.
#[inline]
fn word_length(bytes: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 256;
    let mut length = 0;
    loop {
        let word = load(bytes, start + length);
        let marks = mark(word, splat(b' ')) | mark(word, splat(b'('));
        length += first(marks);
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
fn skip_blanks<R: Read>(cursor: &mut Cursor<R>) -> Result<(), Fault> {
    loop {
        cursor.skip_space()?;
        if cursor.peek()? != Some(b'#') {
            return Ok(());
        }
        // A comment belongs to no event, but a name may wait for its tuple behind it.
        cursor.at = cursor.find(b'\n', cursor.at)?.unwrap_or(cursor.row().len());
    }
}

/// The word here; empty if there is none.
#[inline]
fn word<R: Read>(cursor: &mut Cursor<R>) -> Result<Stretch, Fault> {
    let start = cursor.at;
    loop {
        let row = cursor.row();
        let rest = &row[cursor.at..];
        if let Some(length) = rest.iter().position(|&byte| !in_word(byte)) {
            cursor.at += length;
            break;
        }
        cursor.at = row.len();
        if !cursor.buffer.more()? {
            break;
        }
    }
    Ok(Stretch { start, end: cursor.at })
}

#[inline(never)]
fn other_time<R: Read>(times: &mut Times, cursor: &mut Cursor<R>) -> Result<Timestamp, Fault> {
    let stretch = word(cursor)?;
    if stretch.len() == 0 {
        return Err(expected(cursor, "the time"));
    }
    times.parse(stretch.of(cursor.row()), stretch.start)
}

/// The name that begins the row, in quotes or not.
#[inline]
fn event_name<R: Read>(names: &mut Names, cursor: &mut Cursor<R>) -> Result<Name, Fault> {
    let stretch = if cursor.peek()? == Some(b'"') { quoted(cursor)? } else { word(cursor)? };
    let start = cursor.buffer.row_start() + stretch.start;
    if let Some(id) = names.raw().find(cursor.buffer.padded(), start, stretch.len()) {
        return Ok(Name(id));
    }
    if stretch.len() == 0 {
        return Err(no_name(0));
    }
    let text = utf8(cursor.row(), stretch)?;
    let is_word = text.bytes().all(in_word);
    Ok(names.intern(text, is_word.then_some(text.as_bytes())))
}

/// The inside of the quotes that open here. There are no escapes.
fn quoted<R: Read>(cursor: &mut Cursor<R>) -> Result<Stretch, Fault> {
    let start = cursor.at + 1;
    let Some(end) = cursor.find(b'"', start)? else {
        return Err(Fault::new(Code::BadLog, cursor.at, "this quote is not closed"));
    };
    cursor.at = end + 1;
    Ok(Stretch { start, end })
}

/// The tuple that opens here.
#[inline]
fn read_tuple<R: Read>(cursor: &mut Cursor<R>, arguments: &mut Vec<Argument>, keep: bool) -> Result<(), Fault> {
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
            utf8(cursor.row(), text)?;
            arguments.push(Argument { text, quoted: is_quoted });
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
fn expected_in_tuple<R: Read>(cursor: &mut Cursor<R>, open: usize, what: &str) -> Fault {
    if cursor.at >= cursor.row().len() {
        return Fault::new(Code::BadLog, open, "this tuple is not closed by `)`");
    }
    expected(cursor, what).help("a text with blanks or signs in it is put in double quotes")
}

#[cold]
fn expected<R: Read>(cursor: &mut Cursor<R>, what: &str) -> Fault {
    let at = cursor.at;
    let rest = cursor.ahead();
    if rest.is_empty() {
        return Fault::new(Code::BadLog, at, format!("the input ends where {what} should be"));
    }
    let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count().clamp(1, 16);
    Fault::new(Code::BadLog, at, format!("{} stands where {what} should be", quote(&rest[..length])))
}

impl<R: Read> Reader for MonpolyReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.tuple.cursor.error(&self.context.source, fault))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.has_fields { &self.tuple } else { &NoFields }
    }

    answer_from_context!();

    fn bytes_read(&self) -> u64 {
        self.tuple.cursor.buffer.bytes_read()
    }

    #[inline]
    fn place(&self) -> Place {
        self.place
    }

    fn time_field(&self) -> Option<&str> {
        Some(&self.tuple.keys.time_name)
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        if self.has_fields { self.tuple.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
