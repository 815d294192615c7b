// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparisons at one position, and quantifiers over the elements of a list.
// RULE K12, K13, B6

use gnomon_core::Value;
use gnomon_ir::{Edge, FormulaCore, FormulaNode, TermId};

use crate::known_prefix::KnownPrefix;
use crate::term_value::{TermValue, compares};
use crate::truth::Truth;
use crate::truth_table::{Facts, TruthTable};
use crate::{operators, term};

/// One position of a table.
pub(crate) struct ElementEvaluator<'a> {
    pub(crate) core: &'a FormulaCore,
    pub(crate) facts: &'a Facts,
    pub(crate) view: &'a KnownPrefix<'a>,
    pub(crate) table: &'a TruthTable,
    pub(crate) at: usize,
}

impl ElementEvaluator<'_> {
    /// Returns the truth value where the enclosing quantifiers stand at these elements, outermost first.
    pub(crate) fn truth(&self, edge: Edge, elements: &[Value<'static>]) -> Truth {
        let value = match self.core.node(edge.node) {
            FormulaNode::And(parts) => operators::and(parts.iter().map(|part| self.truth(*part, elements))),
            // A comparison that counts starts of activities is known with the next position.
            FormulaNode::Compare { .. } if self.facts.waits[edge.node.0 as usize] && self.is_open() => Truth::Unknown,
            FormulaNode::Compare { left, comparison, right } => {
                let (left, right) = (self.value(*left, elements), self.value(*right, elements));
                compares(left.as_ref(), *comparison, right.as_ref()).into()
            }
            FormulaNode::Each { list, of } => {
                let list = self.value(*list, elements);
                let items = list.as_ref().and_then(TermValue::elements).unwrap_or_default();
                operators::and(
                    items.iter().map(|item| self.truth(*of, &[elements, std::slice::from_ref(item)].concat())),
                )
            }
            // All other nodes refer to no element.
            _ => self.table.truth(Edge { node: edge.node, negated: false }, self.at),
        };
        if edge.negated { !value } else { value }
    }

    /// Returns true if the next position may still come.
    fn is_open(&self) -> bool {
        self.view.next.is_some() && self.at + 1 == self.view.times.len()
    }

    fn value(&self, term: TermId, elements: &[Value<'static>]) -> Option<TermValue> {
        term::value(&self.core.terms, term, self.table, self.at, elements)
    }
}
