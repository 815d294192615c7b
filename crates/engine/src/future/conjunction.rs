// SPDX-License-Identifier: MIT OR Apache-2.0
//! `f && g && …`, where some part waits for the future.

use std::collections::VecDeque;

use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::Fact;

/// RULE K4. One false part decides a position immediately, even if other parts are unknown.
///
/// COST: O(parts) per wanted position and fact; memory: the undecided positions, as ranges that wait for the same parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Conjunction {
    undecided: VecDeque<UndecidedRun>,
}

/// A range of positions that wait for the same parts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct UndecidedRun {
    from: u64,
    to: u64,
    /// A bit for each part that is unknown.
    parts: u64,
}

impl Conjunction {
    /// Adds a position that waits for these parts. The parts that are known immediately are true there.
    pub(crate) fn open(&mut self, position: u64, parts: u64) {
        match self.undecided.back_mut() {
            Some(last) if last.to + 1 == position && last.parts == parts => last.to = position,
            _ => self.undecided.push_back(UndecidedRun { from: position, to: position, parts }),
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// Takes in a fact of one part.
    pub(crate) fn learn(&mut self, id: NodeId, part: usize, fact: Fact, out: &mut Vec<Fact>) {
        let mut index = self.undecided.partition_point(|range| range.to < fact.from);
        while let Some(&range) = self.undecided.get(index) {
            if range.from > fact.to {
                return;
            }
            if range.parts >> part & 1 == 0 {
                index += 1;
                continue;
            }
            let (from, to) = (range.from.max(fact.from), range.to.min(fact.to));
            let unknown = range.parts & !(1 << part);
            let decided = !fact.value || unknown == 0;
            if decided {
                let blame = if fact.value { id } else { fact.blame };
                out.push(Fact { from, to, value: fact.value, blame });
            }
            let before = (range.from < from).then(|| UndecidedRun { to: from - 1, ..range });
            let within = (!decided).then_some(UndecidedRun { from, to, parts: unknown });
            let after = (to < range.to).then(|| UndecidedRun { from: to + 1, ..range });
            index = self.replace(index, [before, within, after]);
        }
    }

    /// Replaces a range by its pieces and returns the index after them.
    fn replace(&mut self, index: usize, pieces: [Option<UndecidedRun>; 3]) -> usize {
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
