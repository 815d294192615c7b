// SPDX-License-Identifier: MIT OR Apache-2.0
//! Guards and expressions over the values of variables.
// RULE A5, A6

use gnomon_core::value::Value;
use gnomon_ir::automaton::Arithmetic;
use gnomon_ir::core::{ExpressionCore, GuardCore};
use gnomon_ir::pattern::VariableId;

/// The values of the quantified variables, then of the free ones, which may have none.
pub(crate) struct Memory<'a> {
    pub(crate) binding: &'a [Value<'static>],
    pub(crate) registers: &'a [Option<Value<'static>>],
}

impl Memory<'_> {
    pub(super) fn satisfies(&self, guard: &GuardCore) -> bool {
        match guard {
            GuardCore::Compare(left, comparison, right) => match (self.value(left), self.value(right)) {
                (Some(left), Some(right)) => comparison.holds(&left, &right),
                _ => false,
            },
            GuardCore::Not(of) => !self.satisfies(of),
            GuardCore::And(left, right) => self.satisfies(left) && self.satisfies(right),
            GuardCore::Or(left, right) => self.satisfies(left) || self.satisfies(right),
        }
    }

    pub(crate) fn value(&self, expression: &ExpressionCore) -> Option<Value<'static>> {
        match expression {
            ExpressionCore::Literal(value) => Some(value.clone()),
            ExpressionCore::Variable(VariableId(id)) => {
                let id = *id as usize;
                match self.binding.get(id) {
                    Some(value) => Some(value.clone()),
                    None => self.registers.get(id - self.binding.len()).cloned().flatten(),
                }
            }
            ExpressionCore::Arithmetic(arithmetic, left, right) => {
                let (Value::Number(left), Value::Number(right)) = (self.value(left)?, self.value(right)?) else {
                    return None;
                };
                Some(Value::Number(match arithmetic {
                    Arithmetic::Add => left.plus(right),
                    Arithmetic::Subtract => left.minus(right),
                    Arithmetic::Multiply => left.times(right),
                }))
            }
        }
    }
}
