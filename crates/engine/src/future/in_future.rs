// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether something holds at the last position at most K later.

use std::collections::VecDeque;

use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::chain::tell;
use super::{Input, Round};
use crate::delayed::history::History;
use crate::fact::Fact;

/// RULE K11. A position learns which one is meant when a position beyond K comes, or one at exactly K where none can follow
/// at the same time; then it waits for what holds there.
///
/// COST: O(1) amortised; memory: the positions of the last K, and those whose value is still open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InFuture {
    reach: Duration,
    /// Whether two positions may have the same time.
    ties: bool,
    of: History,
    /// Positions that do not know yet which one is meant, oldest first.
    waiting: VecDeque<(u64, Timestamp)>,
    /// Positions that know which one is meant, but not what holds there.
    meant: VecDeque<Meant>,
    last: Option<(u64, Timestamp)>,
}

/// For a position, the one that is meant.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Meant {
    by: u64,
    position: u64,
}

impl InFuture {
    pub(crate) fn new(reach: Duration, ties: bool) -> Self {
        let (waiting, meant) = (VecDeque::new(), VecDeque::new());
        InFuture { reach, ties, of: History::default(), waiting, meant, last: None }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn round(&mut self, id: NodeId, of: Input<'_>, round: Round, out: &mut Vec<Fact>) {
        self.of.read(of, round.new);
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
                tell(out, Fact { from: position, to: position, value: false, blame: id });
            }
        }
        // What is meant later is never before.
        let oldest = self.meant.front().map(|meant| meant.position);
        if let Some(keep) = oldest.or(self.last.map(|(position, _)| position)) {
            self.of.forget_before(keep);
        }
    }

    /// The oldest positions whose reach ends like this mean this position. All reach equally far.
    fn settle(&mut self, position: u64, is_over: impl Fn(Timestamp) -> bool) {
        while let Some((by, time)) = self.waiting.front().copied() {
            let end = time.saturating_add(self.reach);
            if !is_over(end) {
                // At the end only those whose reach ends exactly there are settled: older ones are gone.
                return;
            }
            self.waiting.pop_front();
            self.meant.push_back(Meant { by, position });
        }
    }

    fn resolve(&mut self, id: NodeId, out: &mut Vec<Fact>) {
        let of = &self.of;
        self.meant.retain(|meant| {
            let value = if of.trues.contains(meant.position) {
                true
            } else if of.falses.contains(meant.position) {
                false
            } else {
                return true;
            };
            tell(out, Fact { from: meant.by, to: meant.by, value, blame: id });
            false
        });
    }
}
