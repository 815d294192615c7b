// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of the events of many rows. An entry of a dictionary is looked up once, however many rows have it.

use std::ops::Range;

use arrow_array::ArrayRef;
use gnomon_core::symbols::Name;
use gnomon_scan::{Code, Fault};

use super::column::{Column, ColumnValues};
use crate::name_template::NameTemplate;
use crate::names::EventNames;

/// Marks a dictionary entry that was not looked up yet.
const UNKNOWN: Name = Name(u32::MAX);

/// The event name of each entry of the current dictionary.
#[derive(Default)]
pub(super) struct DictionaryNames {
    dictionary: Option<ArrayRef>,
    names: Vec<Name>,
}

impl DictionaryNames {
    /// Begins a batch with this dictionary. Keeps the names if it is the dictionary of the batch before.
    pub(super) fn begin_batch(&mut self, dictionary: Option<&ArrayRef>) {
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

    /// Appends the names of these rows. A fault is that of the row after the last one appended.
    pub(super) fn append(
        &mut self,
        column: &Column,
        rows: Range<usize>,
        names: &mut EventNames,
        into: &mut Vec<Name>,
    ) -> Result<(), Fault> {
        if let ColumnValues::Dictionary { keys, values, length } = &column.cells
            && values.is_text()
        {
            for row in rows {
                let Some(entry) = keys.at(row, *length).filter(|_| !column.is_unset(row)) else {
                    return Err(Fault::no_name(0));
                };
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

/// Appends the names that a template makes of these rows. A fault is that of the row after the last one appended.
pub(super) fn append_template_names(
    template: &NameTemplate,
    columns: &[(&str, &Column)],
    rows: Range<usize>,
    names: &mut EventNames,
    into: &mut Vec<Name>,
) -> Result<(), Fault> {
    for row in rows {
        let name = template.fill(|field| {
            let (_, column) = columns.iter().find(|(name, _)| *name == field)?;
            column.value(row)
        })?;
        into.push(names.find_or_intern(&name));
    }
    Ok(())
}

#[inline]
fn look_up(column: &Column, row: usize, names: &mut EventNames) -> Result<Name, Fault> {
    match column.text(row) {
        Some(text) if !text.is_empty() => Ok(names.find_or_intern(&text)),
        Some(_) => Err(Fault::no_name(0)),
        None if column.is_text() || column.is_null(row) => Err(Fault::no_name(0)),
        None => Err(Fault::new(Code::ColumnType, 0, "the events' names are not texts")
            .help("choose another column with `--event COLUMN`, or make texts of the names")),
    }
}
