// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the journal's records say. State follows from them and from nothing else.

use gnomon_core::value::Value;
use serde::{Deserialize, Serialize};

use crate::event::Seen;
use crate::judge::Settings;

/// The kinds of records.
pub(crate) const EVENTS: u8 = 1;
pub(crate) const CONTROL: u8 = 2;

/// Where events came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// `POST /api/v1/events`
    Http,
    /// The TCP port.
    Tcp,
    /// OpenTelemetry.
    Otlp,
    /// A message that went through the proxy.
    Proxy,
    /// The watch itself.
    Own,
}

impl Origin {
    /// Every one.
    pub const ALL: [Origin; 5] = [Origin::Http, Origin::Tcp, Origin::Otlp, Origin::Proxy, Origin::Own];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Origin::Http => "http",
            Origin::Tcp => "tcp",
            Origin::Otlp => "otlp",
            Origin::Proxy => "proxy",
            Origin::Own => "own",
        }
    }
}

/// Events that are numbered by whoever sends them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Numbering {
    /// The sender's name.
    pub producer: String,
    /// The number of the first event.
    pub first: u64,
}

/// What is said of a batch of events, in front of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct BatchHeader {
    /// When they came in, in nanoseconds since 1970. An event without a time has this one, and each its place in the
    /// batch more, so that no two are the same.
    pub(crate) arrival: i128,
    pub(crate) origin: Origin,
    pub(crate) numbering: Option<Numbering>,
    pub(crate) count: u32,
    /// Whether the times are date-times; `None`: no event has one.
    pub(crate) date_times: Option<bool>,
}

/// Everything that is not events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum Control {
    /// The first record of every journal: how the others are read, and the first spec.
    Begin { settings: Settings, name: String, text: String },
    /// Nothing earlier than this time will be judged. `settles`: a deadline may have passed by it.
    Tick { to: i128, settles: bool, arrival: i128 },
    /// Goes on with this spec.
    Spec { name: String, text: String },
    /// A session may go on.
    Release { id: u64 },
    /// An external variable was read, or why it could not be.
    Read { variable: String, result: Result<Value<'static>, String> },
}

/// A batch as a record.
pub(crate) fn batch(header: &BatchHeader, events: &[u8]) -> Vec<u8> {
    let bytes = Vec::with_capacity(events.len() + 64);
    let mut bytes = postcard::to_extend(header, bytes).expect("a header is written into memory");
    bytes.extend_from_slice(events);
    bytes
}

/// The header of a batch, and where its events begin.
pub(crate) fn open_batch(record: &[u8]) -> Option<(BatchHeader, usize)> {
    let (header, rest) = postcard::take_from_bytes(record).ok()?;
    Some((header, record.len() - rest.len()))
}

pub(crate) fn control(control: &Control) -> Vec<u8> {
    postcard::to_stdvec(control).expect("a record is written into memory")
}

/// The events that are left if so many at the start are left out.
pub(crate) fn without_first(mut events: &[u8], count: u64) -> &[u8] {
    for _ in 0..count {
        match Seen::length(events) {
            Some(length) => events = &events[length..],
            None => break,
        }
    }
    events
}
