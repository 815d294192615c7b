// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader of text logs: one line at a time.
//!
//! The pattern finds the ranges of its parts in the line. One part is the name of the event, one its time, and the others are fields, which
//! are converted to values on demand. A line that does not match continues the event before it or is counted as unmatched
//! ([`ReaderState::add_unmatched`]); it is never an event.

use std::borrow::Cow;

use gnomon_core::event::{FieldSelection, Fields, NoFields};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::{Value, is_out_of_range};
use gnomon_core::verdict::Origin;
use gnomon_scan::json::{Scanner, value};
use gnomon_scan::{Buffer, ByteRange, ByteSource, Code, Cursor, Fault, TraceError, out_of_range, quote, utf8};

use super::line_name::LineName;
use super::pattern::{PatternMatch, TextPattern};
use super::preset::{PartKind, part_value};
use crate::checkpoints::Checkpoint;
use crate::chunks::{ChunkParser, RowEnds};
use crate::names::EventNames;
use crate::ndjson::{self, EventMembers, JsonMember, read_keys, read_members, read_time as read_json_time};
use crate::reader::{AnyInput, FieldEntry, NameSource, Reader, ReaderSetup};
use crate::roles::{FieldRoles, FormatKeys, choose_time_field};
use crate::row::{RawField, RowField};
use crate::state::ReaderState;
use crate::times::{TimeParser, USUAL_FIELDS};

/// Reads plain text logs; see `text/FORMAT.md`.
pub struct TextReader<R> {
    line: TextLine<R>,
    state: ReaderState,
    name: LineName,
}

/// The current line, and the ranges of its parts.
struct TextLine<R> {
    cursor: Cursor<R>,
    pattern: TextPattern,
    found: PatternMatch,
    time: Option<usize>,
    /// The part that is the event's name and no field.
    event: Option<usize>,
    /// The part of each key that a property may ask for.
    keys: Vec<(Key, usize)>,
    object: Option<ObjectFields>,
}

/// The JSON object on a line, whose members are fields beside the parts.
struct ObjectFields {
    part: usize,
    roles: FieldRoles,
    fields: Vec<RowField<JsonMember>>,
    /// True if the time is a member; decided by the first event.
    has_time: Option<bool>,
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
        let object = pattern.object().map(|part| {
            let keys = FormatKeys::NAMED;
            let roles = FieldRoles::new(&state, setup.time_field.clone(), keys);
            ObjectFields { part, roles, fields: Vec::new(), has_time: None }
        });
        let declared = setup.time_field.as_deref();
        let time = choose_time_field(&names, declared, USUAL_FIELDS)
            .or_else(|fault| if object.is_some() { Ok(None) } else { Err(fault) })?;
        let (name, event) = LineName::choose(&pattern, &names, setup.name_source(), &mut state)?;
        let object = object.map(|object| {
            let source = if matches!(name, LineName::Member) { setup.name_source() } else { NameSource::Field("") };
            ObjectFields { roles: object.roles.with_names(source, state.symbols()), ..object }
        });
        let key = |(part, name): (usize, &&str)| state.symbols().find_key(name).map(|key| (key, part));
        let keys = names.iter().enumerate().filter(|(part, _)| Some(*part) != event).filter_map(key).collect();
        let mut found = pattern.room();
        found.time_blanks = state.times.dates().notation().blanks();
        if object.is_none() {
            state.set_time_field(time.map(|time| names[time]), &names);
        }
        let line = TextLine { cursor: Cursor::new(buffer), pattern, found, time, event, keys, object };
        Ok(TextReader { line, state, name })
    }

    pub(crate) fn state_mut(&mut self) -> &mut ReaderState {
        &mut self.state
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        while let Some(line) = self.line.cursor.next_line()? {
            let TextLine { cursor, pattern, found, time, .. } = &mut self.line;
            let text = line.of(cursor.buffer.padded());
            let mut is_match = pattern.find(text, *time, found);
            let mut known_time = None;
            if let (Some(time), Some(_)) = (*time, found.time_blanks) {
                if is_match {
                    known_time = self.state.times.parse_alike(found.part(time).of(text).trim_ascii());
                }
                if known_time.is_none() {
                    // The time may be written with other blanks than those before.
                    found.time_blanks = self.state.times.dates().notation().blanks();
                    is_match = pattern.find(text, Some(time), found);
                }
            }
            if !is_match {
                self.add_unmatched(line, None)?;
                continue;
            }
            let members = match self.read_object(line) {
                Ok(members) => members,
                Err(fault) => {
                    self.add_unmatched(line, Some(fault.message().to_owned()))?;
                    continue;
                }
            };
            let event = match self.event_name(line, members.as_ref())? {
                Ok(event) => event,
                Err(reason) => {
                    self.add_unmatched(line, Some(reason))?;
                    continue;
                }
            };
            let TextLine { cursor, found, time, object, .. } = &self.line;
            let bytes = cursor.buffer.padded();
            let text = line.of(bytes);
            let in_object = object.as_ref().is_some_and(|object| object.has_time == Some(true));
            let time = match (time.map(|time| found.part(time)), members) {
                (_, Some(EventMembers { time, .. })) if in_object => match time {
                    Some(value) => Some(read_json_time(&mut self.state.times, bytes, value, line)?),
                    None if self.state.time_field.is_none() => None,
                    None => {
                        self.add_unmatched(line, Some("the object has no time".to_owned()))?;
                        continue;
                    }
                },
                (None, _) => None,
                (Some(_), _) if known_time.is_some() => known_time,
                (Some(range), _) => {
                    let Some(time) = read_time(&mut self.state.times, text, range)? else {
                        let reason = format!("the time {} could not be read", quote(range.of(text).trim_ascii()));
                        self.add_unmatched(line, Some(reason))?;
                        continue;
                    };
                    Some(time)
                }
            };
            if self.state.times.kind() == Some(TimeKind::Number) && !in_object {
                // A number has no blanks inside; the next line need not be searched for a date.
                self.line.found.time_blanks.get_or_insert(0);
            }
            self.check_parts(event, line)?;
            self.state.location = self.line.cursor.location();
            self.state.note_line(&self.line.cursor);
            return Ok(Some(self.state.origin(event, time)));
        }
        Ok(None)
    }

    /// Reads the members of the object on this line, if the format has one.
    #[inline]
    fn read_object(&mut self, line: ByteRange) -> Result<Option<EventMembers>, Fault> {
        let TextLine { cursor, found, time, object, .. } = &mut self.line;
        let Some(object) = object else { return Ok(None) };
        let range = found.part(object.part).shifted(line.start);
        let bytes = cursor.buffer.padded();
        if object.has_time.is_none() {
            let mut scanner: Scanner<'_, true> = Scanner::new(bytes, range)?;
            scanner.open_object()?;
            let keys = read_keys(&mut scanner, range.start)?;
            scanner.end()?;
            object.roles.choose_name_field(&keys, &mut self.state);
            object.roles.allow_time_path(&keys);
            let is_before = time.is_some_and(|time| found.part(time).len() > 0);
            if is_before {
                self.state.set_time_field(Some("time"), &["time"]);
            } else {
                object.roles.choose_time_field(&keys, &mut self.state)?;
            }
            object.has_time = Some(!is_before);
        }
        let mut scanner: Scanner<'_, true> = Scanner::new(bytes, range)?;
        scanner.open_object()?;
        let members = read_members(&mut scanner, &object.roles, &mut object.fields, line.start)?;
        scanner.end()?;
        Ok(Some(members))
    }

    /// Returns the name of the event on this line, or the reason why it is not an event.
    #[inline]
    fn event_name(&mut self, line: ByteRange, members: Option<&EventMembers>) -> Result<Result<Name, String>, Fault> {
        let TextLine { cursor, found, pattern, object, .. } = &self.line;
        let bytes = cursor.buffer.padded();
        match &self.name {
            LineName::Constant(name) => Ok(Ok(*name)),
            LineName::Part(part, otherwise) => {
                let range = found.part(*part);
                match otherwise {
                    Some(name) if range.len() == 0 => Ok(Ok(*name)),
                    None if range.len() == 0 => Ok(Err("the part with its name is empty".to_owned())),
                    _ => event_name(&mut self.state.names, bytes, line, range).map(Ok),
                }
            }
            LineName::Member => match members.and_then(|members| members.event.or(members.name)) {
                Some(value) => Ok(ndjson::event_name(&mut self.state.names, bytes, value, line)
                    .map_err(|fault| fault.message().to_owned())),
                None => Ok(Err(object.as_ref().map_or_else(String::new, |object| object.roles.missing_name()))),
            },
            declared @ LineName::Template(_) => {
                let text = line.of(bytes);
                let map = object.as_ref().map(|object| value(bytes, found.part(object.part).shifted(line.start)));
                let field = |field: &str| {
                    let part = pattern.names().position(|name| name == field);
                    let part = part.and_then(|part| part_value(pattern.kind(part), found.part(part).of(text)));
                    part.or_else(|| map.as_ref()?.step(field).cloned())
                };
                Ok(declared.name(&mut self.state.names, field))
            }
        }
    }

    /// Checks that the wanted parts are UTF-8 and no numbers out of range.
    #[inline]
    fn check_parts(&mut self, event: Name, line: ByteRange) -> Result<(), Fault> {
        let all = *self.state.want(event) == FieldSelection::All;
        if !self.state.has_fields {
            return Ok(());
        }
        let TextLine { cursor, found, pattern, keys, .. } = &self.line;
        let text = line.of(cursor.buffer.padded());
        let is_ascii = text.is_ascii();
        let check = |part: usize| {
            let range = found.part(part);
            if !is_ascii {
                utf8(text, range)?;
            }
            let written = range.of(text).trim_ascii();
            if pattern.kind(part) == PartKind::Cell && is_out_of_range(written) {
                return Err(out_of_range(written, range.start));
            }
            Ok(())
        };
        if all {
            (0..found.holes.len()).try_for_each(check)
        } else {
            keys.iter().try_for_each(|(_, part)| check(*part))
        }
    }

    /// Counts a line that is not an event. Without a `reason`, the pattern does not match it.
    #[cold]
    fn add_unmatched(&mut self, line: ByteRange, reason: Option<String>) -> Result<(), Fault> {
        let TextLine { cursor, pattern, time, .. } = &self.line;
        let text = line.of(cursor.buffer.padded());
        if text.first() == Some(&b'#') {
            self.state.comments += 1;
            return Ok(());
        }
        let reason = || reason.unwrap_or_else(|| pattern.explain_mismatch(text, *time));
        if pattern.is_strict() && !self.state.continues_event(text) {
            let message = format!("the line {} does not fit the pattern of the log: {}", quote(text), reason());
            return Err(Fault::new(Code::NoMatch, 0, message)
                .help("change the pattern, or let lines that do not fit be skipped"));
        }
        self.state.add_unmatched(cursor.location().line, text, reason);
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
        part_value(self.pattern.kind(part), self.found.holes.get(part)?.of(self.cursor.row()))
    }

    /// Returns the parts that are positional parameters.
    fn parameters(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.found.holes.len()).filter(|part| {
            Some(*part) != self.event && Some(*part) != self.time && self.pattern.kind(*part) != PartKind::Hidden
        })
    }

    /// Returns the fields of the object.
    fn members(&self) -> &[RowField<JsonMember>] {
        self.object.as_ref().map_or(&[], |object| &object.fields)
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        let names = self.pattern.names().enumerate().filter(|(part, _)| Some(*part) != self.event);
        let in_object = self.object.as_ref().is_some_and(|object| object.has_time == Some(true));
        let entry = |(part, name)| {
            let is_time = self.time == Some(part) && !in_object;
            self.value(part).map(|value| FieldEntry { key: Cow::Borrowed(name), value, is_time })
        };
        let mut entries: Vec<FieldEntry<'_>> = names.filter_map(entry).collect();
        let buffer = &self.cursor.buffer;
        for field in self.members() {
            let key = field.raw.name(buffer);
            if entries.iter().all(|entry| entry.key != key) {
                entries.push(FieldEntry { key, value: field.raw.value(buffer), is_time: field.is_time && in_object });
            }
        }
        entries
    }
}

impl<R> Fields for TextLine<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        let part = self.keys.iter().find(|(known, _)| *known == key).and_then(|(_, part)| self.value(*part));
        part.or_else(|| {
            let field = self.members().iter().rev().find(|field| field.key == key)?;
            Some(field.raw.value(&self.cursor.buffer))
        })
    }

    fn parameter_count(&self) -> usize {
        let trailing = || self.parameters().rev().take_while(|part| self.value(*part).is_none()).count();
        let parts = self.parameters().count();
        match self.members().len() {
            0 => parts - trailing(),
            members => parts + members,
        }
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        if let Some(part) = self.parameters().nth(index) {
            return self.value(part).unwrap_or(Value::Null);
        }
        let field = self.members().get(index.saturating_sub(self.parameters().count()));
        field.map_or(Value::Null, |field| field.raw.value(&self.cursor.buffer))
    }
}

impl ChunkParser for TextReader<AnyInput<'static>> {
    const ROW_ENDS: RowEnds = RowEnds::Lines;

    fn fork(&self) -> Self {
        let TextLine { pattern, found, time, event, keys, object, .. } = &self.line;
        let object =
            object.as_ref().map(|object| ObjectFields { roles: object.roles.clone(), fields: Vec::new(), ..*object });
        let mut room = pattern.room();
        room.time_blanks = found.time_blanks;
        let line = TextLine {
            cursor: Cursor::new(Buffer::default()),
            pattern: pattern.clone(),
            found: room,
            time: *time,
            event: *event,
            keys: keys.clone(),
            object,
        };
        TextReader { line, state: self.state.fork(), name: self.name.clone() }
    }

    fn buffer(&self) -> &Buffer<AnyInput<'static>> {
        &self.line.cursor.buffer
    }

    fn buffer_mut(&mut self) -> &mut Buffer<AnyInput<'static>> {
        &mut self.line.cursor.buffer
    }

    fn state_mut(&mut self) -> &mut ReaderState {
        &mut self.state
    }

    fn position(&self) -> (usize, u64) {
        let cursor = &self.line.cursor;
        (cursor.buffer.next_row() - cursor.buffer.row_start(), cursor.line_count() + 1)
    }

    fn load(&mut self, bytes: Vec<u8>, (offset, line): (u64, u64), fault: Option<Fault>) {
        self.line.cursor.buffer.load(bytes, offset, fault);
        self.line.cursor.move_to_line(line);
    }

    fn time_blanks(&self) -> Option<usize> {
        self.line.found.time_blanks
    }

    fn set_time_blanks(&mut self, blanks: Option<usize>) {
        self.line.found.time_blanks = blanks;
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
