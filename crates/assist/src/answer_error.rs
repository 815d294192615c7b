// SPDX-License-Identifier: MIT OR Apache-2.0
//! The error of an answer that does not fit its question.

use std::fmt;

/// Reason why an answer does not fit, with advice on a better one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerError {
    message: String,
    help: Option<String>,
    question: Option<String>,
}

impl AnswerError {
    pub(crate) fn new(message: impl Into<String>) -> AnswerError {
        AnswerError { message: message.into(), help: None, question: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> AnswerError {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn at(mut self, question: impl Into<String>) -> AnswerError {
        self.question = Some(question.into());
        self
    }

    /// Returns the description of the mistake.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the advice on what to answer instead.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns the id of the question, if the answers of a whole session were replayed.
    pub fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for AnswerError {}
