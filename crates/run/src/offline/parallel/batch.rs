// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that outlive the reader's buffer: many at a time, packed into a few vectors that are used again, so that in
//! the long run nothing is allocated.

use std::mem::ManuallyDrop;
use std::ops::ControlFlow;

use gnomon_core::event::{Event, Fields, Want};
use gnomon_core::number::Number;
use gnomon_core::symbols::Key;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_engine::{Audience, Lot, Sharing};

/// A batch is full with so many events: few enough to stay in a processor's cache, enough to make handing it over cheap.
const MOST_EVENTS: usize = 1 << 12;
/// Or with so many bytes of text.
const MOST_TEXT: usize = 1 << 20;
/// Longer texts are kept on their own.
const LONGEST_TEXT: usize = 1 << 16;

/// Consecutive events, each with the fields that were asked for, handed out to those whom they concern.
#[derive(Default)]
pub(super) struct Batch {
    origins: Vec<Origin>,
    /// For each share, the events that it must look at.
    lots: Vec<Vec<Row>>,
    cells: Vec<Cell>,
    text: String,
    /// Values that have no form of their own: lists, maps, and texts without end.
    others: Vec<Value<'static>>,
}

/// An event. Its cells are first the parameters in order, then the fields by key.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Its place in the batch.
    index: u32,
    first: u32,
    parameters: u32,
    named: u32,
    /// Whether each share looks at it.
    is_for_all: bool,
}

/// What a share is shown.
pub(super) enum Shown<'a, 'e> {
    /// An event that concerns it alone.
    Own(&'a Event<'e>),
    /// An event that may concern any of them.
    All(&'a Event<'e>),
    /// Events that do not concern it.
    Passed(&'a [Origin]),
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
    /// Makes it empty, for so many shares.
    pub(super) fn clear(&mut self, shares: usize) {
        self.origins.clear();
        self.lots.resize_with(shares, Vec::new);
        self.lots.iter_mut().for_each(Vec::clear);
        self.cells.clear();
        self.text.clear();
        self.others.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.origins.len() >= MOST_EVENTS || self.text.len() >= MOST_TEXT
    }

    /// Adds an event, which is to be handed out then. Where every field is wanted, `keys` are those that may be asked for by
    /// name.
    #[inline]
    pub(super) fn push(&mut self, origin: Origin, fields: &dyn Fields, want: &Want, keys: u32) -> Row {
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
        let index = self.origins.len() as u32;
        self.origins.push(origin);
        Row { index, first: first as u32, parameters: parameters as u32, named, is_for_all: false }
    }

    /// Whom an event concerns.
    #[inline]
    pub(super) fn audience(&self, row: &Row, sharing: &Sharing) -> Audience {
        match sharing.lot(self.origins[row.index as usize].event) {
            Lot::Name(audience) => audience,
            Lot::Field(key) => match self.named(row).iter().find(|cell| cell.key == key) {
                None => Audience::Nobody,
                // Asked of nearly every event, and so without making a value.
                Some(Cell { value: Packed::Number(number), .. }) => sharing.of_number(*number),
                Some(cell) => sharing.of_value(&self.unpack(cell)),
            },
            Lot::Event => self.with(row, |event| sharing.of_event(event)),
        }
    }

    /// Hands an event out.
    #[inline]
    pub(super) fn hand(&mut self, row: Row, audience: Audience) {
        match audience {
            Audience::Nobody => {}
            Audience::One(share) => self.lots[share].push(row),
            Audience::All => self.lots.iter_mut().for_each(|lot| lot.push(Row { is_for_all: true, ..row })),
        }
    }

    #[inline]
    fn push_named(&mut self, fields: &dyn Fields, key: Key) {
        let Some(value) = fields.get(key).map(ManuallyDrop::new) else { return };
        let value = match *value {
            // What owns nothing need not be dropped: most values are whole numbers.
            Value::Number(number) => Packed::Number(number),
            _ => self.pack(ManuallyDrop::into_inner(value)),
        };
        self.cells.push(Cell { key, value });
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

    /// Shows a share what there is for it, in order.
    #[inline]
    pub(super) fn each_for(&self, share: usize, mut show: impl FnMut(Shown<'_, '_>)) {
        let mut next = 0;
        for row in &self.lots[share] {
            let index = row.index as usize;
            if next < index {
                show(Shown::Passed(&self.origins[next..index]));
            }
            next = index + 1;
            self.with(row, |event| show(if row.is_for_all { Shown::All(event) } else { Shown::Own(event) }));
        }
        if next < self.origins.len() {
            show(Shown::Passed(&self.origins[next..]));
        }
    }

    /// Shows each event that was handed out to the first share in turn, until someone has seen enough.
    #[inline]
    pub(super) fn try_each<E>(
        &self,
        mut show: impl FnMut(&Event<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<ControlFlow<()>, E> {
        for row in self.lots.first().into_iter().flatten() {
            if self.with(row, &mut show)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    #[inline]
    fn with<T>(&self, row: &Row, show: impl FnOnce(&Event<'_>) -> T) -> T {
        let Origin { event_index, time, event } = self.origins[row.index as usize];
        let first = row.first as usize;
        let parameters = &self.cells[first..first + row.parameters as usize];
        let fields = View { batch: self, parameters, named: self.named(row) };
        show(&Event { name: event, index: event_index, time, fields: &fields })
    }

    #[inline]
    fn named(&self, row: &Row) -> &[Cell] {
        let first = (row.first + row.parameters) as usize;
        &self.cells[first..first + row.named as usize]
    }

    #[inline]
    fn unpack(&self, cell: &Cell) -> Value<'_> {
        match &cell.value {
            Packed::Null => Value::Null,
            Packed::Bool(value) => Value::Bool(*value),
            Packed::Number(number) => Value::Number(*number),
            Packed::Text { start, length } => {
                let start = *start as usize;
                Value::Text(self.text[start..start + *length as usize].into())
            }
            Packed::Other(index) => self.others[*index as usize].clone(),
        }
    }
}

/// The fields of one event of a batch.
struct View<'a> {
    batch: &'a Batch,
    parameters: &'a [Cell],
    named: &'a [Cell],
}

impl Fields for View<'_> {
    #[inline]
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.named.iter().find(|cell| cell.key == key).map(|cell| self.batch.unpack(cell))
    }

    #[inline]
    fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    #[inline]
    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameters.get(index).map_or(Value::Null, |cell| self.batch.unpack(cell))
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
            batch.clear(1);
            let rows = [
                batch.push(origin(round), &fields, &Want::Nothing, 9),
                batch.push(origin(1), &fields, &Want::Fields(vec![Key(3), Key(8), Key(2)]), 9),
                batch.push(origin(2), &fields, &Want::All, 5),
            ];
            for row in rows {
                batch.hand(row, Audience::All);
            }
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
        batch.clear(2);
        let fields = OwnedFields { entries: values() };
        let audiences = [Audience::One(0), Audience::Nobody, Audience::All, Audience::One(1), Audience::One(1)];
        for (index, audience) in (0..).zip(audiences) {
            let row = batch.push(origin(index), &fields, &Want::All, 0);
            batch.hand(row, audience);
        }
        let seen_by = |share| {
            let mut seen = Vec::new();
            let what = |event: &Event<'_>| {
                assert_eq!(event.fields.parameter_count(), fields.entries.len());
                vec![event.index]
            };
            batch.each_for(share, |shown| {
                seen.push(match shown {
                    Shown::Own(event) => ("own", what(event)),
                    Shown::All(event) => ("all", what(event)),
                    Shown::Passed(passed) => ("passed", passed.iter().map(|origin| origin.event_index).collect()),
                });
            });
            seen
        };
        assert_eq!(seen_by(0), [("own", vec![0]), ("passed", vec![1]), ("all", vec![2]), ("passed", vec![3, 4])]);
        assert_eq!(seen_by(1), [("passed", vec![0, 1]), ("all", vec![2]), ("own", vec![3]), ("own", vec![4])]);
    }

    #[test]
    fn a_batch_is_full_by_events_or_by_text() {
        let mut batch = Batch::default();
        for index in 0..MOST_EVENTS as u64 {
            batch.push(origin(index), &OwnedFields::default(), &Want::All, 0);
        }
        assert!(batch.is_full());
        batch.clear(1);
        assert!(batch.is_empty() && !batch.is_full());
        let text = OwnedFields { entries: vec![(Key(0), Value::Text("x".repeat(LONGEST_TEXT).into()))] };
        for _ in 0..MOST_TEXT / LONGEST_TEXT {
            batch.push(origin(0), &text, &Want::All, 0);
        }
        assert!(batch.is_full());
    }
}
