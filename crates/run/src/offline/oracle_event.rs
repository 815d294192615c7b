// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copies events for the reference evaluation.

use gnomon_core::event::{Event, FieldSelection, Fields};
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::value::Value;
use gnomon_oracle::OracleEvent;

/// Copies an event with the fields that the properties use.
pub fn oracle_event(event: &Event<'_>, want: &FieldSelection, symbols: &Symbols) -> OracleEvent {
    let named = |key: &Key| event.fields.get(*key).map(|value| (symbols.key_text(*key).to_owned(), value.into_owned()));
    let fields = match want {
        FieldSelection::Nothing => vec![],
        FieldSelection::Fields(keys) => {
            keys.iter().filter_map(named).map(|(name, value)| (name, Some(value))).collect()
        }
        FieldSelection::All => {
            let keys: Vec<Key> = (0..symbols.key_count() as u32).map(Key).collect();
            parameters(event.fields, keys.iter().filter_map(named).collect())
        }
    };
    OracleEvent { name: symbols.name_text(event.name).to_owned(), time: event.time, fields }
}

/// Returns all fields in order. A reader gives parameters without their names, so each named field is assigned to the first
/// unnamed parameter with the same value; among equal values the choice makes no difference.
fn parameters(fields: &dyn Fields, named: Vec<(String, Value<'static>)>) -> Vec<(String, Option<Value<'static>>)> {
    let values = (0..fields.parameter_count()).map(|index| fields.parameter(index).into_owned());
    let mut all: Vec<(String, Option<Value<'static>>)> = values.map(|value| (String::new(), Some(value))).collect();
    for (name, value) in named {
        if let Some(free) = all.iter_mut().find(|(known, other)| known.is_empty() && other.as_ref() == Some(&value)) {
            free.0 = name;
        }
    }
    all
}
