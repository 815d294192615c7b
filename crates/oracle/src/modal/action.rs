// SPDX-License-Identifier: MIT OR Apache-2.0
//! Action formulae and conditions on data.
// RULE W3, W4, W7

use std::cell::LazyCell;

use gnomon_core::value::Value;
use gnomon_ir::core::{ActionFormula, DataCore, ExpressionCore, ModalCore};
use gnomon_ir::spec::QuantifierKind;

use super::sort::{candidates, has};
use crate::atom;
use crate::automaton::Memory;
use crate::trace::OracleEvent;

/// Whether the formula is true of an event, under a binding.
pub(super) fn holds(
    core: &ModalCore,
    formula: &ActionFormula,
    event: &OracleEvent,
    binding: &[Value<'static>],
) -> bool {
    let mut values = binding.to_vec();
    // No variable is read outside of its quantifier.
    values.resize(binding.len() + core.locals.len(), Value::Null);
    let stand_ins = || {
        let mut literals = binding.to_vec();
        let mut operations = 0;
        collect(formula, &mut literals, &mut operations);
        candidates(event, literals, operations)
    };
    Reader { core, event, candidates: LazyCell::new(&stand_ins) }.holds(formula, &values)
}

struct Reader<'a> {
    core: &'a ModalCore,
    event: &'a OracleEvent,
    /// What stands for all values of a sort.
    candidates: LazyCell<Vec<Value<'static>>, &'a dyn Fn() -> Vec<Value<'static>>>,
}

impl Reader<'_> {
    fn holds(&self, formula: &ActionFormula, values: &[Value<'static>]) -> bool {
        match formula {
            ActionFormula::Event(id) => atom::matches(&self.core.atoms[id.0 as usize], self.event, values),
            ActionFormula::Data(data) => is_true(data, values),
            ActionFormula::Not(of) => !self.holds(of, values),
            ActionFormula::And(left, right) => self.holds(left, values) && self.holds(right, values),
            ActionFormula::Or(left, right) => self.holds(left, values) || self.holds(right, values),
            // RULE W4
            ActionFormula::Quantified(kind, id, of) => {
                let place = id.0 as usize;
                let (_, sort) = self.core.locals[place - self.core.prefix.len()];
                let mut of_sort = self.candidates.iter().filter(|value| has(sort, value));
                let is_so = |value: &Value<'static>| {
                    let mut values = values.to_vec();
                    values[place] = value.clone();
                    self.holds(of, &values)
                };
                match kind {
                    QuantifierKind::Exists => of_sort.any(is_so),
                    QuantifierKind::Forall => of_sort.all(is_so),
                }
            }
        }
    }
}

/// Whether the condition is true of these values.
// RULE W7
pub(super) fn is_true(data: &DataCore, values: &[Value<'static>]) -> bool {
    let memory = Memory { binding: values, registers: &[] };
    match data {
        DataCore::Constant(value) => *value,
        DataCore::Compare(left, comparison, right) => {
            let sides = memory.value(left).zip(memory.value(right));
            sides.is_some_and(|(left, right)| comparison.holds(&left, &right))
        }
        DataCore::Not(of) => !is_true(of, values),
        DataCore::And(left, right) => is_true(left, values) && is_true(right, values),
        DataCore::Or(left, right) => is_true(left, values) || is_true(right, values),
    }
}

/// The literals that a formula compares with, and how many sums and differences it has.
fn collect(formula: &ActionFormula, literals: &mut Vec<Value<'static>>, operations: &mut usize) {
    match formula {
        ActionFormula::Event(_) => {}
        ActionFormula::Data(data) => collect_data(data, literals, operations),
        ActionFormula::Not(of) | ActionFormula::Quantified(_, _, of) => collect(of, literals, operations),
        ActionFormula::And(left, right) | ActionFormula::Or(left, right) => {
            collect(left, literals, operations);
            collect(right, literals, operations);
        }
    }
}

fn collect_data(data: &DataCore, literals: &mut Vec<Value<'static>>, operations: &mut usize) {
    match data {
        DataCore::Constant(_) => {}
        DataCore::Compare(left, _, right) => {
            collect_expression(left, literals, operations);
            collect_expression(right, literals, operations);
        }
        DataCore::Not(of) => collect_data(of, literals, operations),
        DataCore::And(left, right) | DataCore::Or(left, right) => {
            collect_data(left, literals, operations);
            collect_data(right, literals, operations);
        }
    }
}

fn collect_expression(expression: &ExpressionCore, literals: &mut Vec<Value<'static>>, operations: &mut usize) {
    match expression {
        ExpressionCore::Literal(value) => literals.push(value.clone()),
        ExpressionCore::Variable(_) => {}
        ExpressionCore::Arithmetic(_, left, right) => {
            *operations += 1;
            collect_expression(left, literals, operations);
            collect_expression(right, literals, operations);
        }
    }
}
