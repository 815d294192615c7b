// SPDX-License-Identifier: MIT OR Apache-2.0
//! Payloads of the journal's records: batches of events and control records. All state of a watch follows from them.

use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::Value;
use serde::{Deserialize, Serialize};

use crate::evaluator::Settings;
use crate::event::{EventView, STAMPED};
use crate::options::TimeSource;

/// Kinds of records.
pub(crate) const EVENTS: u8 = 1;
pub(crate) const CONTROL: u8 = 2;

gnomon_core::words! {
    /// Interface that received events.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
    pub enum Origin as word {
        /// `POST /api/v1/events`.
        Http = "http",
        /// The TCP port.
        Tcp = "tcp",
        /// OpenTelemetry.
        Otlp = "otlp",
        /// A message through the proxy.
        Proxy = "proxy",
        /// The watch itself.
        Own = "own",
    }
}

/// Sender and first number of events that the sender numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Numbering {
    /// Name of the sender.
    pub producer: String,
    /// Number of the first event.
    pub first: u64,
}

/// Header of a batch of events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct BatchHeader {
    /// Arrival in nanoseconds since 1970. The n-th event of the batch without a timestamp gets `arrival + n`, so
    /// arrival timestamps are unique.
    pub(crate) arrival: i128,
    pub(crate) origin: Origin,
    pub(crate) numbering: Option<Numbering>,
    pub(crate) count: u32,
    /// True if the timestamps are date-times; `None`: no event has one.
    pub(crate) date_times: Option<bool>,
}

impl BatchHeader {
    /// Returns true if timestamps are date-times, false if they are numbers. Batches without timestamps have times of arrival; version
    /// 0.1.0 wrote them without the flag.
    pub(crate) fn kind_of_times(&self, source: TimeSource) -> Option<bool> {
        self.date_times.or((source != TimeSource::Arrival).then_some(true))
    }
}

/// A record other than a batch of events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum ControlRecord {
    /// First record of every journal: the settings and the first spec.
    Begin { settings: Settings, name: String, text: String },
    /// Advances event time: no earlier event will be evaluated. `settles`: a deadline may have passed.
    Tick { to: i128, settles: bool, arrival: i128 },
    /// Replaces the spec.
    Spec { name: String, text: String },
    /// Unblocks a session.
    Release { id: u64 },
    /// Value of an external variable, or the reason why reading it failed.
    Read { variable: String, result: Result<Value<'static>, String> },
    /// Policy of the following records.
    Policy(Policy),
    /// Silence after which a case is over in the following records, unless the spec declares it.
    CaseExpiry(Option<Duration>),
    /// Ends these open cases as inconclusive: there are too many.
    EvictCases { cases: Vec<String>, arrival: i128 },
}

/// Rules that may change from one start to the next. Each change is a record, because the meaning of the records behind it depends on
/// it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Policy {
    /// Maximum time by which a date-time may be ahead of its arrival; `None`: any.
    pub(crate) max_ahead: Option<Duration>,
    /// Maximum delay of an event; `None`: [`DEFAULT_LATENESS`] for date-times, otherwise none.
    pub(crate) lateness: Option<Duration>,
    /// Maximum size of the records whose events wait for earlier ones; `None`: any.
    pub(crate) waiting_bytes: Option<usize>,
}

/// Delay within which events with date-times are put in order by default.
const DEFAULT_LATENESS: Duration = Duration::from_ticks(250_000_000);

impl Policy {
    /// Returns the policy of a journal before its first such record. Version 0.1.0 wrote none.
    pub(crate) fn initial(settings: &Settings) -> Self {
        Policy { lateness: Some(settings.lateness), ..Policy::default() }
    }

    /// Returns the delay within which events are put in order. `has_timestamps`: an event had a date-time of its own.
    pub(crate) fn lateness(&self, source: TimeSource, has_timestamps: bool) -> Duration {
        let is_default = source == TimeSource::Event && has_timestamps;
        self.lateness.unwrap_or(if is_default { DEFAULT_LATENESS } else { Duration::ZERO })
    }

    /// Returns the latest timestamp that an event of this batch may have; `None`: any.
    pub(crate) fn latest_allowed(&self, source: TimeSource, header: &BatchHeader) -> Option<Timestamp> {
        let has_limit = source == TimeSource::Event && header.date_times == Some(true);
        self.max_ahead.filter(|_| has_limit).map(|ahead| Timestamp::from_ticks(header.arrival).saturating_add(ahead))
    }
}

/// Encodes a batch.
pub(crate) fn batch(header: &BatchHeader, events: &[u8]) -> Vec<u8> {
    let bytes = Vec::with_capacity(events.len() + 64);
    let mut bytes = postcard::to_extend(header, bytes).expect("a header is written into memory");
    bytes.extend_from_slice(events);
    bytes
}

/// Decodes the header of a batch. Returns it with the offset of the first event.
pub(crate) fn open_batch(record: &[u8]) -> Option<(BatchHeader, usize)> {
    let (header, rest) = postcard::take_from_bytes(record).ok()?;
    Some((header, record.len() - rest.len()))
}

pub(crate) fn control(control: &ControlRecord) -> Vec<u8> {
    postcard::to_stdvec(control).expect("a record is written into memory")
}

/// Skips the first `count` events.
pub(crate) fn without_first(mut events: &[u8], count: u64) -> &[u8] {
    for _ in 0..count {
        match EventView::length(events) {
            Some(length) => events = &events[length..],
            None => break,
        }
    }
    events
}

/// Returns true if an event has a timestamp, not after `latest`.
pub(crate) fn has_timestamps(mut events: &[u8], latest: Option<Timestamp>) -> bool {
    while let Some((view, length)) = EventView::read(events) {
        if view.time != STAMPED && latest.is_none_or(|latest| view.time <= latest.ticks()) {
            return true;
        }
        events = &events[length..];
    }
    false
}

/// Returns the number of events with a timestamp after `latest`.
pub(crate) fn count_after(mut events: &[u8], latest: Timestamp) -> u64 {
    let mut count = 0;
    while let Some((view, length)) = EventView::read(events) {
        count += u64::from(view.time != STAMPED && view.time > latest.ticks());
        events = &events[length..];
    }
    count
}
