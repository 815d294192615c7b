// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests with ids of their own, thousands of them open at a time.

use std::collections::VecDeque;

use super::{TraceEvent, TraceSource};
use crate::draws::Draws;
use crate::workload::{BOUND, LIVE_CALLS, LIVE_REQUESTS, SERVICES};

/// Waiting time of a request, half of all events being requests.
const WAIT: u64 = 8;

/// The answer goes to one of this many oldest requests, so that no request waits much longer than the others.
const OLDEST: u64 = 256;

/// Waiting time of a delayed request, which exceeds the bound.
const LATE: u64 = BOUND + 2;

/// A request without an answer yet.
#[derive(Clone, Copy)]
struct Request {
    id: u64,
    time: u64,
}

/// Generates requests and answers. The trace ends with the answers to all open requests, so that late answers are its only
/// violations.
pub(super) struct RequestSource {
    random: Draws,
    /// The names of requests and answers; those of an id are chosen by the id.
    names: &'static [(&'static str, &'static str)],
    /// Number of concurrently open requests.
    live: u64,
    /// True if rules check them: then a late answer violates two rules, and a request open at the end none.
    are_ruled: bool,
    events: u64,
    violations: u64,
    open: VecDeque<Request>,
    /// Requests that will be answered late, oldest first.
    delayed: VecDeque<Request>,
    last_id: u64,
}

impl RequestSource {
    pub(super) fn new(events: u64, seed: u64) -> Self {
        Self::of(&[("request", "response")], LIVE_REQUESTS, false, events, seed)
    }

    /// Requests to several services. A late answer violates the rule of its request and its own.
    pub(super) fn services(events: u64, seed: u64) -> Self {
        Self::of(&SERVICES, LIVE_CALLS, true, events, seed)
    }

    fn of(names: &'static [(&'static str, &'static str)], live: u64, are_ruled: bool, events: u64, seed: u64) -> Self {
        let (open, delayed) = (VecDeque::new(), VecDeque::new());
        let random = Draws::new(seed);
        RequestSource { random, names, live, are_ruled, events, violations: 0, open, delayed, last_id: 0 }
    }

    /// Returns the request that is answered now. Near the end of the trace no request is delayed.
    fn due(&mut self, time: u64, is_ending: bool) -> Option<Request> {
        if self.delayed.front().is_some_and(|request| time - request.time >= LATE)
            || (is_ending && self.open.is_empty())
        {
            return self.delayed.pop_front();
        }
        let place = self.random.below(OLDEST.min(self.open.len() as u64)) as usize;
        self.open.swap(0, place);
        let request = self.open.pop_front()?;
        if !is_ending && self.random.in_100_000(2) {
            self.delayed.push_back(request);
            return self.open.pop_front();
        }
        Some(request)
    }
}

impl TraceSource for RequestSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        let time = index / (2 * self.live / WAIT);
        let live = (self.open.len() + self.delayed.len()) as u64;
        let is_ending = live >= self.events - index;
        let answered = if is_ending || live >= self.live { self.due(time, is_ending) } else { None };
        if let Some(request) = answered {
            self.violations += u64::from(time - request.time > BOUND);
            let (_, name) = self.names[(request.id % self.names.len() as u64) as usize];
            return TraceEvent { name, time, data: [Some(request.id), None] };
        }
        self.last_id += 1;
        self.open.push_back(Request { id: self.last_id, time });
        let (name, _) = self.names[(self.last_id % self.names.len() as u64) as usize];
        TraceEvent { name, time, data: [Some(self.last_id), None] }
    }

    fn violations(&self, _: u64) -> u64 {
        if self.are_ruled {
            return 2 * self.violations;
        }
        self.violations + (self.open.len() + self.delayed.len()) as u64
    }
}
