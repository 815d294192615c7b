// SPDX-License-Identifier: MIT OR Apache-2.0
//! One line of a source as it appears on a screen: tabs expanded, wide characters counted twice, control characters
//! replaced, long lines cut around the location that matters.

use unicode_width::UnicodeWidthChar;

const TAB: usize = 4;
/// Lines wider than this are cut.
const MAX_WIDTH: usize = 160;
/// The columns of the ellipses at both ends of a cut line.
const ELLIPSES: usize = 2;

/// A line ready to print, with the column of each byte.
pub struct DisplayLine {
    /// The printed text.
    pub text: String,
    /// For each byte of the original, and for its end, the column.
    columns: Vec<usize>,
}

impl DisplayLine {
    /// Prepares a line. A line that is wider than `room` columns, or than 160, is cut around the byte `focus`.
    pub fn new(original: &str, focus: usize, room: Option<usize>) -> DisplayLine {
        let most = room.map_or(MAX_WIDTH, |room| room.saturating_sub(ELLIPSES).clamp(1, MAX_WIDTH));
        let mut columns = Vec::with_capacity(original.len() + 1);
        let mut drawn: Vec<(usize, char, usize)> = Vec::with_capacity(original.len());
        let mut column = 0;
        for character in original.chars() {
            columns.extend(std::iter::repeat_n(column, character.len_utf8()));
            if character == '\t' {
                let spaces = TAB - column % TAB;
                drawn.extend((0..spaces).map(|offset| (column + offset, ' ', 1)));
                column += spaces;
            } else {
                let shown = harmless(character);
                drawn.push((column, shown, width(shown)));
                column += width(shown);
            }
        }
        columns.push(column);
        if column <= most {
            return DisplayLine { text: drawn.into_iter().map(|(_, character, _)| character).collect(), columns };
        }
        cut(&drawn, columns, focus, most)
    }

    /// Returns the column of a byte of the original line.
    pub fn column(&self, byte: usize) -> usize {
        self.columns[byte.min(self.columns.len() - 1)]
    }
}

fn cut(drawn: &[(usize, char, usize)], columns: Vec<usize>, focus: usize, most: usize) -> DisplayLine {
    let focus = columns[focus.min(columns.len() - 1)];
    // Three eighths of the line precede the location that matters.
    let first = focus.saturating_sub(most * 3 / 8);
    let last = first + most;
    let kept = drawn.iter().filter(|(column, _, width)| *column >= first && column + width <= last);
    let lead = usize::from(first > 0);
    let mut text: String = if first > 0 { "…".to_owned() } else { String::new() };
    text.extend(kept.map(|(_, character, _)| *character));
    if drawn.last().is_some_and(|(column, _, width)| column + width > last) {
        text.push('…');
    }
    let columns = columns.into_iter().map(|column| column.clamp(first, last) - first + lead).collect();
    DisplayLine { text, columns }
}

/// Replaces characters that would control the terminal or change the direction of the text.
fn harmless(character: char) -> char {
    match character {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        other if other.is_control() => '\u{fffd}',
        other => other,
    }
}

/// Makes a text safe to print on one line of a terminal.
pub fn sanitised(text: &str) -> String {
    text.chars().map(|character| if character == '\t' { ' ' } else { harmless(character) }).collect()
}

/// Wraps a text between words so that lines have at most `width` columns; further lines begin with `indent`. A longer word has a
/// line of its own. Colours take no columns.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for (index, word) in text.split(' ').enumerate() {
        let own = word.split('\x1b').enumerate().map(|(index, part)| match part.split_once('m') {
            Some((_, rest)) if index > 0 => text_width(rest),
            _ => text_width(part),
        });
        let own: usize = own.sum();
        if index > 0 && column + 1 + own > width {
            out.push('\n');
            out.push_str(indent);
            column = text_width(indent);
        } else if index > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += own;
    }
    out
}

/// Wraps each line of a text, with the indentation of the line.
pub fn wrap_lines(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        let wrapped = wrap(rest, width.saturating_sub(indent.len()), "");
        for line in wrapped.split('\n') {
            out.push_str(if line.is_empty() { "" } else { indent });
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// Shortens a text to `width` columns, with an ellipsis.
pub fn shorten(text: &str, width: usize) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut column = 0;
    let fits = |character: &char| {
        column += self::width(*character);
        column < width
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// Returns the width of a text in columns.
pub fn text_width(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// Returns the width of a character in columns: combining marks 0, East Asian wide characters and pictographs 2.
fn width(character: char) -> usize {
    UnicodeWidthChar::width(character).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_wide_characters_move_columns() {
        let line = DisplayLine::new("\ta支é!", 0, None);
        assert_eq!(line.text, "    a支é!");
        assert_eq!([0, 1, 2, 5, 7, 8].map(|byte| line.column(byte)), [0, 4, 5, 7, 8, 9]);
    }

    #[test]
    fn texts_are_wrapped_and_shortened() {
        assert_eq!(wrap("one two three", 9, "  "), "one two\n  three");
        assert_eq!(wrap("支支 支支 unbreakable x", 9, ""), "支支 支支\nunbreakable\nx");
        assert_eq!(wrap("\x1b[1m  = \x1b[0mone two", 8, "    "), "\x1b[1m  = \x1b[0mone\n    two");
        assert_eq!(wrap("\x1b[1;31mone two\x1b[0m three", 9, "  "), "\x1b[1;31mone two\x1b[0m\n  three");
        assert_eq!(wrap_lines("a b\n\n  one two three\n", 9), "a b\n\n  one two\n  three\n");
        assert_eq!((wrap("", 9, "  "), shorten("", 3)), (String::new(), String::new()));
        assert_eq!([shorten("abcd", 4), shorten("abcde", 4), shorten("a bcd", 3)], ["abcd", "abc…", "a…"]);
        assert_eq!(shorten("支支支", 4), "支…");
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(DisplayLine::new("a\x1b[2Jb", 0, None).text, "a\u{fffd}[2Jb");
        assert_eq!(sanitised("a\tb\u{202e}\n"), "a b\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_focus() {
        let original = format!("{}HERE{}", "a".repeat(5_000), "b".repeat(5_000));
        for (room, widest) in [(None, MAX_WIDTH + ELLIPSES), (Some(40), 40), (Some(500), MAX_WIDTH + ELLIPSES)] {
            let line = DisplayLine::new(&original, 5_000, room);
            let column = line.column(5_000);
            assert!(text_width(&line.text) <= widest, "{room:?}");
            assert_eq!(line.text.chars().skip(column).take(4).collect::<String>(), "HERE");
            assert_eq!(line.column(5_004), column + 4);
            assert!(line.text.starts_with('…') && line.text.ends_with('…'));
        }
    }
}
