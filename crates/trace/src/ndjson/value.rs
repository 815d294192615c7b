// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the value of a stretch of JSON that the scanner has passed.

use std::borrow::Cow;
use std::collections::HashMap;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use super::scanner::{Scanner, Text};
use crate::error::Fault;
use crate::stretch::Stretch;

/// The value there.
pub(crate) fn value(bytes: &[u8], stretch: Stretch) -> Value<'_> {
    // It was scanned as part of its line: nothing can be wrong with it now.
    build(&mut Scanner::<true>::again(bytes, stretch)).unwrap_or(Value::Null)
}

/// The text of a string.
pub(crate) fn text(bytes: &[u8], text: Text) -> Cow<'_, str> {
    let inside = String::from_utf8_lossy(text.inside.of(bytes));
    if text.escaped { Cow::Owned(unescape(&inside)) } else { inside }
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
            loop {
                scanner.skip_blanks();
                if scanner.take(b']') {
                    break;
                }
                scanner.take(b',');
                items.push(build(scanner)?);
            }
            Value::List(items)
        }
        b'{' => {
            scanner.take(b'{');
            let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
            let mut entries: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
            loop {
                scanner.skip_blanks();
                if scanner.take(b'}') {
                    break;
                }
                if scanner.take(b',') {
                    scanner.skip_blanks();
                }
                let key = scanner.key()?;
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
                let units = [high, low.unwrap_or(0)];
                let pair = &units[..if (0xD800..0xDC00).contains(&high) { 2 } else { 1 }];
                rest = rest.get(4 + 6 * (pair.len() - 1)..).unwrap_or("");
                char::decode_utf16(pair.iter().copied())
                    .next()
                    .and_then(Result::ok)
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
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
        value(&padded, Stretch { start: 0, end: json.len() }).to_string()
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
