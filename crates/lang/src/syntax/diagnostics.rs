// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bounded list of diagnostics of a source, and diagnostics that several parsers report.

use gnomon_core::diagnostic::{Diagnostic, Severity, Span};

/// Limit on diagnostics: a malformed file of 1 MB could cause a million.
const MAX_DIAGNOSTICS: usize = 100;

/// Collects diagnostics.
#[derive(Default)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Returns true if more would be dropped, so that callers need not search for advice.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= MAX_DIAGNOSTICS
    }

    /// Returns the number of diagnostics.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Adds one, if there is room.
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        if self.is_full() && diagnostic.severity == Severity::Error {
            // An error displaces a warning: without any error in the list, the spec would count as valid.
            let warning = self.0.iter().rposition(|known| known.severity != Severity::Error);
            warning.map(|index| self.0.remove(index));
        }
        if !self.is_full() {
            self.0.push(diagnostic);
        }
    }

    /// Returns all diagnostics, in the order of the source.
    pub(crate) fn sorted(mut self) -> Vec<Diagnostic> {
        self.0.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        self.0
    }
}

/// Returns the diagnostic about an operator in another notation's spelling.
pub(crate) fn respelt(written: &str, span: Span, meant: &str) -> Diagnostic {
    Diagnostic::error("G0105", span, format!("`{written}` is written `{meant}` here"))
        .label("the spelling of another notation")
        .edit(format!("write `{meant}`"), span, meant)
}

/// Returns the diagnostic about a duplicate. `said` is the participle for the labels: `named`, `set`.
pub(crate) fn duplicate(code: &'static str, span: Span, before: Span, message: String, said: &str) -> Diagnostic {
    Diagnostic::error(code, span, message)
        .label(format!("{said} again here"))
        .also(before, format!("{said} here first"))
}

/// Adds the word that was probably meant to a diagnostic, or else this advice.
pub(crate) fn suggest(
    diagnostic: Diagnostic,
    span: Span,
    meant: Option<&str>,
    otherwise: impl Into<String>,
) -> Diagnostic {
    match meant {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), span, meant),
        None => diagnostic.help(otherwise),
    }
}

/// Returns the diagnostic about a character without a meaning.
pub(super) fn unknown_character(text: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("G0110", span, format!("`{text}` has no meaning here"));
    match text {
        "'" | "“" | "”" | "‘" | "’" | "`" | "«" | "»" => {
            diagnostic.edit("texts are written in straight double quotes", span, "\"")
        }
        "∪" | "□" | "◇" | "○" => diagnostic.help("write the operator as a letter: `U G F X S H P Y`"),
        "⁰" | "¹" | "²" | "³" | "⁴" | "⁵" | "⁶" | "⁷" | "⁸" | "⁹" => {
            let digit = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|digit| text.starts_with(digit)).unwrap_or(0);
            diagnostic.edit("write an exponent with `^`", span, format!("^{digit}"))
        }
        _ => diagnostic.help("leave it out; a name with unusual characters must be in quotes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_displace_warnings() {
        let mut found = Diagnostics::default();
        for at in 0..=MAX_DIAGNOSTICS {
            found.add(Diagnostic::warning("G0203", Span::new(MAX_DIAGNOSTICS - at, MAX_DIAGNOSTICS), "odd"));
        }
        found.add(Diagnostic::error("G0101", Span::new(0, 1), "wrong"));
        assert!(found.is_full() && found.count() == MAX_DIAGNOSTICS);
        let sorted = found.sorted();
        assert_eq!(sorted[0].code, "G0101");
        assert!(sorted.is_sorted_by_key(|diagnostic| diagnostic.primary.span.start));
    }
}
