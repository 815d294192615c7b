// SPDX-License-Identifier: MIT OR Apache-2.0
//! The row of the present event, and its fields: kept as places in the buffer, made into values when asked for.

use std::borrow::Cow;
use std::str;

use gnomon_core::event::Fields;
use gnomon_core::number::Number;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;

use super::layout::Layout;
use super::split::{Cell, Quoting};
use crate::buffer::Buffer;
use crate::reader::Entry;
use crate::scan::whole_number;

pub(super) struct Row<R> {
    pub(super) buffer: Buffer<R>,
    pub(super) layout: Layout,
    /// With a header: the cells that were kept, the first column first. Without: see `pairs`.
    pub(super) cells: Vec<Cell>,
    /// Without a header: the fields that were kept, the time left out.
    pub(super) pairs: Vec<Pair>,
}

/// A `name=value` cell.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) key: Key,
    pub(super) text: Cell,
    pub(super) value: Cell,
    pub(super) is_time: bool,
}

impl<R> Row<R> {
    /// A cell's value; an empty one has none.
    #[inline]
    fn value(&self, cell: Cell) -> Option<Value<'_>> {
        if cell.quoting == Quoting::Digits {
            return Some(Value::Number(Number::Int(cell.number)));
        }
        let (row, start) = (self.buffer.row(), cell.start as usize);
        // Most ids and amounts are a few digits, after a blank or not, and need not go the way of all values.
        let start = start + usize::from(row.get(start) == Some(&b' '));
        if let Some((number, end)) = whole_number(row, start)
            && end == cell.end as usize
        {
            return Some(Value::Number(Number::Int(number)));
        }
        self.other_value(cell)
    }

    /// [`Row::value`] for what is not plainly a whole number.
    fn other_value(&self, cell: Cell) -> Option<Value<'_>> {
        let cell = cell.trimmed(self.buffer.row());
        if cell.is_empty() {
            return None;
        }
        // The reader has checked the encoding of every cell that is kept.
        let text = match cell.bytes(self.buffer.row()) {
            Cow::Borrowed(bytes) => {
                str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
            }
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        };
        Some(Value::from_cell(text))
    }

    /// The fields that are set, with their names.
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        match &self.layout {
            Layout::Header(header) => {
                let cells = self.cells.iter().zip(&header.texts).enumerate();
                let entry = |(column, (&cell, text)): (usize, (&Cell, &'_ String))| {
                    let (key, is_time) = (Cow::Owned(text.clone()), Some(column) == header.time);
                    self.value(cell).map(|value| Entry { key, value, is_time })
                };
                cells.filter(|(column, _)| *column != header.name).filter_map(entry).collect()
            }
            Layout::Assignments(_) => {
                let row = self.buffer.row();
                let key = |cell: Cell| Cow::Owned(String::from_utf8_lossy(&cell.bytes(row)).into_owned());
                let entry = |pair: &Pair| {
                    self.value(pair.value).map(|value| Entry { key: key(pair.text), value, is_time: pair.is_time })
                };
                self.pairs.iter().filter_map(entry).collect()
            }
        }
    }

    /// The cell of the positional parameter at this index.
    fn parameter_cell(&self, index: usize) -> Option<Cell> {
        match &self.layout {
            Layout::Header(header) => {
                header.parameters.get(index).and_then(|&column| self.cells.get(column as usize)).copied()
            }
            Layout::Assignments(_) => self.pairs.iter().filter(|pair| !pair.is_time).nth(index).map(|pair| pair.value),
        }
    }
}

impl<R> Fields for Row<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        let cell = match &self.layout {
            Layout::Header(header) => *self.cells.get(header.column(key)?)?,
            Layout::Assignments(_) => self.pairs.iter().rev().find(|pair| pair.key == key)?.value,
        };
        self.value(cell)
    }

    fn parameter_count(&self) -> usize {
        let most = match &self.layout {
            Layout::Header(header) => header.parameters.partition_point(|&column| (column as usize) < self.cells.len()),
            Layout::Assignments(_) => self.pairs.iter().filter(|pair| !pair.is_time).count(),
        };
        let is_set =
            |&index: &usize| self.parameter_cell(index).is_some_and(|cell| !cell.trimmed(self.buffer.row()).is_empty());
        (0..most).rev().find(is_set).map_or(0, |last| last + 1)
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameter_cell(index).and_then(|cell| self.value(cell)).unwrap_or(Value::Null)
    }
}
