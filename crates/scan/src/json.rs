// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scanner of JSON. It checks all of a text, also values that no property uses, and builds nothing: strings and values
//! are ranges of the input.
//!
//! A caller walks one object: [`Scanner::open_object`], then [`Scanner::entry`] for each key with the range of its value, until
//! [`Scanner::end`]. Of `{"event": "pay", "user": {"id": 7}}` it gets the ranges of `"pay"` and of `{"id": 7}`. A value that is wanted is
//! then made from its range ([`value`]), or a part of it by a path ([`value_at`]); the others cost no more than the scan.
//!
//! INVARIANT: a range that the scanner returned is well-formed, so that making a value from it cannot fail. Readers of rows pass a
//! padded buffer, of which eight bytes can be loaded at every offset; strings and blanks are passed eight bytes at a time.

use std::str;

use memchr::memchr2;

use gnomon_core::value::{MAX_LENGTH_IN_RANGE, is_out_of_range};

use crate::error::{Code, Fault, out_of_range, quote};
use crate::range::ByteRange;
use crate::word::{first_marked, load, low_bytes, mark_equal, splat};

mod value;
mod write;

pub use value::{range_at, text, value, value_at};
pub use write::{write_field, write_value};

/// Limit on the nesting of objects and lists, the event's own object included.
pub const MAX_DEPTH: u32 = 128;

/// A string of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JsonString {
    /// The range between the quotes.
    pub range: ByteRange,
    /// True if it contains escapes.
    pub has_escapes: bool,
}

/// A position in a line of JSON. `BY_LINE` says that every event is one line, which changes the remedies in messages.
/// It is a constant so that each format gets code of its own, compiled into its reader.
pub struct Scanner<'a, const BY_LINE: bool> {
    /// The input. Eight bytes can be loaded at every offset of the line.
    bytes: &'a [u8],
    line: ByteRange,
    at: usize,
    /// True if the line has control characters, which strings must not contain.
    has_control: bool,
    /// True if half of a surrogate pair is accepted; it stands for U+FFFD.
    takes_halves: bool,
}

impl<'a, const BY_LINE: bool> Scanner<'a, BY_LINE> {
    /// Starts at the beginning of a line of a padded buffer. Checks that the line is UTF-8.
    #[inline]
    pub fn new(bytes: &'a [u8], line: ByteRange) -> Result<Self, Fault> {
        let text = line.of(bytes);
        let (has_high, has_control) = odd_bytes(bytes, line);
        let scanner = Scanner { bytes, line, at: line.start, has_control, takes_halves: false };
        if has_high {
            str::from_utf8(text).map_err(|error| {
                let at = error.valid_up_to();
                let piece = &text[at..text.len().min(at + 8)];
                Fault::new(Code::NotUtf8, at, format!("{} is not UTF-8", quote(piece)))
                    .help("convert the trace to UTF-8: `iconv -f LATIN1 -t UTF-8 FILE`")
            })?;
        }
        Ok(scanner)
    }

    /// Starts at the beginning of a text, which need not be padded. Accepts halves of surrogate pairs.
    pub fn of_text(text: &'a str) -> Self {
        let (bytes, line) = (text.as_bytes(), ByteRange { start: 0, end: text.len() });
        Scanner { bytes, line, at: 0, has_control: bytes.iter().any(|&byte| byte < 0x20), takes_halves: true }
    }

    /// Starts at the beginning of a value that was scanned before.
    pub fn again(bytes: &'a [u8], value: ByteRange) -> Self {
        Scanner { bytes, line: value, at: value.start, has_control: false, takes_halves: false }
    }

    /// Returns the offset in [`Scanner::bytes`].
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the bytes that offsets refer to.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the byte at the position; 0 at the end.
    #[inline]
    pub fn peek(&self) -> u8 {
        if self.at < self.line.end { self.bytes[self.at] } else { 0 }
    }

    /// Advances if this byte is at the position; returns true if so.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    /// Skips white space. Where an event is a line there is no newline in it.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Enters the object that the line consists of.
    #[inline]
    pub fn open_object(&mut self) -> Result<(), Fault> {
        self.skip_blanks();
        if self.take(b'{') {
            return Ok(());
        }
        let line = &self.bytes[self.at..self.line.end];
        Err(self
            .fault(Code::NotAnObject, format!("the line {} is not a JSON object", quote(line)))
            .help("write one object per line, such as `{\"event\": \"logon\", \"time\": 3}`"))
    }

    /// Returns the next key and value of the object that was entered; `None` at its end.
    #[inline]
    pub fn entry(&mut self, is_first: bool) -> Result<Option<(JsonString, ByteRange)>, Fault> {
        let Some(key) = self.next_key(is_first)? else { return Ok(None) };
        self.skip_blanks();
        let start = self.at;
        self.skip_value()?;
        Ok(Some((key, ByteRange { start, end: self.at })))
    }

    /// Returns the next key of the object that was entered, if the value before was passed; `None` at its end.
    #[inline]
    pub fn next_key(&mut self, is_first: bool) -> Result<Option<JsonString>, Fault> {
        self.skip_blanks();
        if self.take(b'}') {
            return Ok(None);
        }
        if !is_first {
            if !self.take(b',') {
                return Err(self.expected("`,` or `}`"));
            }
            self.skip_blanks();
        }
        self.key().map(Some)
    }

    /// Advances to the next item of the list that was entered, if the item before was passed; returns false at its end.
    pub fn next_item(&mut self, is_first: bool) -> Result<bool, Fault> {
        self.skip_blanks();
        if self.take(b']') {
            return Ok(false);
        }
        if !is_first && !self.take(b',') {
            return Err(self.expected("`,` or `]`"));
        }
        self.skip_blanks();
        Ok(true)
    }

    /// Checks that nothing follows on the line.
    #[inline]
    pub fn end(&mut self) -> Result<(), Fault> {
        self.skip_blanks();
        if self.at == self.line.end {
            return Ok(());
        }
        let rest = &self.bytes[self.at..self.line.end];
        Err(self
            .fault(Code::BadJson, format!("{} follows the object on its line", quote(rest)))
            .help("write one object per line"))
    }

    /// Reads a key and its colon.
    #[inline]
    pub fn key(&mut self) -> Result<JsonString, Fault> {
        if !self.take(b'"') {
            return Err(self.expected("a key in double quotes"));
        }
        let key = self.string()?;
        self.skip_blanks();
        if !self.take(b':') {
            return Err(self.expected("`:` after the key"));
        }
        Ok(key)
    }

    /// Reads the string whose opening quote was taken.
    #[inline]
    pub fn string(&mut self) -> Result<JsonString, Fault> {
        let start = self.at;
        let mut has_escapes = false;
        loop {
            let word = load(self.bytes, self.at);
            let marks = mark_equal(word, splat(b'"')) | mark_equal(word, splat(b'\\'));
            if marks == 0 {
                self.skip_plain();
            } else {
                self.at += first_marked(marks);
            }
            if self.at >= self.line.end {
                self.at = start - 1;
                let whole = if BY_LINE { "on its line" } else { "" };
                return Err(self.fault(Code::BadJson, format!("this string is not closed {whole}").trim_end()));
            }
            if self.bytes[self.at] == b'"' {
                break;
            }
            has_escapes = true;
            self.escape()?;
        }
        let inside = ByteRange { start, end: self.at };
        if self.has_control {
            self.check_control(inside)?;
        }
        self.at += 1;
        Ok(JsonString { range: inside, has_escapes })
    }

    /// Advances to the next quote or backslash, which is not within eight bytes.
    #[inline(never)]
    fn skip_plain(&mut self) {
        let rest = self.bytes.get(self.at..self.line.end).unwrap_or_default();
        self.at = memchr2(b'"', b'\\', rest).map_or(self.line.end, |found| self.at + found);
    }

    #[cold]
    fn check_control(&mut self, inside: ByteRange) -> Result<(), Fault> {
        match inside.of(self.bytes).iter().position(|&byte| byte < 0x20) {
            None => Ok(()),
            Some(index) => {
                self.at = inside.start + index;
                let message = format!("the control character {} occurs in a string", quote(&[self.bytes[self.at]]));
                Err(self.fault(Code::BadJson, message).help(format!("write `\\u{:04x}`", self.bytes[self.at])))
            }
        }
    }

    /// Checks the escape that begins here.
    fn escape(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                self.at += 1;
                return Ok(());
            }
            b'u' => {
                let valid = match self.unit() {
                    Some(_) if self.takes_halves => true,
                    Some(0xD800..=0xDBFF) => self.take(b'\\') && matches!(self.unit(), Some(0xDC00..=0xDFFF)),
                    Some(0xDC00..=0xDFFF) | None => false,
                    Some(_) => true,
                };
                if valid {
                    return Ok(());
                }
            }
            _ => {}
        }
        let end = self.line.end.min(start + 6);
        self.at = start;
        Err(self.fault(Code::BadJson, format!("{} is not an escape of JSON", quote(&self.bytes[start..end]))))
    }

    /// Reads a `u` and four digits; returns the code unit of UTF-16.
    fn unit(&mut self) -> Option<u32> {
        if !self.take(b'u') || self.at + 4 > self.line.end {
            return None;
        }
        let digits = &self.bytes[self.at..self.at + 4];
        self.at += 4;
        digits.iter().try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
    }

    /// Skips a value of any kind.
    #[inline]
    pub fn skip_value(&mut self) -> Result<(), Fault> {
        match self.peek() {
            b'"' => {
                self.at += 1;
                self.string().map(|_| ())
            }
            b'{' | b'[' => self.skip_nested(),
            _ => self.skip_scalar(),
        }
    }

    /// Skips an object or a list.
    ///
    /// Works without recursion, so that deep nesting cannot exhaust the stack: bit 0 of `objects` is set if the innermost open
    /// bracket is an object, bit 1 describes the bracket around it, and so on.
    fn skip_nested(&mut self) -> Result<(), Fault> {
        let mut objects: u128 = 0;
        let mut depth = 1;
        loop {
            let is_object = self.peek() == b'{';
            let mut is_first = is_object || self.peek() == b'[';
            if is_first {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(self.fault(Code::TooDeep, format!("nested more than {MAX_DEPTH} deep")));
                }
                self.at += 1;
                objects = objects << 1 | u128::from(is_object);
            } else {
                self.skip_value()?;
            }
            // Closes every bracket that ends here.
            while !if objects & 1 == 1 { self.next_key(is_first)?.is_some() } else { self.next_item(is_first)? } {
                is_first = false;
                objects >>= 1;
                depth -= 1;
                if depth == 1 {
                    return Ok(());
                }
            }
            self.skip_blanks();
        }
    }

    /// Skips a number, `true`, `false` or `null`.
    #[inline]
    pub fn skip_scalar(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let rest = &self.bytes[start.min(self.line.end)..self.line.end];
        let valid = match rest.first() {
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word(rest, b"true"),
            Some(b'f') => self.word(rest, b"false"),
            Some(b'n') => self.word(rest, b"null"),
            _ => return Err(self.expected("a value")),
        };
        // A number or word must not be followed by more of the same.
        if valid && !matches!(self.peek(), b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'-' | b'+' | b'_') {
            return Ok(());
        }
        self.at = start;
        let length = rest.iter().take_while(|byte| !matches!(byte, b',' | b'}' | b']' | b' ')).count();
        Err(self.fault(Code::BadJson, format!("{} is not a JSON value", quote(&rest[..length]))))
    }

    fn word(&mut self, rest: &[u8], word: &[u8]) -> bool {
        let found = rest.starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Skips a number; returns false if it is malformed.
    #[inline]
    fn number(&mut self) -> Result<bool, Fault> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && !self.digits() {
            return Ok(false);
        }
        if self.take(b'.') && !self.digits() {
            return Ok(false);
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            let _ = self.take(b'+') || self.take(b'-');
            if !self.digits() {
                return Ok(false);
            }
        } else if self.at - start <= MAX_LENGTH_IN_RANGE {
            return Ok(true);
        }
        let number = &self.bytes[start..self.at];
        if !is_out_of_range(number) {
            return Ok(true);
        }
        self.at = start;
        Err(out_of_range(number, self.at - self.line.start))
    }

    #[inline]
    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at > start
    }

    /// Creates the fault that something else is expected here.
    #[cold]
    pub fn expected(&self, what: &str) -> Fault {
        if self.at >= self.line.end {
            let whole = if BY_LINE { "line" } else { "object" };
            let fault = self.fault(Code::BadJson, format!("the {whole} ends where {what} should be"));
            return if BY_LINE {
                fault.help("write one object per line, the whole of it on that line, as `jq -c . FILE` does; `jq -c '.KEY[]' FILE` writes the objects of the list under a key")
            } else {
                fault
            };
        }
        let rest = &self.bytes[self.at..self.line.end];
        let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count().clamp(1, 16);
        self.fault(Code::BadJson, format!("found {} where {what} should be", quote(&rest[..length])))
    }

    #[cold]
    fn fault(&self, code: Code, message: impl Into<String>) -> Fault {
        Fault::new(code, self.at.min(self.line.end) - self.line.start, message)
    }
}

/// Returns two flags: the line has bytes above ASCII, and it has control characters.
#[inline]
fn odd_bytes(bytes: &[u8], line: ByteRange) -> (bool, bool) {
    const BLANKS: u64 = splat(b' ');
    let (mut high, mut control) = (0, 0);
    for at in (line.start..line.end).step_by(8) {
        let inside = low_bytes(u64::MAX, line.end - at);
        let word = (load(bytes, at) & inside) | (BLANKS & !inside);
        high |= word;
        // A byte below a blank borrows; one above ASCII is excluded by its own high bit.
        control |= word.wrapping_sub(BLANKS) & !word;
    }
    (high & splat(0x80) != 0, control & splat(0x80) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Result<(), Code> {
        let mut padded = text.as_bytes().to_vec();
        padded.extend(b"\n\"\\\n\"\"{}[],,:0");
        let mut scanner: Scanner<'_, true> = Scanner::new(&padded, ByteRange { start: 0, end: text.len() }).unwrap();
        scanner.skip_value().and_then(|()| scanner.end()).map_err(|fault| {
            assert!(fault.at() <= text.len());
            fault.code()
        })
    }

    #[test]
    fn json_is_accepted() {
        for text in [
            "0",
            "-0",
            "12",
            "-1.5",
            "1e9",
            "1E-9",
            "0.25e+3",
            "true",
            "false",
            "null",
            "\"\"",
            "\"abc\"",
            "\"éß\"",
            r#""\"\\\/\b\f\n\r\t\u0041\ud83d\ude00""#,
            "[]",
            "{}",
            "[ ]",
            "{ }",
            "[1, 2]",
            "[[],[[]],{}]",
            r#"{"a": {"b": [1, {"c": null}, "x"]}, "d": []}"#,
            r#"[{"a":1},{"b":2}]"#,
            "\"a longer string, no end in sight\"",
        ] {
            assert_eq!(scan(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for text in [
            "",
            "-",
            "01",
            "1.",
            ".5",
            "1e",
            "1e+",
            "+1",
            "0x1",
            "1_0",
            "--1",
            "truth",
            "tru",
            "nul",
            "True",
            "nulls",
            "\"",
            "\"\\",
            "\"\\\"",
            "\"a",
            r#""\x""#,
            r#""\u12""#,
            r#""\u12g4""#,
            r#""\ud800""#,
            r#""\ud800\u0041""#,
            r#""\udc00""#,
            "\"a\tb\"",
            "[",
            "]",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{",
            "}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\":1 \"b\":2}",
            "[1}",
            "{\"a\":1]",
            "1 2",
            "\"a\" \"b\"",
            "[] []",
            "'a'",
            "NaN",
            "Infinity",
            "\u{1}",
        ] {
            assert_eq!(scan(text), Err(Code::BadJson), "{text:?}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(scan(&nested(127)), Ok(()));
        assert_eq!(scan(&nested(128)), Err(Code::TooDeep));
        assert_eq!(scan(&"[".repeat(1_000_000)), Err(Code::TooDeep));
        assert_eq!(scan(&"{\"a\":".repeat(1_000_000)), Err(Code::TooDeep));
        assert_eq!(scan(&"[".repeat(100)), Err(Code::BadJson));
    }
}
