// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluates queries on values.

use std::collections::HashSet;

use gnomon_core::value::Value;
use gnomon_scan::xml::without_prefix;

use super::{Predicate, QueryStep, StepTarget, TEXT};

/// Evaluates the steps from left to right on a set of values.
///
/// COST: a step visits every part of the message at most once per nesting level, so a query costs at most steps times
/// levels times parts.
pub(super) fn find<'a>(steps: &[QueryStep], from: &Value<'a>) -> Option<Value<'a>> {
    let mut present = vec![from];
    for step in steps {
        let mut next = Vec::new();
        for value in present {
            if step.deep {
                for below in descendants(value) {
                    next.extend(take(step, below));
                }
            } else {
                next.extend(take(step, value));
            }
        }
        // If one value contains another, the parts below both are found twice.
        let mut visited = HashSet::new();
        next.retain(|value| !step.deep || visited.insert(std::ptr::from_ref(*value)));
        present = next;
    }
    match present.as_slice() {
        [] => None,
        [one] => Some((*one).clone()),
        several => Some(Value::List(several.iter().map(|value| (*value).clone()).collect())),
    }
}

/// Returns a value and everything below it, outermost first.
fn descendants<'v, 'a>(value: &'v Value<'a>) -> Vec<&'v Value<'a>> {
    let mut found = Vec::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::List(items) => pending.extend(items.iter().rev()),
            Value::Map(entries) => {
                found.push(value);
                pending.extend(entries.iter().rev().map(|(_, value)| value));
            }
            _ => found.push(value),
        }
    }
    found
}

/// Evaluates one step on a value.
fn take<'v, 'a>(step: &QueryStep, value: &'v Value<'a>) -> Vec<&'v Value<'a>> {
    let mut found = Vec::new();
    part(&step.part, value, &mut found);
    for predicate in &step.predicates {
        match predicate {
            Predicate::Index(place) => {
                found = found.get(place - 1).map_or_else(Vec::new, |value| vec![*value]);
            }
            Predicate::Equal(of, text) => found.retain(|value| {
                let mut parts = Vec::new();
                part(of, value, &mut parts);
                parts.into_iter().any(|value| says(value, text))
            }),
        }
    }
    found
}

/// Adds the target of a step in a value. A list counts as its items, like repeated elements.
fn part<'v, 'a>(part: &StepTarget, value: &'v Value<'a>, found: &mut Vec<&'v Value<'a>>) {
    match (part, value) {
        (StepTarget::Key(key), Value::Map(_) | Value::List(_)) => found.extend(value.step(key)),
        (StepTarget::Child(name), Value::List(items)) => {
            if name.bytes().all(|byte| byte.is_ascii_digit()) {
                found.extend(value.step(name));
            } else {
                for item in items {
                    self::part(part, item, found);
                }
            }
        }
        (_, Value::List(items)) => {
            for item in items {
                self::part(part, item, found);
            }
        }
        (StepTarget::Child(name), Value::Map(entries)) => {
            let named = entries.iter().find(|(key, _)| key == name);
            let prefixed = || entries.iter().find(|(key, _)| without_prefix(key) == name);
            found.extend(named.or_else(prefixed).into_iter().flat_map(|(_, value)| items(value)));
        }
        (StepTarget::Attribute(name), Value::Map(entries)) => {
            let named = entries.iter().find(|(key, _)| key.strip_prefix('@') == Some(name));
            found.extend(named.map(|(_, value)| value));
        }
        (StepTarget::Any, Value::Map(entries)) => {
            let elements = entries.iter().filter(|(key, _)| !key.starts_with('@') && key != TEXT);
            found.extend(elements.flat_map(|(_, value)| items(value)));
        }
        (StepTarget::Text, Value::Map(entries)) => {
            found.extend(entries.iter().find(|(key, _)| key == TEXT).map(|(_, value)| value));
        }
        (StepTarget::Text, _) => found.push(value),
        _ => {}
    }
}

fn items<'v, 'a>(value: &'v Value<'a>) -> std::slice::Iter<'v, Value<'a>> {
    match value {
        Value::List(items) => items.iter(),
        other => std::slice::from_ref(other).iter(),
    }
}

/// Returns true if a value has this text.
fn says(value: &Value<'_>, text: &str) -> bool {
    match value {
        Value::Text(own) => own == text,
        Value::Map(entries) => entries.iter().any(|(key, value)| key == TEXT && says(value, text)),
        Value::List(items) => items.iter().any(|value| says(value, text)),
        other => *other == Value::from_cell(text.into()),
    }
}
