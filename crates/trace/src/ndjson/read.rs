// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one line at a time, whole in the buffer, scanned once.

use std::borrow::Cow;
use std::io::Read;

use gnomon_core::event::{Fields, NoFields, TICK, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::Origin;

use super::line::{Field, Line};
use super::scanner::{Scanner, Text};
use super::value::text;
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context, late_time, no_name, no_time};
use crate::error::{Code, Fault, TraceError, quote};
use crate::fields::{MOST_FIELDS, last_wins, too_many_fields};
use crate::lines::next_line;
use crate::names::Names;
use crate::reader::{Entry, Place, Reader, Setup};
use crate::roles::{Keys, Kind, Roles};
use crate::scan::whole_number;
use crate::stretch::Stretch;
use crate::times::Times;

/// Reads NDJSON; see `ndjson/FORMAT.md`.
pub struct NdjsonReader<R> {
    line: Line<R>,
    context: Context,
    roles: Roles,
    /// The index of the next event.
    index: u64,
    /// The number of the present line.
    number: u64,
    /// The number of the last event's line.
    event_number: u64,
    /// Whether the present event has fields that were asked for.
    has_fields: bool,
    /// The name of what is no event, if someone knows it.
    tick: Option<Name>,
}

impl<R: Read> NdjsonReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, event_field, time_field, clock, .. } = setup;
        let roles =
            Roles::new(&symbols, &projection, time_field, Keys::NAMED).with_event(event_field.as_deref(), &symbols);
        NdjsonReader {
            tick: symbols.find_name(TICK),
            line: Line { buffer, fields: Vec::new() },
            context: Context::new(source, symbols, projection, clock),
            roles,
            index: 0,
            number: 0,
            event_number: 0,
            has_fields: false,
        }
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        let Some(line) = next_line(&mut self.line.buffer, &mut self.number)? else {
            return Ok(None);
        };
        if self.roles.is_open() {
            self.settle(line)?;
        }
        let (event, time) = self.read_event(line)?;
        self.event_number = self.number;
        let event_index = self.index;
        self.index += u64::from(Some(event) != self.tick);
        let time = time.unwrap_or_else(|| self.context.times.whole(event_index as i64));
        Ok(Some(Origin { event_index, time, event }))
    }

    /// Learns from the first event where the time is.
    #[cold]
    fn settle(&mut self, line: Stretch) -> Result<(), Fault> {
        let bytes = self.line.buffer.padded();
        let mut scanner: Scanner<'_, true> = Scanner::new(bytes, line)?;
        scanner.open_object()?;
        let mut keys: Vec<Cow<'_, str>> = Vec::new();
        while let Some((key, _)) = scanner.entry(keys.is_empty())? {
            if keys.len() >= MOST_FIELDS {
                return Err(too_many_fields(key.inside.start - line.start));
            }
            keys.push(text(bytes, key));
        }
        scanner.end()?;
        let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
        self.roles.settle(&keys)?;
        if self.roles.time_field().is_none() {
            self.context.times.count_positions();
        }
        Ok(())
    }

    /// The name and the time of the event on this line.
    #[inline]
    fn read_event(&mut self, line: Stretch) -> Result<(Name, Option<Timestamp>), Fault> {
        let Line { buffer, fields } = &mut self.line;
        let Context { names, projection, times, .. } = &mut self.context;
        let bytes = buffer.padded();
        let (keep_some, keep_all) = (self.roles.wants_fields(), self.roles.wants_all());
        let mut scanner: Scanner<'_, true> = Scanner::new(bytes, line)?;
        let mut event = None;
        let mut second_name = None;
        let mut time = None;
        fields.clear();
        let mut is_first = true;
        scanner.open_object()?;
        while let Some((key, value)) = scanner.entry(is_first)? {
            is_first = false;
            let role = if key.escaped {
                self.roles.find_text(&text(bytes, key))
            } else {
                self.roles.find(bytes, key.inside.start, key.inside.end - key.inside.start)
            };
            match role.kind {
                Kind::Event => {
                    event = Some(value);
                    continue;
                }
                Kind::Name => second_name = Some(value),
                Kind::Time => time = Some(value),
                Kind::Field => {}
            }
            if keep_all || (keep_some && role.key != Key::OTHER) {
                if fields.len() >= MOST_FIELDS {
                    return Err(too_many_fields(key.inside.start - line.start));
                }
                fields.push(Field { key: role.key, text: key, value, is_time: role.kind == Kind::Time });
            }
        }
        scanner.end()?;
        let is_second = event.is_none();
        let name = event.or(second_name).ok_or_else(|| {
            no_name(0).help("give it under the key `event`, such as `{\"event\": \"logon\", \"time\": 3}`")
        })?;
        let event = event_name(names, bytes, name, line)?;
        let want = projection.want(event);
        self.has_fields = *want != Want::Nothing;
        if self.has_fields {
            if is_second {
                fields.retain(|field| text(bytes, field.text) != "name");
            }
            if *want == Want::All {
                last_wins(fields, |field| text(bytes, field.text));
            }
        }
        let time = match (time, self.roles.time_field()) {
            (Some(value), Some(_)) => Some(read_time(times, bytes, value, line)?),
            (None, Some(field)) => {
                let field = field.to_owned();
                return Err(no_time(0).help(format!("give it one under the key {}", quote(field.as_bytes()))));
            }
            (Some(value), None) => return Err(late_time(value.start - line.start)),
            (None, None) => None,
        };
        Ok((event, time))
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        let place = Place::within(self.number.max(1), self.line.buffer.row(), fault.at());
        TraceError::new(&self.context.source, place, fault)
    }
}

/// The name that is the value there.
#[inline]
fn event_name(names: &mut Names, bytes: &[u8], value: Stretch, line: Stretch) -> Result<Name, Fault> {
    let inside = Stretch { start: value.start + 1, end: value.end - 1 };
    if bytes[value.start] == b'"'
        && let Some(id) = names.raw().find(bytes, inside.start, inside.end.saturating_sub(inside.start))
    {
        return Ok(Name(id));
    }
    learn_name(names, bytes, value, line)
}

#[cold]
fn learn_name(names: &mut Names, bytes: &[u8], value: Stretch, line: Stretch) -> Result<Name, Fault> {
    let Some(name) = string_at(bytes, value) else {
        let message = format!("the event's name {} is no string", quote(value.of(bytes)));
        return Err(Fault::new(Code::NoName, value.start - line.start, message).help("put it in double quotes"));
    };
    let raw = name.inside.of(bytes);
    if raw.is_empty() {
        return Err(no_name(value.start - line.start));
    }
    Ok(names.intern(&text(bytes, name), Some(raw)))
}

/// The time that is the value there: a number, or a string with a number or a date-time in it.
#[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
#[inline(always)]
pub(crate) fn read_time(times: &mut Times, bytes: &[u8], value: Stretch, line: Stretch) -> Result<Timestamp, Fault> {
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

/// The string that is the value there.
fn string_at(bytes: &[u8], value: Stretch) -> Option<Text> {
    let mut scanner: Scanner<'_, true> = Scanner::again(bytes, value);
    if scanner.take(b'"') { scanner.string().ok() } else { None }
}

impl<R: Read> Reader for NdjsonReader<R> {
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
        Place { line: self.event_number, column: 1 }
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
