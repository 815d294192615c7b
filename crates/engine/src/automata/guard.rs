// SPDX-License-Identifier: MIT OR Apache-2.0
//! Guards and expressions over the variables of a run.
// RULE A5

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_ir::automaton::Arithmetic;
use gnomon_ir::core::{AutomatonCore, ExpressionCore, GuardCore};
use gnomon_ir::pattern::VariableId;

use crate::slice::matches::Mask;
use crate::slice::values::{Id, NONE, Values};

/// Where variables have their values: those of the prefix in the binding, the free ones in the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) ids: &'a [Id],
    pub(crate) values: &'a Values,
    pub(crate) registers: &'a [Option<Value<'static>>],
}

impl Scope<'_> {
    fn variable(&self, number: usize) -> Option<Cow<'_, Value<'static>>> {
        match self.ids.get(number) {
            Some(&NONE) => None,
            Some(id) => Some(Cow::Owned(self.values.get(*id))),
            None => self.registers.get(number - self.ids.len()).and_then(Option::as_ref).map(Cow::Borrowed),
        }
    }
}

pub(crate) fn holds(guard: &GuardCore, scope: &Scope<'_>) -> bool {
    match guard {
        GuardCore::Compare(left, comparison, right) => match (value(left, scope), value(right, scope)) {
            (Some(left), Some(right)) => comparison.holds(&left, &right),
            _ => false,
        },
        GuardCore::Not(of) => !holds(of, scope),
        GuardCore::And(left, right) => holds(left, scope) && holds(right, scope),
        GuardCore::Or(left, right) => holds(left, scope) || holds(right, scope),
    }
}

/// The value of an expression, if it has one.
pub(crate) fn value<'a>(expression: &'a ExpressionCore, scope: &'a Scope<'_>) -> Option<Cow<'a, Value<'static>>> {
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
            Some(Cow::Owned(Value::Number(result)))
        }
    }
}

/// The quantified variables that guards and assignments of an automaton mention.
pub(crate) fn mentioned(core: &AutomatonCore) -> Mask {
    let quantified = core.prefix.len();
    let mut mask = 0;
    let mut note = |id: VariableId| {
        if (id.0 as usize) < quantified {
            mask |= 1 << id.0;
        }
    };
    let transitions = core.states.iter().flat_map(|state| &state.transitions);
    for branch in transitions.flat_map(|transition| &transition.branches) {
        branch.guard.iter().for_each(|guard| in_guard(guard, &mut note));
        branch.assignments.iter().for_each(|(_, expression)| in_expression(expression, &mut note));
    }
    mask
}

fn in_guard(guard: &GuardCore, note: &mut impl FnMut(VariableId)) {
    match guard {
        GuardCore::Compare(left, _, right) => {
            in_expression(left, note);
            in_expression(right, note);
        }
        GuardCore::Not(of) => in_guard(of, note),
        GuardCore::And(left, right) | GuardCore::Or(left, right) => {
            in_guard(left, note);
            in_guard(right, note);
        }
    }
}

pub(super) fn in_expression(expression: &ExpressionCore, note: &mut dyn FnMut(VariableId)) {
    match expression {
        ExpressionCore::Literal(_) => {}
        ExpressionCore::Variable(id) => note(*id),
        ExpressionCore::Arithmetic(_, left, right) => {
            in_expression(left, note);
            in_expression(right, note);
        }
    }
}
