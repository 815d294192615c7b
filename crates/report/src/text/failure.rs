// SPDX-License-Identifier: MIT OR Apache-2.0
//! Failures that prevent a check: files, arguments, the system.

use std::fmt::Write as _;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_trace::TraceError;

use super::diagnostic::{header, remark};
use super::line::sanitised;
use super::paint::{Ink, Paint};
use crate::display_name;
use crate::json::write::ObjectWriter;

/// A failure of a command.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
    place: Option<String>,
    /// Line and column of the place, if it is one in a file.
    position: Option<(u64, u64)>,
    notes: Box<[String]>,
    help: Option<Box<str>>,
}

impl Failure {
    /// Creates a failure with the code of its page.
    pub fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), place: None, position: None, notes: Box::default(), help: None }
    }

    /// Creates the failure of a trace.
    pub fn of_trace(error: &TraceError) -> Failure {
        let name = display_name(error.source_name());
        let place = format!("{name}:{}:{}", error.line(), error.column());
        let failure = Failure::new(error.code(), error.message()).at(place).maybe_help(error.help());
        let position = Some((error.line(), error.column()));
        Failure { notes: error.notes().into(), position, ..failure }
    }

    /// Creates the failure of a check that a diagnostic of the spec describes.
    pub fn of_diagnostic(diagnostic: &Diagnostic) -> Failure {
        let help = diagnostic.help.as_ref().map(|help| help.text.as_str());
        Failure::new(diagnostic.code, &*diagnostic.message).maybe_help(help)
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
        self.help = Some(text.into().into());
        self
    }

    /// Adds advice, if there is some.
    #[must_use]
    pub fn maybe_help(self, text: Option<impl Into<String>>) -> Failure {
        Failure { help: text.map(|text| text.into().into()), ..self }
    }

    /// Writes the fields of the failure: `code`, `message`, `line`, `column`, `notes`, `help`.
    pub fn json(&self, fields: &mut ObjectWriter<'_>) {
        fields.field("code", self.code);
        fields.field("message", &self.message);
        let (line, column) = self.position.unzip();
        fields.field("line", line);
        fields.field("column", column);
        if !self.notes.is_empty() {
            fields.field("notes", &self.notes[..]);
        }
        fields.field("help", self.help.as_deref());
    }

    /// Renders the failure on one line.
    pub fn in_a_line(&self) -> String {
        let mut parts = vec![self.message.as_str()];
        parts.extend(self.notes.iter().map(String::as_str).chain(self.help.as_deref()));
        parts.join("; ")
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
