// SPDX-License-Identifier: MIT OR Apache-2.0
//! One line of a source as it appears on a screen: tabs spread, wide characters counted twice, control characters
//! made harmless, endless lines cut around the place that matters.

const TAB: usize = 4;
/// Lines wider than this are cut.
const WIDEST: usize = 160;
/// How much of a cut line stands before the place that matters.
const LEAD: usize = 60;

/// A line ready to print, and where each of its bytes went.
pub struct Line {
    /// What is printed.
    pub text: String,
    /// For each byte of the original, and for its end, the column it is drawn at.
    columns: Vec<usize>,
}

impl Line {
    /// Prepares a line; `focus` is the byte around which it is cut if it is too wide.
    pub fn new(original: &str, focus: usize) -> Line {
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
        if column <= WIDEST {
            return Line { text: drawn.into_iter().map(|(_, character, _)| character).collect(), columns };
        }
        cut(&drawn, columns, focus)
    }

    /// The column of a byte of the original line.
    pub fn column(&self, byte: usize) -> usize {
        self.columns[byte.min(self.columns.len() - 1)]
    }
}

fn cut(drawn: &[(usize, char, usize)], columns: Vec<usize>, focus: usize) -> Line {
    let focus = columns[focus.min(columns.len() - 1)];
    let first = focus.saturating_sub(LEAD);
    let last = first + WIDEST;
    let kept = drawn.iter().filter(|(column, _, width)| *column >= first && column + width <= last);
    let lead = usize::from(first > 0);
    let mut text: String = if first > 0 { "…".to_owned() } else { String::new() };
    text.extend(kept.map(|(_, character, _)| *character));
    if drawn.last().is_some_and(|(column, _, width)| column + width > last) {
        text.push('…');
    }
    let columns = columns.into_iter().map(|column| column.clamp(first, last) - first + lead).collect();
    Line { text, columns }
}

/// Characters that would steer the terminal, or turn the direction of the text, are replaced.
fn harmless(character: char) -> char {
    match character {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        other if other.is_control() => '\u{fffd}',
        other => other,
    }
}

/// Makes any text fit to stand on one line of a terminal.
pub fn sanitised(text: &str) -> String {
    text.chars().map(|character| if character == '\t' { ' ' } else { harmless(character) }).collect()
}

/// How many columns a text takes.
pub fn text_width(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// Combining marks take no column, East Asian wide characters and pictographs two. The ranges are the common blocks
/// of Unicode's East Asian Width table: a character missed moves a caret by one column, nothing worse.
fn width(character: char) -> usize {
    match character {
        '\u{0300}'..='\u{036f}'
        | '\u{0483}'..='\u{0489}'
        | '\u{0591}'..='\u{05bd}'
        | '\u{064b}'..='\u{065f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{feff}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_wide_characters_move_columns() {
        let line = Line::new("\ta支é!", 0);
        assert_eq!(line.text, "    a支é!");
        assert_eq!([0, 1, 2, 5, 7, 8].map(|byte| line.column(byte)), [0, 4, 5, 7, 8, 9]);
    }

    #[test]
    fn a_terminal_is_not_steered() {
        assert_eq!(Line::new("a\x1b[2Jb", 0).text, "a\u{fffd}[2Jb");
        assert_eq!(sanitised("a\tb\u{202e}\n"), "a b\u{fffd}\u{fffd}");
    }

    #[test]
    fn an_endless_line_is_cut_around_the_place() {
        let original = format!("{}HERE{}", "a".repeat(5_000), "b".repeat(5_000));
        let line = Line::new(&original, 5_000);
        let column = line.column(5_000);
        assert!(text_width(&line.text) <= WIDEST + 2);
        assert_eq!(line.text.chars().skip(column).take(4).collect::<String>(), "HERE");
        assert_eq!(line.column(5_004), column + 4);
        assert!(line.text.starts_with('…') && line.text.ends_with('…'));
    }
}
