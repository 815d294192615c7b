// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a captured message: a SOAP envelope or a JSON text in a string, or a JSON object as it is.

use std::borrow::Cow;

use super::adapter::ParseData;
use super::json::Json;
use super::soap::Soap;
use crate::error::{Code, Fault, quote};
use crate::ndjson::{Scanner, text};
use crate::stretch::Stretch;

/// Reads the body that is the value there and hands it on. Faults are counted from the start of `bytes`.
pub(super) fn open<T>(
    bytes: &[u8],
    body: Stretch,
    then: impl FnOnce(&dyn ParseData) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut scanner: Scanner<'_, true> = Scanner::again(bytes, body);
    if scanner.peek() == b'{' {
        let json = Json::of(Cow::Borrowed(bytes), body)?;
        return then(&json).map_err(|fault| fault.shifted(body.start));
    }
    if !scanner.take(b'"') {
        return Err(no_message(bytes, body));
    }
    let string = scanner.string()?;
    let decoded = text(bytes, string);
    let raw = string.inside;
    // A place in the text is a place in the line: escapes are as long as they are.
    let placed = |fault: Fault| {
        let at = raw.start + written(raw.of(bytes), fault.at());
        fault.placed(at)
    };
    match decoded.trim_start().as_bytes().first() {
        Some(b'<') => Soap::read(&decoded).and_then(|soap| then(&soap)).map_err(placed),
        Some(b'{') => Json::read(&decoded).and_then(|json| then(&json)).map_err(placed),
        _ => Err(no_message(bytes, body)),
    }
}

#[cold]
fn no_message(bytes: &[u8], body: Stretch) -> Fault {
    let message = format!("the body {} is no message", quote(body.of(bytes)));
    Fault::new(Code::NotAMessage, body.start, message)
        .help("a body is a SOAP envelope in a string, a JSON object, or one in a string")
}

/// How many bytes of a string's writing stand for so many bytes of its text.
#[cold]
fn written(inside: &[u8], count: usize) -> usize {
    let (mut at, mut left) = (0, count);
    while left > 0 && at < inside.len() {
        if inside[at] != b'\\' {
            (at, left) = (at + 1, left - 1);
            continue;
        }
        let unit = |at: usize| {
            let digits = inside.get(at + 2..at + 6).and_then(|digits| std::str::from_utf8(digits).ok());
            digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
        };
        let (length, bytes) = match inside.get(at + 1) {
            Some(b'u') => match unit(at) {
                0xD800..=0xDBFF => (12, 4),
                unit => (6, char::from_u32(unit).map_or(3, char::len_utf8)),
            },
            _ => (2, 1),
        };
        at += length;
        left = left.saturating_sub(bytes);
    }
    at.min(inside.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_what_is_written() {
        let inside = br#"a\"b\u00e9\ud83d\ude00z"#;
        for (count, at) in [(0, 0), (1, 1), (2, 3), (3, 4), (5, 10), (9, 22), (10, 23), (99, 23)] {
            assert_eq!(written(inside, count), at, "{count}");
        }
    }
}
