// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values that make a condition on fields true, or false.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_ir::pattern::{Condition, Path};

/// How many combinations of values are tried.
const MAX_TRIES: usize = 20_000;

/// Fields that make a condition as `wanted`, each with its value. A field that is not among them is absent.
pub(super) fn solve(condition: &Condition, wanted: bool) -> Option<Vec<(Path, Value<'static>)>> {
    let mut choices: Vec<(Path, Vec<Value<'static>>)> = Vec::new();
    collect(condition, &mut choices);
    // Absent is the last choice: an example is clearer with the field.
    let sizes: Vec<usize> = choices.iter().map(|(_, values)| values.len() + 1).collect();
    let tries = sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size)).unwrap_or(MAX_TRIES);
    (0..tries.min(MAX_TRIES)).find_map(|number| {
        let mut rest = number;
        let mut fields = Vec::new();
        for ((path, values), size) in choices.iter().zip(&sizes) {
            fields.extend(values.get(rest % size).map(|value| (path.clone(), value.clone())));
            rest /= size;
        }
        (holds(condition, &fields) == wanted).then_some(fields)
    })
}

/// A value that is unlike this one.
pub(super) fn other(value: &Value<'static>) -> Value<'static> {
    match value {
        Value::Bool(value) => Value::Bool(!value),
        Value::Number(Number::Int(number)) => Value::Number(Number::Int(number.checked_add(1).unwrap_or(0))),
        Value::Text(text) => Value::Text(Cow::Owned(format!("not {text}"))),
        _ => Value::Number(Number::Int(0)),
    }
}

fn collect(condition: &Condition, choices: &mut Vec<(Path, Vec<Value<'static>>)>) {
    match condition {
        Condition::Compare(path, _, literal) => {
            let mut values = vec![literal.clone(), other(literal)];
            if let Value::Number(number) = literal {
                values.extend(around(*number));
            }
            match choices.iter_mut().find(|(known, _)| known == path) {
                Some((_, known)) => known.extend(values),
                None => choices.push((path.clone(), values)),
            }
        }
        Condition::Not(of) => collect(of, choices),
        Condition::And(left, right) | Condition::Or(left, right) => {
            collect(left, choices);
            collect(right, choices);
        }
    }
}

/// Whole numbers a little below and above.
fn around(number: Number) -> impl Iterator<Item = Value<'static>> {
    let text = number.to_string();
    let whole: Option<i64> = text.split('.').next().and_then(|whole| whole.parse().ok());
    let near = whole.into_iter().flat_map(|whole| [whole.checked_sub(1), whole.checked_add(1)]);
    near.flatten().map(|number| Value::Number(Number::Int(number)))
}

fn holds(condition: &Condition, fields: &[(Path, Value<'static>)]) -> bool {
    match condition {
        Condition::Compare(path, comparison, literal) => {
            fields.iter().find(|(known, _)| known == path).is_some_and(|(_, value)| comparison.holds(value, literal))
        }
        Condition::Not(of) => !holds(of, fields),
        Condition::And(left, right) => holds(left, fields) && holds(right, fields),
        Condition::Or(left, right) => holds(left, fields) || holds(right, fields),
    }
}
