// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a property back to text, in the letters' spelling and with no more parentheses than it needs.

use std::fmt::Write as _;

use gnomon_ir::spec::{Body, Property, Quantifier, QuantifierKind};

use super::DIALECT;
use crate::specfile::print::block;
use crate::temporal;

/// Writes a property as a block that reads back as the same, spans apart. The body of a property of another kind is left
/// empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("mtl late { ∀ u. □((ask(u)) → ◇[0,3s](reply(u))) }");
/// let printed = gnomon_lang::mtl::print(&spec.properties[0]);
/// assert_eq!(printed, "mtl late { forall u. G(ask(u) -> F[0,3s] reply(u)) }\n");
/// ```
pub fn print(property: &Property) -> String {
    let mut body = String::from(" ");
    for quantifier in &property.prefix {
        prefix(quantifier, &mut body);
    }
    let variables = property.prefix.iter().flat_map(|quantifier| &quantifier.variables);
    let variables: Vec<&str> = variables.map(|variable| variable.name.as_str()).collect();
    if let Body::Formula(formula) = &property.body {
        body.push_str(&temporal::print::print(formula, &DIALECT, &variables));
    }
    body.push(' ');
    block(property, &[], &body)
}

fn prefix(quantifier: &Quantifier, out: &mut String) {
    out.push_str(match quantifier.kind {
        QuantifierKind::Forall => "forall ",
        QuantifierKind::Exists => "exists ",
    });
    if let Some(threshold) = &quantifier.threshold {
        let percent = if threshold.percent { "%" } else { "" };
        write!(out, "{} {}{percent} ", threshold.comparison, threshold.amount)
            .expect("writing to a string cannot fail");
    }
    let variables: Vec<&str> = quantifier.variables.iter().map(|variable| variable.name.as_str()).collect();
    out.push_str(&variables.join(", "));
    out.push_str(". ");
}
