// SPDX-License-Identifier: MIT OR Apache-2.0
//! Guards and expressions over values of variables; generic over the representation of variables.
// RULE A5, A6, W7

use gnomon_core::value::Value;
use gnomon_ir::automaton::{Arithmetic, Expression, Guard};

/// The value of a variable, if it has one.
pub(crate) type VariableLookup<'a, V> = &'a dyn Fn(&V) -> Option<Value<'static>>;

/// Returns true if a guard is true.
pub(crate) fn satisfies<V>(guard: &Guard<V>, variable: VariableLookup<'_, V>) -> bool {
    match guard {
        Guard::Constant(value) => *value,
        Guard::Compare(left, comparison, right) => {
            let sides = value(left, variable).zip(value(right, variable));
            sides.is_some_and(|(left, right)| comparison.holds(&left, &right))
        }
        Guard::Not(of) => !satisfies(of, variable),
        Guard::And(left, right) => satisfies(left, variable) && satisfies(right, variable),
        Guard::Or(left, right) => satisfies(left, variable) || satisfies(right, variable),
    }
}

/// The value of an expression, if it has one.
pub(crate) fn value<V>(expression: &Expression<V>, variable: VariableLookup<'_, V>) -> Option<Value<'static>> {
    match expression {
        Expression::Literal(value) => Some(value.clone()),
        Expression::Variable(of) => variable(of),
        Expression::Arithmetic(arithmetic, left, right) => match (value(left, variable)?, value(right, variable)?) {
            (Value::Number(left), Value::Number(right)) => {
                let result = match arithmetic {
                    Arithmetic::Add => left.plus(right),
                    Arithmetic::Subtract => left.minus(right),
                    Arithmetic::Multiply => left.times(right),
                };
                result.map(Value::Number)
            }
            _ => None,
        },
    }
}
