// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of event fields, and the comparisons that conditions make.
//!
//! Every reader produces these values, and every condition, variable and aggregate of a property reads them. Formats with types, such as
//! JSON and Arrow, give the type of a value. In the others [`Value::from_cell`] decides: a cell that is written like a number, `true`,
//! `false` or `null` is that value, all else is a text.
//!
//! INVARIANT (RULE T8): equality does not depend on the notation. 1, 1.0 and 1e0 are one value, maps are equal whatever the order of
//! their entries, and values of different kinds are unequal. The same holds for [`Value::label`], the name of a case: different values
//! have different labels, so the text `1` has the label `"1"` with quotes.

mod convert;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str;

use serde::{Deserialize, Serialize};

use crate::number::{Number, NumberError};

/// A field's value; text is borrowed from the reader's buffer where it can be.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// A map, in the order of the file; the order does not matter for equality.
    Map(Vec<(Cow<'a, str>, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// A cell of a format without types (CSV, XML): what looks like a number, a boolean or null is one. A number out of range
    /// is a text; readers report it first, see [`is_out_of_range`].
    pub fn from_cell(text: Cow<'a, str>) -> Value<'a> {
        match text.as_bytes() {
            b"true" => return Value::Bool(true),
            b"false" => return Value::Bool(false),
            b"null" => return Value::Null,
            [b'0'..=b'9' | b'-' | b'+', ..] => {
                if let Ok(number) = Number::parse(&text) {
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
            (Value::Number(left), Value::Number(right)) => left.cmp(right),
            (Value::Text(left), Value::Text(right)) => left.cmp(right),
            (Value::List(left), Value::List(right)) => {
                let items = left.iter().zip(right).map(|(left, right)| left.order(right));
                items.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
            }
            (Value::Map(left), Value::Map(right)) => order_maps(left, right),
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

    /// Returns the value as the name of a case, formatted into `buffer` where necessary. Different values have different
    /// names: a text stands as it is, but in quotes if it reads like another value, as `"1"` does. The numbers 1 and 1.0 are
    /// one value.
    pub fn label<'b>(&'b self, buffer: &'b mut String) -> &'b str {
        use fmt::Write as _;
        if let Value::Text(text) = self {
            if !reads_like_another_value(text) {
                return text;
            }
            buffer.clear();
            let _ = write_quoted(buffer, text);
            return buffer;
        }
        buffer.clear();
        let _ = write!(buffer, "{self}");
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

    /// Walks one step of a path and drops the rest of the value.
    pub fn into_step(self, part: &str) -> Option<Value<'a>> {
        match self {
            Value::Map(entries) => entries.into_iter().find(|(key, _)| key == part).map(|(_, value)| value),
            Value::List(items) => part.parse::<usize>().ok().and_then(|index| items.into_iter().nth(index)),
            _ => None,
        }
    }

    /// Estimates the bytes that the value takes on the heap, with this overhead of each item of a list or a map.
    pub fn heap_bytes(&self, per_item: usize) -> usize {
        match self {
            Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(|item| per_item + item.heap_bytes(per_item)).sum(),
            Value::Map(entries) => {
                entries.iter().map(|(key, value)| per_item + key.len() + value.heap_bytes(per_item)).sum()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }
}

impl PartialEq for Value<'_> {
    // RULE T8
    fn eq(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Number(left), Value::Number(right)) => left == right,
            (Value::Text(left), Value::Text(right)) => left == right,
            (Value::List(left), Value::List(right)) => left == right,
            (Value::Map(left), Value::Map(right)) => {
                left.len() == right.len() && (left == right || order_maps(left, right).is_eq())
            }
            _ => false,
        }
    }
}

/// Entries of a map.
type Entries<'a> = [(Cow<'a, str>, Value<'a>)];

/// Compares maps entry by entry, both in the order of their keys.
fn order_maps(left: &Entries<'_>, right: &Entries<'_>) -> Ordering {
    let (left, right) = (sorted(left), sorted(right));
    let entries =
        left.iter().zip(&right).map(|(left, right)| left.0.cmp(&right.0).then_with(|| left.1.order(&right.1)));
    entries.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
}

fn sorted<'m, 'a>(entries: &'m Entries<'a>) -> Vec<&'m (Cow<'a, str>, Value<'a>)> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|left, right| left.0.cmp(&right.0).then_with(|| left.1.order(&right.1)));
    sorted
}

/// Length up to which a number without an exponent always fits 128 bits.
pub const MAX_LENGTH_IN_RANGE: usize = 38;

/// Returns true if a cell of a format without types is a number that needs more than 128 bits.
#[inline]
pub fn is_out_of_range(cell: &[u8]) -> bool {
    let is_number = matches!(cell.first(), Some(b'0'..=b'9' | b'-' | b'+'));
    is_number
        && (cell.len() > MAX_LENGTH_IN_RANGE || cell.iter().any(|byte| matches!(byte, b'e' | b'E')))
        && str::from_utf8(cell).is_ok_and(|text| Number::parse(text) == Err(NumberError::OutOfRange))
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

/// Returns the text of a value whose [`Value::label`] this is: that of a text without quotes, for tables of texts.
pub fn label_text(label: &str) -> Cow<'_, str> {
    let Some(quoted) = label.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Cow::Borrowed(label);
    };
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        text.push(match escaped {
            None => character,
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('u') => {
                let digits: String = characters.by_ref().skip(1).take_while(|digit| *digit != '}').collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            Some(other) => other,
        });
    }
    Cow::Owned(text)
}

/// Returns true if a text is written like a value of another kind, or like a text in quotes.
fn reads_like_another_value(text: &str) -> bool {
    match text.as_bytes() {
        [b'"' | b'[' | b'{', ..] => true,
        _ => !matches!(Value::from_cell(Cow::Borrowed(text)), Value::Text(_)),
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

crate::words! {
    /// A comparison: `= != < <= > >=`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum Comparison as symbol {
        /// `=`
        Equal = "=",
        /// `!=`
        NotEqual = "!=",
        /// `<`
        Less = "<",
        /// `<=`
        AtMost = "<=",
        /// `>`
        Greater = ">",
        /// `>=`
        AtLeast = ">=",
    }
}

impl Comparison {
    /// Returns true if two values with this ordering satisfy the comparison.
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

    /// Returns the comparison that accepts exactly the orderings that this one does not.
    #[must_use]
    pub const fn opposite(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::AtLeast,
            Comparison::AtMost => Comparison::Greater,
            Comparison::Greater => Comparison::AtMost,
            Comparison::AtLeast => Comparison::Less,
        }
    }

    /// Compares two values. Numbers compare by value, texts by their code points; values of different kinds are
    /// unequal and not ordered.
    pub fn holds(self, left: &Value<'_>, right: &Value<'_>) -> bool {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => self.accepts(left.cmp(right)),
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
        assert_eq!(cell("-0e0"), cell("0"));
        assert_eq!(cell("null"), Value::Null);
        assert_eq!(cell("true"), Value::Bool(true));
        assert_eq!(cell("1st"), Value::Text("1st".into()));
        assert_eq!(cell("-"), Value::Text("-".into()));
    }

    #[test]
    fn different_values_have_different_labels() {
        let labels = |value: Value<'_>| value.label(&mut String::new()).to_owned();
        for (text, expected) in [("1", "1"), ("1.0", "1"), ("-0.0", "0"), ("null", "null"), ("1st", "1st"), ("", "")] {
            assert_eq!(labels(cell(text)), expected, "{text}");
        }
        for (text, expected) in [
            ("1", r#""1""#),
            ("1.0", r#""1.0""#),
            ("null", r#""null""#),
            ("true", r#""true""#),
            (r#""1""#, r#""\"1\"""#),
            ("[1]", r#""[1]""#),
            ("ann", "ann"),
            ("2024-05-01", "2024-05-01"),
            ("[\\ \n\u{1}", r#""[\\ \n\u{1}""#),
        ] {
            assert_eq!(labels(Value::Text(text.into())), expected, "{text}");
            assert_eq!(label_text(expected), text);
        }
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

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let map = |entries: &[(&'static str, &'static str)]| {
            Value::Map(entries.iter().map(|(key, value)| ((*key).into(), cell(value))).collect())
        };
        let one = map(&[("a", "1"), ("b", "2"), ("c", "x")]);
        let other = map(&[("c", "x"), ("b", "2.0"), ("a", "1e0")]);
        assert_eq!(one, other);
        assert!(Comparison::Equal.holds(&one, &other) && !Comparison::NotEqual.holds(&one, &other));
        assert_eq!(one.order(&other), Ordering::Equal);
        assert_eq!(Value::List(vec![one.clone()]), Value::List(vec![other.clone()]));
        for different in [
            map(&[("a", "1"), ("b", "2")]),
            map(&[("a", "1"), ("b", "2"), ("d", "x")]),
            map(&[("a", "2"), ("b", "1"), ("c", "x")]),
        ] {
            assert_ne!(one, different);
            assert_eq!(one.order(&different), different.order(&one).reverse());
            assert_eq!(one.order(&different), other.order(&different));
        }
    }

    #[test]
    fn cells_out_of_range_are_found() {
        for text in [
            "170141183460469231731687303715884105728",
            "1e400",
            "-2E-999",
            "0.1234567890123456789012345678901234567891",
        ] {
            assert!(is_out_of_range(text.as_bytes()), "{text}");
        }
        for text in ["1", "1e300", "170141183460469231731687303715884105727", "1e400x", "e", "12e", "", "2.5"] {
            assert!(!is_out_of_range(text.as_bytes()), "{text}");
        }
    }
}
