// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns with one thing less.

use gnomon_core::time::Quantity;
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Behaviour, Requirement, ScopeKind};

use super::less;
use crate::build::requirement::{each_atom, period_mut, within_mut};

/// Every pattern that lacks a delimiter, a bound, a member of a chain, a condition, or has a smaller number.
pub(super) fn smaller(requirement: &Requirement) -> Vec<Requirement> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Requirement)| {
        let mut changed = requirement.clone();
        change(&mut changed);
        if changed != *requirement {
            found.push(changed);
        }
    };
    for kind in plainer(requirement.scope.kind) {
        with(&|requirement| {
            requirement.scope.kind = *kind;
            requirement.scope.opens = requirement.scope.opens.take().filter(|_| kind.opens());
            requirement.scope.closes = requirement.scope.closes.take().filter(|_| kind.closes());
        });
    }
    for behaviour in smaller_behaviours(&requirement.behaviour) {
        with(&|requirement| requirement.behaviour.clone_from(&behaviour));
    }
    let mut atoms = 0;
    each_atom(&mut requirement.clone(), &mut |_| atoms += 1);
    let plainer: [&dyn Fn(&mut Atom); 2] = [&|atom| atom.condition = None, &|atom| atom.arguments = None];
    for (number, plainer) in (0..atoms).flat_map(|number| plainer.map(|plainer| (number, plainer))) {
        with(&|requirement| {
            let mut next = 0;
            each_atom(requirement, &mut |atom| {
                if next == number {
                    plainer(atom);
                }
                next += 1;
            });
        });
    }
    found
}

/// Scopes with no more delimiters than this one.
fn plainer(kind: ScopeKind) -> &'static [ScopeKind] {
    match kind {
        ScopeKind::Globally => &[],
        ScopeKind::Before | ScopeKind::Until | ScopeKind::After => &[ScopeKind::Globally],
        ScopeKind::AfterLast => &[ScopeKind::After],
        ScopeKind::Between => &[ScopeKind::Before, ScopeKind::After],
        ScopeKind::AfterUntil => &[ScopeKind::Until, ScopeKind::After],
        ScopeKind::BetweenLast => &[ScopeKind::Between],
        ScopeKind::AfterLastUntil => &[ScopeKind::AfterLast, ScopeKind::AfterUntil],
    }
}

fn smaller_behaviours(behaviour: &Behaviour) -> Vec<Behaviour> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Behaviour)| {
        let mut changed = behaviour.clone();
        change(&mut changed);
        found.push(changed);
    };
    for place in 0..3 {
        with(&|behaviour| match behaviour {
            Behaviour::Only(events) => shorter(events, place),
            Behaviour::Precedence { causes, effects, .. } => {
                shorter(if place % 2 == 0 { causes } else { effects }, place / 2);
            }
            Behaviour::Response { stimuli, responses, without, .. } => {
                shorter(if place % 2 == 0 { stimuli } else { responses }, place / 2);
                *without = without.take().filter(|_| responses.len() > 1);
            }
            _ => {}
        });
    }
    with(&|behaviour| match behaviour {
        Behaviour::Precedence { required, .. } | Behaviour::Response { required, .. } => *required = false,
        Behaviour::Count { number, .. } | Behaviour::Rate { number, .. } => *number = number.saturating_sub(1),
        _ => {}
    });
    with(&|behaviour| {
        if let Behaviour::Response { without, .. } = behaviour {
            *without = None;
        }
    });
    let zero = Quantity::whole(0);
    let bounds: [fn(Bounds) -> Option<Bounds>; 3] = [
        |_| None,
        |bounds| Some(Bounds { lo: Quantity::whole(0), ..bounds }),
        |bounds| Some(Bounds { hi: bounds.hi.map(less), ..bounds }),
    ];
    for smaller in bounds {
        with(&|behaviour| {
            if let Some(within) = within_mut(behaviour) {
                *within = within.take().and_then(smaller);
            }
        });
    }
    with(&|behaviour| {
        if let Some(period) = period_mut(behaviour)
            && *period != zero
        {
            *period = less(*period);
        }
    });
    found
}

/// One member less, if that leaves one.
fn shorter(atoms: &mut Vec<Atom>, place: usize) {
    if atoms.len() > 1 && place < atoms.len() {
        atoms.remove(place);
    }
}
