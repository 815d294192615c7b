// SPDX-License-Identifier: MIT OR Apache-2.0
//! Types of the API (`docs/contracts/api.md`): what `gnomon-server` sends and accepts as JSON.
//!
//! INVARIANT: names of fields are a contract; fields may be added, but not renamed. Values that must keep all digits, such as times and
//! amounts, are JSON text that the report renders ([`RawJson`]): a number of `serde_json` would be a float. `ui/src/lib/types.ts` has
//! the same types for the dashboard.

use gnomon_ir::spec::Property;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// JSON text that keeps all digits of numbers.
pub type RawJson = Box<RawValue>;

/// Condition of a watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchState {
    /// Restoring its state.
    #[default]
    Starting,
    /// Accepting and evaluating events.
    Running,
    /// The disk is full: events are refused until there is space.
    Full,
    /// The store failed: nothing is accepted.
    Failed,
    /// A limit is exceeded: events are refused.
    Limited,
}

/// The response of `GET /api/v1/status`.
#[derive(Clone, Debug, Serialize)]
pub struct WatchStatus {
    /// Version of the program.
    pub gnomon: &'static str,
    /// Condition of the watch.
    pub state: WatchState,
    /// Reason for the condition, if it is not obvious.
    pub note: Option<String>,
    /// Start of the watch, in milliseconds since 1970.
    pub since: i64,
    /// The spec.
    pub spec: SpecStatus,
    /// Timestamps and event time.
    pub time: TimeStatus,
    /// Counts of events.
    pub events: EventCounts,
    /// Counts of cases, with `--by`.
    pub cases: Option<CaseCounts>,
    /// Number of violations.
    pub violations: u64,
    /// Number of blocked sessions.
    pub blocked: usize,
    /// Number of bindings with a state.
    pub bindings: usize,
    /// The store, if there is one.
    pub store: Option<StoreStatus>,
    /// The last late events.
    pub late: Vec<LateRow>,
    /// The last events from the future.
    pub ahead: Vec<AheadRow>,
    /// Sentences about what an operator should look at.
    pub warnings: Vec<String>,
}

/// The spec of a watch.
#[derive(Clone, Debug, Serialize)]
pub struct SpecStatus {
    /// Name of the file.
    pub name: String,
    /// Number of replacements, plus one.
    pub revision: u64,
    /// Number of properties.
    pub properties: usize,
}

/// Timestamps and event time of a watch.
#[derive(Clone, Debug, Serialize)]
pub struct TimeStatus {
    /// `event`, `arrival` or `replay`.
    pub source: &'static str,
    /// `number`, `datetime`, or null before the first event.
    pub kind: Option<&'static str>,
    /// Unit of numbers, if known.
    pub unit: Option<String>,
    /// Maximum delay of an event.
    pub lateness: String,
    /// Event time.
    pub now: Option<RawJson>,
    /// Timestamp of the first event.
    pub first: Option<RawJson>,
    /// Timestamp of the last evaluated event.
    pub last: Option<RawJson>,
}

/// Counts of events.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EventCounts {
    /// Accepted events.
    pub accepted: u64,
    /// Accepted events whose records are durable; only these are acknowledged.
    pub journaled: u64,
    /// Accepted events that the evaluation has not reached yet.
    pub backlog: u64,
    /// Time since the oldest of them was accepted, in seconds.
    pub backlog_seconds: f64,
    /// Evaluated events.
    pub judged: u64,
    /// Events that wait for earlier ones.
    pub waiting: u64,
    /// Events that arrived too late.
    pub late: u64,
    /// Events that were refused because their timestamps are in the future.
    pub ahead: u64,
    /// Events that were sent again.
    pub duplicates: u64,
    /// Refused batches.
    pub refused: u64,
    /// Recent rate of evaluation.
    pub per_second: f64,
}

/// Counts of cases.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CaseCounts {
    /// Field whose values identify the cases.
    pub field: String,
    /// Number of cases, those included that are over.
    pub total: u64,
    /// Number of cases with pending obligations.
    pub open: u64,
    /// Number of cases that violate a property.
    pub violating: u64,
    /// Number of events without a case.
    pub events_without: u64,
    /// Number of cases that are not over.
    pub live: u64,
    /// Number of cases that an event of the spec ended.
    pub ended: u64,
    /// Number of cases that were silent for too long.
    pub expired: u64,
    /// Number of cases that were closed at a limit, as inconclusive.
    pub evicted: u64,
}

/// The store on disk.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StoreStatus {
    /// Folder of the store.
    pub path: String,
    /// Size of the journal.
    pub journal_bytes: u64,
    /// Sequence number of the last durable record.
    pub durable: u64,
    /// Sequence number of the last record.
    pub last: u64,
    /// Sequence number of the newest snapshot.
    pub snapshot: u64,
}

/// An event that arrived too late.
#[derive(Clone, Debug, Serialize)]
pub struct LateRow {
    /// Name of the event.
    pub event: String,
    /// Timestamp of the event.
    pub time: RawJson,
    /// Delay of the event.
    pub behind: String,
}

/// An event whose timestamp is too far in the future.
#[derive(Clone, Debug, Serialize)]
pub struct AheadRow {
    /// Name of the event.
    pub event: String,
    /// Timestamp of the event.
    pub time: RawJson,
    /// Time by which it is ahead of its arrival.
    pub ahead: String,
}

/// One property of `GET /api/v1/properties`. The server adds what the history and the mutes know.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyRow {
    /// Name of the property.
    pub name: String,
    /// Title of the property.
    pub title: Option<String>,
    /// Language of the property.
    pub language: &'static str,
    /// Severity of the property.
    pub severity: Option<&'static str>,
    /// True if a violation blocks its session.
    pub critical: bool,
    /// Text in the spec.
    pub text: String,
    /// Line of that text.
    pub line: usize,
    /// Verdict so far.
    pub verdict: &'static str,
    /// Verdict if nothing more happened.
    pub presumably: Option<bool>,
    /// Number of positions evaluated.
    pub positions: u64,
    /// Number of activations.
    pub activated: u64,
    /// Number of satisfied activations.
    pub satisfied: u64,
    /// Number of violated activations.
    pub violated: u64,
    /// Number of pending activations.
    pub pending: u64,
    /// True if it was ever activated.
    pub exercised: bool,
    /// Percentage of activations that were violated.
    pub failure: Option<f64>,
    /// `{"min", "max", "mean"}` or null.
    pub duration: RawJson,
    /// Number of cases that violate it.
    pub violating_cases: Option<u64>,
    /// A remark on its evaluation.
    pub note: Option<String>,
}

/// A violation.
#[derive(Clone, Debug, Serialize)]
pub struct ViolationRow {
    /// Identification.
    #[serde(flatten)]
    pub head: ViolationHead,
    /// The fields of reports: `at`, `decided`, `binding`, ….
    #[serde(flatten)]
    pub details: ViolationDetails,
}

/// Identification of a violation.
#[derive(Clone, Debug, Serialize)]
pub struct ViolationHead {
    /// Number of the violation; the first is 1.
    pub number: u64,
    /// Name of the property.
    pub property: String,
    /// Title of the property.
    pub title: Option<String>,
    /// Severity of the property.
    pub severity: Option<String>,
    /// True if it blocks its session.
    pub critical: bool,
    /// Case of the violation.
    pub case: Option<String>,
    /// Group of repeated violations.
    pub group: String,
    /// Time of detection, in milliseconds since 1970.
    pub noted_at: i64,
}

impl ViolationHead {
    /// Identifies a stored violation; `property` is the property with its name in the current spec.
    pub fn new(row: &gnomon_store::history::ViolationRow, property: Option<&Property>) -> Self {
        ViolationHead {
            number: row.number,
            property: row.property.clone(),
            title: property.and_then(|property| property.title.clone()),
            severity: row.severity.clone(),
            critical: property.is_some_and(|property| property.options.critical),
            case: row.case.clone(),
            group: row.group.clone(),
            noted_at: row.noted_at,
        }
    }
}

/// The fields of a violation in reports.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ViolationDetails {
    /// Position at which the property is violated.
    pub at: RawJson,
    /// Last of several consecutive positions.
    pub until_position: Option<u64>,
    /// Event or deadline that made the violation certain.
    pub decided: RawJson,
    /// Values of the variables.
    pub binding: RawJson,
    /// The part of the property that failed.
    pub failed: String,
    /// Events that explain it.
    pub because: RawJson,
    /// One sentence.
    pub summary: String,
}

/// An evaluated event.
#[derive(Clone, Debug, Serialize)]
pub struct EventRow {
    /// Index of the event.
    pub event_index: u64,
    /// Timestamp of the event.
    pub time: RawJson,
    /// Name of the event.
    pub event: String,
    /// Fields of the event.
    pub fields: RawJson,
    /// True if it revealed no violation.
    pub verdict: bool,
    /// Properties whose violation it revealed.
    pub violated: Vec<String>,
    /// Case of the event.
    pub case: Option<String>,
    /// Time of evaluation, in milliseconds since 1970.
    pub noted_at: i64,
}

/// A session blocked by a critical violation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Number of the block.
    pub id: u64,
    /// Name of the property.
    pub property: String,
    /// Key of the session; null: everything is blocked.
    pub key: Option<String>,
    /// Number of the violation.
    pub number: u64,
    /// Start of the block, in milliseconds since 1970.
    pub since: i64,
}

/// A notification for subscribers.
#[derive(Clone, Debug)]
pub enum Notification {
    /// A violation whose record is durable.
    Violation(std::sync::Arc<ViolationRow>),
    /// Recently evaluated events.
    Events {
        /// Some of the newest events.
        rows: std::sync::Arc<Vec<EventRow>>,
        /// Number of events left out.
        skipped: u64,
    },
    /// The state or the counts changed; query them.
    Changed,
}

/// Effect of replacing the spec.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SpecReplacement {
    /// Number of replacements, plus one.
    pub revision: u64,
    /// Properties that keep their state.
    pub kept: Vec<String>,
    /// Properties that begin anew.
    pub begun: Vec<String>,
    /// Properties that were removed.
    pub ended: Vec<String>,
}
