// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawing: diagnostics, violations and reports as text. Nothing here judges or reads anything.

pub(crate) mod diagnostic;
pub(crate) mod events;
pub(crate) mod externs;
pub(crate) mod human;
pub(crate) mod junit;
pub(crate) mod line;
pub(crate) mod ndjson;
pub(crate) mod snippet;
pub(crate) mod table;
pub(crate) mod violation;

use gnomon::ir::spec::{Property, QuantifierKind};
pub(crate) use gnomon::report::{About, FREER, VISITS_ALL, json, numbers, overall};

/// Whether a property is true or false as a whole, not position by position: it asks for some values, or for so many.
pub(crate) fn counts_values(property: &Property) -> bool {
    let asks = |kind, has_threshold| kind == QuantifierKind::Exists || has_threshold;
    property.prefix.iter().any(|quantifier| asks(quantifier.kind, quantifier.threshold.is_some()))
}
