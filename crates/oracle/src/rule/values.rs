// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data correlation: the values that messages and instances have for the correlation sets of a rule.
// RULE N4

use gnomon_core::value::{Comparison, Value};

use crate::truth::Truth;

/// For each correlation set, the value if there is one.
#[derive(Clone)]
pub(crate) struct Values {
    pub(crate) of: Vec<Option<Value<'static>>>,
}

impl Values {
    /// Whether two of them belong together: unknown where no set has a value on both sides.
    pub(super) fn agreement(&self, other: &Values) -> Truth {
        let mut agreement = Truth::Unknown;
        for pair in self.of.iter().zip(&other.of) {
            let (Some(left), Some(right)) = pair else { continue };
            if !Comparison::Equal.holds(left, right) {
                return Truth::False;
            }
            agreement = Truth::True;
        }
        agreement
    }

    /// Takes the values that the other has and this has not.
    pub(super) fn learn(&mut self, other: &Values) {
        for (mine, new) in self.of.iter_mut().zip(&other.of) {
            if mine.is_none() {
                mine.clone_from(new);
            }
        }
    }
}
