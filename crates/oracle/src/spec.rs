// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties with all their sugar, read straight from what the languages say.
//!
//! Nothing here goes through the kernel form: atoms are looked up in the declarations, variables by their names,
//! intervals and constants stay as written, every operator has its own clause, an automaton is walked way by way, and a
//! rule reads each event by its own words.
//! [`holds`] is two-valued and reads like the definition; [`truth`] is three-valued. Where they differ from the kernel's
//! oracle, the step that removes sugar is wrong.

mod automaton;
mod boolean;
mod declared;
mod element;
mod fold;
mod kleene;
mod modal;
mod requirement;
mod rule;
mod scope;
mod state;
mod term;
mod unseen;
mod window;

use gnomon_core::verdict::End;
use gnomon_ir::spec::{Body, Property, QuantifierKind, Spec};

use self::declared::Bound;
use self::scope::Scope;
use crate::trace::Trace;
use crate::truth::Truth;

/// Whether the property is true of a complete trace.
pub fn holds(spec: &Spec, property: &Property, trace: &Trace) -> bool {
    let scope = Scope::new(spec, property, trace);
    match &property.body {
        Body::Formula(formula) => {
            scope.holds(&|bound| boolean::Reader::new(spec, property, trace, bound).holds_at_start(formula))
        }
        Body::Automaton(automaton) => scope.holds(&|bound| {
            let reader = automaton::Reader::new(spec, automaton, trace, bound);
            if reader.is_judged() { reader.accepts() } else { neutral(&scope) }
        }),
        Body::Rule(rule) => rule::truth(spec, rule, trace, End::Complete) == Truth::True,
        Body::Requirement(requirement) => {
            scope.holds(&|bound| requirement::truth(spec, requirement, trace, bound, End::Complete) == Truth::True)
        }
        Body::Modal(modal) => modal::truth(spec, modal, trace, End::Complete) == Truth::True,
    }
}

/// What is known of the property over a trace that is complete or the beginning of a longer one.
pub fn truth(spec: &Spec, property: &Property, trace: &Trace, end: End) -> Truth {
    let scope = Scope::new(spec, property, trace);
    match &property.body {
        Body::Formula(formula) => scope.truth(end, &|bound: &Bound| {
            kleene::Reader::new(spec, property, trace, end, bound).truth_at_start(formula)
        }),
        Body::Automaton(automaton) => scope.truth(end, &|bound| {
            let reader = automaton::Reader::new(spec, automaton, trace, bound);
            match end {
                _ if !reader.is_judged() => neutral(&scope).into(),
                End::Complete => reader.accepts().into(),
                End::Prefix => reader.truth(),
            }
        }),
        Body::Rule(rule) => rule::truth(spec, rule, trace, end),
        Body::Requirement(requirement) => {
            scope.truth(end, &|bound| requirement::truth(spec, requirement, trace, bound, end))
        }
        Body::Modal(modal) => modal::truth(spec, modal, trace, end),
    }
}

/// What a binding that is not judged is worth to the quantifier next to the body.
// RULE A7
fn neutral(scope: &Scope<'_>) -> bool {
    scope.innermost() != Some(QuantifierKind::Exists)
}
