// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: a captured message per line.

use std::borrow::Cow;
use std::io::Read;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

use super::adapter::{Adapter, ParseData};
use super::captured;
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context, late_time, no_time};
use crate::error::{Code, Fault, TraceError, quote};
use crate::fields::{MOST_FIELDS, last_wins, too_many_fields};
use crate::lines::next_line;
use crate::ndjson::{Scanner, Text, read_time, text, value};
use crate::reader::{Entry, Place, Reader, Setup};
use crate::roles::{Keys, Kind, Roles};
use crate::stretch::Stretch;

/// The member that is the message.
pub(crate) const BODY: &str = "body";

/// Reads captured messages; see `message/FORMAT.md`.
pub struct MessageReader<R> {
    buffer: Buffer<R>,
    context: Context,
    roles: Roles,
    adapter: Adapter,
    /// The fields of the present event that were asked for.
    present: Present,
    /// The index of the next event.
    index: u64,
    /// The number of the present line.
    number: u64,
    /// The number of the last event's line.
    event_number: u64,
}

/// The fields of an event, the body's first.
#[derive(Default)]
struct Present {
    fields: Vec<Field>,
}

struct Field {
    key: Key,
    name: Box<str>,
    value: Value<'static>,
    is_time: bool,
}

/// A member of a line besides the body.
#[derive(Clone, Copy)]
struct Member {
    name: Text,
    value: Stretch,
    is_time: bool,
}

impl<R: Read> MessageReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, time_field, clock, messages, .. } = setup;
        let roles = Roles::new(&symbols, &projection, time_field, Keys::UNNAMED);
        MessageReader {
            buffer,
            context: Context::new(source, symbols, projection, clock),
            roles,
            adapter: messages,
            present: Present::default(),
            index: 0,
            number: 0,
            event_number: 0,
        }
    }

    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        let Some(line) = next_line(&mut self.buffer, &mut self.number)? else {
            return Ok(None);
        };
        let (event, time) = self.read_event(line)?;
        self.event_number = self.number;
        let event_index = self.index;
        self.index += 1;
        let time = time.unwrap_or_else(|| self.context.times.whole(event_index as i64));
        Ok(Some(Origin { event_index, time, event }))
    }

    /// The name and the time of the message on this line.
    fn read_event(&mut self, line: Stretch) -> Result<(Name, Option<Timestamp>), Fault> {
        self.present.fields.clear();
        let bytes = self.buffer.padded();
        let (members, body) = members(bytes, line)?;
        if self.roles.is_open() {
            let names: Vec<Cow<'_, str>> = members.iter().map(|member| text(bytes, member.name)).collect();
            self.roles.settle(&names.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
            if self.roles.time_field().is_none() {
                self.context.times.count_positions();
            }
        }
        let members: Vec<Member> = members
            .into_iter()
            .map(|member| Member { is_time: self.is_time(&text(bytes, member.name)), ..member })
            .collect();
        let Some(body) = body else {
            return Err(Fault::new(Code::NoBody, 0, "this message has no body")
                .help("give it under the key `body`, such as `{\"time\": 3, \"body\": \"<Envelope>…\"}`"));
        };
        let Context { names, projection, times, .. } = &mut self.context;
        let (adapter, present) = (&self.adapter, &mut self.present);
        let event = captured::open(bytes, body, |data| {
            let name = adapter.name(data)?;
            let event = names.intern(&name, None);
            let want = projection.want(event);
            if *want != Want::Nothing {
                let wanted = |field: &str| match want {
                    Want::Nothing => false,
                    Want::Fields(keys) => names.symbols().find_key(field).is_some_and(|key| keys.contains(&key)),
                    Want::All => true,
                };
                let key = |field: &str| names.symbols().find_key(field).unwrap_or(Key::OTHER);
                present.gather(bytes, &members, (adapter, &name, data), &wanted, &key);
            }
            Ok(event)
        });
        let event = event.map_err(|fault| fault.within(line.start))?;
        let time = match (members.iter().find(|member| member.is_time), self.roles.time_field()) {
            (Some(member), Some(_)) => Some(read_time(times, bytes, member.value, line)?),
            (None, Some(field)) => {
                let field = field.to_owned();
                return Err(no_time(0).help(format!("give it one under the key {}", quote(field.as_bytes()))));
            }
            (Some(member), None) => return Err(late_time(member.value.start - line.start)),
            (None, None) => None,
        };
        Ok((event, time))
    }

    fn is_time(&self, name: &str) -> bool {
        self.roles.find_text(name).kind == Kind::Time
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        let place = Place::within(self.number.max(1), self.buffer.row(), fault.at());
        TraceError::new(&self.context.source, place, fault)
    }
}

/// The members of a line, each name once, and the body apart.
fn members(bytes: &[u8], line: Stretch) -> Result<(Vec<Member>, Option<Stretch>), Fault> {
    let mut scanner: Scanner<'_, true> = Scanner::new(bytes, line)?;
    let mut members: Vec<Member> = Vec::new();
    let (mut body, mut is_first) = (None, true);
    scanner.open_object()?;
    while let Some((name, value)) = scanner.entry(is_first)? {
        is_first = false;
        if text(bytes, name) == BODY {
            body = Some(value);
            continue;
        }
        if members.len() >= MOST_FIELDS {
            return Err(too_many_fields(name.inside.start - line.start));
        }
        members.push(Member { name, value, is_time: false });
    }
    scanner.end()?;
    last_wins(&mut members, |member| text(bytes, member.name));
    Ok((members, body))
}

impl Present {
    /// Keeps the wanted fields: those of the message, then those of its capture. Where both have one of a name the
    /// capture's counts, so that `source` means the same in every event.
    fn gather(
        &mut self,
        bytes: &[u8],
        members: &[Member],
        (adapter, name, data): (&Adapter, &str, &dyn ParseData),
        wanted: &dyn Fn(&str) -> bool,
        key: &dyn Fn(&str) -> Key,
    ) {
        let captured: Vec<Cow<'_, str>> = members.iter().map(|member| text(bytes, member.name)).collect();
        let has = |name: &str| captured.iter().any(|known| known == name);
        let found: Vec<(&str, Value<'_>)> =
            adapter.participants(data).filter(|(name, _)| wanted(name) && !has(name)).collect();
        let own = |name: &str| wanted(name) && !has(name) && found.iter().all(|(known, _)| *known != name);
        for (name, value) in adapter.fields(name, data, &own) {
            self.fields.push(Field::new(key(&name), &name, value, false));
        }
        for (name, value) in found {
            self.fields.push(Field::new(key(name), name, value, false));
        }
        for (member, name) in members.iter().zip(&captured).filter(|(_, name)| wanted(name)) {
            let of = value(bytes, member.value);
            self.fields.push(Field::new(key(name), name, of, member.is_time));
        }
    }

    fn parameters(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.is_time)
    }
}

impl Field {
    fn new(key: Key, name: &str, value: Value<'_>, is_time: bool) -> Field {
        Field { key, name: name.into(), value: value.into_owned(), is_time }
    }
}

impl Fields for Present {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.fields.iter().find(|field| field.key == key).map(|field| field.value.clone())
    }

    fn parameter_count(&self) -> usize {
        self.parameters().count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameters().nth(index).map_or(Value::Null, |field| field.value.clone())
    }
}

impl<R: Read> Reader for MessageReader<R> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.error(fault))
    }

    fn fields(&self) -> &dyn Fields {
        if self.present.fields.is_empty() { &NoFields } else { &self.present }
    }

    answer_from_context!();

    fn bytes_read(&self) -> u64 {
        self.buffer.bytes_read()
    }

    fn place(&self) -> Place {
        Place { line: self.event_number, column: 1 }
    }

    fn time_field(&self) -> Option<&str> {
        self.roles.time_field()
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let entry = |field: &'_ Field| Entry {
            key: Cow::Owned(field.name.to_string()),
            value: field.value.clone(),
            is_time: field.is_time,
        };
        self.present.fields.iter().map(entry).collect()
    }
}

#[cfg(test)]
mod tests;
