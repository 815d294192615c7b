// SPDX-License-Identifier: MIT OR Apache-2.0
//! A writer of JSON in which numbers keep all their digits.

use std::fmt::Display;

use gnomon_core::escape::{json, write_json};

/// Renders a whole number as a number, any other as a string with all its digits.
pub fn number(text: &str) -> String {
    let whole = text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    if whole { text.to_owned() } else { json(text) }
}

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

    /// Writes a field whose value is already JSON.
    pub fn raw(&mut self, name: &str, json: &str) {
        self.with(name, |out| out.push_str(json));
    }

    /// Writes a field that is a string.
    pub fn text(&mut self, name: &str, text: &str) {
        self.with(name, |out| write_json(out, text));
    }

    /// Writes a field that is a string, if there is one.
    pub fn optional_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    /// Writes a field that is a number or a truth value.
    pub fn plain(&mut self, name: &str, value: impl Display) {
        self.raw(name, &value.to_string());
    }

    /// Writes a field that is a list.
    pub fn list<T>(&mut self, name: &str, items: &[T], each: impl FnMut(&mut String, &T)) {
        self.with(name, |out| list(out, items, each));
    }
}

/// Writes a list.
pub fn list<T>(out: &mut String, items: &[T], mut each: impl FnMut(&mut String, &T)) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_are_numbers() {
        assert_eq!(["0", "-7", "170141183460469231731"].map(number), ["0", "-7", "170141183460469231731"]);
        assert_eq!(["2.5", "-0.25"].map(number), ["\"2.5\"", "\"-0.25\""]);
    }
}
