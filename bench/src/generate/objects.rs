// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls of objects: iterators that are asked before they are advanced, and threads that take and release locks.

use super::{TraceEvent, TraceSource};
use crate::draws::Draws;
use crate::workload::{LIVE_ITERATORS, LOCK_DEPTH, LOCK_THREADS};

/// Iterators that are all in use from their first event on. Two in 100,000 calls advance one that was not asked whether it has a next element.
pub(super) struct CallSource {
    random: Draws,
    violations: u64,
    /// For each iterator, true if it was asked since it was advanced last.
    asked: Vec<bool>,
}

impl CallSource {
    pub(super) fn new(seed: u64) -> Self {
        CallSource { random: Draws::new(seed), violations: 0, asked: vec![] }
    }
}

impl TraceSource for CallSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        let call = |name, iterator| TraceEvent { name, time: index, data: [Some(iterator), None] };
        if index < LIVE_ITERATORS {
            self.asked.push(true);
            return call("hasnext", index);
        }
        let iterator = self.random.below(LIVE_ITERATORS);
        let asked = &mut self.asked[iterator as usize];
        if *asked {
            *asked = false;
            return call("next", iterator);
        }
        if self.random.in_100_000(2) {
            self.violations += 1;
            return call("next", iterator);
        }
        *asked = true;
        call("hasnext", iterator)
    }

    fn violations(&self, _: u64) -> u64 {
        self.violations
    }
}

/// Threads with nested locks. Two in 100,000 calls release a lock that was not taken.
pub(super) struct LockSource {
    random: Draws,
    violations: u64,
    /// The locks that each thread has.
    depths: Vec<u64>,
}

impl LockSource {
    pub(super) fn new(seed: u64) -> Self {
        LockSource { random: Draws::new(seed), violations: 0, depths: vec![0; LOCK_THREADS as usize] }
    }
}

impl TraceSource for LockSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        let thread = self.random.below(LOCK_THREADS);
        let call = |name| TraceEvent { name, time: index, data: [Some(thread), None] };
        let depth = &mut self.depths[thread as usize];
        if *depth == 0 && self.random.in_100_000(40) {
            self.violations += 1;
            return call("unlock");
        }
        if *depth == 0 || (*depth < LOCK_DEPTH && self.random.below(2) == 0) {
            *depth += 1;
            return call("lock");
        }
        *depth -= 1;
        call("unlock")
    }

    fn violations(&self, _: u64) -> u64 {
        self.violations
    }
}
