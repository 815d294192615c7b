// SPDX-License-Identifier: MIT OR Apache-2.0
//! Line and column of a byte of the input.

use std::fmt;

use memchr::{memchr_iter, memrchr};

/// A line and a column of the input, for messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1, in characters.
    pub column: u64,
}

impl Location {
    /// The beginning of an input.
    pub const START: Location = Location { line: 1, column: 1 };

    /// Returns the location `at` bytes into a text that begins line `first_line`.
    #[cold]
    pub fn within(first_line: u64, text: &[u8], at: usize) -> Location {
        Location { line: first_line, column: 1 }.after(&text[..at.min(text.len())])
    }

    /// Returns the location of the end of a text that begins here.
    #[inline]
    #[must_use]
    pub fn after(self, text: &[u8]) -> Location {
        const FEW: usize = 24;
        if text.len() > FEW {
            return self.after_many(text);
        }
        let Location { mut line, mut column } = self;
        for &byte in text {
            column += u64::from(byte & 0xC0 != 0x80);
            if byte == b'\n' {
                (line, column) = (line + 1, 1);
            }
        }
        Location { line, column }
    }

    #[inline(never)]
    fn after_many(self, text: &[u8]) -> Location {
        let characters = |text: &[u8]| text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64;
        match memrchr(b'\n', text) {
            None => Location { line: self.line, column: self.column + characters(text) },
            Some(last) => {
                let newlines = 1 + memchr_iter(b'\n', &text[..last]).count() as u64;
                Location { line: self.line + newlines, column: characters(&text[last + 1..]) + 1 }
            }
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
