// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluates guards and expressions over the variables of a run.
// RULE A5

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_ir::atom::VariableId;
use gnomon_ir::automaton::Arithmetic;
use gnomon_ir::core::{ExpressionCore, GuardCore};

use crate::slice::storage::index::Mask;
use crate::slice::storage::values::{Id, NONE, ValueInterner};

/// The values of variables: those of the prefix in the binding, the free ones in the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuardScope<'a> {
    pub(crate) ids: &'a [Id],
    pub(crate) values: &'a ValueInterner,
    pub(crate) registers: &'a [Option<Value<'static>>],
}

impl GuardScope<'_> {
    fn variable(&self, number: usize) -> Option<Cow<'_, Value<'static>>> {
        match self.ids.get(number) {
            Some(&NONE) => None,
            Some(id) => Some(Cow::Owned(self.values.get(*id))),
            None => self.registers.get(number - self.ids.len()).and_then(Option::as_ref).map(Cow::Borrowed),
        }
    }
}

pub(crate) fn holds(guard: &GuardCore, scope: &GuardScope<'_>) -> bool {
    match guard {
        GuardCore::Constant(truth) => *truth,
        GuardCore::Compare(left, comparison, right) => match (value(left, scope), value(right, scope)) {
            (Some(left), Some(right)) => comparison.holds(&left, &right),
            _ => false,
        },
        GuardCore::Not(of) => !holds(of, scope),
        GuardCore::And(left, right) => holds(left, scope) && holds(right, scope),
        GuardCore::Or(left, right) => holds(left, scope) || holds(right, scope),
    }
}

/// Evaluates an expression; `None` if a variable has no value, arithmetic meets something that is not a number, or the result does not fit.
pub(crate) fn value<'a>(expression: &'a ExpressionCore, scope: &'a GuardScope<'_>) -> Option<Cow<'a, Value<'static>>> {
    match expression {
        ExpressionCore::Literal(value) => Some(Cow::Borrowed(value)),
        ExpressionCore::Variable(id) => scope.variable(id.0 as usize),
        ExpressionCore::Arithmetic(arithmetic, left, right) => {
            let (left, right) = (value(left, scope)?, value(right, scope)?);
            let (Value::Number(left), Value::Number(right)) = (&*left, &*right) else { return None };
            let result = match arithmetic {
                Arithmetic::Add => left.plus(*right),
                Arithmetic::Subtract => left.minus(*right),
                Arithmetic::Multiply => left.times(*right),
            };
            Some(Cow::Owned(Value::Number(result?)))
        }
    }
}

/// Returns the quantified ones of some variables: those with numbers below `quantified`.
pub(super) fn quantified_among(variables: &[&VariableId], quantified: usize) -> Mask {
    let bound = variables.iter().filter(|id| (id.0 as usize) < quantified);
    bound.fold(0, |mask, id| mask | 1 << id.0)
}
