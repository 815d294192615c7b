// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a document is no catalogue.

use std::error::Error;
use std::fmt;

use gnomon_trace::{Place, TraceError};

/// A document that cannot be read. It says where, what is the case, and often what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogueError {
    code: &'static str,
    place: Place,
    message: String,
    help: Option<String>,
}

impl CatalogueError {
    /// It describes no messages, as far as can be told.
    pub(crate) fn unknown(place: Place, message: impl Into<String>) -> Self {
        CatalogueError { code: "G0725", place, message: message.into(), help: None }
    }

    /// It is broken.
    pub(crate) fn unreadable(place: Place, message: impl Into<String>) -> Self {
        CatalogueError { code: "G0726", place, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The code of its page.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        self.place
    }

    /// What is the case, in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<TraceError> for CatalogueError {
    fn from(error: TraceError) -> Self {
        CatalogueError {
            code: error.code(),
            place: Place { line: error.line(), column: error.column() },
            message: error.message().to_owned(),
            help: error.help().map(str::to_owned),
        }
    }
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl Error for CatalogueError {}
