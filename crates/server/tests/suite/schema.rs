// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a value against a schema of the description: all required fields, and no others.

use serde_json::Value;

/// Returns the first error of a value.
pub(crate) fn faults(document: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(path) = schema["$ref"].as_str() {
        let name = path.strip_prefix("#/components/schemas/").unwrap();
        return faults(document, &document["components"]["schemas"][name], value, at);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let all: Vec<Vec<String>> = choices.iter().map(|choice| faults(document, choice, value, at)).collect();
        return if all.iter().any(Vec::is_empty) { vec![] } else { all.concat() };
    }
    if let Some(choices) = schema["enum"].as_array() {
        return if choices.contains(value) { vec![] } else { vec![format!("{at}: {value} is none of {choices:?}")] };
    }
    let mut found = Vec::new();
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(value, kind)) {
        found.push(format!("{at}: {value} is not a {kinds:?}"));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        found.extend(values.iter().flat_map(|value| faults(document, items, value, &format!("{at}[]"))));
    }
    if let (Some(properties), Some(fields)) = (schema["properties"].as_object(), value.as_object()) {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(format!("{at}: `{name}` is missing"));
            }
        }
        for (name, value) in fields {
            match properties.get(name) {
                Some(schema) => found.extend(faults(document, schema, value, &format!("{at}.{name}"))),
                None => found.push(format!("{at}: `{name}` is not described")),
            }
        }
    }
    found
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}
