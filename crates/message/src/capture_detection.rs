// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detects captured messages in lines of JSON: the first line has a `body` that is a message, and no name of its own.
//!
//! Only the first bytes of an input are available, so the JSON may end anywhere: then the beginning could still become a
//! capture.

use gnomon_scan::ByteRange;
use gnomon_scan::json::{Scanner, text};

use crate::captured::BODY;

/// Result of examining the beginning of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureHint {
    /// It is a capture.
    Messages {
        /// True if the line has nothing but the body, which may mean something else in other formats.
        alone: bool,
    },
    /// It is not a capture.
    Other,
    /// The first line is incomplete.
    Open {
        /// True if it looks like a capture so far.
        body: bool,
    },
}

/// Examines the first object of an input. It is not validated: the reader does that.
pub fn detect_capture(head: &[u8]) -> CaptureHint {
    let mut scanner: Scanner<'_, false> = Scanner::again(head, ByteRange { start: 0, end: head.len() });
    scanner.skip_blanks();
    if !scanner.take(b'{') {
        return CaptureHint::Other;
    }
    let (mut body, mut others) = (false, false);
    loop {
        let key = match scanner.next_key(!body && !others) {
            Ok(Some(key)) => text(head, key),
            Ok(None) if body => return CaptureHint::Messages { alone: !others },
            // A string that is not closed is reported at its first quote.
            Err(fault) if head.get(fault.at()).is_none_or(|byte| *byte == b'"') => return CaptureHint::Open { body },
            Ok(None) | Err(_) => return CaptureHint::Other,
        };
        scanner.skip_blanks();
        match key.as_ref() {
            "event" | "name" => return CaptureHint::Other,
            BODY => match is_message(&head[scanner.at()..]) {
                None => return CaptureHint::Open { body },
                Some(false) => return CaptureHint::Other,
                Some(true) => body = true,
            },
            _ => others = true,
        }
        if scanner.skip_value().is_err() {
            return CaptureHint::Open { body };
        }
    }
}

/// Returns true if the value that begins here looks like a message; `None` if it ends too early to tell.
fn is_message(value: &[u8]) -> Option<bool> {
    match value.first()? {
        b'{' => Some(true),
        b'"' => {
            let inside = value[1..].trim_ascii_start();
            let inside =
                [&b"\\n"[..], b"\\r", b"\\t"].iter().find_map(|blank| inside.strip_prefix(*blank)).unwrap_or(inside);
            inside.trim_ascii_start().first().map(|byte| matches!(byte, b'<' | b'{'))
        }
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_detected_by_the_first_line() {
        let messages = CaptureHint::Messages { alone: false };
        for (head, expected) in [
            (r#"{"time": 1, "body": "<a/>"}"#, messages),
            (r#"{"body": " \n <a/>", "source": [1, {"b": "]}"}]}"#, messages),
            (r#"{"body": "{\"event\": 1}", "x": 1.5}"#, messages),
            (r#" {"body": {"event": "a"}, "time": 1} {"#, messages),
            (r#"{"body": {"event": "a"}}"#, CaptureHint::Messages { alone: true }),
            (r#"{"event": "a", "body": "<a/>"}"#, CaptureHint::Other),
            (r#"{"body": "<a/>", "name": "a"}"#, CaptureHint::Other),
            (r#"{"time": 1}"#, CaptureHint::Other),
            (r#"{"time": 1, "body": "text"}"#, CaptureHint::Other),
            (r#"{"time": 1, "body": 3}"#, CaptureHint::Other),
            ("[]", CaptureHint::Other),
            ("", CaptureHint::Other),
            ("{x", CaptureHint::Other),
            (r#"{"time": 1, "body": "<a"#, CaptureHint::Open { body: true }),
            (r#"{"time": 1, "bo"#, CaptureHint::Open { body: false }),
            (r#"{"time": [1, "#, CaptureHint::Open { body: false }),
            (r#"{"body": ""#, CaptureHint::Open { body: false }),
        ] {
            assert_eq!(detect_capture(head.as_bytes()), expected, "{head}");
        }
    }
}
