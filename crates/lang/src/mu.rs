// SPDX-License-Identifier: MIT OR Apache-2.0
//! The monitorable part of the modal mu-calculus, in the notation of mCRL2: `[true* . push(t) . (!pop(t))* . done]
//! false`.
//!
//! The grammar is in `mu/GRAMMAR.md`. The oracle and the engine give formulae their meaning.

mod data;
mod print;
mod refusal;
mod regular;
mod scope;
mod state;

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Body, Language, ModalFormula, Options, Property, Spec};

use crate::specfile::{BlockContent, Frontend, LanguageOptions};
use crate::syntax::Cursor;
use crate::syntax::lexer::LexerMode;
use scope::NameScope;

pub use print::{print, print_modal, print_regular};

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend::plain(Language::Mu, false, read);

/// Words that are constants or events only in quotes.
const KEYWORDS: &[&str] = &[
    "true", "false", "null", "val", "nil", "forall", "exists", "not", "and", "or", "mu", "nu", "delay", "yaled", "tau",
    "div", "mod",
];

fn read(cursor: &mut Cursor<'_>, _options: &LanguageOptions) -> Option<BlockContent> {
    let modal = cursor.with_mode(LexerMode::Marked, formula)?;
    Some((vec![], Body::Modal(modal)))
}

/// Reads the whole text as one formula. Returns `None` after reporting what could not be understood.
fn formula(cursor: &mut Cursor<'_>) -> Option<ModalFormula> {
    if cursor.at_end() {
        let help = "write what must never occur, for example `[true* . error] false`";
        return cursor.report_empty("there is no formula", "a formula is expected here", help).none();
    }
    let mut scope = NameScope::of(cursor);
    let modal = state::whole(cursor, &mut scope)?;
    Some(scope.around(modal))
}

/// Reads a file that is one formula and nothing else (by custom, `.mcf`), as a spec with one property of this name.
///
/// ```
/// let (spec, diagnostics) = gnomon_lang::mu::parse_bare("calm", "% no alarm\n[true* . alarm] false\n");
/// assert!(diagnostics.is_empty());
/// assert_eq!(gnomon_lang::mu::print(&spec.properties[0]), "mu calm { [true* . alarm] false }\n");
/// ```
pub fn parse_bare(name: &str, source: &str) -> (Spec, Vec<Diagnostic>) {
    let mut cursor = Cursor::over(source, "the file", LexerMode::Marked);
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
