// SPDX-License-Identifier: MIT OR Apache-2.0
//! The logs of `MonPoly`; see `monpoly/FORMAT.md`.

mod read;
mod tuple;
mod write;

pub use read::MonpolyReader;
pub use write::MonpolyWriter;

/// Returns the name of the argument at this index. Arguments have positions only, but other formats need names.
pub(crate) fn argument_name(index: usize) -> String {
    format!("arg{}", index + 1)
}

/// Returns the index of the argument with this name.
pub(crate) fn argument_index(name: &str) -> Option<usize> {
    let digits = name.strip_prefix("arg").filter(|digits| !digits.starts_with(['0', '+']))?;
    digits.parse::<usize>().ok()?.checked_sub(1)
}

/// Returns true if a byte belongs to a word: a name, a number or a text without quotes.
const fn in_word(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b',' | b'"' | b';' | b'@' | b'#' | b'<' | b'>')
}
