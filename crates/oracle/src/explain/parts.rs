// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of the parts of a formula as written, at the position of a violation.

use gnomon_core::Span;
use gnomon_core::verdict::{Origin, Violation};
use gnomon_ir::spec::{Body, Property, Spec};

use super::Evidence;
use crate::spec::formula_rows;
use crate::truth::Truth;

/// Limit on the events that are listed as those at which an operand is true.
const MAX_EVENTS: usize = 5;

/// The value of a part of a formula.
#[derive(Clone, PartialEq, Debug)]
pub struct PartValue {
    /// Number of parts around it.
    pub depth: usize,
    /// Its text in the spec.
    pub span: Span,
    /// Its value at the position of the violation.
    pub value: Truth,
    /// The first events, other than that of the violation, at whose positions it is true.
    pub true_at: Vec<Origin>,
}

/// Returns the values of a formula and of its parts, outermost first; nothing for other kinds of properties.
pub fn part_values(spec: &Spec, property: &Property, evidence: Evidence<'_>, violation: &Violation) -> Vec<PartValue> {
    let Body::Formula(formula) = &property.body else { return vec![] };
    let mut parts = Vec::new();
    let here = violation.at.origin.event_index;
    formula_rows(spec, property, evidence.trace, &violation.binding, formula, &mut |depth, part, positions, row| {
        let index = |event: &usize| evidence.origins[*event].event_index;
        let Some(at) = positions.iter().position(|one| one.events.clone().any(|event| index(&event) == here)) else {
            return;
        };
        let others = positions.iter().zip(row).enumerate();
        let others = others.filter(|(place, (_, value))| *place != at && **value == Truth::True);
        let true_at = others.map(|(_, (position, _))| evidence.origins[position.events.start]);
        let true_at = true_at.take(MAX_EVENTS).collect();
        parts.push(PartValue { depth, span: part.span, value: row[at], true_at });
    });
    parts
}
