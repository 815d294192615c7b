// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random quantifiers, and atoms over their variables.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::pattern::Argument;
use gnomon_ir::spec::{Quantifier, QuantifierKind, Threshold};

use super::data;
use crate::build::{argument, variable};
use crate::random::Random;

/// Comparisons that every language writes.
pub(super) const COMPARISONS: [Comparison; 5] =
    [Comparison::Less, Comparison::AtMost, Comparison::AtLeast, Comparison::Greater, Comparison::Equal];

/// Up to three names, in any order.
pub(super) fn names(random: &mut Random) -> Vec<&'static str> {
    let mut names = vec!["x", "y", "z"];
    names.truncate(*random.pick(&[0, 1, 1, 1, 1, 2, 2, 2, 3, 3]));
    for at in (1..names.len()).rev() {
        names.swap(at, random.below(at + 1));
    }
    names
}

/// A quantifier for each name; neighbours of one kind may share a word.
pub(super) fn quantifiers(random: &mut Random, names: &[&str], thresholds: bool) -> Vec<Quantifier> {
    let mut prefix: Vec<Quantifier> = Vec::new();
    // Prefixes of `forall` only are what people write most.
    let plain = random.one_in(2);
    for name in names {
        let kind = if plain || random.one_in(2) { QuantifierKind::Forall } else { QuantifierKind::Exists };
        let threshold = (!plain && thresholds && random.one_in(3)).then(|| threshold(random));
        match prefix.last_mut() {
            Some(last) if last.kind == kind && last.threshold.is_none() && threshold.is_none() && random.one_in(2) => {
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

fn threshold(random: &mut Random) -> Threshold {
    let percent = random.one_in(2);
    let amount = if percent { *random.pick(&[0, 30, 50, 67, 95, 100]) } else { random.between(0, 3) };
    Threshold { comparison: *random.pick(&COMPARISONS), amount: Quantity::whole(amount), percent }
}

/// A parameter: mostly this variable, if it is one of the names; else a literal or anything.
pub(super) fn parameter(random: &mut Random, wanted: &str, names: &[&str]) -> Argument {
    match random.below(10) {
        0 => Argument::Any,
        1 => Argument::Literal(data::value(random)),
        2 if !names.is_empty() => argument(random.pick::<&str>(names)),
        _ if names.contains(&wanted) => argument(wanted),
        _ => Argument::Any,
    }
}
