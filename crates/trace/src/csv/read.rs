// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: a quick way for the rows that nearly all traces consist of, and a careful one for everything else.
//!
//! The quick way reads a row in place, with no call where the cells are short. It changes nothing until the whole row
//! is understood; whatever it does not understand at sight (quotes, a name or a kind of number not met before, the end
//! of the buffer, anything wrong) it leaves to the careful way, which starts the row anew and reports what is wrong.

use std::io::Read;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::Name;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::Origin;
use memchr::{memchr_iter, memchr2, memchr3};

use super::careful::{Parsed, assignment_row, check_cells, table_row};
use super::layout::Layout;
use super::row::Row;
use super::split::{Cell, Quoting, Split, split, trim};
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context};
use crate::error::{Fault, TraceError};
use crate::fields::{MOST_FIELDS, too_many_fields};
use crate::reader::{Entry, Place, Reader, Setup};
use crate::scan::{first, keep, load, mark, splat, whole_number};

/// Reads CSV; see `csv/FORMAT.md`.
pub struct CsvReader<R> {
    row: Row<R>,
    context: Context,
    /// The index of the next event.
    index: u64,
    /// The line of the present row, and of the next.
    row_line: u64,
    next_line: u64,
    /// Whether the present event has fields that were asked for.
    has_fields: bool,
    quick: Option<Quick>,
}

/// How many cells the quick way remembers the ends of while it looks for the name and the time.
const QUICK_ENDS: usize = 4;

/// What the quick way must know of the header.
#[derive(Clone, Copy)]
struct Quick {
    name: usize,
    /// No column where times are places.
    time: usize,
    last_vital: usize,
    columns: usize,
}

impl<R: Read> CsvReader<R> {
    /// Reads the first line.
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Result<Self, TraceError> {
        let Setup { symbols, projection, event_field, time_field, clock, .. } = setup;
        let context = Context::new(source, symbols, projection, clock);
        let row = Row { buffer, layout: Layout::empty(), cells: Vec::new(), pairs: Vec::new() };
        let mut reader =
            CsvReader { row, context, index: 0, row_line: 1, next_line: 1, has_fields: false, quick: None };
        reader.read_layout(event_field, time_field).map_err(|fault| reader.error(fault))?;
        Ok(reader)
    }

    fn read_layout(&mut self, event_field: Option<String>, time_field: Option<String>) -> Result<(), Fault> {
        let Some(mut found) = self.first_cell()? else {
            return Ok(());
        };
        self.row.cells.push(found.cell);
        while !found.last {
            if self.row.cells.len() >= MOST_FIELDS {
                return Err(too_many_fields(found.next));
            }
            found = split(&mut self.row.buffer, found.next)?;
            self.row.cells.push(found.cell);
        }
        let Context { names, projection, .. } = &self.context;
        let row = self.row.buffer.row();
        self.row.layout = Layout::detect(row, &self.row.cells, names.symbols(), projection, [event_field, time_field])?;
        match &self.row.layout {
            Layout::Header(header) => {
                if header.time.is_none() {
                    self.context.times.count_positions();
                }
                self.end_row(found.next);
            }
            // This line is an event: it is read again as one.
            Layout::Assignments(_) => self.row.buffer.set_length(0),
        }
        Ok(())
    }

    /// The quick way.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn read_quickly(&mut self) -> Option<Origin> {
        let layout = self.quick?;
        let bytes = self.row.buffer.padded();
        let mut at = self.row.buffer.next_row();
        let mut name = Name(0);
        let mut time = self.context.times.whole(self.index as i64);
        let mut column = 0;
        let mut ends = [0; QUICK_ENDS];
        loop {
            if column == layout.name {
                (name, at) = self.known_name(bytes, at)?;
            } else if column == layout.time {
                (time, at) = self.quick_time(bytes, at)?;
            } else {
                at += memchr3(b',', b'\n', b'"', &bytes[at..self.row.buffer.end()])?;
            }
            if let Some(end) = ends.get_mut(column) {
                *end = at;
            }
            if column == layout.last_vital {
                break;
            }
            if bytes[at] != b',' {
                return None;
            }
            at += 1;
            column += 1;
        }
        let Layout::Header(header) = &self.row.layout else {
            return None;
        };
        let need = header.need(name);
        if need > 0 && column < QUICK_ENDS {
            let next = self.keep_short_cells(&ends[..=column], need, layout.columns, name)?;
            return Some(self.turn_quickly(next, true, name, time));
        }
        let next = match bytes[at] {
            b'\n' => at + 1,
            b'\r' if bytes[at + 1] == b'\n' => at + 2,
            b',' => {
                let rest = &bytes[at + 1..self.row.buffer.end()];
                let length = memchr2(b'\n', b'"', rest)?;
                if rest[length] == b'"' {
                    return None;
                }
                let cells = column + 2 + memchr_iter(b',', &rest[..length]).count();
                if cells > layout.columns {
                    return None;
                }
                at + length + 2
            }
            _ => return None,
        };
        if need > 0 && !self.keep_cells(next, need, name) {
            return None;
        }
        Some(self.turn_quickly(next, need > 0, name, time))
    }

    /// The row that ends before `next` is understood.
    #[inline]
    fn turn_quickly(&mut self, next: usize, has_fields: bool, event: Name, time: Timestamp) -> Origin {
        self.has_fields = has_fields;
        self.row.buffer.turn_to(next);
        self.row_line = self.next_line;
        self.next_line += 1;
        let event_index = self.index;
        self.index += 1;
        Origin { event_index, time, event }
    }

    /// Keeps the first `need` cells of a row whose first cells end at these places; tells where the next row begins. `None`
    /// if that takes care.
    #[inline]
    fn keep_short_cells(&mut self, ends: &[usize], need: usize, columns: usize, name: Name) -> Option<usize> {
        let Row { buffer, cells, layout, .. } = &mut self.row;
        let (bytes, start) = (buffer.padded(), buffer.next_row());
        let cell = |from: usize, end: usize| Cell::new(from - start, end - start, Quoting::Bare);
        cells.clear();
        let (mut from, mut at) = (start, start);
        for end in ends {
            cells.push(cell(from, *end));
            (from, at) = (*end + 1, *end);
        }
        // The names and times before were met in this writing, or are digits.
        let mut written = 0;
        while bytes[at] == b',' && cells.len() < need {
            from = at + 1;
            // Most ids and amounts are a few digits, after a blank or not: what they make is found with where they end.
            let start_of = from + usize::from(bytes[from] == b' ');
            if let Some((number, end)) = whole_number(bytes, start_of)
                && matches!(bytes[end], b',' | b'\n')
            {
                at = end;
                cells.push(Cell::digits(start_of - start, end - start, number));
                continue;
            }
            at = from;
            loop {
                let word = load(bytes, at);
                let marks = mark(word, splat(b',')) | mark(word, splat(b'\n')) | mark(word, splat(b'"'));
                written |= keep(word, first(marks));
                at += first(marks);
                if marks != 0 {
                    break;
                }
                if at >= buffer.end() {
                    return None;
                }
            }
            cells.push(cell(from, at));
        }
        let mut count = cells.len();
        if bytes[at] == b',' {
            let rest = &bytes[at..buffer.end()];
            let length = memchr2(b'\n', b'"', rest)?;
            count += memchr_iter(b',', &rest[..length]).count();
            at += length;
        }
        at += usize::from(bytes[at] == b'\r');
        if bytes[at] != b'\n' || count > columns {
            return None;
        }
        if written & splat(0x80) != 0 {
            let Layout::Header(header) = layout else { return None };
            check_cells(&bytes[start..at], header, cells, self.context.projection.want(name)).ok()?;
        }
        Some(at + 1)
    }

    /// The name that begins here, if it was met before in this writing, and where its cell ends.
    #[inline]
    fn known_name(&self, bytes: &[u8], at: usize) -> Option<(Name, usize)> {
        const LONGEST: usize = 256;
        let ends = |word| mark(word, splat(b',')) | mark(word, splat(b'\n'));
        let word = load(bytes, at);
        let marks = ends(word);
        let known = self.context.names.raw();
        if marks != 0 {
            let length = first(marks);
            let id = known.find_ends(keep(word, length), 0, bytes, at, length)?;
            return Some((Name(id), at + length));
        }
        let mut length = 8;
        loop {
            let marks = ends(load(bytes, at + length));
            length += first(marks);
            if marks != 0 {
                break;
            }
            if length > LONGEST {
                return None;
            }
        }
        let id = known.find_ends(word, load(bytes, at + length - 8), bytes, at, length)?;
        Some((Name(id), at + length))
    }

    /// The time that begins here, and where its cell ends.
    #[inline]
    fn quick_time(&self, bytes: &[u8], at: usize) -> Option<(Timestamp, usize)> {
        let mut start = at;
        while bytes[start] == b' ' {
            start += 1;
        }
        if self.context.times.kind() == Some(TimeKind::Number)
            && let Some((number, end)) = whole_number(bytes, start)
            && matches!(bytes[end], b'\n' | b',' | b'\r')
        {
            return Some((self.context.times.whole(number), end));
        }
        self.other_time(bytes, start)
    }

    /// [`CsvReader::quick_time`] for what is no whole number.
    #[inline(never)]
    fn other_time(&self, bytes: &[u8], start: usize) -> Option<(Timestamp, usize)> {
        let end = start + memchr3(b',', b'\n', b'"', &bytes[start..self.row.buffer.end()])?;
        let (_, trimmed) = trim(bytes, start, end);
        Some((self.context.times.parse_alike(&bytes[start..trimmed])?, end))
    }

    /// Keeps the first `need` cells of the row that ends before `next`; false if that takes care.
    #[inline(never)]
    fn keep_cells(&mut self, next: usize, need: usize, name: Name) -> bool {
        let start = self.row.buffer.next_row();
        let row = &self.row.buffer.padded()[start..next];
        self.row.cells.clear();
        let mut at = 0;
        while self.row.cells.len() < need {
            let Some(length) = memchr3(b',', b'\n', b'"', &row[at..]) else {
                return false;
            };
            let (cell_start, cell_end) = trim(row, at, at + length);
            self.row.cells.push(Cell::new(cell_start, cell_end, Quoting::Bare));
            at += length + 1;
            match row[at - 1] {
                b',' => {}
                b'\n' => break,
                _ => return false,
            }
        }
        let Layout::Header(header) = &self.row.layout else {
            return false;
        };
        row.is_ascii() || check_cells(row, header, &self.row.cells, self.context.projection.want(name)).is_ok()
    }

    /// The careful way.
    #[inline(never)]
    fn read_carefully(&mut self) -> Result<Option<Origin>, Fault> {
        let last_line = self.row_line;
        let Some(found) = self.first_cell()? else {
            self.row_line = last_line;
            return Ok(None);
        };
        let Row { buffer, layout, cells, pairs } = &mut self.row;
        let Parsed { name, time, length } = match layout {
            Layout::Header(header) => table_row(buffer, header, cells, &mut self.context, found)?,
            Layout::Assignments(roles) => assignment_row(buffer, roles, pairs, &mut self.context, found)?,
        };
        self.has_fields = *self.context.projection.want(name) != Want::Nothing;
        self.end_row(length);
        if let (None, Layout::Header(header), Some(kind)) = (self.quick, &self.row.layout, self.context.times.kind()) {
            self.quick = Some(Quick {
                name: header.name,
                time: header.time.filter(|_| kind != TimeKind::Position).unwrap_or(usize::MAX),
                last_vital: header.last_vital(),
                columns: header.columns,
            });
        }
        let event_index = self.index;
        self.index += 1;
        let time = time.unwrap_or_else(|| self.context.times.whole(event_index as i64));
        Ok(Some(Origin { event_index, time, event: name }))
    }

    /// Goes to the next row that is not blank, and reads its first cell.
    fn first_cell(&mut self) -> Result<Option<Split>, Fault> {
        loop {
            self.row.buffer.turn();
            self.row_line = self.next_line;
            self.row.cells.clear();
            self.row.pairs.clear();
            let found = split(&mut self.row.buffer, 0)?;
            if self.row.buffer.row().is_empty() {
                return Ok(None);
            }
            let blank = found.last && found.cell.is_empty() && found.cell.quoting == Quoting::Bare;
            if !blank {
                return Ok(Some(found));
            }
            self.end_row(found.next);
        }
    }

    fn end_row(&mut self, length: usize) {
        self.row.buffer.set_length(length);
        self.next_line = self.row_line + memchr_iter(b'\n', &self.row.buffer.row()[..length]).count() as u64;
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        let place = Place::within(self.row_line, self.row.buffer.row(), fault.at());
        TraceError::new(&self.context.source, place, fault)
    }
}

impl<R: Read> Reader for CsvReader<R> {
    #[allow(clippy::inline_always)] // the innermost loop: what a call returns in memory is read back too soon
    #[inline(always)]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        if let Some(origin) = self.read_quickly() {
            return Ok(Some(origin));
        }
        self.read_carefully().map_err(|fault| self.error(fault))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.has_fields { &self.row } else { &NoFields }
    }

    answer_from_context!();

    fn bytes_read(&self) -> u64 {
        self.row.buffer.bytes_read()
    }

    #[inline]
    fn place(&self) -> Place {
        Place { line: self.row_line, column: 1 }
    }

    fn time_field(&self) -> Option<&str> {
        match &self.row.layout {
            Layout::Header(header) => header.time.and_then(|column| header.texts.get(column)).map(String::as_str),
            Layout::Assignments(roles) => roles.time_field(),
        }
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        if self.has_fields { self.row.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
