// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of event fields, and the comparisons that conditions make.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::number::Number;

/// A field's value; text is borrowed from the reader's buffer where it can be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(Cow<'a, str>),
    /// A list (JSON, XML, OTLP).
    List(Vec<Value<'a>>),
    /// A map, in the order of the file.
    Map(Vec<(Cow<'a, str>, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// A cell of a format without types (CSV, XML): what looks like a number, a boolean or null is one.
    pub fn from_cell(text: Cow<'a, str>) -> Value<'a> {
        match text.as_bytes() {
            b"true" => return Value::Bool(true),
            b"false" => return Value::Bool(false),
            b"null" => return Value::Null,
            [b'0'..=b'9' | b'-' | b'+', ..] => {
                if let Some(number) = Number::parse(&text) {
                    return Value::Number(number);
                }
            }
            _ => {}
        }
        Value::Text(text)
    }

    /// The value with text of its own.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Bool(value) => Value::Bool(value),
            Value::Number(number) => Value::Number(number),
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::List(items) => Value::List(items.into_iter().map(Value::into_owned).collect()),
            Value::Map(entries) => Value::Map(
                entries.into_iter().map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned())).collect(),
            ),
        }
    }

    /// A total order of all values, for reports: by kind, then by value.
    pub fn order(&self, other: &Value<'_>) -> Ordering {
        match (self, other) {
            (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
            (Value::Number(left), Value::Number(right)) => left.compare(*right),
            (Value::Text(left), Value::Text(right)) => left.cmp(right),
            (Value::List(left), Value::List(right)) => {
                let items = left.iter().zip(right).map(|(left, right)| left.order(right));
                items.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
            }
            (Value::Map(left), Value::Map(right)) => {
                let by_key = left.iter().zip(right).map(|(left, right)| left.0.cmp(&right.0));
                let by_value = left.iter().zip(right).map(|(left, right)| left.1.order(&right.1));
                let entries = by_key.zip(by_value).map(|(key, value)| key.then(value));
                entries.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Null => 0,
            Value::Bool(_) => 1,
            Value::Number(_) => 2,
            Value::Text(_) => 3,
            Value::List(_) => 4,
            Value::Map(_) => 5,
        }
    }

    /// The value as the name of the case that it tells; made in `buffer` where it is not there yet. Formats without types do not
    /// tell the number 1 from the text "1", so neither do cases; and one is one, also where a float says so.
    pub fn label<'b>(&'b self, buffer: &'b mut String) -> &'b str {
        use fmt::Write as _;
        if let Value::Text(text) = self {
            return text;
        }
        buffer.clear();
        let _ = match self {
            Value::Number(Number::Float(float)) if float.fract() == 0.0 => write!(buffer, "{float:.0}"),
            other => write!(buffer, "{other}"),
        };
        if buffer == "-0" {
            buffer.remove(0);
        }
        buffer
    }

    /// Walks one step of a path: into a map by key, into a list by index.
    pub fn step(&self, part: &str) -> Option<&Value<'a>> {
        match self {
            Value::Map(entries) => entries.iter().find(|(key, _)| key == part).map(|(_, value)| value),
            Value::List(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => write_quoted(f, text),
            Value::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Map(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write_quoted(f, key)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Writes a text in quotes, with the escapes that spec files read back.
pub fn write_quoted(f: &mut impl fmt::Write, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            control if control.is_control() => write!(f, "\\u{{{:x}}}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}

/// A comparison: `= != < <= > >=`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// How it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        }
    }

    /// Whether two things ordered like this stand in the relation.
    #[inline]
    pub const fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::AtMost => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::AtLeast => ordering.is_ge(),
        }
    }

    /// Compares two values. Numbers compare by value, texts by their code points; values of different kinds are
    /// unequal and not ordered.
    pub fn holds(self, left: &Value<'_>, right: &Value<'_>) -> bool {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => self.accepts(left.compare(*right)),
            (Value::Text(left), Value::Text(right)) => self.accepts(left.cmp(right)),
            _ => match self {
                Comparison::Equal | Comparison::AtMost | Comparison::AtLeast => left == right,
                Comparison::NotEqual => left != right,
                Comparison::Less | Comparison::Greater => false,
            },
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Value<'_> {
        Value::from_cell(Cow::Borrowed(text))
    }

    #[test]
    fn cells_are_what_they_look_like() {
        assert_eq!(cell("1"), Value::Number(Number::Int(1)));
        assert_eq!(cell("1.0"), cell("1"));
        assert_eq!(cell("null"), Value::Null);
        assert_eq!(cell("true"), Value::Bool(true));
        assert_eq!(cell("1st"), Value::Text("1st".into()));
        assert_eq!(cell("-"), Value::Text("-".into()));
    }

    #[test]
    fn a_number_never_equals_a_text() {
        let text = Value::Text("1".into());
        assert!(!Comparison::Equal.holds(&cell("1"), &text));
        assert!(Comparison::NotEqual.holds(&cell("1"), &text));
        assert!(!Comparison::Less.holds(&cell("0"), &text));
        assert!(Comparison::Less.holds(&cell("2"), &cell("10")));
        assert!(Comparison::Less.holds(&Value::Text("10".into()), &Value::Text("2".into())));
    }
}
