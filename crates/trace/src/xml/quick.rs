// SPDX-License-Identifier: MIT OR Apache-2.0
//! The quick way over a part of an event that is written as nearly all are: no attributes, no comments, no CDATA, all
//! of it in the buffer. It reads eight bytes at a time and changes nothing; what it does not understand at sight it
//! leaves to the tokens.

use super::read::Part;
use crate::markup::Content;
use crate::scan::{first, keep, load, mark, skip_space, splat};
use crate::stretch::Stretch;

const NAME: Word = Word::new(b"<name>");
const NAME_END: Word = Word::new(b"</name>");
const FIELD: Word = Word::new(b"<field>");
const FIELD_END: Word = Word::new(b"</field>");
const VALUE: Word = Word::new(b"<value>");
const VALUE_END: Word = Word::new(b"</value>");
const EVENT_END: Word = Word::new(b"</event>");

/// A tag of at most eight bytes.
struct Word {
    bytes: u64,
    length: usize,
}

impl Word {
    const fn new(text: &[u8]) -> Word {
        let mut bytes = [0; 8];
        let mut index = 0;
        while index < text.len() {
            bytes[index] = text[index];
            index += 1;
        }
        Word { bytes: u64::from_le_bytes(bytes), length: text.len() }
    }

    /// The offset behind this tag, if it stands at an offset.
    #[inline]
    fn after(&self, bytes: &[u8], at: usize) -> Option<usize> {
        (keep(load(bytes, at), self.length) == self.bytes).then_some(at + self.length)
    }
}

/// What comes next in an event.
pub(super) enum Next {
    Part(Part),
    End,
}

/// What begins at this offset of a row, and where it ends. Bytes behind the row are zeros, which no tag has.
#[inline]
pub(super) fn next(bytes: &[u8], at: usize) -> Option<(Next, usize)> {
    let at = skip_space(bytes, at);
    if let Some(at) = FIELD.after(bytes, at) {
        let at = NAME.after(bytes, skip_space(bytes, at))?;
        let (name, at) = text(bytes, at)?;
        let at = NAME_END.after(bytes, at)?;
        let at = VALUE.after(bytes, skip_space(bytes, at))?;
        let (value, at) = text(bytes, at)?;
        let at = VALUE_END.after(bytes, at)?;
        let at = FIELD_END.after(bytes, skip_space(bytes, at))?;
        return Some((Next::Part(Part::Field(name, value)), at));
    }
    if let Some(at) = NAME.after(bytes, at) {
        let (name, at) = text(bytes, at)?;
        return Some((Next::Part(Part::Name(name)), NAME_END.after(bytes, at)?));
    }
    EVENT_END.after(bytes, at).map(|at| (Next::End, at))
}

/// The text that begins here, if it is meant as it is written and has no blanks at its ends.
#[inline]
fn text(bytes: &[u8], start: usize) -> Option<(Content, usize)> {
    const BLANKS: u64 = splat(b' ');
    let mut at = start;
    loop {
        let word = load(bytes, at);
        // Bytes below a blank borrow; those above ASCII are left out by their own high bit. Padding counts as such.
        let control = word.wrapping_sub(BLANKS) & !word & splat(0x80);
        let marks = mark(word, splat(b'<')) | mark(word, splat(b'&')) | control;
        at += first(marks);
        if marks != 0 {
            break;
        }
    }
    let plain = bytes[at] == b'<' && (at == start || (bytes[start] != b' ' && bytes[at - 1] != b' '));
    plain.then_some((Content { inside: Stretch { start, end: at }, plain: true }, at))
}
