// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sliced properties of a run: who is told of a position.

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Violation};
use serde::{Deserialize, Serialize};

use crate::matcher::SliceRule;
use crate::noted::Noted;
use crate::slice::machine::Extent;
use crate::slice::{Run, Share, Sliced};

/// COST: a position costs the properties that it concerns, those that look at every position, and those whose alarm
/// rings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deck {
    runs: Vec<Run>,
    /// Those that take each event as a position, and those that merge simultaneous events.
    sequence: Side,
    merge: Side,
    /// What of the bindings is this run's.
    #[serde(skip, default = "whole")]
    share: Share,
}

fn whole() -> Share {
    Share::WHOLE
}

/// Properties that see simultaneous events alike.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Side {
    simultaneous: Simultaneous,
    is_used: bool,
    positions: u64,
    last_time: Timestamp,
    frontier: Timestamp,
    first: Option<Origin>,
    most_listed: usize,
    concerned: Vec<u32>,
    restless: Vec<u32>,
    /// No alarm rings before this.
    next_alarm: Timestamp,
    /// Violations of all properties together, if someone counts them.
    #[serde(skip)]
    noted: Noted,
}

impl Side {
    fn new(plans: &[Sliced], simultaneous: Simultaneous, most_listed: usize) -> Self {
        let mut side = Side {
            simultaneous,
            is_used: plans.iter().any(|plan| plan.simultaneous == simultaneous),
            positions: 0,
            last_time: Timestamp::MIN,
            frontier: Timestamp::MIN,
            first: None,
            most_listed,
            concerned: Vec::new(),
            restless: Vec::new(),
            next_alarm: Timestamp::MAX,
            noted: Noted::default(),
        };
        side.restart(plans, most_listed);
        side
    }

    /// Forgets everything, as if it were new.
    fn restart(&mut self, plans: &[Sliced], most_listed: usize) {
        self.positions = 0;
        (self.last_time, self.frontier) = (Timestamp::MIN, Timestamp::MIN);
        self.first = None;
        self.most_listed = most_listed;
        self.concerned.clear();
        self.restless.clear();
        if self.is_used {
            let is_restless = |plan: &Sliced| plan.simultaneous == self.simultaneous && !plan.rests;
            self.restless.extend((0_u32..).zip(plans).filter(|(_, plan)| is_restless(plan)).map(|(id, _)| id));
        }
        self.next_alarm = Timestamp::MAX;
        self.noted = Noted::default();
    }

    /// The open position, whose first event this is, is complete.
    #[inline]
    fn close(&mut self, plans: &[Sliced], runs: &mut [Run], first: &Origin) {
        let position = self.positions;
        self.positions += 1;
        self.first.get_or_insert(*first);
        self.last_time = first.time;
        let least_gap = i128::from(self.simultaneous == Simultaneous::Merge);
        self.frontier = Timestamp::from_ticks(first.time.ticks() + least_gap);
        if self.next_alarm < self.frontier {
            self.ring(plans, runs, position, first);
        }
        while let Some(id) = self.concerned.pop() {
            let (plan, run) = (&plans[id as usize], &mut runs[id as usize]);
            if !self.restless.contains(&id) {
                self.noted.close(plan, run, position, first);
                self.next_alarm = self.next_alarm.min(run.next_alarm(plan));
            }
        }
        if !self.restless.is_empty() {
            self.close_restless(plans, runs, position, first);
        }
    }

    /// All that concerns a property at the position that is being gathered is this rule.
    #[inline]
    fn meet(
        &mut self,
        plan: &Sliced,
        run: &mut Run,
        rule: &SliceRule,
        event: &Event<'_>,
        origin: &Origin,
        share: Share,
    ) {
        let before = self.noted.before(|| run.violated(plan));
        let next_alarm = run.meet(plan, rule, event, origin, share, self.positions);
        self.noted.after(before, || run.violated(plan));
        self.next_alarm = self.next_alarm.min(next_alarm);
    }

    /// Events pass that concern nothing here, until one by whose time an alarm rings: tells how many.
    #[inline]
    fn pass(&mut self, events: &[Origin]) -> usize {
        let is_quiet = |event: &Origin| event.time <= self.next_alarm;
        let count = match events.last() {
            Some(last) if is_quiet(last) => events.len(),
            _ => events.partition_point(is_quiet),
        };
        if let [first, .., last] | [first @ last] = &events[..count] {
            self.first.get_or_insert(*first);
            self.leap(count as u64, last.time);
        }
        count
    }

    /// So many positions pass unseen, the last of them at this time.
    fn leap(&mut self, positions: u64, to: Timestamp) {
        self.positions += positions;
        (self.last_time, self.frontier) = (to, to);
    }

    fn ring(&mut self, plans: &[Sliced], runs: &mut [Run], position: u64, first: &Origin) {
        self.next_alarm = Timestamp::MAX;
        for (id, (plan, run)) in (0_u32..).zip(plans.iter().zip(runs)) {
            if plan.simultaneous != self.simultaneous || self.restless.contains(&id) {
                continue;
            }
            if run.next_alarm(plan) < self.frontier && !self.concerned.contains(&id) {
                self.noted.close(plan, run, position, first);
            }
            self.next_alarm = self.next_alarm.min(run.next_alarm(plan));
        }
    }

    fn close_restless(&mut self, plans: &[Sliced], runs: &mut [Run], position: u64, first: &Origin) {
        let (next_alarm, noted) = (&mut self.next_alarm, &mut self.noted);
        self.restless.retain(|id| {
            let (plan, run) = (&plans[*id as usize], &mut runs[*id as usize]);
            noted.close(plan, run, position, first);
            *next_alarm = (*next_alarm).min(run.next_alarm(plan));
            run.is_restless(plan)
        });
    }

    fn advance(&mut self, plans: &[Sliced], runs: &mut [Run], to: Timestamp) {
        if to <= self.frontier {
            return;
        }
        self.frontier = to;
        if self.restless.is_empty() && to <= self.next_alarm {
            return;
        }
        self.next_alarm = Timestamp::MAX;
        for (plan, run) in plans.iter().zip(runs).filter(|(plan, _)| plan.simultaneous == self.simultaneous) {
            let before = self.noted.before(|| run.violated(plan));
            run.advance(plan, to);
            self.noted.after(before, || run.violated(plan));
            self.next_alarm = self.next_alarm.min(run.next_alarm(plan));
        }
    }

    fn extent(&self) -> Extent {
        let Side { positions, last_time, frontier, first, most_listed, .. } = *self;
        Extent { positions, last_time, frontier, first, most_listed }
    }

    fn fits(&self, runs: usize) -> bool {
        self.concerned.iter().chain(&self.restless).all(|id| (*id as usize) < runs)
    }
}

impl Noted {
    #[inline]
    fn close(&mut self, plan: &Sliced, run: &mut Run, position: u64, first: &Origin) {
        let before = self.before(|| run.violated(plan));
        run.close(plan, position, first);
        self.after(before, || run.violated(plan));
    }
}

impl Deck {
    pub(crate) fn new(plans: &[Sliced], max_violations: usize, share: Share) -> Self {
        Deck {
            runs: plans.iter().map(|plan| Run::new(plan, max_violations)).collect(),
            sequence: Side::new(plans, Simultaneous::Sequence, max_violations),
            merge: Side::new(plans, Simultaneous::Merge, max_violations),
            share,
        }
    }

    /// An event may match an atom of a property.
    #[inline]
    pub(crate) fn gather(
        &mut self,
        plans: &[Sliced],
        rule: &SliceRule,
        event: &Event<'_>,
        origin: &Origin,
        share: Share,
    ) {
        let plan = &plans[rule.slice];
        if self.share.index > 0 && !plan.can_share() {
            return;
        }
        let run = &mut self.runs[rule.slice];
        if rule.is_only && plan.simultaneous == Simultaneous::Sequence && self.sequence.restless.is_empty() {
            // Nothing else of the position concerns the property.
            self.sequence.meet(plan, run, rule, event, origin, share);
            return;
        }
        if run.gather(plan, rule, event, origin, share) {
            let side = if plan.simultaneous == Simultaneous::Merge { &mut self.merge } else { &mut self.sequence };
            let id = rule.slice as u32;
            if side.concerned.last() != Some(&id) && !side.concerned.contains(&id) {
                side.concerned.push(id);
            }
        }
    }

    /// What of the bindings is this run's.
    #[inline]
    pub(crate) fn share(&self) -> Share {
        self.share
    }

    /// An event has been gathered.
    #[inline]
    pub(crate) fn close_event(&mut self, plans: &[Sliced], origin: &Origin) {
        if self.sequence.is_used {
            self.sequence.close(plans, &mut self.runs, origin);
        }
    }

    /// Events pass that concern other shares alone: tells how many of them are told by this. The next one must be told on
    /// its own.
    #[inline]
    pub(crate) fn pass(&mut self, events: &[Origin]) -> usize {
        let skips = self.sequence.restless.is_empty() && !self.merge.is_used;
        if skips { self.sequence.pass(events) } else { 0 }
    }

    /// Whether events up to this time can pass unseen that concern nothing.
    pub(crate) fn can_leap(&self, to: Timestamp) -> bool {
        let Side { is_used, restless, concerned, next_alarm, first, .. } = &self.sequence;
        let is_quiet = restless.is_empty() && concerned.is_empty() && to <= *next_alarm && first.is_some();
        !self.merge.is_used && (!is_used || is_quiet)
    }

    /// So many events pass unseen, the last of them at this time.
    pub(crate) fn leap(&mut self, events: u64, to: Timestamp) {
        if self.sequence.is_used {
            self.sequence.leap(events, to);
        }
    }

    /// The events of one time have been gathered.
    pub(crate) fn close_position(&mut self, plans: &[Sliced], first: &Origin) {
        if self.merge.is_used {
            self.merge.close(plans, &mut self.runs, first);
        }
    }

    pub(crate) fn advance(&mut self, plans: &[Sliced], to: Timestamp) {
        self.sequence.advance(plans, &mut self.runs, to);
        self.merge.advance(plans, &mut self.runs, to);
    }

    /// Forgets everything, as if it were new.
    pub(crate) fn restart(&mut self, plans: &[Sliced], max_violations: usize) {
        for (plan, run) in plans.iter().zip(&mut self.runs) {
            run.restart(plan, max_violations);
        }
        self.sequence.restart(plans, max_violations);
        self.merge.restart(plans, max_violations);
    }

    /// What became of a property.
    pub(crate) fn finish(&mut self, plans: &[Sliced], slice: usize, end: End) -> Outcome {
        let plan = &plans[slice];
        let side = if plan.simultaneous == Simultaneous::Merge { &self.merge } else { &self.sequence };
        self.runs[slice].finish(plan, side.extent(), end)
    }

    /// From now on, counts the violations of all properties together.
    pub(crate) fn begin_noting(&mut self) {
        self.sequence.noted.begin();
        self.merge.noted.begin();
    }

    /// How many violations are listed at most.
    pub(crate) fn most_listed(&self) -> usize {
        self.sequence.most_listed
    }

    /// How many there were since.
    pub(crate) fn noted(&self) -> u64 {
        self.sequence.noted.total + self.merge.noted.total
    }

    pub(crate) fn violated(&self, plans: &[Sliced], slice: usize) -> u64 {
        self.runs[slice].violated(&plans[slice])
    }

    pub(crate) fn news(&mut self, plans: &[Sliced], slice: usize) -> Vec<Violation> {
        self.runs[slice].news(&plans[slice])
    }

    /// The same at once, of every binding; of those that were told the first `keep` stay listed.
    pub(crate) fn tell(&mut self, plans: &[Sliced], slice: usize, keep: usize) -> Vec<Violation> {
        self.runs[slice].tell(&plans[slice], keep)
    }

    /// The earliest time whose passing may change something.
    pub(crate) fn next_deadline(&self, plans: &[Sliced]) -> Timestamp {
        let alarms = plans.iter().zip(&self.runs).map(|(plan, run)| run.next_alarm(plan));
        alarms.fold(Timestamp::MAX, Timestamp::min)
    }

    /// How many bindings of a property have a state of their own, and what the property takes, in bytes.
    pub(crate) fn load(&self, plans: &[Sliced], slice: usize) -> (usize, usize) {
        let (plan, run) = (&plans[slice], &self.runs[slice]);
        (run.bindings(plan), run.bytes(plan))
    }

    /// Takes in the run of another share of the same events.
    pub(crate) fn absorb(&mut self, plans: &[Sliced], other: Deck) {
        for ((plan, own), other) in plans.iter().zip(&mut self.runs).zip(other.runs) {
            // What cannot be shared was judged by the first alone.
            if plan.can_share() {
                own.absorb(plan, other);
            }
        }
    }

    /// Makes a restored one whole; `false` if it cannot have been saved like this.
    pub(crate) fn rebuild(&mut self, plans: &[Sliced]) -> bool {
        self.runs.len() == plans.len()
            && self.sequence.fits(plans.len())
            && self.merge.fits(plans.len())
            && plans.iter().zip(&mut self.runs).all(|(plan, run)| run.rebuild(plan))
    }
}
