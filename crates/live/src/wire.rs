// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told of a watch, as the API has it (`docs/contracts/api.md`). Parts that keep all digits are JSON already.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// JSON that was written with all its digits.
pub type Json = Box<RawValue>;

/// What a watch can do at present.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It takes its state from the store.
    #[default]
    Starting,
    /// It judges.
    Running,
    /// There is no room on the disk: events are refused until there is.
    Full,
    /// The store failed: nothing is accepted.
    Failed,
    /// A limit is reached: events are refused.
    Limited,
}

/// The answer of `GET /api/v1/status`.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The version of the program.
    pub gnomon: &'static str,
    /// What it can do.
    pub state: State,
    /// Why, where that is not plain.
    pub note: Option<String>,
    /// When it was started.
    pub since: i64,
    /// The spec.
    pub spec: SpecStatus,
    /// How time is told.
    pub time: TimeStatus,
    /// The events.
    pub events: EventCounts,
    /// The cases, with `--by`.
    pub cases: Option<CaseCounts>,
    /// How many violations were found.
    pub violations: u64,
    /// How many sessions are blocked.
    pub blocked: usize,
    /// How many bindings have a state.
    pub bindings: usize,
    /// The store, if there is one.
    pub store: Option<StoreStatus>,
    /// The last events that came too late.
    pub late: Vec<LateRow>,
}

/// The spec of a watch.
#[derive(Clone, Debug, Serialize)]
pub struct SpecStatus {
    /// Its name.
    pub name: String,
    /// How often it was replaced, plus one.
    pub revision: u64,
    /// How many properties it has.
    pub properties: usize,
}

/// How a watch tells the time.
#[derive(Clone, Debug, Serialize)]
pub struct TimeStatus {
    /// `event`, `arrival` or `replay`.
    pub source: &'static str,
    /// `number`, `datetime`, or null before the first event.
    pub kind: Option<&'static str>,
    /// What one unit is, if known.
    pub unit: Option<String>,
    /// How late an event may come.
    pub lateness: String,
    /// Where the clock of the events stands.
    pub now: Option<Json>,
    /// The time of the first event.
    pub first: Option<Json>,
    /// The time of the last one judged.
    pub last: Option<Json>,
}

/// What became of the events.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EventCounts {
    /// Those that were taken in.
    pub accepted: u64,
    /// Those that were judged.
    pub judged: u64,
    /// Those that wait for others that may come before them.
    pub waiting: u64,
    /// Those that came too late.
    pub late: u64,
    /// Those that were sent again.
    pub duplicates: u64,
    /// Those that were refused.
    pub refused: u64,
    /// How many a second were judged lately.
    pub per_second: f64,
}

/// What became of the cases.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CaseCounts {
    /// The field whose values they are.
    pub field: String,
    /// How many there are.
    pub total: u64,
    /// How many of them something is pending in.
    pub open: u64,
    /// How many violate some property.
    pub violating: u64,
    /// How many events belong to none.
    pub events_without: u64,
}

/// What the store holds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StoreStatus {
    /// Its folder.
    pub path: String,
    /// How long the journal is.
    pub journal_bytes: u64,
    /// The last record that is on disk for good.
    pub durable: u64,
    /// The last record.
    pub last: u64,
    /// The record that the newest snapshot stands at.
    pub snapshot: u64,
}

/// An event that came too late.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LateRow {
    /// Its name.
    pub event: String,
    /// Its time.
    pub time: Json,
    /// By how much.
    pub behind: String,
}

/// One property of `GET /api/v1/properties`. What the history and the mutes add is the server's.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyRow {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Its language.
    pub language: &'static str,
    /// Its importance.
    pub severity: Option<&'static str>,
    /// Whether a violation stops its session.
    pub critical: bool,
    /// The text of it in the spec.
    pub text: String,
    /// Where that begins.
    pub line: usize,
    /// The verdict so far.
    pub verdict: &'static str,
    /// What it would be if nothing more came.
    pub presumably: Option<bool>,
    /// How many positions it saw.
    pub positions: u64,
    /// Exact counts.
    pub activated: u64,
    /// Likewise.
    pub satisfied: u64,
    /// Likewise.
    pub violated: u64,
    /// Likewise.
    pub pending: u64,
    /// Whether it was ever activated.
    pub exercised: bool,
    /// Percent of what was decided that was violated.
    pub failure: Option<f64>,
    /// `{"min", "max", "mean"}` or null.
    pub duration: Json,
    /// How many cases violate it.
    pub violating_cases: Option<u64>,
    /// What a reader should know of how it is judged.
    pub note: Option<String>,
}

/// A violation that was found.
#[derive(Clone, Debug, Serialize)]
pub struct ViolationRow {
    /// Its number: the first is 1.
    pub number: u64,
    /// The property.
    pub property: String,
    /// Its title.
    pub title: Option<String>,
    /// Its importance.
    pub severity: Option<&'static str>,
    /// Whether it stops its session.
    pub critical: bool,
    /// In which case.
    pub case: Option<String>,
    /// The same for repeated violations.
    pub group: String,
    /// When it was found.
    pub noted_at: i64,
    /// The rest, as in reports: `at`, `decided`, `binding`, ….
    #[serde(flatten)]
    pub details: Details,
}

/// The fields of a violation in reports.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Details {
    /// Where the property is broken.
    pub at: Json,
    /// The last of several consecutive positions.
    pub until_position: Option<u64>,
    /// When that became certain.
    pub decided: Json,
    /// For which values of its variables.
    pub binding: Json,
    /// The part that failed.
    pub failed: String,
    /// The events that explain it.
    pub because: Json,
    /// One sentence.
    pub summary: String,
}

/// An event that was judged.
#[derive(Clone, Debug, Serialize)]
pub struct EventRow {
    /// Its place.
    pub event_index: u64,
    /// Its time.
    pub time: Json,
    /// Its name.
    pub event: String,
    /// Its fields.
    pub fields: Json,
    /// Whether it decided no violation.
    pub verdict: bool,
    /// The properties that it showed to be violated.
    pub violated: Vec<String>,
    /// The case it belongs to.
    pub case: Option<String>,
    /// When it was judged.
    pub noted_at: i64,
}

/// A session that a critical violation stopped.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Its number.
    pub id: u64,
    /// The property.
    pub property: String,
    /// The value of the session's key; null: everything is stopped.
    pub key: Option<String>,
    /// The violation.
    pub number: u64,
    /// Since when.
    pub since: i64,
}

/// What is told at once.
#[derive(Clone, Debug)]
pub enum Told {
    /// A violation, on disk for good.
    Violation(std::sync::Arc<ViolationRow>),
    /// Events that were judged; `skipped` were not told.
    Events {
        /// Some of the last ones.
        rows: std::sync::Arc<Vec<EventRow>>,
        /// How many others there were.
        skipped: u64,
    },
    /// Something about the state or the counts changed: ask for them.
    Changed,
}

/// What replacing the spec did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Replaced {
    /// How often it was replaced, plus one.
    pub revision: u64,
    /// Properties that keep their state.
    pub kept: Vec<String>,
    /// Properties that begin anew.
    pub begun: Vec<String>,
    /// Properties that are no more.
    pub ended: Vec<String>,
}
