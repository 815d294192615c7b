// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reason why a property has no translation, as the translators of this crate return it.
//!
//! Callers put it after "this property has no translation:"; an example is "it limits times, and the mu-calculus has no time".

use std::fmt;

use gnomon_ir::spec::Property;

/// The reason why a property has no translation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The reason: a clause without a full stop.
    pub reason: String,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Refusal { reason: reason.into() }
    }

    /// Returns the refusal for a property of a language that has no such translation.
    pub(crate) fn language(property: &Property, what: &str) -> Self {
        Refusal::new(format!("{} {what}", property.language.a_property()))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Refusal {}
