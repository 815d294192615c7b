// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one operator tells the next.

use gnomon_ir::core::NodeId;

/// From one position to another a node has this value. Each position is told once, in any order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fact {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) value: bool,
    /// The part of the formula that decided it: the node itself, or one inside it.
    pub(crate) blame: NodeId,
}

impl Fact {
    /// The same, of the node's negation if that is what is meant.
    pub(crate) fn read(self, negated: bool) -> Fact {
        Fact { value: self.value != negated, ..self }
    }
}
