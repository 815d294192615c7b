// SPDX-License-Identifier: MIT OR Apache-2.0
//! The quick way over an attribute that is written as nearly all are: `<string key="…" value="…"/>`, all of it in the
//! buffer. It changes nothing; what it does not understand at sight it leaves to the tokens.

use super::attribute::{Attribute, Type};
use crate::markup::Content;
use crate::scan::{first, keep, load, mark, skip_space, splat};
use crate::stretch::Stretch;

const KEY: u64 = u64::from_le_bytes(*b" key=\"\0\0");
const VALUE: u64 = u64::from_le_bytes(*b" value=\"");
const EVENT_END: u64 = u64::from_le_bytes(*b"</event>");

/// What comes next in an event.
pub(super) enum Next {
    Attribute(Attribute),
    End,
}

/// What begins at this offset of a row, and where it ends. Bytes behind the row are zeros, which no tag has.
#[inline]
pub(super) fn next(bytes: &[u8], at: usize) -> Option<(Next, usize)> {
    let start = skip_space(bytes, at);
    let word = load(bytes, start);
    if word == EVENT_END {
        return Some((Next::End, start + 8));
    }
    let (kind, length) = kind(word)?;
    let at = start + length;
    if keep(load(bytes, at), 6) != KEY {
        return None;
    }
    let (key, at) = quoted(bytes, at + 6)?;
    if load(bytes, at) != VALUE {
        return None;
    }
    let (value, at) = quoted(bytes, at + 8)?;
    if keep(load(bytes, at), 2) != u64::from(u16::from_le_bytes(*b"/>")) {
        return None;
    }
    let element = Stretch { start, end: at + 2 };
    Some((Next::Attribute(Attribute { kind, key, value, element }), at + 2))
}

/// The type that the tag in a word begins with, and how long that beginning is.
#[inline]
fn kind(word: u64) -> Option<(Type, usize)> {
    const STRING: u64 = u64::from_le_bytes(*b"<string\0");
    const DATE: u64 = u64::from_le_bytes(*b"<date\0\0\0");
    const INT: u64 = u64::from_le_bytes(*b"<int\0\0\0\0");
    const FLOAT: u64 = u64::from_le_bytes(*b"<float\0\0");
    const BOOLEAN: u64 = u64::from_le_bytes(*b"<boolean");
    if keep(word, 7) == STRING {
        Some((Type::Text, 7))
    } else if keep(word, 5) == DATE {
        Some((Type::Text, 5))
    } else if keep(word, 4) == INT {
        Some((Type::Number, 4))
    } else if keep(word, 6) == FLOAT {
        Some((Type::Number, 6))
    } else if word == BOOLEAN {
        Some((Type::Boolean, 8))
    } else {
        None
    }
}

/// The text up to the closing quote, if it is meant as it is written, and the offset behind that quote.
#[inline]
fn quoted(bytes: &[u8], start: usize) -> Option<(Content, usize)> {
    const BLANKS: u64 = splat(b' ');
    let mut at = start;
    loop {
        let word = load(bytes, at);
        // Bytes below a blank borrow; those above ASCII are left out by their own high bit. Padding counts as such.
        let control = word.wrapping_sub(BLANKS) & !word & splat(0x80);
        let marks = mark(word, splat(b'"')) | mark(word, splat(b'&')) | control;
        at += first(marks);
        if marks != 0 {
            break;
        }
    }
    (bytes[at] == b'"').then_some((Content { inside: Stretch { start, end: at }, plain: true }, at + 1))
}
