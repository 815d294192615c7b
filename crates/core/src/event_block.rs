// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of consecutive events of which a few fields are wanted, all of them whole numbers.
//!
//! Most logs name the subject of an event by a number: an id, a session, a case. A reader that decodes many rows in one loop, with the
//! wanted numbers by row, saves the calls between two events, and whoever takes the block can look up the numbers of all its events
//! before it takes the first: lookups that miss the cache of the processor then overlap.
//!
//! Example: of the rows `pay, 12, 7`, `tick, 13` and `pay, 14, 9`, whose third column is `id`, the block has the columns `[id]`, the
//! numbers `[7, -, 9]` and three origins.
//!
//! INVARIANT: a row has every field that is wanted of its event; what it does not have is absent. A reader ends a block before an event with
//! a wanted field that is not a whole number.

use crate::event::Fields;
use crate::number::Number;
use crate::symbols::Key;
use crate::value::Value;
use crate::verdict::Origin;

/// Consecutive events with the numbers in their fields.
#[derive(Clone, Debug, Default)]
pub struct EventBlock {
    columns: Vec<Key>,
    origins: Vec<Origin>,
    rows: Vec<RowNumbers>,
}

/// The numbers of one event by column.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowNumbers {
    numbers: [i64; EventBlock::MAX_COLUMNS],
    /// A bit for each column that is present.
    present: u32,
}

/// The numbers of one event of a block: its fields, and in the same order its parameters.
#[derive(Clone, Copy, Debug)]
pub struct BlockRow<'a> {
    columns: &'a [Key],
    numbers: &'a RowNumbers,
}

impl RowNumbers {
    /// Sets the number of a column.
    #[inline]
    pub fn set(&mut self, column: usize, number: i64) {
        self.numbers[column] = number;
        self.present |= 1 << column;
    }

    /// Removes all numbers.
    #[inline]
    pub fn clear(&mut self) {
        self.present = 0;
    }

    /// Returns true if a column has a number.
    #[inline]
    pub fn has(&self, column: usize) -> bool {
        self.present >> column & 1 == 1
    }
}

impl EventBlock {
    /// The greatest number of columns.
    pub const MAX_COLUMNS: usize = 4;

    /// Removes the events and sets the columns, at most [`EventBlock::MAX_COLUMNS`]. Where an event has parameters, they are the columns in
    /// this order; [`Key::OTHER`] is one without a key.
    pub fn begin(&mut self, columns: &[Key]) {
        self.clear();
        if self.columns != columns {
            self.columns = columns.to_vec();
        }
    }

    /// Removes the events.
    pub fn clear(&mut self) {
        self.origins.clear();
        self.rows.clear();
    }

    /// Adds an event with its numbers.
    #[inline]
    pub fn push(&mut self, origin: Origin, numbers: &RowNumbers) {
        self.origins.push(origin);
        self.rows.push(*numbers);
    }

    /// Returns the events.
    #[inline]
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// Returns the events, to number them anew.
    pub fn origins_mut(&mut self) -> &mut [Origin] {
        &mut self.origins
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[Key] {
        &self.columns
    }

    /// Returns the fields of an event.
    #[inline]
    pub fn row(&self, event: usize) -> BlockRow<'_> {
        BlockRow { columns: &self.columns, numbers: &self.rows[event] }
    }
}

impl BlockRow<'_> {
    /// Returns the number in a field.
    #[inline]
    pub fn number(&self, key: Key) -> Option<i64> {
        let column = self.columns.iter().position(|column| *column == key && key != Key::OTHER)?;
        self.number_at(column)
    }

    /// Returns the number in a parameter.
    #[inline]
    pub fn parameter_number(&self, index: usize) -> Option<i64> {
        if index < self.columns.len() { self.number_at(index) } else { None }
    }

    #[inline]
    fn number_at(&self, column: usize) -> Option<i64> {
        self.numbers.has(column).then(|| self.numbers.numbers[column])
    }
}

impl Fields for BlockRow<'_> {
    #[inline]
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.number(key).map(|number| Value::Number(Number::Int(number)))
    }

    fn parameter_count(&self) -> usize {
        (u32::BITS - self.numbers.present.leading_zeros()) as usize
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameter_number(index).map_or(Value::Null, |number| Value::Number(Number::Int(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::Name;
    use crate::time::Timestamp;

    #[test]
    fn rows_have_the_numbers_that_are_present() {
        let mut block = EventBlock::default();
        block.begin(&[Key(4), Key::OTHER, Key(2)]);
        let origin = Origin { event_index: 3, time: Timestamp::from_ticks(5), event: Name(1) };
        let mut numbers = RowNumbers::default();
        numbers.set(2, 9);
        numbers.clear();
        numbers.set(0, 7);
        numbers.set(1, 8);
        block.push(origin, &numbers);
        block.push(origin, &RowNumbers::default());
        let number = |number| Value::Number(Number::Int(number));
        let (first, second) = (block.row(0), block.row(1));
        assert_eq!((first.get(Key(4)), first.get(Key(2)), first.get(Key(9))), (Some(number(7)), None, None));
        assert_eq!((first.parameter_count(), second.parameter_count()), (2, 0));
        assert_eq!([0, 1, 2, 3].map(|index| first.parameter(index)), [number(7), number(8), Value::Null, Value::Null]);
        assert_eq!((first.get(Key::OTHER), second.get(Key(4))), (None, None));
        block.begin(&[]);
        assert_eq!((block.origins(), block.columns()), (&[][..], &[][..]));
    }
}
