// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that outlive the reader's buffer: many at a time, packed into a few vectors that are used again, so that in
//! the long run nothing is allocated.

use std::ops::ControlFlow;

use gnomon_core::event::{Event, Fields, NoFields, Want};
use gnomon_core::number::Number;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

/// A batch is full with so many events: few enough to stay in a processor's cache, enough to make handing it over cheap.
const MOST_EVENTS: usize = 1 << 12;
/// Or with so many bytes of text.
const MOST_TEXT: usize = 1 << 20;
/// Longer texts are kept on their own.
const LONGEST_TEXT: usize = 1 << 16;

/// Consecutive events, each with the fields that were asked for.
#[derive(Default)]
pub(super) struct Batch {
    rows: Vec<Row>,
    cells: Vec<Cell>,
    text: String,
    /// Values that have no form of their own: lists, maps, and texts without end.
    others: Vec<Value<'static>>,
}

/// An event. Its cells are first the parameters in order, then the fields by key.
struct Row {
    origin: Origin,
    first: u32,
    parameters: u32,
    named: u32,
    /// Which share must look at it; `None`: each of them.
    share: Option<u32>,
}

struct Cell {
    /// Of a parameter, nobody's.
    key: Key,
    value: Packed,
}

enum Packed {
    Null,
    Bool(bool),
    Number(Number),
    Text { start: u32, length: u32 },
    Other(u32),
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.cells.clear();
        self.text.clear();
        self.others.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= MOST_EVENTS || self.text.len() >= MOST_TEXT
    }

    /// Adds an event. Where every field is wanted, `keys` are those that may be asked for by name.
    #[inline]
    pub(super) fn push(&mut self, origin: Origin, fields: &dyn Fields, want: &Want, keys: u32) {
        let first = self.cells.len();
        let mut parameters = 0;
        match want {
            Want::Nothing => {}
            Want::Fields(keys) => keys.iter().for_each(|key| self.push_named(fields, *key)),
            Want::All => {
                parameters = fields.parameter_count();
                for index in 0..parameters {
                    let value = self.pack(fields.parameter(index));
                    self.cells.push(Cell { key: Key::OTHER, value });
                }
                (0..keys).for_each(|key| self.push_named(fields, Key(key)));
            }
        }
        let named = (self.cells.len() - first - parameters) as u32;
        self.rows.push(Row { origin, first: first as u32, parameters: parameters as u32, named, share: None });
    }

    /// Notes which share the last event concerns, if it is only one.
    #[inline]
    pub(super) fn assign(&mut self, share_of: impl FnOnce(&Event<'_>) -> Option<usize>) {
        let share = self.rows.last().and_then(|row| self.with(row, share_of));
        if let Some(row) = self.rows.last_mut() {
            row.share = share.map(|share| share as u32);
        }
    }

    #[inline]
    fn push_named(&mut self, fields: &dyn Fields, key: Key) {
        if let Some(value) = fields.get(key) {
            let value = self.pack(value);
            self.cells.push(Cell { key, value });
        }
    }

    #[inline]
    fn pack(&mut self, value: Value<'_>) -> Packed {
        match value {
            Value::Null => Packed::Null,
            Value::Bool(value) => Packed::Bool(value),
            Value::Number(number) => Packed::Number(number),
            Value::Text(text) if text.len() <= LONGEST_TEXT => {
                let start = self.text.len() as u32;
                self.text.push_str(&text);
                Packed::Text { start, length: text.len() as u32 }
            }
            other => {
                self.others.push(other.into_owned());
                Packed::Other(self.others.len() as u32 - 1)
            }
        }
    }

    /// Shows each event in turn to a share, and which one it concerns: events of others come without their fields.
    #[inline]
    pub(super) fn each_for(&self, share: usize, mut show: impl FnMut(&Event<'_>, Option<usize>)) {
        for row in &self.rows {
            match row.share.map(|share| share as usize) {
                Some(other) if other != share => {
                    let Origin { event_index, time, event } = row.origin;
                    show(&Event { name: event, index: event_index, time, fields: &NoFields }, Some(other));
                }
                own => self.with(row, |event| show(event, own)),
            }
        }
    }

    /// Shows each event in turn, until someone has seen enough.
    #[inline]
    pub(super) fn try_each<E>(
        &self,
        mut show: impl FnMut(&Event<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<ControlFlow<()>, E> {
        for row in &self.rows {
            if self.with(row, &mut show)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    #[inline]
    fn with<T>(&self, row: &Row, show: impl FnOnce(&Event<'_>) -> T) -> T {
        let first = row.first as usize;
        let (parameters, named) = (row.parameters as usize, row.named as usize);
        let cells = &self.cells[first..first + parameters + named];
        let (parameters, named) = cells.split_at(parameters);
        let Origin { event_index, time, event } = row.origin;
        show(&Event { name: event, index: event_index, time, fields: &View { batch: self, parameters, named } })
    }
}

/// The fields of one event of a batch.
struct View<'a> {
    batch: &'a Batch,
    parameters: &'a [Cell],
    named: &'a [Cell],
}

impl View<'_> {
    #[inline]
    fn unpack(&self, cell: &Cell) -> Value<'_> {
        match &cell.value {
            Packed::Null => Value::Null,
            Packed::Bool(value) => Value::Bool(*value),
            Packed::Number(number) => Value::Number(*number),
            Packed::Text { start, length } => {
                let start = *start as usize;
                Value::Text(self.batch.text[start..start + *length as usize].into())
            }
            Packed::Other(index) => self.batch.others[*index as usize].clone(),
        }
    }
}

impl Fields for View<'_> {
    #[inline]
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.named.iter().find(|cell| cell.key == key).map(|cell| self.unpack(cell))
    }

    #[inline]
    fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    #[inline]
    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameters.get(index).map_or(Value::Null, |cell| self.unpack(cell))
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::event::OwnedFields;
    use gnomon_core::symbols::Name;
    use gnomon_core::time::Timestamp;

    use super::*;

    fn origin(event_index: u64) -> Origin {
        Origin { event_index, time: Timestamp::from_ticks(7), event: Name(3) }
    }

    fn values() -> Vec<(Key, Value<'static>)> {
        let list = Value::List(vec![Value::Bool(true), Value::Text("in".into())]);
        let long = Value::Text("é".repeat(LONGEST_TEXT).into());
        let number = Value::Number(Number::parse("2.5").unwrap());
        let values = [Value::Null, Value::Bool(true), number, Value::Text("支".into()), list, long];
        (0..).map(Key).zip(values).collect()
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let mut batch = Batch::default();
        let fields = OwnedFields { entries: values() };
        for round in 0..2 {
            batch.clear();
            batch.push(origin(round), &fields, &Want::Nothing, 9);
            batch.push(origin(1), &fields, &Want::Fields(vec![Key(3), Key(8), Key(2)]), 9);
            batch.push(origin(2), &fields, &Want::All, 5);
            let mut shown = Vec::new();
            let _: Result<_, ()> = batch.try_each(|event| {
                let named: Vec<u32> = (0..9).filter(|key| event.fields.get(Key(*key)).is_some()).collect();
                for (key, value) in values() {
                    assert!(event.fields.get(key).is_none_or(|got| got == value), "{key:?}");
                }
                let parameters =
                    (0..event.fields.parameter_count()).map(|index| event.fields.parameter(index).into_owned());
                let parameters: Vec<Value<'static>> = parameters.collect();
                let expected: Vec<Value<'static>> = values().into_iter().map(|(_, value)| value).collect();
                assert!(parameters.is_empty() || parameters == expected);
                shown.push((event.index, event.name, event.time, named, parameters.len()));
                Ok(ControlFlow::Continue(()))
            });
            let all = |index, named: &[u32], parameters| {
                (index, Name(3), Timestamp::from_ticks(7), named.to_vec(), parameters)
            };
            assert_eq!(shown, [all(round, &[], 0), all(1, &[2, 3], 0), all(2, &[0, 1, 2, 3, 4], 6)]);
        }
    }

    #[test]
    fn an_event_is_shown_to_the_share_that_it_concerns() {
        let mut batch = Batch::default();
        let fields = OwnedFields { entries: values() };
        for (index, share) in (0..).zip([Some(0), None, Some(1)]) {
            batch.push(origin(index), &fields, &Want::All, 0);
            batch.assign(|event| share.filter(|_| event.index == index));
        }
        let seen_by = |share| {
            let mut seen = Vec::new();
            batch.each_for(share, |event, concerns| seen.push((event.fields.parameter_count(), concerns)));
            seen
        };
        let (some, none) = (fields.entries.len(), 0);
        assert_eq!(seen_by(0), [(some, Some(0)), (some, None), (none, Some(1))]);
        assert_eq!(seen_by(1), [(none, Some(0)), (some, None), (some, Some(1))]);
    }

    #[test]
    fn a_batch_is_full_by_events_or_by_text() {
        let mut batch = Batch::default();
        (0..MOST_EVENTS as u64).for_each(|index| batch.push(origin(index), &OwnedFields::default(), &Want::All, 0));
        assert!(batch.is_full());
        batch.clear();
        assert!(batch.is_empty() && !batch.is_full());
        let text = OwnedFields { entries: vec![(Key(0), Value::Text("x".repeat(LONGEST_TEXT).into()))] };
        (0..MOST_TEXT / LONGEST_TEXT).for_each(|_| batch.push(origin(0), &text, &Want::All, 0));
        assert!(batch.is_full());
    }
}
