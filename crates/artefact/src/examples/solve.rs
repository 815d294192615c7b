// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds values that make a condition on fields true, or false.

use std::borrow::Cow;

use gnomon_core::{Number, Timestamp, Value};
use gnomon_ir::atom::{Condition, Path};

/// The maximum number of combinations of values that are tried.
const MAX_TRIES: usize = 20_000;

/// Returns fields with values for which a condition is `wanted`. A field that is not listed is absent.
pub(super) fn solve(condition: &Condition, wanted: bool) -> Option<Vec<(Path, Value<'static>)>> {
    let mut choices: Vec<(Path, Vec<Value<'static>>)> = Vec::new();
    condition.compared(&mut |path, literal| {
        let mut values = vec![literal.clone(), other(literal)];
        if let Value::Number(number) = literal {
            values.extend(around(*number));
        }
        match choices.iter_mut().find(|(known, _)| known == path) {
            Some((_, known)) => known.extend(values),
            None => choices.push((path.clone(), values)),
        }
    });
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
        let value = |path: &Path| fields.iter().find(|(known, _)| known == path).map(|(_, value)| value);
        (condition.holds(Timestamp::default(), &value) == wanted).then_some(fields)
    })
}

/// Returns a different value of the same type.
pub(super) fn other(value: &Value<'static>) -> Value<'static> {
    match value {
        Value::Bool(value) => Value::Bool(!value),
        Value::Number(number) => {
            Value::Number(number.plus(Number::Int(1)).filter(|next| next != number).unwrap_or(Number::Int(0)))
        }
        Value::Text(text) => Value::Text(Cow::Owned(format!("not {text}"))),
        _ => Value::Number(Number::Int(0)),
    }
}

/// Returns the whole numbers just below and above.
fn around(number: Number) -> impl Iterator<Item = Value<'static>> {
    let text = number.to_string();
    let whole: Option<i64> = text.split('.').next().and_then(|whole| whole.parse().ok());
    let near = whole.into_iter().flat_map(|whole| [whole.checked_sub(1), whole.checked_add(1)]);
    near.flatten().map(|number| Value::Number(Number::Int(number)))
}
