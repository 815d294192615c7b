// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ticks of clocks in pairs, of which one follows the other.

use super::{TraceEvent, TraceSource};
use crate::draws::Draws;
use crate::workload::{CLOCKS, LEAD};

/// Random ticks that keep the relations of [`Workload::Clocks`](crate::workload::Workload::Clocks), apart from some in 100,000: these are
/// ticks of `close`, the right clock of the second pair, that come one tick too early.
pub(super) struct ClockSource {
    random: Draws,
    violations: u64,
    /// For each pair, the number of ticks by which the left clock is ahead. It never falls below 0 but in the second pair.
    leads: [i64; CLOCKS.len()],
}

impl ClockSource {
    pub(super) fn new(seed: u64) -> Self {
        ClockSource { random: Draws::new(seed), violations: 0, leads: [0; CLOCKS.len()] }
    }
}

impl TraceSource for ClockSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        let pair = self.random.below(CLOCKS.len() as u64) as usize;
        let (left, right) = CLOCKS[pair];
        let tick = |name| TraceEvent { name, time: index, data: [None, None] };
        let any = self.random.below(2) == 0;
        let lead = &mut self.leads[pair];
        let is_left = match pair {
            0 => *lead == 0,
            1 if *lead <= 0 && self.random.in_100_000(100) => {
                self.violations += 1;
                false
            }
            1 => *lead <= 0 || (any && *lead < 4),
            2 => *lead <= 0 || (any && *lead < LEAD as i64),
            4 => any,
            _ => *lead <= 0 || any,
        };
        *lead += if is_left { 1 } else { -1 };
        tick(if is_left { left } else { right })
    }

    fn violations(&self, _: u64) -> u64 {
        self.violations
    }
}
