// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers terms: names become numbers, amounts of time become numbers in the trace's unit.

use gnomon_core::list::{index_of, reachable};
use gnomon_core::{Diagnostic, Fraction, Interval, Span, TICKS_PER_BARE_UNIT, Value};

use super::{Checker, intern};
use crate::{
    ActivityPhase, AtomDefinition, Edge, ExternDeclaration, Formula, FormulaNode, NodeId, Occurrence, Reference, Term,
    TermCore, TermId, TermKind, core,
};

/// The terms of a property.
#[derive(Default)]
pub(super) struct Terms {
    pub(super) list: Vec<TermCore>,
    pub(super) variables: Vec<String>,
    /// Names that begin with `start_` and that no declaration has.
    pub(super) starts: Vec<String>,
    /// The variables of the quantifiers around, outermost first.
    pub(super) elements: Vec<String>,
    /// Elements in scope around a function of the past, which cannot refer to them.
    hidden: Vec<String>,
    /// Nodes whose value is assumed inside a quantifier.
    pub(super) assumed: Vec<(NodeId, bool)>,
}

impl Terms {
    fn add(&mut self, term: TermCore) -> TermId {
        TermId(intern(&mut self.list, term))
    }

    /// Returns true if a term refers to an element of a list.
    fn mentions_element(&self, term: TermId) -> bool {
        match &self.list[term.0 as usize] {
            TermCore::Element { .. } => true,
            TermCore::Operation(_, left, right) => self.mentions_element(*left) || self.mentions_element(*right),
            _ => false,
        }
    }
}

impl Checker<'_> {
    /// RULE B4: where an event, or the start of an activity, is.
    pub(super) fn on_event(&mut self, occurrence: &Occurrence, span: Span) -> Edge {
        let core::OccurrenceCore { atom, starts } = self.occurrence(occurrence);
        let of = self.nodes.add(FormulaNode::Atom(atom), span);
        if starts { self.nodes.next(Interval::ANY, self.nodes.constant(false), of, span) } else { of }
    }

    /// Returns the phase of an activity that a name stands for; `None` if the name is declared.
    pub(super) fn activity_phase(&self, occurrence: &Occurrence) -> Option<ActivityPhase> {
        let name = &occurrence.event.name;
        let is_known = self.spec.event(name).is_some();
        occurrence.activity.as_ref().filter(|_| !is_known).map(|(phase, _)| *phase)
    }

    fn occurrence(&mut self, occurrence: &Occurrence) -> core::OccurrenceCore {
        match (self.activity_phase(occurrence), &occurrence.activity) {
            (Some(ActivityPhase::Start), Some((_, event))) => {
                index_of(&mut self.terms.starts, occurrence.event.name.clone());
                core::OccurrenceCore { atom: self.atom(event), starts: true }
            }
            // The event of that name, or the one whose end it is.
            (Some(ActivityPhase::End), Some((_, event))) => {
                let mut patterns = self.patterns(&occurrence.event);
                patterns.extend(self.patterns(event));
                let atom = self.define(AtomDefinition { name: occurrence.event.name.clone(), patterns });
                core::OccurrenceCore { atom, starts: false }
            }
            _ => core::OccurrenceCore { atom: self.atom(&occurrence.event), starts: false },
        }
    }

    /// RULE B3
    pub(super) fn term(&mut self, term: &Term) -> TermId {
        let span = term.span;
        let core = match &term.kind {
            TermKind::Literal(Value::Number(number)) => TermCore::Number(Fraction::from(*number)),
            TermKind::Literal(value) => TermCore::Value(value.clone()),
            TermKind::Time(quantity) => {
                let ticks = self.duration(*quantity, span).ticks();
                TermCore::Number(Fraction::new(ticks, self.ticks_per_unit()))
            }
            TermKind::Variable(reference) => return self.reference(reference),
            TermKind::Operation(operation, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                TermCore::Operation(*operation, left, right)
            }
            TermKind::Past { of, event, back } => {
                let of = self.remembered(of);
                TermCore::Past { of, event: self.occurrence(event), back: *back }
            }
            TermKind::Count { of, window } => {
                let (of, reach) = (self.counted(of), self.duration(*window, span));
                TermCore::Count { of, reach }
            }
            TermKind::Fold { fold, of, window } => {
                let (of, reach) = (self.remembered(of), self.duration(*window, span));
                TermCore::Fold { fold: *fold, of, reach }
            }
            TermKind::Elapsed(event) => {
                TermCore::Elapsed { event: self.occurrence(event), ticks: self.ticks_per_unit() }
            }
        };
        self.terms.add(core)
    }

    fn ticks_per_unit(&self) -> i128 {
        self.clock.unit.map_or(TICKS_PER_BARE_UNIT, gnomon_core::time::Unit::nanoseconds)
    }

    pub(super) fn reference(&mut self, reference: &Reference) -> TermId {
        let Reference { name, steps, .. } = reference;
        if let Some(depth) = self.terms.elements.iter().rposition(|element| element == name) {
            return self.terms.add(TermCore::Element { depth, steps: steps.clone() });
        }
        if self.terms.hidden.contains(name) {
            self.no_element(reference.span);
        }
        let name = self.spec.external(name).map_or_else(|| name.clone(), ExternDeclaration::field);
        let variable = intern(&mut self.terms.variables, name) as usize;
        self.terms.add(TermCore::Variable { variable, steps: steps.clone() })
    }

    /// The term of a function of the past: it is read in other states, where no element is meant.
    fn remembered(&mut self, term: &Term) -> TermId {
        let id = self.term(term);
        if self.terms.mentions_element(id) {
            self.no_element(term.span);
        }
        id
    }

    fn no_element(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::error("G0331", span, "a function of the past cannot mention an element of a list")
                .label("earlier states had lists of their own")
                .help("compare the element with a value of the state: `$x/price <= max($limit, 600)`"),
        );
    }

    /// Lowers the formula by which `count` counts states. RULE B7
    fn counted(&mut self, of: &Formula) -> Edge {
        let hidden = self.terms.hidden.len();
        self.terms.hidden.extend(self.terms.elements.iter().cloned());
        let edge = self.apart(of);
        self.terms.hidden.truncate(hidden);
        let waits_longer = |node: &FormulaNode| match node {
            FormulaNode::InFuture { .. } => true,
            FormulaNode::Until { .. } => !self.is_start(node),
            _ => false,
        };
        if self.any_part(edge, waits_longer) {
            self.diagnostics.push(
                Diagnostic::error("G0332", of.span, "`count` cannot count what the future decides")
                    .label("it is known neither in the state itself nor in the next one")
                    .help("count an event or a comparison: `count(onEvent(Fail), 60)`"),
            );
        }
        edge
    }

    /// A formula that does not refer to the elements around it, as if it stood outside.
    pub(super) fn apart(&mut self, formula: &Formula) -> Edge {
        let elements = std::mem::take(&mut self.terms.elements);
        let assumed = std::mem::take(&mut self.terms.assumed);
        let edge = self.formula(formula);
        (self.terms.elements, self.terms.assumed) = (elements, assumed);
        edge
    }

    /// Returns true if a node is the start of an activity: it asks for an event of the next position and nothing else.
    fn is_start(&self, node: &FormulaNode) -> bool {
        let FormulaNode::Until { interval, left, right } = node else { return false };
        let asks_for_event = matches!(self.nodes.node(right.node), FormulaNode::Atom(_)) && !right.negated;
        *interval == Interval::ANY && *left == self.nodes.constant(false) && asks_for_event
    }

    /// Returns true if a formula looks ahead.
    pub(super) fn looks_ahead(&self, edge: Edge) -> bool {
        self.any_part(edge, |node| matches!(node, FormulaNode::Until { .. } | FormulaNode::InFuture { .. }))
    }

    /// Returns true if a node with this property occurs in a formula.
    fn any_part(&self, edge: Edge, is_it: impl Fn(&FormulaNode) -> bool) -> bool {
        let parts = |id| core::parts(&self.terms.list, self.nodes.node(id)).into_iter().map(|part| part.node);
        reachable([edge.node], parts).into_iter().any(|id| is_it(self.nodes.node(id)))
    }
}
