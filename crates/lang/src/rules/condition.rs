// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions on fields, and the values that they compare with.

use std::borrow::Cow;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::pattern::Condition;

use super::form::choice;
use super::query;
use super::report::{Report, misplaced};
use super::xml::{Element, Text};
use crate::specfile::chain::join;

/// The elements that are conditions.
pub(super) const CONDITIONS: &[&str] = &["condition", "and", "or", "not"];

/// Comparisons by their names, then as elsewhere.
pub(super) const COMPARISONS: &[(&str, Comparison)] = &[
    ("equal", Comparison::Equal),
    ("not-equal", Comparison::NotEqual),
    ("less", Comparison::Less),
    ("at-most", Comparison::AtMost),
    ("greater", Comparison::Greater),
    ("at-least", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Less),
    ("<=", Comparison::AtMost),
    (">", Comparison::Greater),
    (">=", Comparison::AtLeast),
];

/// What kind of value a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Boolean,
    Null,
}

const KINDS: &[(&str, Kind)] =
    &[("text", Kind::Text), ("number", Kind::Number), ("boolean", Kind::Boolean), ("null", Kind::Null)];

/// All of these conditions together; the outer `None`: one was not understood, which has been reported.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
pub(super) fn all<'e>(
    report: &mut Report,
    elements: impl Iterator<Item = &'e Element>,
    message: Option<&str>,
) -> Option<Option<Condition>> {
    let parts: Vec<Option<Condition>> = elements.map(|element| condition(report, element, message)).collect();
    let parts: Vec<Condition> = parts.into_iter().collect::<Option<_>>()?;
    if parts.is_empty() {
        return Some(None);
    }
    Some(join(parts, &mut |left, right| Condition::And(Box::new(left), Box::new(right))))
}

fn condition(report: &mut Report, element: &Element, message: Option<&str>) -> Option<Condition> {
    if element.name == "condition" {
        return compare(report, element, message);
    }
    let [] = element.known(report, []);
    let inside = element.elements(report, CONDITIONS).into_iter();
    let parts: Vec<Option<Condition>> = inside.map(|inside| condition(report, inside, message)).collect();
    let mut parts: Vec<Condition> = parts.into_iter().collect::<Option<_>>()?;
    if element.name == "not" {
        return match (parts.pop(), parts.is_empty()) {
            (Some(of), true) => Some(Condition::Not(Box::new(of))),
            _ => count(report, element, "one condition"),
        };
    }
    let both = if element.name == "and" { Condition::And } else { Condition::Or };
    let joined = join(parts, &mut |left, right| both(Box::new(left), Box::new(right)));
    joined.or_else(|| count(report, element, "at least one condition"))
}

/// Reports an element with the wrong number of others in it.
pub(super) fn count<T>(report: &mut Report, element: &Element, expected: &str) -> Option<T> {
    let name = &element.name;
    let there = match element.children.len() {
        0 => "nothing is".to_owned(),
        1 => "one element is".to_owned(),
        several => format!("{several} elements are"),
    };
    report.add(
        misplaced(element.tag, format!("{there} in this `<{name}>`"))
            .label(format!("{expected} is expected in it"))
            .help(format!("write {expected} inside")),
    );
    None
}

/// `<condition query="amount" is="greater" value="1000"/>`
fn compare(report: &mut Report, element: &Element, message: Option<&str>) -> Option<Condition> {
    let [query, is, value, kind] = element.known(report, ["query", "is", "value", "type"]);
    element.nothing_inside(report);
    let path = element.needed(report, "query", query).and_then(|text| query::read(report, text, message));
    let comparison = match is {
        None => Some(Comparison::Equal),
        Some(is) => choice(report, is, COMPARISONS),
    };
    let value = literal(report, element, value, kind);
    Some(Condition::Compare(path?, comparison?, value?))
}

/// The attributes `value` and `type` of an element.
pub(super) fn literal(
    report: &mut Report,
    element: &Element,
    value: Option<&Text>,
    kind: Option<&Text>,
) -> Option<Value<'static>> {
    match (kind, value) {
        (Some(kind), None) if kind.value == "null" => Some(Value::Null),
        _ => element.needed(report, "value", value).and_then(|text| self::value(report, text, kind)),
    }
}

/// The value of a text: what it looks like, unless its kind is said.
fn value(report: &mut Report, text: &Text, kind: Option<&Text>) -> Option<Value<'static>> {
    let written = text.value.clone();
    let Some(kind) = kind else { return Some(Value::from_cell(Cow::Owned(written))) };
    let kind = choice(report, kind, KINDS)?;
    let trimmed = written.trim();
    let value = match kind {
        Kind::Text => return Some(Value::Text(Cow::Owned(written))),
        Kind::Number => Number::parse(trimmed).filter(|number| number.to_f64().is_finite()).map(Value::Number),
        Kind::Boolean => match trimmed {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Null => matches!(trimmed, "" | "null").then_some(Value::Null),
    };
    if value.is_none() {
        let name = KINDS.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| *name);
        report.add(
            Diagnostic::error("G0126", text.span, format!("`{written}` is no {name}"))
                .label(format!("its type is said to be `{name}`"))
                .help("leave the type out, or write `type=\"text\"`"),
        );
    }
    value
}
