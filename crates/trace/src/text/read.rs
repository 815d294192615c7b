// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one line at a time.

use std::borrow::Cow;

use gnomon_core::event::{Fields, NoFields};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::{Value, is_out_of_range};
use gnomon_core::verdict::Origin;
use gnomon_scan::{Buffer, ByteRange, ByteSource, Code, Cursor, Fault, TraceError, out_of_range, quote, utf8};

use super::pattern::{PatternMatch, TextPattern};
use crate::checkpoints::Checkpoint;
use crate::names::EventNames;
use crate::reader::{FieldEntry, Reader, ReaderSetup};
use crate::roles::choose_time_field;
use crate::state::ReaderState;
use crate::times::{TimeParser, USUAL_FIELDS};

/// Reads plain text logs; see `text/FORMAT.md`.
pub struct TextReader<R> {
    line: TextLine<R>,
    state: ReaderState,
}

/// The current line, and the ranges of its parts.
struct TextLine<R> {
    cursor: Cursor<R>,
    pattern: TextPattern,
    found: PatternMatch,
    time: Option<usize>,
    /// The part of each key that a property may ask for.
    keys: Vec<(Key, usize)>,
}

impl<R: ByteSource> TextReader<R> {
    pub(crate) fn new(
        buffer: Buffer<R>,
        source: &str,
        pattern: TextPattern,
        mut setup: ReaderSetup,
    ) -> Result<Self, Fault> {
        let mut state = ReaderState::new(source, &mut setup);
        let names: Vec<&str> = pattern.names().collect();
        let time = choose_time_field(&names, setup.time_field.as_deref(), USUAL_FIELDS)?;
        let event = pattern.event();
        let key = |(part, name): (usize, &&str)| state.symbols().find_key(name).map(|key| (key, part));
        let keys = names.iter().enumerate().filter(|(part, _)| *part != event).filter_map(key).collect();
        let mut found = pattern.room();
        found.time_blanks = state.times.dates().notation().blanks();
        state.set_time_field(time.map(|time| names[time]));
        Ok(TextReader { line: TextLine { cursor: Cursor::new(buffer), pattern, found, time, keys }, state })
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        while let Some(line) = self.line.cursor.next_line()? {
            let TextLine { cursor, pattern, found, time, .. } = &mut self.line;
            let text = line.of(cursor.buffer.padded());
            let length = text.len();
            let part = |found: &PatternMatch, part: usize| found.holes.get(part).copied().unwrap_or_default();
            let mut is_match = pattern.find(text, *time, found);
            if let (Some(time), Some(_)) = (*time, found.time_blanks)
                && !(is_match && self.state.times.can_parse(part(found, time).of(text)))
            {
                // The time may be written with other blanks than those before.
                found.time_blanks = self.state.times.dates().notation().blanks();
                is_match = pattern.find(text, Some(time), found);
            }
            let name = part(found, pattern.event());
            if !is_match || name.len() == 0 {
                self.add_unmatched(length, None)?;
                continue;
            }
            let time = match time.map(|time| part(found, time)) {
                None => self.state.times.whole(self.state.index as i64),
                Some(range) => {
                    let Some(time) = read_time(&mut self.state.times, text, range)? else {
                        self.add_unmatched(length, Some(range))?;
                        continue;
                    };
                    time
                }
            };
            let event = event_name(&mut self.state.names, self.line.cursor.buffer.padded(), line, name)?;
            self.check_parts(event, line)?;
            self.state.location = self.line.cursor.location();
            self.state.note_line(&self.line.cursor);
            return Ok(Some(self.state.origin(event, Some(time))));
        }
        Ok(None)
    }

    /// Checks that the parts are UTF-8 and no numbers out of range, if a field is wanted.
    #[inline]
    fn check_parts(&mut self, event: Name, line: ByteRange) -> Result<(), Fault> {
        self.state.want(event);
        let text = line.of(self.line.cursor.buffer.padded());
        if self.state.has_fields {
            let is_ascii = text.is_ascii();
            for &range in &self.line.found.holes {
                if !is_ascii {
                    utf8(text, range)?;
                }
                let part = range.of(text).trim_ascii();
                if is_out_of_range(part) {
                    return Err(out_of_range(part, range.start));
                }
            }
        }
        Ok(())
    }

    /// Counts a line that is not an event; `time` is the part of it that should be the time and cannot be read.
    #[cold]
    fn add_unmatched(&mut self, length: usize, time: Option<ByteRange>) -> Result<(), Fault> {
        let TextLine { cursor, pattern, time: time_part, .. } = &self.line;
        let line = &cursor.buffer.row()[..length];
        let reason = || match time {
            Some(time) => format!("the time {} could not be read", quote(time.of(line).trim_ascii())),
            None => pattern.explain_mismatch(line, *time_part),
        };
        if pattern.is_strict() {
            let message = format!("the line {} does not fit the pattern of the log: {}", quote(line), reason());
            return Err(Fault::new(Code::NoMatch, 0, message)
                .help("change the pattern, or let lines that do not fit be passed over"));
        }
        self.state.unmatched.add(cursor.location().line, line, reason);
        Ok(())
    }
}

/// Reads the time in a part of a line; `None` if the part does not look like a time.
#[inline]
fn read_time(times: &mut TimeParser, text: &[u8], range: ByteRange) -> Result<Option<Timestamp>, Fault> {
    let written = range.of(text).trim_ascii();
    match times.parse(written, range.start) {
        Ok(time) => Ok(Some(time)),
        Err(_) if !times.is_time(written) => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[inline]
fn event_name(names: &mut EventNames, bytes: &[u8], line: ByteRange, name: ByteRange) -> Result<Name, Fault> {
    let ByteRange { start, end } = name.shifted(line.start);
    if let Some(name) = names.find(bytes, start, end - start) {
        return Ok(name);
    }
    let text = utf8(line.of(bytes), name)?;
    Ok(names.intern(text, Some(text.as_bytes())))
}

impl<R> TextLine<R> {
    /// Returns the value of a part; `None` if it is empty.
    fn value(&self, part: usize) -> Option<Value<'_>> {
        let text = self.found.holes.get(part)?.of(self.cursor.row()).trim_ascii();
        (!text.is_empty()).then(|| Value::from_cell(String::from_utf8_lossy(text)))
    }

    /// Returns the parts that are positional parameters.
    fn parameters(&self) -> impl DoubleEndedIterator<Item = usize> {
        let (event, time) = (self.pattern.event(), self.time);
        (0..self.found.holes.len()).filter(move |part| *part != event && Some(*part) != time)
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        let names = self.pattern.names().enumerate().filter(|(part, _)| *part != self.pattern.event());
        let entry = |(part, name)| {
            let is_time = self.time == Some(part);
            self.value(part).map(|value| FieldEntry { key: Cow::Borrowed(name), value, is_time })
        };
        names.filter_map(entry).collect()
    }
}

impl<R> Fields for TextLine<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.keys.iter().find(|(known, _)| *known == key).and_then(|(_, part)| self.value(*part))
    }

    fn parameter_count(&self) -> usize {
        let trailing = self.parameters().rev().take_while(|part| self.value(*part).is_none()).count();
        self.parameters().count() - trailing
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameters().nth(index).and_then(|part| self.value(part)).unwrap_or(Value::Null)
    }
}

impl<R: ByteSource> Reader for TextReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        let origin = self.read().map_err(|fault| self.line.cursor.error(&self.state.source, fault))?;
        if origin.is_none() {
            self.state.check_end()?;
        }
        Ok(origin)
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.state.has_fields { &self.line } else { &NoFields }
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn bytes_read(&self) -> u64 {
        self.line.cursor.buffer.bytes_read()
    }

    fn skip_to(&mut self, checkpoint: Checkpoint) -> Result<bool, TraceError> {
        let skipped = self.line.cursor.skip_to_line(checkpoint.offset, checkpoint.line);
        skipped.map_err(|fault| self.line.cursor.error(&self.state.source, fault))?;
        self.state.index = checkpoint.index;
        Ok(true)
    }

    fn raw(&self) -> Option<(u64, &[u8])> {
        Some(self.line.cursor.buffer.raw_row())
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if self.state.has_fields { self.line.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
