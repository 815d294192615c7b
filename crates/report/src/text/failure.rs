// SPDX-License-Identifier: MIT OR Apache-2.0
//! What keeps someone from judging at all: files, arguments, the outside world.

use std::fmt::Write as _;

use gnomon_trace::TraceError;

use super::diagnostic::{header, remark};
use super::line::sanitised;
use super::paint::{Ink, Paint};
use crate::display_name;

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
    place: Option<String>,
    help: Option<String>,
}

impl Failure {
    /// What is the case, under the code of its page.
    pub fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), place: None, help: None }
    }

    /// What is wrong with a trace.
    pub fn of_trace(error: &TraceError) -> Failure {
        let name = display_name(error.source_name());
        let place = format!("{name}:{}:{}", error.line(), error.column());
        let failure = Failure::new(error.code(), error.message()).at(place);
        match error.help() {
            Some(help) => failure.help(help),
            None => failure,
        }
    }

    /// Where: `file`, or `file:line:column`.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Failure {
        self.place = Some(place.into());
        self
    }

    /// What to do instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Failure {
        self.help = Some(text.into());
        self
    }

    /// The failure in one line, for where there is no room to draw it.
    pub fn in_a_line(&self) -> String {
        let help = self.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        format!("{}{help}", self.message)
    }

    /// The failure as text, drawn like a diagnostic.
    pub fn render(&self, paint: Paint) -> String {
        let mut out = header("error", Some(self.code), &self.message, Ink::Bad, paint);
        if let Some(place) = &self.place {
            let _ = writeln!(out, " {} {}", paint.ink(Ink::Frame, "-->"), sanitised(place));
        }
        if let Some(help) = &self.help {
            remark(&mut out, "help", help, 1, paint);
        }
        out
    }
}
