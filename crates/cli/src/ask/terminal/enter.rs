// SPDX-License-Identifier: MIT OR Apache-2.0
//! A question whose answer is typed, with what could be typed below it.

use super::Said;
use super::page::{Page, cut, wrap};
use super::screen::{Key, Screen};
use crate::failure::Failure;
use crate::paint::{Ink, Paint};
use crate::render::line::{sanitised, text_width};

/// How many suggestions are shown.
const SHOWN: usize = 8;

/// Says something about a text.
pub(super) type Remark<'a> = &'a dyn Fn(&str) -> (Ink, String);

/// What is asked for.
pub(super) struct Form<'a> {
    /// What stands above the question.
    pub(super) top: Vec<String>,
    pub(super) question: &'a str,
    pub(super) why: &'a str,
    /// How to type it.
    pub(super) hint: String,
    /// What could be typed.
    pub(super) suggestions: &'a [String],
    /// What stands there at first.
    pub(super) text: &'a str,
    /// What was wrong with the last answer.
    pub(super) wrong: Option<String>,
    /// What is said about the text as it stands.
    pub(super) remark: Option<Remark<'a>>,
}

/// A line that is being typed.
struct Line {
    letters: Vec<char>,
    cursor: usize,
}

/// Lets somebody type.
pub(super) fn enter(screen: &mut Screen, form: &Form<'_>) -> Result<Said<String>, Failure> {
    let letters: Vec<char> = form.text.chars().collect();
    let mut line = Line { cursor: letters.len(), letters };
    let (mut marked, mut why) = (None, false);
    loop {
        let text = line.text();
        let offers = matching(form.suggestions, &text);
        marked = marked.filter(|marked| *marked < offers.len());
        draw(screen, form, &line, &offers, marked, why)?;
        match screen.key()? {
            Key::Enter => {
                let chosen = marked.and_then(|marked: usize| offers.get(marked)).map(|offer| (*offer).to_owned());
                return Ok(Said::Answer(chosen.unwrap_or(text)));
            }
            Key::Tab => {
                if let Some(offer) = offers.get(marked.unwrap_or(0)) {
                    line = Line { letters: offer.chars().collect(), cursor: offer.chars().count() };
                    marked = None;
                }
            }
            Key::Down if !offers.is_empty() => marked = Some(marked.map_or(0, |marked| (marked + 1) % offers.len())),
            Key::Up if !offers.is_empty() => marked = marked.and_then(|marked| marked.checked_sub(1)),
            Key::Backspace | Key::Left if line.letters.is_empty() => return Ok(Said::Back),
            Key::Escape => return Ok(Said::Back),
            Key::Letter('?') if line.letters.is_empty() => why = !why,
            Key::Leave => return Ok(Said::Leave),
            key => line.edit(key),
        }
    }
}

impl Line {
    fn text(&self) -> String {
        self.letters.iter().collect()
    }

    fn edit(&mut self, key: Key) {
        match key {
            Key::Letter(letter) => {
                self.letters.insert(self.cursor, letter);
                self.cursor += 1;
            }
            Key::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.letters.remove(self.cursor);
            }
            Key::Delete if self.cursor < self.letters.len() => {
                self.letters.remove(self.cursor);
            }
            Key::Left => self.cursor = self.cursor.saturating_sub(1),
            Key::Right => self.cursor = (self.cursor + 1).min(self.letters.len()),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = self.letters.len(),
            _ => {}
        }
    }

    /// The part around the cursor that fits into so many columns, and the column of the cursor.
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

/// The suggestions that fit what is typed: those that begin with it, then those that contain it.
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
    form: &Form<'_>,
    line: &Line,
    offers: &[&str],
    marked: Option<usize>,
    why: bool,
) -> Result<(), Failure> {
    let (size, paint) = (screen.size(), screen.paint);
    let width = size.0 - 1;
    let mut body: Vec<String> = wrap(form.question, width).iter().map(|line| paint.ink(Ink::Strong, line)).collect();
    if why {
        body.extend(wrap(form.why, width - 2).iter().map(|line| format!("  {}", paint.ink(Ink::Doubtful, line))));
    }
    let (shown, column) = line.window(width - 3);
    let row = body.len();
    body.push(format!("{} {shown}", paint.ink(Ink::Good, ">")));
    match (&form.remark, &form.wrong) {
        (Some(remark), _) => {
            let (ink, text) = remark(&line.text());
            body.extend(wrap(&sanitised(&text), width - 2).iter().map(|line| format!("  {}", paint.ink(ink, line))));
        }
        (None, Some(wrong)) => body.extend(wrap(&sanitised(wrong), width).iter().map(|line| paint.ink(Ink::Bad, line))),
        (None, None) => {}
    }
    body.extend(list(offers, marked, width, paint));
    body.extend(wrap(&form.hint, width - 2).iter().map(|line| format!("  {}", paint.ink(Ink::Frame, line))));
    let keys = if offers.is_empty() {
        "Enter answer   ← back   ? why is this asked   Ctrl-C leave"
    } else {
        "Enter answer   ↓ Tab suggestions   ← back   ? why   Ctrl-C leave"
    };
    let (lines, start) = Page { top: form.top.clone(), body, keys }.lines(size, paint);
    screen.draw(&lines, Some((column + 2, start + row)))
}

fn list(offers: &[&str], marked: Option<usize>, width: usize, paint: Paint) -> Vec<String> {
    let start = marked.map_or(0, |marked| (marked + 1).saturating_sub(SHOWN));
    let mut lines = Vec::new();
    for (index, offer) in offers.iter().enumerate().skip(start).take(SHOWN) {
        let offer = cut(&sanitised(offer), width - 4);
        let is_marked = marked == Some(index);
        lines.push(if is_marked { paint.ink(Ink::Good, &format!("  > {offer}")) } else { format!("    {offer}") });
    }
    let more = offers.len().saturating_sub(start + SHOWN);
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
        let mut line = Line { letters: "ac".chars().collect(), cursor: 2 };
        for key in [Key::Left, Key::Letter('b'), Key::End, Key::Letter('d'), Key::Home, Key::Delete, Key::Backspace] {
            line.edit(key);
        }
        assert_eq!((line.text().as_str(), line.cursor), ("bcd", 0));
        let long = Line { letters: vec!['x'; 100], cursor: 100 };
        let (shown, column) = long.window(20);
        assert!(shown.len() <= 20 && column < 20, "{shown} {column}");
    }

    #[test]
    fn suggestions_begin_with_what_is_typed_or_contain_it() {
        let names = ["popTask", "pushTask", "task"].map(str::to_owned);
        assert_eq!(matching(&names, "task"), ["task", "popTask", "pushTask"]);
        assert_eq!(matching(&names, "PU"), ["pushTask"]);
        assert_eq!(matching(&names, "pushTask(t"), ["pushTask"]);
        assert_eq!(matching(&names, "").len(), 3);
    }
}
