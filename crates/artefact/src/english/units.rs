// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gives the constants of a property the unit that its spec declares.

use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::walk::{WalkMut, walk_mut};
use gnomon_ir::{Aggregate, Behaviour, Body, Bounds, Formula, FormulaKind, Term, TermKind};

/// Gives amounts of time without a unit the declared one. Whole minutes, hours and days are counted in these.
pub(super) fn declare(body: &mut Body, unit: Unit) {
    let mut declared = Declared(unit);
    match body {
        Body::Formula(formula) => declared.formula(formula),
        Body::Pattern(pattern) => declared.behaviour(&mut pattern.behaviour),
        // The bounds of a rule share a unit.
        Body::Rule(rule) => {
            for bound in rule.window.from.iter_mut().chain(&mut rule.window.to) {
                declared.plain(bound);
            }
        }
        Body::Automaton(_) | Body::Modal(_) | Body::Plugin(_) | Body::Clocks(_) => {}
    }
}

/// The unit of constants without one.
struct Declared(Unit);

impl Declared {
    /// Gives a constant the unit.
    fn plain(&self, quantity: &mut Quantity) {
        quantity.unit = quantity.unit.or(Some(self.0));
    }

    /// Gives a constant the largest unit in which it is whole, from the declared one on.
    fn time(&self, quantity: &mut Quantity) {
        if quantity.unit.is_some() {
            return;
        }
        self.plain(quantity);
        let nanoseconds = self.0.nanoseconds() * quantity.billionths;
        for unit in [Unit::Second, Unit::Minute, Unit::Hour, Unit::Day] {
            if nanoseconds > 0 && unit.nanoseconds() > self.0.nanoseconds() {
                let size = unit.nanoseconds() * Quantity::whole(1).billionths;
                if nanoseconds % size == 0 {
                    *quantity = Quantity { unit: Some(unit), billionths: nanoseconds / unit.nanoseconds() };
                }
            }
        }
    }

    fn bounds(&self, bounds: &mut Bounds) {
        let Bounds { lo, hi, .. } = bounds;
        if lo.billionths == 0 {
            if let Some(hi) = hi {
                self.time(hi);
            }
        } else {
            self.plain(lo);
            if let Some(hi) = hi {
                self.plain(hi);
            }
        }
    }

    fn aggregate(&self, aggregate: &mut Aggregate) {
        match aggregate {
            Aggregate::Average { window, step, .. } | Aggregate::Maximum { window, step, .. } => {
                self.time(window);
                self.time(step);
            }
            Aggregate::Count { window, .. }
            | Aggregate::Rate { window, .. }
            | Aggregate::Gap { window, .. }
            | Aggregate::Fold { window, .. }
            | Aggregate::Percentile { window, .. }
            | Aggregate::Distinct { window, .. } => self.time(window),
        }
    }

    fn behaviour(&self, behaviour: &mut Behaviour) {
        match behaviour {
            Behaviour::Existence { within, .. }
            | Behaviour::Precedence { within, .. }
            | Behaviour::Response { within, .. } => {
                if let Some(bounds) = within {
                    self.bounds(bounds);
                }
            }
            Behaviour::Rate { window, .. } => self.time(window),
            Behaviour::Recurrence { every, .. } => self.time(every),
            Behaviour::Absence(_) | Behaviour::Count { .. } | Behaviour::Universality(_) | Behaviour::Only(_) => {}
        }
    }
}

impl<'b> WalkMut<'b> for Declared {
    fn formula(&mut self, formula: &'b mut Formula) {
        match &mut formula.kind {
            FormulaKind::Unary { interval, .. } | FormulaKind::Binary { interval, .. } => self.bounds(interval),
            FormulaKind::InFuture { reach, .. } => self.time(reach),
            FormulaKind::Aggregate { aggregate, bound, .. } => {
                self.aggregate(aggregate);
                if let Aggregate::Gap { .. } = **aggregate {
                    self.time(bound);
                }
            }
            _ => {}
        }
        walk_mut::formula(self, formula);
    }

    fn term(&mut self, term: &'b mut Term) {
        if let TermKind::Count { window, .. } | TermKind::Fold { window, .. } = &mut term.kind {
            self.time(window);
        }
        walk_mut::term(self, term);
    }
}
