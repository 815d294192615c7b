// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace without events has no position to stand at; what a formula is worth there is said here.
// RULE V12

use gnomon_core::verdict::End;
use gnomon_ir::core::{FormulaCore, Node};

use crate::truth::Truth;

/// As a prefix it may stay empty or get a first position: what a formula says of both is known.
pub(crate) fn truth(core: &FormulaCore, end: End) -> Truth {
    let if_empty = Truth::from(core.if_empty);
    let constant = match core.node(core.formula.node) {
        Node::True => Truth::from(!core.formula.negated),
        _ => Truth::Unknown,
    };
    if end == End::Complete || constant == if_empty { if_empty } else { Truth::Unknown }
}
