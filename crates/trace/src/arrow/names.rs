// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of the events of many rows at once. An entry of a dictionary is looked up once, however many rows have it.

use std::ops::Range;

use arrow_array::ArrayRef;
use gnomon_core::symbols::Name;

use super::column::Column;
use crate::context::no_name;
use crate::error::{Code, Fault};
use crate::names::Names;

/// Stands for an entry that no row had yet.
const UNKNOWN: Name = Name(u32::MAX);

/// What was found out about the dictionary of the last batch.
#[derive(Default)]
pub(super) struct Memo {
    dictionary: Option<ArrayRef>,
    names: Vec<Name>,
}

impl Memo {
    /// A batch comes with this dictionary.
    pub(super) fn turn(&mut self, dictionary: Option<&ArrayRef>) {
        let is_same = match (&self.dictionary, dictionary) {
            (Some(last), Some(this)) => last.len() == this.len() && last.to_data().ptr_eq(&this.to_data()),
            _ => false,
        };
        if !is_same {
            self.names.clear();
            self.names.resize(dictionary.map_or(0, |entries| entries.len()), UNKNOWN);
            self.dictionary = dictionary.cloned();
        }
    }

    /// Adds the names of these rows; tells what is wrong with the row after the last one added.
    pub(super) fn fill(
        &mut self,
        column: &Column,
        rows: Range<usize>,
        names: &mut Names,
        into: &mut Vec<Name>,
    ) -> Result<(), Fault> {
        if let Column::Dictionary { keys, values, length } = column
            && values.is_text()
        {
            for row in rows {
                let Some(entry) = keys.at(row, *length) else { return Err(no_name(0)) };
                let known = &mut self.names[entry];
                if *known == UNKNOWN {
                    *known = look_up(values, entry, names)?;
                }
                into.push(*known);
            }
            return Ok(());
        }
        for row in rows {
            into.push(look_up(column, row, names)?);
        }
        Ok(())
    }
}

#[inline]
fn look_up(column: &Column, row: usize, names: &mut Names) -> Result<Name, Fault> {
    match column.text(row) {
        Some(text) if !text.is_empty() => Ok(names.find_or_intern(&text)),
        Some(_) => Err(no_name(0)),
        None if column.is_text() || column.is_null(row) => Err(no_name(0)),
        None => Err(Fault::new(Code::ColumnType, 0, "the events' names are no texts")
            .help("choose another column with `--event COLUMN`, or make texts of the names")),
    }
}
