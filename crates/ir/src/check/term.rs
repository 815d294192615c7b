// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state: names become numbers, amounts of time become numbers of the trace's unit.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::fraction::Fraction;
use gnomon_core::interval::Interval;
use gnomon_core::time::TICKS_PER_BARE_UNIT;
use gnomon_core::value::Value;

use super::Checker;
use crate::core::{self, AtomDefinition, Edge, Node, TermCore, TermId};
use crate::formula::{Formula, Kind};
use crate::spec::{ExternDeclaration, QuantifierKind, Variable};
use crate::term::{Moment, Occurrence, Reference, Term, TermKind};

/// The terms of a property.
#[derive(Default)]
pub(super) struct Terms {
    pub(super) list: Vec<TermCore>,
    pub(super) variables: Vec<String>,
    /// Names that begin with `start_` and that no declaration has.
    pub(super) starts: Vec<String>,
    /// The variables of the quantifiers around, outermost first.
    elements: Vec<String>,
    /// Those around a function of the past, which cannot speak of them.
    hidden: Vec<String>,
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
                self.only_in_a_state(span);
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
    fn moment(&self, occurrence: &Occurrence) -> Option<Moment> {
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

    fn reference(&mut self, reference: &Reference) -> TermId {
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

    /// What `count` counts: states by what holds in them.
    fn counted(&mut self, of: &Formula) -> Edge {
        let elements = std::mem::take(&mut self.terms.elements);
        let hidden = self.terms.hidden.len();
        self.terms.hidden.extend(elements.iter().cloned());
        let edge = self.formula(of);
        self.terms.hidden.truncate(hidden);
        self.terms.elements = elements;
        if self.waits(edge) {
            self.diagnostics.push(
                Diagnostic::error("G0332", of.span, "`count` cannot count what the future decides")
                    .label("this is not known in the state itself")
                    .help("count an event or a comparison: `count(onEvent(Fail), 60)`"),
            );
        }
        edge
    }

    /// Whether a formula looks ahead.
    fn waits(&self, edge: Edge) -> bool {
        let node = self.nodes.node(edge.node);
        match node {
            Node::Until { .. } | Node::InFuture { .. } => true,
            _ => node.children().iter().any(|child| self.waits(*child)),
        }
    }

    /// RULE B6
    pub(super) fn each(
        &mut self,
        kind: QuantifierKind,
        variable: &Variable,
        list: &Reference,
        of: &Formula,
        span: Span,
    ) -> Edge {
        let list = self.reference(list);
        self.terms.elements.push(variable.name.clone());
        let of = self.formula(of);
        self.terms.elements.pop();
        match kind {
            QuantifierKind::Forall => self.nodes.add(Node::Each { list, of }, span),
            QuantifierKind::Exists => !self.nodes.add(Node::Each { list, of: !of }, span),
        }
    }

    /// What stands in a quantifier over a list speaks of one state.
    pub(super) fn only_in_a_state(&mut self, span: Span) {
        if !self.terms.elements.is_empty() {
            self.diagnostics.push(
                Diagnostic::error("G0333", span, "a quantifier over a list speaks of one state")
                    .label("this looks at other states, where the list may be another")
                    .help("write the temporal operator around the quantifier: `Within((forall x in $items; ...), 10)`"),
            );
        }
    }

    pub(super) fn is_temporal(kind: &Kind) -> bool {
        matches!(kind, Kind::Unary { .. } | Kind::Binary { .. } | Kind::Aggregate { .. } | Kind::InFuture { .. })
    }
}
