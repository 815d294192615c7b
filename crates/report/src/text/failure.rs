// SPDX-License-Identifier: MIT OR Apache-2.0
//! Failures that prevent a check: files, arguments, the system.

use std::fmt::Write as _;

use gnomon_trace::TraceError;

use super::diagnostic::{header, remark};
use super::line::sanitised;
use super::paint::{Ink, Paint};
use crate::display_name;

/// A failure of a command.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
    place: Option<String>,
    notes: Vec<String>,
    help: Option<String>,
}

impl Failure {
    /// Creates a failure with the code of its page.
    pub fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), place: None, notes: Vec::new(), help: None }
    }

    /// Creates the failure of a trace.
    pub fn of_trace(error: &TraceError) -> Failure {
        let name = display_name(error.source_name());
        let place = format!("{name}:{}:{}", error.line(), error.column());
        let failure = Failure::new(error.code(), error.message()).at(place).maybe_help(error.help());
        Failure { notes: error.notes().to_vec(), ..failure }
    }

    /// Sets the location: `file`, or `file:line:column`.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Failure {
        self.place = Some(place.into());
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Failure {
        self.help = Some(text.into());
        self
    }

    /// Adds advice, if there is some.
    #[must_use]
    pub fn maybe_help(self, text: Option<impl Into<String>>) -> Failure {
        Failure { help: text.map(Into::into), ..self }
    }

    /// Renders the failure on one line.
    pub fn in_a_line(&self) -> String {
        let parts = std::iter::once(&self.message).chain(&self.notes).chain(&self.help);
        parts.map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// Renders the failure in the layout of a diagnostic.
    pub fn render(&self, paint: Paint) -> String {
        let mut out = header("error", Some(self.code), &self.message, Ink::Bad, paint);
        if let Some(place) = &self.place {
            let _ = writeln!(out, " {} {}", paint.ink(Ink::Frame, "-->"), sanitised(place));
        }
        for note in &self.notes {
            remark(&mut out, "note", note, 1, paint);
        }
        if let Some(help) = &self.help {
            remark(&mut out, "help", help, 1, paint);
        }
        out
    }
}
