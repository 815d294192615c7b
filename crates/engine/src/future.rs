// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators that wait for the future: they tell facts when they become certain.

pub(crate) mod chain;
pub(crate) mod conjunction;
pub(crate) mod in_future;
pub(crate) mod until;

use gnomon_core::time::Timestamp;

use crate::fact::Fact;

/// What a part of a waiting operator has to say in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    /// The part is known at once: its value at the new position (`None` in rounds without one).
    Now(Option<bool>),
    /// The part waits itself: the facts it told in this round, to be read negated or not.
    Later {
        /// The facts.
        facts: &'a [Fact],
        /// Whether the negation of the part is meant.
        negated: bool,
    },
}

/// What happens in one round, apart from the inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The new position and its time; `None` if only time passes or the trace ends.
    pub(crate) new: Option<(u64, Timestamp)>,
    /// Whether someone needs the operator's value at the new position.
    pub(crate) wanted: bool,
    /// No position after this round's is earlier than this.
    pub(crate) frontier: Timestamp,
    /// Whether nothing comes any more.
    pub(crate) ended: bool,
}
