// SPDX-License-Identifier: MIT OR Apache-2.0
//! Variables: the latest value of each field that a term of some property reads.

use gnomon_core::event::{Event, Projection};
use gnomon_core::list::index_of;
use gnomon_core::symbols::{Key, Symbols};
use serde::{Deserialize, Serialize};

use super::value::StoredValue;

/// The fields that are variables, for all properties of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct VariableFields {
    keys: Vec<Key>,
}

impl VariableFields {
    /// Returns the index of a field among the variables, adding it if it is new.
    pub(crate) fn index(&mut self, name: &str, symbols: &mut Symbols, projection: &mut Projection) -> usize {
        let key = symbols.key(name);
        projection.add_everywhere(key);
        index_of(&mut self.keys, key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// The values of the variables; `None` before the first event with the field.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Variables {
    values: Vec<Option<StoredValue>>,
}

impl Variables {
    pub(crate) fn new(fields: &VariableFields) -> Self {
        Variables { values: vec![None; fields.keys.len()] }
    }

    /// RULE B2. Overwrites variables with the fields of an event.
    #[inline]
    pub(crate) fn update(&mut self, fields: &VariableFields, event: &Event<'_>) {
        for (key, value) in fields.keys.iter().zip(&mut self.values) {
            if let Some(new) = event.fields.get(*key) {
                *value = Some(StoredValue::of(new));
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&StoredValue> {
        self.values.get(index)?.as_ref()
    }

    /// Returns true if restored variables are those of these fields.
    pub(crate) fn fits(&self, fields: &VariableFields) -> bool {
        self.values.len() == fields.keys.len()
    }
}
