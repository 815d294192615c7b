// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns by hand, and what stands in them.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Behaviour, Requirement, Scope, ScopeKind};

/// A scope with as many delimiters as its kind has.
pub fn scope(kind: ScopeKind, opens: Atom, closes: Atom) -> Scope {
    let (opens, closes) = (kind.opens().then_some(opens), kind.closes().then_some(closes));
    Scope { kind, opens, closes, span: Span::default() }
}

/// A scope and a behaviour.
pub fn requirement(scope: Scope, behaviour: Behaviour) -> Requirement {
    Requirement { scope, behaviour, behaviour_span: Span::default() }
}

/// Calls `change` on every atom, in the order of the fields.
pub fn each_atom(requirement: &mut Requirement, change: &mut dyn FnMut(&mut Atom)) {
    let scope = &mut requirement.scope;
    scope.opens.iter_mut().chain(&mut scope.closes).for_each(&mut *change);
    match &mut requirement.behaviour {
        Behaviour::Absence(event)
        | Behaviour::Universality(event)
        | Behaviour::Existence { event, .. }
        | Behaviour::Count { event, .. }
        | Behaviour::Rate { event, .. }
        | Behaviour::Recurrence { event, .. } => change(event),
        Behaviour::Only(events) => events.iter_mut().for_each(change),
        Behaviour::Precedence { causes, effects, .. } => causes.iter_mut().chain(effects).for_each(change),
        Behaviour::Response { stimuli, responses, without, .. } => {
            stimuli.iter_mut().chain(responses).chain(without).for_each(change);
        }
    }
}

/// The bound of a behaviour, if it may have one.
pub fn within_mut(behaviour: &mut Behaviour) -> Option<&mut Option<Bounds>> {
    match behaviour {
        Behaviour::Existence { within, .. }
        | Behaviour::Precedence { within, .. }
        | Behaviour::Response { within, .. } => Some(within),
        _ => None,
    }
}

/// The amounts of time in a behaviour that are no bounds of distances.
pub fn period_mut(behaviour: &mut Behaviour) -> Option<&mut Quantity> {
    match behaviour {
        Behaviour::Rate { window: period, .. } | Behaviour::Recurrence { every: period, .. } => Some(period),
        _ => None,
    }
}
