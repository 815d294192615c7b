// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chooses how violations of a formula are reported: per position of an invariant, or once for the whole formula.

use super::Checker;
use crate::{Connective, Formula, FormulaKind, Invariant, Reporting, Unary, WholeFormula};

impl Checker<'_> {
    pub(super) fn reporting(&mut self, formula: &Formula) -> Reporting {
        let mut conjuncts = Vec::new();
        flatten(formula, &mut conjuncts);
        let invariants: Option<Vec<Invariant>> =
            conjuncts.into_iter().map(|conjunct| self.invariant(conjunct)).collect();
        invariants.map_or_else(|| Reporting::Whole(self.whole(formula)), Reporting::Invariants)
    }

    fn whole(&mut self, formula: &Formula) -> WholeFormula {
        let edge = self.formula(formula);
        WholeFormula { span: formula.span, takes_time: self.looks_ahead(edge) }
    }

    fn invariant(&mut self, formula: &Formula) -> Option<Invariant> {
        let mut nexts = Vec::new();
        let mut inner = formula;
        while let FormulaKind::Unary { operator: Unary::Next, times, interval, of, .. } = &inner.kind {
            if interval.span.is_some() {
                return None;
            }
            let interval = self.interval(interval);
            nexts.extend(std::iter::repeat_n(interval, *times as usize));
            inner = of;
        }
        let FormulaKind::Unary { operator: Unary::Always, strict, interval, of: body, .. } = &inner.kind else {
            return None;
        };
        let reach = self.interval(interval);
        let (antecedent, consequent) = match &body.kind {
            FormulaKind::Connective(Connective::Implies, left, right) => (Some(self.formula(left)), right.as_ref()),
            _ => (None, body.as_ref()),
        };
        let edge = self.formula(consequent);
        Some(Invariant {
            nexts,
            reach,
            strict: *strict,
            antecedent,
            consequent: edge,
            consequent_span: consequent.span,
            span: formula.span,
            takes_time: self.looks_ahead(edge),
        })
    }
}

fn flatten<'a>(formula: &'a Formula, into: &mut Vec<&'a Formula>) {
    match &formula.kind {
        FormulaKind::Connective(Connective::And, left, right) => {
            flatten(left, into);
            flatten(right, into);
        }
        _ => into.push(formula),
    }
}
