// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why something cannot be made of a property.

use std::fmt;

use gnomon_ir::spec::Property;

/// Why something cannot be made of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The reason: a clause without a full stop.
    pub reason: String,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Refusal { reason: reason.into() }
    }

    /// The property is written in a language of which this is not made.
    pub(crate) fn language(property: &Property, what: &str) -> Self {
        Refusal::new(format!("a `{}` property {what}", property.language.word()))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Refusal {}
