// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a trace as JSON, each of its own type.

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_core::verdict::Binding;

use super::write::{Fields, quoted};

/// The largest whole number up to which a reader that keeps numbers as floats loses none.
const LARGEST_WHOLE: u64 = 1 << 53;
/// So many digits survive such a reader.
const SAFE_DIGITS: u32 = 15;

/// The values of variables, by name.
pub fn binding(fields: &mut Fields<'_>, binding: &Binding) {
    for (name, of) in &binding.values {
        fields.with(name, |out| value(out, of));
    }
}

/// A value: a number that a reader might change is a string with all its digits.
pub fn value(out: &mut String, of: &Value<'_>) {
    match of {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) if is_safe(*number) => out.push_str(&number.to_string()),
        Value::Number(number) => out.push_str(&quoted(&number.to_string())),
        Value::Text(text) => out.push_str(&quoted(text)),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                value(out, item);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                out.push_str(&quoted(key));
                out.push(':');
                value(out, item);
            }
            out.push('}');
        }
    }
}

fn is_safe(number: Number) -> bool {
    match number {
        Number::Int(value) => value.unsigned_abs() <= LARGEST_WHOLE,
        Number::Decimal { mantissa, .. } => mantissa.unsigned_abs() < 10_u64.pow(SAFE_DIGITS),
        Number::Float(value) => value.is_finite(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(of: &Value<'_>) -> String {
        let mut out = String::new();
        value(&mut out, of);
        out
    }

    #[test]
    fn numbers_stay_numbers_where_none_is_lost() {
        let number = |text: &str| written(&Value::Number(Number::parse(text).unwrap()));
        assert_eq!(
            ["7", "-2.50", "9007199254740992", "1e3", "1e-7"].map(number),
            ["7", "-2.5", "9007199254740992", "1000.0", "1e-7"]
        );
        assert_eq!(
            ["9007199254740993", "0.1234567890123456", "1e999"].map(number),
            ["\"9007199254740993\"", "\"0.1234567890123456\"", "\"inf\""]
        );
    }

    #[test]
    fn other_values_keep_their_types() {
        let list = Value::List(vec![Value::Null, Value::Bool(true), Value::Text("1\"".into())]);
        let map = Value::Map(vec![("a".into(), list), ("b".into(), Value::Map(vec![]))]);
        assert_eq!(written(&map), r#"{"a":[null,true,"1\""],"b":{}}"#);
    }
}
