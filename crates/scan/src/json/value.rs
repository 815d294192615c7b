// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the values of ranges that the scanner has passed.

use std::borrow::Cow;
use std::collections::HashMap;

use gnomon_core::{Number, Value};

use super::{JsonString, Scanner};
use crate::error::Fault;
use crate::range::ByteRange;
use crate::word::whole_number;

/// Returns the value in a range.
pub fn value(bytes: &[u8], range: ByteRange) -> Value<'_> {
    // Most ids and amounts are a few digits.
    if let Some((number, end)) = whole_number(bytes, range.start)
        && end == range.end
    {
        return Value::Number(Number::Int(number));
    }
    // INVARIANT: the range was scanned as part of its line, so that scanning it again cannot fail.
    build(&mut Scanner::<true>::again(bytes, range)).unwrap_or(Value::Null)
}

/// Returns the value at the end of a path into the value in a range, without making the rest of it.
pub fn value_at<'a>(bytes: &'a [u8], range: ByteRange, steps: &[String]) -> Option<Value<'a>> {
    Some(value(bytes, range_at(bytes, range, steps)?))
}

/// Returns the range of the value at the end of a path into the value in a range, which was checked; `None` if the path leads nowhere.
pub fn range_at(bytes: &[u8], range: ByteRange, steps: &[String]) -> Option<ByteRange> {
    steps.iter().try_fold(range, |range, step| step_into(bytes, range, step))
}

/// Returns the range of a member of the object, or of an item of the list, in a range.
fn step_into(bytes: &[u8], range: ByteRange, step: &str) -> Option<ByteRange> {
    let mut scanner: Scanner<'_, true> = Scanner::again(bytes, range);
    scanner.skip_blanks();
    let (mut found, mut count) = (None, 0);
    if scanner.take(b'{') {
        while let Some((key, member)) = scanner.entry(count == 0).ok()? {
            count += 1;
            let is_named =
                if key.has_escapes { text(bytes, key) == step } else { key.range.of(bytes) == step.as_bytes() };
            // Of a repeated key the last value counts.
            if is_named {
                found = Some(member);
            }
        }
    } else if scanner.take(b'[') {
        let index: usize = step.parse().ok()?;
        while found.is_none() && scanner.next_item(count == 0).ok()? {
            let start = scanner.at();
            scanner.skip_value().ok()?;
            if count == index {
                found = Some(ByteRange { start, end: scanner.at() });
            }
            count += 1;
        }
    }
    found
}

/// Returns the text of a string.
#[inline]
pub fn text(bytes: &[u8], text: JsonString) -> Cow<'_, str> {
    let inside = text.range.of(bytes);
    let inside = str::from_utf8(inside).map_or_else(|_| String::from_utf8_lossy(inside), Cow::Borrowed);
    if text.has_escapes { Cow::Owned(unescape(&inside)) } else { inside }
}

fn build<'a>(scanner: &mut Scanner<'a, true>) -> Result<Value<'a>, Fault> {
    scanner.skip_blanks();
    let start = scanner.at();
    Ok(match scanner.peek() {
        b'"' => {
            scanner.take(b'"');
            Value::Text(text(scanner.bytes(), scanner.string()?))
        }
        b'[' => {
            scanner.take(b'[');
            let mut items = Vec::new();
            while scanner.next_item(items.is_empty())? {
                items.push(build(scanner)?);
            }
            Value::List(items)
        }
        b'{' => {
            scanner.take(b'{');
            let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
            let mut entries: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
            while let Some(key) = scanner.next_key(entries.is_empty())? {
                let key = text(scanner.bytes(), key);
                let value = build(scanner)?;
                let place = *places.entry(key.clone()).or_insert(entries.len());
                match entries.get_mut(place) {
                    Some(entry) => entry.1 = value,
                    None => entries.push((key, value)),
                }
            }
            Value::Map(entries)
        }
        b't' | b'f' | b'n' => {
            let first = scanner.peek();
            scanner.skip_scalar()?;
            if first == b'n' { Value::Null } else { Value::Bool(first == b't') }
        }
        _ => {
            scanner.skip_scalar()?;
            let digits = String::from_utf8_lossy(&scanner.bytes()[start..scanner.at()]);
            Number::parse(&digits).map_or(Value::Null, Value::Number)
        }
    })
}

fn unescape(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        rest = rest.get(at + 2..).unwrap_or("");
        text.push(match escape {
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = |text: &str| text.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
                let high = unit(rest).unwrap_or(0);
                let low = rest.get(4..).and_then(|rest| rest.strip_prefix("\\u")).and_then(unit);
                let low = low.filter(|low| (0xD800..0xDC00).contains(&high) && (0xDC00..0xE000).contains(low));
                rest = rest.get(if low.is_some() { 10 } else { 4 }..).unwrap_or("");
                let mut decoded = char::decode_utf16([high, low.unwrap_or(0)]);
                decoded.next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => char::from(other),
        });
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(json: &str) -> String {
        let mut padded = json.as_bytes().to_vec();
        padded.extend(b"\n\"\\]}}]");
        value(&padded, ByteRange { start: 0, end: json.len() }).to_string()
    }

    #[test]
    fn a_path_leads_to_the_value_that_its_steps_lead_to() {
        let json = r#"{"a": {"b": [1, {"c": "x"}], "b": [2, {"c": "y", "\u0064": true}]}, "e": 3}"#;
        let padded = format!("{json}\n        ");
        let range = ByteRange { start: 0, end: json.len() };
        for path in ["a", "a/b", "a/b/0", "a/b/1/c", "a/b/1/d", "a/b/2", "a/b/x", "e", "e/f", "z", "a/z/c"] {
            let steps: Vec<String> = path.split('/').map(str::to_owned).collect();
            let whole = value(padded.as_bytes(), range);
            let expected = steps.iter().try_fold(&whole, |value, step| value.step(step));
            assert_eq!(value_at(padded.as_bytes(), range, &steps).as_ref(), expected, "{path}");
            assert_eq!(steps.iter().try_fold(whole.clone(), |value, step| value.into_step(step)).as_ref(), expected);
        }
    }

    #[test]
    fn values_of_every_kind() {
        for (json, shown) in [
            ("1", "1"),
            ("-1.50", "-1.5"),
            ("true", "true"),
            ("false", "false"),
            ("null", "null"),
            (r#""1""#, r#""1""#),
            (r#""a\"\\\/\n\t""#, r#""a\"\\/\n\t""#),
            (r#""\u0041\u00e9\ud83d\ude00!""#, "\"Aé😀!\""),
            ("[]", "[]"),
            ("[ 1 , [ 2 ] , {} ]", "[1, [2], {}]"),
            (r#"{"a": 1, "b": [true], "\u0061": 2}"#, r#"{"a": 2, "b": [true]}"#),
        ] {
            assert_eq!(show(json), shown, "{json}");
        }
    }
}
