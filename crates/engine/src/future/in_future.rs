// SPDX-License-Identifier: MIT OR Apache-2.0
//! `futr`: the value of a part at the last position that is at most K later.

use std::collections::VecDeque;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::{Fact, PartInput, Round, push_fact};
use crate::past::pop_front_if;
use crate::three_valued::{ChangedRange, ThreeValuedHistory};

/// RULE K11. The target of a position is the last position at most K later. It is known when a position beyond K comes, or one at
/// exactly K where none can follow at the same time. Then the position waits for the part's value at its target.
///
/// COST: O(1) amortised; memory: the positions of the last K, and those whose value is still unknown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InFuture {
    reach: Duration,
    /// True if two positions may have the same time.
    ties: bool,
    of: ThreeValuedHistory,
    /// Positions whose target is not yet known, oldest first.
    waiting: VecDeque<(u64, Timestamp)>,
    /// Positions whose target is known, but not the part's value there.
    targets: VecDeque<FutureTarget>,
    last: Option<(u64, Timestamp)>,
}

/// A position and its target.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct FutureTarget {
    position: u64,
    target: u64,
}

impl InFuture {
    pub(crate) fn new(reach: Duration, ties: bool) -> Self {
        let (waiting, targets) = (VecDeque::new(), VecDeque::new());
        InFuture { reach, ties, of: ThreeValuedHistory::default(), waiting, targets, last: None }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn round(&mut self, id: NodeId, of: PartInput<'_>, round: Round, out: &mut Vec<Fact>) {
        self.of.read(of, round.new, &mut ChangedRange::default());
        if let Some((position, time)) = round.new {
            self.settle(position.saturating_sub(1), |end| end < time);
            if round.wanted {
                self.waiting.push_back((position, time));
            }
            if !self.ties {
                self.settle(position, |end| end == time);
            }
            self.last = Some((position, time));
        }
        if let (true, Some((position, time))) = (round.ended, self.last) {
            self.settle(position, |end| end == time);
        }
        self.resolve(id, out);
        if round.ended {
            for (position, _) in self.waiting.drain(..) {
                push_fact(out, Fact { from: position, to: position, value: false, blame: id });
            }
        }
        // Targets are in ascending order.
        let oldest = self.targets.front().map(|one| one.target);
        if let Some(keep) = oldest.or(self.last.map(|(position, _)| position)) {
            self.of.forget_before(keep);
        }
    }

    /// Makes `target` the target of the oldest positions, while `is_over` is true of the end of their reach. All reach equally far.
    fn settle(&mut self, target: u64, is_over: impl Fn(Timestamp) -> bool) {
        // Older positions have left, so at the end only those whose reach ends exactly there are settled.
        let is_settled = |(_, time): &(u64, Timestamp)| is_over(time.saturating_add(self.reach));
        while let Some((position, _)) = pop_front_if(&mut self.waiting, is_settled) {
            self.targets.push_back(FutureTarget { position, target });
        }
    }

    fn resolve(&mut self, id: NodeId, out: &mut Vec<Fact>) {
        let of = &self.of;
        self.targets.retain(|one| {
            let Some(value) = of.get(one.target) else { return true };
            push_fact(out, Fact { from: one.position, to: one.position, value, blame: id });
            false
        });
    }
}
