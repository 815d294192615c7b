// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sorts, and values enough to stand for all of a sort.
// RULE W4, W5

use std::cmp::Ordering;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_ir::modal::Sort;

use crate::trace::OracleEvent;

/// Whether a value is of a sort.
// RULE W5
pub(crate) fn has(sort: Sort, value: &Value<'static>) -> bool {
    let from = |least: i64| match value {
        Value::Number(number) => is_whole(*number) && number.compare(Number::Int(least)) != Ordering::Less,
        _ => false,
    };
    match sort {
        Sort::Any => true,
        Sort::Boolean => matches!(value, Value::Bool(_)),
        Sort::Real => matches!(value, Value::Number(_)),
        Sort::Integer => matches!(value, Value::Number(number) if is_whole(*number)),
        Sort::Natural => from(0),
        Sort::Positive => from(1),
    }
}

fn is_whole(number: Number) -> bool {
    match number {
        Number::Int(_) => true,
        Number::Decimal { mantissa, scale } => i128::from(mantissa) % 10_i128.pow(u32::from(scale)) == 0,
        Number::Float(value) => value.is_finite() && value.fract() == 0.0,
    }
}

/// Values such that a formula with these constants, and so many sums and differences, is true of some value of a sort and this
/// event, or of all, if it is true of some of these that are of the sort, or of all.
///
/// What a formula says changes with a variable where that equals a value of the event or a constant, or what sums and
/// differences make of those, or where it does so taken several times. Between two such values, and beyond the last, it says the same everywhere.
// RULE W4
pub(crate) fn candidates(
    event: &OracleEvent,
    constants: Vec<Value<'static>>,
    operations: usize,
) -> Vec<Value<'static>> {
    let mut known = constants;
    event.parameters().iter().for_each(|value| parts(value, &mut known));
    event.fields.iter().filter_map(|(_, value)| value.as_ref()).for_each(|value| parts(value, &mut known));
    let text = |value: &Value<'static>| match value {
        Value::Text(text) => Some(Value::Text(format!("{text}\0").into())),
        _ => None,
    };
    let mut texts: Vec<Value<'static>> = known.iter().filter_map(text).collect();
    texts.extend(["", "\0no such text", "\u{10FFFF}"].map(|text| Value::Text(text.into())));
    let numbers = numbers(&known, operations);
    let simple = [Value::Null, Value::Bool(false), Value::Bool(true)];
    let mut all: Vec<Value<'static>> = simple.into_iter().chain(texts).chain(known).collect();
    all.extend(numbers.into_iter().map(Value::Number));
    all.sort_by(Value::order);
    all.dedup_by(|one, other| one.order(other) == Ordering::Equal);
    all
}

fn parts(value: &Value<'static>, found: &mut Vec<Value<'static>>) {
    found.push(value.clone());
    match value {
        Value::List(items) => items.iter().for_each(|item| parts(item, found)),
        Value::Map(entries) => entries.iter().for_each(|(_, item)| parts(item, found)),
        _ => {}
    }
}

fn numbers(known: &[Value<'static>], operations: usize) -> Vec<Number> {
    let number = |value: &Value<'static>| if let Value::Number(number) = value { Some(*number) } else { None };
    let own: Vec<Number> = known.iter().filter_map(number).chain([Number::Int(0)]).collect();
    let mut found = own.clone();
    for _ in 0..operations.max(1) {
        let made = found.iter().flat_map(|one| own.iter().flat_map(|other| [one.plus(*other), one.minus(*other)]));
        found.extend(made.collect::<Vec<_>>());
        unique(&mut found);
    }
    // A variable may stand several times in a comparison.
    let times = (2..=operations + 1).flat_map(|times| found.iter().map(move |one| one.to_f64() / times as f64));
    found.extend(times.map(Number::Float).collect::<Vec<_>>());
    let half = Number::Decimal { mantissa: 5, scale: 1 };
    let near = |number: &Number| {
        let one = Number::Int(1);
        [number.minus(one), number.minus(half), *number, number.plus(half), number.plus(one)]
    };
    let mut found: Vec<Number> = found.iter().flat_map(near).collect();
    found.extend([Number::Int(i64::MIN / 4), Number::Int(i64::MAX / 4)]);
    unique(&mut found);
    found
}

fn unique(numbers: &mut Vec<Number>) {
    numbers.sort_by(|one, other| one.compare(*other));
    numbers.dedup_by(|one, other| one.compare(*other) == Ordering::Equal);
}
