// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colours on a terminal.

use std::io::IsTerminal;

/// The role of a piece of text, which determines its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// An error, a violation.
    Bad,
    /// A warning, an undecided verdict.
    Doubtful,
    /// A verdict that holds.
    Good,
    /// Line numbers, rules, arrows, remarks.
    Frame,
    /// The line to read first.
    Strong,
}

/// Applies colours, or leaves text plain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Plain text.
    pub const PLAIN: Paint = Paint { on: false };

    /// Uses colours if the stream is a terminal and the user has not refused them (`NO_COLOR`, `TERM=dumb`).
    pub fn for_stream(stream: &impl IsTerminal) -> Paint {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Paint { on: stream.is_terminal() && !refused }
    }

    /// Returns the text in its colour.
    pub fn ink(self, ink: Ink, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Bad => "1;31",
            Ink::Doubtful => "1;33",
            Ink::Good => "1;32",
            Ink::Frame => "1;34",
            Ink::Strong => "1",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paint_leaves_text_alone() {
        assert_eq!(Paint::PLAIN.ink(Ink::Bad, "no"), "no");
        assert_eq!(Paint { on: true }.ink(Ink::Bad, "no"), "\x1b[1;31mno\x1b[0m");
    }
}
