// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state: names become numbers, amounts of time become numbers of the trace's unit.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::fraction::Fraction;
use gnomon_core::interval::Interval;
use gnomon_core::time::TICKS_PER_BARE_UNIT;
use gnomon_core::value::Value;

use super::Checker;
use crate::core::{self, AtomDefinition, Edge, Node, NodeId, TermCore, TermId};
use crate::formula::Formula;
use crate::spec::ExternDeclaration;
use crate::term::{Moment, Occurrence, Reference, Term, TermKind};

/// The terms of a property.
#[derive(Default)]
pub(super) struct Terms {
    pub(super) list: Vec<TermCore>,
    pub(super) variables: Vec<String>,
    /// Names that begin with `start_` and that no declaration has.
    pub(super) starts: Vec<String>,
    /// The variables of the quantifiers around, outermost first.
    pub(super) elements: Vec<String>,
    /// Those around a function of the past, which cannot speak of them.
    hidden: Vec<String>,
    /// What is taken for true or false in a quantifier.
    pub(super) assumed: Vec<(NodeId, bool)>,
}

impl Terms {
    fn add(&mut self, term: TermCore) -> TermId {
        let found = self.list.iter().position(|known| *known == term);
        let index = found.unwrap_or_else(|| {
            self.list.push(term);
            self.list.len() - 1
        });
        TermId(u32::try_from(index).expect("the parser bounds the size of a formula"))
    }

    /// Whether a term speaks of an element of a list.
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
        match self.moment(occurrence) {
            Some(Moment::Start) => {
                let core::Occurrence { atom, .. } = self.occurrence(occurrence);
                let (no, of) = (self.nodes.constant(false), self.nodes.add(Node::Atom(atom), span));
                self.nodes.next(Interval::ANY, no, of, span)
            }
            Some(Moment::End) | None => {
                let core::Occurrence { atom, .. } = self.occurrence(occurrence);
                self.nodes.add(Node::Atom(atom), span)
            }
        }
    }

    /// Whether a name stands for the start or end of an activity: not if it is declared.
    pub(super) fn moment(&self, occurrence: &Occurrence) -> Option<Moment> {
        let name = &occurrence.event.name;
        let is_known = self.spec.event(name).is_some();
        occurrence.activity.as_ref().filter(|_| !is_known).map(|(moment, _)| *moment)
    }

    fn occurrence(&mut self, occurrence: &Occurrence) -> core::Occurrence {
        match (self.moment(occurrence), &occurrence.activity) {
            (Some(Moment::Start), Some((_, event))) => {
                if !self.terms.starts.contains(&occurrence.event.name) {
                    self.terms.starts.push(occurrence.event.name.clone());
                }
                core::Occurrence { atom: self.atom(event), starts: true }
            }
            // The event of that name, or the one whose end it is.
            (Some(Moment::End), Some((_, event))) => {
                let mut patterns = self.patterns(&occurrence.event);
                patterns.extend(self.patterns(event));
                let atom = self.atoms.add(AtomDefinition { name: occurrence.event.name.clone(), patterns });
                core::Occurrence { atom, starts: false }
            }
            _ => core::Occurrence { atom: self.atom(&occurrence.event), starts: false },
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
        let found = self.terms.variables.iter().position(|variable| *variable == name);
        let variable = found.unwrap_or_else(|| {
            self.terms.variables.push(name);
            self.terms.variables.len() - 1
        });
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
            Diagnostic::error("G0331", span, "a function of the past cannot speak of an element of a list")
                .label("earlier states had lists of their own")
                .help("compare the element with a value of the state: `$x/price <= max($limit, 600)`"),
        );
    }

    /// What `count` counts: states by what holds in them. RULE B7
    fn counted(&mut self, of: &Formula) -> Edge {
        let hidden = self.terms.hidden.len();
        self.terms.hidden.extend(self.terms.elements.iter().cloned());
        let edge = self.apart(of);
        self.terms.hidden.truncate(hidden);
        let waits_longer = |node: &Node| match node {
            Node::InFuture { .. } => true,
            Node::Until { .. } => !self.is_start(node),
            _ => false,
        };
        if self.any_part(edge, waits_longer) {
            self.diagnostics.push(
                Diagnostic::error("G0332", of.span, "`count` cannot count what the future decides")
                    .label("this is not known in the state itself, nor in the next one")
                    .help("count an event or a comparison: `count(onEvent(Fail), 60)`"),
            );
        }
        edge
    }

    /// A formula that does not speak of the elements around it, as if it stood outside.
    pub(super) fn apart(&mut self, formula: &Formula) -> Edge {
        let elements = std::mem::take(&mut self.terms.elements);
        let assumed = std::mem::take(&mut self.terms.assumed);
        let edge = self.formula(formula);
        (self.terms.elements, self.terms.assumed) = (elements, assumed);
        edge
    }

    /// Whether a node is the start of an activity: it asks for an event of the next position, and no more.
    fn is_start(&self, node: &Node) -> bool {
        let Node::Until { interval, left, right } = node else { return false };
        let asks_for_event = matches!(self.nodes.node(right.node), Node::Atom(_)) && !right.negated;
        *interval == Interval::ANY && *left == self.nodes.constant(false) && asks_for_event
    }

    /// Whether a formula looks ahead.
    pub(super) fn looks_ahead(&self, edge: Edge) -> bool {
        self.any_part(edge, |node| matches!(node, Node::Until { .. } | Node::InFuture { .. }))
    }

    /// Whether a formula is, or has inside, such a node.
    fn any_part(&self, edge: Edge, is_it: impl Fn(&Node) -> bool) -> bool {
        let mut pending: Vec<NodeId> = vec![edge.node];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(id) = pending.pop() {
            let node = self.nodes.node(id);
            if is_it(node) {
                return true;
            }
            if seen.insert(id) {
                pending.extend(core::parts(&self.terms.list, node).iter().map(|part| part.node));
            }
        }
        false
    }
}
