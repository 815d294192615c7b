// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is compared at one position, and what holds of every element of a list.
// RULE K12, K13, B6

use gnomon_core::value::Value;
use gnomon_ir::core::{Edge, FormulaCore, Node, TermId};

use crate::and;
use crate::datum::{Datum, compares};
use crate::table::{Facts, Table};
use crate::term;
use crate::truth::Truth;
use crate::view::View;

/// One position of a table.
pub(crate) struct Spot<'a> {
    pub(crate) core: &'a FormulaCore,
    pub(crate) facts: &'a Facts,
    pub(crate) view: &'a View<'a>,
    pub(crate) table: &'a Table,
    pub(crate) at: usize,
}

impl Spot<'_> {
    /// Where the quantifiers around stand at these elements, the outermost first.
    pub(crate) fn truth(&self, edge: Edge, elements: &[Value<'static>]) -> Truth {
        let value = match self.core.node(edge.node) {
            Node::And(parts) => and::truth(parts.iter().map(|part| self.truth(*part, elements))),
            // A comparison that counts starts of activities is known with the next position.
            Node::Compare { .. } if self.facts.waits[edge.node.0 as usize] && self.is_open() => Truth::Unknown,
            Node::Compare { left, comparison, right } => {
                let (left, right) = (self.value(*left, elements), self.value(*right, elements));
                compares(left.as_ref(), *comparison, right.as_ref()).into()
            }
            Node::Each { list, of } => {
                let list = self.value(*list, elements);
                let items = list.as_ref().and_then(Datum::elements).unwrap_or_default();
                and::truth(items.iter().map(|item| self.truth(*of, &[elements, std::slice::from_ref(item)].concat())))
            }
            // Whatever else there is speaks of no element.
            _ => self.table.truth(Edge { node: edge.node, negated: false }, self.at),
        };
        if edge.negated { !value } else { value }
    }

    /// Whether the next position may still come.
    fn is_open(&self) -> bool {
        self.view.next.is_some() && self.at + 1 == self.view.times.len()
    }

    fn value(&self, term: TermId, elements: &[Value<'static>]) -> Option<Datum> {
        term::value(&self.core.terms, term, self.table, self.at, elements)
    }
}
