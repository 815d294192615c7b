// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawing for people: diagnostics, violations and reports as text, with colours where someone sees them. The command prints
//! it, and a binding shows it where its language shows an error or a value.

pub mod diagnostic;
pub mod externs;
pub mod failure;
pub mod human;
pub mod line;
pub mod paint;
pub mod similar;
pub mod snippet;
pub mod violation;

use gnomon_ir::spec::{Property, QuantifierKind};

/// Whether a property is true or false as a whole, not position by position: it asks for some values, or for so many.
pub fn counts_values(property: &Property) -> bool {
    let asks = |kind, has_threshold| kind == QuantifierKind::Exists || has_threshold;
    property.prefix.iter().any(|quantifier| asks(quantifier.kind, quantifier.threshold.is_some()))
}
