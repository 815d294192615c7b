// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same case with less in front of the body.

use gnomon_ir::automaton::{Expression, Guard};
use gnomon_ir::pattern::Argument;
use gnomon_ir::spec::{Body, QuantifierKind};

use crate::build::substitute;
use crate::case::Case;

/// Without one of the variables, or with one quantifier plainer.
pub(super) fn smaller(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    for place in 0..case.property().prefix.len() {
        for number in 0..case.property().prefix[place].variables.len() {
            let mut without = case.clone();
            let property = &mut without.spec.properties[0];
            let name = property.prefix[place].variables.remove(number).name;
            if property.prefix[place].variables.is_empty() {
                property.prefix.remove(place);
            }
            property.body = substitute(&property.body, &name, &Argument::Any);
            if let Body::Automaton(automaton) = &mut property.body
                && automaton.condition.as_ref().is_some_and(|condition| mentions(condition, &name))
            {
                automaton.condition = None;
            }
            found.push(without);
        }
        let mut plainer = case.clone();
        let quantifier = &mut plainer.spec.properties[0].prefix[place];
        if quantifier.threshold.take().is_none() {
            quantifier.kind = QuantifierKind::Forall;
        }
        if plainer.spec != case.spec {
            found.push(plainer);
        }
    }
    found
}

fn mentions(guard: &Guard, name: &str) -> bool {
    match guard {
        Guard::Compare(left, _, right) => stands_in(left, name) || stands_in(right, name),
        Guard::Not(of) => mentions(of, name),
        Guard::And(left, right) | Guard::Or(left, right) => mentions(left, name) || mentions(right, name),
    }
}

fn stands_in(expression: &Expression, name: &str) -> bool {
    match expression {
        Expression::Literal(_) => false,
        Expression::Variable(variable) => variable.name == name,
        Expression::Arithmetic(_, left, right) => stands_in(left, name) || stands_in(right, name),
    }
}
