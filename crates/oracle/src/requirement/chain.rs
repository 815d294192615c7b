// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events one after the other: every way to pick them.

use gnomon_ir::core::AtomId;

use super::Sight;

/// Every choice of events, each later than the one before it, that match these atoms in this order.
// RULE R9, R10
pub(super) fn chains(atoms: &[AtomId], events: &[Sight]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![vec![]];
    for atom in atoms {
        let longer = |chain: &Vec<usize>| {
            let from = chain.last().map_or(0, |last| last + 1);
            let chain = chain.clone();
            let next = (from..events.len()).filter(|index| events[*index].is(*atom));
            next.map(move |index| [chain.as_slice(), &[index]].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}
