// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates properties of every language into English sentences.
//!
//! A sentence refers to one event or moment of the trace, the one that a formula is evaluated at, and to others by their distance
//! from it: `G(off -> count[10m](withdraw) <= 3)` is "Whenever `off` occurs, `withdraw` has occurred at most 3 times in the last
//! 10 minutes." Operands that contain connectives are numbered, so that every sentence has one reading.

mod aggregate;
mod automaton;
mod binary;
mod clause;
mod clocks;
mod first_event;
mod formula;
mod guard;
mod modal;
mod moments;
mod pattern;
mod plugin;
mod rule;
mod term;
mod units;
mod words;

use gnomon_core::{Comparison, Quantity};
use gnomon_ir::spec::{Body, Property, Quantifier, QuantifierKind, Spec};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;

/// Describes a property in English sentences.
pub fn english(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    let mut property = property.clone();
    if let Some(unit) = spec.time.unit {
        units::declare(&mut property.body, unit);
    }
    let (prefix, sentences) = match &property.body {
        Body::Pattern(_) => {
            let prepared = PreparedPattern::of(spec, &property, "")?;
            (prepared.prefix(), pattern::sentences(&prepared))
        }
        Body::Formula(formula) => (property.prefix.clone(), first_event::sentences(formula)),
        Body::Automaton(automaton) => {
            let with =
                automaton.condition.as_ref().map(|of| format!(" with {}", guard::condition(of))).unwrap_or_default();
            return Ok(introduced(&property.prefix, &with, &automaton::sentences(automaton)));
        }
        Body::Rule(rule) => (property.prefix.clone(), rule::sentences(rule)),
        Body::Modal(modal) => (property.prefix.clone(), modal::sentences(modal)),
        Body::Plugin(plugin) => return Ok(plugin::sentences(&property, plugin)),
        Body::Clocks(clocks) => return Ok(clocks::sentences(clocks)),
    };
    Ok(introduced(&prefix, "", &sentences))
}

/// Returns sentences after the quantifiers of a prefix, whose values meet the condition `with`.
fn introduced(prefix: &[Quantifier], with: &str, sentences: &str) -> String {
    let mut groups: Vec<Vec<&Quantifier>> = Vec::new();
    for quantifier in prefix {
        match groups.last_mut() {
            Some(group) if quantifier.threshold.is_none() && group.iter().all(|other| is_alike(other, quantifier)) => {
                group.push(quantifier);
            }
            _ => groups.push(vec![quantifier]),
        }
    }
    let quantifiers: Vec<String> = groups.iter().map(|group| quantified(group)).collect();
    if quantifiers.is_empty() {
        return sentences.to_owned();
    }
    format!("{}{with}: {}", words::capital(&quantifiers.join(", ")), words::small(sentences))
}

fn is_alike(left: &Quantifier, right: &Quantifier) -> bool {
    left.threshold.is_none() && left.kind == right.kind
}

/// Describes quantifiers of one kind.
fn quantified(group: &[&Quantifier]) -> String {
    let variables = group.iter().flat_map(|quantifier| &quantifier.variables);
    let names: Vec<String> = variables.map(|variable| format!("`{}`", variable.name)).collect();
    let listed = words::enumeration(&names, "and");
    let threshold = group.first().and_then(|quantifier| quantifier.threshold.as_ref());
    match (threshold, group.first().map(|quantifier| quantifier.kind)) {
        (Some(threshold), _) => {
            let amount = threshold.amount;
            let bound = match threshold.comparison {
                Comparison::Less if !threshold.percent => "fewer than",
                comparison => aggregate::comparison_words(comparison),
            };
            match (threshold.percent, amount == Quantity::whole(1)) {
                (true, _) => format!("for {bound} {amount}% of the values of {listed}"),
                (false, true) => format!("for {bound} 1 value of {listed}"),
                (false, false) => format!("for {bound} {amount} values of {listed}"),
            }
        }
        (None, Some(QuantifierKind::Exists)) if names.len() == 1 => format!("for at least one {listed}"),
        (None, Some(QuantifierKind::Exists)) => format!("for some {listed}"),
        (None, _) => format!("for every {listed}"),
    }
}
