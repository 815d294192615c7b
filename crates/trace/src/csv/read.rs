// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: a fast path for ordinary rows, and a careful path for everything else.
//!
//! The fast path parses a row in place, eight bytes at a time, without a call where cells are short. It needs a name
//! that was learned before in the same notation, a time of the kind that is known, and no quotes; it changes no state
//! until the whole row is parsed. Otherwise it returns `None`, and the careful path parses the row again from its start
//! and reports what is wrong.
//!
//! Parsing with projection: of a row `pay, 12, ann, 300, EUR` where properties want only the field of the third column
//! for `pay`, the reader
//! 1. finds the name and the time, which every event needs (`last_required` is the last column of the two),
//! 2. looks up how many leading cells the projection needs of `pay` (here 3) and keeps their ranges,
//! 3. skips to the end of the line, counting commas to check the number of cells.
//!
//! Values are made from ranges only when a property asks for the field; for an event of which nothing is wanted no cell
//! is kept.

use gnomon_core::event::{Fields, NoFields};
use gnomon_core::event_block::EventBlock;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::is_out_of_range;
use gnomon_core::verdict::Origin;
use gnomon_scan::word::{first_marked, load, low_bytes, mark_equal, splat, whole_number};
use gnomon_scan::{Buffer, ByteSource, Fault, MOST_FIELDS, PADDING, TraceError, too_many_fields};
use memchr::{memchr_iter, memchr2, memchr3};

use self::block::BlockColumns;
use super::careful::{ParsedRow, assignment_row, check_cells, table_row};
use super::layout::{CsvLayout, find_separator};
use super::row::CsvRow;
use super::split::{CsvCell, Quoting, SplitCell, split, trim};
use crate::checkpoints::Checkpoint;
use crate::chunks::{ChunkParser, RowEnds};
use crate::format::HEAD;
use crate::header::RowName;
use crate::reader::{AnyInput, FieldEntry, Location, LogFormat, NameSet, NameSource, RUN_LENGTH, Reader, ReaderSetup};
use crate::state::ReaderState;

mod block;

/// Reads CSV; see `csv/FORMAT.md`.
pub struct CsvReader<R> {
    row: CsvRow<R>,
    state: ReaderState,
    /// The line of the current row, and of the next.
    row_line: u64,
    next_line: u64,
    /// The byte between cells.
    separator: u8,
    /// `None` until the first row was read, and where cells are not separated by commas.
    quick: Option<FastPath>,
    /// The columns of blocks; `None` where rows cannot be read in blocks, and as long as `quick` is `None`.
    block_columns: Option<BlockColumns>,
}

/// The number of cells whose ends the fast path remembers while it looks for the name and the time.
const QUICK_ENDS: usize = 4;

/// The columns of the header that the fast path needs.
#[derive(Clone, Copy)]
struct FastPath {
    /// `usize::MAX` where all rows have the same name.
    name: usize,
    constant: Name,
    /// `usize::MAX` where positions are times.
    time: usize,
    last_required: usize,
    columns: usize,
}

/// The name and the time of a row.
struct RowHead {
    name: Name,
    time: Timestamp,
    /// The end of the last cell of the two.
    at: usize,
    /// True if there is another cell before the end.
    has_other: bool,
}

impl<R: ByteSource> CsvReader<R> {
    /// Reads the first line.
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Result<Self, TraceError> {
        let state = ReaderState::new(source, &mut setup);
        let row = CsvRow { buffer, layout: CsvLayout::empty(), cells: Vec::new(), pairs: Vec::new() };
        let mut reader =
            CsvReader { row, state, row_line: 1, next_line: 1, separator: b',', quick: None, block_columns: None };
        reader.read_layout(&setup).map_err(|fault| reader.error(fault))?;
        Ok(reader)
    }

    fn read_layout(&mut self, setup: &ReaderSetup) -> Result<(), Fault> {
        let declared = if let Some(LogFormat::Csv(columns)) = &setup.log { Some(columns) } else { None };
        let names: Vec<&str> = match setup.name_source() {
            NameSource::Usual => vec!["event", "name"],
            NameSource::Field(field) => vec![field],
            NameSource::Template(template) => {
                template.fields().flat_map(|path| [path, path.split('/').next().unwrap_or(path)]).collect()
            }
        };
        self.separator = find_separator(self.first_row()?, &names, declared.map(Vec::len));
        if let Some(columns) = declared {
            self.row.layout = CsvLayout::declared(columns, self.separator, &mut self.state, setup)?;
            self.set_time_field();
            return Ok(());
        }
        let Some(mut found) = self.first_cell()? else {
            return Ok(());
        };
        self.row.cells.push(found.cell);
        while !found.last {
            if self.row.cells.len() >= MOST_FIELDS {
                return Err(too_many_fields(found.next));
            }
            found = split(&mut self.row.buffer, found.next, self.separator)?;
            self.row.cells.push(found.cell);
        }
        self.row.layout =
            CsvLayout::detect(self.row.buffer.row(), &self.row.cells, self.separator, &mut self.state, setup)?;
        match &self.row.layout {
            CsvLayout::Header(_) => {
                self.set_time_field();
                self.end_row(found.next);
            }
            // This line is an event and is read again as one.
            CsvLayout::Assignments(_) => self.row.buffer.set_row_length(0),
        }
        Ok(())
    }

    fn set_time_field(&mut self) {
        if let CsvLayout::Header(table) = &self.row.layout {
            self.state.set_time_field(table.header.time_field(), &table.header.texts);
        }
    }

    /// Returns the first row that is not blank, as far as it is within the first few kilobytes. Reads no further, because the rest of a pipe
    /// may come later.
    fn first_row(&mut self) -> Result<&[u8], Fault> {
        let buffer = &mut self.row.buffer;
        while buffer.row().len() < HEAD && first_row_of(buffer.row()).1.is_none() && buffer.read_more()? {}
        let (head, end) = first_row_of(self.row.buffer.row());
        Ok(&head[..end.unwrap_or(head.len())])
    }

    /// The fast path.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn read_quickly(&mut self) -> Option<Origin> {
        let layout = self.quick?;
        let start = self.row.buffer.next_row();
        // Apart from the other results, which are moved: a move would wait for the stores to the array.
        let mut ends = [0; QUICK_ENDS];
        let head = self.row_head(&layout, self.row.buffer.padded(), start, self.state.index, &mut ends)?;
        let RowHead { name, time, at, has_other } = head;
        let CsvLayout::Header(table) = &self.row.layout else {
            return None;
        };
        let need = table.need(name);
        if need > 0 {
            let ends = &ends[..QUICK_ENDS.min(layout.last_required + 1)];
            let next = self.keep_cells(ends, has_other, need, layout.columns, name)?;
            return Some(self.end_quickly(next, true, name, time));
        }
        let next = self.row_end(self.row.buffer.padded(), at, layout.last_required + 1, layout.columns)?;
        Some(self.end_quickly(next, false, name, time))
    }

    /// Parses the cells up to the name and the time of the row that begins at `start` in the padded bytes of the buffer. Stores the
    /// ends of the first cells in `ends`.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn row_head<const ENDS: usize>(
        &self,
        layout: &FastPath,
        bytes: &[u8],
        start: usize,
        index: u64,
        ends: &mut [usize; ENDS],
    ) -> Option<RowHead> {
        let mut head = RowHead { name: layout.constant, time: Timestamp::MIN, at: start, has_other: false };
        // Most logs begin with the two. Without the loop over the columns this is half as many instructions.
        let adjacent = match (layout.name, layout.time) {
            (0, 1) => self.adjacent_row_head::<true>(bytes, start),
            (1, 0) => self.adjacent_row_head::<false>(bytes, start),
            _ => return self.scattered_row_head(layout, bytes, head, index, ends),
        };
        let first_end;
        (head.name, head.time, first_end, head.at) = adjacent?;
        for (end, at) in ends.iter_mut().zip([first_end, head.at]) {
            *end = at;
        }
        Some(head)
    }

    /// Parses the name and the time of a row that begins with the two. Returns them and the ends of their cells.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn adjacent_row_head<const NAME_FIRST: bool>(
        &self,
        bytes: &[u8],
        start: usize,
    ) -> Option<(Name, Timestamp, usize, usize)> {
        self.short_row_head::<NAME_FIRST>(bytes, start).or_else(|| self.long_row_head::<NAME_FIRST>(bytes, start))
    }

    /// [`CsvReader::adjacent_row_head`] where the name has less than 16 bytes and the time is a whole number. Both are within a
    /// constant number of bytes, so that no access needs a check of its bounds.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn short_row_head<const NAME_FIRST: bool>(
        &self,
        bytes: &[u8],
        start: usize,
    ) -> Option<(Name, Timestamp, usize, usize)> {
        let row: &[u8; PADDING] = bytes.get(start..)?.first_chunk()?;
        if self.state.times.kind() != Some(TimeKind::Number) {
            return None;
        }
        let names = self.state.names.cache();
        let (name, number, first_end, end) = if NAME_FIRST {
            let (name, first_end) = names.find_short(row, 0)?;
            let (number, end) = short_number(row, first_end + 1)?;
            (name, number, first_end, end)
        } else {
            let (number, first_end) = short_number(row, 0)?;
            let (name, end) = names.find_short(row, first_end + 1)?;
            (name, number, first_end, end)
        };
        // Most rows end here.
        if row[first_end] != b',' || row[end] != b'\n' && !matches!(row[end], b',' | b'\r') {
            return None;
        }
        Some((Name(name), self.state.times.whole(number), start + first_end, start + end))
    }

    /// [`CsvReader::adjacent_row_head`] for any name and time.
    #[inline(never)]
    fn long_row_head<const NAME_FIRST: bool>(
        &self,
        bytes: &[u8],
        start: usize,
    ) -> Option<(Name, Timestamp, usize, usize)> {
        if NAME_FIRST {
            let (name, first_end) = self.known_name(bytes, start)?;
            let (time, end) =
                if bytes[first_end] == b',' { self.quick_time(bytes, first_end + 1)? } else { return None };
            Some((name, time, first_end, end))
        } else {
            let (time, first_end) = self.quick_time(bytes, start)?;
            let (name, end) =
                if bytes[first_end] == b',' { self.known_name(bytes, first_end + 1)? } else { return None };
            Some((name, time, first_end, end))
        }
    }

    /// [`CsvReader::row_head`] where other columns come before the name and the time, or one of these is not in the table.
    #[inline(never)]
    fn scattered_row_head<const ENDS: usize>(
        &self,
        layout: &FastPath,
        bytes: &[u8],
        mut head: RowHead,
        index: u64,
        ends: &mut [usize; ENDS],
    ) -> Option<RowHead> {
        if layout.time == usize::MAX {
            head.time = self.state.times.whole(index as i64);
        }
        for column in 0.. {
            if column == layout.name {
                (head.name, head.at) = self.known_name(bytes, head.at)?;
            } else if column == layout.time {
                (head.time, head.at) = self.quick_time(bytes, head.at)?;
            } else {
                head.at += memchr3(b',', b'\n', b'"', &bytes[head.at..self.row.buffer.end()])?;
                head.has_other = true;
            }
            if let Some(end) = ends.get_mut(column) {
                *end = head.at;
            }
            if column == layout.last_required {
                break;
            }
            if bytes[head.at] != b',' {
                return None;
            }
            head.at += 1;
        }
        Some(head)
    }

    /// Returns the start of the row after the one whose first `parsed` cells end at `at`; nothing is wanted of its other cells, and it
    /// has at most `columns`.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn row_end(&self, bytes: &[u8], at: usize, parsed: usize, columns: usize) -> Option<usize> {
        match bytes[at] {
            b'\n' => Some(at + 1),
            b'\r' if bytes[at + 1] == b'\n' => Some(at + 2),
            b',' => {
                let rest = &bytes[at + 1..self.row.buffer.end()];
                let length = memchr2(b'\n', b'"', rest)?;
                if rest[length] == b'"' {
                    return None;
                }
                let cells = parsed + 1 + memchr_iter(b',', &rest[..length]).count();
                (cells <= columns).then_some(at + length + 2)
            }
            _ => None,
        }
    }

    /// Reads a run without changing the state. `head` parses the name and the time of the row that begins at an offset and has an
    /// index, and returns them with the end of the last cell of the two. Returns the start of the last row and of the one after it.
    #[allow(clippy::inline_always)] // once for each order of the columns
    #[inline(always)]
    fn read_run(
        &self,
        layout: &FastPath,
        bare: &NameSet,
        run: &mut Vec<Origin>,
        head: impl Fn(usize, u64) -> Option<(Name, Timestamp, usize)>,
    ) -> Option<(usize, usize)> {
        let bytes = self.row.buffer.padded();
        let (mut last, mut next) = (None, self.row.buffer.next_row());
        run.reserve(RUN_LENGTH);
        for event_index in self.state.index..self.state.index + RUN_LENGTH as u64 {
            let Some((event, time, at)) = head(next, event_index) else { break };
            if !bare.contains(event) {
                break;
            }
            let Some(end) = self.row_end(bytes, at, layout.last_required + 1, layout.columns) else { break };
            run.push(Origin { event_index, time, event });
            (last, next) = (Some(next), end);
        }
        Some((last?, next))
    }

    /// Completes a run of rows: the last one begins at `last`, the next one at `next`.
    fn end_run(&mut self, length: u64, (last, next): (usize, usize)) {
        self.state.index += length;
        self.state.has_fields = false;
        self.row.buffer.start_next_row_ending_at(last);
        self.row.buffer.start_next_row_ending_at(next);
        self.next_line += length;
        self.row_line = self.next_line - 1;
    }

    /// Completes the row that ends before `next`.
    #[inline]
    fn end_quickly(&mut self, next: usize, has_fields: bool, event: Name, time: Timestamp) -> Origin {
        self.state.has_fields = has_fields;
        self.row.buffer.start_next_row_ending_at(next);
        self.row_line = self.next_line;
        self.next_line += 1;
        self.state.origin(event, Some(time))
    }

    /// Keeps the first `need` cells of a row whose first cells have these ends; `has_other` says that one of them is neither the
    /// name nor the time. Returns the start of the next row, or `None` if the row needs the careful path.
    #[inline]
    fn keep_cells(
        &mut self,
        ends: &[usize],
        has_other: bool,
        need: usize,
        columns: usize,
        name: Name,
    ) -> Option<usize> {
        let CsvRow { buffer, cells, layout, .. } = &mut self.row;
        let (bytes, start) = (buffer.padded(), buffer.next_row());
        let cell = |from: usize, end: usize| CsvCell::new(from - start, end - start, Quoting::Bare);
        cells.clear();
        let (mut from, mut at) = (start, start);
        for end in ends {
            cells.push(cell(from, *end));
            (from, at) = (*end + 1, *end);
        }
        // Names were learned in this notation, and times are digits: neither needs a check of its encoding.
        let is_plain = |cell: &CsvCell| !is_out_of_range(cell.trimmed(&bytes[start..at]).raw(&bytes[start..at]));
        if has_other && !cells.iter().all(is_plain) {
            return None;
        }
        let mut written = if has_other && !bytes[start..at].is_ascii() { u64::MAX } else { 0 };
        while bytes[at] == b',' && cells.len() < need {
            from = at + 1;
            // Most ids and amounts are a few digits, with or without a blank before: the value is computed while the
            // end is searched.
            let start_of = from + usize::from(bytes[from] == b' ');
            if let Some((number, end)) = whole_number(bytes, start_of)
                && matches!(bytes[end], b',' | b'\n')
            {
                at = end;
                cells.push(CsvCell::digits(start_of - start, end - start, number));
                continue;
            }
            at = from;
            loop {
                let word = load(bytes, at);
                let marks =
                    mark_equal(word, splat(b',')) | mark_equal(word, splat(b'\n')) | mark_equal(word, splat(b'"'));
                written |= low_bytes(word, first_marked(marks));
                at += first_marked(marks);
                if marks != 0 {
                    break;
                }
                if at >= buffer.end() {
                    return None;
                }
            }
            if is_out_of_range(bytes[from..at].trim_ascii()) {
                return None;
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
            let CsvLayout::Header(table) = layout else { return None };
            check_cells(&bytes[start..at], &table.header, cells, self.state.projection.selection(name)).ok()?;
        }
        Some(at + 1)
    }

    /// Returns the name that begins here, if its notation was learned before, and the end of its cell.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn known_name(&self, bytes: &[u8], at: usize) -> Option<(Name, usize)> {
        const LONGEST: usize = 256;
        let ends = |word| mark_equal(word, splat(b',')) | mark_equal(word, splat(b'\n'));
        let word = load(bytes, at);
        let marks = ends(word);
        let known = self.state.names.cache();
        if marks != 0 {
            let length = first_marked(marks);
            let id = known.find_ends(low_bytes(word, length), 0, bytes, at, length)?;
            return Some((Name(id), at + length));
        }
        let mut length = 8;
        loop {
            let marks = ends(load(bytes, at + length));
            length += first_marked(marks);
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

    /// Returns the time that begins here, and the end of its cell.
    #[allow(clippy::inline_always)] // see `advance`
    #[inline(always)]
    fn quick_time(&self, bytes: &[u8], at: usize) -> Option<(Timestamp, usize)> {
        let mut start = at + usize::from(bytes[at] == b' ');
        if self.state.times.kind() == Some(TimeKind::Number)
            && let Some((number, end)) = whole_number(bytes, start)
            && matches!(bytes[end], b'\n' | b',' | b'\r')
        {
            return Some((self.state.times.whole(number), end));
        }
        while bytes[start] == b' ' {
            start += 1;
        }
        self.other_time(bytes, start)
    }

    /// [`CsvReader::quick_time`] for other times than whole numbers.
    #[inline(never)]
    fn other_time(&self, bytes: &[u8], start: usize) -> Option<(Timestamp, usize)> {
        let end = start + memchr3(b',', b'\n', b'"', &bytes[start..self.row.buffer.end()])?;
        let (_, trimmed) = trim(bytes, start, end);
        Some((self.state.times.parse_alike(&bytes[start..trimmed])?, end))
    }

    /// The careful path.
    #[inline(never)]
    fn read_carefully(&mut self) -> Result<Option<Origin>, Fault> {
        let last_line = self.row_line;
        let Some(found) = self.first_cell()? else {
            self.row_line = last_line;
            return Ok(None);
        };
        let CsvRow { buffer, layout, cells, pairs } = &mut self.row;
        let ParsedRow { name, time, length } = match layout {
            CsvLayout::Header(table) => table_row(buffer, table, cells, &mut self.state, found)?,
            CsvLayout::Assignments(roles) => assignment_row(buffer, roles, pairs, &mut self.state, found)?,
        };
        self.state.want(name);
        self.end_row(length);
        if let (None, CsvLayout::Header(table), Some(kind)) = (self.quick, &self.row.layout, self.state.times.kind())
            && !matches!(table.header.name, RowName::Template(..))
            && self.separator == b','
        {
            self.quick = Some(FastPath {
                name: table.header.name.column().unwrap_or(usize::MAX),
                constant: table.constant.unwrap_or(Name(0)),
                time: table.header.time.filter(|_| kind != TimeKind::Position).unwrap_or(usize::MAX),
                last_required: table.last_required(),
                columns: table.columns(),
            });
            self.block_columns = BlockColumns::new(table, &self.state);
        }
        self.state.checkpoints.note(self.state.index, self.row_line, self.row.buffer.row_offset());
        Ok(Some(self.state.origin(name, time)))
    }

    /// Advances to the next row that is not blank and splits off its first cell.
    fn first_cell(&mut self) -> Result<Option<SplitCell>, Fault> {
        loop {
            self.row.buffer.start_next_row();
            self.row_line = self.next_line;
            self.row.cells.clear();
            self.row.pairs.clear();
            let found = split(&mut self.row.buffer, 0, self.separator)?;
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
        self.row.buffer.set_row_length(length);
        self.next_line = self.row_line + memchr_iter(b'\n', &self.row.buffer.row()[..length]).count() as u64;
    }

    #[cold]
    fn error(&self, fault: Fault) -> TraceError {
        let location = Location::within(self.row_line, self.row.buffer.row(), fault.at());
        TraceError::new(&self.state.source, location, fault)
    }
}

impl ChunkParser for CsvReader<AnyInput<'static>> {
    const ROW_ENDS: RowEnds = RowEnds::UnquotedLines;

    fn fork(&self) -> Self {
        let layout = self.row.layout.clone();
        let row = CsvRow { buffer: Buffer::default(), layout, cells: Vec::new(), pairs: Vec::new() };
        CsvReader {
            row,
            state: self.state.fork(),
            row_line: 1,
            next_line: 1,
            separator: self.separator,
            quick: self.quick,
            // Chunks are parsed event by event.
            block_columns: None,
        }
    }

    fn buffer(&self) -> &Buffer<AnyInput<'static>> {
        &self.row.buffer
    }

    fn buffer_mut(&mut self) -> &mut Buffer<AnyInput<'static>> {
        &mut self.row.buffer
    }

    fn state_mut(&mut self) -> &mut ReaderState {
        &mut self.state
    }

    fn position(&self) -> (usize, u64) {
        (self.row.buffer.next_row() - self.row.buffer.row_start(), self.next_line)
    }

    fn load(&mut self, bytes: Vec<u8>, (offset, line): (u64, u64), fault: Option<Fault>) {
        self.row.buffer.load(bytes, offset, fault);
        self.next_line = line;
    }
}

impl<R: ByteSource> Reader for CsvReader<R> {
    #[allow(clippy::inline_always)] // the innermost loop: what a call returns in memory is read back too soon
    #[inline(always)]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        if let Some(origin) = self.read_quickly() {
            return Ok(Some(origin));
        }
        self.read_carefully().map_err(|fault| self.error(fault))
    }

    fn advance_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) {
        let Some(layout) = self.quick else { return };
        let bytes = self.row.buffer.padded();
        let ends = match (layout.name, layout.time) {
            (0, 1) => self.read_run(&layout, bare, run, |start, _| {
                let (name, time, _, at) = self.adjacent_row_head::<true>(bytes, start)?;
                Some((name, time, at))
            }),
            (1, 0) => self.read_run(&layout, bare, run, |start, _| {
                let (name, time, _, at) = self.adjacent_row_head::<false>(bytes, start)?;
                Some((name, time, at))
            }),
            _ => self.read_run(&layout, bare, run, |start, index| {
                let head = RowHead { name: layout.constant, time: Timestamp::MIN, at: start, has_other: false };
                let RowHead { name, time, at, .. } = self.scattered_row_head(&layout, bytes, head, index, &mut [])?;
                Some((name, time, at))
            }),
        };
        if let Some(ends) = ends {
            self.end_run(run.len() as u64, ends);
        }
    }

    fn advance_block(&mut self, names: &NameSet, required: Option<Key>, block: &mut EventBlock) {
        if let Some(ends) = self.read_block(names, required, block) {
            self.end_run(block.origins().len() as u64, ends);
        }
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.state.has_fields { &self.row } else { &NoFields }
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn bytes_read(&self) -> u64 {
        self.row.buffer.bytes_read()
    }

    #[inline]
    fn location(&self) -> Location {
        Location { line: self.row_line, column: 1 }
    }

    fn skip_to(&mut self, checkpoint: Checkpoint) -> Result<bool, TraceError> {
        self.row.buffer.skip_to(checkpoint.offset).map_err(|fault| self.error(fault))?;
        (self.state.index, self.next_line) = (checkpoint.index, checkpoint.line);
        Ok(true)
    }

    fn raw(&self) -> Option<(u64, &[u8])> {
        Some(self.row.buffer.raw_row())
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if self.state.has_fields { self.row.entries() } else { Vec::new() }
    }

    fn field_names(&self) -> Vec<String> {
        match &self.row.layout {
            CsvLayout::Header(table) => table.header.field_names(),
            CsvLayout::Assignments(_) => Vec::new(),
        }
    }
}

/// Reads the whole number that begins here or after a blank. The blank is a branch, so that the search for the end of a row without one
/// does not wait for its test.
#[allow(clippy::inline_always)] // once for every event
#[inline(always)]
fn short_number(row: &[u8; PADDING], at: usize) -> Option<(i64, usize)> {
    match whole_number(row, at) {
        None if row[at] == b' ' => whole_number(row, at + 1),
        number => number,
    }
}

/// Returns the first few kilobytes without blanks before them, and the end of the first row in them. A newline in quotes does not end a row.
fn first_row_of(bytes: &[u8]) -> (&[u8], Option<usize>) {
    let head = bytes[..bytes.len().min(HEAD)].trim_ascii_start();
    let mut is_quoted = false;
    let ends_row = |byte: &u8| {
        is_quoted ^= *byte == b'"';
        *byte == b'\n' && !is_quoted
    };
    (head, head.iter().position(ends_row))
}

#[cfg(test)]
mod tests;
