// SPDX-License-Identifier: MIT OR Apache-2.0
//! The row of the current event. Fields are ranges of the buffer and become values when a property asks for them.

use std::borrow::Cow;
use std::str;

use gnomon_core::event::Fields;
use gnomon_core::number::Number;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;
use gnomon_scan::Buffer;
use gnomon_scan::word::whole_number;

use super::layout::{CsvLayout, HeaderLayout};
use super::split::{CsvCell, Quoting};
use crate::reader::FieldEntry;

pub(super) struct CsvRow<R> {
    pub(super) buffer: Buffer<R>,
    pub(super) layout: CsvLayout,
    /// With a header: the leading cells that the projection needs.
    pub(super) cells: Vec<CsvCell>,
    /// Without a header: the assignments that the projection may need.
    pub(super) pairs: Vec<Assignment>,
}

/// A `name=value` cell.
#[derive(Clone, Copy)]
pub(super) struct Assignment {
    pub(super) key: Key,
    pub(super) text: CsvCell,
    pub(super) value: CsvCell,
    pub(super) is_time: bool,
}

impl<R> CsvRow<R> {
    /// Returns the value of a cell; `None` if it is empty.
    #[inline]
    fn value(&self, cell: CsvCell) -> Option<Value<'_>> {
        if cell.quoting == Quoting::Digits {
            return Some(Value::Number(Number::Int(cell.number)));
        }
        let (row, start) = (self.buffer.row(), cell.start as usize);
        // Most ids and amounts are a few digits, with or without a blank before.
        let start = start + usize::from(row.get(start) == Some(&b' '));
        if let Some((number, end)) = whole_number(row, start)
            && end == cell.end as usize
        {
            return Some(Value::Number(Number::Int(number)));
        }
        self.other_value(cell)
    }

    /// [`CsvRow::value`] for cells that are not plainly whole numbers.
    fn other_value(&self, cell: CsvCell) -> Option<Value<'_>> {
        let cell = cell.trimmed(self.buffer.row());
        if cell.is_empty() {
            return None;
        }
        // The reader has checked the encoding of every wanted cell.
        let text = match cell.bytes(self.buffer.row()) {
            Cow::Borrowed(bytes) => {
                str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
            }
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        };
        Some(Value::from_cell(text))
    }

    /// Returns the fields that are set, with their names.
    pub(super) fn entries(&self) -> Vec<FieldEntry<'_>> {
        match &self.layout {
            CsvLayout::Header(HeaderLayout { header, .. }) => {
                let cells = self.cells.iter().zip(&header.texts).enumerate();
                let entry = |(column, (&cell, text)): (usize, (&CsvCell, &'_ String))| {
                    let (key, is_time) = (Cow::Owned(text.clone()), Some(column) == header.time);
                    self.value(cell).map(|value| FieldEntry { key, value, is_time })
                };
                cells.filter(|(column, _)| Some(*column) != header.name.column()).filter_map(entry).collect()
            }
            CsvLayout::Assignments(_) => {
                let row = self.buffer.row();
                let key = |cell: CsvCell| Cow::Owned(String::from_utf8_lossy(&cell.bytes(row)).into_owned());
                let entry = |pair: &Assignment| {
                    self.value(pair.value).map(|value| FieldEntry { key: key(pair.text), value, is_time: pair.is_time })
                };
                self.pairs.iter().filter_map(entry).collect()
            }
        }
    }

    /// Returns the cell of the positional parameter at this index.
    fn parameter_cell(&self, index: usize) -> Option<CsvCell> {
        match &self.layout {
            CsvLayout::Header(table) => {
                table.header.parameters.get(index).and_then(|&column| self.cells.get(column)).copied()
            }
            CsvLayout::Assignments(_) => {
                self.pairs.iter().filter(|pair| !pair.is_time).nth(index).map(|pair| pair.value)
            }
        }
    }
}

impl<R> Fields for CsvRow<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        let cell = match &self.layout {
            CsvLayout::Header(table) => *self.cells.get(table.header.column(key)?)?,
            CsvLayout::Assignments(_) => self.pairs.iter().rev().find(|pair| pair.key == key)?.value,
        };
        self.value(cell)
    }

    fn parameter_count(&self) -> usize {
        let most = match &self.layout {
            CsvLayout::Header(table) => table.header.parameters.partition_point(|&column| column < self.cells.len()),
            CsvLayout::Assignments(_) => self.pairs.iter().filter(|pair| !pair.is_time).count(),
        };
        let is_set =
            |&index: &usize| self.parameter_cell(index).is_some_and(|cell| !cell.trimmed(self.buffer.row()).is_empty());
        (0..most).rev().find(is_set).map_or(0, |last| last + 1)
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameter_cell(index).and_then(|cell| self.value(cell)).unwrap_or(Value::Null)
    }
}
