// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interned names of events and of fields.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

/// The interned name of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Name(pub u32);

/// The interned name of a field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Key(pub u32);

impl Key {
    /// A field that no property uses.
    pub const OTHER: Key = Key(u32::MAX);
}

/// Event names and field names, each numbered in the order of first sight. A spec's own names come first, so that
/// tables indexed by [`Name`] stay short however many other names a trace has.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: SymbolTable,
    keys: SymbolTable,
}

impl Symbols {
    /// The number of this event name, given now if it is new.
    pub fn name(&mut self, text: &str) -> Name {
        Name(self.names.intern(text))
    }

    /// The number of this event name, if it has one.
    #[inline]
    pub fn find_name(&self, text: &str) -> Option<Name> {
        self.names.find(text).map(Name)
    }

    /// The text of a name of this table.
    pub fn name_text(&self, name: Name) -> &str {
        self.names.text(name.0)
    }

    /// Counts the event names.
    pub fn name_count(&self) -> usize {
        self.names.texts.len()
    }

    /// The number of this field name, given now if it is new.
    pub fn key(&mut self, text: &str) -> Key {
        Key(self.keys.intern(text))
    }

    /// The number of this field name, if it has one.
    pub fn find_key(&self, text: &str) -> Option<Key> {
        self.keys.find(text).map(Key)
    }

    /// The text of a key of this table.
    pub fn key_text(&self, key: Key) -> &str {
        self.keys.text(key.0)
    }

    /// Counts the field names.
    pub fn key_count(&self) -> usize {
        self.keys.texts.len()
    }
}

#[derive(Clone, Debug, Default)]
struct SymbolTable {
    ids: HashMap<Box<str>, u32, RandomState>,
    texts: Vec<Box<str>>,
}

impl SymbolTable {
    #[inline]
    fn find(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(id) = self.find(text) {
            return id;
        }
        let id = u32::try_from(self.texts.len()).expect("a trace has fewer than 2^32 distinct names");
        self.ids.insert(text.into(), id);
        self.texts.push(text.into());
        id
    }

    fn text(&self, id: u32) -> &str {
        self.texts.get(id as usize).map_or("?", |text| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number() {
        let mut symbols = Symbols::default();
        let a = symbols.name("a");
        let b = symbols.name("b");
        assert_eq!((symbols.name("a"), symbols.find_name("b"), symbols.find_name("c")), (a, Some(b), None));
        assert_eq!((symbols.name_text(a), symbols.name_count()), ("a", 2));
        assert_eq!(symbols.key("a"), Key(0));
    }
}
