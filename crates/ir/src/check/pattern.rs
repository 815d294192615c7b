// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers property patterns: atoms are numbered, bounds become ticks.

use gnomon_core::{Duration, Interval, Quantity, Span};

use super::Checker;
use crate::{Atom, AtomId, BehaviourCore, Bounds, Numbering, Pattern, PatternCore, Property, QuantifierCore};

impl Checker<'_> {
    pub(super) fn pattern(
        &mut self,
        property: &Property,
        pattern: &Pattern,
        prefix: Vec<QuantifierCore>,
    ) -> PatternCore {
        let opens = pattern.scope.opens.as_ref().map(|atom| self.atom(atom));
        let closes = pattern.scope.closes.as_ref().map(|atom| self.atom(atom));
        let behaviour = BehaviourCore::new(&pattern.behaviour, pattern.behaviour_span, self);
        self.unused_variables(property);
        let atoms = std::mem::take(&mut self.atoms);
        PatternCore {
            name: property.name.clone(),
            clock: self.clock,
            needs_unit: self.needs_unit,
            atoms,
            prefix,
            scope: pattern.scope.kind,
            opens,
            closes,
            behaviour,
            behaviour_span: pattern.behaviour_span,
            span: property.body_span,
        }
    }
}

impl Numbering for Checker<'_> {
    fn atom(&mut self, atom: &Atom) -> AtomId {
        Checker::atom(self, atom)
    }

    fn duration(&mut self, quantity: Quantity, span: Span) -> Duration {
        Checker::duration(self, quantity, span)
    }

    fn interval(&mut self, bounds: &Bounds) -> Interval {
        Checker::interval(self, bounds)
    }
}
