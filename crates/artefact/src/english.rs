// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties in plain words.

mod formula;
mod pattern;
mod words;

use gnomon_core::value::Comparison;
use gnomon_ir::spec::{Body, Language, Property, Quantifier, QuantifierKind, Spec};

use crate::cell::Cell;
use crate::refusal::Refusal;

/// The property in plain words: a pattern, or a formula of `mtl` or `soloist`.
pub fn english(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    match (&property.body, property.language) {
        (Body::Requirement(_), _) => {
            let cell = Cell::of(spec, property, "")?;
            let (kind, variables) = (QuantifierKind::Forall, cell.variables.clone());
            let quantifier = Quantifier { kind, threshold: None, variables, span: property.body_span };
            let prefix = if cell.variables.is_empty() { vec![] } else { vec![quantifier] };
            Ok(introduced(&prefix, pattern::sentences(&cell)))
        }
        (Body::Formula(formula), Language::Mtl | Language::Soloist) => {
            Ok(introduced(&property.prefix, formula::sentence(formula)?))
        }
        _ => Err(Refusal::language(property, "is not put into words: only patterns, `mtl` and `soloist` are")),
    }
}

/// The sentences, after the words that say for which values they are meant.
fn introduced(prefix: &[Quantifier], sentences: String) -> String {
    if prefix.is_empty() { sentences } else { introduction(prefix) + &words::small(&sentences) }
}

/// For which values something is meant.
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
