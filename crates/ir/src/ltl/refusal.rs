// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a property has no LTL form, or none that anyone would want.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Quantity, Unit};

use crate::spec::Language;

/// What stands in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The part of the property that is to blame.
    pub span: Span,
    /// Why.
    pub reason: Reason,
}

/// The reasons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The formula would have more nodes than allowed.
    TooLarge {
        /// The modality at which it became so, without its interval or window.
        modality: &'static str,
        /// What makes it large.
        cause: Cause,
        /// The size of what the modality speaks of, written out.
        inner: u64,
    },
    /// A constant is no whole number of the trace's unit, so no instant lies there.
    NotWhole {
        /// The constant.
        constant: Quantity,
        /// The trace's unit, if it is declared.
        unit: Option<Unit>,
    },
    /// A constant has a unit, but the trace's unit, the length of an instant, is not declared.
    UnknownUnit {
        /// The constant.
        constant: Quantity,
    },
    /// With `simultaneous sequence` several positions may share an instant.
    Sequence,
    /// The mapping is SOLOIST's.
    Language(Language),
}

/// What makes a formula large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Each of these many instants is a step with a copy of the arguments.
    Walk {
        /// How many.
        instants: u64,
    },
    /// All ways to take so many instants out of so many.
    Choice {
        /// How many are taken.
        take: u64,
        /// Out of how many.
        of: u64,
        /// How many times over: the steps of a window, else 1.
        steps: u64,
    },
    /// All ways in which starts and ends may lie in so many instants.
    Pairing {
        /// How many.
        instants: u64,
    },
    /// Nothing but its parts, added up.
    Parts,
}

impl Cause {
    /// In how many ways the instants can be taken; `None`: it is no choice, or there are more than 128 bits can tell.
    pub fn ways(self) -> Option<u128> {
        let Cause::Choice { take, of, .. } = self else { return None };
        let take = take.min(of.checked_sub(take)?);
        (0..take).try_fold(1_u128, |ways, step| {
            // Exact at every step: a product of `step + 1` neighbours is divisible by the factorial.
            Some(ways.checked_mul(u128::from(of - step))? / u128::from(step + 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_counted() {
        let ways = |take, of| Cause::Choice { take, of, steps: 1 }.ways();
        assert_eq!(ways(2, 3), Some(3));
        assert_eq!(ways(4, 600), Some(5_346_164_850));
        assert_eq!((ways(0, 5), ways(5, 5), ways(6, 5)), (Some(1), Some(1), None));
        assert_eq!(ways(500, 1_000), None);
    }
}
