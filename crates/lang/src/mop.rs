// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins with parameters, after JavaMOP: `mop` blocks of spec files, and the files `.mop` and `.rvm` of JavaMOP and RV-Monitor.
//!
//! The grammar is in `mop/GRAMMAR.md`. The oracle and the engine give the bodies their meaning.

mod expression;
mod file;
mod java;
mod linear;
mod machine;
mod print;
mod sections;
mod write;

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Language, Logic, LogicKind, Spec};

use crate::specfile::Frontend;
use crate::syntax::Cursor;

pub use print::{print, print_logic};
pub use write::{MopDialect, print_specification};

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend::plain(Language::Mop, false, sections::read);

/// Reads a file of JavaMOP or RV-Monitor (by custom, `.mop` and `.rvm`). A specification with several bodies gives as many properties.
///
/// ```
/// let source = "HasNext(Iterator i) {
///     event hasnext after(Iterator i) : call(* Iterator.hasNext()) && target(i) {}
///     event next before(Iterator i) : call(* Iterator.next()) && target(i) {}
///     ltl: [](next => (*) hasnext)
///     @violation { System.out.println(\"no hasNext()\"); }
/// }";
/// let (spec, diagnostics) = gnomon_lang::mop::parse_bare(source);
/// assert!(diagnostics.is_empty());
/// assert_eq!(spec.properties[0].name, "HasNext");
/// ```
pub fn parse_bare(source: &str) -> (Spec, Vec<Diagnostic>) {
    file::parse(source)
}

/// Reads the text of a body up to the end of the part being read, or up to `ends`.
fn logic(cursor: &mut Cursor<'_>, kind: LogicKind, ends: EndOfBody) -> Option<Logic> {
    match kind {
        LogicKind::Ere => expression::ere(cursor, ends).map(Logic::Ere),
        LogicKind::Fsm => machine::machine(cursor, ends).map(Logic::Fsm),
        LogicKind::Cfg => expression::grammar(cursor, ends).map(Logic::Cfg),
        LogicKind::Ltl => linear::formula(cursor, ends).map(Logic::Ltl),
        LogicKind::PastLtl => linear::formula(cursor, ends).map(Logic::PastLtl),
    }
}

/// Returns true if a body ends at the current token.
type EndOfBody = fn(&Cursor<'_>) -> bool;

/// Reads the name of an event, a state or a nonterminal.
fn name(cursor: &mut Cursor<'_>) -> Option<gnomon_ir::Variable> {
    crate::syntax::try_name(cursor).map(|name| gnomon_ir::Variable { name: name.name, span: name.span })
}

/// Reports that a body has no text.
fn no_body<T>(cursor: &mut Cursor<'_>, help: &str) -> Option<T> {
    cursor.report_empty("the body is empty", "a body is expected here", help).none()
}

/// Reports a token after the end of a body.
fn after_body<T>(cursor: &mut Cursor<'_>, what: &str) -> Option<T> {
    if cursor.is_closing_bracket() {
        cursor.closes_nothing();
    } else {
        cursor.expected(what);
    }
    None
}

/// Returns the empty span at the end of another.
fn end_of(span: Span) -> Span {
    Span { start: span.end, end: span.end }
}
