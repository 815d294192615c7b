// SPDX-License-Identifier: MIT OR Apache-2.0
//! The obligations of one clause.

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Durations, Origin};
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::book::Book;
use super::clause::{Clause, Reach};
use super::Cause;
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
    open: VecDeque<Obligation>,
    pub(super) activated: u64,
    pub(super) satisfied: u64,
    pub(super) violated: u64,
    pub(super) durations: Option<Durations>,
}

/// What was asked for at one position, or at several that will be settled together.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Obligation {
    from: u64,
    to: u64,
    first: Origin,
    last_time: Timestamp,
    /// The sum of the times of all its positions, in ticks.
    times: i128,
    count: u64,
    /// Whether the antecedent is known to hold.
    active: bool,
    consequent: Option<Known>,
}

/// What is known of the consequent, who decided it, and when.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Known {
    value: bool,
    blame: u32,
    time: Timestamp,
}

impl Account {
    #[inline]
    pub(super) fn open(
        &mut self,
        index: usize,
        clause: &Clause,
        present: &mut Present<'_>,
        wanted: &mut [bool],
        book: &mut Book,
    ) {
        if !self.in_reach(index, clause, present, book) {
            return;
        }
        let active = match clause.antecedent_part {
            Part::Now(edge) => {
                if !present.value(edge) {
                    return;
                }
                self.activated += 1;
                true
            }
            Part::Later { slot, .. } => {
                wanted[slot] = true;
                false
            }
        };
        let instant = present.instant;
        let origin = instant.origin(index);
        let mut obligation = Obligation {
            from: instant.position,
            to: instant.position,
            first: origin,
            last_time: instant.time,
            times: instant.time.ticks(),
            count: 1,
            active,
            consequent: None,
        };
        match clause.consequent_part {
            Part::Later { slot, .. } => wanted[slot] = true,
            Part::Now(edge) => {
                let value = present.value(edge);
                obligation.consequent = Some(Known { value, blame: edge.node.0, time: instant.time });
                if active {
                    let cause = Cause::Position { position: instant.position, decider: instant.decider() };
                    self.close(clause, obligation, cause, &mut Evidence::Present(present), book);
                    return;
                }
            }
        }
        self.open.push_back(obligation);
    }

    /// Whether the present position is one that the clause speaks of. The position that it starts from is noted.
    #[inline]
    fn in_reach(&mut self, index: usize, clause: &Clause, present: &Present<'_>, book: &mut Book) -> bool {
        let instant = present.instant;
        match (&clause.reach, self.base) {
            (Reach::After { interval, .. }, Some(base)) if self.started => {
                !self.cut_off && interval.contains(instant.time - base)
            }
            (Reach::After { nexts, .. }, _) => {
                self.follow(index, clause, nexts, present, book);
                false
            }
            (Reach::First, _) => {
                self.base.get_or_insert(instant.time);
                !std::mem::replace(&mut self.started, true)
            }
        }
    }

    /// One position on the way through the `X`s.
    fn follow(&mut self, index: usize, clause: &Clause, nexts: &[Interval], present: &Present<'_>, book: &mut Book) {
        let instant = present.instant;
        let at = At { position: instant.position, origin: instant.origin(index) };
        if let Some(before) = self.base
            && !nexts[instant.position as usize - 1].contains(instant.time - before)
        {
            self.cut_off = true;
            self.miss_next(clause, at, Cause::Position { position: instant.position, decider: instant.decider() }, book);
        }
        self.base = Some(instant.time);
        self.latest = Some(at);
        self.started = self.cut_off || instant.position == nexts.len() as u64;
    }

    /// There is no position where an `X` looks for one.
    fn miss_next(&mut self, clause: &Clause, at: At, cause: Cause, book: &mut Book) {
        self.activated += 1;
        self.violated += 1;
        book.next_missing(clause, at, cause);
    }

    pub(super) fn learn_antecedent(
        &mut self,
        clause: &Clause,
        fact: Fact,
        negated: bool,
        cause: Cause,
        evidence: &mut Evidence<'_, '_>,
        book: &mut Book,
    ) {
        let value = fact.value != negated;
        self.for_each_in(fact, |account, mut obligation| {
            if !value {
                return None;
            }
            obligation.active = true;
            account.activated += obligation.count;
            account.keep_or_close(clause, obligation, cause, evidence, book)
        });
    }

    pub(super) fn learn_consequent(
        &mut self,
        clause: &Clause,
        fact: Fact,
        negated: bool,
        cause: Cause,
        evidence: &mut Evidence<'_, '_>,
        book: &mut Book,
    ) {
        let value = fact.value != negated;
        self.for_each_in(fact, |account, mut obligation| {
            obligation.consequent = Some(Known { value, blame: fact.blame.0, time: cause.time() });
            account.keep_or_close(clause, obligation, cause, evidence, book)
        });
    }

    /// Calls `change` on each obligation that a fact speaks of; `None` takes it off the list.
    ///
    /// INVARIANT: a fact speaks of all positions of an obligation or of none; `compact` joins only such.
    fn for_each_in(&mut self, fact: Fact, mut change: impl FnMut(&mut Self, Obligation) -> Option<Obligation>) {
        let mut at = self.open.partition_point(|obligation| obligation.to < fact.from);
        while let Some(&obligation) = self.open.get(at) {
            if obligation.from > fact.to {
                return;
            }
            if let Some(kept) = change(self, obligation) {
                self.open[at] = kept;
                at += 1;
            } else {
                self.open.remove(at);
            }
        }
    }

    fn keep_or_close(
        &mut self,
        clause: &Clause,
        obligation: Obligation,
        cause: Cause,
        evidence: &mut Evidence<'_, '_>,
        book: &mut Book,
    ) -> Option<Obligation> {
        if !obligation.active || obligation.consequent.is_none() {
            return Some(obligation);
        }
        self.close(clause, obligation, cause, evidence, book);
        None
    }

    /// An obligation whose antecedent holds and whose consequent is known.
    fn close(
        &mut self,
        clause: &Clause,
        obligation: Obligation,
        cause: Cause,
        evidence: &mut Evidence<'_, '_>,
        book: &mut Book,
    ) {
        let Some(known) = obligation.consequent else { return };
        if known.value {
            self.satisfied += obligation.count;
            self.add_duration(obligation, known.time);
        } else {
            self.violated += obligation.count;
            let at = At { position: obligation.from, origin: obligation.first };
            book.violation(clause, at, obligation.to, cause, NodeId(known.blame), evidence);
        }
    }

    fn add_duration(&mut self, obligation: Obligation, until: Timestamp) {
        let new = Durations {
            min: until - obligation.last_time,
            max: until - obligation.first.time,
            sum: until.ticks() * i128::from(obligation.count) - obligation.times,
            count: obligation.count,
        };
        self.durations = Some(self.durations.map_or(new, |known| add_durations(known, new)));
    }

    /// Joins the newest obligation with the one before, where all share one fate: consecutive positions are reported
    /// as one range anyway, and beyond what a report can list only numbers matter.
    #[inline]
    pub(super) fn compact(&mut self, clause: &Clause, most_listed: usize) {
        if !clause.one_fate || self.open.len() < 2 {
            return;
        }
        let last = self.open.len() - 1;
        let (before, newest) = (self.open[last - 1], self.open[last]);
        if before.to + 1 == newest.from || self.open.len() > most_listed {
            self.open.pop_back();
            self.open[last - 1] = Obligation {
                to: newest.to,
                last_time: newest.last_time,
                times: before.times + newest.times,
                count: before.count + newest.count,
                ..before
            };
        }
    }

    pub(super) fn pending(&self) -> u64 {
        self.open.iter().filter(|obligation| obligation.active).map(|obligation| obligation.count).sum()
    }

    #[inline]
    pub(super) fn may_settle(&self) -> bool {
        self.started && self.open.is_empty()
    }

    pub(super) fn settled(&self, clause: &Clause, frontier: Timestamp) -> bool {
        self.may_settle() && (self.cut_off || clause.is_over(self.base, frontier))
    }

    /// Whether the clause is true whatever comes: an obligation that is met, but whose antecedent is not yet known,
    /// does not stand against it.
    pub(super) fn decided(&self, clause: &Clause, frontier: Timestamp) -> bool {
        let met = |obligation: &Obligation| obligation.consequent.is_some_and(|known| known.value);
        self.started && clause.is_over(self.base, frontier) && self.open.iter().all(met)
    }

    /// A complete trace ended. An `X` beyond its end is one violation, at the last position.
    pub(super) fn end(&mut self, clause: &Clause, cause: Cause, book: &mut Book) {
        if !self.started
            && let Some(latest) = self.latest
        {
            self.miss_next(clause, latest, cause, book);
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

pub(super) fn add_durations(left: Durations, right: Durations) -> Durations {
    Durations {
        min: left.min.min(right.min),
        max: left.max.max(right.max),
        sum: left.sum + right.sum,
        count: left.count + right.count,
    }
}
