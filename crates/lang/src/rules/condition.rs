// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions on fields, and the values that they compare with.

use std::borrow::Cow;

use gnomon_core::datetime::TimePart;
use gnomon_core::{Comparison, Diagnostic, Number, Value};
use gnomon_ir::{Condition, TimeComparison};

use super::form::{choice, misplaced};
use super::query;
use super::xml::{XmlElement, XmlText};
use crate::syntax::{Diagnostics, join_boxed, table};

/// The elements that are conditions.
pub(super) const CONDITIONS: &[&str] = &["condition", "and", "or", "not"];

/// Comparisons by their names and by their symbols. The first one with a meaning is printed.
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

gnomon_core::words! {
    /// The type of a value.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum ValueType as word {
        Text = "text",
        Number = "number",
        Boolean = "boolean",
        Null = "null",
    }
}

/// Reads conditions that must all hold; the inner `None` means that there are none. Returns `None` after reporting an
/// error.
pub(super) fn all<'e>(
    report: &mut Diagnostics,
    elements: impl Iterator<Item = &'e XmlElement>,
    message: Option<&str>,
) -> Option<Option<Condition>> {
    let parts = table::collect_all(elements.map(|element| condition(report, element, message)))?;
    Some(join_boxed(parts, Condition::And))
}

fn condition(report: &mut Diagnostics, element: &XmlElement, message: Option<&str>) -> Option<Condition> {
    if element.name == "condition" {
        return compare(report, element, message);
    }
    let inside = element.bare_elements(report, CONDITIONS).into_iter();
    let mut parts = table::collect_all(inside.map(|inside| condition(report, inside, message)))?;
    if element.name == "not" {
        return match (parts.pop(), parts.is_empty()) {
            (Some(of), true) => Some(Condition::Not(Box::new(of))),
            _ => count(report, element, "one condition"),
        };
    }
    let both = if element.name == "and" { Condition::And } else { Condition::Or };
    join_boxed(parts, both).or_else(|| count(report, element, "at least one condition"))
}

/// Reports an element with the wrong number of child elements.
pub(super) fn count<T>(report: &mut Diagnostics, element: &XmlElement, expected: &str) -> Option<T> {
    let name = &element.name;
    let there = match element.children.len() {
        0 => "nothing is".to_owned(),
        1 => "one element is".to_owned(),
        several => format!("{several} elements are"),
    };
    let diagnostic = misplaced(element.tag, format!("{there} in this `<{name}>`"));
    report.add(diagnostic.label(format!("{expected} is expected in it")).help(format!("write {expected} inside")));
    None
}

/// Reads `<condition query="amount" is="greater" value="1000"/>` or `<condition time="hour" is="at-least" value="22"/>`.
fn compare(report: &mut Diagnostics, element: &XmlElement, message: Option<&str>) -> Option<Condition> {
    let [query, time, is, value, kind] = element.leaf_attributes(report, ["query", "time", "is", "value", "type"]);
    if let Some(time) = time {
        if let Some(query) = query {
            let message = "a condition has the attribute `query` or `time`, not both";
            report.add(Diagnostic::error("G0126", query.span, message).help("write two conditions"));
            return None;
        }
        let part = choice(report, time, &TimePart::WORDS)?;
        let comparison = is.map_or(Some(Comparison::Equal), |is| choice(report, is, COMPARISONS))?;
        let compared = TimeComparison::new(part, comparison, literal(report, element, value, kind)?);
        if compared.is_none() {
            let message = format!("no {} has this value", part.word());
            report.add(
                Diagnostic::error("G0126", value.map_or(element.tag, |value| value.span), message).help(part.example()),
            );
        }
        return compared.map(|compared| Condition::Time(Box::new(compared)));
    }
    let path = element.needed(report, "query", query).and_then(|text| query::read(report, text, message));
    let comparison = is.map_or(Some(Comparison::Equal), |is| choice(report, is, COMPARISONS));
    let value = literal(report, element, value, kind);
    Some(Condition::Compare(path?, comparison?, value?))
}

/// Reads the attributes `value` and `type` of an element.
pub(super) fn literal(
    report: &mut Diagnostics,
    element: &XmlElement,
    value: Option<&XmlText>,
    kind: Option<&XmlText>,
) -> Option<Value<'static>> {
    match (kind, value) {
        (Some(kind), None) if kind.value == "null" => Some(Value::Null),
        _ => element.needed(report, "value", value).and_then(|text| self::value(report, text, kind)),
    }
}

/// Returns the value of a text. Without a type it is inferred from the text.
fn value(report: &mut Diagnostics, text: &XmlText, kind: Option<&XmlText>) -> Option<Value<'static>> {
    let written = text.value.clone();
    let Some(kind) = kind else { return Some(Value::from_cell(Cow::Owned(written))) };
    let kind = choice(report, kind, &ValueType::WORDS)?;
    let trimmed = written.trim();
    let value = match kind {
        ValueType::Text => return Some(Value::Text(Cow::Owned(written))),
        ValueType::Number => Number::parse(trimmed).ok().map(Value::Number),
        ValueType::Boolean => match trimmed {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        ValueType::Null => matches!(trimmed, "" | "null").then_some(Value::Null),
    };
    if value.is_none() {
        let name = kind.word();
        report.add(
            Diagnostic::error("G0126", text.span, format!("`{written}` is not a {name}"))
                .label(format!("its type is declared as `{name}`"))
                .help("leave the type out, or write `type=\"text\"`"),
        );
    }
    value
}
