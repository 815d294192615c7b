// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which column is what, told by the schema.

use arrow_schema::Schema;
use gnomon_core::event::{Projection, Want};
use gnomon_core::symbols::{Key, Symbols};

use crate::error::{Code, Fault, quote};
use crate::fields::{MOST_FIELDS, too_many_fields};
use crate::roles::no_time_field;
use crate::times::{USUAL_FIELDS, usual_field};

/// The columns of a trace. Columns are numbered as in the schema.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The names of the columns.
    pub(crate) texts: Vec<String>,
    pub(crate) name: usize,
    /// `None`: places are times.
    pub(crate) time: Option<usize>,
    /// The column of each key, where it has one.
    column_of: Vec<Option<usize>>,
    /// The columns of the positional parameters.
    pub(crate) parameters: Vec<usize>,
}

impl Layout {
    pub(crate) fn new(
        schema: &Schema,
        symbols: &Symbols,
        projection: &Projection,
        event_field: Option<&str>,
        time_field: Option<&str>,
    ) -> Result<Layout, Fault> {
        let texts: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        if texts.len() > MOST_FIELDS {
            return Err(too_many_fields(0));
        }
        let find = |wanted: &str| texts.iter().position(|text| text == wanted);
        let name = match event_field {
            Some(declared) => find(declared).ok_or_else(|| no_column(declared, &texts))?,
            None => find("event").or_else(|| find("name")).ok_or_else(|| no_event_column(&texts))?,
        };
        let fields: Vec<&str> = texts.iter().map(String::as_str).collect();
        let time = match time_field {
            Some(declared) => Some(find(declared).ok_or_else(|| no_time_field(declared, &fields))?),
            None => usual_field(&fields, USUAL_FIELDS),
        };
        for (column, &text) in fields.iter().enumerate() {
            let is_known = symbols.find_key(text).is_some() || projection.wants_all();
            let used = column == name || Some(column) == time || is_known;
            if used && fields.iter().filter(|&&other| other == text).count() > 1 {
                let message = format!("the column {} occurs twice", quote(text.as_bytes()));
                return Err(Fault::new(Code::RepeatedColumn, 0, message)
                    .help("give the columns different names, so that it is clear which is meant"));
            }
        }
        let key_text = |key| symbols.key_text(Key(key));
        let column_of =
            (0..symbols.key_count() as u32).map(|key| find(key_text(key)).filter(|&column| column != name)).collect();
        let parameters = (0..texts.len()).filter(|&column| column != name && Some(column) != time).collect();
        Ok(Layout { texts, name, time, column_of, parameters })
    }

    /// The column of a field.
    #[inline]
    pub(crate) fn column(&self, key: Key) -> Option<usize> {
        self.column_of.get(key.0 as usize).copied().flatten()
    }

    /// Marks the columns that someone wants of an event.
    pub(crate) fn mark(&self, want: &Want, wanted: &mut [bool]) {
        match want {
            Want::Nothing => {}
            Want::All => wanted.fill(true),
            Want::Fields(keys) => {
                keys.iter().filter_map(|key| self.column(*key)).for_each(|column| wanted[column] = true);
            }
        }
    }
}

#[cold]
fn no_event_column(texts: &[String]) -> Fault {
    let fault = Fault::new(Code::NoEventColumn, 0, "no column is `event` or `name`: it is unknown what happened");
    let cased = |wanted: &str| texts.iter().find(|text| text.eq_ignore_ascii_case(wanted));
    match cased("event").or_else(|| cased("name")) {
        Some(text) => fault.help(format!(
            "rename {} to `{}`: names are told apart by case",
            quote(text.as_bytes()),
            text.to_lowercase()
        )),
        None => fault.help(format!("{}; say which has the events' names: `--event COLUMN`", listed(texts))),
    }
}

#[cold]
pub(crate) fn no_column(declared: &str, texts: &[String]) -> Fault {
    let message = format!("there is no column {}, which is to have the events' names", quote(declared.as_bytes()));
    Fault::new(Code::NoEventColumn, 0, message).help(listed(texts))
}

fn listed(texts: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = texts.iter().take(SHOWN).map(|text| quote(text.as_bytes())).collect();
    format!("the columns are {}{}", shown.join(", "), if texts.len() > SHOWN { ", …" } else { "" })
}
