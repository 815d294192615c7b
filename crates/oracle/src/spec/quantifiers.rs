// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers as written, over the values that occur in the trace.
// RULE Q1, Q2, Q5

use std::cmp::Ordering;

use gnomon_core::{Comparison, End, TICKS_PER_BARE_UNIT, Value};
use gnomon_ir::{Argument, Atom, Property, QuantifierKind, Spec, Threshold};

use super::atom::{VariableValues, atom_matches};
use crate::trace::Trace;
use crate::truth::Truth;

/// One variable, what is asked of its values, and these.
struct RangingVariable<'a> {
    name: &'a str,
    kind: QuantifierKind,
    threshold: Option<Threshold>,
    values: Vec<Value<'static>>,
}

/// The prefix of a property over a trace, outermost variable first.
pub(super) struct QuantifierScope<'a> {
    variables: Vec<RangingVariable<'a>>,
}

impl<'a> QuantifierScope<'a> {
    pub(super) fn new(spec: &Spec, property: &'a Property, trace: &Trace) -> Self {
        let atoms = property.body.atoms();
        let quantifiers = property.prefix.iter();
        let variables = quantifiers.flat_map(|quantifier| {
            quantifier.variables.iter().map(|variable| RangingVariable {
                name: &variable.name,
                kind: quantifier.kind,
                threshold: quantifier.threshold,
                values: values(&variable.name, spec, &atoms, trace),
            })
        });
        QuantifierScope { variables: variables.collect() }
    }

    /// Returns the truth value of the quantified body. On a prefix, more values may come.
    pub(super) fn truth(&self, end: End, body: &dyn Fn(&VariableValues) -> Truth) -> Truth {
        rest(&self.variables, &VariableValues::new(), end, body)
    }

    /// The quantifier next to the body.
    pub(super) fn innermost(&self) -> Option<QuantifierKind> {
        self.variables.last().map(|variable| variable.kind)
    }
}

fn rest(
    variables: &[RangingVariable<'_>],
    bound: &VariableValues,
    end: End,
    body: &dyn Fn(&VariableValues) -> Truth,
) -> Truth {
    let Some((first, others)) = variables.split_first() else { return body(bound) };
    let parts: Vec<Truth> =
        first.values.iter().map(|value| rest(others, &with(bound, first.name, value), end, body)).collect();
    // What a value that has not been seen yet may be worth.
    let to_come = (end == End::Prefix).then_some(Truth::Unknown);
    let number = parts.iter().filter(|part| **part == Truth::True).count();
    match (first.threshold, first.kind) {
        (None, QuantifierKind::Forall) => parts.into_iter().chain(to_come).min().unwrap_or(Truth::True),
        (None, QuantifierKind::Exists) => parts.into_iter().chain(to_come).max().unwrap_or(Truth::False),
        (Some(threshold), _) if end == End::Complete => meets(threshold, number, parts.len()).into(),
        (Some(Threshold { percent: true, .. }), _) => Truth::Unknown,
        (Some(threshold), _) => grows(threshold, number),
    }
}

/// The values with one more.
pub(super) fn with(bound: &VariableValues, name: &str, value: &Value<'static>) -> VariableValues {
    let mut bound = bound.clone();
    bound.insert(name.to_owned(), value.clone());
    bound
}

/// Returns true if `number` of `all` values meet the threshold.
fn meets(threshold: Threshold, number: usize, all: usize) -> bool {
    if threshold.percent && all == 0 {
        return true;
    }
    let ordering = if threshold.percent { share(threshold, number * 100, all) } else { share(threshold, number, 1) };
    threshold.comparison.accepts(ordering)
}

/// Returns the truth value of a threshold for a number that is at least `least` and may still grow.
fn grows(threshold: Threshold, least: usize) -> Truth {
    let ordering = share(threshold, least, 1);
    let accepted = threshold.comparison.accepts(ordering);
    let whole = threshold.amount.billionths % TICKS_PER_BARE_UNIT == 0;
    // Below the amount it may come to be equal, if the amount is a whole number, and greater.
    let ahead = match ordering {
        Ordering::Less if whole => vec![Ordering::Less, Ordering::Equal, Ordering::Greater],
        Ordering::Less => vec![Ordering::Less, Ordering::Greater],
        Ordering::Equal => vec![Ordering::Equal, Ordering::Greater],
        Ordering::Greater => vec![Ordering::Greater],
    };
    let settled = ahead.into_iter().all(|ordering| threshold.comparison.accepts(ordering) == accepted);
    if settled { accepted.into() } else { Truth::Unknown }
}

/// `number / of` against the amount.
fn share(threshold: Threshold, number: usize, of: usize) -> Ordering {
    (number as i128 * TICKS_PER_BARE_UNIT).cmp(&threshold.amount.billionths.saturating_mul(of as i128))
}

/// The values of a variable in the events that match an atom which has it.
fn values(name: &str, spec: &Spec, atoms: &[&Atom], trace: &Trace) -> Vec<Value<'static>> {
    let mut found: Vec<Value<'static>> = Vec::new();
    let with_it: Vec<&&Atom> = atoms.iter().filter(|atom| mentions(atom, name)).collect();
    for event in trace.events() {
        for atom_match in with_it.iter().flat_map(|atom| atom_matches(spec, atom, event)) {
            let new = atom_match.values.get(name);
            found.extend(new.filter(|new| !found.iter().any(|old| Comparison::Equal.holds(old, new))).cloned());
        }
    }
    found
}

fn mentions(atom: &Atom, name: &str) -> bool {
    let is_it = |argument: &Argument| matches!(argument, Argument::Variable(variable) if variable.name == name);
    atom.arguments.iter().flatten().any(is_it)
}
