// SPDX-License-Identifier: MIT OR Apache-2.0
//! A question with answers to choose from.

use super::Said;
use super::page::{Page, cut, wrap};
use super::screen::{Key, Screen};
use crate::failure::Failure;
use crate::paint::{Ink, Paint};
use crate::render::line::sanitised;

/// What is offered.
pub(super) struct Menu<'a> {
    /// What stands above the question.
    pub(super) top: Vec<String>,
    pub(super) question: &'a str,
    pub(super) why: Option<&'a str>,
    /// Each answer, with an everyday example.
    pub(super) offers: &'a [(&'a str, Option<&'a str>)],
    /// What was wrong with the last answer.
    pub(super) wrong: Option<String>,
    /// The answer that is marked at first.
    pub(super) first: usize,
}

/// Lets somebody choose.
pub(super) fn choose(screen: &mut Screen, menu: &Menu<'_>) -> Result<Said<usize>, Failure> {
    let (mut marked, mut why) = (menu.first, false);
    let last = menu.offers.len().saturating_sub(1);
    loop {
        let size = screen.size();
        let page = Page { top: menu.top.clone(), body: body(menu, marked, why, size, screen.paint), keys: keys(menu) };
        let (lines, _) = page.lines(size, screen.paint);
        screen.draw(&lines, None)?;
        match screen.key()? {
            Key::Up => marked = marked.checked_sub(1).unwrap_or(last),
            Key::Down | Key::Tab => marked = if marked >= last { 0 } else { marked + 1 },
            Key::Home | Key::PageUp => marked = 0,
            Key::End | Key::PageDown => marked = last,
            Key::Enter | Key::Right => return Ok(Said::Answer(marked)),
            Key::Left | Key::Backspace | Key::Escape => return Ok(Said::Back),
            Key::Letter('?') => why = !why,
            Key::Letter(letter) => {
                let number = letter.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1));
                marked = number.filter(|number| *number <= last).unwrap_or(marked);
            }
            Key::Leave => return Ok(Said::Leave),
            Key::Delete | Key::Redraw => {}
        }
    }
}

fn keys(menu: &Menu<'_>) -> &'static str {
    match menu.why {
        Some(_) => "↑ ↓ choose   Enter answer   ← back   ? why is this asked   Ctrl-C leave",
        None => "↑ ↓ choose   Enter take it   ← back   Ctrl-C leave",
    }
}

fn body(menu: &Menu<'_>, marked: usize, why: bool, (columns, rows): (usize, usize), paint: Paint) -> Vec<String> {
    let width = columns - 1;
    let mut body: Vec<String> = wrap(menu.question, width).iter().map(|line| paint.ink(Ink::Strong, line)).collect();
    if let Some(text) = menu.why.filter(|_| why) {
        body.extend(wrap(text, width - 2).iter().map(|line| format!("  {}", paint.ink(Ink::Doubtful, line))));
    }
    if let Some(wrong) = &menu.wrong {
        body.extend(wrap(&sanitised(wrong), width).iter().map(|line| paint.ink(Ink::Bad, line)));
    }
    body.push(String::new());
    // Every example if there is room, else that of the marked answer; and a window of answers if there is not even room for them.
    let room = rows.saturating_sub(body.len() + 3).max(2);
    let all = menu.offers.iter().map(|(_, example)| 1 + usize::from(example.is_some())).sum::<usize>() <= room;
    let shown = if all { menu.offers.len() } else { room - 1 };
    let start = (marked + 1).saturating_sub(shown);
    for (index, (label, example)) in menu.offers.iter().enumerate().skip(start).take(shown) {
        let line = cut(&sanitised(label), width - 3);
        body.push(if index == marked { paint.ink(Ink::Good, &format!(" > {line}")) } else { format!("   {line}") });
        if let Some(example) = example.filter(|_| all || index == marked) {
            body.push(cut(&format!("       {}", paint.ink(Ink::Frame, &format!("\"{example}\""))), width));
        }
    }
    body
}
