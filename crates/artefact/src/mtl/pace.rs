// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often events come: not too many in a window, never too long without one.

use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Bounds, Formula};
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::ScopeKind;

use super::behaviour::few;
use super::build::{and, atom, count, implies, not, once_in, or, previous, release, since};
use super::{Setting, always, build};
use crate::refusal::Refusal;

/// `[0, d]`
fn up_to(distance: Quantity) -> Bounds {
    Bounds { hi: Some(distance), hi_closed: true, ..Bounds::ANY }
}

/// Each P is at most the n-th of the segment in the window that ends with it.
pub(super) fn rate(setting: &Setting<'_, '_>, number: u64, event: &Atom, window: Quantity) -> Result<Formula, Refusal> {
    let (cell, event) = (setting.cell, atom(event));
    let at_most = |of: Formula| count(window, of, Comparison::AtMost, number);
    let few_enough = match (cell.scope, &setting.opener, cell.opens.as_ref().map(atom)) {
        (ScopeKind::After, Some(_), Some(opens)) => at_most(and(event.clone(), previous(build::once(opens)))),
        (ScopeKind::AfterLast, Some(_), Some(opens)) => at_most(and(event.clone(), not(build::eventually(opens)))),
        (_, Some(opener), _) => {
            // The window may reach into an earlier segment. While the opening lies in it, all that counts are the events since
            // then, and how long ago they were does not matter.
            few(number)?;
            let own = and(event.clone(), not(opener.clone()));
            let back = |rest: Formula| and(own.clone(), previous(since(not(opener.clone()), rest)));
            let too_many = (0..number).fold(own.clone(), |rest, _| back(rest));
            let recent = once_in(up_to(window), opener.clone());
            and(implies(recent.clone(), not(too_many)), or(recent, at_most(event.clone())))
        }
        (_, None, _) => at_most(event.clone()),
    };
    Ok(setting.at_opening(setting.all(implies(event, few_enough)), true))
}

/// Up to its end, every position has a P before it, or the opening, that is near enough.
pub(super) fn recurrence(setting: &Setting<'_, '_>, event: &Atom, every: Quantity) -> Formula {
    let event = setting.inside(atom(event));
    let begins = match &setting.opener {
        Some(opener) => opener.clone(),
        None => not(previous(build::yes())),
    };
    // Events before the segment are further back than its opening, so they do no harm.
    let mark = or(event.clone(), begins);
    let near = once_in(up_to(every), mark.clone());
    // A P is near itself: it needs another.
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
