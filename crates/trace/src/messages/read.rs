// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one captured message per line.

use std::borrow::Cow;

use gnomon_core::event::{FieldSelection, Fields, NoFields};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_message::captured::{self, BODY};
use gnomon_message::{Adapter, ParseData};
use gnomon_scan::json::{Scanner, text, value};
use gnomon_scan::{
    Buffer, ByteRange, ByteSource, Code, Cursor, Fault, MOST_FIELDS, TraceError, last_wins, too_many_fields,
};

use crate::ndjson::read_time;
use crate::reader::{FieldEntry, Reader, ReaderSetup};
use crate::roles::{FieldRoles, FormatKeys, RoleKind};
use crate::row::{StoredField, StoredFields, is_wanted};
use crate::state::ReaderState;

/// Reads captured messages; see `messages/FORMAT.md`.
pub struct MessageReader<R> {
    cursor: Cursor<R>,
    state: ReaderState,
    roles: FieldRoles,
    adapter: Adapter,
    /// The wanted fields of the current event, those of the body first.
    fields: StoredFields,
}

/// A member of a line besides the body: metadata of the capture such as its time and its participants.
struct CaptureMember<'a> {
    name: Cow<'a, str>,
    value: ByteRange,
}

impl<R: ByteSource> MessageReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let state = ReaderState::new(source, &mut setup);
        let roles = FieldRoles::new(&state, setup.time_field, FormatKeys::CAPTURED);
        let (cursor, fields) = (Cursor::new(buffer), StoredFields::default());
        MessageReader { cursor, state, roles, adapter: setup.messages, fields }
    }

    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        let Some(line) = self.cursor.next_line()? else {
            return Ok(None);
        };
        let (event, time) = self.read_event(line)?;
        self.state.location = self.cursor.location();
        Ok(Some(self.state.origin(event, time)))
    }

    /// Reads the name and the time of the message on this line.
    fn read_event(&mut self, line: ByteRange) -> Result<(Name, Option<Timestamp>), Fault> {
        self.fields.0.clear();
        let bytes = self.cursor.buffer.padded();
        let (members, body) = members(bytes, line)?;
        if self.roles.is_open() {
            let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
            self.roles.choose_time_field(&names, &mut self.state)?;
        }
        let Some(body) = body else {
            return Err(Fault::new(Code::NoBody, 0, "this message has no body")
                .help("give it under the key `body`, such as `{\"time\": 3, \"body\": \"<Envelope>…\"}`"));
        };
        let is_time = |member: &&CaptureMember<'_>| self.roles.find_text(&member.name).kind == RoleKind::Time;
        let time = members.iter().find(is_time);
        let ReaderState { names, projection, times, .. } = &mut self.state;
        let (adapter, fields) = (&self.adapter, &mut self.fields.0);
        let event = captured::open(bytes, body, |data| {
            let name = adapter.name(data)?;
            let event = names.intern(&name, None);
            let want = projection.selection(event);
            if *want != FieldSelection::Nothing {
                let key = |field: &str| names.symbols().find_key(field).unwrap_or(Key::OTHER);
                let wanted = |field: &str| is_wanted(want, key(field));
                let mut add = |name: &str, value: Value<'_>, is_time| {
                    let (key, name, value) = (key(name), Some(name.into()), value.into_owned());
                    fields.push(StoredField { key, name, value, is_time });
                };
                add_message_fields(&members, (adapter, &name, data), &wanted, &mut |name, value| {
                    add(name, value, false);
                });
                for member in members.iter().filter(|member| wanted(&member.name)) {
                    add(&member.name, value(bytes, member.value), is_time(&member));
                }
            }
            Ok(event)
        });
        let event = event.map_err(|fault| fault.within(line.start))?;
        let read = |value| read_time(times, bytes, value, line);
        let time = time.map(|member| member.value);
        let time = self.roles.time(time, |value: ByteRange| value.start - line.start, read)?;
        Ok((event, time))
    }
}

/// Reads the members of a line, each name once, and the body apart from them.
fn members(bytes: &[u8], line: ByteRange) -> Result<(Vec<CaptureMember<'_>>, Option<ByteRange>), Fault> {
    let mut scanner: Scanner<'_, true> = Scanner::new(bytes, line)?;
    let mut members = Vec::new();
    let (mut body, mut is_first) = (None, true);
    scanner.open_object()?;
    while let Some((name, value)) = scanner.entry(is_first)? {
        is_first = false;
        if text(bytes, name) == BODY {
            body = Some(value);
            continue;
        }
        if members.len() >= MOST_FIELDS {
            return Err(too_many_fields(name.range.start - line.start));
        }
        members.push((name, value));
    }
    scanner.end()?;
    last_wins(&mut members, |(name, _)| text(bytes, *name));
    let named = members.into_iter().map(|(name, value)| CaptureMember { name: text(bytes, name), value });
    Ok((named.collect(), body))
}

/// Adds the wanted fields of a message, then its participants. Where the capture has a member of the same name, that one counts
/// instead, so that `source` has one meaning in all events.
fn add_message_fields(
    members: &[CaptureMember<'_>],
    (adapter, name, data): (&Adapter, &str, &dyn ParseData),
    wanted: &dyn Fn(&str) -> bool,
    add: &mut dyn FnMut(&str, Value<'_>),
) {
    let is_free = |name: &str| wanted(name) && members.iter().all(|member| member.name != name);
    let participants: Vec<(&str, Value<'_>)> = adapter.participants(data).filter(|(name, _)| is_free(name)).collect();
    let own = |name: &str| is_free(name) && participants.iter().all(|(known, _)| *known != name);
    for (name, value) in adapter.fields(name, data, &own) {
        add(&name, value);
    }
    for (name, value) in participants {
        add(name, value);
    }
}

impl<R: ByteSource> Reader for MessageReader<R> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.cursor.error(&self.state.source, fault))
    }

    fn fields(&self) -> &dyn Fields {
        if self.fields.0.is_empty() { &NoFields } else { &self.fields }
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn raw(&self) -> Option<(u64, &[u8])> {
        Some(self.cursor.buffer.raw_row())
    }

    fn bytes_read(&self) -> u64 {
        self.cursor.buffer.bytes_read()
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        self.fields.entries().collect()
    }
}

#[cfg(test)]
mod tests;
