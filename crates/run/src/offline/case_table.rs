// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of a trace, each with its monitor and the violations that were reported.
//!
//! # Packing
//!
//! A log with a million sessions has a million cases. Most of them are over long before the log ends, but nothing in the log
//! says which. A [`CaseTable`] therefore keeps a bounded number of cases *active*, with a monitor ready to step. When
//! the bound is reached it *packs* the half that had no event for the longest time: the monitor is saved to a compact
//! snapshot, a tenth of its size, and the monitor itself is reused for a new case. An event of a packed case unpacks it.
//!
//! Example with a bound of 4: cases 0 to 3 are active, with their last events at the indices 9, 2, 7, 4. Case 4 begins. The
//! older half, cases 1 and 3, is packed; 0, 2 and 4 are active. The next event belongs to case 3, which is unpacked.
//!
//! The bound starts at [`FEWEST_ACTIVE`] cases, which fit the cache of a processor. If more than a quarter of the bound was unpacked
//! between two rounds of packing, the same cases keep coming back: then the bound doubles instead, up to what the memory
//! limit allows.
//!
//! A case is packed only if nothing is lost by it: no position is open, and no violation waits to be reported
//! ([`CaseState::can_be_packed`]).

use std::sync::Arc;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Outcome, Violation};
use gnomon_engine::{Monitor, Plan};

use super::bounds::ResolvedBounds;
use super::memory::{CASE_BYTES, Limits};

/// An active case: a whole trace, or one case of it.
pub(super) struct CaseState {
    pub(super) history: CaseHistory,
    pub(super) monitor: Box<Monitor>,
    /// True if the case has events at the current time.
    pub(super) is_open: bool,
    /// Number of violations of all properties at the last [`CaseState::settle`].
    settled: u64,
    /// For each property: true if the monitor may hold back a violation that can still grow.
    holds_back: Vec<bool>,
    /// Number of properties for which `holds_back` is true.
    held_back_count: usize,
}

/// The part of a case that survives packing.
pub(super) struct CaseHistory {
    /// The name of the case; `None` if the trace is not divided.
    pub(super) label: Option<Arc<str>>,
    /// Time of the last event.
    pub(super) last: Option<Timestamp>,
    /// Number of events.
    pub(super) events: u64,
    /// Index of the last event.
    pub(super) last_index: u64,
    /// For each property, the number of violations at the last look.
    counts: Box<[u64]>,
}

impl CaseState {
    pub(super) fn new(label: Option<Arc<str>>, monitor: Box<Monitor>, properties: usize) -> Self {
        let counts = vec![0; properties].into();
        CaseState::with(CaseHistory { label, last: None, events: 0, last_index: 0, counts }, monitor)
    }

    fn with(history: CaseHistory, mut monitor: Box<Monitor>) -> Self {
        monitor.count_violations();
        let holds_back = vec![false; history.counts.len()];
        CaseState { history, monitor, is_open: false, settled: 0, holds_back, held_back_count: 0 }
    }

    /// Returns true if nothing is lost by packing: no position is open, and no violation waits to be reported.
    fn can_be_packed(&self) -> bool {
        !self.is_open && self.held_back_count == 0 && !self.needs_look(false)
    }

    /// Packs the case. Returns its monitor too, for another case to reuse.
    fn pack(self) -> (PackedCase, Box<Monitor>) {
        let snapshot = self.monitor.save().into();
        (PackedCase { history: self.history, snapshot }, self.monitor)
    }

    /// Takes the first event at a new time, which decides the deadlines before it.
    pub(super) fn open(&mut self, now: Timestamp) {
        self.is_open = true;
        self.history.last = Some(now);
        self.monitor.advance(now);
    }

    /// Returns true if properties may have violations to report: one was found since the last [`CaseState::settle`], or
    /// the monitor holds one back that can be reported once it `moved` to a new position.
    ///
    /// COST: constant, however many properties there are.
    #[inline]
    pub(super) fn needs_look(&self, moved: bool) -> bool {
        self.monitor.total_violation_count() != self.settled || moved && self.held_back_count > 0
    }

    /// Notes that all properties were looked at.
    pub(super) fn settle(&mut self) {
        self.settled = self.monitor.total_violation_count();
    }

    /// Closes the position of the last events. The time of the case stands still until its next event, so its deadlines stay
    /// open.
    pub(super) fn close(&mut self) {
        self.is_open = false;
        self.monitor.close_position();
    }

    /// Returns true if a violation of the property was seen at an earlier look.
    pub(super) fn was_violated(&self, property: usize) -> bool {
        self.history.counts[property] > 0
    }

    /// Returns true if the property was violated since the last look at it.
    #[inline]
    pub(super) fn has_new_violations(&mut self, property: usize) -> bool {
        let count = self.monitor.violation_count(property);
        // A property that failed has none any more.
        std::mem::replace(&mut self.history.counts[property], count) < count
    }

    /// Drains the violations of a property that can be reported now. `is_new`: some were found just now. `moved`: the monitor is at
    /// a new position, so that violations held back before cannot grow any more.
    pub(super) fn drain_violations(&mut self, property: usize, is_new: bool, moved: bool) -> &[Violation] {
        let holds_back = &mut self.holds_back[property];
        let is_complete = *holds_back && moved;
        if !is_new && !is_complete {
            return &[];
        }
        self.held_back_count =
            self.held_back_count + usize::from(is_new) - usize::from(std::mem::replace(holds_back, is_new));
        self.monitor.drain_settled_violations(property)
    }

    /// Shows the case the end of the whole trace of which it is a part.
    pub(super) fn end_at(&mut self, bounds: ResolvedBounds) {
        if let Some(last) = self.history.last {
            bounds.end(&mut self.monitor, self.history.last_index, last);
        }
    }

    /// Finishes the monitor. Returns for each property the outcome and the violations that were not drained, and the number of
    /// violations at the last look.
    pub(super) fn finish(self, end: End) -> (Vec<DrainedOutcome>, Box<[u64]>) {
        (self.monitor.finish_and_drain(end), self.history.counts)
    }
}

/// The outcome of a property, and its violations that were not drained.
type DrainedOutcome = (Outcome, Vec<Violation>);

/// A case without a monitor. It waits for an event that may never come.
struct PackedCase {
    history: CaseHistory,
    snapshot: Box<[u8]>,
}

impl PackedCase {
    fn unpack(self, plan: &Plan) -> CaseState {
        let monitor = plan.restore(&self.snapshot).expect("a snapshot of this plan that never left the memory");
        CaseState::with(self.history, Box::new(monitor))
    }

    /// Returns the approximate size in bytes.
    fn bytes(&self) -> usize {
        size_of::<PackedCase>() + self.snapshot.len() + size_of_val(&*self.history.counts)
    }
}

/// Cases by number, of which a bounded number is active.
pub(super) struct CaseTable {
    plan: Plan,
    slots: Vec<CaseSlot>,
    /// Numbers of the active cases.
    active: Vec<usize>,
    /// The bound on active cases, and how far it may grow.
    active_limit: usize,
    largest_limit: usize,
    /// Monitors of packed cases, for new cases to reuse with their memory.
    #[allow(clippy::vec_box)] // a case takes the box
    spare: Vec<Box<Monitor>>,
    /// Number of cases unpacked since the last round of packing.
    unpacked: usize,
    /// Size of the packed cases in bytes.
    packed_bytes: usize,
    /// Cases packed since the last [`CaseTable::drain_packed`].
    newly_packed: Vec<usize>,
}

enum CaseSlot {
    Active(Box<CaseState>),
    Packed(Box<PackedCase>),
    Ended,
}

/// Number of active cases below which none is packed. They take some ten megabytes, so that cases whose events alternate stay in the cache.
const FEWEST_ACTIVE: usize = 1 << 11;
/// Limit on the active cases, which then take some hundred megabytes. With a memory limit, the bound is a quarter of it instead.
const MOST_ACTIVE: usize = 1 << 17;

impl CaseTable {
    pub(super) fn new(plan: Plan, limits: Limits) -> Self {
        let fitting = limits.memory.map(|memory| usize::try_from(memory).unwrap_or(usize::MAX) / 4 / CASE_BYTES);
        CaseTable {
            plan,
            slots: Vec::new(),
            active: Vec::new(),
            active_limit: FEWEST_ACTIVE,
            largest_limit: fitting.unwrap_or(MOST_ACTIVE),
            spare: Vec::new(),
            unpacked: 0,
            packed_bytes: 0,
            newly_packed: Vec::new(),
        }
    }

    /// Returns the number of cases.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns a monitor in its initial state.
    pub(super) fn monitor(&mut self, max_violations: usize) -> Box<Monitor> {
        let Some(mut monitor) = self.spare.pop() else { return Box::new(self.plan.start(max_violations)) };
        monitor.restart(max_violations);
        monitor
    }

    /// Adds a case. Returns its number.
    pub(super) fn add(&mut self, case: CaseState) -> usize {
        self.make_room();
        self.active.push(self.slots.len());
        self.slots.push(CaseSlot::Active(Box::new(case)));
        self.slots.len() - 1
    }

    /// Returns the case with a number from [`CaseTable::add`], unpacked if necessary.
    #[inline]
    pub(super) fn case(&mut self, number: usize) -> &mut CaseState {
        if !matches!(self.slots[number], CaseSlot::Active(_)) {
            self.unpack(number);
        }
        match &mut self.slots[number] {
            CaseSlot::Active(case) => case,
            CaseSlot::Packed(_) | CaseSlot::Ended => unreachable!("a case is asked for before it is over"),
        }
    }

    /// Returns true if a case is over.
    pub(super) fn is_ended(&self, number: usize) -> bool {
        matches!(self.slots.get(number), Some(CaseSlot::Ended))
    }

    /// Returns a case if it is active.
    pub(super) fn active(&self, number: usize) -> Option<&CaseState> {
        match self.slots.get(number)? {
            CaseSlot::Active(case) => Some(case),
            CaseSlot::Packed(_) | CaseSlot::Ended => None,
        }
    }

    /// Returns the approximate size of the cases in bytes, without the bindings of active ones.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<CaseSlot>()
            + (self.active.len() + self.spare.len()) * CASE_BYTES
            + self.packed_bytes
    }

    /// Drains the numbers of the cases packed since the last call.
    pub(super) fn drain_packed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.newly_packed)
    }

    /// Removes a case that is over.
    pub(super) fn take(&mut self, number: usize) -> CaseState {
        match std::mem::replace(&mut self.slots[number], CaseSlot::Ended) {
            CaseSlot::Active(case) => *case,
            CaseSlot::Packed(packed) => {
                self.packed_bytes -= packed.bytes();
                packed.unpack(&self.plan)
            }
            CaseSlot::Ended => unreachable!("a case is over once"),
        }
    }

    /// Removes all cases.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.active.clear();
        self.newly_packed.clear();
        self.packed_bytes = 0;
    }

    #[inline(never)]
    fn unpack(&mut self, number: usize) {
        self.make_room();
        if let CaseSlot::Packed(packed) = std::mem::replace(&mut self.slots[number], CaseSlot::Ended) {
            self.packed_bytes -= packed.bytes();
            self.slots[number] = CaseSlot::Active(Box::new(packed.unpack(&self.plan)));
            self.active.push(number);
            self.unpacked += 1;
        }
    }

    /// Packs the half of the active cases that had no event for the longest time, if the bound is reached.
    fn make_room(&mut self) {
        if self.active.len() < self.active_limit {
            return;
        }
        // Packed cases keep coming back: keep more of them active.
        let has_returning_cases = self.unpacked > self.active_limit / 4;
        self.unpacked = 0;
        if has_returning_cases && self.active_limit * 2 <= self.largest_limit {
            self.active_limit *= 2;
            return;
        }
        let CaseTable { slots, active, packed_bytes, newly_packed, spare, .. } = self;
        // The cases that are over.
        active.retain(|number| matches!(slots[*number], CaseSlot::Active(_)));
        let last_index = |number: usize| match &slots[number] {
            CaseSlot::Active(case) => case.history.last_index,
            CaseSlot::Packed(_) | CaseSlot::Ended => 0,
        };
        let middle = active.len() / 2;
        active.select_nth_unstable_by_key(middle, |number| last_index(*number));
        let (old, recent) = active.split_at(middle);
        let mut kept = recent.to_vec();
        for number in old {
            match std::mem::replace(&mut slots[*number], CaseSlot::Ended) {
                CaseSlot::Active(case) if case.can_be_packed() => {
                    let (packed, monitor) = case.pack();
                    spare.push(monitor);
                    *packed_bytes += packed.bytes();
                    slots[*number] = CaseSlot::Packed(Box::new(packed));
                    newly_packed.push(*number);
                }
                other => {
                    slots[*number] = other;
                    kept.push(*number);
                }
            }
        }
        *active = kept;
        spare.truncate(FEWEST_ACTIVE);
    }
}
