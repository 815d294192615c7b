// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators with intervals: a walk from instant to instant, in which those without a position are passed over.

use super::Id;
use super::build::{Builder, Full};

/// Where a walk goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Ahead,
    Back,
}

impl Direction {
    fn step(self, builder: &mut Builder, of: Id) -> Result<Id, Full> {
        match self {
            Direction::Ahead => builder.next(of),
            Direction::Back => builder.previous(of),
        }
    }

    /// So many steps. What no step changes is not walked.
    pub(super) fn steps(self, builder: &mut Builder, number: u64, mut of: Id) -> Result<Id, Full> {
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
    /// How many instants a walk takes one by one.
    pub(super) fn far(self) -> u64 {
        self.hi.unwrap_or(self.lo)
    }
}

/// Some instant at one of the distances carries a position with `right`, and every position on the way has `left`.
///
/// An instant without a position on the way is no obstacle (`e -> left`), and at the end no answer (`e && right`).
// RULE S2, S4
pub(super) fn some(
    builder: &mut Builder,
    direction: Direction,
    distances: Distances,
    left: Id,
    right: Id,
) -> Result<Id, Full> {
    let marker = builder.marker();
    let found = builder.and(marker, right)?;
    if builder.is(found, false) {
        return Ok(found);
    }
    let pass = builder.implies(marker, left)?;
    // The walk is built from its far end, so that no depth of recursion limits it.
    let mut walk = match (distances.hi, direction) {
        (Some(_), _) => found,
        (None, Direction::Ahead) => builder.until(pass, found)?,
        (None, Direction::Back) => builder.since(pass, found)?,
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

/// Every position at one of the distances has `of`. What lies beyond the word's end is no position.
// RULE S3
pub(super) fn every(builder: &mut Builder, direction: Direction, distances: Distances, of: Id) -> Result<Id, Full> {
    if distances.hi.is_some() {
        let yes = builder.constant(true);
        let otherwise = builder.not(of)?;
        let broken = some(builder, direction, distances, yes, otherwise)?;
        return builder.not(broken);
    }
    let marker = builder.marker();
    let here = builder.implies(marker, of)?;
    let always = match direction {
        Direction::Ahead => builder.always(here)?,
        Direction::Back => builder.historically(here)?,
    };
    let broken = builder.not(always)?;
    let broken = direction.steps(builder, distances.lo, broken)?;
    builder.not(broken)
}
