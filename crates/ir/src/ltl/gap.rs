// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mean distances, as a backward walk through the window that keeps track of the pairs found.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::value::Comparison;

use super::LtlId;
use super::build::{Builder, LimitExceeded};
use crate::core::Ratio;

/// Knowledge of a backward walk after some instants: enough to determine the mean whatever comes further back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PairingState {
    /// The distance of the end that a start would be paired with: the one seen last, which is the first after it.
    end: Option<u64>,
    /// True if there is a pair.
    paired: bool,
    /// The sum, over the pairs, of distance less bound, times the bound's denominator.
    balance: i128,
}

impl PairingState {
    const NOTHING: PairingState = PairingState { end: None, paired: false, balance: 0 };

    /// Returns the knowledge after one more instant, which is a start, an end, both or neither. A start is paired with
    /// a later end, never with its own instant.
    fn after(self, distance: u64, is_start: bool, is_end: bool, bound: Ratio) -> PairingState {
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
    start: LtlId,
    end: LtlId,
    window: u64,
    comparison: Comparison,
    bound: Ratio,
) -> Result<LtlId, LimitExceeded> {
    if window == 0 || builder.is(start, false) || builder.is(end, false) {
        return Ok(builder.constant(false));
    }
    let levels = levels(window, bound, builder.limits.shared)?;
    let mut later: BTreeMap<PairingState, LtlId> = BTreeMap::new();
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
    Ok(later.get(&PairingState::NOTHING).copied().unwrap_or(builder.constant(false)))
}

/// Returns the states of knowledge that can occur at each distance. They are computed before the walk is built, so that
/// a walk that is too long is refused early.
fn levels(window: u64, bound: Ratio, most: usize) -> Result<Vec<BTreeSet<PairingState>>, LimitExceeded> {
    let mut levels = vec![BTreeSet::from([PairingState::NOTHING])];
    let mut total = 1;
    for distance in 0..window - 1 {
        let mut next = BTreeSet::new();
        for known in &levels[levels.len() - 1] {
            for (is_start, is_end) in [(false, false), (false, true), (true, false), (true, true)] {
                next.insert(known.after(distance, is_start, is_end, bound));
            }
            if total + next.len() > most {
                return Err(LimitExceeded);
            }
        }
        total += next.len();
        levels.push(next);
    }
    Ok(levels)
}

/// `rest` at the instant before; where there is none, what is known already decides.
fn before(builder: &mut Builder, rest: LtlId, accepted: bool) -> Result<LtlId, LimitExceeded> {
    if !accepted {
        return builder.previous(rest);
    }
    let refused = builder.not(rest)?;
    let refused = builder.previous(refused)?;
    builder.not(refused)
}
