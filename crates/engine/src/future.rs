// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators that wait for the future: they emit facts when values become certain.
//!
//! A network runs in rounds: one for each position, one for each deadline that passes, one at the end of the trace. In a round each
//! waiting operator reads its parts ([`PartInput`]) and appends the facts that it can now decide. Parts run before the operators that
//! contain them, so facts travel to the top of the formula within one round.
//!
//! | operator | parts | module |
//! |---|---|---|
//! | `left U right` | both known immediately | [`until`] |
//! | `left U right` | some part waits itself | [`three_valued_until`] |
//! | `f && g && …` | some part waits | [`conjunction`] |
//! | `futr` (the state at most K later) | any | [`in_future`] |
//! | past operators | some part waits | [`crate::past_over_future`] |

pub(crate) mod conjunction;
pub(crate) mod in_future;
pub(crate) mod three_valued_until;
pub(crate) mod until;

use gnomon_core::time::Timestamp;
use gnomon_ir::core::NodeId;

/// The value of a node at the positions `from ..= to`. A node emits each position once, in any order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fact {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) value: bool,
    /// The part of the formula that decided it: the node itself, or one inside it.
    pub(crate) blame: NodeId,
}

impl Fact {
    /// Returns the fact about an edge to the node: with the opposite value if the edge is negated.
    pub(crate) fn along(self, negated: bool) -> Fact {
        Fact { value: self.value != negated, ..self }
    }
}

/// Appends a fact, joined with the previous one if it continues it.
pub(crate) fn push_fact(facts: &mut Vec<Fact>, fact: Fact) {
    match facts.last_mut() {
        Some(last) if last.to + 1 == fact.from && last.value == fact.value && last.blame == fact.blame => {
            last.to = fact.to;
        }
        _ => facts.push(fact),
    }
}

/// The values of one part of a waiting operator that one round adds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PartInput<'a> {
    /// The part is known immediately: its value at the new position (`None` in rounds without one).
    Now(Option<bool>),
    /// The part waits itself: the facts that it emitted in this round, and true if the operator negates them.
    Later { facts: &'a [Fact], negated: bool },
}

/// One round of the network: a new position, the passing of time, or the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The new position and its time; `None` if only time passes or the trace ends.
    pub(crate) new: Option<(u64, Timestamp)>,
    /// True if the operator's value at the new position is needed.
    pub(crate) wanted: bool,
    /// No position after this round's is earlier than this.
    pub(crate) frontier: Timestamp,
    /// True if the trace has ended.
    pub(crate) ended: bool,
}
