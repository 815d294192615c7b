// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON, written by hand: numbers keep all their digits.

/// A whole number stays a number; anything else is a string with all its digits.
pub fn number(text: &str) -> String {
    let whole = text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    if whole { text.to_owned() } else { quoted(text) }
}

/// The fields of an object under construction.
pub struct Fields<'a> {
    out: &'a mut String,
    first: bool,
}

impl Fields<'_> {
    /// A field whose value is written here.
    pub fn with(&mut self, name: &str, value: impl FnOnce(&mut String)) {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        self.out.push_str(&quoted(name));
        self.out.push(':');
        value(self.out);
    }

    /// A field whose value is JSON already.
    pub fn raw(&mut self, name: &str, json: &str) {
        self.with(name, |out| out.push_str(json));
    }

    /// A field that is a text.
    pub fn text(&mut self, name: &str, text: &str) {
        self.raw(name, &quoted(text));
    }

    /// A field that is a list.
    pub fn list<T>(&mut self, name: &str, items: &[T], mut each: impl FnMut(&mut String, &T)) {
        self.with(name, |out| {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                each(out, item);
            }
            out.push(']');
        });
    }
}

/// Writes an object.
pub fn object(out: &mut String, fill: impl FnOnce(&mut Fields<'_>)) {
    out.push('{');
    fill(&mut Fields { out, first: true });
    out.push('}');
}

/// A text in quotes, escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                let _ = std::fmt::Write::write_fmt(&mut out, format_args!("\\u{:04x}", control as u32));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_are_numbers() {
        assert_eq!(["0", "-7", "170141183460469231731"].map(number), ["0", "-7", "170141183460469231731"]);
        assert_eq!(["2.5", "-0.25"].map(number), ["\"2.5\"", "\"-0.25\""]);
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(quoted("a\"b\\\n\u{1}é"), "\"a\\\"b\\\\\\n\\u0001é\"");
    }
}
