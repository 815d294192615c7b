// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether lines of JSON are captured messages: the first one has a `body` that is a message, and no name of its own.

use super::read::BODY;

/// What the beginning of an input tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// It is a capture. `alone`: the line has nothing but the body, which may mean something else in other formats.
    Messages { alone: bool },
    /// It is none.
    Other,
    /// The first line does not end here. `body`: so far it looks like a capture.
    Open { body: bool },
}

/// Looks at the first object of an input. It is not checked: the reader does that.
pub(crate) fn look(head: &[u8]) -> Look {
    let mut walk = Walk { rest: head.trim_ascii_start() };
    if !walk.take(b'{') {
        return Look::Other;
    }
    let (mut body, mut others) = (false, false);
    loop {
        walk.skip_blanks();
        if walk.take(b'}') {
            return if body { Look::Messages { alone: !others } } else { Look::Other };
        }
        walk.take(b',');
        walk.skip_blanks();
        if walk.rest.is_empty() {
            return Look::Open { body };
        }
        let Some(key) = walk.string() else { return if walk.ended() { Look::Open { body } } else { Look::Other } };
        walk.skip_blanks();
        if !walk.take(b':') {
            return if walk.rest.is_empty() { Look::Open { body } } else { Look::Other };
        }
        walk.skip_blanks();
        if key == b"event" || key == b"name" {
            return Look::Other;
        }
        if key == BODY.as_bytes() {
            match walk.is_message() {
                None => return Look::Open { body },
                Some(false) => return Look::Other,
                Some(true) => body = true,
            }
        } else {
            others = true;
        }
        if !walk.skip_value() {
            return Look::Open { body };
        }
    }
}

struct Walk<'a> {
    rest: &'a [u8],
}

impl<'a> Walk<'a> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        self.rest = &self.rest[usize::from(found)..];
        found
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    /// Whether a string begins here whose end cannot be seen.
    fn ended(&self) -> bool {
        self.rest.first() == Some(&b'"')
    }

    /// The inside of the string that begins here, if all of it is there.
    fn string(&mut self) -> Option<&'a [u8]> {
        let inside = self.rest.strip_prefix(b"\"")?;
        let mut escaped = false;
        let end = inside.iter().position(|&byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        })?;
        self.rest = &inside[end + 1..];
        Some(&inside[..end])
    }

    /// Whether the value that begins here can be a message; `None`: too little of it is there.
    fn is_message(&self) -> Option<bool> {
        match self.rest.first()? {
            b'{' => Some(true),
            b'"' => {
                let inside = self.rest[1..].trim_ascii_start();
                // Blanks may be written as escapes.
                let inside = [&b"\\n"[..], b"\\r", b"\\t"]
                    .iter()
                    .find_map(|blank| inside.strip_prefix(*blank))
                    .unwrap_or(inside);
                inside.trim_ascii_start().first().map(|byte| matches!(byte, b'<' | b'{'))
            }
            _ => Some(false),
        }
    }

    /// Skips a value; false if its end cannot be seen.
    fn skip_value(&mut self) -> bool {
        let mut depth = 0_usize;
        loop {
            match self.rest.first() {
                None => return false,
                Some(b'"') => {
                    if self.string().is_none() {
                        return false;
                    }
                    if depth == 0 {
                        return true;
                    }
                }
                Some(b',' | b'}' | b']') if depth == 0 => return true,
                Some(byte) => {
                    depth = match byte {
                        b'{' | b'[' => depth + 1,
                        b'}' | b']' => depth - 1,
                        _ => depth,
                    };
                    let closed = matches!(byte, b'}' | b']') && depth == 0;
                    self.rest = &self.rest[1..];
                    if closed {
                        return true;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells() {
        let messages = Look::Messages { alone: false };
        for (head, expected) in [
            (r#"{"time": 1, "body": "<a/>"}"#, messages),
            (r#"{"body": " \n <a/>", "source": [1, {"b": "]}"}]}"#, messages),
            (r#"{"body": "{\"event\": 1}", "x": 1.5}"#, messages),
            (r#" {"body": {"event": "a"}, "time": 1} {"#, messages),
            (r#"{"body": {"event": "a"}}"#, Look::Messages { alone: true }),
            (r#"{"event": "a", "body": "<a/>"}"#, Look::Other),
            (r#"{"body": "<a/>", "name": "a"}"#, Look::Other),
            (r#"{"time": 1}"#, Look::Other),
            (r#"{"time": 1, "body": "text"}"#, Look::Other),
            (r#"{"time": 1, "body": 3}"#, Look::Other),
            ("[]", Look::Other),
            ("", Look::Other),
            ("{x", Look::Other),
            (r#"{"time": 1, "body": "<a"#, Look::Open { body: true }),
            (r#"{"time": 1, "bo"#, Look::Open { body: false }),
            (r#"{"time": [1, "#, Look::Open { body: false }),
            (r#"{"body": ""#, Look::Open { body: false }),
        ] {
            assert_eq!(look(head.as_bytes()), expected, "{head}");
        }
    }
}
