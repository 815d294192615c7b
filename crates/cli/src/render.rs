// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawing: diagnostics, violations and reports as text, reports as JSON. Nothing here judges or reads anything.

pub(crate) mod diagnostic;
pub(crate) mod events;
pub(crate) mod externs;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod line;
pub(crate) mod ndjson;
pub(crate) mod numbers;
pub(crate) mod snippet;
pub(crate) mod table;
pub(crate) mod violation;

use gnomon::compile::Compiled;
use gnomon::ir::spec::{Property, QuantifierKind};
use gnomon::time::Clock;
use gnomon::verdict::{Outcome, Verdict};

/// A rule looks back, is violated, and would not be if its messages were not used up.
pub(crate) const FREER: &str = "it would hold with `(matching any)`: here each message of the context serves one \
    supposition and counts from the first, so a second supposition finds nothing left";

/// Why a property costs more than others.
pub(crate) const VISITS_ALL: &str = "what it says of a binding depends on events that do not concern it, so every \
                                     binding is judged at every position: the cost grows with their number";

/// What the reports are about.
pub(crate) struct About<'a> {
    /// What the user calls the spec.
    pub(crate) spec_name: &'a str,
    /// The spec, and which of its properties were judged.
    pub(crate) compiled: &'a Compiled,
}

impl About<'_> {
    /// A property by its place in the plan.
    pub(crate) fn property(&self, index: usize) -> &Property {
        &self.compiled.spec.properties[self.compiled.properties[index]]
    }

    /// Its name.
    pub(crate) fn property_name(&self, index: usize) -> &str {
        &self.property(index).name
    }

    /// The unit of the traces' times.
    pub(crate) fn clock(&self) -> Clock {
        Clock::new(self.compiled.spec.time.unit)
    }
}

/// Whether a property is true or false as a whole, not position by position: it asks for some values, or for so many.
pub(crate) fn counts_values(property: &Property) -> bool {
    let asks = |kind, has_threshold| kind == QuantifierKind::Exists || has_threshold;
    property.prefix.iter().any(|quantifier| asks(quantifier.kind, quantifier.threshold.is_some()))
}

/// The verdict of several together: one violated spoils all, one undecided leaves all undecided.
pub(crate) fn overall(outcomes: &[Outcome]) -> Verdict {
    let any = |verdict| outcomes.iter().any(|outcome| outcome.verdict == verdict);
    if any(Verdict::Violated) {
        Verdict::Violated
    } else if any(Verdict::Inconclusive) {
        Verdict::Inconclusive
    } else {
        Verdict::Holds
    }
}
