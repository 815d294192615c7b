// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fits a page on the screen, and breaks text into lines.

use crate::paint::{Ink, Paint};
use crate::render::line::text_width;

/// The parts of a page, from top to bottom.
pub(super) struct ScreenPage {
    /// The answers so far; the oldest lines are dropped if there is no room.
    pub(super) top: Vec<String>,
    /// The question with its answers.
    pub(super) body: Vec<String>,
    /// The keys that can be pressed.
    pub(super) keys: &'static str,
}

impl ScreenPage {
    /// Returns the lines of the page, and the row at which the body begins.
    pub(super) fn lines(self, (columns, rows): (usize, usize), paint: Paint) -> (Vec<String>, usize) {
        let keys = wrap(self.keys, columns - 1);
        let room = rows.saturating_sub(self.body.len() + keys.len() + 2);
        let left_out = self.top.len().saturating_sub(room);
        let mut lines: Vec<String> = self.top.into_iter().skip(left_out).map(|line| cut(&line, columns - 1)).collect();
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let start = lines.len();
        lines.extend(self.body);
        lines.truncate(rows.saturating_sub(keys.len() + 1));
        lines.push(String::new());
        lines.extend(keys.iter().map(|line| paint.ink(Ink::Frame, line)));
        (lines, start)
    }
}

/// Breaks a text into lines of at most `columns`, between words if possible.
pub(in crate::ask) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let room = columns.saturating_sub(text_width(&line) + usize::from(!line.is_empty()));
            if text_width(word) > room && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            for letter in word.chars() {
                if text_width(&line) >= columns {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(letter);
            }
        }
        lines.push(line);
    }
    lines
}

/// Breaks a text into indented lines of at most `columns`, and colours them.
pub(super) fn painted_lines(text: &str, columns: usize, indent: &str, ink: Ink, paint: Paint) -> Vec<String> {
    let lines = wrap(text, columns - indent.len());
    lines.iter().map(|line| format!("{indent}{}", paint.ink(ink, line))).collect()
}

/// Cuts a line to `columns`. Colour codes have no width.
pub(super) fn cut(line: &str, columns: usize) -> String {
    let (mut out, mut width, mut is_colour) = (String::new(), 0, false);
    for letter in line.chars() {
        is_colour |= letter == '\x1b';
        if is_colour {
            is_colour = letter != 'm';
        } else {
            width += text_width(letter.encode_utf8(&mut [0; 4]));
            if width > columns {
                continue;
            }
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_between_words() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrap("one\n\ntwo", 10), ["one", "", "two"]);
        assert_eq!(cut("\x1b[1mabcdef\x1b[0m", 3), "\x1b[1mabc\x1b[0m");
    }

    #[test]
    fn old_answers_are_dropped_first() {
        let top = (0..30).map(|number| number.to_string()).collect();
        let page = ScreenPage { top, body: vec!["question".to_owned(); 10], keys: "keys" };
        let (lines, start) = page.lines((80, 24), Paint::PLAIN);
        assert!(lines.len() <= 24, "{}", lines.len());
        assert_eq!((lines[start].as_str(), lines[start - 2].as_str()), ("question", "29"));
        assert_eq!(lines.last().map(String::as_str), Some("keys"));
    }
}
