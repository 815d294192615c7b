// SPDX-License-Identifier: MIT OR Apache-2.0
//! SOLOIST: metric temporal logic with strict operators and aggregates over windows of the past.
//!
//! The grammar, in both spellings, is in `soloist/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod aggregate;
mod interval;
mod letter;
mod lower;
mod parse;
mod print;
mod slip;
mod syntax;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::formula::Formula;
use gnomon_ir::spec::{Body, Language};

use crate::specfile::Reader;
use crate::specfile::cursor::Cursor;

pub use print::print;

const FULL_WINDOW: &str = "full-window";

/// How blocks of this language are read.
pub(crate) const READER: Reader = Reader { language: Language::Soloist, options: &[FULL_WINDOW], read };

fn read(cursor: &mut Cursor<'_>, options: &[&'static str]) -> Option<Body> {
    whole(cursor, options.contains(&FULL_WINDOW)).map(Body::Formula)
}

/// Reads a formula that stands alone.
pub(crate) fn formula(source: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    let mut cursor = Cursor::new(source, "the text");
    let formula = whole(&mut cursor, false);
    (formula, cursor.into_diagnostics())
}

fn whole(cursor: &mut Cursor<'_>, full_window: bool) -> Option<Formula> {
    let syntax = parse::parse(cursor)?;
    lower::lower(cursor, &syntax, full_window)
}
