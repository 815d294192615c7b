// SPDX-License-Identifier: MIT OR Apache-2.0
//! One cell after the other, whatever it holds: the careful way, which reads on where the buffer ends.

use std::borrow::Cow;
use std::io::Read;

use memchr::{memchr, memchr3};

use crate::buffer::Buffer;
use crate::error::{Code, Fault};

/// Where a cell's text is, as offsets from the start of its row: quotes around it are left out, and so are blanks, unless
/// it is bare and was read the quick way ([`Cell::trimmed`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) quoting: Quoting,
    /// The number that [`Quoting::Digits`] make.
    pub(super) number: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quoting {
    Bare,
    /// Bare, and nothing but digits, whose number is known.
    Digits,
    Quoted,
    /// Quoted, with `""` inside.
    Doubled,
}

/// A cell, and what follows it.
pub(super) struct Split {
    pub(super) cell: Cell,
    /// The offset behind the comma or the newline, or of the end.
    pub(super) next: usize,
    /// Whether a comma or a newline was there.
    pub(super) delimited: bool,
    /// Whether the row ends here.
    pub(super) last: bool,
}

impl Cell {
    pub(super) fn new(start: usize, end: usize, quoting: Quoting) -> Self {
        // A row is far shorter than 2^32 bytes.
        Cell { start: start as u32, end: end as u32, quoting, number: 0 }
    }

    /// A cell of digits.
    #[inline]
    pub(super) fn digits(start: usize, end: usize, number: i64) -> Self {
        Cell { number, ..Cell::new(start, end, Quoting::Digits) }
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The same without blanks around it.
    #[inline]
    pub(super) fn trimmed(self, row: &[u8]) -> Cell {
        if self.quoting != Quoting::Bare {
            return self;
        }
        let (start, end) = trim(row, self.start as usize, self.end as usize);
        Cell::new(start, end, Quoting::Bare)
    }

    /// The bytes in the row, `""` still doubled.
    pub(super) fn raw(self, row: &[u8]) -> &[u8] {
        &row[self.start as usize..self.end as usize]
    }

    /// The bytes that are meant.
    pub(super) fn bytes(self, row: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.raw(row);
        if self.quoting != Quoting::Doubled {
            return Cow::Borrowed(raw);
        }
        let mut bytes = Vec::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(at) = memchr(b'"', rest) {
            bytes.extend_from_slice(&rest[..=at]);
            // Quotes come in pairs here: `quoted` would have ended the cell at a single one.
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        bytes.extend_from_slice(rest);
        Cow::Owned(bytes)
    }
}

/// Reads the cell that begins at this offset of the present row.
pub(super) fn split<R: Read>(buffer: &mut Buffer<R>, from: usize) -> Result<Split, Fault> {
    let start = skip_blanks(buffer, from)?;
    if buffer.row().get(start) == Some(&b'"') {
        return quoted(buffer, start);
    }
    let mut at = start;
    loop {
        let row = buffer.row();
        if let Some(found) = memchr3(b',', b'\n', b'"', &row[at..]) {
            at += found;
            break;
        }
        at = row.len();
        if !buffer.more()? {
            break;
        }
    }
    let row = buffer.row();
    let found = row.get(at).copied();
    if found == Some(b'"') {
        let help = "put the whole cell in quotes, and double the quotes inside: `\"say \"\"no\"\"\"`";
        return Err(Fault::new(Code::Quote, at, "a quote inside a cell that does not begin with one").help(help));
    }
    let blanks = row[start..at].iter().rev().take_while(|&&byte| is_blank(byte)).count();
    let cell = Cell::new(start, at - blanks, Quoting::Bare);
    let delimited = found.is_some();
    Ok(Split { cell, next: at + usize::from(delimited), delimited, last: found != Some(b',') })
}

/// The cell whose opening quote is here.
fn quoted<R: Read>(buffer: &mut Buffer<R>, open: usize) -> Result<Split, Fault> {
    let mut quoting = Quoting::Quoted;
    let mut at = open + 1;
    let end = loop {
        let row = buffer.row();
        let Some(found) = memchr(b'"', &row[at..]) else {
            at = row.len();
            if !buffer.more()? {
                return Err(Fault::new(Code::Quote, open, "this quote is not closed")
                    .help("close it; a quote inside a quoted cell is written twice"));
            }
            continue;
        };
        at += found + 1;
        if at == buffer.row().len() {
            buffer.more()?;
        }
        if buffer.row().get(at) != Some(&b'"') {
            break at - 1;
        }
        quoting = Quoting::Doubled;
        at += 1;
    };
    let after = skip_blanks(buffer, at)?;
    let row = buffer.row();
    let last = match row.get(after) {
        Some(b',') => false,
        Some(b'\n') | None => true,
        Some(_) => {
            return Err(Fault::new(Code::Quote, after, "text follows the closing quote of a cell")
                .help("a quote inside a quoted cell is written twice"));
        }
    };
    let delimited = after < row.len();
    Ok(Split { cell: Cell::new(open + 1, end, quoting), next: after + usize::from(delimited), delimited, last })
}

/// The first offset from here on that is no blank.
fn skip_blanks<R: Read>(buffer: &mut Buffer<R>, mut at: usize) -> Result<usize, Fault> {
    loop {
        match buffer.row().get(at).copied() {
            Some(byte) if is_blank(byte) => at += 1,
            None if buffer.more()? => {}
            _ => return Ok(at),
        }
    }
}

/// Blanks around a cell do not belong to it; the carriage return of a CRLF is one.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The text without blanks around it, as a range of the row.
#[inline]
pub(super) fn trim(row: &[u8], start: usize, end: usize) -> (usize, usize) {
    let (mut start, end) = (start, end);
    let is_bare = |start: usize| start < end && !is_blank(row[start]) && !is_blank(row[end - 1]);
    // Nearly all cells have no blank, or the one that CRV writes after a comma.
    start += usize::from(start < end && is_blank(row[start]));
    if is_bare(start) {
        return (start, end);
    }
    let text = &row[start..end];
    let leading = text.iter().take_while(|&&byte| is_blank(byte)).count();
    let trailing = text[leading..].iter().rev().take_while(|&&byte| is_blank(byte)).count();
    (start + leading, end - trailing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Trickle;

    fn cells(text: &str) -> Result<Vec<String>, Code> {
        let mut results = Vec::new();
        for step in [1, 2, 3, 1000] {
            let mut buffer = Buffer::open(Trickle::new(text.as_bytes(), step)).unwrap();
            let mut at = 0;
            let mut found = Vec::new();
            results.push(loop {
                match split(&mut buffer, at) {
                    Ok(Split { cell, next, last, .. }) => {
                        found.push(String::from_utf8(cell.bytes(buffer.row()).into_owned()).unwrap());
                        at = next;
                        if last {
                            break Ok(found);
                        }
                    }
                    Err(fault) => break Err(fault.code()),
                }
            });
        }
        assert!(results.iter().all(|result| *result == results[0]), "{text:?}");
        results.swap_remove(0)
    }

    #[test]
    fn cells_of_every_kind() {
        for (text, expected) in [
            ("", &[""][..]),
            ("a", &["a"]),
            ("a,b\nc", &["a", "b"]),
            ("a , b \r\n", &["a", "b"]),
            ("a,,", &["a", "", ""]),
            ("\"a,b\" , \"c\nd\"\n", &["a,b", "c\nd"]),
            ("\"say \"\"no\"\"\",x", &["say \"no\"", "x"]),
            ("\"\"\"\"", &["\""]),
            ("\"\",\" \"", &["", " "]),
            ("a b\tc\n", &["a b\tc"]),
            ("a\0,\0\n", &["a\0", "\0"]),
        ] {
            assert_eq!(cells(text).unwrap(), expected, "{text:?}");
        }
        for text in ["a\"b", "\"a", "\"a\"b", "\"a\"\"", "x,\"", "x,y\"\n"] {
            assert_eq!(cells(text), Err(Code::Quote), "{text:?}");
        }
    }
}
