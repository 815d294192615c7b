// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a captured message: a SOAP envelope or JSON in a string, or a JSON object.

use std::borrow::Cow;

use gnomon_scan::json::{Scanner, text};
use gnomon_scan::{ByteRange, Code, Fault, quote};

use crate::adapter::ParseData;
use crate::json::JsonMessage;
use crate::soap::SoapMessage;

/// Member of a captured line that contains the message.
pub const BODY: &str = "body";

/// Parses the body at this range and calls `then` with it. Offsets of faults count from the start of `bytes`.
pub fn open<T>(
    bytes: &[u8],
    body: ByteRange,
    then: impl FnOnce(&dyn ParseData) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut scanner: Scanner<'_, true> = Scanner::again(bytes, body);
    if scanner.peek() == b'{' {
        let json = JsonMessage::of(Cow::Borrowed(bytes), body)?;
        return then(&json).map_err(|fault| fault.shifted(body.start));
    }
    if !scanner.take(b'"') {
        return Err(no_message(bytes, body));
    }
    let string = scanner.string()?;
    let decoded = text(bytes, string);
    let raw = string.range;
    // Converts an offset in the decoded text to one in the line, where escapes are longer.
    let placed = |fault: Fault| {
        let at = raw.start + written(raw.of(bytes), fault.at());
        fault.placed(at)
    };
    match decoded.trim_start().as_bytes().first() {
        Some(b'<') => SoapMessage::read(&decoded).and_then(|soap| then(&soap)).map_err(placed),
        Some(b'{') => JsonMessage::read(&decoded).and_then(|json| then(&json)).map_err(placed),
        _ => Err(no_message(bytes, body)),
    }
}

#[cold]
fn no_message(bytes: &[u8], body: ByteRange) -> Fault {
    let message = format!("the body {} is not a message", quote(body.of(bytes)));
    Fault::new(Code::NotAMessage, body.start, message)
        .help("a body is a SOAP envelope in a string, a JSON object, or one in a string")
}

/// Returns the number of bytes of an escaped string that stand for `count` bytes of its text.
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
