// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a trace as JSON, each with its own type.

use gnomon_core::escape::write_json;
use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_core::verdict::Binding;

use super::write::{JsonValue, ObjectWriter, list, object};

/// The largest whole number up to which a float is exact.
const MAX_WHOLE: u64 = 1 << 53;
/// Number of decimal digits that survive a conversion to a float.
const SAFE_DIGITS: u32 = 15;

/// Writes the values of variables, by name.
pub fn binding(fields: &mut ObjectWriter<'_>, binding: &Binding) {
    binding.values.iter().for_each(|(name, value)| fields.field(name, value));
}

/// A number that a float would change is a string with all its digits.
impl JsonValue for &Value<'_> {
    fn write(self, out: &mut String) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => (*value).write(out),
            Value::Number(number) if is_safe(*number) => out.push_str(&number.to_string()),
            Value::Number(number) => write_json(out, &number.to_string()),
            Value::Text(text) => write_json(out, text),
            Value::List(items) => list(out, items, |out, item| item.write(out)),
            Value::Map(entries) => object(out, |fields| entries.iter().for_each(|(key, item)| fields.field(key, item))),
        }
    }
}

fn is_safe(number: Number) -> bool {
    match number {
        Number::Int(value) => value.unsigned_abs() <= MAX_WHOLE,
        Number::Decimal { .. } => number
            .parts()
            .is_some_and(|(mantissa, scale)| scale > 0 && mantissa.unsigned_abs() < 10_u128.pow(SAFE_DIGITS)),
        Number::Float(_) => number.is_finite(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(of: &Value<'_>) -> String {
        let mut out = String::new();
        of.write(&mut out);
        out
    }

    #[test]
    fn numbers_stay_numbers_where_none_is_lost() {
        let number = |text: &str| written(&Value::Number(Number::parse(text).unwrap()));
        assert_eq!(
            ["7", "-2.50", "9007199254740992", "1e3", "1e-7", "-0e0", "1e300"].map(number),
            ["7", "-2.5", "9007199254740992", "1000", "0.0000001", "0", "1e300"]
        );
        assert_eq!(
            ["9007199254740993", "0.1234567890123456", "1e20"].map(number),
            ["\"9007199254740993\"", "\"0.1234567890123456\"", "\"100000000000000000000\""]
        );
        assert_eq!(
            Number::from_f64(f64::INFINITY).map(|number| written(&Value::Number(number))),
            Some("\"inf\"".to_owned())
        );
    }

    #[test]
    fn other_values_keep_their_types() {
        let list = Value::List(vec![Value::Null, Value::Bool(true), Value::Text("1\"".into())]);
        let map = Value::Map(vec![("a".into(), list), ("b".into(), Value::Map(vec![]))]);
        assert_eq!(written(&map), r#"{"a":[null,true,"1\""],"b":{}}"#);
    }
}
