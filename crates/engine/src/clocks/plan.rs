// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiled relations between clocks.

use gnomon_ir::core::ClocksCore;

/// A property over clocks, with the items that each clock concerns.
#[derive(Debug)]
pub(crate) struct ClockPlan {
    pub(crate) core: ClocksCore,
    /// For each clock the first of its items in `items`, and the end of the last one.
    starts: Vec<u32>,
    /// The definitions and relations that a clock concerns, clock after clock, in ascending order. The number of a definition is its place,
    /// relations follow.
    items: Vec<u32>,
}

impl ClockPlan {
    pub(crate) fn new(core: &ClocksCore) -> Self {
        let mut users: Vec<Vec<u32>> = vec![vec![]; core.clock_count()];
        let definitions = core.defined.iter().map(|clock| clock.expression.operands().copied().collect::<Vec<_>>());
        let relations = core.relations.iter().map(|one| vec![one.relation.left, one.relation.right]);
        for (item, clocks) in (0_u32..).zip(definitions.chain(relations)) {
            for clock in clocks {
                let of_clock = &mut users[clock.0 as usize];
                if of_clock.last() != Some(&item) {
                    of_clock.push(item);
                }
            }
        }
        // `a ; b` ends with `a`, which dies with a clock that `a ; b` does not mention; it ticks only with `a` or `b`, so that is enough.
        let mut starts = vec![0];
        let mut items = Vec::new();
        for of_clock in users {
            items.extend(of_clock);
            starts.push(items.len() as u32);
        }
        ClockPlan { core: core.clone(), starts, items }
    }

    /// Returns the items that a clock concerns.
    #[inline]
    pub(crate) fn items_of(&self, clock: usize) -> &[u32] {
        &self.items[self.starts[clock] as usize..self.starts[clock + 1] as usize]
    }

    /// Returns the number of definitions and relations.
    pub(crate) fn item_count(&self) -> usize {
        self.core.defined.len() + self.core.relations.len()
    }
}
