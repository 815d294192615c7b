// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators with intervals: a walk from instant to instant that skips instants without a position.

use super::LtlId;
use super::build::{Builder, LimitExceeded};

/// Direction of a walk over instants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WalkDirection {
    Ahead,
    Back,
}

impl WalkDirection {
    fn step(self, builder: &mut Builder, of: LtlId) -> Result<LtlId, LimitExceeded> {
        match self {
            WalkDirection::Ahead => builder.next(of),
            WalkDirection::Back => builder.previous(of),
        }
    }

    /// Applies `number` steps. Stops early if a step changes nothing.
    pub(super) fn steps(self, builder: &mut Builder, number: u64, mut of: LtlId) -> Result<LtlId, LimitExceeded> {
        for _ in 0..number {
            let further = self.step(builder, of)?;
            if further == of {
                break;
            }
            of = further;
        }
        Ok(of)
    }
}

/// Distances in instants; never none, never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Distances {
    pub(super) lo: u64,
    pub(super) hi: Option<u64>,
}

impl Distances {
    /// Returns the number of instants that a walk visits one by one.
    pub(super) fn far(self) -> u64 {
        self.hi.unwrap_or(self.lo)
    }
}

/// Some instant at one of the distances carries a position with `right`, and every position on the way has `left`.
///
/// An instant without a position does not break `left` on the way (`e -> left`), and does not satisfy `right` at the end (`e && right`).
// RULE S2, S4
pub(super) fn some(
    builder: &mut Builder,
    direction: WalkDirection,
    distances: Distances,
    left: LtlId,
    right: LtlId,
) -> Result<LtlId, LimitExceeded> {
    let marker = builder.marker();
    let found = builder.and(marker, right)?;
    if builder.is(found, false) {
        return Ok(found);
    }
    let pass = builder.implies(marker, left)?;
    // The walk is built from its far end, so that no depth of recursion limits it.
    let mut walk = match (distances.hi, direction) {
        (Some(_), _) => found,
        (None, WalkDirection::Ahead) => builder.until(pass, found)?,
        (None, WalkDirection::Back) => builder.since(pass, found)?,
    };
    for distance in (1..distances.far()).rev() {
        let beyond = direction.step(builder, walk)?;
        walk = builder.and(pass, beyond)?;
        if distance >= distances.lo {
            walk = builder.or(found, walk)?;
        }
    }
    direction.step(builder, walk)
}

/// Every position at one of the distances has `of`. Beyond the end of the word there are no positions.
// RULE S3
pub(super) fn every(
    builder: &mut Builder,
    direction: WalkDirection,
    distances: Distances,
    of: LtlId,
) -> Result<LtlId, LimitExceeded> {
    if distances.hi.is_some() {
        let yes = builder.constant(true);
        let otherwise = builder.not(of)?;
        let broken = some(builder, direction, distances, yes, otherwise)?;
        return builder.not(broken);
    }
    let marker = builder.marker();
    let here = builder.implies(marker, of)?;
    let always = match direction {
        WalkDirection::Ahead => builder.always(here)?,
        WalkDirection::Back => builder.historically(here)?,
    };
    let broken = builder.not(always)?;
    let broken = direction.steps(builder, distances.lo, broken)?;
    builder.not(broken)
}
