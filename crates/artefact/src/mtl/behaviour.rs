// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is asked of a segment, as a formula at its opening.

use gnomon_ir::formula::{Bounds, Formula};
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Amount, Behaviour};

use super::build::{and, atom, implies, next, not, or, until_in};
use super::{MAX_DEPTH, Setting, build, chain, pace};
use crate::cell::named;
use crate::refusal::Refusal;

pub(super) fn behaviour(setting: &Setting<'_, '_>) -> Result<Formula, Refusal> {
    Ok(match &setting.cell.behaviour {
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

/// The same, and the event occurs.
fn with(setting: &Setting<'_, '_>, of: Formula, required: Option<&Atom>) -> Formula {
    match required {
        Some(event) => and(of, existence(setting, event, None)),
        None => of,
    }
}

fn existence(setting: &Setting<'_, '_>, event: &Atom, within: Option<&Bounds>) -> Formula {
    let Some(within) = within else { return setting.at_opening(setting.some(atom(event)), false) };
    // Measured from the opening event, which is no P of the segment.
    let event = setting.not_opener(setting.inside(atom(event)));
    until_in(*within, setting.closes.clone().map_or_else(build::yes, not), event)
}

fn counted(setting: &Setting<'_, '_>, amount: Amount, number: u64, event: &Atom) -> Result<Formula, Refusal> {
    let at_least = || Ok::<_, Refusal>(setting.at_opening(occurrences(setting, number, event)?, number == 0));
    let at_most = || Ok::<_, Refusal>(setting.at_opening(not(occurrences(setting, number + 1, event)?), true));
    match amount {
        Amount::AtLeast => at_least(),
        Amount::AtMost => at_most(),
        Amount::Exactly => Ok(and(at_least()?, at_most()?)),
    }
}

/// At least so many of these events from here on.
fn occurrences(setting: &Setting<'_, '_>, number: u64, event: &Atom) -> Result<Formula, Refusal> {
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
