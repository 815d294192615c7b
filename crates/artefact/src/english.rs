// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates properties into plain English.

mod formula;
mod pattern;
mod words;

use gnomon_core::value::Comparison;
use gnomon_ir::spec::{Body, Language, Property, Quantifier, QuantifierKind, Spec};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;

/// Describes a property in plain words: a pattern, or a formula of `mtl` or `soloist`.
pub fn english(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    match (&property.body, property.language) {
        (Body::Pattern(_), _) => {
            let cell = PreparedPattern::of(spec, property, "")?;
            Ok(introduced(&cell.prefix(), pattern::sentences(&cell)))
        }
        (Body::Formula(formula), Language::Mtl | Language::Soloist) => {
            Ok(introduced(&property.prefix, formula::sentence(formula)?))
        }
        _ => Err(Refusal::language(property, "is not put into words: only patterns, `mtl` and `soloist` are")),
    }
}

/// Returns the sentences after an introduction of the quantified variables.
fn introduced(prefix: &[Quantifier], sentences: String) -> String {
    if prefix.is_empty() { sentences } else { introduction(prefix) + &words::small(&sentences) }
}

/// Describes the quantifiers of a prefix.
fn introduction(prefix: &[Quantifier]) -> String {
    let mut out = String::new();
    for quantifier in prefix {
        let names: Vec<String> = quantifier.variables.iter().map(|variable| format!("`{}`", variable.name)).collect();
        let names = words::list(&names, "and");
        let begins = match (&quantifier.threshold, quantifier.kind) {
            (Some(threshold), _) => {
                let amount = match threshold.comparison {
                    Comparison::Equal => "exactly",
                    Comparison::NotEqual => "any number but",
                    Comparison::Less => "fewer than",
                    Comparison::AtMost => "at most",
                    Comparison::Greater => "more than",
                    Comparison::AtLeast => "at least",
                };
                let unit = if threshold.percent { " %" } else { "" };
                format!("for {amount} {}{unit} of the values of {names}", threshold.amount)
            }
            (None, QuantifierKind::Forall) if quantifier.variables.len() == 1 => {
                format!("for every value of {names}, taken by itself")
            }
            (None, QuantifierKind::Forall) => format!("for all values of {names}, each combination taken by itself"),
            (None, QuantifierKind::Exists) => format!("for some value of {names}"),
        };
        out.push_str(&begins);
        out.push_str(": ");
    }
    words::capital(&out)
}
