// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of events without data, one a time unit.

use std::collections::VecDeque;

use super::{TraceEvent, TraceSource};
use crate::draws::Draws;
use crate::workload::{Arrival, PlainWorkload, WINDOW};

/// Generates events without data.
pub(super) struct PlainSource {
    workload: PlainWorkload,
    random: Draws,
    violations: u64,
    /// Requests without an answer, or counted events in the window.
    open: VecDeque<u64>,
    /// Time of the next answer.
    due: Option<u64>,
    checked: bool,
    last_tick: u64,
}

impl PlainSource {
    pub(super) fn new(workload: PlainWorkload, seed: u64) -> Self {
        let random = Draws::new(seed);
        PlainSource { workload, random, violations: 0, open: VecDeque::new(), due: None, checked: false, last_tick: 0 }
    }

    /// Returns the event at this time. The strict `G` does not cover the first position, so its event is neutral.
    fn name_at(&mut self, time: u64) -> &'static str {
        if time == 0 {
            return "other";
        }
        match self.workload {
            PlainWorkload::Response(Arrival::OneByOne, bound) => {
                if self.due.is_none() && self.random.below(2) == 0 {
                    return self.request(time, bound, "start");
                }
                self.answer(time, bound, "complete")
            }
            PlainWorkload::Response(Arrival::Overlapping, bound) => {
                if self.due != Some(time) && self.random.below(5) == 0 {
                    return self.request(time, bound, "req");
                }
                self.answer(time, bound, "ack")
            }
            PlainWorkload::Precedence => self.precedence(),
            PlainWorkload::Count { limit, share } => self.count(time, limit, share),
            PlainWorkload::Recurrence(bound) => self.recurrence(time, bound),
        }
    }

    fn request(&mut self, time: u64, bound: u64, name: &'static str) -> &'static str {
        self.open.push_back(time);
        if self.due.is_none() {
            self.due = Some(time + self.distance(bound));
        }
        name
    }

    fn answer(&mut self, time: u64, bound: u64, name: &'static str) -> &'static str {
        if self.due != Some(time) {
            return "other";
        }
        self.due = None;
        self.violations += self.open.drain(..).filter(|&request| time - request > bound).count() as u64;
        name
    }

    /// Returns the distance to the next event: within the bound, in two of 100,000 cases two units beyond.
    fn distance(&mut self, bound: u64) -> u64 {
        if self.random.in_100_000(2) { bound + 2 } else { 1 + self.random.below(bound) }
    }

    fn precedence(&mut self) -> &'static str {
        let logs_on = if self.checked { self.random.below(5) == 0 } else { self.random.in_100_000(2) };
        if logs_on {
            self.violations += u64::from(!self.checked);
            self.checked = false;
            return "logon";
        }
        if self.random.below(6) == 0 {
            self.checked = true;
            return "check";
        }
        "other"
    }

    fn count(&mut self, time: u64, limit: u64, share: u64) -> &'static str {
        while self.open.front().is_some_and(|&counted| counted + WINDOW <= time) {
            self.open.pop_front();
        }
        if self.random.in_100_000(share) {
            self.open.push_back(time);
            return "withdraw";
        }
        if self.random.in_100_000(5_000) {
            self.violations += u64::from(self.open.len() as u64 > limit);
            return "logoff";
        }
        "other"
    }

    fn recurrence(&mut self, time: u64, bound: u64) -> &'static str {
        let due = match self.due {
            Some(due) => due,
            None => self.last_tick + self.distance(bound),
        };
        if due > time {
            self.due = Some(due);
            return "other";
        }
        // Of the positions since the last tick, those further away than the bound are violations.
        self.violations += (time - bound.min(time)).saturating_sub(self.last_tick.max(1));
        self.last_tick = time;
        self.due = None;
        "tick"
    }
}

impl TraceSource for PlainSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        TraceEvent { name: self.name_at(index), time: index, data: [None; 2] }
    }

    /// Requests open at the end are violations.
    fn violations(&self, events: u64) -> u64 {
        match self.workload {
            PlainWorkload::Response(..) => self.violations + self.open.len() as u64,
            PlainWorkload::Precedence | PlainWorkload::Count { .. } => self.violations,
            PlainWorkload::Recurrence(_) => self.violations + events.saturating_sub(self.last_tick.max(1)),
        }
    }
}
