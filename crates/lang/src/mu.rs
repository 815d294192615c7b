// SPDX-License-Identifier: MIT OR Apache-2.0
//! The monitorable part of the modal mu-calculus, in the notation of mCRL2: `[true* . push(t) . (!pop(t))* . done] false`.
//!
//! The grammar is in `mu/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod data;
mod names;
mod print;
mod quantifier;
mod refusal;
mod regular;
mod state;
mod syntax;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::modal::Modal;
use gnomon_ir::spec::{Body, Language, Options, Property, Spec};

use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Notation;
use crate::specfile::{Chosen, Content, Reader};
use syntax::Context;

pub use print::{print, print_modal};

/// How blocks of this language are read.
pub(crate) const READER: Reader =
    Reader { language: Language::Mu, options: &[], parenthesised: false, merges: false, read };

/// Words that are no constants and no events, unless in quotes.
const KEYWORDS: &[&str] = &[
    "true", "false", "null", "val", "nil", "forall", "exists", "not", "and", "or", "mu", "nu", "delay", "yaled", "tau",
    "div", "mod",
];

fn read(cursor: &mut Cursor<'_>, _options: &Chosen) -> Option<Content> {
    let modal = cursor.renotated(Notation::Marked, formula)?;
    Some((vec![], Body::Modal(modal)))
}

/// Reads all there is as one formula; `None` if a part of it could not be understood, which has been reported.
fn formula(cursor: &mut Cursor<'_>) -> Option<Modal> {
    if cursor.at_end() {
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0109", span, "there is no formula")
                .label("a formula is expected here")
                .help("write what must never be seen, for example `[true* . error] false`"),
        );
        return None;
    }
    let mut context = Context::of(cursor);
    let modal = state::whole(cursor, &mut context)?;
    Some(context.around(modal))
}

/// Reads a file that is one formula and nothing else (by custom, `.mcf`), as a spec with one property of this name.
///
/// ```
/// let (spec, diagnostics) = gnomon_lang::mu::parse_bare("calm", "% no alarm\n[true* . alarm] false\n");
/// assert!(diagnostics.is_empty());
/// assert_eq!(gnomon_lang::mu::print(&spec.properties[0]), "mu calm { [true* . alarm] false }\n");
/// ```
pub fn parse_bare(name: &str, source: &str) -> (Spec, Vec<Diagnostic>) {
    let mut cursor = Cursor::over(source, "the file", Notation::Marked);
    let body_span = cursor.peek().span.to(Span::new(source.len(), source.len()));
    let property = formula(&mut cursor).map(|modal| Property {
        name: name.to_owned(),
        name_span: Span::default(),
        title: None,
        language: Language::Mu,
        options: Options::default(),
        prefix: vec![],
        body: Body::Modal(modal),
        body_span,
    });
    (Spec { properties: property.into_iter().collect(), ..Spec::default() }, cursor.into_diagnostics())
}
