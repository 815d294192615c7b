// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clock constraints as text, written by other means than the printer of the language.

use gnomon_ir::{ClockExpression, ClockRelation, Clocks};

/// The statements, relations first.
pub(super) fn text(clocks: &Clocks) -> String {
    let relation = |ClockRelation { kind, left, right, .. }: &ClockRelation<_>| {
        let (left, right): (&gnomon_ir::Atom, &gnomon_ir::Atom) = (left, right);
        format!("{} {kind} {}", left.name, right.name)
    };
    let definition = |one: &gnomon_ir::ClockDefinition| {
        let names: Vec<&str> = one.expression.operands().map(|atom| atom.name.as_str()).collect();
        let (a, b) = (names[0], names[names.len() - 1]);
        let expression = match &one.expression {
            ClockExpression::Union(..) => format!("{a} + {b}"),
            ClockExpression::Intersection(..) => format!("{a} * {b}"),
            ClockExpression::Difference(..) => format!("{a} - {b}"),
            ClockExpression::Delay(_, by) => format!("{a} $ {by}"),
            ClockExpression::DelayOn { by, .. } => format!("{a} $ {by} on {b}"),
            ClockExpression::Every { period, from, .. } => {
                format!("{a} every {period}{}", from.map_or(String::new(), |from| format!(" (from {from})")))
            }
            ClockExpression::Filter(_, word) => format!("{a} filter {word}"),
            ClockExpression::Sampled { strictly, .. } => {
                format!("{a} {}sampled {b}", if *strictly { "strictly " } else { "" })
            }
            ClockExpression::UpTo(..) => format!("{a} upto {b}"),
            ClockExpression::Wait(_, number) => format!("{a} wait {number}"),
            ClockExpression::Then(..) => format!("{a} ; {b}"),
            ClockExpression::Infimum(..) => format!("inf({a}, {b})"),
            ClockExpression::Supremum(..) => format!("sup({a}, {b})"),
        };
        format!("clock {} := {expression}", one.clock.name)
    };
    let lines: Vec<String> =
        clocks.relations.iter().map(relation).chain(clocks.definitions.iter().map(definition)).collect();
    lines.join("\n")
}
