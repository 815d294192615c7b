// SPDX-License-Identifier: MIT OR Apache-2.0
//! A question with a typed answer, and suggestions below it.

use crossterm::event::KeyCode;

use super::PageResult;
use super::screen::Screen;
use super::screen_page::{ScreenPage, cut, painted_lines};
use crate::failure::Failure;
use crate::paint::{Ink, Paint};
use crate::render::line::{sanitised, text_width};

/// Limit of suggestions shown at a time.
const MAX_SUGGESTIONS: usize = 8;

/// Returns a remark on the current text, with its colour.
pub(super) type Remark<'a> = &'a dyn Fn(&str) -> (Ink, String);

/// The form of a typed answer.
pub(super) struct InputForm<'a> {
    /// The lines above the question.
    pub(super) top: Vec<String>,
    pub(super) question: &'a str,
    pub(super) why: &'a str,
    /// The format of the answer.
    pub(super) hint: String,
    pub(super) suggestions: &'a [String],
    /// The initial text.
    pub(super) text: &'a str,
    /// The error of the last answer.
    pub(super) wrong: Option<String>,
    /// Comments on the text while it is typed.
    pub(super) remark: Option<Remark<'a>>,
}

/// The line being typed.
struct InputLine {
    letters: Vec<char>,
    cursor: usize,
}

/// Shows a form and returns the typed text.
pub(super) fn enter(screen: &mut Screen, form: &InputForm<'_>) -> PageResult<String> {
    let letters: Vec<char> = form.text.chars().collect();
    let mut line = InputLine { cursor: letters.len(), letters };
    let (mut marked, mut why) = (None, false);
    loop {
        let text = line.text();
        let matches = matching(form.suggestions, &text);
        marked = marked.filter(|marked| *marked < matches.len());
        draw(screen, form, &line, &matches, marked, why)?;
        match screen.key()? {
            KeyCode::Enter => {
                let chosen =
                    marked.and_then(|marked: usize| matches.get(marked)).map(|suggestion| (*suggestion).to_owned());
                return Ok(Some(chosen.unwrap_or(text)));
            }
            KeyCode::Tab => {
                if let Some(suggestion) = matches.get(marked.unwrap_or(0)) {
                    line = InputLine { letters: suggestion.chars().collect(), cursor: suggestion.chars().count() };
                    marked = None;
                }
            }
            KeyCode::Down if !matches.is_empty() => {
                marked = Some(marked.map_or(0, |marked| (marked + 1) % matches.len()));
            }
            KeyCode::Up if !matches.is_empty() => marked = marked.and_then(|marked| marked.checked_sub(1)),
            KeyCode::Left if line.letters.is_empty() => return Ok(None),
            KeyCode::Esc => return Ok(None),
            KeyCode::Char('?') if line.letters.is_empty() => why = !why,
            key => line.edit(key),
        }
    }
}

impl InputLine {
    fn text(&self) -> String {
        self.letters.iter().collect()
    }

    fn edit(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char(letter) => {
                self.letters.insert(self.cursor, letter);
                self.cursor += 1;
            }
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.letters.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.letters.len() => {
                self.letters.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.letters.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.letters.len(),
            _ => {}
        }
    }

    /// Returns the part around the cursor that fits into `columns`, and the column of the cursor.
    fn window(&self, columns: usize) -> (String, usize) {
        let width = |letters: &[char]| text_width(&letters.iter().collect::<String>());
        let mut start = 0;
        while width(&self.letters[start..self.cursor]) >= columns && start < self.cursor {
            start += 1;
        }
        let shown: String = self.letters[start..].iter().collect();
        (cut(&sanitised(&shown), columns), width(&self.letters[start..self.cursor]))
    }
}

/// Returns the suggestions that match the text: those that begin with it, then those that contain it.
fn matching<'s>(suggestions: &'s [String], typed: &str) -> Vec<&'s str> {
    let typed = typed.split('(').next().unwrap_or_default().trim().to_lowercase();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for suggestion in suggestions {
        let lower = suggestion.to_lowercase();
        if lower.starts_with(&typed) {
            first.push(suggestion.as_str());
        } else if lower.contains(&typed) {
            others.push(suggestion.as_str());
        }
    }
    first.append(&mut others);
    first
}

fn draw(
    screen: &mut Screen,
    form: &InputForm<'_>,
    line: &InputLine,
    matches: &[&str],
    marked: Option<usize>,
    why: bool,
) -> Result<(), Failure> {
    let (size, paint) = (screen.size(), screen.paint);
    let width = size.0 - 1;
    let mut body = painted_lines(form.question, width, "", Ink::Strong, paint);
    if why {
        body.extend(painted_lines(form.why, width, "  ", Ink::Doubtful, paint));
    }
    let (shown, column) = line.window(width - 3);
    let row = body.len();
    body.push(format!("{} {shown}", paint.ink(Ink::Good, ">")));
    match (&form.remark, &form.wrong) {
        (Some(remark), _) => {
            let (ink, text) = remark(&line.text());
            body.extend(painted_lines(&sanitised(&text), width, "  ", ink, paint));
        }
        (None, Some(wrong)) => body.extend(painted_lines(&sanitised(wrong), width, "", Ink::Bad, paint)),
        (None, None) => {}
    }
    body.extend(list(matches, marked, width, paint));
    body.extend(painted_lines(&form.hint, width, "  ", Ink::Frame, paint));
    let keys = if matches.is_empty() {
        "Enter answer   Esc back   ? why is this asked   Ctrl-C leave"
    } else {
        "Enter answer   ↓ Tab suggestions   Esc back   ? why   Ctrl-C leave"
    };
    let (lines, start) = ScreenPage { top: form.top.clone(), body, keys }.lines(size, paint);
    screen.draw(&lines, Some((column + 2, start + row)))
}

fn list(matches: &[&str], marked: Option<usize>, width: usize, paint: Paint) -> Vec<String> {
    let start = marked.map_or(0, |marked| (marked + 1).saturating_sub(MAX_SUGGESTIONS));
    let mut lines = Vec::new();
    for (index, suggestion) in matches.iter().enumerate().skip(start).take(MAX_SUGGESTIONS) {
        let suggestion = cut(&sanitised(suggestion), width - 4);
        let is_marked = marked == Some(index);
        lines.push(if is_marked {
            paint.ink(Ink::Good, &format!("  > {suggestion}"))
        } else {
            format!("    {suggestion}")
        });
    }
    let more = matches.len().saturating_sub(start + MAX_SUGGESTIONS);
    if more > 0 {
        lines.push(format!("    … and {more} more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited() {
        let mut line = InputLine { letters: "ac".chars().collect(), cursor: 2 };
        for key in [
            KeyCode::Left,
            KeyCode::Char('b'),
            KeyCode::End,
            KeyCode::Char('d'),
            KeyCode::Home,
            KeyCode::Delete,
            KeyCode::Backspace,
        ] {
            line.edit(key);
        }
        assert_eq!((line.text().as_str(), line.cursor), ("bcd", 0));
        let long = InputLine { letters: vec!['x'; 100], cursor: 100 };
        let (shown, column) = long.window(20);
        assert!(shown.len() <= 20 && column < 20, "{shown} {column}");
    }

    #[test]
    fn suggestions_begin_with_the_text_or_contain_it() {
        let names = ["popTask", "pushTask", "task"].map(str::to_owned);
        assert_eq!(matching(&names, "task"), ["task", "popTask", "pushTask"]);
        assert_eq!(matching(&names, "PU"), ["pushTask"]);
        assert_eq!(matching(&names, "pushTask(t"), ["pushTask"]);
        assert_eq!(matching(&names, "").len(), 3);
    }
}
