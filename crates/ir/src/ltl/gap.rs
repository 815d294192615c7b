// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mean distances: a walk back through the window that knows what it has paired.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::value::Comparison;

use super::Id;
use super::build::{Builder, Full};
use crate::core::Ratio;

/// What a walk back knows after some instants: enough to tell the mean, whatever comes further back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Known {
    /// The distance of the end that a start would be paired with: the one seen last, which is the first after it.
    end: Option<u64>,
    /// Whether there is a pair.
    paired: bool,
    /// The sum, over the pairs, of distance less bound, times the bound's denominator.
    balance: i128,
}

impl Known {
    const NOTHING: Known = Known { end: None, paired: false, balance: 0 };

    /// What is known after the instant at this distance, which is a start, an end, both or neither. A start is paired
    /// with a later end, never with its own instant.
    fn after(self, distance: u64, is_start: bool, is_end: bool, bound: Ratio) -> Known {
        let mut known = self;
        if let (true, Some(end)) = (is_start, self.end) {
            let gap = i128::from(distance - end).saturating_mul(bound.denominator);
            known.balance = known.balance.saturating_add(gap.saturating_sub(bound.numerator));
            known.paired = true;
        }
        if is_end {
            known.end = Some(distance);
        }
        known
    }

    fn accepted(self, comparison: Comparison) -> bool {
        self.paired && comparison.accepts(self.balance.cmp(&0))
    }
}

/// The mean distance in instants from each `start` of the last `window` instants to the first later `end` up to the
/// present, compared with the bound.
// RULE S8
pub(super) fn mean(
    builder: &mut Builder,
    start: Id,
    end: Id,
    window: u64,
    comparison: Comparison,
    bound: Ratio,
) -> Result<Id, Full> {
    if window == 0 || builder.is(start, false) || builder.is(end, false) {
        return Ok(builder.constant(false));
    }
    let levels = levels(window, bound, builder.most_shared())?;
    let mut later: BTreeMap<Known, Id> = BTreeMap::new();
    for (distance, level) in levels.iter().enumerate().rev() {
        let distance = distance as u64;
        let mut here = BTreeMap::new();
        for known in level {
            let go_on = |builder: &mut Builder, is_start: bool, is_end: bool| {
                let after = known.after(distance, is_start, is_end, bound);
                let accepted = after.accepted(comparison);
                let Some(rest) = later.get(&after) else { return Ok(builder.constant(accepted)) };
                before(builder, *rest, accepted)
            };
            let neither = go_on(builder, false, false)?;
            let only_end = go_on(builder, false, true)?;
            let no_start = builder.choose(end, only_end, neither)?;
            let whole = if known.end.is_some() {
                let only_start = go_on(builder, true, false)?;
                let both = go_on(builder, true, true)?;
                let a_start = builder.choose(end, both, only_start)?;
                builder.choose(start, a_start, no_start)?
            } else {
                no_start
            };
            here.insert(*known, whole);
        }
        later = here;
    }
    Ok(later.get(&Known::NOTHING).copied().unwrap_or(builder.constant(false)))
}

/// What may be known at each distance. The walk is laid out before it is built, and refused before it is too long.
fn levels(window: u64, bound: Ratio, most: usize) -> Result<Vec<BTreeSet<Known>>, Full> {
    let mut levels = vec![BTreeSet::from([Known::NOTHING])];
    let mut total = 1;
    for distance in 0..window - 1 {
        let mut next = BTreeSet::new();
        for known in &levels[levels.len() - 1] {
            for (is_start, is_end) in [(false, false), (false, true), (true, false), (true, true)] {
                next.insert(known.after(distance, is_start, is_end, bound));
            }
            if total + next.len() > most {
                return Err(Full);
            }
        }
        total += next.len();
        levels.push(next);
    }
    Ok(levels)
}

/// `rest` at the instant before; where there is none, what is known already decides.
fn before(builder: &mut Builder, rest: Id, accepted: bool) -> Result<Id, Full> {
    if !accepted {
        return builder.previous(rest);
    }
    let refused = builder.not(rest)?;
    let refused = builder.previous(refused)?;
    builder.not(refused)
}
