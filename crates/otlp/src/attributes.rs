// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attributes, and their names as fields of events.

use std::collections::HashMap;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

/// Names and values, in the order of the request.
pub(crate) type Attributes = Vec<(String, Value<'static>)>;

/// Prefix of the fields of a resource.
const RESOURCE: &str = "resource.";
/// Prefix of an attribute whose name is reserved.
const ATTRIBUTE: &str = "attribute.";

/// Renames attributes of a span or of an event on a span to field names: unchanged unless reserved or ambiguous.
pub(crate) fn name_fields(attributes: &mut Attributes, reserved: &[&str]) {
    for (key, _) in attributes.iter_mut() {
        if reserved.contains(&key.as_str()) || key.starts_with(RESOURCE) || key.starts_with(ATTRIBUTE) {
            key.insert_str(0, ATTRIBUTE);
        }
    }
    last_wins(attributes);
}

/// Renames attributes of a resource to field names.
pub(crate) fn name_resource_fields(attributes: &mut Attributes) {
    for (key, _) in attributes.iter_mut() {
        key.insert_str(0, RESOURCE);
    }
    last_wins(attributes);
}

/// Where a key is repeated its last value counts, in the place of the first.
pub(crate) fn last_wins<K: AsRef<str>>(attributes: &mut Vec<(K, Value<'static>)>) {
    const FEW: usize = 16;
    let is_repeated = |(index, (key, _)): (usize, &(K, Value<'static>))| {
        attributes[..index].iter().any(|(earlier, _)| earlier.as_ref() == key.as_ref())
    };
    if attributes.len() <= FEW && !attributes.iter().enumerate().any(is_repeated) {
        return;
    }
    let mut places: HashMap<String, usize> = HashMap::with_capacity(attributes.len());
    let mut kept: Vec<(K, Value<'static>)> = Vec::with_capacity(attributes.len());
    for (key, value) in attributes.drain(..) {
        let place = *places.entry(key.as_ref().to_owned()).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(earlier) => earlier.1 = value,
            None => kept.push((key, value)),
        }
    }
    *attributes = kept;
}

/// Estimates the memory of attributes.
pub(crate) fn attribute_bytes(attributes: &Attributes) -> usize {
    const ENTRY: usize = 64;
    attributes.iter().map(|(key, value)| ENTRY + key.len() + value.heap_bytes(ENTRY)).sum()
}

/// Converts a floating-point value to the number that it stands for (0.1 stays 0.1); infinities and NaN become text as in JSON.
pub(crate) fn double(value: f64) -> Value<'static> {
    if value.is_finite() {
        return Number::from_f64(value).map_or(Value::Null, Value::Number);
    }
    let word = if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    };
    Value::Text(word.into())
}

/// Encodes bytes in base64, as in JSON.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * index) & 63) as usize];
            text.push(if index <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(keys: &[&str]) -> Attributes {
        let value = |index: usize| Value::Number(Number::Int(index as i64));
        keys.iter().enumerate().map(|(index, key)| ((*key).to_owned(), value(index))).collect()
    }

    fn shown(attributes: &Attributes) -> String {
        attributes.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn reserved_names_get_a_prefix() {
        let mut fields = attributes(&["a", "time", "resource.a", "attribute.time", "time", "a"]);
        name_fields(&mut fields, &["time"]);
        assert_eq!(shown(&fields), "a=5 attribute.time=4 attribute.resource.a=2 attribute.attribute.time=3");
        let mut fields = attributes(&["a", "a", "time"]);
        name_resource_fields(&mut fields);
        assert_eq!(shown(&fields), "resource.a=1 resource.time=2");
    }

    #[test]
    fn many_attributes_repeat_like_few() {
        let keys: Vec<String> = (0..100).map(|number| format!("k{}", number % 40)).collect();
        let mut fields = attributes(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        name_fields(&mut fields, &[]);
        assert_eq!(fields.len(), 40);
        assert_eq!(shown(&fields[..1].to_vec()) + " " + &shown(&fields[39..].to_vec()), "k0=80 k39=79");
    }

    #[test]
    fn doubles_are_the_decimals_that_were_meant() {
        let show = |value: f64| double(value).to_string();
        assert_eq!([show(0.1), show(5.0), show(-0.0), show(1e300)], ["0.1", "5", "0", "1e300"]);
        assert_eq!(
            [show(f64::NAN), show(f64::INFINITY), show(f64::NEG_INFINITY)],
            ["\"NaN\"", "\"Infinity\"", "\"-Infinity\""]
        );
    }

    #[test]
    fn bytes_in_base64() {
        let texts = [&b""[..], b"f", b"fo", b"foo", b"foob", b"\xFF\xFE\xFD"].map(base64);
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "//79"]);
    }
}
