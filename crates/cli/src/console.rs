// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that a command writes to: the report to standard output or to the file of `-o`, everything else to standard
//! error. A reader that disconnects (`gnomon ... | head`) is not an error.

use std::io::{self, IsTerminal as _, Stderr, Stdout, Write};
use std::sync::{Mutex, PoisonError};

use terminal_size::{Width, terminal_size_of};

use crate::failure::Failure;
use crate::output::{OutputFile, cannot_write};
use crate::paint::{ColorChoice, Ink, Paint};
use crate::render::diagnostic::header;
use crate::render::human::{MAX_WIDTH, MIN_WIDTH};
use crate::render::line::wrap;

/// The outputs of a command.
pub(crate) struct Console {
    out: Stdout,
    err: Stderr,
    /// The file of `-o` and its path.
    file: Option<(String, Mutex<OutputFile>)>,
    /// True if only errors are printed.
    is_quiet: bool,
    /// Colours in the report.
    pub(crate) out_paint: Paint,
    /// Colours on standard error.
    pub(crate) err_paint: Paint,
    /// Columns of the report; `None` if nothing limits them.
    pub(crate) width: Option<usize>,
}

impl Console {
    /// Opens the outputs. The report goes to the file, if one is named.
    pub(crate) fn new(color: ColorChoice, is_quiet: bool, file: Option<&str>) -> Result<Console, Failure> {
        let (out, err) = (io::stdout(), io::stderr());
        let out_paint = if file.is_some() { Paint::for_file(color) } else { Paint::for_stream(&out, color) };
        let declared = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
        let terminal = || terminal_size_of(&out).map(|(Width(columns), _)| usize::from(columns));
        let width = declared.or_else(|| if file.is_some() { None } else { terminal() });
        Ok(Console {
            file: match file {
                Some(path) => Some((path.to_owned(), Mutex::new(OutputFile::create(path)?))),
                None => None,
            },
            is_quiet,
            out_paint,
            err_paint: Paint::for_stream(&err, color),
            width: width.filter(|columns| *columns > 0).map(|columns| columns.clamp(MIN_WIDTH, MAX_WIDTH)),
            out,
            err,
        })
    }

    /// Writes a part of the report.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        if let Some((path, file)) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            return file.write_all(text.as_bytes()).map_err(|error| cannot_write(path, &error));
        }
        if self.is_quiet {
            return Ok(());
        }
        let mut stdout = self.out.lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::new("G0708", format!("the report cannot be written: {error}"))
                    .help("free some space, or send standard output elsewhere"))
            }
            _ => Ok(()),
        }
    }

    /// Completes the report: the file of `-o` appears under its name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match self.file.take() {
            Some((_, file)) => file.into_inner().unwrap_or_else(PoisonError::into_inner).finish(),
            None => Ok(()),
        }
    }

    /// Writes an error to standard error. A failure to do so is ignored: there is no other place to report it.
    pub(crate) fn print_error(&self, text: &str) {
        let _ = self.err.lock().write_all(text.as_bytes());
    }

    /// Returns true if only errors are printed.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Writes to standard error what is not an error.
    pub(crate) fn inform(&self, text: &str) {
        if !self.is_quiet {
            self.print_error(text);
        }
    }

    /// Prints a note on standard error.
    pub(crate) fn note(&self, text: &str) {
        self.inform(&header("note", None, text, Ink::Frame, self.err_paint));
    }

    /// Prints a failure on standard error, wrapped if that is a terminal.
    pub(crate) fn print_failure(&self, failure: &Failure) {
        let text = failure.render(self.err_paint);
        let columns = terminal_size_of(&self.err).map(|(Width(columns), _)| usize::from(columns).max(MIN_WIDTH));
        let text = match columns {
            Some(columns) => text.lines().map(|line| wrap(line, columns, "    ") + "\n").collect(),
            None => text,
        };
        self.print_error(&text);
    }

    /// Returns true if progress can be shown: standard error is a terminal that can redraw a line, and the user wants to see more
    /// than errors.
    pub(crate) fn shows_progress(&self) -> bool {
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        !self.is_quiet && !is_dumb && self.err.is_terminal()
    }
}
