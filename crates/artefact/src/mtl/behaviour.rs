// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates the behaviour of a segment to a formula at its opening.

use gnomon_ir::{Atom, Behaviour, Bounds, CountBound, Formula};

use super::build::{and, atom, implies, next, not, or, until_in};
use super::{MAX_DEPTH, SegmentContext, build, chain, pace};
use crate::prepared_pattern::named;
use crate::refusal::Refusal;

pub(super) fn behaviour(setting: &SegmentContext<'_, '_>) -> Result<Formula, Refusal> {
    Ok(match &setting.prepared.behaviour {
        Behaviour::Absence(event) => setting.at_opening(setting.all(not(atom(event))), true),
        Behaviour::Existence { event, within } => existence(setting, event, within.as_ref()),
        Behaviour::Count { amount, number, event } => counted(setting, *amount, *number, event)?,
        Behaviour::Rate { number, event, window } => pace::rate(setting, *number, event, *window)?,
        Behaviour::Universality(event) => {
            setting.at_opening(setting.all(implies(atom(&named(event)), atom(event))), true)
        }
        Behaviour::Only(events) => {
            let any = events.iter().map(atom).fold(build::no(), or);
            setting.at_opening(setting.all(any), true)
        }
        Behaviour::Precedence { causes, effects, required, within } => {
            let order = chain::precedence(setting, causes, effects, within.as_ref())?;
            with(setting, order, required.then(|| causes.first()).flatten())
        }
        Behaviour::Response { stimuli, responses, without, required, within } => {
            let answered = chain::response(setting, stimuli, responses, without.as_ref(), within.as_ref())?;
            with(setting, answered, required.then(|| stimuli.first()).flatten())
        }
        Behaviour::Recurrence { event, every, .. } => pace::recurrence(setting, event, *every),
    })
}

/// Adds that the event occurs, if it is required.
fn with(setting: &SegmentContext<'_, '_>, of: Formula, required: Option<&Atom>) -> Formula {
    match required {
        Some(event) => and(of, existence(setting, event, None)),
        None => of,
    }
}

fn existence(setting: &SegmentContext<'_, '_>, event: &Atom, within: Option<&Bounds>) -> Formula {
    let Some(within) = within else { return setting.at_opening(setting.some(atom(event)), false) };
    // Measured from the opening event, which is not a P of the segment.
    let event = setting.not_opener(setting.inside(atom(event)));
    until_in(*within, setting.closes.clone().map_or_else(build::yes, not), event)
}

fn counted(
    setting: &SegmentContext<'_, '_>,
    amount: CountBound,
    number: u64,
    event: &Atom,
) -> Result<Formula, Refusal> {
    let at_least = || Ok::<_, Refusal>(setting.at_opening(occurrences(setting, number, event)?, number == 0));
    let at_most = || Ok::<_, Refusal>(setting.at_opening(not(occurrences(setting, number + 1, event)?), true));
    match amount {
        CountBound::AtLeast => at_least(),
        CountBound::AtMost => at_most(),
        CountBound::Exactly => Ok(and(at_least()?, at_most()?)),
    }
}

/// Returns a formula for: at least `number` of these events from here on.
fn occurrences(setting: &SegmentContext<'_, '_>, number: u64, event: &Atom) -> Result<Formula, Refusal> {
    few(number)?;
    let first = if number == 0 { build::yes() } else { setting.some(atom(event)) };
    Ok((1..number).fold(first, |rest, _| setting.some(and(atom(event), next(rest)))))
}

/// Refuses a number that would make the formula too large anyway.
pub(super) fn few(number: u64) -> Result<(), Refusal> {
    if number as usize <= MAX_DEPTH / 3 {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "the number is too large: counting along a segment takes a level of the formula for each occurrence, and {} are as many as fit",
        MAX_DEPTH / 3
    )))
}
