// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why an export cannot be decoded.

use std::error;
use std::fmt;

/// An export that is refused: what is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(Box<Details>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    kind: ErrorKind,
    at: usize,
    message: String,
    help: Option<&'static str>,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// It is no JSON.
    Json,
    /// A text is not UTF-8.
    NotUtf8,
    /// It is well-formed, or might be, and no export of traces: wrong bytes, wrong types, wrong lengths.
    NotAnExport,
    /// It is nested too deeply.
    TooDeep,
    /// A span has too many attributes.
    TooManyAttributes,
    /// It is larger than the limits allow.
    TooLarge,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, at: usize, message: impl Into<String>) -> Self {
        Error(Box::new(Details { kind, at, message: message.into(), help: None }))
    }

    pub(crate) fn help(mut self, help: &'static str) -> Self {
        self.0.help = Some(help);
        self
    }

    /// What kind of thing is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where, in bytes from the beginning.
    pub fn at(&self) -> usize {
        self.0.at
    }

    /// What is wrong, in one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&'static str> {
        self.0.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.0.at, self.0.message)
    }
}

impl error::Error for Error {}
