// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts over windows: all ways to choose a number of instants, with common prefixes written once.

use gnomon_core::value::Comparison;

use super::LtlId;
use super::build::{Builder, LimitExceeded};
use super::metric::WalkDirection;
use crate::core::Ratio;

/// `hit` is true at `number` or more of the last `window` instants, the present one among them.
///
/// With `c(n, k)` for `n` of the last `k`: `c(n, k) = hit && Y c(n-1, k-1) || Y c(n, k-1)`.
// RULE S5
pub(super) fn at_least(builder: &mut Builder, hit: LtlId, number: u64, window: u64) -> Result<LtlId, LimitExceeded> {
    if number == 0 {
        return Ok(builder.constant(true));
    }
    if number > window || builder.is(hit, false) {
        return Ok(builder.constant(false));
    }
    // `row` has c(first, k), c(first + 1, k), … up to the smaller of `number` and k; what the result does not need, it
    // has not.
    let mut row: Vec<LtlId> = Vec::new();
    let mut first = 1;
    for k in 1..=window {
        let lowest = number.saturating_sub(window - k).max(1);
        let mut next = Vec::with_capacity(row.len() + 1);
        for n in lowest..=number.min(k) {
            let before = |n: u64| row.get(usize::try_from(n.checked_sub(first)?).ok()?).copied();
            let (fewer, as_many) = (if n == 1 { None } else { before(n - 1) }, before(n));
            let mut with = hit;
            if let Some(fewer) = fewer {
                let earlier = builder.previous(fewer)?;
                with = builder.and(hit, earlier)?;
            }
            next.push(match as_many {
                Some(as_many) => {
                    let without = builder.previous(as_many)?;
                    builder.or(with, without)?
                }
                None => with,
            });
        }
        (row, first) = (next, lowest);
    }
    Ok(row.last().copied().unwrap_or(builder.constant(false)))
}

/// `hit` is true at `number` or more of the instants of some step: steps of `step` instants from the present backwards,
/// the last one shorter if `window` is not a multiple of `step`.
// RULE S7
pub(super) fn at_least_in_a_step(
    builder: &mut Builder,
    hit: LtlId,
    number: u64,
    window: u64,
    step: u64,
) -> Result<LtlId, LimitExceeded> {
    if number == 0 {
        return Ok(builder.constant(true));
    }
    let whole_step = at_least(builder, hit, number, step.min(window))?;
    if builder.is(whole_step, false) || step == 0 {
        return Ok(builder.constant(false));
    }
    // From the far end, as every step back is one from the step before. Before the first instant nothing was counted,
    // so the strong Y is right: each part asks for a number of at least 1.
    let mut found = at_least(builder, hit, number, window % step)?;
    for _ in 0..window / step {
        let earlier = WalkDirection::Back.steps(builder, step, found)?;
        found = builder.or(whole_step, earlier)?;
    }
    Ok(found)
}

/// A number compared with a bound, from the formula for "at least n".
pub(super) fn compared(
    builder: &mut Builder,
    comparison: Comparison,
    bound: Ratio,
    mut at_least: impl FnMut(&mut Builder, u64) -> Result<LtlId, LimitExceeded>,
) -> Result<LtlId, LimitExceeded> {
    let floor = bound.numerator.div_euclid(bound.denominator);
    let is_whole = bound.numerator.rem_euclid(bound.denominator) == 0;
    let above = floor.saturating_add(1);
    let from = if is_whole { floor } else { above };
    let mut at_least =
        |builder: &mut Builder, number: i128| at_least(builder, u64::try_from(number.max(0)).unwrap_or(u64::MAX));
    match comparison {
        Comparison::Greater => at_least(builder, above),
        Comparison::AtLeast => at_least(builder, from),
        Comparison::AtMost => {
            let more = at_least(builder, above)?;
            builder.not(more)
        }
        Comparison::Less => {
            let enough = at_least(builder, from)?;
            builder.not(enough)
        }
        Comparison::Equal | Comparison::NotEqual => {
            let mut equal = builder.constant(false);
            if is_whole && floor >= 0 {
                let enough = at_least(builder, floor)?;
                let more = at_least(builder, above)?;
                let not_more = builder.not(more)?;
                equal = builder.and(enough, not_more)?;
            }
            if comparison == Comparison::Equal { Ok(equal) } else { builder.not(equal) }
        }
    }
}
