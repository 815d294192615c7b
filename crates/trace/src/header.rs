// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns of a table: names, times and fields.

use gnomon_core::event::{FieldSelection, Projection};
use gnomon_core::symbols::{Key, Symbols};
use gnomon_scan::{Code, Fault, quote};

use crate::reader::ReaderSetup;
use crate::roles::{choose_time_field, list_names};
use crate::times::USUAL_FIELDS;

/// The columns of a table, numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct TableHeader {
    /// The names of the columns.
    pub(crate) texts: Vec<String>,
    /// The column of the event names.
    pub(crate) name: usize,
    /// The column of the times; `None` where positions are times.
    pub(crate) time: Option<usize>,
    /// The column of each key, if it has one.
    column_of: Vec<Option<usize>>,
    /// The columns of the positional parameters.
    pub(crate) parameters: Vec<usize>,
}

impl TableHeader {
    /// Creates a header with these texts. `without_name` creates the fault that none of them is `event` or `name`. The
    /// offset of the fault that a column is repeated is the number of the column.
    pub(crate) fn new(
        texts: Vec<String>,
        (symbols, projection): (&Symbols, &Projection),
        setup: &ReaderSetup,
        without_name: impl FnOnce(&[String]) -> Fault,
    ) -> Result<TableHeader, Fault> {
        let find = |wanted: &str| texts.iter().position(|text| text == wanted);
        let name = match &setup.event_field {
            Some(declared) => find(declared).ok_or_else(|| no_column(declared, &texts))?,
            None => find("event").or_else(|| find("name")).ok_or_else(|| without_name(&texts))?,
        };
        let fields: Vec<&str> = texts.iter().map(String::as_str).collect();
        let time = choose_time_field(&fields, setup.time_field.as_deref(), USUAL_FIELDS)?;
        for (column, &text) in fields.iter().enumerate() {
            let is_known = symbols.find_key(text).is_some() || projection.wants_all();
            let used = column == name || Some(column) == time || is_known;
            if used && fields.iter().filter(|&&other| other == text).count() > 1 {
                let message = format!("the column {} occurs twice", quote(text.as_bytes()));
                let second = fields.iter().rposition(|&other| other == text).unwrap_or(column);
                return Err(Fault::new(Code::RepeatedColumn, second, message)
                    .help("give the columns different names, so that it is clear which is meant"));
            }
        }
        let keys = (0..symbols.key_count() as u32).map(Key);
        let column_of = keys.map(|key| find(symbols.key_text(key)).filter(|&column| column != name)).collect();
        let parameters = (0..texts.len()).filter(|&column| column != name && Some(column) != time).collect();
        Ok(TableHeader { texts, name, time, column_of, parameters })
    }

    /// Returns the header of a table with nothing but a column of names.
    pub(crate) fn empty() -> TableHeader {
        TableHeader {
            texts: vec!["event".to_owned()],
            name: 0,
            time: None,
            column_of: Vec::new(),
            parameters: Vec::new(),
        }
    }

    /// Returns the name of the time column.
    pub(crate) fn time_field(&self) -> Option<&str> {
        self.time.map(|column| self.texts[column].as_str())
    }

    /// Lists the columns other than those of names and times.
    pub(crate) fn field_names(&self) -> Vec<String> {
        self.parameters.iter().map(|&column| self.texts[column].clone()).collect()
    }

    /// Returns the column of a field.
    #[inline]
    pub(crate) fn column(&self, key: Key) -> Option<usize> {
        self.column_of.get(key.0 as usize).copied().flatten()
    }

    /// Returns the columns that are wanted of an event.
    pub(crate) fn wanted(&self, want: &FieldSelection) -> Vec<usize> {
        match want {
            FieldSelection::Nothing => Vec::new(),
            FieldSelection::All => (0..self.texts.len()).collect(),
            FieldSelection::Fields(keys) => keys.iter().filter_map(|key| self.column(*key)).collect(),
        }
    }
}

#[cold]
fn no_column(declared: &str, texts: &[String]) -> Fault {
    let message = format!("there is no column {}, which is to have the events' names", quote(declared.as_bytes()));
    Fault::new(Code::NoEventColumn, 0, message).help(format!("the columns are {}", list_names(texts)))
}
