// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tuple of the current event. Arguments are ranges of the buffer and become values when a property asks for them.

use std::borrow::Cow;

use gnomon_core::event::Fields;
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_scan::{ByteRange, Cursor};

use super::{argument_index, argument_name};
use crate::reader::FieldEntry;

pub(super) struct Tuple<R> {
    pub(super) cursor: Cursor<R>,
    pub(super) arguments: Vec<TupleArgument>,
    /// The time, and the notation in which it is printed.
    pub(super) time: Timestamp,
    pub(super) clock: Clock,
    pub(super) kind: TimeKind,
    pub(super) keys: ArgumentKeys,
}

#[derive(Clone, Copy)]
pub(super) struct TupleArgument {
    pub(super) text: ByteRange,
    pub(super) quoted: bool,
}

/// The keys under which a property may ask for the time and the arguments, which have no names in the log.
#[derive(Clone)]
pub(super) struct ArgumentKeys {
    pub(super) time_name: String,
    time: Option<Key>,
    arguments: Vec<(Key, usize)>,
}

impl ArgumentKeys {
    pub(super) fn new(symbols: &Symbols, time_name: String) -> Self {
        let keys = (0..symbols.key_count() as u32).map(Key);
        let argument = |key| argument_index(symbols.key_text(key)).map(|index| (key, index));
        ArgumentKeys { time: symbols.find_key(&time_name), time_name, arguments: keys.filter_map(argument).collect() }
    }
}

impl<R> Tuple<R> {
    fn value(&self, argument: TupleArgument) -> Value<'_> {
        // The reader has checked the encoding of every argument that is kept.
        let text = String::from_utf8_lossy(argument.text.of(self.cursor.row()));
        if argument.quoted { Value::Text(text) } else { Value::from_cell(text) }
    }

    fn time(&self) -> Value<'static> {
        let text = self.clock.print(self.kind, self.time);
        Number::parse(&text).map_or_else(|_| Value::Text(Cow::Owned(text)), Value::Number)
    }

    /// Returns the fields, named by their positions.
    pub(super) fn entries(&self) -> Vec<FieldEntry<'_>> {
        let time = FieldEntry { key: Cow::Borrowed(&self.keys.time_name), value: self.time(), is_time: true };
        let argument = |(index, &argument): (usize, &TupleArgument)| FieldEntry {
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
