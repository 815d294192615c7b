// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader of NDJSON: one line at a time.
//!
//! A line of a shape that was read before is not scanned: its values are found by following the trie of shapes ([`known`]). Any other line is
//! scanned once, which checks all of its JSON and notes the ranges of the name, the time and the wanted members; then its shape is learned.
//! Values are decoded from these ranges on demand.

use std::borrow::Cow;

use gnomon_core::event::{FieldSelection, Fields};
use gnomon_core::symbols::Name;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::json::{JsonString, Scanner, range_at, text, value, value_at};
use gnomon_scan::word::whole_number;
use gnomon_scan::{Buffer, ByteRange, ByteSource, Code, Fault, TraceError, quote};
use memchr::memchr;

use super::known::{self, JsonPart, KnownRow, follow};
use crate::advice::{likely_name, likely_time, name_declaration, time_declaration};
use crate::checkpoints::Checkpoint;
use crate::chunks::{ChunkParser, RowEnds};
use crate::dates::is_date;
use crate::name_template::NameTemplate;
use crate::names::EventNames;
use crate::reader::{AnyInput, FieldEntry, NameSet, NameSource, RUN_LENGTH, Reader, ReaderSetup};
use crate::roles::{FieldRole, FieldRoles, FormatKeys, RoleKind, add_key, list_names};
use crate::row::{FieldRow, RawField, RowField, keep_field};
use crate::shapes::RowShapes;
use crate::state::{ReaderState, no_time};
use crate::times::TimeParser;

/// Reads NDJSON; see `ndjson/FORMAT.md`.
pub struct NdjsonReader<R> {
    line: FieldRow<R, JsonMember>,
    state: ReaderState,
    roles: FieldRoles,
    declared_name: Option<DeclaredName>,
    shapes: RowShapes<JsonPart>,
}

/// An event on a line of a known shape that is not yet the current row.
struct KnownLine {
    event: Name,
    time: Option<Timestamp>,
    /// The start of the next row.
    next: usize,
    /// True if the name is under `name`, which is a field of events that are named otherwise.
    is_named_by_name: bool,
}

/// A name that is not under one key.
#[derive(Clone)]
enum DeclaredName {
    /// The name of all events.
    Constant(Name),
    Template(NameTemplate),
}

/// A member of an object: its key and the range of its value in [`Buffer::padded`].
#[derive(Clone, Copy)]
pub(crate) struct JsonMember {
    pub(crate) key: JsonString,
    pub(crate) value: ByteRange,
}

impl RawField for JsonMember {
    fn name<R>(self, buffer: &Buffer<R>) -> Cow<'_, str> {
        text(buffer.padded(), self.key)
    }

    fn value<R>(self, buffer: &Buffer<R>) -> Value<'_> {
        value(buffer.padded(), self.value)
    }

    fn value_at<'b, R>(self, buffer: &'b Buffer<R>, steps: &[String]) -> Option<Value<'b>> {
        value_at(buffer.padded(), self.value, steps)
    }
}

impl<R: ByteSource> NdjsonReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let mut state = ReaderState::new(source, &mut setup);
        let names = setup.name_source();
        let roles =
            FieldRoles::new(&state, setup.time_field.clone(), FormatKeys::NAMED).with_names(names, state.symbols());
        let declared_name = match names {
            NameSource::Usual | NameSource::Field(_) => None,
            NameSource::Template(template) => Some(match template.constant() {
                Some(name) => DeclaredName::Constant(state.names.intern(&name, None)),
                None => DeclaredName::Template(template.clone()),
            }),
        };
        NdjsonReader { line: FieldRow::new(buffer), state, roles, declared_name, shapes: RowShapes::default() }
    }

    /// Reads the next line if its shape is known. Apart from the fields, which belong to no row then, nothing changes.
    #[inline]
    fn known_line(&mut self) -> Option<KnownLine> {
        let FieldRow { cursor, fields } = &mut self.line;
        let (bytes, start) = (cursor.buffer.padded(), cursor.buffer.next_row());
        let KnownRow { members, next, is_ascii } = follow(&self.shapes, bytes, start, fields)?;
        if !is_ascii {
            str::from_utf8(&bytes[start..next]).ok()?;
        }
        let event = match &self.declared_name {
            Some(DeclaredName::Constant(name)) => *name,
            Some(DeclaredName::Template(_)) => return None,
            None => {
                let value = members.event.or(members.name).filter(|value| bytes[value.start] == b'"')?;
                self.state.names.find(bytes, value.start + 1, value.len() - 2)?
            }
        };
        let time = match members.time {
            Some(value) => Some(known_time(&self.state.times, bytes, value)?),
            None => None,
        };
        if time.is_some() != self.roles.time_field().is_some() {
            return None;
        }
        Some(KnownLine { event, time, next, is_named_by_name: members.event.is_none() && members.name.is_some() })
    }

    /// Makes the line the current row.
    #[inline]
    fn take_known_line(&mut self, line: &KnownLine) -> Origin {
        let KnownLine { event, time, next, is_named_by_name } = *line;
        self.shapes.hit();
        self.line.cursor.start_line_ending_at(next);
        if *self.state.want(event) != FieldSelection::Nothing && is_named_by_name {
            self.line.drop_name();
        }
        self.state.location = self.line.cursor.location();
        self.state.note_line(&self.line.cursor);
        self.state.origin(event, time)
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        let Some(line) = self.line.cursor.next_line()? else {
            return Ok(None);
        };
        if self.roles.is_open() {
            self.choose_time_field(line)?;
        }
        let (event, time) = self.read_event(line)?;
        self.state.location = self.line.cursor.location();
        self.state.note_line(&self.line.cursor);
        if self.shapes.is_learning() && !matches!(self.declared_name, Some(DeclaredName::Template(_))) {
            let buffer = &self.line.cursor.buffer;
            let row = ByteRange { start: line.start, end: buffer.next_row() };
            known::learn(&mut self.shapes, &self.roles, buffer.padded(), row);
        }
        Ok(Some(self.state.origin(event, time)))
    }

    /// Chooses the time field from the keys of the first event.
    #[cold]
    fn choose_time_field(&mut self, line: ByteRange) -> Result<(), Fault> {
        let bytes = self.line.cursor.buffer.padded();
        let mut scanner: Scanner<'_, true> = Scanner::new(bytes, line)?;
        scanner.open_object()?;
        let keys = read_keys(&mut scanner, line.start)?;
        scanner.end()?;
        if self.declared_name.is_none() {
            self.roles.choose_name_field(&keys, &mut self.state);
        }
        self.roles.allow_time_path(&keys);
        self.roles.choose_time_field(&keys, &mut self.state)?;
        if self.roles.time_field().is_none()
            && let Some(path) = find_date(&value(bytes, line))
        {
            self.state.suggest_time_field(&path);
        }
        Ok(())
    }

    /// Reads the name and the time of the event on this line.
    #[inline]
    fn read_event(&mut self, line: ByteRange) -> Result<(Name, Option<Timestamp>), Fault> {
        let FieldRow { cursor, fields } = &mut self.line;
        let bytes = cursor.buffer.padded();
        let mut scanner: Scanner<'_, true> = Scanner::new(bytes, line)?;
        scanner.open_object()?;
        let EventMembers { event, name, time } = read_members(&mut scanner, &self.roles, fields, line.start)?;
        scanner.end()?;
        let is_named_by_name = event.is_none();
        let event = match &self.declared_name {
            None => {
                let value = event.or(name).ok_or_else(|| no_name(&self.roles, bytes, line))?;
                event_name(&mut self.state.names, bytes, value, line)?
            }
            Some(DeclaredName::Constant(name)) => *name,
            Some(DeclaredName::Template(template)) => template_name(&mut self.state.names, bytes, template, line)?,
        };
        let want = self.state.want(event);
        if is_named_by_name && name.is_some() && *want != FieldSelection::Nothing {
            self.line.drop_name();
        }
        self.line.drop_repeated(want);
        let bytes = self.line.cursor.buffer.padded();
        let allows_untimed = self.state.allows_untimed();
        let time = time.filter(|time: &ByteRange| !(allows_untimed && time.of(bytes) == b"null"));
        let times = &mut self.state.times;
        let read = |value| read_time(times, bytes, value, line);
        let time = self.roles.time(time, |value: ByteRange| value.start - line.start, read)?;
        Ok((event, time))
    }
}

impl<R> FieldRow<R, JsonMember> {
    /// Drops the field that is the name of the event.
    fn drop_name(&mut self) {
        let bytes = self.cursor.buffer.padded();
        self.fields.retain(|field| text(bytes, field.raw.key) != "name");
    }
}

/// The values of an event's object that give its name and its time.
pub(crate) struct EventMembers {
    /// The value under `event`.
    pub(crate) event: Option<ByteRange>,
    /// The value under `name`: the event's name if there is no `event`, else a field.
    pub(crate) name: Option<ByteRange>,
    pub(crate) time: Option<ByteRange>,
}

/// Reads the members of the object that was entered, and keeps those that may be wanted. Where a key repeats, the last value counts.
/// `start` is the offset of the row, for a fault.
#[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
#[inline(always)]
pub(crate) fn read_members<const BY_LINE: bool>(
    scanner: &mut Scanner<'_, BY_LINE>,
    roles: &FieldRoles,
    fields: &mut Vec<RowField<JsonMember>>,
    start: usize,
) -> Result<EventMembers, Fault> {
    let mut members = EventMembers { event: None, name: None, time: None };
    fields.clear();
    let mut is_first = true;
    while let Some((key, value)) = scanner.entry(is_first)? {
        is_first = false;
        let role = role_of(roles, scanner.bytes(), key);
        match role.kind {
            RoleKind::Event => {
                members.event = Some(value);
                continue;
            }
            RoleKind::Name => members.name = Some(value),
            RoleKind::Time => members.time = Some(value),
            RoleKind::Field => {}
        }
        keep_field(fields, roles, role, JsonMember { key, value }, key.range.start - start)?;
    }
    if !roles.time_steps().is_empty() {
        members.time = members.time.and_then(|time| range_at(scanner.bytes(), time, roles.time_steps()));
    }
    Ok(members)
}

/// Reads the keys of the object that was entered.
#[cold]
pub(crate) fn read_keys<'a, const BY_LINE: bool>(
    scanner: &mut Scanner<'a, BY_LINE>,
    start: usize,
) -> Result<Vec<Cow<'a, str>>, Fault> {
    let mut keys = Vec::new();
    while let Some((key, _)) = scanner.entry(keys.is_empty())? {
        add_key(&mut keys, text(scanner.bytes(), key), key.range.start - start)?;
    }
    Ok(keys)
}

/// Returns the role of a key.
#[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
#[inline(always)]
pub(super) fn role_of(roles: &FieldRoles, bytes: &[u8], key: JsonString) -> FieldRole {
    if key.has_escapes {
        roles.find_text(&text(bytes, key))
    } else {
        roles.find(bytes, key.range.start, key.range.len())
    }
}

/// Returns the event name that a value is.
#[inline]
pub(crate) fn event_name(
    names: &mut EventNames,
    bytes: &[u8],
    value: ByteRange,
    line: ByteRange,
) -> Result<Name, Fault> {
    let inside = ByteRange { start: value.start + 1, end: value.end - 1 };
    if bytes[value.start] == b'"'
        && let Some(name) = names.find(bytes, inside.start, inside.end.saturating_sub(inside.start))
    {
        return Ok(name);
    }
    learn_name(names, bytes, value, line)
}

/// Returns the event name that a template makes of the members of a line.
fn template_name(
    names: &mut EventNames,
    bytes: &[u8],
    template: &NameTemplate,
    line: ByteRange,
) -> Result<Name, Fault> {
    let mut scanner: Scanner<'_, true> = Scanner::again(bytes, line);
    scanner.open_object()?;
    let (mut members, mut is_first) = (Vec::new(), true);
    while let Some((key, member)) = scanner.entry(is_first)? {
        is_first = false;
        let key = text(bytes, key);
        let is_part =
            |field: &str| field.strip_prefix(&*key).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if template.fields().any(is_part) {
            members.push((key, member));
        }
    }
    // Where a key repeats, the last value counts.
    let name = template.fill(|field| {
        let (_, member) = members.iter().rev().find(|(key, _)| key == field)?;
        Some(value(bytes, *member))
    })?;
    Ok(names.find_or_intern(&name))
}

/// Returns the path to the first date-time of an object, as far as one object inside it.
#[cold]
fn find_date(object: &Value<'_>) -> Option<String> {
    let is_date = |value: &Value<'_>| matches!(value, Value::Text(text) if is_date(text));
    let Value::Map(members) = object else { return None };
    members.iter().find_map(|(key, value)| match value {
        Value::Map(inner) => {
            inner.iter().find(|(_, value)| is_date(value)).map(|(inside, _)| format!("{key}/{inside}"))
        }
        value => is_date(value).then(|| key.to_string()),
    })
}

/// Returns advice for a line whose event has no name: the list of events inside it, or a field that may name it.
#[cold]
fn name_advice(bytes: &[u8], line: ByteRange) -> String {
    let object = Scanner::<true>::new(bytes, line).map(|_| value(bytes, line));
    let Ok(Value::Map(members)) = &object else { return "give it under the key `event`".to_owned() };
    let is_list =
        |value: &Value<'_>| matches!(value, Value::List(items) if matches!(items.first(), Some(Value::Map(_))));
    if let Some((key, _)) = members.iter().find(|(_, value)| is_list(value)) {
        return format!(
            "if the events are the objects in {}, write one per line: `jq -c '.{key}[]' FILE | gnomon check SPEC -`",
            quote(key.as_bytes())
        );
    }
    let is_text = |value: &Value<'_>| matches!(value, Value::Text(text) if !text.is_empty());
    let texts: Vec<&str> = members.iter().filter(|(_, value)| is_text(value)).map(|(key, _)| &**key).collect();
    let declaration = likely_name(&texts).map_or_else(|| "name \"sample\"".to_owned(), name_declaration);
    let keys: Vec<&str> = members.iter().map(|(key, _)| &**key).collect();
    let time = likely_time(&keys).map_or_else(String::new, |time| format!(" and `{}`", time_declaration(time)));
    format!(
        "declare in the spec which field names the events, such as `{declaration}`{time}; or give it under the key `event`"
    )
}

#[cold]
fn no_name(roles: &FieldRoles, bytes: &[u8], line: ByteRange) -> Fault {
    let Some(declared) = roles.declared_event() else { return Fault::no_name(0).help(name_advice(bytes, line)) };
    let keys = Scanner::<true>::new(bytes, line).and_then(|mut scanner| {
        scanner.open_object()?;
        read_keys(&mut scanner, line.start)
    });
    let keys: Vec<String> = keys.unwrap_or_default().into_iter().map(Cow::into_owned).collect();
    Fault::no_name(0).help(format!(
        "the names are to be under the key {}; the keys of this line are {}",
        quote(declared.as_bytes()),
        list_names(&keys)
    ))
}

#[cold]
fn learn_name(names: &mut EventNames, bytes: &[u8], value: ByteRange, line: ByteRange) -> Result<Name, Fault> {
    let Some(name) = string_at(bytes, value) else {
        let message = format!("the event's name {} is not a string", quote(value.of(bytes)));
        return Err(Fault::new(Code::NoName, value.start - line.start, message).help("put it in double quotes"));
    };
    let raw = name.range.of(bytes);
    if raw.is_empty() {
        return Err(Fault::no_name(value.start - line.start).help(name_advice(bytes, line)));
    }
    Ok(names.intern(&text(bytes, name), Some(raw)))
}

/// Reads the time that a value is: a number, or a string with a number or a date-time in it.
#[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
#[inline(always)]
pub(crate) fn read_time(
    times: &mut TimeParser,
    bytes: &[u8],
    value: ByteRange,
    line: ByteRange,
) -> Result<Timestamp, Fault> {
    if times.kind() == Some(TimeKind::Number)
        && let Some((number, end)) = whole_number(bytes, value.start)
        && end == value.end
    {
        return Ok(times.whole(number));
    }
    let at = value.start - line.start;
    match (string_at(bytes, value), value.of(bytes)) {
        (Some(string), _) => times.parse(text(bytes, string).as_bytes(), at),
        (None, b"null") => Err(no_time(at)),
        (None, other) => times.parse(other, at),
    }
}

/// Reads a time that is written like those before it; `None` if [`read_time`] has to read it.
#[inline]
fn known_time(times: &TimeParser, bytes: &[u8], value: ByteRange) -> Option<Timestamp> {
    if times.kind() == Some(TimeKind::Number)
        && let Some((number, end)) = whole_number(bytes, value.start)
        && end == value.end
    {
        return Some(times.whole(number));
    }
    let is_string = bytes[value.start] == b'"';
    let inside = if is_string { ByteRange { start: value.start + 1, end: value.end - 1 } } else { value };
    times.parse_alike(inside.of(bytes))
}

/// Returns the string that a value is; `None` for other values.
fn string_at(bytes: &[u8], value: ByteRange) -> Option<JsonString> {
    let mut scanner: Scanner<'_, true> = Scanner::again(bytes, value);
    if scanner.take(b'"') { scanner.string().ok() } else { None }
}

impl ChunkParser for NdjsonReader<AnyInput<'static>> {
    const ROW_ENDS: RowEnds = RowEnds::Lines;

    fn fork(&self) -> Self {
        NdjsonReader {
            line: FieldRow::new(Buffer::default()),
            state: self.state.fork(),
            roles: self.roles.clone(),
            declared_name: self.declared_name.clone(),
            shapes: RowShapes::default(),
        }
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
}

impl<R: ByteSource> Reader for NdjsonReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        if self.shapes.is_ready() {
            if let Some(line) = self.known_line() {
                return Ok(Some(self.take_known_line(&line)));
            }
            self.shapes.miss();
        }
        self.read().map_err(|fault| self.line.cursor.error(&self.state.source, fault))
    }

    fn advance_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) {
        while run.len() < RUN_LENGTH
            && let Some(line) = self.known_line().filter(|line| bare.contains(line.event))
        {
            let origin = self.take_known_line(&line);
            run.push(origin);
        }
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        self.line.wanted(self.state.has_fields)
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

    fn field_names(&self) -> Vec<String> {
        let buffer = &self.line.cursor.buffer;
        let length = memchr(b'\n', buffer.row()).unwrap_or(buffer.row().len());
        let line = ByteRange { start: buffer.row_start(), end: buffer.row_start() + length };
        let keys = Scanner::<true>::new(buffer.padded(), line).and_then(|mut scanner| {
            scanner.open_object()?;
            read_keys(&mut scanner, line.start)
        });
        let is_field = |key: &Cow<'_, str>| self.roles.find_text(key).kind == RoleKind::Field;
        keys.unwrap_or_default().into_iter().filter(is_field).map(Cow::into_owned).collect()
    }
}

#[cfg(test)]
mod tests;
