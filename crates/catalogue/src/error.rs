// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of documents that cannot be read.

use std::error::Error;
use std::fmt;

use gnomon_scan::{Location, TraceError};

/// An error in a document: its location, a message and often a remedy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogueError {
    code: &'static str,
    location: Location,
    message: String,
    help: Option<String>,
}

impl CatalogueError {
    /// Creates the error that a document is of no known kind.
    pub(crate) fn unknown(location: Location, message: impl Into<String>) -> Self {
        CatalogueError { code: "G0725", location, message: message.into(), help: None }
    }

    /// Creates the error that a document is malformed.
    pub(crate) fn unreadable(location: Location, message: impl Into<String>) -> Self {
        CatalogueError { code: "G0726", location, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Returns the code of the page that explains the error.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the location.
    pub fn location(&self) -> Location {
        self.location
    }

    /// Returns the message, one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the remedy.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<TraceError> for CatalogueError {
    fn from(error: TraceError) -> Self {
        CatalogueError {
            code: error.code(),
            location: Location { line: error.line(), column: error.column() },
            message: error.message().to_owned(),
            help: error.help().map(str::to_owned),
        }
    }
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

impl Error for CatalogueError {}
