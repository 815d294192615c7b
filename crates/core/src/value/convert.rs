// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conversions of Rust types to values.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::Value;
use crate::number::Number;

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Value<'_> {
            fn from(number: $integer) -> Self {
                Value::Number(Number::from(i128::from(number)))
            }
        }
    )*};
}

from_integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl From<isize> for Value<'_> {
    fn from(number: isize) -> Self {
        Value::from(number as i128)
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Value::from(number as i128)
    }
}

impl From<f64> for Value<'_> {
    /// Converts to the number with the fewest digits that identifies the float, and NaN to null.
    fn from(number: f64) -> Self {
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }
}

impl From<f32> for Value<'_> {
    /// Converts to the number with the fewest digits that identifies the float, and NaN to null.
    fn from(number: f32) -> Self {
        Number::from_f32(number).map_or(Value::Null, Value::Number)
    }
}

impl From<Number> for Value<'_> {
    fn from(number: Number) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl<'a> From<Cow<'a, str>> for Value<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Value::Text(text)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    /// Converts `None` to null.
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<'a, T: Into<Value<'a>>> From<Vec<T>> for Value<'a> {
    fn from(items: Vec<T>) -> Self {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

impl<'a, T: Into<Value<'a>>, const N: usize> From<[T; N]> for Value<'a> {
    fn from(items: [T; N]) -> Self {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

impl<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>> From<BTreeMap<K, V>> for Value<'a> {
    fn from(entries: BTreeMap<K, V>) -> Self {
        Value::Map(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

impl<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>, S> From<HashMap<K, V, S>> for Value<'a> {
    /// Converts to a map whose keys are sorted.
    fn from(entries: HashMap<K, V, S>) -> Self {
        let mut entries: Vec<(Cow<'a, str>, Value<'a>)> =
            entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        Value::Map(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_types_become_values() {
        let text = |value: Value<'_>| value.to_string();
        assert_eq!(text(Value::from(-7_i8)), "-7");
        assert_eq!(text(Value::from(u64::MAX)), "18446744073709551615");
        assert_eq!(text(Value::from(0.1_f32)), "0.1");
        assert_eq!(Value::from(2.0), Value::from(2));
        assert_eq!(Value::from(f64::NAN), Value::Null);
        assert_eq!(text(Value::from(Some("a"))), "\"a\"");
        assert_eq!(Value::from(None::<i32>), Value::Null);
        assert_eq!(text(Value::from(vec![[1, 2], [3, 4]])), "[[1, 2], [3, 4]]");
        let map = |pairs: [(&'static str, bool); 2]| Value::from(HashMap::from(pairs));
        assert_eq!(text(map([("b", true), ("a", false)])), "{\"a\": false, \"b\": true}");
        assert_eq!(map([("b", true), ("a", false)]), Value::from(BTreeMap::from([("a", false), ("b", true)])));
    }
}
