// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields that are gathered from several places, each name once.

use std::collections::HashMap;

use gnomon_core::value::Value;

/// Fields, in the order in which their names came. A message may have thousands, so they are found by a table.
#[derive(Default)]
pub(super) struct Fields {
    entries: Vec<(String, Value<'static>)>,
    places: HashMap<String, usize>,
}

impl Fields {
    /// Gives a field this value, whatever it had.
    pub(super) fn set(&mut self, name: &str, value: Value<'static>) {
        match self.places.get(name) {
            Some(place) => self.entries[*place].1 = value,
            None => self.push(name, value),
        }
    }

    /// Gives a field this value if there is none of its name.
    pub(super) fn add(&mut self, name: &str, value: Value<'static>) {
        if !self.places.contains_key(name) {
            self.push(name, value);
        }
    }

    pub(super) fn into_entries(self) -> Vec<(String, Value<'static>)> {
        self.entries
    }

    fn push(&mut self, name: &str, value: Value<'static>) {
        self.places.insert(name.to_owned(), self.entries.len());
        self.entries.push((name.to_owned(), value));
    }
}
