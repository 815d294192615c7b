// SPDX-License-Identifier: MIT OR Apache-2.0
//! Diagnostics for specs and traces: location, message and suggested fix. Rendering is left to the caller.

use serde::{Deserialize, Serialize};

/// A stretch of a source text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start .. end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span around both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The text under the span; empty if it does not lie in the source.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

crate::words! {
    /// Severity of a diagnostic, mildest first.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Severity as word {
        /// Worth knowing.
        Note = "note",
        /// Probably not what was meant.
        Warning = "warning",
        /// Nothing can be checked.
        Error = "error",
    }
}

/// A remark on a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// Suggested fix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Help {
    /// The advice.
    pub text: String,
    /// The edit that follows it: this span replaced by this text.
    pub edit: Option<(Span, String)>,
}

/// Something wrong in a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Its code, such as `G0203`; each has a page.
    pub code: &'static str,
    /// Severity.
    pub severity: Severity,
    /// The problem in one line.
    pub message: String,
    /// The place it is about.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Suggested fix, if there is one.
    pub help: Option<Help>,
    /// Further remarks.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
            notes: Vec::new(),
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// The remark drawn under the place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Another place, with a remark.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(Help { text: text.into(), edit: None });
        self
    }

    /// Advice with the edit that follows it.
    #[must_use]
    pub fn edit(mut self, text: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.help = Some(Help { text: text.into(), edit: Some((span, replacement.into())) });
        self
    }

    /// A remark at the end.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
}

/// Line and column (both from 1, columns in characters) of a byte offset.
pub fn line_column(source: &str, offset: usize) -> (usize, usize) {
    let offset = offset.min(source.len());
    let before = source.get(..offset).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        assert_eq!(line_column("ab\ncé d", 0), (1, 1));
        assert_eq!(line_column("ab\ncé d", 3), (2, 1));
        assert_eq!(line_column("ab\ncé d", 6), (2, 3));
        assert_eq!(line_column("ab", 99), (1, 3));
    }

    #[test]
    fn spans_join() {
        let source = "G(a -> b)";
        assert_eq!(Span::new(2, 3).to(Span::new(7, 8)).text(source), "a -> b");
    }
}
