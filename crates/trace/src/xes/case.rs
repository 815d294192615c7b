// SPDX-License-Identifier: MIT OR Apache-2.0
//! The case that events belong to: a `<trace>` with its own attributes, which every event of it has as `case:KEY`.

use gnomon_core::event::Projection;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::value::Value;

use super::attribute::Attribute;
use crate::error::{Code, Fault};
use crate::fields::{MOST_FIELDS, too_many_fields};
use crate::markup::attribute_text;

/// What the name of a field begins with that the case has.
pub(super) const PREFIX: &str = "case:";

#[derive(Default)]
pub(super) struct Case {
    /// How many cases there were, this one included.
    number: u64,
    /// How often a case was entered or left.
    pub(super) changes: u64,
    name: Option<String>,
    pub(super) fields: Vec<CaseField>,
    /// Whether events of it were read.
    pub(super) has_events: bool,
}

/// An attribute of the case; it outlives the row.
pub(super) struct CaseField {
    pub(super) key: Key,
    pub(super) name: String,
    pub(super) value: Value<'static>,
}

impl Case {
    /// Goes on to the next case.
    pub(super) fn next(&mut self) {
        self.number += 1;
        self.changes += 1;
        self.name = Some(format!("#{}", self.number));
        self.fields.clear();
        self.has_events = false;
    }

    /// Leaves the last case.
    pub(super) fn leave(&mut self) {
        self.changes += 1;
        self.name = None;
        self.fields.clear();
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Takes note of an attribute of the case, if somebody wants it.
    pub(super) fn add(
        &mut self,
        row: &[u8],
        attribute: Attribute,
        symbols: &Symbols,
        projection: &Projection,
    ) -> Result<(), Fault> {
        let text = attribute_text(row, attribute.key)?;
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
        let value = attribute.value(row)?.into_owned();
        if is_name {
            self.name = Some(match &value {
                Value::Text(text) => text.to_string(),
                other => other.to_string(),
            });
        }
        if wanted {
            if self.fields.len() >= MOST_FIELDS {
                return Err(too_many_fields(attribute.element.start));
            }
            self.fields.retain(|field| field.name != name);
            self.fields.push(CaseField { key: key.unwrap_or(Key::OTHER), name, value });
        }
        Ok(())
    }
}
