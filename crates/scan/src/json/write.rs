// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes values as JSON.

use std::fmt::Write as _;

use gnomon_core::Value;
use gnomon_core::escape::write_json;

/// Writes a field as a key and its value.
pub fn write_field(text: &mut String, key: &str, value: &Value<'_>) {
    write_json(text, key);
    text.push_str(": ");
    write_value(text, value);
}

/// Writes a value as JSON.
pub fn write_value(text: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        // JSON has no infinity: it becomes a text.
        Value::Number(number) if !number.is_finite() => write_json(text, &number.to_string()),
        Value::Number(number) => {
            let _ = write!(text, "{number}");
        }
        Value::Text(value) => write_json(text, value),
        Value::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Map(entries) => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                write_field(text, key, value);
            }
            text.push('}');
        }
    }
}
