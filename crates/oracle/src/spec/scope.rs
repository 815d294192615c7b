// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers as written, over the values that the trace shows.
// RULE Q1, Q2, Q5

use std::cmp::Ordering;

use gnomon_core::time::TICKS_PER_BARE_UNIT;
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::End;
use gnomon_ir::formula::{Aggregate, Formula, Kind};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::spec::{Body, Property, QuantifierKind, Spec, Threshold};

use super::declared::{Bound, sightings};
use crate::trace::Trace;
use crate::truth::Truth;

/// One variable, what is asked of its values, and these.
struct Ranging<'a> {
    name: &'a str,
    kind: QuantifierKind,
    threshold: Option<Threshold>,
    values: Vec<Value<'static>>,
}

/// The prefix of a property over a trace, outermost variable first.
pub(super) struct Scope<'a> {
    variables: Vec<Ranging<'a>>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(spec: &Spec, property: &'a Property, trace: &Trace) -> Self {
        let atoms = atoms(&property.body);
        let quantifiers = property.prefix.iter();
        let variables = quantifiers.flat_map(|quantifier| {
            quantifier.variables.iter().map(|variable| Ranging {
                name: &variable.name,
                kind: quantifier.kind,
                threshold: quantifier.threshold,
                values: values(&variable.name, spec, &atoms, trace),
            })
        });
        Scope { variables: variables.collect() }
    }

    /// Whether the body is true for as many values as are asked for.
    pub(super) fn holds(&self, body: &dyn Fn(&Bound) -> bool) -> bool {
        all_or_some(&self.variables, &Bound::new(), body)
    }

    /// What is known of that. More values may come after a prefix.
    pub(super) fn truth(&self, end: End, body: &dyn Fn(&Bound) -> Truth) -> Truth {
        rest(&self.variables, &Bound::new(), end, body)
    }

    /// The quantifier next to the body.
    pub(super) fn innermost(&self) -> Option<QuantifierKind> {
        self.variables.last().map(|variable| variable.kind)
    }
}

fn all_or_some(variables: &[Ranging<'_>], bound: &Bound, body: &dyn Fn(&Bound) -> bool) -> bool {
    let Some((first, others)) = variables.split_first() else { return body(bound) };
    let satisfies = |value: &&Value<'static>| all_or_some(others, &with(bound, first.name, value), body);
    match (first.threshold, first.kind) {
        (Some(threshold), _) => {
            let number = first.values.iter().filter(satisfies).count();
            meets(threshold, number, first.values.len())
        }
        (None, QuantifierKind::Forall) => first.values.iter().all(|value| satisfies(&value)),
        (None, QuantifierKind::Exists) => first.values.iter().any(|value| satisfies(&value)),
    }
}

fn rest(variables: &[Ranging<'_>], bound: &Bound, end: End, body: &dyn Fn(&Bound) -> Truth) -> Truth {
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
pub(super) fn with(bound: &Bound, name: &str, value: &Value<'static>) -> Bound {
    let mut bound = bound.clone();
    bound.insert(name.to_owned(), value.clone());
    bound
}

/// Whether so many of all values are as many as asked for.
fn meets(threshold: Threshold, number: usize, all: usize) -> bool {
    if threshold.percent && all == 0 {
        return true;
    }
    let ordering = if threshold.percent { share(threshold, number * 100, all) } else { share(threshold, number, 1) };
    threshold.comparison.accepts(ordering)
}

/// What is known of a number that is at least so much and may still grow.
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
        for sighting in with_it.iter().flat_map(|atom| sightings(spec, atom, event)) {
            let new = sighting.values.get(name);
            found.extend(new.filter(|new| !found.iter().any(|old| Comparison::Equal.holds(old, new))).cloned());
        }
    }
    found
}

fn mentions(atom: &Atom, name: &str) -> bool {
    let is_it = |argument: &Argument| matches!(argument, Argument::Variable(variable) if variable.name == name);
    atom.arguments.iter().flatten().any(is_it)
}

/// Every atom of a body.
fn atoms(body: &Body) -> Vec<&Atom> {
    match body {
        Body::Formula(formula) => {
            let mut found = Vec::new();
            atoms_of(formula, &mut found);
            found
        }
        Body::Automaton(automaton) => {
            let transitions = automaton.states.iter().flat_map(|state| &state.transitions);
            transitions.map(|transition| &transition.event).collect()
        }
        // A rule has no variables.
        Body::Rule(_) => vec![],
        Body::Requirement(requirement) => requirement.atoms(),
        Body::Modal(modal) => modal.atoms(),
    }
}

fn atoms_of<'a>(formula: &'a Formula, found: &mut Vec<&'a Atom>) {
    match &formula.kind {
        Kind::Atom(atom) => found.push(atom),
        Kind::Aggregate { aggregate, .. } => {
            if let Aggregate::Fold { of, .. } = aggregate.as_ref() {
                found.push(of);
            }
        }
        _ => {}
    }
    for child in formula.children() {
        atoms_of(child, found);
    }
}
