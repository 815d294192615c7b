// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates properties of every language into English sentences.
//!
//! A sentence speaks of one event or moment of the trace, the one that a formula is evaluated at, and of others by their distance
//! from it: `G(off -> count[10m](withdraw) <= 3)` is "Whenever `off` occurs, `withdraw` has occurred at most 3 times in the last
//! 10 minutes." Operands that contain connectives are numbered, so that every sentence has one reading.

mod aggregate;
mod automaton;
mod clause;
mod formula;
mod guard;
mod modal;
mod pattern;
mod rule;
mod term;
mod words;

use gnomon_ir::spec::{Body, Property, Quantifier, QuantifierKind, Spec};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;

/// Describes a property in English sentences.
pub fn english(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    let (prefix, sentences) = match &property.body {
        Body::Pattern(_) => {
            let cell = PreparedPattern::of(spec, property, "")?;
            (cell.prefix(), pattern::sentences(&cell))
        }
        Body::Formula(formula) => (property.prefix.clone(), formula::sentences(formula)),
        Body::Automaton(automaton) => (property.prefix.clone(), automaton::sentences(automaton)),
        Body::Rule(rule) => (property.prefix.clone(), rule::sentences(rule)),
        Body::Modal(modal) => (property.prefix.clone(), modal::sentences(modal)),
    };
    Ok(if prefix.is_empty() { sentences } else { introduction(&prefix) + &words::small(&sentences) })
}

/// Describes the quantifiers of a prefix.
fn introduction(prefix: &[Quantifier]) -> String {
    let mut parts = Vec::new();
    for quantifier in prefix {
        let names: Vec<String> = quantifier.variables.iter().map(|variable| format!("`{}`", variable.name)).collect();
        parts.push(match (&quantifier.threshold, quantifier.kind) {
            (Some(threshold), _) => {
                let unit = if threshold.percent { " % of the" } else { "" };
                let amount = aggregate::compared(threshold.comparison);
                format!("for {amount} {}{unit} values of {}", threshold.amount, words::list(&names, "and"))
            }
            (None, QuantifierKind::Forall) => format!("for every {}", words::list(&names, "and every")),
            (None, QuantifierKind::Exists) => format!("for at least one {}", words::list(&names, "and one")),
        });
    }
    words::capital(&parts.join(", ")) + ": "
}
