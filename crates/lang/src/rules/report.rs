// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was found wrong so far.

use gnomon_core::diagnostic::{Diagnostic, Span};

use super::xml::Text;
use crate::specfile::cursor::Cursor;

/// How many diagnostics are kept: nobody reads more.
const MOST: usize = 100;

/// Collects diagnostics.
#[derive(Default)]
pub(super) struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Whether more would be dropped: no need to think of advice then.
    pub(super) fn is_full(&self) -> bool {
        self.diagnostics.len() >= MOST
    }

    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        if !self.is_full() {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reads a text the way spec files are read; places in it become places in the file. The text must be all used up.
    pub(super) fn snippet<T>(
        &mut self,
        text: &Text,
        what: &'static str,
        read: impl FnOnce(&mut Cursor<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut cursor = Cursor::new(&text.value, what);
        let value = read(&mut cursor);
        if value.is_some() && !cursor.at_end() {
            cursor.expected(&format!("the end of {what}"));
        }
        let found = cursor.into_diagnostics();
        let fine = found.is_empty();
        for mut diagnostic in found {
            diagnostic.primary.span = text.place(diagnostic.primary.span);
            diagnostic.secondary.iter_mut().for_each(|label| label.span = text.place(label.span));
            if let Some((span, _)) = diagnostic.help.as_mut().and_then(|help| help.edit.as_mut()) {
                *span = text.place(*span);
            }
            self.add(diagnostic);
        }
        value.filter(|_| fine)
    }

    /// All that was found wrong, in the order of the file.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        self.diagnostics
    }
}

/// An element or attribute that is wrong where it is.
pub(super) fn misplaced(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("G0124", span, message)
}
