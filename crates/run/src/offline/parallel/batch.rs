// SPDX-License-Identifier: MIT OR Apache-2.0
//! Batches of events that outlive the buffer of the reader.
//!
//! The thread that reads fills a batch ([`BatchFiller`]) and decides for each event which shards must read it; the threads that check
//! walk it ([`EventBatch::for_each_item`]). The origins of all events are in the batch, fields only of those that some shard reads. A
//! shard has a list of its rows; what lies between two of them it skips in bulk:
//!
//! ```text
//! origins          request(1)  ping  request(2)  response(1)
//! rows of shard 0  0                             3              Own(0), Skipped(1..3), Own(3)
//! rows of shard 1                    2                          Skipped(0..2), Own(2), Skipped(3..4)
//! ```
//!
//! COST: events are packed into a few vectors, and batches are reused, so that after the first few nothing is allocated.

use gnomon_core::event::{Event, FieldSelection, Fields, Projection};
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_engine::{Partitioner, Recipients, RouteBy};

use super::super::{CaseField, EventSource, Visitor};
use crate::compile::CompiledSpec;
use crate::error::Error;
use gnomon_trace::{FieldRange, PackedFields};

/// A full batch has this many events: few enough for the cache of a processor, enough to make handing it over cheap.
const MOST_EVENTS: usize = 1 << 12;
/// A batch with this many bytes of text is full, too.
const MOST_TEXT: usize = 1 << 20;

/// Consecutive events, each with the fields that were asked for, and the shards that must read them.
#[derive(Default)]
pub(super) struct EventBatch {
    origins: Vec<Origin>,
    /// For each shard, the events that it must read.
    rows: Vec<Vec<BatchRow>>,
    fields: PackedFields,
}

/// An event.
#[derive(Clone, Copy)]
pub(super) struct BatchRow {
    /// Index in the batch.
    index: u32,
    fields: FieldRange,
    kind: RowRecipients,
}

/// The shards that read a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowRecipients {
    /// One shard.
    Own,
    /// Every shard.
    All,
    /// Every shard; the row is a progress marker.
    Progress,
}

/// An item of a batch, from the view of one shard.
pub(super) enum BatchItem<'a, 'e> {
    /// An event that only this shard reads.
    Own(&'a Event<'e>),
    /// An event that every shard reads.
    All(&'a Event<'e>),
    /// Events that this shard need not read.
    Skipped(&'a [Origin]),
    /// A progress marker.
    Progress(Timestamp),
}

impl EventBatch {
    /// Empties the batch, for this number of shards.
    pub(super) fn clear(&mut self, shards: usize) {
        self.origins.clear();
        self.rows.resize_with(shards, Vec::new);
        self.rows.iter_mut().for_each(Vec::clear);
        self.fields.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.origins.len() >= MOST_EVENTS || self.fields.text_bytes() >= MOST_TEXT
    }

    /// Adds an event; [`EventBatch::deliver`] must follow. If every field is wanted, `keys` is the number of keys that can
    /// be asked for by name.
    #[inline]
    pub(super) fn push(&mut self, origin: Origin, fields: &dyn Fields, want: &FieldSelection, keys: u32) -> BatchRow {
        let fields = self.fields.push(fields, want, keys);
        let index = self.origins.len() as u32;
        self.origins.push(origin);
        BatchRow { index, fields, kind: RowRecipients::Own }
    }

    /// Returns the shards that must read an event.
    #[inline]
    pub(super) fn recipients(&self, row: &BatchRow, partitioner: &Partitioner) -> Recipients {
        match partitioner.route(self.origins[row.index as usize].event) {
            RouteBy::Name(recipients) => recipients,
            RouteBy::Field(key) => {
                let fields = self.fields.view(row.fields);
                match fields.number(key) {
                    Some(number) => partitioner.shard_of_number(number),
                    None => fields.get(key).map_or(Recipients::None, |value| partitioner.shard_of_value(&value)),
                }
            }
            RouteBy::Event => self.with(row, |event| partitioner.recipients(event)),
        }
    }

    /// Adds an event to the rows of its shards.
    #[inline]
    pub(super) fn deliver(&mut self, row: BatchRow, recipients: Recipients) {
        match recipients {
            Recipients::None => {}
            Recipients::One(shard) => self.rows[shard].push(row),
            Recipients::All => self.deliver_to_all(BatchRow { kind: RowRecipients::All, ..row }),
        }
    }

    /// Adds a progress marker for every shard.
    pub(super) fn push_progress(&mut self, origin: Origin) {
        let index = self.origins.len() as u32;
        self.origins.push(origin);
        self.deliver_to_all(BatchRow { index, fields: FieldRange::default(), kind: RowRecipients::Progress });
    }

    fn deliver_to_all(&mut self, row: BatchRow) {
        self.rows.iter_mut().for_each(|rows| rows.push(row));
    }

    /// Calls `visit` with the items of a shard, in order.
    #[inline]
    pub(super) fn for_each_item(&self, shard: usize, mut visit: impl FnMut(BatchItem<'_, '_>)) {
        let mut next = 0;
        for row in &self.rows[shard] {
            let index = row.index as usize;
            if next < index {
                visit(BatchItem::Skipped(&self.origins[next..index]));
            }
            next = index + 1;
            match row.kind {
                RowRecipients::Own => self.with(row, |event| visit(BatchItem::Own(event))),
                RowRecipients::All => self.with(row, |event| visit(BatchItem::All(event))),
                RowRecipients::Progress => visit(BatchItem::Progress(self.origins[index].time)),
            }
        }
        if next < self.origins.len() {
            visit(BatchItem::Skipped(&self.origins[next..]));
        }
    }

    #[inline]
    fn with<T>(&self, row: &BatchRow, visit: impl FnOnce(&Event<'_>) -> T) -> T {
        let Origin { event_index, time, event } = self.origins[row.index as usize];
        let fields = self.fields.view(row.fields);
        visit(&Event { name: event, index: event_index, time, fields: &fields })
    }
}

/// Fills a batch with the items of a trace.
pub(super) struct BatchFiller<'a> {
    batch: &'a mut EventBatch,
    projection: &'a Projection,
    /// Number of keys that can be asked for by name.
    keys: u32,
    /// Decides which shards read an event; `None`: all of them.
    partitioner: Option<&'a Partitioner>,
    /// The field of the cases: an event without it is not checked.
    case_field: Option<&'a CaseField>,
}

impl<'a> BatchFiller<'a> {
    pub(super) fn new(
        compiled: &'a CompiledSpec,
        batch: &'a mut EventBatch,
        partitioner: Option<&'a Partitioner>,
    ) -> Self {
        let (projection, symbols) = (compiled.plan.projection(), compiled.plan.symbols());
        BatchFiller { batch, projection, keys: symbols.key_count() as u32, partitioner, case_field: None }
    }

    /// Stores the fields of another projection, by as many keys as its reader knows.
    pub(super) fn wanting(self, projection: &'a Projection, keys: usize) -> Self {
        BatchFiller { projection, keys: keys as u32, ..self }
    }

    /// Takes events without this field as events that are not checked.
    pub(super) fn by_case(self, case_field: Option<&'a CaseField>) -> Self {
        BatchFiller { case_field, ..self }
    }
}

impl Visitor for BatchFiller<'_> {
    #[inline]
    fn event<S: EventSource>(&mut self, event: &Event<'_>, _: &S) -> Result<bool, Error> {
        let origin = Origin { event_index: event.index, time: event.time, event: event.name };
        let row = self.batch.push(origin, event.fields, self.projection.selection(event.name), self.keys);
        let recipients =
            self.partitioner.map_or(Recipients::All, |partitioner| self.batch.recipients(&row, partitioner));
        self.batch.deliver(row, recipients);
        Ok(self.case_field.is_none_or(|field| field.with(event.fields, |_| ()).is_some()))
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        self.batch.push_progress(Origin { event_index: 0, time: to, event: Name(0) });
        Ok(())
    }

    #[inline]
    fn is_done(&self) -> bool {
        self.batch.is_full()
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::event::OwnedFields;
    use gnomon_core::number::Number;
    use gnomon_core::symbols::Key;
    use gnomon_core::value::Value;

    use super::*;
    use gnomon_trace::LONGEST_TEXT;

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
    fn packed_values_are_unpacked_unchanged() {
        let mut batch = EventBatch::default();
        let fields = OwnedFields { entries: values() };
        for round in 0..2 {
            batch.clear(1);
            let rows = [
                batch.push(origin(round), &fields, &FieldSelection::Nothing, 9),
                batch.push(origin(1), &fields, &FieldSelection::Fields(vec![Key(3), Key(8), Key(2)]), 9),
                batch.push(origin(2), &fields, &FieldSelection::All, 5),
            ];
            for row in rows {
                batch.deliver(row, Recipients::All);
            }
            let mut shown = Vec::new();
            batch.for_each_item(0, |item| {
                let BatchItem::All(event) = item else { panic!("it was handed to all") };
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
            });
            let all = |index, named: &[u32], parameters| {
                (index, Name(3), Timestamp::from_ticks(7), named.to_vec(), parameters)
            };
            assert_eq!(shown, [all(round, &[], 0), all(1, &[2, 3], 0), all(2, &[0, 1, 2, 3, 4], 6)]);
        }
    }

    #[test]
    fn events_are_delivered_to_their_shard() {
        let mut batch = EventBatch::default();
        batch.clear(2);
        let fields = OwnedFields { entries: values() };
        let recipients =
            [Recipients::One(0), Recipients::None, Recipients::All, Recipients::One(1), Recipients::One(1)];
        for (index, recipients) in (0..).zip(recipients) {
            let row = batch.push(origin(index), &fields, &FieldSelection::All, 0);
            batch.deliver(row, recipients);
        }
        batch.push_progress(origin(5));
        let items_of = |shard| {
            let mut items = Vec::new();
            let what = |event: &Event<'_>| {
                assert_eq!(event.fields.parameter_count(), fields.entries.len());
                vec![event.index]
            };
            batch.for_each_item(shard, |item| {
                items.push(match item {
                    BatchItem::Own(event) => ("own", what(event)),
                    BatchItem::All(event) => ("all", what(event)),
                    BatchItem::Progress(to) => ("progress", vec![to.ticks() as u64]),
                    BatchItem::Skipped(skipped) => {
                        ("skipped", skipped.iter().map(|origin| origin.event_index).collect())
                    }
                });
            });
            items
        };
        assert_eq!(
            items_of(0),
            [("own", vec![0]), ("skipped", vec![1]), ("all", vec![2]), ("skipped", vec![3, 4]), ("progress", vec![7])]
        );
        assert_eq!(
            items_of(1),
            [("skipped", vec![0, 1]), ("all", vec![2]), ("own", vec![3]), ("own", vec![4]), ("progress", vec![7])]
        );
    }

    #[test]
    fn a_batch_is_full_by_events_or_by_text() {
        let mut batch = EventBatch::default();
        for index in 0..MOST_EVENTS as u64 {
            batch.push(origin(index), &OwnedFields::default(), &FieldSelection::All, 0);
        }
        assert!(batch.is_full());
        batch.clear(1);
        assert!(batch.is_empty() && !batch.is_full());
        let text = OwnedFields { entries: vec![(Key(0), Value::Text("x".repeat(LONGEST_TEXT).into()))] };
        for _ in 0..MOST_TEXT / LONGEST_TEXT {
            batch.push(origin(0), &text, &FieldSelection::All, 0);
        }
        assert!(batch.is_full());
    }
}
