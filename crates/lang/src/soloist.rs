// SPDX-License-Identifier: MIT OR Apache-2.0
//! SOLOIST: metric temporal logic with strict operators and aggregates over windows of the past.
//!
//! The grammar, in both spellings, is in `soloist/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod aggregate;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::formula::Formula;
use gnomon_ir::spec::{Body, Language};

use crate::specfile::cursor::Cursor;
use crate::specfile::{Chosen, Content, OptionKind, Reader};
use crate::temporal::{self, Dialect};

const FULL_WINDOW: &str = "full-window";

/// How blocks of this language are read.
pub(crate) const READER: Reader = Reader {
    language: Language::Soloist,
    options: &[OptionKind::plain(FULL_WINDOW)],
    parenthesised: false,
    merges: true,
    read,
};

const DIALECT: Dialect = Dialect {
    name: "SOLOIST",
    letters: "GFHPXYUSCMD",
    words: &[],
    signs: &[],
    own: aggregate::aggregate,
    form: aggregate::form,
    variables: false,
    strict: true,
    full_window: false,
};

fn read(cursor: &mut Cursor<'_>, options: &Chosen) -> Option<Content> {
    let dialect = Dialect { full_window: options.has(FULL_WINDOW), ..DIALECT };
    let formula = temporal::formula(cursor, &dialect)?;
    Some((vec![], Body::Formula(formula)))
}

/// Reads a formula that stands alone.
pub(crate) fn formula(source: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    let mut cursor = Cursor::new(source, "the text");
    let formula = temporal::formula(&mut cursor, &DIALECT);
    (formula, cursor.into_diagnostics())
}

/// Writes a formula so that it reads back as the same, spans apart. The option `full-window` belongs to the property
/// and is not part of the text.
///
/// ```
/// let (formula, _) = gnomon_lang::parse_formula("G ((request) → F_{[0,10]} (reply))");
/// assert_eq!(gnomon_lang::soloist::print(&formula.unwrap()), "G(request -> F[0,10] reply)");
/// ```
pub fn print(formula: &Formula) -> String {
    temporal::print::print(formula, &DIALECT, &[])
}
