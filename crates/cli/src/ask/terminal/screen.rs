// SPDX-License-Identifier: MIT OR Apache-2.0
//! The terminal: reads keys and draws pages. Its state is restored in any case.

use std::io::{self, Stderr, Write as _};

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, queue};

use super::Interruption;
use crate::failure::Failure;
use crate::paint::Paint;

/// The size of a terminal that does not report one.
const DEFAULT_SIZE: (u16, u16) = (80, 24);

/// A terminal in raw mode until this is dropped.
pub(super) struct Screen {
    out: Stderr,
    /// Columns and rows.
    size: (u16, u16),
    pub(super) paint: Paint,
}

impl Screen {
    pub(super) fn open(paint: Paint) -> Result<Screen, Failure> {
        terminal::enable_raw_mode().map_err(|error| terminal_failure(&error))?;
        // From here on dropping the screen restores the terminal.
        let size = terminal::size().ok().filter(|size| size.0 > 0 && size.1 > 0).unwrap_or(DEFAULT_SIZE);
        let mut screen = Screen { out: io::stderr(), size, paint };
        queue!(screen.out, EnterAlternateScreen).map_err(|error| terminal_failure(&error))?;
        Ok(screen)
    }

    /// Returns columns and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        (usize::from(self.size.0).max(20), usize::from(self.size.1).max(8))
    }

    /// Draws a page, with the cursor at this column and row or hidden.
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
        drawn.map_err(|error| terminal_failure(&error))
    }

    /// Waits for a key. Ctrl-C and Ctrl-D leave. After a resize it returns [`KeyCode::Null`], so that the page is drawn again.
    pub(super) fn key(&mut self) -> Result<KeyCode, Interruption> {
        loop {
            match event::read().map_err(|error| terminal_failure(&error))? {
                Event::Resize(columns, rows) => {
                    self.size = (columns, rows);
                    return Ok(KeyCode::Null);
                }
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    let control = key.modifiers.contains(KeyModifiers::CONTROL);
                    match key.code {
                        KeyCode::Char('c' | 'd') if control => return Err(Interruption::Leave),
                        KeyCode::Char(_) if control => {}
                        code => return Ok(code),
                    }
                }
                _ => {}
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone there is nothing to restore.
        let _ = queue!(self.out, cursor::Show, LeaveAlternateScreen);
        let _ = self.out.flush();
        let _ = terminal::disable_raw_mode();
    }
}

fn terminal_failure(error: &io::Error) -> Failure {
    Failure::new("G0938", format!("the terminal cannot be used: {error}"))
        .help("use flags instead: `gnomon ask --help` lists them")
}
