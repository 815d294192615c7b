// SPDX-License-Identifier: MIT OR Apache-2.0
//! `f && g && …` where some part waits for the future.

use std::collections::VecDeque;

use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use crate::fact::Fact;

/// RULE K4. A false part settles a position at once, whatever the others still wait for.
///
/// COST: O(parts) per wanted position and fact; memory: the undecided positions, as runs that wait for the same parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Conjunction {
    undecided: VecDeque<Waiting>,
}

/// Positions that wait for the same parts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    from: u64,
    to: u64,
    /// A bit for each part that is not yet known.
    parts: u64,
}

impl Conjunction {
    /// A new position waits for these parts; what was known at once was true.
    pub(crate) fn open(&mut self, position: u64, parts: u64) {
        match self.undecided.back_mut() {
            Some(last) if last.to + 1 == position && last.parts == parts => last.to = position,
            _ => self.undecided.push_back(Waiting { from: position, to: position, parts }),
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// A part tells a fact.
    pub(crate) fn learn(&mut self, id: NodeId, part: usize, fact: Fact, out: &mut Vec<Fact>) {
        let mut index = self.undecided.partition_point(|waiting| waiting.to < fact.from);
        while let Some(&waiting) = self.undecided.get(index) {
            if waiting.from > fact.to {
                return;
            }
            if waiting.parts >> part & 1 == 0 {
                index += 1;
                continue;
            }
            let (from, to) = (waiting.from.max(fact.from), waiting.to.min(fact.to));
            let left = waiting.parts & !(1 << part);
            let decided = !fact.value || left == 0;
            if decided {
                let blame = if fact.value { id } else { fact.blame };
                out.push(Fact { from, to, value: fact.value, blame });
            }
            let before = (waiting.from < from).then(|| Waiting { to: from - 1, ..waiting });
            let within = (!decided).then_some(Waiting { from, to, parts: left });
            let after = (to < waiting.to).then(|| Waiting { from: to + 1, ..waiting });
            index = self.replace(index, [before, within, after]);
        }
    }

    /// Puts the pieces in the place of one run; gives the index after them.
    fn replace(&mut self, index: usize, pieces: [Option<Waiting>; 3]) -> usize {
        let mut pieces = pieces.into_iter().flatten();
        match pieces.next() {
            None => {
                self.undecided.remove(index);
                return index;
            }
            Some(first) => self.undecided[index] = first,
        }
        let mut next = index + 1;
        for piece in pieces {
            self.undecided.insert(next, piece);
            next += 1;
        }
        next
    }
}
