// SPDX-License-Identifier: MIT OR Apache-2.0
//! A writer of JSON in which numbers keep all their digits.

use gnomon_core::escape::{json, write_json};

/// Renders a whole number as a number, any other as a string with all its digits.
pub fn number(text: String) -> RawJson {
    let whole = text.strip_prefix('-').unwrap_or(&text).bytes().all(|byte| byte.is_ascii_digit());
    RawJson(if whole { text } else { json(&text) })
}

/// A value of a field or of a list. `None` is null.
pub trait JsonValue {
    /// Writes the value as JSON.
    fn write(self, out: &mut String);
}

/// Text that is JSON already.
pub struct RawJson(pub String);

impl JsonValue for RawJson {
    fn write(self, out: &mut String) {
        out.push_str(&self.0);
    }
}

impl<T: JsonValue> JsonValue for Option<T> {
    fn write(self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<'a, T> JsonValue for &'a [T]
where
    &'a T: JsonValue,
{
    fn write(self, out: &mut String) {
        list(out, self, |out, item| item.write(out));
    }
}

/// Implements [`JsonValue`] for types that are strings, and for types whose text is JSON.
macro_rules! json_values {
    ($($Text:ty),+; $($Plain:ty),+) => {
        $(impl JsonValue for $Text {
            fn write(self, out: &mut String) {
                write_json(out, self);
            }
        })+
        $(impl JsonValue for $Plain {
            fn write(self, out: &mut String) {
                out.push_str(&self.to_string());
            }
        })+
    };
}

json_values!(&str, &&str, &String; bool, u32, u64, usize, i128);

/// Writes the fields of an object.
pub struct ObjectWriter<'a> {
    out: &'a mut String,
    first: bool,
}

impl ObjectWriter<'_> {
    /// Writes a field whose value the callback writes.
    pub fn with(&mut self, name: &str, value: impl FnOnce(&mut String)) {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        write_json(self.out, name);
        self.out.push(':');
        value(self.out);
    }

    /// Writes a field.
    pub fn field(&mut self, name: &str, value: impl JsonValue) {
        self.with(name, |out| value.write(out));
    }

    /// Writes a field, if there is a value.
    pub fn optional(&mut self, name: &str, value: Option<impl JsonValue>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// Writes a field that is an object.
    pub fn object(&mut self, name: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.with(name, |out| object(out, fill));
    }

    /// Writes a field that is a list of objects.
    pub fn objects<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut ObjectWriter<'_>, T),
    ) {
        self.with(name, |out| list(out, items, |out, item| object(out, |fields| each(fields, item))));
    }
}

/// Writes a list.
pub fn list<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut String, T)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        each(out, item);
    }
    out.push(']');
}

/// Writes an object.
pub fn object(out: &mut String, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
    out.push('{');
    fill(&mut ObjectWriter { out, first: true });
    out.push('}');
}

/// Renders an object.
pub fn object_text(fill: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    let mut out = String::new();
    object(&mut out, fill);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_are_numbers() {
        let number = |text: &str| number(text.to_owned()).0;
        assert_eq!(["0", "-7", "170141183460469231731"].map(number), ["0", "-7", "170141183460469231731"]);
        assert_eq!(["2.5", "-0.25"].map(number), ["\"2.5\"", "\"-0.25\""]);
    }
}
