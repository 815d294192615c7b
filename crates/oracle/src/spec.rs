// SPDX-License-Identifier: MIT OR Apache-2.0
//! Second, independent evaluation of properties as written, with all their sugar.
//!
//! Nothing here uses the kernel form: atoms are looked up in the declarations, variables by name, intervals and
//! constants stay as written, every operator has its own clause, an automaton is explored run by run, and a rule reads
//! each event by its own declarations. If [`truth`] differs from the kernel's oracle, the lowering to kernel form
//! (`gnomon_ir::check`) is wrong.

mod atom;
mod automaton;
mod clocks;
mod element;
mod formula;
mod modal;
mod pattern;
mod plugin;
mod quantifiers;
mod rule;
mod state;
mod term;
mod unknown_position;
mod window;

use gnomon_core::verdict::{Binding, End};
use gnomon_ir::Formula;
use gnomon_ir::spec::{Body, Property, QuantifierKind, Spec};

use self::atom::VariableValues;
use self::quantifiers::QuantifierScope;
use crate::trace::{Position, Trace};
use crate::truth::Truth;

/// Returns true if the property holds on a complete trace.
pub fn holds(spec: &Spec, property: &Property, trace: &Trace) -> bool {
    truth(spec, property, trace, End::Complete) == Truth::True
}

/// Returns the truth value of the property on a trace that is complete or a prefix of a longer one.
pub fn truth(spec: &Spec, property: &Property, trace: &Trace, end: End) -> Truth {
    let scope = QuantifierScope::new(spec, property, trace);
    match &property.body {
        Body::Formula(formula) => scope.truth(end, &|bound: &VariableValues| {
            formula::Evaluator::new(spec, property, trace, end, bound).truth_at_start(formula)
        }),
        Body::Automaton(automaton) => scope.truth(end, &|bound| {
            let evaluator = automaton::Evaluator::new(spec, automaton, trace, bound);
            match end {
                _ if !evaluator.is_judged() => neutral(&scope).into(),
                End::Complete => evaluator.accepts().into(),
                End::Prefix => evaluator.truth(),
            }
        }),
        Body::Rule(rule) => rule::truth(spec, rule, trace, end),
        Body::Pattern(pattern) => scope.truth(end, &|bound| pattern::truth(spec, pattern, trace, bound, end)),
        Body::Modal(modal) => modal::truth(spec, modal, trace, end),
        Body::Plugin(plugin) => plugin::truth(spec, property, plugin, trace, end),
        Body::Clocks(clocks) => clocks::truth(spec, clocks, trace, end),
    }
}

/// A function of a part of a formula, its depth, the positions, and its value at each of them.
pub(crate) type RowVisitor<'v> = dyn FnMut(usize, &Formula, &[Position], &[Truth]) + 'v;

/// Calls `visit` with each part of a formula, its depth, the positions and its value at each of them, on a trace that is complete.
pub(crate) fn formula_rows(
    spec: &Spec,
    property: &Property,
    trace: &Trace,
    binding: &Binding,
    formula: &Formula,
    visit: &mut RowVisitor<'_>,
) {
    let bound: VariableValues = binding.values.iter().cloned().collect();
    let evaluator = formula::Evaluator::new(spec, property, trace, End::Complete, &bound);
    evaluator.each_row(formula, 0, visit);
}

/// Returns the neutral value of the innermost quantifier, for a binding that is excluded.
// RULE A7
fn neutral(scope: &QuantifierScope<'_>) -> bool {
    scope.innermost() != Some(QuantifierKind::Exists)
}
