// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON, pulled: whoever reads knows what should come, and what does not is passed over without building it.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::limits::Budget;

/// Objects and lists inside one another. Attributes are bounded more narrowly, by the limits.
const DEEPEST: usize = 200;

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    budget: Budget,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, budget: Budget) -> Self {
        Parser { text, at: 0, depth: 0, budget }
    }

    /// Where the next thing begins.
    pub(super) fn at(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    /// Takes in the span, or the note on one, that comes next; tells where it begins.
    pub(super) fn count_span(&mut self) -> Result<usize, Error> {
        let at = self.at();
        self.budget.span(at).map(|()| at)
    }

    /// Takes in the value that comes next, so deep in others.
    pub(super) fn count_value(&mut self, depth: usize) -> Result<(), Error> {
        let at = self.at();
        self.budget.value(at, depth)
    }

    /// Takes in the attribute that comes next, beside so many others.
    pub(super) fn count_attribute(&mut self, others: usize) -> Result<(), Error> {
        let at = self.at();
        self.budget.attribute(at, others)
    }

    /// What is left of the limits.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The first byte of the next thing; `None` at the end.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.byte()
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let blanks = rest.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\t' | b'\r'));
        self.at += blanks.unwrap_or(rest.len());
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[cold]
    fn expected(&self, what: &str) -> Error {
        match self.text[self.at..].chars().next() {
            None => Error::new(ErrorKind::Json, self.at, format!("the JSON ends where {what} should be"))
                .help("it may have been cut off; get all of it"),
            Some(other) => {
                let message = format!("`{}` stands where {what} should be", other.escape_debug());
                Error::new(ErrorKind::Json, self.at, message)
            }
        }
    }

    /// Like [`Parser::expected`], where a value of another type is well-formed JSON and still wrong.
    #[cold]
    fn mistyped(&mut self, what: &str) -> Error {
        match self.peek() {
            Some(b'"' | b'{' | b'[' | b't' | b'f' | b'0'..=b'9' | b'-') => {
                Error::new(ErrorKind::NotAnExport, self.at, format!("this is not {what}, as it must be in an export"))
            }
            _ => self.expected(what),
        }
    }

    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth <= DEEPEST {
            return Ok(());
        }
        Err(Error::new(ErrorKind::TooDeep, self.at, format!("objects and lists more than {DEEPEST} deep")))
    }

    /// Gives each member of an object, its key first, to `member`, which must take the value. Members that are null are
    /// left out: to protobuf null is absent.
    pub(super) fn object(&mut self, mut member: impl FnMut(&mut Self, &str) -> Result<(), Error>) -> Result<(), Error> {
        if !self.take(b'{') {
            return Err(self.mistyped("an object"));
        }
        self.enter()?;
        let mut is_first = true;
        while !self.take(b'}') {
            if !is_first && !self.take(b',') {
                return Err(self.expected("`,` or `}`"));
            }
            is_first = false;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key"));
            }
            let key = self.string()?;
            if !self.take(b':') {
                return Err(self.expected("`:`"));
            }
            if self.peek() == Some(b'n') {
                self.word("null")?;
            } else {
                member(self, &key)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Gives the place of each item of a list to `item`, which must take it.
    pub(super) fn array(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        if !self.take(b'[') {
            return Err(self.mistyped("a list"));
        }
        self.enter()?;
        let mut is_first = true;
        while !self.take(b']') {
            if !is_first && !self.take(b',') {
                return Err(self.expected("`,` or `]`"));
            }
            is_first = false;
            item(self)?;
        }
        self.depth -= 1;
        Ok(())
    }

    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        if !self.take(b'"') {
            return Err(self.mistyped("a string"));
        }
        let start = self.at;
        let mut text: Option<String> = None;
        let mut from = start;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)) else {
                return Err(Error::new(ErrorKind::Json, start - 1, "this string does not end")
                    .help("the JSON may have been cut off; get all of it"));
            };
            self.at += length;
            match rest[length] {
                b'"' => {
                    let last = &self.text[from..self.at];
                    self.at += 1;
                    return Ok(match text {
                        None => Cow::Borrowed(last),
                        Some(text) => Cow::Owned(text + last),
                    });
                }
                b'\\' => {
                    let whole = text.get_or_insert_default();
                    whole.push_str(&self.text[from..self.at]);
                    whole.push(self.escape()?);
                    from = self.at;
                }
                _ => return Err(self.expected("a character, and no control character,")),
            }
        }
    }

    /// The character that is escaped here.
    fn escape(&mut self) -> Result<char, Error> {
        let at = self.at;
        self.at += 2;
        Ok(match self.text.as_bytes().get(at + 1) {
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(*plain),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let high = self.unit().ok_or_else(|| bad_escape(at))?;
                let is_high = (0xD800..0xDC00).contains(&high);
                let before = self.at;
                let mut units = [high, 0];
                if is_high && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    units[1] = self.unit().ok_or_else(|| bad_escape(before))?;
                }
                let mut read = char::decode_utf16(units);
                // Half a pair stands for nothing, and what follows it for itself.
                read.next().and_then(Result::ok).unwrap_or_else(|| {
                    self.at = before;
                    char::REPLACEMENT_CHARACTER
                })
            }
            _ => return Err(bad_escape(at)),
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| !digits.starts_with('+'))?;
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }

    pub(super) fn boolean(&mut self) -> Result<bool, Error> {
        match self.peek() {
            Some(b't') => self.word("true").map(|()| true),
            Some(b'f') => self.word("false").map(|()| false),
            _ => Err(self.mistyped("`true` or `false`")),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Error> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    /// The digits of a number, or the text of a string.
    pub(super) fn number_or_string(&mut self) -> Result<Cow<'a, str>, Error> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'0'..=b'9' | b'-') => self.number().map(Cow::Borrowed),
            _ => Err(self.mistyped("a number")),
        }
    }

    fn number(&mut self) -> Result<&'a str, Error> {
        let rest = &self.text[self.at..];
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let digits = &rest[..rest.bytes().take_while(is_part).count()];
        if gnomon_core::number::Number::parse(digits).is_none() {
            return Err(self.expected("a number"));
        }
        self.at += digits.len();
        Ok(digits)
    }

    /// Passes over a value, whatever it is.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'{') => self.object(|parser, _| parser.skip()),
            Some(b'[') => self.array(Parser::skip),
            Some(b'"') => self.string().map(drop),
            Some(b't' | b'f') => self.boolean().map(drop),
            Some(b'n') => self.word("null"),
            Some(b'0'..=b'9' | b'-') => self.number().map(drop),
            _ => Err(self.expected("a value")),
        }
    }

    /// Demands that nothing follows.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("nothing more")) }
    }
}

#[cold]
fn bad_escape(at: usize) -> Error {
    Error::new(ErrorKind::Json, at, "this escape is not one of JSON")
}
