// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event names that a spec declares: constant, or made of fields.

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_scan::{Code, Fault, quote};

use crate::text::PatternError;

/// A template of event names, such as `{method} {path}`: each hole stands for the value of a field of the row.
///
/// ```
/// use gnomon_trace::NameTemplate;
/// let template = NameTemplate::parse("{method} {path}")?;
/// assert_eq!(template.fields().collect::<Vec<_>>(), ["method", "path"]);
/// assert_eq!(NameTemplate::parse("sample")?.fields().count(), 0);
/// assert!(NameTemplate::parse("{method").is_err());
/// # Ok::<(), gnomon_trace::PatternError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameTemplate {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum TemplatePart {
    Literal(String),
    /// A field, or a path `a/b` into one.
    Field(String),
}

impl NameTemplate {
    /// Creates a template that takes names from one field.
    pub fn field(name: &str) -> NameTemplate {
        NameTemplate { parts: vec![TemplatePart::Field(name.to_owned())] }
    }

    /// Parses a template. A name in braces is a field; `{{` and `}}` are braces.
    pub fn parse(text: &str) -> Result<NameTemplate, PatternError> {
        let mut parts = Vec::new();
        let (mut literal, mut at) = (String::new(), 0);
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            if rest.starts_with("{{") || rest.starts_with("}}") {
                literal.push(first);
                at += 2;
            } else if first == '{' {
                let Some(length) = rest.find('}') else {
                    return Err(PatternError::new(at, "the brace `{` is not closed"));
                };
                let field = rest[1..length].trim();
                if field.is_empty() {
                    return Err(PatternError::new(at, "the braces do not name a field"));
                }
                if !literal.is_empty() {
                    parts.push(TemplatePart::Literal(std::mem::take(&mut literal)));
                }
                parts.push(TemplatePart::Field(field.to_owned()));
                at += length + 1;
            } else if first == '}' {
                return Err(PatternError::new(
                    at,
                    "the brace `}` has no opening brace; a literal brace is written `}}`",
                ));
            } else {
                literal.push(first);
                at += first.len_utf8();
            }
        }
        if !literal.is_empty() {
            parts.push(TemplatePart::Literal(literal));
        }
        if parts.is_empty() {
            return Err(PatternError::new(0, "the name is empty"));
        }
        Ok(NameTemplate { parts })
    }

    /// Returns the fields of the holes, in order.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Field(field) => Some(field.as_str()),
            TemplatePart::Literal(_) => None,
        })
    }

    /// Returns the name that all events have, if it depends on no field.
    pub(crate) fn constant(&self) -> Option<String> {
        let literals = self.parts.iter().map(|part| match part {
            TemplatePart::Literal(text) => Some(text.as_str()),
            TemplatePart::Field(_) => None,
        });
        literals.collect()
    }

    /// Returns the field whose value is the name, if the template is nothing else and no path.
    pub(crate) fn only_field(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [TemplatePart::Field(field)] if !field.contains('/') => Some(field),
            _ => None,
        }
    }

    /// Returns the name made of the values that `field_value` returns for the fields.
    pub(crate) fn fill<'v>(&self, field_value: impl Fn(&str) -> Option<Value<'v>>) -> Result<String, Fault> {
        let value = |path: &str| {
            field_value(path).or_else(|| {
                let (field, steps) = path.split_once('/')?;
                steps.split('/').try_fold(field_value(field)?, |value, step| value.step(step).cloned())
            })
        };
        let mut name = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Literal(text) => name.push_str(text),
                TemplatePart::Field(field) => {
                    let text = value(field).and_then(written).ok_or_else(|| no_value(field))?;
                    name.push_str(&text);
                }
            }
        }
        Ok(name)
    }
}

/// Returns the text of a value inside a name; `None` for null, for an empty text, and for lists and maps.
fn written(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text).filter(|text| !text.is_empty()),
        Value::Null | Value::List(_) | Value::Map(_) => None,
        other => Some(Cow::Owned(other.to_string())),
    }
}

#[cold]
fn no_value(field: &str) -> Fault {
    let message = format!("this event has no text or number in {}, which is part of its name", quote(field.as_bytes()));
    Fault::new(Code::NoName, 0, message)
        .help("the spec declares what events are called: `name FIELD`, or `name \"...\"` with fields in braces")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_texts_and_fields() {
        let value = |field: &str| match field {
            "method" => Some(Value::Text("GET".into())),
            "status" => Some(Value::Number(200_i128.into())),
            "none" => Some(Value::Null),
            "user" => Some(Value::Map(vec![("id".into(), Value::Text("ann".into()))])),
            _ => None,
        };
        for (template, expected) in [
            ("sample", Some("sample")),
            ("{method} {status}", Some("GET 200")),
            ("{{{ method }}}", Some("{GET}")),
            ("{user/id}", Some("ann")),
            ("{user}", None),
            ("{user/name}", None),
            ("{method}{none}", None),
            ("{path}", None),
        ] {
            let name = NameTemplate::parse(template).expect(template).fill(value);
            assert_eq!(name.as_deref().ok(), expected, "{template}");
        }
        for (template, at) in [("", 0), ("a{b", 1), ("a{ }", 1), ("ab}", 2)] {
            assert_eq!(NameTemplate::parse(template).expect_err(template).at(), at, "{template}");
        }
    }
}
