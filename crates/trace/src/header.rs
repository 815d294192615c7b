// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns of a table: names, times and fields.

use gnomon_core::event::{FieldSelection, Projection};
use gnomon_core::symbols::{Key, Symbols};
use gnomon_scan::{Code, Fault, quote};

use crate::name_template::NameTemplate;
use crate::reader::{NameSource, ReaderSetup};
use crate::roles::{choose_time_field, list_names};
use crate::times::USUAL_FIELDS;

/// The columns of a table, numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct TableHeader {
    /// The names of the columns.
    pub(crate) texts: Vec<String>,
    /// The source of the event names.
    pub(crate) name: RowName,
    /// The column of the times; `None` where positions are times.
    pub(crate) time: Option<usize>,
    /// The column of each key, if it has one.
    column_of: Vec<Option<usize>>,
    /// The columns of the positional parameters.
    pub(crate) parameters: Vec<usize>,
}

/// The source of the event name of a row.
#[derive(Clone, Debug)]
pub(crate) enum RowName {
    Column(usize),
    /// The name of all rows.
    Constant(String),
    /// A template, and the columns of its fields.
    Template(NameTemplate, Vec<usize>),
}

impl RowName {
    /// Returns the column of the names, if one has them.
    pub(crate) fn column(&self) -> Option<usize> {
        match self {
            RowName::Column(column) => Some(*column),
            RowName::Constant(_) | RowName::Template(..) => None,
        }
    }

    /// Returns the columns from which names are made.
    pub(crate) fn columns(&self) -> &[usize] {
        match self {
            RowName::Column(column) => std::slice::from_ref(column),
            RowName::Constant(_) => &[],
            RowName::Template(_, columns) => columns,
        }
    }
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
        let declared = |field: &str| find(field).ok_or_else(|| no_column(field, &texts));
        let source = match setup.name_source() {
            NameSource::Field(field) => RowName::Column(declared(field)?),
            NameSource::Usual => {
                RowName::Column(find("event").or_else(|| find("name")).ok_or_else(|| without_name(&texts))?)
            }
            NameSource::Template(template) => {
                // Of a path, the field may be a column.
                let column = |path: &str| match path.split_once('/').and_then(|(field, _)| find(field)) {
                    Some(column) if find(path).is_none() => Ok(column),
                    _ => declared(path),
                };
                if let Some(name) = template.constant() {
                    RowName::Constant(name)
                } else {
                    RowName::Template(template.clone(), template.fields().map(column).collect::<Result<_, _>>()?)
                }
            }
        };
        let name = source.column();
        let fields: Vec<&str> = texts.iter().map(String::as_str).collect();
        let time = choose_time_field(&fields, setup.time_field.as_deref(), USUAL_FIELDS)?;
        for (column, &text) in fields.iter().enumerate() {
            let is_known = symbols.find_key(text).is_some() || projection.wants_all();
            let used = source.columns().contains(&column) || Some(column) == time || is_known;
            if used && fields.iter().filter(|&&other| other == text).count() > 1 {
                let message = format!("the column {} occurs twice", quote(text.as_bytes()));
                let second = fields.iter().rposition(|&other| other == text).unwrap_or(column);
                return Err(Fault::new(Code::RepeatedColumn, second, message)
                    .help("give the columns different names, so that it is clear which is meant"));
            }
        }
        let keys = (0..symbols.key_count() as u32).map(Key);
        let column_of = keys.map(|key| find(symbols.key_text(key)).filter(|&column| Some(column) != name)).collect();
        let parameters = (0..texts.len()).filter(|&column| Some(column) != name && Some(column) != time).collect();
        Ok(TableHeader { texts, name: source, time, column_of, parameters })
    }

    /// Returns the header of a table that has only a column of names.
    pub(crate) fn empty() -> TableHeader {
        TableHeader {
            texts: vec!["event".to_owned()],
            name: RowName::Column(0),
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
    let message =
        format!("the table has no column {}, which is declared to have the events' names", quote(declared.as_bytes()));
    Fault::new(Code::NoEventColumn, 0, message).help(format!("the columns are {}", list_names(texts)))
}
