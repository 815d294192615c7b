// SPDX-License-Identifier: MIT OR Apache-2.0
//! The obligations of one clause.

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::verdict::At;
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::Trigger;
use super::book::{Book, Desk};
use super::clause::{Clause, Consequent, Direct, Reach};
use super::doubts::{Doubts, Known, Settled};
use super::tally::Tally;
use crate::fact::Fact;
use crate::network::Part;
use crate::network::present::Present;
use crate::reasons::Evidence;

/// COST: O(1) per position in reach and per obligation settled. Memory: the open obligations; of a consequent that
/// settles them all together, only as many as a report can list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Account {
    /// The time of the position that the clause starts from; on the way there, of the latest position.
    base: Option<Timestamp>,
    /// The latest position on the way through the `X`s.
    latest: Option<At>,
    /// Whether the clause's starting position has come.
    started: bool,
    /// An `X` met a next position at a distance outside its interval.
    cut_off: bool,
    /// Where the antecedent holds and the consequent is not known, oldest first.
    due: VecDeque<At>,
    /// More of them, too many to list, after those.
    crowd: Option<Crowd>,
    /// Where the antecedent is not known.
    doubts: Doubts,
    pub(super) activated: u64,
    pub(super) satisfied: u64,
    pub(super) violated: u64,
    pub(super) durations: Tally,
}

/// Obligations of which only the sum is kept, because one fact will settle them all.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Crowd {
    first: At,
    last: At,
    /// The sum of their times, in ticks.
    times: i128,
    count: u64,
}

impl Account {
    #[inline]
    pub(super) fn open(
        &mut self,
        index: usize,
        clause: &Clause,
        present: &mut Present<'_>,
        wanted: &mut [bool],
        wake: &mut Timestamp,
        book: &mut Book,
    ) {
        if !self.in_reach(index, clause, present, book) {
            return;
        }
        let instant = present.instant;
        let at = |present: &Present<'_>| At { position: instant.position, origin: present.instant.origin(index) };
        let antecedent = match clause.antecedent_part {
            Part::Now(edge) => {
                if clause.antecedent.is_some() && !present.value(edge) {
                    return;
                }
                self.activated += 1;
                Some(true)
            }
            Part::Later { slot, .. } => {
                wanted[slot] = true;
                None
            }
        };
        match (antecedent, &clause.consequent_part) {
            (_, Consequent::Direct(direct)) => {
                let at = at(present);
                match direct.at_once(present) {
                    None => self.owe(direct, at, wake, book.most_listed()),
                    Some(value) => {
                        let evidence = &mut Evidence::Present(present);
                        let desk = &mut Desk { clause, trigger: Trigger::at(instant), evidence, book };
                        self.settle(at, value, direct.node, desk);
                    }
                }
            }
            (Some(_), Consequent::Later { slot, .. }) => {
                wanted[*slot] = true;
                self.due.push_back(at(present));
            }
            (Some(_), Consequent::Now(edge)) => {
                let edge = *edge;
                if present.value(edge) {
                    self.satisfied += 1;
                    self.durations.add(Duration::ZERO);
                } else {
                    let (at, evidence) = (at(present), &mut Evidence::Present(present));
                    self.violated += 1;
                    let mut desk = Desk { clause, trigger: Trigger::at(instant), evidence, book };
                    desk.violation(at, at.position, edge.node);
                }
            }
            (None, Consequent::Later { slot, .. }) => {
                wanted[*slot] = true;
                self.doubts.open(at(present), None);
            }
            (None, Consequent::Now(edge)) => {
                let known = Known { value: present.value(*edge), blame: edge.node.0, time: instant.time };
                self.doubts.open(at(present), Some(known));
            }
        }
    }

    /// Whether the present position is one that the clause speaks of. The position that it starts from is noted.
    #[inline]
    fn in_reach(&mut self, index: usize, clause: &Clause, present: &Present<'_>, book: &mut Book) -> bool {
        let instant = present.instant;
        match (&clause.reach, self.base) {
            (Reach::After { interval, .. }, Some(base)) if self.started => {
                !self.cut_off && interval.contains(instant.time - base)
            }
            (Reach::After { nexts, interval, strict }, _) => {
                self.follow(index, clause, nexts, present, book);
                self.started && !self.cut_off && !strict && interval.contains(Duration::ZERO)
            }
            (Reach::First, _) => {
                self.base.get_or_insert(instant.time);
                !std::mem::replace(&mut self.started, true)
            }
        }
    }

    /// One position on the way through the `X`s.
    #[cold]
    fn follow(&mut self, index: usize, clause: &Clause, nexts: &[Interval], present: &Present<'_>, book: &mut Book) {
        let instant = present.instant;
        let at = At { position: instant.position, origin: instant.origin(index) };
        if let Some(before) = self.base
            && !nexts[instant.position as usize - 1].contains(instant.time - before)
        {
            self.cut_off = true;
            let trigger = Trigger::at(instant);
            self.miss_next(clause, at, trigger, book);
        }
        self.base = Some(instant.time);
        self.latest = Some(at);
        self.started = self.cut_off || instant.position == nexts.len() as u64;
    }

    /// There is no position where an `X` looks for one.
    fn miss_next(&mut self, clause: &Clause, at: At, trigger: Trigger, book: &mut Book) {
        self.activated += 1;
        self.violated += 1;
        book.next_missing(clause, at, trigger);
    }

    /// The consequent is asked for at a position, and the account waits for it.
    #[inline]
    pub(super) fn owe(&mut self, direct: &Direct, at: At, wake: &mut Timestamp, most_listed: usize) {
        // An older obligation's deadline is earlier, and the alarm was set for it.
        if self.due.is_empty()
            && let Some(hi) = direct.interval.hi
        {
            *wake = (*wake).min(at.origin.time.saturating_add(hi));
        }
        if self.due.len() < most_listed || !direct.is_untimed() {
            self.due.push_back(at);
            return;
        }
        let time = at.origin.time.ticks();
        let crowd = self.crowd.get_or_insert(Crowd { first: at, last: at, times: 0, count: 0 });
        *crowd = Crowd { last: at, times: crowd.times + time, count: crowd.count + 1, ..*crowd };
    }

    /// So many positions asked for something and got it at once.
    pub(super) fn pass(&mut self, positions: u64) {
        if positions > 0 && self.started && !self.cut_off {
            self.activated += positions;
            self.satisfied += positions;
            self.durations.join(Tally { count: positions, ..Tally::default() });
        }
    }

    /// RULE K5, for what the account waits for itself: at every open obligation `left` has held ever since, so a
    /// `right` settles all that are far enough back, and the first position without `left` all the rest.
    #[inline]
    pub(super) fn meet(&mut self, clause: &Clause, direct: &Direct, present: &mut Present<'_>, book: &mut Book) {
        if self.due.is_empty() && self.crowd.is_none() {
            return;
        }
        let instant = present.instant;
        if present.value(direct.right) {
            let ripe = |at: &At| instant.time - at.origin.time >= direct.interval.lo;
            let evidence = &mut Evidence::Present(present);
            let desk = &mut Desk { clause, trigger: Trigger::at(instant), evidence, book };
            self.settle_front(direct, !direct.negated, ripe, desk);
        }
        if !direct.left_is_true && !present.value(direct.left) {
            let evidence = &mut Evidence::Present(present);
            let desk = &mut Desk { clause, trigger: Trigger::at(instant), evidence, book };
            self.settle_front(direct, direct.negated, |_| true, desk);
        }
    }

    /// Obligations whose interval has closed, or all if nothing comes any more.
    pub(super) fn expire(&mut self, direct: &Direct, frontier: Timestamp, ended: bool, desk: &mut Desk<'_, '_, '_>) {
        let over = |at: &At| ended || direct.interval.hi.is_some_and(|hi| at.origin.time.saturating_add(hi) < frontier);
        self.settle_front(direct, direct.negated, over, desk);
    }

    /// When the oldest obligation's interval closes, and how that is told.
    pub(super) fn deadline(&self, direct: &Direct) -> Option<(Timestamp, Timestamp)> {
        let (oldest, hi) = self.due.front().zip(direct.interval.hi)?;
        let deadline = oldest.origin.time.saturating_add(hi);
        Some((deadline, Timestamp::from_ticks(deadline.ticks() + i128::from(direct.interval.open_above))))
    }

    /// Settles the oldest obligations while `done` says so.
    #[inline]
    fn settle_front(&mut self, direct: &Direct, value: bool, done: impl Fn(&At) -> bool, desk: &mut Desk<'_, '_, '_>) {
        if value {
            self.satisfy_front(&done, desk.trigger.time());
        }
        while let Some(&at) = self.due.front() {
            if !done(&at) {
                return;
            }
            self.due.pop_front();
            self.settle(at, value, direct.node, desk);
        }
        if let Some(crowd) = self.crowd.take_if(|crowd| done(&crowd.first)) {
            self.settle_crowd(crowd, value, direct.node, desk);
        }
    }

    /// The oldest obligations are met while `done` says so. They are in the order of time, so the first took longest.
    #[inline]
    fn satisfy_front(&mut self, done: impl Fn(&At) -> bool, until: Timestamp) {
        let Some(first) = self.due.front().map(|at| at.origin.time) else { return };
        let (mut count, mut last, mut times) = (0, first, 0);
        for at in self.due.iter().take_while(|at| done(at)) {
            count += 1;
            last = at.origin.time;
            times += last.ticks();
        }
        if count == self.due.len() {
            self.due.clear();
        } else {
            self.due.drain(..count);
        }
        self.satisfy_all(count as u64, first, last, times, until);
    }

    /// So many obligations, the first and the last and the sum of their times like this, were met.
    fn satisfy_all(&mut self, count: u64, first: Timestamp, last: Timestamp, times: i128, until: Timestamp) {
        self.satisfied += count;
        let sum = until.ticks() * i128::from(count) - times;
        self.durations.join(Tally { min: until - last, max: until - first, sum, count });
    }

    #[inline]
    fn settle(&mut self, at: At, value: bool, blame: NodeId, desk: &mut Desk<'_, '_, '_>) {
        if value {
            self.satisfied += 1;
            self.durations.add(desk.trigger.time() - at.origin.time);
        } else {
            self.violated += 1;
            desk.violation(at, at.position, blame);
        }
    }

    fn settle_crowd(&mut self, crowd: Crowd, value: bool, blame: NodeId, desk: &mut Desk<'_, '_, '_>) {
        if value {
            let (first, last) = (crowd.first.origin.time, crowd.last.origin.time);
            self.satisfy_all(crowd.count, first, last, crowd.times, desk.trigger.time());
            return;
        }
        self.violated += crowd.count;
        // Without gaps they continue the range that the list ends with; else they are beyond the list, and counted.
        if crowd.last.position - crowd.first.position + 1 == crowd.count {
            desk.violation(crowd.first, crowd.last.position, blame);
        }
    }

    pub(super) fn learn_consequent(&mut self, fact: Fact, desk: &mut Desk<'_, '_, '_>) {
        let index = self.due.partition_point(|at| at.position < fact.from);
        while let Some(at) = self.due.get(index).copied().filter(|at| at.position <= fact.to) {
            self.due.remove(index);
            self.settle(at, fact.value, fact.blame, desk);
        }
        if !self.doubts.is_empty() {
            let known = Known { value: fact.value, blame: fact.blame.0, time: desk.trigger.time() };
            let settled = self.doubts.learn_consequent(fact, known);
            self.settle_doubts(settled, desk);
        }
    }

    pub(super) fn learn_antecedent(&mut self, fact: Fact, desk: &mut Desk<'_, '_, '_>) {
        let settled = self.doubts.learn_antecedent(fact);
        self.settle_doubts(settled, desk);
    }

    fn settle_doubts(&mut self, settled: Settled, desk: &mut Desk<'_, '_, '_>) {
        self.activated += settled.activated;
        for (at, known) in settled.known {
            if known.value {
                self.satisfied += 1;
                self.durations.add(known.time - at.origin.time);
            } else {
                self.violated += 1;
                desk.violation(at, at.position, NodeId(known.blame));
            }
        }
    }

    pub(super) fn pending(&self) -> u64 {
        self.due.len() as u64 + self.crowd.map_or(0, |crowd| crowd.count) + self.doubts.active()
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.due.is_empty() && self.crowd.is_none() && self.doubts.is_empty()
    }

    pub(super) fn has_started(&self) -> bool {
        self.started
    }

    pub(super) fn settled(&self, clause: &Clause, frontier: Timestamp) -> bool {
        self.started && self.is_quiet() && (self.cut_off || clause.is_over(self.base, frontier))
    }

    /// Whether the clause is true whatever comes: an obligation that is met, but whose antecedent is not yet known,
    /// does not stand against it.
    pub(super) fn decided(&self, clause: &Clause, frontier: Timestamp) -> bool {
        let nothing_due = self.due.is_empty() && self.crowd.is_none() && self.doubts.all_met();
        self.started && nothing_due && (clause.is_vacuous() || clause.is_over(self.base, frontier))
    }

    /// A complete trace ended. An `X` beyond its end is one violation, at the last position.
    pub(super) fn end(&mut self, clause: &Clause, trigger: Trigger, book: &mut Book) {
        if !self.started
            && let Some(latest) = self.latest
        {
            self.miss_next(clause, latest, trigger, book);
        }
    }

    /// A complete trace without positions ended.
    pub(super) fn empty(&mut self, clause: &Clause, holds: bool) {
        let holds = match &clause.reach {
            Reach::First => holds,
            Reach::After { nexts, .. } if nexts.is_empty() => return,
            Reach::After { .. } => false,
        };
        self.activated += 1;
        if holds {
            self.satisfied += 1;
        } else {
            self.violated += 1;
        }
    }
}
