// SPDX-License-Identifier: MIT OR Apache-2.0
//! The workloads: a property and the kind of trace it is judged on.

use std::fmt;
use std::str::FromStr;

/// A property with its kind of trace. One event a time unit, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Workload {
    /// Bounded response; two in 100,000 answers come too late.
    Response(Shape, u64),
    /// Precedence since the last time; two in 100,000 come without.
    Precedence,
    /// A count over the last 600 units: its limit, and the share of counted events in 100,000.
    Count { limit: u64, share: u64 },
    /// Something again and again, at most so far apart; two in 100,000 are too far.
    Recurrence(u64),
}

/// How requests come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// The next one after the answer to the last.
    OneByOne,
    /// At any time.
    Overlapping,
}

/// The window of [`Workload::Count`].
pub(crate) const WINDOW: u64 = 600;

impl Workload {
    /// Every workload, with its name.
    pub(crate) const ALL: [(&'static str, Workload); 10] = [
        ("W1", Workload::Response(Shape::OneByOne, 10)),
        ("W2", Workload::Precedence),
        ("W3", Workload::Count { limit: 3, share: 100 }),
        ("W3b", Workload::Count { limit: 150, share: 20_000 }),
        ("W6-response-10", Workload::Response(Shape::Overlapping, 10)),
        ("W6-response-100", Workload::Response(Shape::Overlapping, 100)),
        ("W6-response-1000", Workload::Response(Shape::Overlapping, 1000)),
        ("W6-recurrence-10", Workload::Recurrence(10)),
        ("W6-recurrence-100", Workload::Recurrence(100)),
        ("W6-recurrence-1000", Workload::Recurrence(1000)),
    ];

    /// The property, in SOLOIST.
    pub(crate) fn formula(self) -> String {
        match self {
            Workload::Response(Shape::OneByOne, bound) => format!("G(start -> F(0,{bound}] complete)"),
            Workload::Response(Shape::Overlapping, bound) => format!("G(req -> F(0,{bound}] ack)"),
            Workload::Precedence => "G(logon -> (!logon) S check)".to_owned(),
            Workload::Count { limit, .. } => format!("G(logoff -> C^{{{WINDOW}}}_{{<={limit}}}(withdraw))"),
            Workload::Recurrence(bound) => format!("G(F(0,{bound}] tick)"),
        }
    }

    /// The spec file.
    pub(crate) fn spec(self) -> String {
        format!("soloist bench {{\n  {}\n}}\n", self.formula())
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Workload::ALL.iter().find(|(_, workload)| workload == self).map_or("?", |(name, _)| name))
    }
}

impl FromStr for Workload {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Workload::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, workload)| *workload).ok_or_else(|| {
            let names: Vec<&str> = Workload::ALL.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is none of {}", names.join(", "))
        })
    }
}
