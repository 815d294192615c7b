// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons why a property is not translated to LTL.

use gnomon_core::{Quantity, Span, Unit};

use crate::spec::Language;

/// Refusal of a translation to LTL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LtlRefusal {
    /// The part of the property that is to blame.
    pub span: Span,
    /// Reason.
    pub reason: RefusalReason,
}

/// The reasons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalReason {
    /// The formula would have more nodes than allowed.
    TooLarge {
        /// The modality at which it became so, without its interval or window.
        modality: &'static str,
        /// Source of the size.
        cause: GrowthCause,
        /// The size of what the modality refers to, written out.
        inner: u64,
    },
    /// A constant is not a whole number of the trace's unit, so no instant lies there.
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
    /// It computes with the values of fields, of which LTL knows nothing.
    Values,
    /// With `simultaneous sequence` several positions may share an instant.
    Sequence,
    /// The mapping is SOLOIST's.
    Language(Language),
}

/// Sources of the size of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GrowthCause {
    /// Each of these many instants is a step with a copy of the arguments.
    Walk {
        /// Number of instants.
        instants: u64,
    },
    /// All ways to take `take` instants out of `of`.
    Choice {
        /// Number of instants taken.
        take: u64,
        /// Out of how many.
        of: u64,
        /// Number of repetitions: the steps of a window, otherwise 1.
        steps: u64,
    },
    /// All ways in which starts and ends may lie in `instants` instants.
    Pairing {
        /// Number of instants.
        instants: u64,
    },
    /// Nothing but its parts, added up.
    Parts,
}

impl GrowthCause {
    /// Counts the ways to take the instants; `None` if the cause is not a choice or the number exceeds 128 bits.
    pub fn ways(self) -> Option<u128> {
        let GrowthCause::Choice { take, of, .. } = self else { return None };
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
        let ways = |take, of| GrowthCause::Choice { take, of, steps: 1 }.ways();
        assert_eq!(ways(2, 3), Some(3));
        assert_eq!(ways(4, 600), Some(5_346_164_850));
        assert_eq!((ways(0, 5), ways(5, 5), ways(6, 5)), (Some(1), Some(1), None));
        assert_eq!(ways(500, 1_000), None);
    }
}
