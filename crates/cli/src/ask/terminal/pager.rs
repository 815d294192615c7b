// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shows a long text page by page.

use crossterm::event::KeyCode;

use super::Interruption;
use super::screen::Screen;
use super::screen_page::cut;
use crate::paint::Ink;

/// Shows a text, including its colours, until the user goes back.
pub(super) fn show(screen: &mut Screen, title: &str, text: &str) -> Result<(), Interruption> {
    let all: Vec<&str> = text.lines().collect();
    let mut first = 0;
    loop {
        let (columns, rows) = screen.size();
        let room = rows.saturating_sub(4).max(1);
        first = first.min(all.len().saturating_sub(room));
        let mut lines = vec![screen.paint.ink(Ink::Strong, &cut(title, columns - 1)), String::new()];
        lines.extend(all.iter().skip(first).take(room).map(|line| cut(&line.replace('\t', "    "), columns - 1)));
        lines.push(String::new());
        let more = if first + room < all.len() { "↓ more   " } else { "" };
        lines.push(screen.paint.ink(Ink::Frame, &format!("{more}↑ ↓ PgUp PgDn move   Enter ← back   Ctrl-C leave")));
        screen.draw(&lines, None)?;
        match screen.key()? {
            KeyCode::Up => first = first.saturating_sub(1),
            KeyCode::Down => first += 1,
            KeyCode::PageUp => first = first.saturating_sub(room),
            KeyCode::PageDown | KeyCode::Char(' ') => first += room,
            KeyCode::Home => first = 0,
            KeyCode::End => first = all.len(),
            KeyCode::Enter | KeyCode::Left | KeyCode::Backspace | KeyCode::Esc | KeyCode::Char('q') => return Ok(()),
            _ => {}
        }
    }
}
