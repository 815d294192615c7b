// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accepts events: parses and encodes a body, appends it to the journal, and hands it to the evaluator.
//!
//! ```text
//! submit ─▶ read (parse, encode) ─▶ append_events (number, duplicates) ─▶ append (journal, then queue) ─▶ durable ─▶ Receipt
//! ```
//!
//! A batch is accepted as a whole or not at all. One lock, the [`Sequencer`], gives all records one order: the order
//! of the journal is the order of the evaluator's queue. A sender gets its receipt when its record is durable; a
//! message of the proxy as soon as it is evaluated.
//!
//! **Backpressure.** A batch needs capacity in the queue before it is appended ([`Live::admit`]): one permit per KiB,
//! released when the evaluator has applied the record. If the evaluator is slower than the senders, `submit` waits,
//! the connection is not read, and TCP slows the sender down. The publisher blocks the evaluator in the same way. So
//! memory stays bounded, and no accepted event is ever dropped.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gnomon_core::time::{Clock, TimeKind};
use gnomon_run::compile::CompiledSpec;
use gnomon_run::offline::check_units;
use gnomon_store::ErrorKind;
use gnomon_trace::{AnyReader, Format, Reader, ReaderSetup};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::timeout;

use crate::evaluator::Evaluator;
use crate::event::{EventView, NewEvent, STAMPED, encode};
use crate::live::{Live, LiveInner};
use crate::options::{Limits, TimeSource};
use crate::record::{self, BatchHeader, CONTROL, ControlRecord, EVENTS, Numbering, Origin};
use crate::shared::{lock, now};
use crate::submit_error::{InvalidEvent, SubmitError};
use crate::wire::{Block, WatchState};
use crate::worker::{QueuedRecord, WorkItem};

/// A batch of events from a client.
#[derive(Clone, Debug)]
pub struct EventBatch {
    /// The body, decompressed.
    pub body: Bytes,
    /// Format of the body.
    pub format: BodyFormat,
    /// Numbers of the events, if the sender numbers them.
    pub numbering: Option<Numbering>,
    /// Interface that received the events.
    pub origin: Origin,
}

/// Format of a body of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyFormat {
    /// One flat JSON object per line.
    Ndjson,
    /// CRV XML: events inside `<log>`.
    Xml,
}

/// Confirmation that events are durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Receipt {
    /// Number of new events.
    pub accepted: u64,
    /// Number of events that were accepted before.
    pub duplicates: u64,
    /// Number of accepted events that will not be evaluated, because their timestamps are in the future.
    pub ahead: u64,
    /// Sequence number of their record.
    pub sequence: u64,
}

/// Assigns sequence numbers. The thread that holds its lock appends the next record.
pub(crate) struct Sequencer {
    /// Next event number of each sender that numbers its events.
    pub(crate) producers: BTreeMap<String, u64>,
    pub(crate) last_arrival: i128,
    /// Sequence number of the last record if there is no journal.
    pub(crate) last: u64,
    pub(crate) is_open: bool,
    /// False while the state is restored: records are only journaled, and the evaluator reads them there.
    pub(crate) is_restored: bool,
}

impl Live {
    /// Accepts a batch. Resolves once it is durable.
    pub async fn submit(&self, batch: EventBatch) -> Result<Receipt, SubmitError> {
        let inner = &self.inner;
        let permit = self.admit(batch.body.len()).await?;
        let spec = inner.shared.spec();
        let known = lock(&inner.shared.report).date_times;
        let limit = inner.options.limits.batch_bytes;
        let encoded = read(&batch.body[..], batch.format, &spec.compiled, inner.settings.time, known, limit);
        let encoded = self.counting_refusals(encoded)?;
        self.commit(encoded, batch.numbering, batch.origin, permit).await
    }

    /// Accepts events that were created in this process, such as those of spans.
    pub async fn submit_events(
        &self,
        events: &[NewEvent],
        origin: Origin,
        numbering: Option<Numbering>,
    ) -> Result<Receipt, SubmitError> {
        let encoded = self.encode_new(events)?;
        let permit = self.admit(encoded.events.len()).await?;
        self.commit(encoded, numbering, origin, permit).await
    }

    /// Evaluates a message on its way through the proxy immediately, without waiting for the disk. Returns its
    /// receipt and the block of its session, whether it existed before or this message caused it.
    pub async fn tap(&self, event: NewEvent) -> Result<(Option<Receipt>, Option<Block>), SubmitError> {
        let encoded = self.encode_new(std::slice::from_ref(&event))?;
        let view = EventView::read(&encoded.events);
        let key = view.and_then(|(view, _)| Evaluator::session_key(&self.inner.settings, &view));
        if let Some(block) = self.block_of(key.as_deref()) {
            return Ok((None, Some(block)));
        }
        let permit = self.admit(encoded.events.len()).await?;
        let (reply, judged) = oneshot::channel();
        let receipt = self.append_events(encoded, None, Origin::Proxy, permit, Some(reply))?;
        // If the evaluator has stopped, or the state is still being restored, only the known blocks count.
        let _ = judged.await;
        Ok((Some(receipt), self.block_of(key.as_deref())))
    }

    fn encode_new(&self, events: &[NewEvent]) -> Result<EncodedBatch, SubmitError> {
        let known = lock(&self.inner.shared.report).date_times;
        self.counting_refusals(encode_new(events, self.inner.settings.time, known))
    }

    fn block_of(&self, key: Option<&str>) -> Option<Block> {
        let blocks = self.inner.shared.blocks.read().unwrap_or_else(PoisonError::into_inner);
        blocks.iter().find(|block| block.key.is_none() || block.key.as_deref() == key).cloned()
    }

    /// Waits until the queue has capacity for this many bytes.
    async fn admit(&self, bytes: usize) -> Result<OwnedSemaphorePermit, SubmitError> {
        let Limits { queue_bytes, batch_bytes, .. } = self.inner.options.limits;
        if bytes > batch_bytes {
            return Err(SubmitError::TooLarge { most: batch_bytes });
        }
        let kilobytes = (bytes / 1024 + 1).min(queue_bytes / 1024).max(1) as u32;
        let permits = self.inner.permits.clone();
        permits.acquire_many_owned(kilobytes).await.map_err(|_| stopping())
    }

    fn counting_refusals<T>(&self, result: Result<T, SubmitError>) -> Result<T, SubmitError> {
        result.inspect_err(|_| {
            self.inner.shared.refused.fetch_add(1, Ordering::Relaxed);
        })
    }

    async fn commit(
        &self,
        encoded: EncodedBatch,
        numbering: Option<Numbering>,
        origin: Origin,
        permit: OwnedSemaphorePermit,
    ) -> Result<Receipt, SubmitError> {
        let shared = &self.inner.shared;
        let receipt = self.counting_refusals(self.append_events(encoded, numbering, origin, permit, None))?;
        let mut durable = shared.durable.subscribe();
        loop {
            if *durable.borrow_and_update() >= receipt.sequence {
                return Ok(receipt);
            }
            // The timeout detects a failed disk.
            if let Ok(Err(_)) = timeout(Duration::from_millis(500), durable.changed()).await {
                return Err(stopping());
            }
            let (state, note) = lock(&shared.state).clone();
            if state == WatchState::Failed {
                return Err(unavailable(state, note));
            }
        }
    }

    /// Appends events to the journal and queues them for the evaluator.
    fn append_events(
        &self,
        encoded: EncodedBatch,
        numbering: Option<Numbering>,
        origin: Origin,
        permit: OwnedSemaphorePermit,
        reply: Option<oneshot::Sender<()>>,
    ) -> Result<Receipt, SubmitError> {
        let inner = &self.inner;
        let accepted_at = Instant::now();
        let mut sequencer = lock(&inner.sequencer);
        inner.can_accept(&sequencer)?;
        let EncodedBatch { events, mut count, date_times, latest } = encoded;
        let (mut kept, mut duplicates, mut numbering) = (&events[..], 0, numbering);
        if let Some(numbering) = &mut numbering {
            let next = sequencer.producers.get(&numbering.producer).copied();
            let is_new = next.is_none();
            let next = next.unwrap_or(numbering.first);
            if numbering.first > next {
                return Err(SubmitError::Gap { expected: next });
            }
            if is_new && sequencer.producers.len() >= inner.options.limits.producers {
                return Err(unavailable(WatchState::Limited, Some("too many senders number their events".to_owned())));
            }
            if numbering.first.checked_add(u64::from(count)).is_none() {
                return Err(SubmitError::Numbers { first: numbering.first });
            }
            duplicates = (next - numbering.first).min(u64::from(count));
            kept = record::without_first(kept, duplicates);
            count -= duplicates as u32;
            numbering.first += duplicates;
            inner.shared.duplicates.fetch_add(duplicates, Ordering::Relaxed);
        }
        if count == 0 {
            // Dropping `reply` wakes the request that waits for a verdict.
            let sequence = inner.journal.as_ref().map_or(sequencer.last, |journal| journal.last());
            return Ok(Receipt { accepted: 0, duplicates, ahead: 0, sequence });
        }
        if let Some(date_times) = date_times {
            // A batch that was read at the same time may have decided it.
            let known = *lock(&inner.shared.report).date_times.get_or_insert(date_times);
            if known != date_times {
                return Err(InvalidEvent::kind(known, 1));
            }
        }
        let arrival = now().max(sequencer.last_arrival + 1);
        let next = numbering.as_ref().map(|numbering| (numbering.producer.clone(), numbering.first + u64::from(count)));
        let header = BatchHeader { arrival, origin, numbering, count, date_times };
        let allowed = inner.policy.latest_allowed(inner.settings.time, &header);
        let allowed = allowed.filter(|allowed| latest.is_some_and(|latest| latest > allowed.ticks()));
        let ahead = allowed.map_or(0, |allowed| record::count_after(kept, allowed));
        let record = Arc::new(record::batch(&header, kept));
        let queued =
            QueuedRecord { kind: EVENTS, record, accepted_at: Some((accepted_at, count)), reply, permit: Some(permit) };
        let sequence = inner.append(&mut sequencer, queued)?;
        sequencer.last_arrival = arrival + i128::from(count);
        if let Some((producer, next)) = next {
            sequencer.producers.insert(producer, next);
        }
        Ok(Receipt { accepted: u64::from(count), duplicates, ahead, sequence })
    }

    /// Appends a control record and further ones behind it. Resolves once the first is applied.
    pub(crate) async fn control(
        &self,
        control: &ControlRecord,
        followed_by: &[ControlRecord],
    ) -> Result<(), SubmitError> {
        let (reply, judged) = oneshot::channel();
        {
            let mut sequencer = lock(&self.inner.sequencer);
            self.inner.can_accept(&sequencer)?;
            if !sequencer.is_restored {
                return Err(unavailable(WatchState::Starting, None));
            }
            self.inner.append_control(&mut sequencer, control, Some(reply))?;
            for next in followed_by {
                self.inner.append_control(&mut sequencer, next, None)?;
            }
        }
        judged.await.map_err(|_| stopping())
    }

    /// Returns the number that the next event of a sender must have.
    pub fn next_number(&self, producer: &str) -> Option<u64> {
        lock(&self.inner.sequencer).producers.get(producer).copied()
    }
}

impl LiveInner {
    fn can_accept(&self, sequencer: &Sequencer) -> Result<(), SubmitError> {
        if !sequencer.is_open {
            return Err(stopping());
        }
        let (state, note) = lock(&self.shared.state).clone();
        match state {
            WatchState::Running => Ok(()),
            // The journal keeps them until the state is restored.
            WatchState::Starting if self.accepts_early => Ok(()),
            // A full disk may have space again: the next record tries.
            WatchState::Full if self.accepts_early || sequencer.is_restored => Ok(()),
            WatchState::Starting | WatchState::Full | WatchState::Failed | WatchState::Limited => {
                Err(unavailable(state, note))
            }
        }
    }

    /// Appends a record to the journal and to the evaluator's queue, in the same order for all callers.
    fn append(&self, sequencer: &mut Sequencer, queued: QueuedRecord) -> Result<u64, SubmitError> {
        let (kind, record) = (queued.kind, queued.record.clone());
        let is_restored = sequencer.is_restored;
        let pass_on = |sequence: u64| {
            if let Some((accepted_at, count)) = queued.accepted_at {
                lock(&self.shared.backlog).accept(sequence, u64::from(count), accepted_at);
            }
            if !is_restored {
                return sequence;
            }
            self.shared.queued.fetch_add(record.len(), Ordering::Relaxed);
            let _ = self.queue.send(WorkItem::Record(sequence, queued));
            sequence
        };
        let Some(journal) = &self.journal else {
            sequencer.last += 1;
            let sequence = pass_on(sequencer.last);
            self.shared.set_durable(sequence);
            return Ok(sequence);
        };
        match journal.append_then(kind, &record, pass_on) {
            Ok(sequence) => {
                let is_full = lock(&self.shared.state).0 == WatchState::Full;
                // A history that cannot be written ends its trouble itself.
                if is_full && !self.shared.is_history_full.load(Ordering::Relaxed) {
                    let state = if is_restored { WatchState::Running } else { WatchState::Starting };
                    self.shared.set_state(state, None);
                }
                Ok(sequence)
            }
            Err(error) if error.is(ErrorKind::TooLarge) => {
                Err(SubmitError::TooLarge { most: self.options.limits.batch_bytes })
            }
            Err(error) => {
                let state = if error.is(ErrorKind::Full) { WatchState::Full } else { WatchState::Failed };
                self.shared.set_state(state, Some(error.to_string()));
                Err(unavailable(state, Some(error.to_string())))
            }
        }
    }

    pub(crate) fn append_control(
        &self,
        sequencer: &mut Sequencer,
        control: &ControlRecord,
        reply: Option<oneshot::Sender<()>>,
    ) -> Result<u64, SubmitError> {
        let record = Arc::new(record::control(control));
        self.append(sequencer, QueuedRecord { kind: CONTROL, record, accepted_at: None, reply, permit: None })
    }
}

fn unavailable(state: WatchState, note: Option<String>) -> SubmitError {
    let detail = note.unwrap_or_else(|| match state {
        WatchState::Starting => "the watch is starting; try again in a moment".to_owned(),
        _ => "nothing can be accepted now".to_owned(),
    });
    SubmitError::Unavailable { state, detail }
}

pub(crate) fn stopping() -> SubmitError {
    unavailable(WatchState::Starting, Some("the watch is stopping".to_owned()))
}

/// Events in the encoding of the journal.
#[derive(Debug, Default)]
struct EncodedBatch {
    events: Vec<u8>,
    count: u32,
    /// True if the timestamps are date-times, as times of arrival are; `None` if they are not used.
    date_times: Option<bool>,
    /// The latest timestamp.
    latest: Option<i128>,
}

/// Parses and encodes a body. `known`: true if the timestamps of this watch are date-times, false if numbers.
fn read(
    body: impl Read + Send,
    format: BodyFormat,
    compiled: &CompiledSpec,
    source: TimeSource,
    known: Option<bool>,
    limit: usize,
) -> Result<EncodedBatch, SubmitError> {
    let setup = ReaderSetup {
        name: compiled.name.clone(),
        time_field: compiled.spec.time.field.clone(),
        clock: Clock::new(compiled.spec.time.unit),
        dates: compiled.dates.clone(),
        allows_untimed: true,
        ..ReaderSetup::everything()
    };
    let format = match format {
        BodyFormat::Ndjson => Format::Ndjson,
        BodyFormat::Xml => Format::Xml,
    };
    let reader = gnomon_trace::open(body, "body", Some(format), setup).map_err(|error| bad(&error))?;
    match reader {
        AnyReader::Ndjson(reader) => encode_read(reader, compiled, source, known, limit),
        other => encode_read(other, compiled, source, known, limit),
    }
}

fn encode_read(
    mut reader: impl Reader,
    compiled: &CompiledSpec,
    source: TimeSource,
    known: Option<bool>,
    limit: usize,
) -> Result<EncodedBatch, SubmitError> {
    let mut encoded = EncodedBatch::default();
    while let Some(origin) = reader.advance().map_err(|error| bad(&error))? {
        let kind = reader.time_kind();
        let line = reader.location().line;
        let is_timed = source != TimeSource::Arrival && kind != TimeKind::Position;
        // A time that is not used is a field; `null` is not a time.
        let is_field = source == TimeSource::Arrival && kind != TimeKind::Position;
        // The time of arrival is a date-time.
        let kind = if is_timed { kind } else { TimeKind::DateTime };
        if source != TimeSource::Arrival {
            check_kind(kind, known.or(encoded.date_times), line)?;
            encoded.date_times = Some(kind == TimeKind::DateTime);
        }
        if encoded.count == 0 {
            check_units(compiled, kind, origin.time, None).map_err(|error| InvalidEvent::unit(&error.to_string()))?;
        }
        let time = if is_timed { origin.time.ticks() } else { STAMPED };
        encoded.latest = encoded.latest.max(is_timed.then_some(time));
        let entries = reader.entries();
        let fields = entries.iter().filter(|entry| !entry.is_time || is_field);
        let name = reader.symbols().name_text(origin.event);
        encode(&mut encoded.events, name, time, fields.map(|entry| (&*entry.key, &entry.value)));
        encoded.count += 1;
        if encoded.events.len() > limit {
            return Err(SubmitError::TooLarge { most: limit });
        }
    }
    Ok(encoded)
}

/// Encodes events that were created in this process.
fn encode_new(events: &[NewEvent], source: TimeSource, known: Option<bool>) -> Result<EncodedBatch, SubmitError> {
    let mut encoded = EncodedBatch::default();
    for (line, event) in (1..).zip(events) {
        if source != TimeSource::Arrival {
            check_kind(TimeKind::DateTime, known, line)?;
            encoded.date_times = Some(true);
        }
        let time = event.time.filter(|_| source != TimeSource::Arrival);
        encoded.latest = encoded.latest.max(time);
        let time = time.unwrap_or(STAMPED);
        let fields = event.fields.iter().map(|(key, value)| (key.as_str(), value));
        encode(&mut encoded.events, &event.name, time, fields);
        encoded.count += 1;
    }
    Ok(encoded)
}

/// Fails if numbers and date-times are mixed.
fn check_kind(kind: TimeKind, date_times: Option<bool>, line: u64) -> Result<(), SubmitError> {
    let is_date_time = kind == TimeKind::DateTime;
    match date_times {
        Some(known) if known != is_date_time => Err(InvalidEvent::kind(known, line)),
        _ => Ok(()),
    }
}

fn bad(error: &gnomon_trace::TraceError) -> SubmitError {
    SubmitError::Bad(InvalidEvent {
        line: error.line(),
        column: error.column(),
        code: error.code(),
        message: error.message().to_owned(),
        help: error.help().map(str::to_owned),
    })
}
