// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts and the violations that explain them.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Span;
use crate::symbols::Name;
use crate::time::{Duration, Timestamp};
use crate::value::Value;

/// What is known of a property.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// It is true.
    Holds,
    /// It is false.
    Violated,
    /// The trace so far does not tell.
    Inconclusive,
}

impl Verdict {
    /// The word used in reports and in `expect` lines.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How a trace ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum End {
    /// Nothing comes after it.
    Complete,
    /// It is the beginning of a longer one.
    Prefix,
}

/// How events with equal times become positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Simultaneous {
    /// They form one position.
    Merge,
    /// Each is a position of its own.
    Sequence,
}

/// An event that a verdict speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Its place in the trace, from 0.
    pub event_index: u64,
    /// When it happened.
    pub time: Timestamp,
    /// Its name.
    pub event: Name,
}

/// A position of a property, named by one of its events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct At {
    /// The property's own count of positions, from 0.
    pub position: u64,
    /// The event that stands for the position.
    pub origin: Origin,
}

/// When a violation became certain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Decided {
    /// At this event.
    Event(Origin),
    /// When this time had passed: no event is to blame.
    Deadline(Timestamp),
    /// When the trace ended, its last event being at this time.
    End(Timestamp),
}

impl Decided {
    /// The time of it.
    pub fn time(self) -> Timestamp {
        match self {
            Decided::Event(origin) => origin.time,
            Decided::Deadline(time) | Decided::End(time) => time,
        }
    }
}

/// One event of the story behind a violation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Because {
    /// The event.
    pub origin: Origin,
    /// What it did.
    pub note: String,
}

/// Values of variables, in the order in which the property quantifies over them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Binding {
    /// Each variable's name and value.
    pub values: Vec<(String, Value<'static>)>,
}

impl Binding {
    /// Whether it binds nothing.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The order of reports: value by value, then whoever binds less, then by the names of the variables.
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
    /// Where.
    pub at: At,
    /// The last of several consecutive positions that are broken alike.
    pub until_position: Option<u64>,
    /// When it became certain (for a range: of its first position).
    pub decided: Decided,
    /// For which values of the quantified variables; empty where there are none, or where all of them are to blame.
    pub binding: Binding,
    /// The part of the property that failed, in the spec's text.
    pub failed: Span,
    /// In one sentence, what went wrong.
    pub summary: String,
    /// The events that explain it, in the order of the trace.
    pub because: Vec<Because>,
}

/// From activation to satisfaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Durations {
    /// The shortest.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
    /// The sum over all, in ticks.
    pub sum: i128,
    /// How many.
    pub count: u64,
}

/// All that is known of one property over one trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Where it is inconclusive: what it would be if the trace ended here.
    pub presumably: Option<bool>,
    /// Positions seen.
    pub positions: u64,
    /// How often the property asked for something.
    pub activated: u64,
    /// How often it got it.
    pub satisfied: u64,
    /// How often it did not.
    pub violated: u64,
    /// How often that is still open.
    pub pending: u64,
    /// From activation to satisfaction; `None` when nothing was satisfied.
    pub durations: Option<Durations>,
    /// The first violations, as many as were asked for.
    pub violations: Vec<Violation>,
    /// Whether some position merged events whose order or number the property could have seen.
    pub merged_simultaneous: bool,
}
