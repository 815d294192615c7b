// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads many rows in one loop where nothing but whole numbers is wanted of them ([`EventBlock`]).
//!
//! The rows are those of the fast path. A row that it would not take, and one with a wanted cell that is neither a whole number nor empty,
//! ends the block; nothing of it has been stored then.

use gnomon_core::event::FieldSelection;
use gnomon_core::event_block::{EventBlock, RowNumbers};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_scan::ByteSource;
use gnomon_scan::word::whole_number;
use memchr::memchr3;

use super::{CsvReader, FastPath};
use crate::csv::layout::{CsvLayout, HeaderLayout};
use crate::reader::{NameSet, RUN_LENGTH};
use crate::state::ReaderState;

/// The columns of the numbers in a block.
pub(super) struct BlockColumns {
    keys: Vec<Key>,
    /// For each column of the table, its place among `keys`; [`SKIPPED`] if nothing is wanted of it.
    places: Vec<u8>,
    /// The last column of which something is wanted.
    last: usize,
}

const SKIPPED: u8 = u8::MAX;

/// The name and the time of a row, the number of cells that were parsed, and the end of the last one.
type ParsedHead = (Name, Timestamp, usize, usize);

impl BlockColumns {
    /// Returns the columns that a projection wants; `None` if they are too many, or others than those of fields.
    pub(super) fn new(table: &HeaderLayout, state: &ReaderState) -> Option<BlockColumns> {
        let header = &table.header;
        let names = (0..state.symbols().name_count() as u32).map(Name);
        let selections = names.map(|name| state.projection.selection(name));
        let selections: Vec<&FieldSelection> = selections.chain([state.projection.default_selection()]).collect();
        let wanted = |column: usize| selections.iter().any(|want| header.wanted(want).contains(&column));
        let keys = || (0..state.symbols().key_count() as u32).map(Key);
        let wants_all = selections.contains(&&FieldSelection::All);
        let (mut columns, mut places) = (Vec::new(), vec![SKIPPED; table.columns()]);
        for (column, place) in places.iter_mut().enumerate() {
            let is_parameter = header.parameters.contains(&column);
            if is_parameter && (wants_all || wanted(column)) {
                *place = columns.len() as u8;
                columns.push(keys().find(|key| header.column(*key) == Some(column)).unwrap_or(Key::OTHER));
            } else if !is_parameter && keys().any(|key| header.column(key) == Some(column)) && wanted(column) {
                // The time, as a field.
                return None;
            }
        }
        let last = places.iter().rposition(|place| *place != SKIPPED)?;
        (columns.len() <= EventBlock::MAX_COLUMNS).then_some(BlockColumns { keys: columns, places, last })
    }
}

impl<R: ByteSource> CsvReader<R> {
    /// Reads a block without changing the state. Returns the start of the last row and of the one after it.
    pub(super) fn read_block(
        &self,
        names: &NameSet,
        required: Option<Key>,
        block: &mut EventBlock,
    ) -> Option<(usize, usize)> {
        let (layout, columns) = (self.quick?, self.block_columns.as_ref()?);
        let CsvLayout::Header(table) = &self.row.layout else { return None };
        block.begin(&columns.keys);
        let required = match required {
            Some(required) => Some(columns.keys.iter().position(|key| *key == required)?),
            None => None,
        };
        match (layout.name, layout.time) {
            (0, 1) => self.read_rows(&layout, names, required, block, |start, _, numbers| {
                let (event, time, _, at) = self.adjacent_row_head::<true>(self.row.buffer.padded(), start)?;
                let (cells, at) = self.numbers_behind(columns, table.need(event), at, numbers)?;
                Some((event, time, cells, at))
            }),
            (1, 0) => self.read_rows(&layout, names, required, block, |start, _, numbers| {
                let (event, time, _, at) = self.adjacent_row_head::<false>(self.row.buffer.padded(), start)?;
                let (cells, at) = self.numbers_behind(columns, table.need(event), at, numbers)?;
                Some((event, time, cells, at))
            }),
            _ => self.read_rows(&layout, names, required, block, |start, index, numbers| {
                self.scattered_row(&layout, columns, start, index, numbers)
            }),
        }
    }

    /// Reads rows. `parse` parses the row that begins at an offset and has an index, as far as its cells are wanted.
    #[allow(clippy::inline_always)] // once for each order of the columns
    #[inline(always)]
    fn read_rows(
        &self,
        layout: &FastPath,
        names: &NameSet,
        required: Option<usize>,
        block: &mut EventBlock,
        parse: impl Fn(usize, u64, &mut RowNumbers) -> Option<ParsedHead>,
    ) -> Option<(usize, usize)> {
        let bytes = self.row.buffer.padded();
        let (mut last, mut next) = (None, self.row.buffer.next_row());
        let mut numbers = RowNumbers::default();
        for event_index in self.state.index..self.state.index + RUN_LENGTH as u64 {
            numbers.clear();
            let Some((event, time, cells, at)) = parse(next, event_index, &mut numbers) else { break };
            if !names.contains(event) || required.is_some_and(|column| !numbers.has(column)) {
                break;
            }
            let Some(end) = self.row_end(bytes, at, cells, layout.columns) else { break };
            block.push(Origin { event_index, time, event }, &numbers);
            (last, next) = (Some(next), end);
        }
        Some((last?, next))
    }

    /// Adds the numbers of the cells behind the name and the time, which end at `at`; the first `need` cells are wanted. Returns the
    /// number of cells and the end of the last one, or `None` if one of them is neither a whole number nor empty.
    #[allow(clippy::inline_always)] // see `read_rows`
    #[inline(always)]
    fn numbers_behind(
        &self,
        columns: &BlockColumns,
        need: usize,
        mut at: usize,
        numbers: &mut RowNumbers,
    ) -> Option<(usize, usize)> {
        let bytes = self.row.buffer.padded();
        let mut cells = 2;
        while cells < need && bytes[at] == b',' {
            at = match columns.places.get(cells) {
                Some(place) if *place != SKIPPED => number(bytes, at + 1, *place, numbers)?,
                _ => self.cell_end(bytes, at + 1)?,
            };
            cells += 1;
        }
        Some((cells, at))
    }

    /// Returns the end of a cell without quotes.
    #[inline]
    fn cell_end(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let end = start + memchr3(b',', b'\n', b'"', &bytes[start..self.row.buffer.end()])?;
        (bytes[end] != b'"').then_some(end)
    }

    /// Parses a row whose name and time are anywhere.
    fn scattered_row(
        &self,
        layout: &FastPath,
        columns: &BlockColumns,
        start: usize,
        index: u64,
        numbers: &mut RowNumbers,
    ) -> Option<ParsedHead> {
        let bytes = self.row.buffer.padded();
        let (mut event, mut at) = (layout.constant, start);
        let mut time = if layout.time == usize::MAX { self.state.times.whole(index as i64) } else { Timestamp::MIN };
        let last = layout.last_required.max(columns.last);
        for column in 0.. {
            if column == layout.name {
                (event, at) = self.known_name(bytes, at)?;
            } else if column == layout.time {
                (time, at) = self.quick_time(bytes, at)?;
            } else {
                at = match columns.places[column] {
                    SKIPPED => self.cell_end(bytes, at)?,
                    place => number(bytes, at, place, numbers)?,
                };
            }
            if column >= layout.last_required && (column == last || bytes[at] != b',') {
                return Some((event, time, column + 1, at));
            }
            if bytes[at] != b',' {
                break;
            }
            at += 1;
        }
        None
    }
}

/// Adds the number in the cell that begins at an offset, if the cell is not empty. Returns the end of the cell, or `None` if it has
/// anything else.
#[allow(clippy::inline_always)] // see `CsvReader::read_rows`
#[inline(always)]
fn number(bytes: &[u8], start: usize, place: u8, numbers: &mut RowNumbers) -> Option<usize> {
    let start = start + usize::from(bytes[start] == b' ');
    let end = match whole_number(bytes, start) {
        Some((number, end)) => {
            numbers.set(usize::from(place), number);
            end
        }
        None => start,
    };
    matches!(bytes[end], b',' | b'\n' | b'\r').then_some(end)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use gnomon_core::event::{FieldSelection, Fields};
    use gnomon_core::random::Random;

    use super::*;
    use crate::testing::setup;
    use crate::{AnyReader, Format, Reader, ReaderSetup, open};

    /// Describes an event with its wanted fields.
    fn describe(text: &mut String, reader: &AnyReader<'_>, origin: Origin, fields: &dyn Fields, line: u64) {
        let name = reader.symbols().name_text(origin.event);
        let _ = write!(text, "{} {name}@{:?} line {line}", origin.event_index, origin.time);
        let want = reader.projection().selection(origin.event);
        for key in (0..reader.symbols().key_count() as u32).map(Key) {
            if matches!(want, FieldSelection::All)
                || matches!(want, FieldSelection::Fields(keys) if keys.contains(&key))
            {
                let _ = write!(text, " {:?}", fields.get(key));
            }
        }
        if *want == FieldSelection::All {
            let parameters: Vec<_> = (0..fields.parameter_count()).map(|index| fields.parameter(index)).collect();
            let _ = write!(text, " {parameters:?}");
        }
        text.push('\n');
    }

    /// Reads a table, in blocks or row by row. Returns what was read, and the number of events of blocks.
    fn read(table: &str, setup: &ReaderSetup, in_blocks: bool, required: Option<Key>) -> (String, usize) {
        let (mut text, mut of_blocks) = (String::new(), 0);
        let mut reader = open(table.as_bytes(), "t", Some(Format::Csv), setup.clone()).expect("the table has a header");
        let (mut names, mut block) = (NameSet::new(true), EventBlock::default());
        if let Some(name) = reader.symbols().find_name("alone") {
            names.set(name, false);
        }
        loop {
            match reader.advance() {
                Ok(Some(origin)) => describe(&mut text, &reader, origin, reader.fields(), reader.location().line),
                Ok(None) => return (text, of_blocks),
                Err(error) => {
                    let _ = write!(text, "{error} {}:{}", error.line(), error.column());
                    return (text, of_blocks);
                }
            }
            if in_blocks {
                block.clear();
                reader.advance_block(&names, required, &mut block);
                let length = block.origins().len();
                let first_line = reader.location().line + 1 - length as u64;
                for (at, line) in (0..length).zip(first_line..) {
                    let row = block.row(at);
                    assert!(required.is_none_or(|key| row.number(key).is_some()));
                    describe(&mut text, &reader, block.origins()[at], &row, line);
                }
                of_blocks += length;
            }
        }
    }

    #[test]
    fn blocks_are_what_is_read_row_by_row() {
        let headers = [
            "event,time,i,j,k",
            "time, event, i, j, k",
            "i,event,j,time,k",
            "event,i,j,k",
            "i,j,k,time,event",
            "event,time,j,x,i",
        ];
        let setups = [
            setup(&[], &["pay", "alone"], &["i"]),
            setup(&[], &["pay", "order"], &["i", "j"]),
            setup(&["pay"], &["order"], &["k"]),
            setup(&["pay"], &[], &["time", "i"]),
        ];
        let (mut random, mut of_blocks) = (Random::new(5), 0);
        for round in 0..2_000 {
            let header = headers[round % headers.len()];
            let setup = &setups[random.index(setups.len())];
            let mut table = format!("{header}\n");
            let odd = random.below(3) * 10;
            for time in 0..random.below(40) {
                let columns: Vec<&str> = header.split(',').map(str::trim).collect();
                let mut cells = Vec::new();
                for column in columns {
                    cells.push(match column {
                        "event" => (*random.pick(&["pay", "pay", "order", "other", "alone"])).to_owned(),
                        "time" => time.to_string(),
                        _ if odd > 0 && random.below(100) < odd => {
                            let odd =
                                ["", " ", "x", "-4", "1.5", "\"7\"", "é", "12345678901234567", "1 ", "  2", "1e9"];
                            (*random.pick(&odd)).to_owned()
                        }
                        _ => format!("{}{}", if random.one_in(3) { " " } else { "" }, random.below(1 << 30)),
                    });
                }
                if random.one_in(10) {
                    cells.truncate(cells.len() - 1);
                }
                if random.one_in(50) {
                    cells.push("9".to_owned());
                }
                table += &cells.join(",");
                table += if random.one_in(10) { "\r\n" } else { "\n" };
            }
            let expected = read(&table, setup, false, None).0;
            for required in [None, setup.symbols.find_key("i")] {
                let (found, count) = read(&table, setup, true, required);
                assert_eq!(found, expected, "{table}");
                of_blocks += count;
            }
        }
        assert!(of_blocks > 10_000, "only {of_blocks} events were read in blocks");
    }
}
