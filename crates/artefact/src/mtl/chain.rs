// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates precedence and response, for chains of any length.

use gnomon_core::time::Quantity;
use gnomon_ir::{Atom, Bounds, Formula};

use super::build::{
    and, atom, implies, next, next_in, not, or, previous, previous_in, since, since_in, until, until_in, weak_next,
    weak_until,
};
use super::{SegmentContext, build};
use crate::refusal::Refusal;

const NOW: Bounds = Bounds { hi: Some(Quantity::whole(0)), hi_closed: true, ..Bounds::ANY };

/// Returns true if the interval contains the distance 0.
fn has_zero(within: Bounds) -> bool {
    within.lo.billionths == 0 && within.lo_closed
}

/// The distances of another position in an interval: at the same time, or later.
enum DistanceSplit {
    /// The interval contains 0 only.
    Now,
    /// The interval contains 0 and these distances.
    NowOr(Bounds),
    /// The interval does not contain 0.
    Later(Bounds),
}

fn apart(within: Bounds) -> DistanceSplit {
    let rest = Bounds { lo_closed: false, ..within };
    match within {
        _ if !has_zero(within) => DistanceSplit::Later(within),
        Bounds { hi: Some(hi), .. } if hi.billionths == 0 => DistanceSplit::Now,
        _ => DistanceSplit::NowOr(rest),
    }
}

pub(super) fn precedence(
    setting: &SegmentContext<'_, '_>,
    causes: &[Atom],
    effects: &[Atom],
    within: Option<&Bounds>,
) -> Result<Formula, Refusal> {
    let (Some(first), [cause, ..]) = (effects.first(), causes) else { return Ok(build::yes()) };
    let later =
        effects[1..].iter().rev().fold(build::yes(), |rest, effect| next(setting.some(and(atom(effect), rest))));
    let effect = and(atom(first), later);
    let one_each = causes.len() == 1 && effects.len() == 1;
    let untimed = within.is_none_or(Bounds::is_any);
    let of = if untimed {
        if one_each { unless(setting, &effect, &atom(cause)) } else { guarded(setting, &effect, causes) }
    } else {
        setting.all(implies(effect, caused(setting, causes, one_each, within)?))
    };
    Ok(setting.at_opening(of, true))
}

/// Returns a formula for: no effect before the segment closes, or before `until`.
fn unless(setting: &SegmentContext<'_, '_>, effect: &Formula, until: &Formula) -> Formula {
    let end = setting.closes.clone().map_or_else(|| until.clone(), |closes| or(closes, until.clone()));
    weak_until(not(effect.clone()), end)
}

/// Returns a formula for: no effect up to and including the last cause, where the causes come in order.
fn guarded(setting: &SegmentContext<'_, '_>, effect: &Formula, causes: &[Atom]) -> Formula {
    causes.iter().rev().fold(build::yes(), |rest, cause| {
        unless(setting, effect, &and(and(atom(cause), not(effect.clone())), weak_next(rest)))
    })
}

/// Returns a formula for: the causes have come in order inside the segment, each at a distance in the interval.
fn caused(
    setting: &SegmentContext<'_, '_>,
    causes: &[Atom],
    one_each: bool,
    within: Option<&Bounds>,
) -> Result<Formula, Refusal> {
    let within = within.copied().unwrap_or(Bounds::ANY);
    if causes.len() > 1 && within.hi.is_some() {
        return Err(several("causes", "effect"));
    }
    let inside = || setting.opener.clone().map_or_else(build::yes, not);
    let cause = |of: &Atom, earlier: Formula| and(setting.not_opener(atom(of)), earlier);
    let Some((last, before)) = causes.split_last() else { return Ok(build::yes()) };
    let earlier = before.iter().fold(build::yes(), |earlier, of| previous(since(inside(), cause(of, earlier))));
    let last = cause(last, earlier);
    if one_each {
        return Ok(since_in(within, inside(), last));
    }
    let now = |last: Formula| previous_in(NOW, since_in(NOW, inside(), last));
    Ok(match apart(within) {
        DistanceSplit::Later(within) => since_in(within, inside(), last),
        DistanceSplit::Now => now(last),
        DistanceSplit::NowOr(rest) => or(now(last.clone()), since_in(rest, inside(), last)),
    })
}

pub(super) fn response(
    setting: &SegmentContext<'_, '_>,
    stimuli: &[Atom],
    responses: &[Atom],
    without: Option<&Atom>,
    within: Option<&Bounds>,
) -> Result<Formula, Refusal> {
    let answer = answered(setting, responses, without, within.copied().unwrap_or(Bounds::ANY))?;
    let Some((last, before)) = stimuli.split_last() else { return Ok(build::yes()) };
    let asked = setting.all(implies(atom(last), answer));
    let all = before.iter().rev().fold(asked, |rest, stimulus| setting.all(implies(atom(stimulus), weak_next(rest))));
    Ok(setting.at_opening(all, true))
}

/// Returns a formula for: after this position the responses come in order, each at a distance in the interval.
fn answered(
    setting: &SegmentContext<'_, '_>,
    responses: &[Atom],
    without: Option<&Atom>,
    within: Bounds,
) -> Result<Formula, Refusal> {
    if responses.len() > 1 && within.hi.is_some() {
        return Err(several("responses", "stimulus"));
    }
    let Some((first, later)) = responses.split_first() else { return Ok(build::yes()) };
    let unclosed = || setting.closes.clone().map_or_else(build::yes, not);
    let calm = || without.map_or_else(build::yes, |without| not(atom(without)));
    let last = later.len().saturating_sub(1);
    let rest = later.iter().enumerate().rev().fold(build::yes(), |rest, (index, response)| {
        // The excluded event may coincide with the last response.
        let here = and(atom(response), if index == last { build::yes() } else { and(calm(), rest) });
        next(until(and(calm(), unclosed()), setting.inside(here)))
    });
    let target = setting.inside(and(atom(first), rest));
    let now = |target: Formula| next_in(NOW, until_in(NOW, unclosed(), target));
    Ok(match apart(within) {
        DistanceSplit::Later(within) => until_in(within, unclosed(), target),
        DistanceSplit::Now => now(target),
        DistanceSplit::NowOr(Bounds { hi: None, .. }) => next(until(unclosed(), target)),
        DistanceSplit::NowOr(rest) => or(now(target.clone()), until_in(rest, unclosed(), target)),
    })
}

fn several(what: &str, from: &str) -> Refusal {
    Refusal::new(format!(
        "the distance of several {what} to one {from} is bounded from above: an operator of `mtl` measures one step, and no translation is known here that adds the steps up"
    ))
}
