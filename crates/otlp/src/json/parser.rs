// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pull parser for exports in JSON: the caller knows what to expect, and the rest is skipped without being built.

use std::borrow::Cow;

use gnomon_scan::json::{Scanner, text};
use gnomon_scan::{Code, Fault};

use crate::limits::DecodeBudget;

pub(super) struct Parser<'a> {
    text: &'a str,
    scanner: Scanner<'a, false>,
    budget: DecodeBudget,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, budget: DecodeBudget) -> Self {
        Parser { text, scanner: Scanner::of_text(text), budget }
    }

    /// Returns the offset of the next value.
    pub(super) fn at(&mut self) -> usize {
        self.scanner.skip_blanks();
        self.scanner.at()
    }

    /// Counts the next span, or event on a span. Returns its offset.
    pub(super) fn count_span(&mut self) -> Result<usize, Fault> {
        let at = self.at();
        self.budget.span(at).map(|()| at)
    }

    /// Counts the next value at this depth.
    pub(super) fn count_value(&mut self, depth: usize) -> Result<(), Fault> {
        let at = self.at();
        self.budget.value(at, depth)
    }

    /// Counts the next attribute besides `others`.
    pub(super) fn count_attribute(&mut self, others: usize) -> Result<(), Fault> {
        let at = self.at();
        self.budget.attribute(at, others)
    }

    /// Returns the remaining budget.
    pub(super) fn budget(&self) -> &DecodeBudget {
        &self.budget
    }

    /// Returns the first byte of the next value; 0 at the end.
    pub(super) fn peek(&mut self) -> u8 {
        self.scanner.skip_blanks();
        self.scanner.peek()
    }

    fn take(&mut self, byte: u8, what: &str) -> Result<(), Fault> {
        self.scanner.skip_blanks();
        if self.scanner.take(byte) { Ok(()) } else { Err(self.mistyped(what)) }
    }

    /// Returns the fault for a value of another type, which is well-formed JSON but not an export.
    #[cold]
    fn mistyped(&mut self, what: &str) -> Fault {
        match self.peek() {
            b'"' | b'{' | b'[' | b't' | b'f' | b'0'..=b'9' | b'-' => {
                let message = format!("this is not {what}, as it must be in an export");
                Fault::new(Code::NotAnExport, self.scanner.at(), message)
            }
            _ => self.scanner.expected(what),
        }
    }

    /// Calls `member` with each key of an object; it must consume the value. Null members are skipped: in protobuf
    /// null means absent. Callers bound the recursion by counting values.
    pub(super) fn object(&mut self, mut member: impl FnMut(&mut Self, &str) -> Result<(), Fault>) -> Result<(), Fault> {
        self.take(b'{', "an object")?;
        let mut is_first = true;
        while let Some(key) = self.scanner.next_key(is_first)? {
            is_first = false;
            if self.peek() == b'n' {
                self.skip()?;
            } else {
                member(self, &text(self.text.as_bytes(), key))?;
            }
        }
        Ok(())
    }

    /// Calls `item` at each item of a list; it must consume the item.
    pub(super) fn array(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.take(b'[', "a list")?;
        let mut is_first = true;
        while self.scanner.next_item(is_first)? {
            is_first = false;
            item(self)?;
        }
        Ok(())
    }

    /// Appends the items of a list; `item` must consume each.
    pub(super) fn list<T>(
        &mut self,
        into: &mut Vec<T>,
        mut item: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<(), Fault> {
        self.array(|parser| {
            into.push(item(parser)?);
            Ok(())
        })
    }

    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.take(b'"', "a string")?;
        Ok(text(self.text.as_bytes(), self.scanner.string()?))
    }

    pub(super) fn boolean(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            first @ (b't' | b'f') => self.skip().map(|()| first == b't'),
            _ => Err(self.mistyped("`true` or `false`")),
        }
    }

    /// Returns the digits of a number, or the text of a string.
    pub(super) fn number_or_string(&mut self) -> Result<Cow<'a, str>, Fault> {
        match self.peek() {
            b'"' => self.string(),
            b'0'..=b'9' | b'-' => {
                let start = self.scanner.at();
                self.skip()?;
                Ok(Cow::Borrowed(&self.text[start..self.scanner.at()]))
            }
            _ => Err(self.mistyped("a number")),
        }
    }

    /// Skips a value.
    pub(super) fn skip(&mut self) -> Result<(), Fault> {
        self.scanner.skip_blanks();
        self.scanner.skip_value()
    }

    /// Checks that nothing follows.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        if self.at() == self.text.len() { Ok(()) } else { Err(self.scanner.expected("nothing more")) }
    }
}
