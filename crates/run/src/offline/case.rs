// SPDX-License-Identifier: MIT OR Apache-2.0
//! One monitor that is watched while it runs: what it has found, and what of that was told.

use std::collections::BTreeSet;
use std::sync::Arc;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::{End, Outcome, Violation};
use gnomon_engine::Monitor;

/// A whole trace, or one case of it.
pub(super) struct Case {
    pub(super) label: Option<Arc<str>>,
    pub(super) monitor: Monitor,
    /// Whether it has events at the present time.
    pub(super) is_open: bool,
    /// For each property, how many violations were taken note of.
    known: Vec<u64>,
    /// For each property, whether the monitor may be holding one back.
    held_back: Vec<bool>,
    told: BTreeSet<Told>,
}

/// A violation that was told: its property, the part that failed, its first position, its binding.
type Told = (usize, Span, u64, String);

fn told(property: usize, violation: &Violation) -> Told {
    (property, violation.failed, violation.at.position, violation.binding.to_string())
}

impl Case {
    pub(super) fn new(label: Option<Arc<str>>, monitor: Monitor, properties: usize) -> Self {
        Case {
            label,
            monitor,
            is_open: false,
            known: vec![0; properties],
            held_back: vec![false; properties],
            told: BTreeSet::new(),
        }
    }

    /// Ends the position of the events at `now`. Deadlines after `now` stay open.
    pub(super) fn close(&mut self, now: Timestamp) {
        self.is_open = false;
        self.monitor.advance(now.saturating_add(Duration::from_ticks(1)));
    }

    /// Whether a property was violated since the last time it was asked about.
    #[inline]
    pub(super) fn notes(&mut self, property: usize) -> bool {
        let violated = self.monitor.violated(property);
        std::mem::replace(&mut self.known[property], violated) != violated
    }

    /// The violations of a property that can be told now. `fresh`: some were found just now; `moved`: at a new position,
    /// so that what the monitor held back before cannot grow any more.
    pub(super) fn news(&mut self, property: usize, fresh: bool, moved: bool) -> &[Violation] {
        let held_back = &mut self.held_back[property];
        let ripe = *held_back && moved;
        if !fresh && !ripe {
            return &[];
        }
        *held_back = fresh;
        let news = self.monitor.news(property);
        self.told.extend(news.iter().map(|violation| told(property, violation)));
        news
    }

    /// The finished monitor's outcomes, and a record of what was told before them.
    pub(super) fn finish(self, end: End) -> (Vec<Outcome>, Record) {
        (self.monitor.finish(end), Record { told: self.told })
    }
}

/// What was told of a case. It is in the outcome as it was told.
pub(super) struct Record {
    told: BTreeSet<Told>,
}

impl Record {
    /// Whether a violation was told.
    pub(super) fn has(&self, property: usize, violation: &Violation) -> bool {
        self.told.contains(&told(property, violation))
    }
}
