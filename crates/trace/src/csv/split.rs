// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits a row into cells, whatever they contain. Reads more input at the end of the buffer.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

use gnomon_scan::{Buffer, ByteSource, Code, Fault};

/// The text of a cell, as offsets from the start of its row. Quotes around it are excluded, and so are blanks, unless
/// the cell is bare and comes from the fast path ([`CsvCell::trimmed`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CsvCell {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) quoting: Quoting,
    /// The value, for [`Quoting::Digits`].
    pub(super) number: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quoting {
    Bare,
    /// Bare, and nothing but digits; the value is known.
    Digits,
    Quoted,
    /// Quoted, with `""` inside.
    Doubled,
}

/// A cell and its end.
pub(super) struct SplitCell {
    pub(super) cell: CsvCell,
    /// The offset behind the separator or the newline, or the end of the input.
    pub(super) next: usize,
    /// True if a separator or a newline follows.
    pub(super) delimited: bool,
    /// True if it is the last cell of the row.
    pub(super) last: bool,
}

impl CsvCell {
    pub(super) fn new(start: usize, end: usize, quoting: Quoting) -> Self {
        // INVARIANT: a row is shorter than 2^32 bytes; see `MAX_ROW` of the buffer.
        CsvCell { start: start as u32, end: end as u32, quoting, number: 0 }
    }

    /// Creates a cell of digits.
    #[inline]
    pub(super) fn digits(start: usize, end: usize, number: i64) -> Self {
        CsvCell { number, ..CsvCell::new(start, end, Quoting::Digits) }
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the cell without blanks around it.
    #[inline]
    pub(super) fn trimmed(self, row: &[u8]) -> CsvCell {
        if self.quoting != Quoting::Bare {
            return self;
        }
        let (start, end) = trim(row, self.start as usize, self.end as usize);
        CsvCell::new(start, end, Quoting::Bare)
    }

    /// Returns the bytes in the row, `""` still doubled.
    pub(super) fn raw(self, row: &[u8]) -> &[u8] {
        &row[self.start as usize..self.end as usize]
    }

    /// Returns the content of the cell.
    pub(super) fn bytes(self, row: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.raw(row);
        if self.quoting != Quoting::Doubled {
            return Cow::Borrowed(raw);
        }
        let mut bytes = Vec::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(at) = memchr(b'"', rest) {
            bytes.extend_from_slice(&rest[..=at]);
            // INVARIANT: quotes come in pairs; `quoted` would have ended the cell at a single one.
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        bytes.extend_from_slice(rest);
        Cow::Owned(bytes)
    }
}

/// Splits off the cell that begins at this offset of the current row. `separator` is between cells.
pub(super) fn split<R: ByteSource>(buffer: &mut Buffer<R>, from: usize, separator: u8) -> Result<SplitCell, Fault> {
    let start = skip_blanks(buffer, from, separator)?;
    if buffer.row().get(start) == Some(&b'"') {
        return quoted(buffer, start, separator);
    }
    let mut at = start;
    loop {
        let row = buffer.row();
        if let Some(found) = memchr3(separator, b'\n', b'"', &row[at..]) {
            at += found;
            break;
        }
        at = row.len();
        if !buffer.read_more()? {
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
    let cell = CsvCell::new(start, at - blanks, Quoting::Bare);
    let delimited = found.is_some();
    Ok(SplitCell { cell, next: at + usize::from(delimited), delimited, last: found != Some(separator) })
}

/// Splits off the cell whose opening quote is here.
fn quoted<R: ByteSource>(buffer: &mut Buffer<R>, open: usize, separator: u8) -> Result<SplitCell, Fault> {
    let mut quoting = Quoting::Quoted;
    let mut at = open + 1;
    let end = loop {
        let row = buffer.row();
        let Some(found) = memchr(b'"', &row[at..]) else {
            at = row.len();
            if !buffer.read_more()? {
                return Err(Fault::new(Code::Quote, open, "this quote is not closed")
                    .help("close it; a quote inside a quoted cell is written twice"));
            }
            continue;
        };
        at += found + 1;
        if at == buffer.row().len() {
            buffer.read_more()?;
        }
        if buffer.row().get(at) != Some(&b'"') {
            break at - 1;
        }
        quoting = Quoting::Doubled;
        at += 1;
    };
    let after = skip_blanks(buffer, at, separator)?;
    let row = buffer.row();
    let last = match row.get(after) {
        Some(byte) if *byte == separator => false,
        Some(b'\n') | None => true,
        Some(_) => {
            return Err(Fault::new(Code::Quote, after, "text follows the closing quote of a cell")
                .help("a quote inside a quoted cell is written twice"));
        }
    };
    let delimited = after < row.len();
    Ok(SplitCell { cell: CsvCell::new(open + 1, end, quoting), next: after + usize::from(delimited), delimited, last })
}

/// Returns the first offset from here on that is not a blank.
fn skip_blanks<R: ByteSource>(buffer: &mut Buffer<R>, mut at: usize, separator: u8) -> Result<usize, Fault> {
    loop {
        match buffer.row().get(at).copied() {
            Some(byte) if is_blank(byte) && byte != separator => at += 1,
            None if buffer.read_more()? => {}
            _ => return Ok(at),
        }
    }
}

/// Returns true for blanks around a cell, the carriage return of a CRLF included.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Returns the range without blanks at both ends.
#[inline]
pub(super) fn trim(row: &[u8], start: usize, end: usize) -> (usize, usize) {
    let (mut start, end) = (start, end);
    let is_bare = |start: usize| start < end && !is_blank(row[start]) && !is_blank(row[end - 1]);
    // Nearly all cells have no blank, or one after the comma.
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
    use crate::decompressed_input::DecompressedInput;
    use crate::testing::SlowInput;

    fn cells(text: &str) -> Result<Vec<String>, Code> {
        let mut results = Vec::new();
        for step in [1, 2, 3, 1000] {
            let mut buffer = DecompressedInput::open(Box::new(SlowInput::new(text.as_bytes(), step)))
                .and_then(Buffer::open)
                .unwrap();
            let mut at = 0;
            let mut found = Vec::new();
            results.push(loop {
                match split(&mut buffer, at, b',') {
                    Ok(SplitCell { cell, next, last, .. }) => {
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
