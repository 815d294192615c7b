// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text for people: diagnostics, violations and reports, in colour on a terminal. The command prints it; a binding shows it
//! as the text of an error or a value.

pub mod diagnostic;
pub mod failure;
pub mod human;
pub mod line;
pub mod paint;
mod parts;
mod property_table;
pub mod similar;
pub mod snippet;
pub mod violation;

use gnomon_ir::spec::{Property, QuantifierKind};

/// Returns true if a property is true or false as a whole, not position by position: it asks for some values, or for a
/// number of them.
pub fn counts_values(property: &Property) -> bool {
    let asks = |kind, has_threshold| kind == QuantifierKind::Exists || has_threshold;
    property.prefix.iter().any(|quantifier| asks(quantifier.kind, quantifier.threshold.is_some()))
}
