// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace without events has no position to stand at; what a property is worth there is said here.
// RULE V12

use gnomon_core::verdict::End;
use gnomon_ir::core::{FormulaCore, Edge, Node};

use crate::truth::Truth;
use crate::{and, count};

pub(crate) fn truth(core: &FormulaCore, edge: Edge, end: End) -> Truth {
    let value = match core.node(edge.node) {
        Node::True => Truth::True,
        Node::And(parts) => and::truth(parts.iter().map(|part| truth(core, *part, end))),
        _ if end == End::Prefix => Truth::Unknown,
        Node::Atom(_) | Node::TimeAtLeast(_) | Node::Until { .. } | Node::Since { .. } | Node::Gap { .. } => {
            Truth::False
        }
        Node::Count { comparison, bound, .. } | Node::Maximum { comparison, bound, .. } => {
            count::compare((0, 0), *comparison, *bound)
        }
    };
    if edge.negated { !value } else { value }
}
