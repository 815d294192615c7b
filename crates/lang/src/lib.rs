// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spec files and specification languages: text in, properties and diagnostics out.
//!
//! The crate opens no files and gives no formula its meaning; the library and the command line call it. Parsing never
//! stops at the first error: [`parse`] returns the parts that it understood and all errors that it found.
//!
//! A spec file is read by `specfile`, which knows no language and hands the text between a block's braces to the
//! language's front end. Each language is a module with the same stages: tokens are parsed to a syntax tree that keeps
//! positions (`syntax.rs`, `parse.rs`), the tree is checked and lowered to the shared types of `gnomon_ir`
//! (`lower.rs`), and a property can be printed again (`print.rs`). `syntax/` holds the parts that all languages share;
//! a language never imports another one.
//!
//! The main types are [`Spec`], the content of a file, [`Formula`], the body of most properties, and [`Diagnostic`], an
//! error or a warning with its position and advice.
//!
//! ```
//! let (spec, diagnostics) = gnomon_lang::parse("soloist late { G(request -> F[0,3s] reply) }");
//! assert!(diagnostics.is_empty());
//! assert_eq!(spec.properties[0].name, "late");
//!
//! let (_, diagnostics) = gnomon_lang::parse("soloist late { G(request => F[0,3s) reply }");
//! assert_eq!(diagnostics.iter().map(|wrong| wrong.code).collect::<Vec<_>>(), ["G0102", "G0105"]);
//! ```

#![expect(
    clippy::option_option,
    reason = "the outer option says if a part was understood, the inner one if it is there"
)]

pub mod albert;
pub mod ccsl;
pub mod mop;
pub mod mtl;
pub mod mu;
pub mod nomad;
pub mod pattern;
pub mod qea;
pub mod rules;
pub mod soloist;
mod specfile;
mod syntax;
mod temporal;

use std::path::Path;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::{Atom, Formula, Spec};

pub use specfile::print::{
    declarations as print_declarations, event as print_event, example as print_example, external as print_extern,
    plain_declarations as print_plain_declarations,
};
pub use specfile::unknown_events;

/// The front ends of the languages that blocks may be written in.
const FRONTENDS: &[specfile::Frontend] = &[
    soloist::FRONTEND,
    mtl::FRONTEND,
    qea::FRONTEND,
    nomad::FRONTEND,
    albert::FRONTEND,
    pattern::FRONTEND,
    mu::FRONTEND,
    mop::FRONTEND,
    ccsl::FRONTEND,
];

/// Reads a spec file, a file with a bare `qea(name) { ... }`, or a file of rules in XML.
pub fn parse(source: &str) -> (Spec, Vec<Diagnostic>) {
    if rules::is_xml(source) {
        return rules::parse(source);
    }
    let (mut spec, diagnostics) = specfile::parse(source, FRONTENDS);
    qea::resolve_bare_events(&mut spec);
    (spec, diagnostics)
}

/// Reads a spec from a file of this name. A file `NAME.mcf` is one formula of the mu-calculus and gives the property
/// `NAME`; files `.mop` and `.rvm` are specifications of JavaMOP and RV-Monitor; any other file is read as by [`parse`].
///
/// ```
/// let (spec, _) = gnomon_lang::parse_file("specs/calm.mcf", "[true* . alarm] false");
/// assert_eq!(spec.properties[0].name, "calm");
/// ```
pub fn parse_file(file: &str, source: &str) -> (Spec, Vec<Diagnostic>) {
    let path = Path::new(file);
    let has = |wanted: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted));
    if has("mop") || has("rvm") {
        return mop::parse_bare(source);
    }
    match path.file_stem().filter(|_| has("mcf")) {
        Some(name) => mu::parse_bare(&name.to_string_lossy(), source),
        None => parse(source),
    }
}

/// Reads a bare SOLOIST formula; `None` if a part of it could not be understood.
pub fn parse_formula(source: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    soloist::formula(source)
}

/// Writes an atom; a name that is one of these words is written in quotes.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("mtl calm { forall u. G !alarm( u, _ )[level>3] }");
/// let gnomon_ir::spec::Body::Formula(formula) = &spec.properties[0].body else { unreachable!() };
/// let gnomon_ir::formula::FormulaKind::Atom(atom) = &formula.children()[0].children()[0].kind else { unreachable!() };
/// assert_eq!(gnomon_lang::print_atom(atom, &[]), "alarm(u, _)[level > 3]");
/// assert_eq!(gnomon_lang::print_atom(atom, &["alarm"]), "\"alarm\"(u, _)[level > 3]");
/// ```
pub fn print_atom(atom: &Atom, reserved: &[&str]) -> String {
    syntax::print::text(|out| syntax::print::atom(atom, &|word| reserved.contains(&word), out))
}
