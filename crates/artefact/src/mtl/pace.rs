// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates rates and recurrences: not too many events in a window, and not too long without one.

use gnomon_core::{Comparison, Quantity};
use gnomon_ir::{Atom, Bounds, Formula, ScopeKind};

use super::behaviour::few;
use super::build::{and, atom, count, implies, not, once_in, or, previous, release, since};
use super::{SegmentContext, always, build};
use crate::refusal::Refusal;

/// Returns the interval `[0, d]`.
/// Returns a formula for: each P is at most the n-th of the segment in the window that ends with it.
pub(super) fn rate(
    setting: &SegmentContext<'_, '_>,
    number: u64,
    event: &Atom,
    window: Quantity,
) -> Result<Formula, Refusal> {
    let (prepared, event) = (setting.prepared, atom(event));
    let at_most = |of: Formula| count(window, of, Comparison::AtMost, number);
    let few_enough = match (prepared.scope, &setting.opener, prepared.opens.as_ref().map(atom)) {
        (ScopeKind::After, Some(_), Some(opens)) => at_most(and(event.clone(), previous(build::once(opens)))),
        (ScopeKind::AfterLast, Some(_), Some(opens)) => at_most(and(event.clone(), not(build::eventually(opens)))),
        (_, Some(opener), _) => {
            // The window may reach into an earlier segment. While the opening lies in it, all that counts are the events since
            // then, and how long ago they were does not matter.
            few(number)?;
            let own = and(event.clone(), not(opener.clone()));
            let back = |rest: Formula| and(own.clone(), previous(since(not(opener.clone()), rest)));
            let too_many = (0..number).fold(own.clone(), |rest, _| back(rest));
            let recent = once_in(Bounds::up_to(window), opener.clone());
            and(implies(recent.clone(), not(too_many)), or(recent, at_most(event.clone())))
        }
        (_, None, _) => at_most(event.clone()),
    };
    Ok(setting.at_opening(setting.all(implies(event, few_enough)), true))
}

/// Returns a formula for: every position of the segment has a P or the opening within `every` before it.
pub(super) fn recurrence(setting: &SegmentContext<'_, '_>, event: &Atom, every: Quantity) -> Formula {
    let event = setting.inside(atom(event));
    let begins = match &setting.opener {
        Some(opener) => opener.clone(),
        None => not(previous(build::yes())),
    };
    // Events before the segment are further back than its opening, so they do no harm.
    let mark = or(event.clone(), begins);
    let near = once_in(Bounds::up_to(every), mark.clone());
    // A P is within the distance of itself, so it needs another one.
    let another = match &setting.opener {
        Some(_) => event,
        None => and(event, previous(build::yes())),
    };
    let good = and(near, implies(another, count(every, mark, Comparison::AtLeast, 2)));
    let until_the_end = match &setting.closes {
        Some(closes) => release(closes.clone(), good),
        None => always(good),
    };
    setting.at_opening(until_the_end, true)
}
