// SPDX-License-Identifier: MIT OR Apache-2.0
//! One thing after the other: precedence and response, for chains of any length.

use gnomon_core::time::Quantity;
use gnomon_ir::formula::{Bounds, Formula};
use gnomon_ir::pattern::Atom;

use super::build::{
    and, atom, implies, next, next_in, not, or, previous, previous_in, since, since_in, until, until_in, weak_next,
    weak_until,
};
use super::{Setting, build};
use crate::refusal::Refusal;

const NOW: Bounds = Bounds { hi: Some(Quantity::whole(0)), hi_closed: true, ..Bounds::ANY };

/// Whether a distance of nothing lies in the interval.
fn has_zero(within: Bounds) -> bool {
    within.lo.billionths == 0 && within.lo_closed
}

/// Two ways to be at a distance in an interval that contains 0, and yet at another position: at the same time, or later.
enum Apart {
    /// The interval holds no distance but 0.
    Now,
    /// There is more; this is the rest of it.
    NowOr(Bounds),
    /// 0 is not in it.
    Later(Bounds),
}

fn apart(within: Bounds) -> Apart {
    let rest = Bounds { lo_closed: false, ..within };
    match within {
        _ if !has_zero(within) => Apart::Later(within),
        Bounds { hi: Some(hi), .. } if hi.billionths == 0 => Apart::Now,
        _ => Apart::NowOr(rest),
    }
}

pub(super) fn precedence(
    setting: &Setting<'_, '_>,
    causes: &[Atom],
    effects: &[Atom],
    within: Option<&Bounds>,
) -> Result<Formula, Refusal> {
    let (Some(first), [cause, ..]) = (effects.first(), causes) else { return Ok(build::yes()) };
    let later =
        effects[1..].iter().rev().fold(build::yes(), |rest, effect| next(setting.some(and(atom(effect), rest))));
    let effect = and(atom(first), later);
    let one_each = causes.len() == 1 && effects.len() == 1;
    let untimed = within.is_none_or(|within| has_zero(*within) && within.hi.is_none());
    let of = if untimed {
        if one_each { unless(setting, &effect, &atom(cause)) } else { guarded(setting, &effect, causes) }
    } else {
        setting.all(implies(effect, caused(setting, causes, one_each, within)?))
    };
    Ok(setting.at_opening(of, true))
}

/// No effect before the segment closes, or before this.
fn unless(setting: &Setting<'_, '_>, effect: &Formula, until: &Formula) -> Formula {
    let end = setting.closes.clone().map_or_else(|| until.clone(), |closes| or(closes, until.clone()));
    weak_until(not(effect.clone()), end)
}

/// No effect up to and including the last cause, the causes being waited for one after the other.
fn guarded(setting: &Setting<'_, '_>, effect: &Formula, causes: &[Atom]) -> Formula {
    causes.iter().rev().fold(build::yes(), |rest, cause| {
        unless(setting, effect, &and(and(atom(cause), not(effect.clone())), weak_next(rest)))
    })
}

/// The causes have been, each so far back, none of them after the last and none before the segment.
fn caused(
    setting: &Setting<'_, '_>,
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
        Apart::Later(within) => since_in(within, inside(), last),
        Apart::Now => now(last),
        Apart::NowOr(rest) => or(now(last.clone()), since_in(rest, inside(), last)),
    })
}

pub(super) fn response(
    setting: &Setting<'_, '_>,
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

/// After this position, the responses come one after the other, each so far from it.
fn answered(
    setting: &Setting<'_, '_>,
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
        // What must not be between the first and the last may be at the last.
        let here = and(atom(response), if index == last { build::yes() } else { and(calm(), rest) });
        next(until(and(calm(), unclosed()), setting.inside(here)))
    });
    let target = setting.inside(and(atom(first), rest));
    let now = |target: Formula| next_in(NOW, until_in(NOW, unclosed(), target));
    Ok(match apart(within) {
        Apart::Later(within) => until_in(within, unclosed(), target),
        Apart::Now => now(target),
        Apart::NowOr(Bounds { hi: None, .. }) => next(until(unclosed(), target)),
        Apart::NowOr(rest) => or(now(target.clone()), until_in(rest, unclosed(), target)),
    })
}

fn several(what: &str, from: &str) -> Refusal {
    Refusal::new(format!(
        "the distance of several {what} to one {from} is bounded from above: an operator of `mtl` measures one step, and no translation is known here that adds the steps up"
    ))
}
