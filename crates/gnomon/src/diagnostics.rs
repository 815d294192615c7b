// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors and warnings of a spec.

use std::error::Error;
use std::fmt;

use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_report::text::diagnostic::render;
use gnomon_report::text::paint::Paint;

/// Errors or warnings of a spec, in the order of its text.
///
/// Its text shows each with the line of the spec, the place in it, and what to write instead:
///
/// ```
/// let error = gnomon::Spec::parse("soloist polite { G(request -> F[0,3] ) }").unwrap_err();
/// assert!(error.to_string().starts_with("error[G0101]: "), "{error}");
/// assert!(error.to_string().contains("1 | soloist polite { G(request -> F[0,3] ) }"), "{error}");
/// assert_eq!((error.codes().count(), error.codes().next()), (1, Some("G0101")));
/// ```
#[derive(Clone)]
pub struct Diagnostics {
    name: String,
    source: String,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(name: &str, source: &str, mut list: Vec<Diagnostic>) -> Diagnostics {
        list.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        Diagnostics { name: name.to_owned(), source: source.to_owned(), list }
    }

    /// Restricts them to errors, if there are some.
    pub(crate) fn errors(mut self) -> Diagnostics {
        self.list.retain(|diagnostic| diagnostic.severity == Severity::Error);
        self
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the number of diagnostics.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Lists the codes, such as `G0101`. `gnomon explain G0101` prints the page of a code.
    pub fn codes(&self) -> impl Iterator<Item = &'static str> {
        self.list.iter().map(|diagnostic| diagnostic.code)
    }

    /// Lists the messages, each in one line and without its place.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|diagnostic| diagnostic.message.as_str())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "\n\n" })?;
            f.write_str(render(diagnostic, &self.name, &self.source, Paint::PLAIN).trim_end())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Diagnostics {
    /// Writes the same text as `Display`, so that `unwrap` and a `main` that returns an error show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl Error for Diagnostics {}
