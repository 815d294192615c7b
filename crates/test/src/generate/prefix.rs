// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random quantifiers, and atoms over their variables.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::atom::Argument;
use gnomon_ir::spec::{Quantifier, QuantifierKind, Threshold};

use super::data;
use crate::build::{argument, variable};
use crate::choices::Choices;

/// Comparisons that every language writes.
pub(super) const COMPARISONS: [Comparison; 5] =
    [Comparison::Less, Comparison::AtMost, Comparison::AtLeast, Comparison::Greater, Comparison::Equal];

/// Up to three names, in any order.
pub(super) fn names(choices: &mut Choices) -> Vec<&'static str> {
    let mut names = vec!["x", "y", "z"];
    names.truncate(*choices.pick(&[0, 1, 1, 1, 1, 2, 2, 2, 3, 3]));
    for at in (1..names.len()).rev() {
        names.swap(at, choices.index(at + 1));
    }
    names
}

/// A quantifier for each name; neighbours of one kind may share a word.
pub(super) fn quantifiers(choices: &mut Choices, names: &[&str], thresholds: bool) -> Vec<Quantifier> {
    let mut prefix: Vec<Quantifier> = Vec::new();
    // Prefixes of `forall` only are what people write most.
    let plain = choices.one_in(2);
    for name in names {
        let kind = if plain || choices.one_in(2) { QuantifierKind::Forall } else { QuantifierKind::Exists };
        let threshold = (!plain && thresholds && choices.one_in(3)).then(|| threshold(choices));
        match prefix.last_mut() {
            Some(last) if last.kind == kind && last.threshold.is_none() && threshold.is_none() && choices.one_in(2) => {
                last.variables.push(variable(name));
            }
            _ => {
                let variables = vec![variable(name)];
                prefix.push(Quantifier { kind, threshold, variables, span: Span::default() });
            }
        }
    }
    prefix
}

fn threshold(choices: &mut Choices) -> Threshold {
    let percent = choices.one_in(2);
    let amount = if percent { *choices.pick(&[0, 30, 50, 67, 95, 100]) } else { choices.between(0, 3) };
    Threshold { comparison: *choices.pick(&COMPARISONS), amount: Quantity::whole(amount), percent }
}

/// A parameter: mostly this variable, if it is one of the names; else a literal or anything.
pub(super) fn parameter(choices: &mut Choices, wanted: &str, names: &[&str]) -> Argument {
    match choices.below(10) {
        0 => Argument::Any,
        1 => Argument::Literal(data::value(choices)),
        2 if !names.is_empty() => argument(choices.pick::<&str>(names)),
        _ if names.contains(&wanted) => argument(wanted),
        _ => Argument::Any,
    }
}
