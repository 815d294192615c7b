// SPDX-License-Identifier: MIT OR Apache-2.0
//! One monitor that is watched while it runs: what it has found, and what of that was told.

use std::collections::BTreeSet;
use std::sync::Arc;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Binding, End, Outcome, Violation};
use gnomon_engine::{Monitor, Plan};

use super::frame::Bounds;

/// A whole trace, or one case of it.
pub(super) struct Case {
    pub(super) label: Option<Arc<str>>,
    pub(super) monitor: Box<Monitor>,
    /// Whether it has events at the present time.
    pub(super) is_open: bool,
    /// The time of its last event.
    pub(super) last: Option<Timestamp>,
    /// How many events it has.
    pub(super) events: u64,
    /// The number of its last event.
    pub(super) last_index: u64,
    /// How many violations of all properties together were taken note of.
    total: u64,
    /// For each property, how many violations were taken note of.
    known: Vec<u64>,
    /// For each property, whether the monitor may be holding one back.
    held_back: Vec<bool>,
    /// Of how many it may.
    holding: usize,
    told: BTreeSet<Told>,
}

/// A violation that was told: its property, the part that failed, its first position, its binding.
type Told = (usize, Span, u64, String);

fn told(property: usize, violation: &Violation) -> Told {
    (property, violation.failed, violation.at.position, violation.binding.to_string())
}

impl Case {
    pub(super) fn new(label: Option<Arc<str>>, mut monitor: Box<Monitor>, properties: usize) -> Self {
        monitor.count_violations();
        Case {
            label,
            monitor,
            is_open: false,
            last: None,
            events: 0,
            last_index: 0,
            total: 0,
            known: vec![0; properties],
            held_back: vec![false; properties],
            holding: 0,
            told: BTreeSet::new(),
        }
    }

    /// Whether nothing is lost if it is packed: no position is open, and nothing is on its way to those who are told.
    pub(super) fn can_be_packed(&self) -> bool {
        !self.is_open && self.holding == 0 && !self.stirs(false)
    }

    /// The case, packed, and a monitor that is free.
    pub(super) fn pack(self) -> (Packed, Box<Monitor>) {
        let Case { label, monitor, last, events, last_index, known, told, .. } = self;
        let snapshot = monitor.save().into();
        (Packed { label, snapshot, last, events, last_index, known: known.into(), told }, monitor)
    }

    /// It has an event at a new time: deadlines before it are over.
    pub(super) fn open(&mut self, now: Timestamp) {
        self.is_open = true;
        self.last = Some(now);
        self.monitor.advance(now);
    }

    /// Time passes without an event.
    pub(super) fn pass(&mut self, to: Timestamp) {
        self.monitor.advance(to);
    }

    /// Whether some property must be asked: one was violated since the last [`Case::settle`], or the monitor holds back
    /// what can be told if it `moved` to a new position.
    ///
    /// COST: that of the few properties that are being told of, not of all.
    #[inline]
    pub(super) fn stirs(&self, moved: bool) -> bool {
        self.monitor.violations() != self.total || moved && self.holding > 0
    }

    /// All properties were asked.
    pub(super) fn settle(&mut self) {
        self.total = self.monitor.violations();
    }

    /// Ends the position of its last events. Its time stands still until the next, or for ever: so deadlines stay open.
    pub(super) fn close(&mut self) {
        self.is_open = false;
        self.monitor.close_position();
    }

    /// Whether a violation of a property was taken note of.
    pub(super) fn has_noted(&self, property: usize) -> bool {
        self.known[property] > 0
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
        self.holding = self.holding + usize::from(fresh) - usize::from(std::mem::replace(held_back, fresh));
        let news = self.monitor.news(property);
        self.told.extend(news.iter().map(|violation| told(property, violation)));
        news
    }

    /// The whole trace that it is a part of ends, maybe after it.
    pub(super) fn tell_end(&mut self, bounds: Bounds) {
        if let Some(last) = self.last {
            bounds.end(&mut self.monitor, self.last_index, last);
        }
    }

    /// The finished monitor's outcomes, and a record of what was told before them.
    pub(super) fn finish(self, end: End) -> (Vec<Outcome>, Record) {
        (self.monitor.finish(end), Record { told: self.told, known: self.known })
    }
}

/// A case that waits for an event, which may never come.
pub(super) struct Packed {
    label: Option<Arc<str>>,
    snapshot: Box<[u8]>,
    last: Option<Timestamp>,
    events: u64,
    last_index: u64,
    known: Box<[u64]>,
    told: BTreeSet<Told>,
}

impl Packed {
    pub(super) fn unpack(self, plan: &Plan) -> Case {
        let Packed { label, snapshot, last, events, last_index, known, told } = self;
        let monitor = plan.restore(&snapshot).expect("a snapshot of this plan that never left the memory");
        let case = Case::new(label, Box::new(monitor), known.len());
        Case { last, events, last_index, known: known.into(), told, ..case }
    }

    /// What it takes, in bytes, roughly.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Packed>() + self.snapshot.len() + size_of_val(&*self.known)
    }
}

/// What was told of a case. It is in the outcome as it was told.
pub(super) struct Record {
    told: BTreeSet<Told>,
    known: Vec<u64>,
}

impl Record {
    /// Whether a violation was told.
    pub(super) fn has(&self, property: usize, violation: &Violation) -> bool {
        self.told.contains(&told(property, violation))
    }

    /// The properties of which the end decided something, and for which values of their variables.
    pub(super) fn found_last(&self, outcomes: &[Outcome]) -> (Vec<usize>, Vec<(usize, Binding)>) {
        let grew = |property: &usize| outcomes[*property].violated > self.known[*property];
        let violated: Vec<usize> = (0..outcomes.len()).filter(grew).collect();
        let mut bindings = Vec::new();
        for property in violated.iter().copied() {
            let fresh = outcomes[property].violations.iter().filter(|violation| !self.has(property, violation));
            let fresh = fresh.filter(|violation| !violation.binding.is_empty());
            bindings.extend(fresh.map(|violation| (property, violation.binding.clone())));
        }
        (violated, bindings)
    }
}
