// SPDX-License-Identifier: MIT OR Apache-2.0
//! The case of the current event: a `<trace>` with attributes of its own, which each of its events has as `case:KEY`.

use gnomon_core::event::Projection;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::value::Value;
use gnomon_scan::{Code, Fault, MOST_FIELDS, too_many_fields};

use super::attribute::XesAttribute;
use crate::row::{StoredField, StoredFields};

/// The prefix of the names of fields that come from the case.
pub(super) const PREFIX: &str = "case:";

#[derive(Default)]
pub(super) struct XesCase {
    /// The number of cases so far, this one included.
    case_count: u64,
    /// A number that changes whenever a case is entered or left.
    pub(super) change_count: u64,
    pub(super) name: Option<String>,
    pub(super) fields: StoredFields,
    /// True if elements of events of the case were read.
    pub(super) has_events: bool,
    /// True if no event of the case was returned: it has none, or all of them were skipped.
    pub(super) is_empty: bool,
}

impl XesCase {
    /// Enters the next case.
    pub(super) fn enter(&mut self) {
        self.case_count += 1;
        self.change_count += 1;
        self.name = Some(format!("#{}", self.case_count));
        self.fields.0.clear();
        self.has_events = false;
        self.is_empty = true;
    }

    /// Leaves the current case. Adds its name to `empty_cases` if no event of it was returned.
    pub(super) fn leave(&mut self, empty_cases: &mut Vec<String>) {
        self.change_count += 1;
        empty_cases.extend(self.name.take().filter(|_| self.is_empty));
        self.fields.0.clear();
    }

    /// Stores an attribute of the case if it is the name or may be wanted.
    pub(super) fn add(
        &mut self,
        row: &[u8],
        attribute: XesAttribute,
        symbols: &Symbols,
        projection: &Projection,
    ) -> Result<(), Fault> {
        let text = attribute.key.decode(row)?;
        let is_name = text == "concept:name";
        let name = format!("{PREFIX}{text}");
        let key = symbols.find_key(&name);
        let wanted = key.is_some() || projection.wants_all();
        if !is_name && !wanted {
            return Ok(());
        }
        if self.has_events {
            return Err(Fault::new(
                Code::NotALog,
                attribute.element.start,
                "an attribute of a trace follows its events",
            )
            .help("move it in front of the first `<event>` of its `<trace>`, as the standard asks"));
        }
        let value = attribute.decode(row)?.into_owned();
        if is_name {
            self.name = Some(match &value {
                Value::Text(text) => text.to_string(),
                other => other.to_string(),
            });
        }
        if wanted {
            if self.fields.0.len() >= MOST_FIELDS {
                return Err(too_many_fields(attribute.element.start));
            }
            self.fields.0.retain(|field| field.name.as_deref() != Some(name.as_str()));
            let (key, name) = (key.unwrap_or(Key::OTHER), Some(name.into_boxed_str()));
            self.fields.0.push(StoredField { key, name, value, is_time: false });
        }
        Ok(())
    }
}
