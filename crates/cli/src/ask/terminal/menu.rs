// SPDX-License-Identifier: MIT OR Apache-2.0
//! A question with answers to choose from.

use crossterm::event::KeyCode;

use super::PageResult;
use super::screen::Screen;
use super::screen_page::{ScreenPage, cut, painted_lines};
use crate::paint::{Ink, Paint};
use crate::render::line::sanitised;

/// A menu of answers.
pub(super) struct Menu<'a> {
    /// The lines above the question.
    pub(super) top: Vec<String>,
    pub(super) question: &'a str,
    pub(super) why: Option<&'a str>,
    /// The answers, each with an optional example.
    pub(super) options: &'a [(&'a str, Option<&'a str>)],
    /// The error of the last answer.
    pub(super) wrong: Option<String>,
    /// Index of the answer that is marked initially.
    pub(super) first: usize,
}

/// Shows a menu and returns the index of the chosen answer.
pub(super) fn choose(screen: &mut Screen, menu: &Menu<'_>) -> PageResult<usize> {
    let (mut marked, mut why) = (menu.first, false);
    let last = menu.options.len().saturating_sub(1);
    loop {
        let size = screen.size();
        let body = body(menu, marked, why, size, screen.paint);
        let page = ScreenPage { top: menu.top.clone(), body, keys: keys(menu) };
        let (lines, _) = page.lines(size, screen.paint);
        screen.draw(&lines, None)?;
        match screen.key()? {
            KeyCode::Up => marked = marked.checked_sub(1).unwrap_or(last),
            KeyCode::Down | KeyCode::Tab => marked = if marked >= last { 0 } else { marked + 1 },
            KeyCode::Home | KeyCode::PageUp => marked = 0,
            KeyCode::End | KeyCode::PageDown => marked = last,
            KeyCode::Enter | KeyCode::Right => return Ok(Some(marked)),
            KeyCode::Left | KeyCode::Esc => return Ok(None),
            KeyCode::Char('?') => why = !why,
            KeyCode::Char(letter) => {
                let number = letter.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1));
                marked = number.filter(|number| *number <= last).unwrap_or(marked);
            }
            _ => {}
        }
    }
}

fn keys(menu: &Menu<'_>) -> &'static str {
    match menu.why {
        Some(_) => "↑ ↓ choose   Enter answer   ← Esc back   ? why is this asked   Ctrl-C leave",
        None => "↑ ↓ choose   Enter choose    ← Esc back   Ctrl-C leave",
    }
}

fn body(menu: &Menu<'_>, marked: usize, why: bool, (columns, rows): (usize, usize), paint: Paint) -> Vec<String> {
    let width = columns - 1;
    let mut body = painted_lines(menu.question, width, "", Ink::Strong, paint);
    if let Some(text) = menu.why.filter(|_| why) {
        body.extend(painted_lines(text, width, "  ", Ink::Doubtful, paint));
    }
    if let Some(wrong) = &menu.wrong {
        body.extend(painted_lines(&sanitised(wrong), width, "", Ink::Bad, paint));
    }
    body.push(String::new());
    // Shows every example if there is room, otherwise that of the marked answer; and a window of answers if not even they fit.
    let room = rows.saturating_sub(body.len() + 3).max(2);
    let all = menu.options.iter().map(|(_, example)| 1 + usize::from(example.is_some())).sum::<usize>() <= room;
    let shown = if all { menu.options.len() } else { room - 1 };
    let start = (marked + 1).saturating_sub(shown);
    for (index, (label, example)) in menu.options.iter().enumerate().skip(start).take(shown) {
        let line = cut(&sanitised(label), width - 3);
        body.push(if index == marked { paint.ink(Ink::Good, &format!(" > {line}")) } else { format!("   {line}") });
        if let Some(example) = example.filter(|_| all || index == marked) {
            body.push(cut(&format!("       {}", paint.ink(Ink::Frame, &format!("\"{example}\""))), width));
        }
    }
    body
}
