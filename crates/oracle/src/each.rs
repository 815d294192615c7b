// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds of every element of a list, at one position.
// RULE K13, B6

use gnomon_core::value::Value;
use gnomon_ir::core::{Edge, FormulaCore, Node, TermId};

use crate::datum::{Datum, compares};
use crate::table::Table;
use crate::term;
use crate::truth::Truth;

/// One position of a table.
pub(crate) struct Spot<'a> {
    pub(crate) core: &'a FormulaCore,
    pub(crate) table: &'a Table,
    pub(crate) at: usize,
}

impl Spot<'_> {
    /// Whether it holds of all elements, where the quantifiers around stand at these, the outermost first.
    pub(crate) fn each(&self, list: TermId, of: Edge, elements: &[Value<'static>]) -> bool {
        let list = self.value(list, elements);
        let items = list.as_ref().and_then(Datum::elements).unwrap_or_default();
        items.iter().all(|item| self.holds(of, &[elements, std::slice::from_ref(item)].concat()))
    }

    fn holds(&self, edge: Edge, elements: &[Value<'static>]) -> bool {
        let value = match self.core.node(edge.node) {
            Node::And(parts) => parts.iter().all(|part| self.holds(*part, elements)),
            Node::Compare { left, comparison, right } => {
                compares(self.value(*left, elements).as_ref(), *comparison, self.value(*right, elements).as_ref())
            }
            Node::Each { list, of } => self.each(*list, *of, elements),
            // Whatever else there is speaks of no element.
            _ => self.table.truth(Edge { node: edge.node, negated: false }, self.at) == Truth::True,
        };
        value != edge.negated
    }

    fn value(&self, term: TermId, elements: &[Value<'static>]) -> Option<Datum> {
        term::value(&self.core.terms, term, self.table, self.at, elements)
    }
}
