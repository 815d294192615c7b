// SPDX-License-Identifier: MIT OR Apache-2.0
//! One monitor that is watched while it runs: what it has found, and what of that was told.

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
    told: Vec<Told>,
}

/// Positions at which a violation was told.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    property: usize,
    failed: Span,
    first: u64,
    last: u64,
}

impl Case {
    pub(super) fn new(label: Option<Arc<str>>, monitor: Monitor, properties: usize) -> Self {
        Case {
            label,
            monitor,
            is_open: false,
            known: vec![0; properties],
            held_back: vec![false; properties],
            told: Vec::new(),
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
        self.told.extend(news.iter().map(|violation| Told {
            property,
            failed: violation.failed,
            first: violation.at.position,
            last: last_position(violation),
        }));
        news
    }

    /// The finished monitor's outcomes, and a record of what was told before them.
    pub(super) fn finish(self, end: End) -> (Vec<Outcome>, Record) {
        (self.monitor.finish(end), Record::new(self.told))
    }
}

/// What was told of a case: ranges of positions, in order and apart from each other.
pub(super) struct Record {
    told: Vec<Told>,
}

impl Record {
    fn new(mut told: Vec<Told>) -> Self {
        told.sort_unstable();
        told.dedup_by(|later, earlier| {
            let joined =
                (earlier.property, earlier.failed) == (later.property, later.failed) && later.first <= earlier.last + 1;
            if joined {
                earlier.last = earlier.last.max(later.last);
            }
            joined
        });
        Record { told }
    }

    /// Whether every position of a violation was told of. In the end, violations found apart may have grown together.
    pub(super) fn has(&self, property: usize, violation: &Violation) -> bool {
        let wanted = (property, violation.failed, violation.at.position);
        let after = self.told.partition_point(|told| (told.property, told.failed, told.first) <= wanted);
        self.told[..after].last().is_some_and(|told| {
            (told.property, told.failed) == (property, violation.failed) && told.last >= last_position(violation)
        })
    }
}

fn last_position(violation: &Violation) -> u64 {
    violation.until_position.unwrap_or(violation.at.position)
}
