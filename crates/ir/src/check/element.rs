// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers quantifiers over the elements of a list. The quantified formula is evaluated in one state. A part that looks
//! at other states and does not mention the element is a proposition of the state; it is evaluated outside the
//! quantifier.
// RULE B6, D21

use gnomon_core::{Diagnostic, Span};

use super::Checker;
use crate::{
    ActivityPhase, Edge, Formula, FormulaKind, FormulaNode, NodeId, QuantifierKind, Reference, Term, TermKind, Variable,
};

/// Limit on the parts evaluated outside one quantifier: each doubles the number of cases to evaluate.
const MAX_PARTS: usize = 8;

/// `(forall x in $items; f)`
#[derive(Clone, Copy)]
pub(super) struct Each<'f> {
    pub(super) kind: QuantifierKind,
    pub(super) variable: &'f Variable,
    pub(super) list: &'f Reference,
    pub(super) of: &'f Formula,
    pub(super) span: Span,
}

impl Checker<'_> {
    pub(super) fn each(&mut self, each: Each<'_>) -> Edge {
        if !self.terms.elements.is_empty() {
            return self.each_as_assumed(each);
        }
        let mut parts = Vec::new();
        self.parts_elsewhere(each.of, &mut vec![&each.variable.name], &mut parts);
        let mut nodes: Vec<NodeId> = Vec::new();
        for part in parts {
            let edge = self.apart(part);
            if *self.nodes.node(edge.node) != FormulaNode::True && !nodes.contains(&edge.node) {
                nodes.push(edge.node);
            }
        }
        if nodes.len() > MAX_PARTS {
            self.diagnostics.push(
                Diagnostic::error(
                    "G0333",
                    each.span,
                    "too many parts of a quantifier over a list look at other states",
                )
                .label(format!("{} parts of it do; the limit is {MAX_PARTS}", nodes.len()))
                .help("move the part that does not mention the element out of the quantifier"),
            );
            nodes.clear();
        }
        self.each_in_cases(each, &nodes)
    }

    /// RULE D21: true, or false, in either case, or as the case may be.
    fn each_in_cases(&mut self, each: Each<'_>, parts: &[NodeId]) -> Edge {
        let Some((&node, rest)) = parts.split_first() else { return self.each_as_assumed(each) };
        let mut assuming = |value| {
            self.terms.assumed.push((node, value));
            let edge = self.each_in_cases(each, rest);
            self.terms.assumed.pop();
            edge
        };
        let (yes, no) = (assuming(true), assuming(false));
        if yes == no {
            return yes;
        }
        let part = Edge { node, negated: false };
        let (if_so, if_not) = (self.nodes.and(vec![part, yes], each.span), self.nodes.and(vec![!part, no], each.span));
        let either = self.nodes.and(vec![yes, no], each.span);
        !self.nodes.and(vec![!if_so, !if_not, !either], each.span)
    }

    fn each_as_assumed(&mut self, each: Each<'_>) -> Edge {
        let Each { kind, variable, list, of, span } = each;
        let list = self.reference(list);
        self.terms.elements.push(variable.name.clone());
        let of = self.formula(of);
        self.terms.elements.pop();
        match kind {
            QuantifierKind::Forall => self.nodes.add(FormulaNode::Each { list, of }, span),
            QuantifierKind::Exists => !self.nodes.add(FormulaNode::Each { list, of: !of }, span),
        }
    }

    /// The value that is assumed of a formula inside a quantifier, if it looks at other states.
    pub(super) fn assumed(&mut self, formula: &Formula) -> Option<Edge> {
        if self.terms.elements.is_empty() || !self.looks_elsewhere(formula) {
            return None;
        }
        let elements: Vec<&String> = self.terms.elements.iter().collect();
        if mentions(formula, &elements) {
            if is_temporal(&formula.kind) {
                self.only_in_a_state(formula.span);
            }
            return None;
        }
        let edge = self.apart(formula);
        let known = self.terms.assumed.iter().find(|(node, _)| *node == edge.node);
        Some(known.map_or(edge, |(_, value)| self.nodes.constant(*value != edge.negated)))
    }

    /// Adds the greatest parts of a formula that look at other states and refer to none of these elements.
    fn parts_elsewhere<'f>(&self, formula: &'f Formula, elements: &mut Vec<&'f String>, into: &mut Vec<&'f Formula>) {
        if !self.looks_elsewhere(formula) {
            return;
        }
        if !mentions(formula, elements) {
            into.push(formula);
            return;
        }
        match &formula.kind {
            FormulaKind::Each { variable, of, .. } => {
                elements.push(&variable.name);
                self.parts_elsewhere(of, elements, into);
                elements.pop();
            }
            FormulaKind::Not(of) => self.parts_elsewhere(of, elements, into),
            FormulaKind::Connective(_, left, right) => {
                self.parts_elsewhere(left, elements, into);
                self.parts_elsewhere(right, elements, into);
            }
            // A comparison with an element stays where it is, a temporal operator is an error.
            _ => {}
        }
    }

    /// Returns true if a formula depends on more than the present state and the past of its values.
    fn looks_elsewhere(&self, formula: &Formula) -> bool {
        match &formula.kind {
            kind if is_temporal(kind) => true,
            FormulaKind::OnEvent(occurrence) => self.activity_phase(occurrence) == Some(ActivityPhase::Start),
            FormulaKind::Compare(left, _, right) => self.counts_elsewhere(left) || self.counts_elsewhere(right),
            _ => formula.children().iter().any(|of| self.looks_elsewhere(of)),
        }
    }

    /// Returns true if a term counts states by formulae that depend on other states.
    fn counts_elsewhere(&self, term: &Term) -> bool {
        match &term.kind {
            TermKind::Count { of, .. } => self.looks_elsewhere(of),
            _ => term.children().into_iter().any(|part| self.counts_elsewhere(part)),
        }
    }

    fn only_in_a_state(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::error("G0333", span, "a quantifier over a list describes the elements of one state")
                .label("this looks at other states, where the list may be different")
                .help("write the temporal operator around the quantifier: `Within((forall x in $items; ...), 10)`"),
        );
    }
}

fn is_temporal(kind: &FormulaKind) -> bool {
    matches!(
        kind,
        FormulaKind::Unary { .. }
            | FormulaKind::Binary { .. }
            | FormulaKind::Aggregate { .. }
            | FormulaKind::InFuture { .. }
    )
}

/// Returns true if a formula mentions one of these elements.
fn mentions(formula: &Formula, elements: &[&String]) -> bool {
    match &formula.kind {
        FormulaKind::Compare(left, _, right) => term_mentions(left, elements) || term_mentions(right, elements),
        FormulaKind::Each { variable, list, of, .. } => {
            // An inner variable hides an outer one.
            let others: Vec<&String> = elements.iter().copied().filter(|element| **element != variable.name).collect();
            refers(list, elements) || mentions(of, &others)
        }
        _ => formula.children().iter().any(|of| mentions(of, elements)),
    }
}

fn term_mentions(term: &Term, elements: &[&String]) -> bool {
    match &term.kind {
        TermKind::Variable(reference) => refers(reference, elements),
        TermKind::Count { of, .. } => mentions(of, elements),
        _ => term.children().into_iter().any(|part| term_mentions(part, elements)),
    }
}

fn refers(reference: &Reference, elements: &[&String]) -> bool {
    elements.iter().any(|element| **element == reference.name)
}
