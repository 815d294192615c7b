// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns by hand, and what stands in them.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_ir::atom::Atom;
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Behaviour, Pattern, Scope, ScopeKind};

/// A scope with as many delimiters as its kind has.
pub fn scope(kind: ScopeKind, opens: Atom, closes: Atom) -> Scope {
    let (opens, closes) = (kind.opens().then_some(opens), kind.closes().then_some(closes));
    Scope { kind, opens, closes, span: Span::default() }
}

/// A scope and a behaviour.
pub fn pattern(scope: Scope, behaviour: Behaviour) -> Pattern {
    Pattern { scope, behaviour, behaviour_span: Span::default() }
}

/// The bound of a behaviour, if it has one.
pub fn within(behaviour: &Behaviour) -> Option<&Bounds> {
    match behaviour {
        Behaviour::Existence { within, .. }
        | Behaviour::Precedence { within, .. }
        | Behaviour::Response { within, .. } => within.as_ref(),
        _ => None,
    }
}

/// The amounts of time in a behaviour that are not bounds of distances.
pub fn period(behaviour: &Behaviour) -> Option<Quantity> {
    match behaviour {
        Behaviour::Rate { window: period, .. } | Behaviour::Recurrence { every: period, .. } => Some(*period),
        _ => None,
    }
}
