// SPDX-License-Identifier: MIT OR Apache-2.0
//! The terminal: keys in, pages out. Whatever happens, it is left as it was found.

use std::io::{self, Stderr, Write as _};

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, queue};

use crate::failure::Failure;
use crate::paint::Paint;

/// What is drawn if the terminal does not tell its size.
const SIZE: (u16, u16) = (80, 24);

/// A terminal that is ours until this is dropped.
pub(super) struct Screen {
    out: Stderr,
    /// Columns and rows.
    size: (u16, u16),
    pub(super) paint: Paint,
}

/// A key that means something here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Tab,
    Backspace,
    Delete,
    Escape,
    Letter(char),
    /// Ctrl-C, Ctrl-D
    Leave,
    /// No key: the page has to be drawn again.
    Redraw,
}

impl Screen {
    pub(super) fn open(paint: Paint) -> Result<Screen, Failure> {
        terminal::enable_raw_mode().map_err(|error| lost(&error))?;
        // From here on dropping it puts the terminal back.
        let size = terminal::size().ok().filter(|size| size.0 > 0 && size.1 > 0).unwrap_or(SIZE);
        let mut screen = Screen { out: io::stderr(), size, paint };
        queue!(screen.out, EnterAlternateScreen).map_err(|error| lost(&error))?;
        Ok(screen)
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        (usize::from(self.size.0).max(20), usize::from(self.size.1).max(8))
    }

    /// Draws a page; the cursor stands at this column and row, or below the page.
    pub(super) fn draw(&mut self, lines: &[String], cursor: Option<(usize, usize)>) -> Result<(), Failure> {
        let mut out = self.out.lock();
        let drawn = (|| {
            queue!(out, cursor::MoveTo(0, 0), Clear(ClearType::All))?;
            out.write_all(lines.join("\r\n").as_bytes())?;
            if let Some((column, row)) = cursor {
                let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
                queue!(out, cursor::MoveTo(small(column), small(row)), cursor::Show)?;
            } else {
                queue!(out, cursor::Hide)?;
            }
            out.flush()
        })();
        drawn.map_err(|error| lost(&error))
    }

    /// Waits for a key.
    pub(super) fn key(&mut self) -> Result<Key, Failure> {
        loop {
            match event::read().map_err(|error| lost(&error))? {
                Event::Resize(columns, rows) => {
                    self.size = (columns, rows);
                    return Ok(Key::Redraw);
                }
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    let control = key.modifiers.contains(KeyModifiers::CONTROL);
                    return Ok(match key.code {
                        KeyCode::Char('c' | 'd') if control => Key::Leave,
                        KeyCode::Char(_) if control => continue,
                        KeyCode::Char(letter) => Key::Letter(letter),
                        KeyCode::Up => Key::Up,
                        KeyCode::Down => Key::Down,
                        KeyCode::Left => Key::Left,
                        KeyCode::Right => Key::Right,
                        KeyCode::PageUp => Key::PageUp,
                        KeyCode::PageDown => Key::PageDown,
                        KeyCode::Home => Key::Home,
                        KeyCode::End => Key::End,
                        KeyCode::Enter => Key::Enter,
                        KeyCode::Tab => Key::Tab,
                        KeyCode::Backspace => Key::Backspace,
                        KeyCode::Delete => Key::Delete,
                        KeyCode::Esc => Key::Escape,
                        _ => continue,
                    });
                }
                _ => {}
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone there is nothing to put back.
        let _ = queue!(self.out, cursor::Show, LeaveAlternateScreen);
        let _ = self.out.flush();
        let _ = terminal::disable_raw_mode();
    }
}

fn lost(error: &io::Error) -> Failure {
    Failure::new("G0938", format!("the terminal cannot be used: {error}"))
        .help("say it by flags instead: `gnomon ask --help` lists them")
}
