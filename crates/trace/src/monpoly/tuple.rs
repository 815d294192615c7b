// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tuple of the present event: kept as places in the buffer, made into values when asked for.

use std::borrow::Cow;

use gnomon_core::event::Fields;
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;

use super::{argument_index, argument_name};
use crate::cursor::Cursor;
use crate::reader::Entry;
use crate::stretch::Stretch;

pub(super) struct Tuple<R> {
    pub(super) cursor: Cursor<R>,
    pub(super) arguments: Vec<Argument>,
    /// The time, and how it is written.
    pub(super) time: Timestamp,
    pub(super) clock: Clock,
    pub(super) kind: TimeKind,
    pub(super) keys: Keys,
}

#[derive(Clone, Copy)]
pub(super) struct Argument {
    pub(super) text: Stretch,
    pub(super) quoted: bool,
}

/// The names under which somebody may ask for what has none.
pub(super) struct Keys {
    pub(super) time_name: String,
    time: Option<Key>,
    arguments: Vec<(Key, usize)>,
}

impl Keys {
    pub(super) fn new(symbols: &Symbols, time_name: String) -> Self {
        let keys = (0..symbols.key_count() as u32).map(Key);
        let argument = |key| argument_index(symbols.key_text(key)).map(|index| (key, index));
        Keys { time: symbols.find_key(&time_name), time_name, arguments: keys.filter_map(argument).collect() }
    }
}

impl<R> Tuple<R> {
    fn value(&self, argument: Argument) -> Value<'_> {
        // The reader has looked at the encoding of every argument that is kept.
        let text = String::from_utf8_lossy(argument.text.of(self.cursor.row()));
        if argument.quoted { Value::Text(text) } else { Value::from_cell(text) }
    }

    fn time(&self) -> Value<'static> {
        let text = self.clock.print(self.kind, self.time);
        Number::parse(&text).map_or_else(|| Value::Text(Cow::Owned(text)), Value::Number)
    }

    /// The fields with the names that stand for their places.
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        let time = Entry { key: Cow::Borrowed(&self.keys.time_name), value: self.time(), is_time: true };
        let argument = |(index, &argument): (usize, &Argument)| Entry {
            key: Cow::Owned(argument_name(index)),
            value: self.value(argument),
            is_time: false,
        };
        [time].into_iter().chain(self.arguments.iter().enumerate().map(argument)).collect()
    }
}

impl<R> Fields for Tuple<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        if self.keys.time == Some(key) {
            return Some(self.time());
        }
        let (_, index) = self.keys.arguments.iter().find(|(known, _)| *known == key)?;
        self.arguments.get(*index).map(|&argument| self.value(argument))
    }

    fn parameter_count(&self) -> usize {
        self.arguments.len()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.arguments.get(index).map_or(Value::Null, |&argument| self.value(argument))
    }
}
