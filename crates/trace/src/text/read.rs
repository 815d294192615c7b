// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one line at a time.

use std::borrow::Cow;
use std::io::Read;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

use super::pattern::{Found, TextPattern};
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context};
use crate::error::{Code, Fault, TraceError, quote};
use crate::lines::next_line;
use crate::names::Names;
use crate::reader::{Entry, Place, Reader, Setup};
use crate::roles::no_time_field;
use crate::stretch::{Stretch, utf8};
use crate::times::{Times, USUAL_FIELDS, usual_field};

/// Reads plain text logs; see `text/FORMAT.md`.
pub struct TextReader<R> {
    line: Line<R>,
    context: Context,
    unmatched: Unmatched,
    /// The index of the next event.
    index: u64,
    /// The number of the present line.
    number: u64,
    /// The number of the last event's line.
    event_number: u64,
    /// Whether the present event has fields that were asked for.
    has_fields: bool,
}

/// Lines that are no events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unmatched {
    /// How many.
    pub count: u64,
    /// The first few: the number of the line, from 1, and its beginning.
    pub first: Vec<(u64, String)>,
}

/// The present line, and where its parts are.
struct Line<R> {
    buffer: Buffer<R>,
    pattern: TextPattern,
    found: Found,
    time: Option<usize>,
    /// The part of each key that somebody may ask for.
    keys: Vec<(Key, usize)>,
}

impl<R: Read> TextReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, pattern: TextPattern, setup: Setup) -> Result<Self, Fault> {
        let Setup { symbols, projection, time_field, clock, .. } = setup;
        let names: Vec<&str> = pattern.names().collect();
        let time = match &time_field {
            Some(declared) => {
                Some(names.iter().position(|name| name == declared).ok_or_else(|| no_time_field(declared, &names))?)
            }
            None => usual_field(&names, USUAL_FIELDS),
        };
        let event = pattern.event();
        let key = |(part, name): (usize, &&str)| symbols.find_key(name).map(|key| (key, part));
        let keys = names.iter().enumerate().filter(|(part, _)| *part != event).filter_map(key).collect();
        let found = pattern.room();
        let mut context = Context::new(source, symbols, projection, clock);
        if time.is_none() {
            context.times.count_positions();
        }
        Ok(TextReader {
            line: Line { buffer, pattern, found, time, keys },
            context,
            unmatched: Unmatched::default(),
            index: 0,
            number: 0,
            event_number: 0,
            has_fields: false,
        })
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        while let Some(line) = next_line(&mut self.line.buffer, &mut self.number)? {
            let Line { buffer, pattern, found, time, .. } = &mut self.line;
            let text = line.of(buffer.padded());
            let length = text.len();
            let part = |found: &Found, part: usize| found.holes.get(part).copied().unwrap_or_default();
            let is_match = pattern.find(text, *time, found);
            let name = part(found, pattern.event());
            if !is_match || name.len() == 0 {
                self.pass(length)?;
                continue;
            }
            let event_index = self.index;
            let time = match time.map(|time| part(found, time)) {
                None => Some(self.context.times.whole(event_index as i64)),
                Some(stretch) => read_time(&mut self.context.times, text, stretch)?,
            };
            let Some(time) = time else {
                self.pass(length)?;
                continue;
            };
            let event = event_name(&mut self.context.names, self.line.buffer.padded(), line, name)?;
            self.check(event, line)?;
            self.event_number = self.number;
            self.index += 1;
            return Ok(Some(Origin { event_index, time, event }));
        }
        Ok(None)
    }

    /// The parts that somebody will look at must be text.
    #[inline]
    fn check(&mut self, event: Name, line: Stretch) -> Result<(), Fault> {
        let want = self.context.projection.want(event);
        self.has_fields = *want != Want::Nothing;
        let text = line.of(self.line.buffer.padded());
        if self.has_fields && !text.is_ascii() {
            for &stretch in &self.line.found.holes {
                utf8(text, stretch)?;
            }
        }
        Ok(())
    }

    /// Takes note of a line that is no event.
    #[cold]
    fn pass(&mut self, length: usize) -> Result<(), Fault> {
        const SHOWN: usize = 10;
        const LONGEST: usize = 160;
        let line = &self.line.buffer.row()[..length];
        if self.line.pattern.is_strict() {
            let message = format!("the line {} does not fit the pattern of the log", quote(line));
            return Err(Fault::new(Code::NoMatch, 0, message)
                .help("change the pattern, or let lines that do not fit be passed over"));
        }
        self.unmatched.count += 1;
        if self.unmatched.first.len() < SHOWN {
            let text = String::from_utf8_lossy(&line[..length.min(4 * LONGEST)]);
            let mut shown: String = text.chars().take(LONGEST).collect();
            if text.chars().count() > LONGEST {
                shown.push('…');
            }
            self.unmatched.first.push((self.number, shown));
        }
        Ok(())
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        let place = Place::within(self.number.max(1), self.line.buffer.row(), fault.at());
        TraceError::new(&self.context.source, place, fault)
    }
}

/// The time in a part of a line; none if it is no time at all.
#[inline]
fn read_time(times: &mut Times, text: &[u8], stretch: Stretch) -> Result<Option<Timestamp>, Fault> {
    let written = stretch.of(text).trim_ascii();
    match times.parse(written, stretch.start) {
        Ok(time) => Ok(Some(time)),
        Err(_) if !times.is_time(written) => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[inline]
fn event_name(names: &mut Names, bytes: &[u8], line: Stretch, name: Stretch) -> Result<Name, Fault> {
    let Stretch { start, end } = name.shifted(line.start);
    if let Some(id) = names.raw().find(bytes, start, end - start) {
        return Ok(Name(id));
    }
    let text = utf8(line.of(bytes), name)?;
    Ok(names.intern(text, Some(text.as_bytes())))
}

impl<R> Line<R> {
    /// The value of a part; an empty one has none.
    fn value(&self, part: usize) -> Option<Value<'_>> {
        let text = self.found.holes.get(part)?.of(self.buffer.row()).trim_ascii();
        (!text.is_empty()).then(|| Value::from_cell(String::from_utf8_lossy(text)))
    }

    /// The parts that are positional parameters.
    fn parameters(&self) -> impl DoubleEndedIterator<Item = usize> {
        let (event, time) = (self.pattern.event(), self.time);
        (0..self.found.holes.len()).filter(move |part| *part != event && Some(*part) != time)
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let names = self.pattern.names().enumerate().filter(|(part, _)| *part != self.pattern.event());
        let entry = |(part, name)| {
            let is_time = self.time == Some(part);
            self.value(part).map(|value| Entry { key: Cow::Borrowed(name), value, is_time })
        };
        names.filter_map(entry).collect()
    }
}

impl<R> Fields for Line<R> {
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

impl<R: Read> Reader for TextReader<R> {
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
        self.line.time.and_then(|time| self.line.pattern.names().nth(time))
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        if self.has_fields { self.line.entries() } else { Vec::new() }
    }

    fn unmatched(&self) -> Option<&Unmatched> {
        Some(&self.unmatched)
    }
}

#[cfg(test)]
mod tests;
