// SPDX-License-Identifier: MIT OR Apache-2.0
//! The positions of the properties that see simultaneous events alike, and who must be looked at when.
//!
//! A property that no event of a position concerns, and none of whose deadlines passes, is not visited: a spec may have
//! many properties, and most events concern few of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, Simultaneous};
use serde::{Deserialize, Serialize};

use crate::network::{self, Network};
use crate::noted::Noted;
use crate::positions::Gathered;
use crate::terms::variables::Variables;

/// One property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) network: network::State,
    #[serde(skip)]
    pub(crate) scratch: network::Scratch,
    /// The position that is being gathered.
    pub(crate) gathered: Gathered,
    /// The earliest alarm that is set for it.
    armed: Timestamp,
    /// One more than the last position it was visited at.
    visited: u64,
}

impl Run {
    pub(crate) fn new(network: &Network, max_violations: usize) -> Self {
        Run {
            network: network.start(max_violations),
            scratch: network.scratch(),
            gathered: Gathered::new(network),
            armed: Timestamp::MAX,
            visited: 0,
        }
    }
}

/// COST: a position costs the visits it needs, and O(log properties) for each alarm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lane {
    simultaneous: Simultaneous,
    positions: u64,
    last_time: Timestamp,
    /// No later position is earlier than this.
    frontier: Timestamp,
    /// Properties that look at every position.
    restless: Vec<u32>,
    /// Properties that an event of the open position concerns.
    concerned: Vec<u32>,
    /// When the other properties must be looked at even if no event concerns them.
    alarms: BinaryHeap<Reverse<(Timestamp, u32)>>,
    /// Violations of all properties together, if someone counts them.
    #[serde(skip)]
    pub(crate) noted: Noted,
}

impl Lane {
    pub(crate) fn new(networks: &[Network], simultaneous: Simultaneous) -> Self {
        let mut lane = Lane {
            simultaneous,
            positions: 0,
            last_time: Timestamp::MIN,
            frontier: Timestamp::MIN,
            restless: Vec::new(),
            concerned: Vec::new(),
            alarms: BinaryHeap::new(),
            noted: Noted::default(),
        };
        lane.restart(networks);
        lane
    }

    /// Forgets everything, as if it were new.
    pub(crate) fn restart(&mut self, networks: &[Network]) {
        let members = (0_u32..).zip(networks).filter(|(_, network)| network.core.simultaneous == self.simultaneous);
        self.positions = 0;
        (self.last_time, self.frontier) = (Timestamp::MIN, Timestamp::MIN);
        self.restless.clear();
        self.restless.extend(members.map(|(id, _)| id));
        self.concerned.clear();
        self.alarms.clear();
        self.noted = Noted::default();
    }

    pub(crate) fn positions(&self) -> u64 {
        self.positions
    }

    /// An event of the open position concerns a property for the first time.
    #[inline]
    pub(crate) fn concern(&mut self, property: usize) {
        self.concerned.push(property as u32);
    }

    /// The open position, whose first event this is, is complete.
    #[inline]
    pub(crate) fn close(&mut self, networks: &[Network], runs: &mut [Run], variables: &Variables, first: &Origin) {
        let position = self.positions;
        self.positions += 1;
        self.last_time = first.time;
        let least_gap = i128::from(self.simultaneous == Simultaneous::Merge);
        self.frontier = Timestamp::from_ticks(first.time.ticks() + least_gap);
        while let Some(id) = self.next_alarm(self.frontier) {
            runs[id].armed = Timestamp::MAX;
            self.visit(networks, runs, variables, id, position, first);
        }
        if !self.restless.is_empty() {
            self.visit_restless(networks, runs, variables, position, first);
        }
        while let Some(id) = self.concerned.pop() {
            self.visit(networks, runs, variables, id as usize, position, first);
        }
    }

    #[allow(clippy::inline_always)] // one call, in the innermost loop: measured
    #[inline(always)]
    fn visit(
        &mut self,
        networks: &[Network],
        runs: &mut [Run],
        variables: &Variables,
        id: usize,
        position: u64,
        first: &Origin,
    ) {
        let run = &mut runs[id];
        if std::mem::replace(&mut run.visited, position + 1) <= position {
            let before = self.noted.before(|| run.network.violated());
            networks[id].position(&mut run.network, &mut run.scratch, position, &run.gathered, variables, first);
            self.noted.after(before, || run.network.violated());
            run.gathered.clear();
            self.arm(run, id);
        }
    }

    #[allow(clippy::inline_always)] // one call, in the innermost loop: measured
    #[inline(always)]
    fn visit_restless(
        &mut self,
        networks: &[Network],
        runs: &mut [Run],
        variables: &Variables,
        position: u64,
        first: &Origin,
    ) {
        let mut index = 0;
        while let Some(&id) = self.restless.get(index) {
            self.visit(networks, runs, variables, id as usize, position, first);
            if runs[id as usize].network.skips_idle() {
                self.restless.swap_remove(index);
                self.arm(&mut runs[id as usize], id as usize);
            } else {
                index += 1;
            }
        }
    }

    /// Sets an alarm for the earliest deadline, unless an earlier one is set or the property is looked at anyway.
    #[inline]
    fn arm(&mut self, run: &mut Run, id: usize) {
        let wake = run.network.wake();
        if wake < run.armed && run.network.skips_idle() {
            run.armed = wake;
            self.alarms.push(Reverse((wake, id as u32)));
        }
    }

    /// Takes the next alarm before a time.
    #[inline]
    fn next_alarm(&mut self, before: Timestamp) -> Option<usize> {
        let Reverse((wake, id)) = *self.alarms.peek()?;
        (wake < before).then(|| {
            self.alarms.pop();
            id as usize
        })
    }

    /// Nothing earlier than `to` will come.
    pub(crate) fn advance(&mut self, networks: &[Network], runs: &mut [Run], to: Timestamp) {
        while let Some(id) = self.next_alarm(to) {
            runs[id].armed = Timestamp::MAX;
            self.noted.advance(&networks[id], &mut runs[id], to);
            self.arm(&mut runs[id], id);
        }
        for id in &self.restless {
            self.noted.advance(&networks[*id as usize], &mut runs[*id as usize], to);
        }
        self.frontier = self.frontier.max(to);
    }

    /// Whether positions up to this time can pass unseen that no event concerns.
    pub(crate) fn can_leap(&self, to: Timestamp) -> bool {
        let is_quiet = self.alarms.peek().is_none_or(|Reverse((wake, _))| *wake >= to);
        is_quiet && self.restless.is_empty() && self.concerned.is_empty()
    }

    /// So many positions pass unseen, the last of them at this time.
    pub(crate) fn leap(&mut self, positions: u64, to: Timestamp) {
        self.positions += positions;
        (self.last_time, self.frontier) = (to, to);
    }

    /// The earliest time whose passing may change something.
    pub(crate) fn next_deadline(&self, runs: &[Run]) -> Timestamp {
        let armed = self.alarms.peek().map_or(Timestamp::MAX, |Reverse((wake, _))| *wake);
        self.restless.iter().map(|id| runs[*id as usize].network.wake()).fold(armed, Timestamp::min)
    }

    /// Tells a property that was not visited lately how far things are.
    pub(crate) fn catch_up(&self, network: &Network, run: &mut Run) {
        if network.core.simultaneous == self.simultaneous {
            network.catch_up(&mut run.network, self.positions, self.last_time, self.frontier);
        }
    }

    /// Whether it speaks of properties that there are.
    pub(crate) fn fits(&self, properties: usize) -> bool {
        let known = |id: &u32| (*id as usize) < properties;
        self.restless.iter().all(known)
            && self.concerned.iter().all(known)
            && self.alarms.iter().all(|Reverse((_, id))| known(id))
    }
}

impl Noted {
    fn advance(&mut self, network: &Network, run: &mut Run, to: Timestamp) {
        let before = self.before(|| run.network.violated());
        network.advance(&mut run.network, &mut run.scratch, to);
        self.after(before, || run.network.violated());
    }
}
