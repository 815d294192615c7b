// SPDX-License-Identifier: MIT OR Apache-2.0
//! The variables of a composition's state: the latest value of each field that some property speaks of.

use gnomon_core::event::{Event, Projection};
use gnomon_core::symbols::{Key, Symbols};
use serde::{Deserialize, Serialize};

use super::reading::Kept;

/// Which fields are variables, for all properties of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    keys: Vec<Key>,
}

impl Fields {
    /// The place of a field among the variables.
    pub(crate) fn place(&mut self, name: &str, symbols: &mut Symbols, projection: &mut Projection) -> usize {
        let key = symbols.key(name);
        projection.add_everywhere(key);
        self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Their values, where they have had any.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Variables {
    values: Vec<Option<Kept>>,
}

impl Variables {
    pub(crate) fn new(fields: &Fields) -> Self {
        Variables { values: vec![None; fields.keys.len()] }
    }

    /// RULE B2: the fields of an event overwrite what was there.
    #[inline]
    pub(crate) fn update(&mut self, fields: &Fields, event: &Event<'_>) {
        for (key, value) in fields.keys.iter().zip(&mut self.values) {
            if let Some(new) = event.fields.get(*key) {
                *value = Some(Kept::of(new));
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<&Kept> {
        self.values.get(place)?.as_ref()
    }

    /// Whether a restored one has as many as it should.
    pub(crate) fn fits(&self, fields: &Fields) -> bool {
        self.values.len() == fields.keys.len()
    }
}
