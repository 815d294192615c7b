// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts and the violations that explain them.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Span;
use crate::symbols::Name;
use crate::time::{Duration, Timestamp};
use crate::value::Value;

crate::words! {
    /// Verdict on a property.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum Verdict as word {
        /// The property is true.
        Holds = "holds",
        /// The property is false.
        Violated = "violated",
        /// The trace so far does not decide it.
        Inconclusive = "inconclusive",
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// End of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum End {
    /// Nothing comes after it.
    Complete,
    /// The trace is a prefix of a longer one.
    Prefix,
}

crate::words! {
    /// Treatment of events with equal times.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum Simultaneous as word {
        /// Events of one time form one position.
        Merge = "merge",
        /// Each event is a position of its own.
        Sequence = "sequence",
    }
}

/// An event that a verdict refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Its place in the trace, from 0.
    pub event_index: u64,
    /// Time of the event.
    pub time: Timestamp,
    /// Its name.
    pub event: Name,
}

impl Origin {
    /// Returns the key by which events are checked one after the other: the time, then the place in the trace. Reordered events are not in
    /// the order of their places.
    pub const fn order(&self) -> (Timestamp, u64) {
        (self.time, self.event_index)
    }
}

/// A position of a property, named by one of its events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct TracePosition {
    /// The property's own count of positions, from 0.
    pub position: u64,
    /// Event that names the position.
    pub origin: Origin,
}

/// Point at which a violation became certain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum DecisionPoint {
    /// An event.
    Event(Origin),
    /// The moment after a time passed: no event caused it.
    Deadline(Timestamp),
    /// The end of the trace; the time is that of its last event.
    End(Timestamp),
}

impl DecisionPoint {
    /// The time of it.
    pub fn time(self) -> Timestamp {
        match self {
            DecisionPoint::Event(origin) => origin.time,
            DecisionPoint::Deadline(time) | DecisionPoint::End(time) => time,
        }
    }
}

/// One event of the explanation of a violation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cause {
    /// The event.
    pub origin: Origin,
    /// Role of the event in the violation.
    pub note: String,
}

/// Values of variables, in the order in which the property quantifies over them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Binding {
    /// Each variable's name and value.
    pub values: Vec<(String, Value<'static>)>,
}

impl Binding {
    /// Returns true if no variable is bound.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The order of reports: value by value, then the one with fewer variables first, then by the names of the variables.
    pub fn compare(&self, other: &Binding) -> Ordering {
        let values = self.values.iter().zip(&other.values);
        let by_value = values.map(|((_, left), (_, right))| left.order(right)).find(|order| order.is_ne());
        let own = self.values.iter().map(|(name, _)| name);
        by_value
            .unwrap_or_else(|| self.values.len().cmp(&other.values.len()))
            .then_with(|| own.cmp(other.values.iter().map(|(name, _)| name)))
    }
}

impl fmt::Display for Binding {
    /// `c = 3, i = "x"`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name} = {value}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// One place where a property is broken.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// Position of the violation.
    pub at: TracePosition,
    /// The last of several consecutive positions that are broken alike.
    pub until_position: Option<u64>,
    /// Point at which the violation became certain; for a range, that of its first position.
    pub decided: DecisionPoint,
    /// Values of the quantified variables; empty where there are none, or where all values together violate the
    /// property.
    pub binding: Binding,
    /// The requirement that is broken, in the spec's text. Consecutive positions that break the same one are a range.
    pub part: Span,
    /// The part of it that failed, in the spec's text: of a range, at its first position.
    pub failed: Span,
    /// Explanation in one sentence.
    pub summary: String,
    /// The events that explain it, in the order of the trace.
    pub because: Vec<Cause>,
}

/// Durations from activation to satisfaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Durations {
    /// The shortest.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
    /// The sum over all, in ticks.
    pub sum: i128,
    /// Number of durations.
    pub count: u64,
}

/// All that is known of one property over one trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Verdict if the trace ended here; only where the verdict is inconclusive.
    pub presumably: Option<bool>,
    /// Positions seen.
    pub positions: u64,
    /// Number of obligations that the property raised.
    pub activated: u64,
    /// Number of satisfied obligations.
    pub satisfied: u64,
    /// Number of violated obligations.
    pub violated: u64,
    /// Number of violated obligations that only the end of the trace decides: without it they would be open.
    pub open_at_end: u64,
    /// Number of obligations that are still open.
    pub pending: u64,
    /// Durations from activation to satisfaction; `None` if nothing was satisfied.
    pub durations: Option<Durations>,
    /// The first violations, as many as were asked for.
    pub violations: Vec<Violation>,
    /// True if some position merged events whose order or number could have mattered to the property.
    pub merged_simultaneous: bool,
    /// An internal error that ended the evaluation of the property. Its verdict is inconclusive then, and its counts are 0.
    pub fault: Option<String>,
}
