// SPDX-License-Identifier: MIT OR Apache-2.0
//! A longer text, to be read page by page.

use super::page::cut;
use super::screen::{Key, Screen};
use crate::failure::Failure;
use crate::paint::Ink;

/// Shows a text until somebody has read it; `false` if they want to leave altogether. Colours in it are kept.
pub(super) fn show(screen: &mut Screen, title: &str, text: &str) -> Result<bool, Failure> {
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
            Key::Up => first = first.saturating_sub(1),
            Key::Down => first += 1,
            Key::PageUp => first = first.saturating_sub(room),
            Key::PageDown | Key::Letter(' ') => first += room,
            Key::Home => first = 0,
            Key::End => first = all.len(),
            Key::Leave => return Ok(false),
            Key::Enter | Key::Left | Key::Backspace | Key::Escape | Key::Letter('q') => return Ok(true),
            _ => {}
        }
    }
}
