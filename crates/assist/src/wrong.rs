// SPDX-License-Identifier: MIT OR Apache-2.0
//! An answer that does not fit its question.

use std::fmt;

/// Why an answer does not fit, and what would.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    message: String,
    help: Option<String>,
    question: Option<String>,
}

impl Wrong {
    pub(crate) fn new(message: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), help: None, question: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Wrong {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn at(mut self, question: impl Into<String>) -> Wrong {
        self.question = Some(question.into());
        self
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to answer instead.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The question that was answered, where answers are given all at once.
    pub fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for Wrong {}
