// SPDX-License-Identifier: MIT OR Apache-2.0
//! A message that is a JSON object: its members are its fields.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;

use gnomon_core::value::Value;
use gnomon_scan::json::{JsonString, Scanner, text, value};
use gnomon_scan::{ByteRange, Code, Fault, MOST_FIELDS, TraceError, last_wins, quote, too_many_fields};

use crate::adapter::ParseData;
use crate::query::Query;

/// Members that may contain the name, in order of preference.
const NAMES: [&str; 4] = ["event", "name", "type", "operation"];

/// Number of bytes behind a text, so that the scanner can load whole words.
const PADDING: usize = 16;

/// A JSON message.
pub struct JsonMessage<'a> {
    /// The object, with padding behind it.
    bytes: Cow<'a, [u8]>,
    object: ByteRange,
    /// The members in order, each key once.
    members: Vec<(JsonString, ByteRange)>,
    whole: OnceCell<Value<'static>>,
}

impl JsonMessage<'static> {
    /// Parses a JSON object.
    pub fn parse(text: &str) -> Result<JsonMessage<'static>, TraceError> {
        JsonMessage::read(text).map_err(|fault| fault.in_text("message", text))
    }

    /// Parses any JSON value; `name` identifies the text in errors.
    pub fn any(text: &str, name: &str) -> Result<Value<'static>, TraceError> {
        let (bytes, range) = checked(text).map_err(|fault| fault.in_text(name, text))?;
        Ok(value(&bytes, range).into_owned())
    }

    /// Parses a JSON object; a fault has its offset in the text.
    pub fn read(text: &str) -> Result<JsonMessage<'static>, Fault> {
        let (bytes, object) = checked(text)?;
        JsonMessage::of(Cow::Owned(bytes), object)
    }
}

impl<'a> JsonMessage<'a> {
    /// Reads the members of an object that was scanned before.
    pub(crate) fn of(bytes: Cow<'a, [u8]>, object: ByteRange) -> Result<JsonMessage<'a>, Fault> {
        let mut scanner: Scanner<'_, false> = Scanner::again(&bytes, object);
        scanner.skip_blanks();
        if !scanner.take(b'{') {
            let message = format!("{} is not a JSON object", quote(object.of(&bytes)));
            return Err(Fault::new(Code::NotAMessage, object.start, message)
                .help("a message is an object, such as `{\"event\": \"logon\", \"user\": \"ann\"}`"));
        }
        let mut members = Vec::new();
        while let Some((key, value)) = scanner.entry(members.is_empty())? {
            if members.len() >= MOST_FIELDS {
                return Err(too_many_fields(key.range.start));
            }
            members.push((key, value));
        }
        last_wins(&mut members, |(key, _)| text(&bytes, *key));
        Ok(JsonMessage { bytes, object, members, whole: OnceCell::new() })
    }

    /// Returns true if a member of the object, or of one inside it, occurs more than once. The last value counts here; other readers take
    /// the first.
    pub fn has_repeated_members(&self) -> bool {
        has_repeated_members(&mut Scanner::<false>::again(&self.bytes, self.object)).unwrap_or(true)
    }

    /// Returns the whole message.
    pub fn value(&self) -> &Value<'static> {
        self.whole.get_or_init(|| value(&self.bytes, self.object).into_owned())
    }

    fn member(&self, name: &str) -> Option<Value<'_>> {
        let found = self.members.iter().find(|(key, _)| text(&self.bytes, *key) == name);
        found.map(|(_, range)| value(&self.bytes, *range))
    }
}

impl ParseData for JsonMessage<'_> {
    fn name(&self) -> Option<Cow<'_, str>> {
        NAMES.iter().find_map(|name| match self.member(name) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        })
    }

    fn query(&self, query: &Query) -> Option<Value<'_>> {
        query.find(self.value())
    }

    fn fields(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(Cow<'_, str>, Value<'_>)> {
        let named = self.members.iter().map(|(key, range)| (text(&self.bytes, *key), *range));
        let wanted = named.filter(|(name, _)| wanted(name));
        wanted.map(|(name, range)| (name, value(&self.bytes, range))).collect()
    }
}

/// Returns true if a member of an object in the next value occurs more than once. The value was scanned before, so the depth of the recursion
/// is limited.
fn has_repeated_members(scanner: &mut Scanner<'_, false>) -> Result<bool, Fault> {
    scanner.skip_blanks();
    let mut is_first = true;
    if scanner.take(b'[') {
        while scanner.next_item(is_first)? {
            is_first = false;
            if has_repeated_members(scanner)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    if !scanner.take(b'{') {
        return scanner.skip_value().map(|()| false);
    }
    let mut keys = HashSet::new();
    while let Some(key) = scanner.next_key(is_first)? {
        is_first = false;
        if !keys.insert(text(scanner.bytes(), key)) {
            return Ok(true);
        }
        scanner.skip_blanks();
        if has_repeated_members(scanner)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Checks that a text is exactly one JSON value. Returns a padded copy and the range of the value.
pub(crate) fn checked(text: &str) -> Result<(Vec<u8>, ByteRange), Fault> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(text.len() + PADDING, 0);
    let mut scanner: Scanner<'_, false> = Scanner::new(&bytes, ByteRange { start: 0, end: text.len() })?;
    scanner.skip_blanks();
    let start = scanner.at();
    scanner.skip_value()?;
    let end = scanner.at();
    scanner.skip_blanks();
    if scanner.at() < text.len() {
        let rest = &text.as_bytes()[scanner.at()..];
        return Err(Fault::new(Code::BadJson, scanner.at(), format!("{} follows the value", quote(rest))));
    }
    Ok((bytes, ByteRange { start, end }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let json = match JsonMessage::parse(text) {
            Ok(json) => json,
            Err(error) => return format!("{} {}:{}", error.code(), error.line(), error.column()),
        };
        let fields: Vec<String> =
            json.fields(&|name| name != "skip").into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{:?}({})", json.name().unwrap_or_default(), fields.join(", "))
    }

    #[test]
    fn members_are_fields() {
        for (text, expected) in [
            ("{}", "\"\"()"),
            (r#" {"event": "pay", "n": [1, {"m": 2}], "skip": 1} "#, r#""pay"(event="pay", n=[1, {"m": 2}])"#),
            (r#"{"operation": "d", "type": "c"}"#, r#""c"(operation="d", type="c")"#),
            (r#"{"event": 3, "name": "", "\u0074ype": "\u00e9"}"#, r#""é"(event=3, name="", type="é")"#),
            (r#"{"a": 1, "a": 2, "type": "t"}"#, r#""t"(a=2, type="t")"#),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn repeated_members_are_noticed() {
        for (text, expected) in [
            (r#"{"a": 1, "\u0061": 2}"#, true),
            (r#"{"a": 1, "b": {"a": 2}}"#, false),
            ("{}", false),
            (r#"{"a": {"b": 1, "c": [], "b": 2}}"#, true),
            (r#"{"a": [1, {"b": 1 , "c": {} , "b": 2}, "x"]}"#, true),
            (r#"{"a": [{"b": 1}, {"b": 2}], "c": {"b": 3}, "d": "{\"e\": 1, \"e\": 1}"}"#, false),
        ] {
            assert_eq!(JsonMessage::parse(text).unwrap().has_repeated_members(), expected, "{text}");
        }
    }

    #[test]
    fn any_value_can_be_read() {
        let shown = |text: &str| JsonMessage::any(text, "t.json").map(|value| value.to_string());
        assert_eq!(shown(" [1.50, {\"a\": null}]\n").unwrap(), "[1.5, {\"a\": null}]");
        assert_eq!(shown("1.1\n").unwrap(), "1.1");
        let error = shown("{\n\"a\" 1}").unwrap_err();
        assert_eq!((error.code(), error.line(), error.column()), ("G0513", 2, 5));
    }

    #[test]
    fn what_is_no_message() {
        for (text, expected) in [
            ("", "G0513 1:1"),
            ("[]", "G0721 1:1"),
            ("\"a\"", "G0721 1:1"),
            ("{\"a\":\n1", "G0513 2:2"),
            ("{} {}", "G0513 1:4"),
            ("{\"a\": \"\n\"}", "G0513 1:8"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        assert!(shown(&"[".repeat(1000)).starts_with("G0515"));
        let many: Vec<String> = (0..70_000).map(|index| format!("\"{index}\":0,")).collect();
        assert!(shown(&format!("{{{}\"x\":0}}", many.concat())).starts_with("G0510"));
    }
}
