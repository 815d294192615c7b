// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spec files and specification languages: text in, properties and diagnostics out.
//!
//! It reads no files, judges nothing and gives no formula its meaning; the library and the command line call it.
//! Reading never stops at the first error: [`parse`] returns what it understood and all that it found wrong.
//!
//! The nouns that matter: [`Spec`], what a file says; [`Formula`], what a property says; [`Diagnostic`], what is wrong,
//! where, and what to write instead.
//!
//! ```
//! let (spec, diagnostics) = gnomon_lang::parse("soloist late { G(request -> F[0,3s] reply) }");
//! assert!(diagnostics.is_empty());
//! assert_eq!(spec.properties[0].name, "late");
//!
//! let (_, diagnostics) = gnomon_lang::parse("soloist late { G(request => F[0,3s) reply }");
//! assert_eq!(diagnostics.iter().map(|wrong| wrong.code).collect::<Vec<_>>(), ["G0102", "G0105"]);
//! ```

pub mod albert;
pub mod mtl;
pub mod mu;
pub mod nomad;
pub mod pattern;
pub mod qea;
pub mod rules;
pub mod soloist;
mod specfile;
mod temporal;

use std::path::Path;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::formula::Formula;
use gnomon_ir::pattern::Atom;
use gnomon_ir::spec::{EventDeclaration, ExampleEvent, ExternDeclaration, Spec};

/// The languages that blocks may be written in.
const READERS: &[specfile::Reader] =
    &[soloist::READER, mtl::READER, qea::READER, nomad::READER, albert::READER, pattern::READER, mu::READER];

/// Reads a spec file, a file with a bare `qea(name) { ... }`, or a file of rules in XML.
pub fn parse(source: &str) -> (Spec, Vec<Diagnostic>) {
    if rules::is_xml(source) {
        return rules::parse(source);
    }
    let (mut spec, diagnostics) = specfile::parse(source, READERS);
    qea::settle(&mut spec);
    (spec, diagnostics)
}

/// Reads a spec from a file of this name: what ends in `.mcf` is one formula of the mu-calculus, and the property is called
/// what the file is called; anything else is read as by [`parse`].
///
/// ```
/// let (spec, _) = gnomon_lang::parse_file("specs/calm.mcf", "[true* . alarm] false");
/// assert_eq!(spec.properties[0].name, "calm");
/// ```
pub fn parse_file(file: &str, source: &str) -> (Spec, Vec<Diagnostic>) {
    let path = Path::new(file);
    let is_formula = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mcf"));
    match path.file_stem().filter(|_| is_formula) {
        Some(name) => mu::parse_bare(&name.to_string_lossy(), source),
        None => parse(source),
    }
}

/// Reads a bare SOLOIST formula. It is there unless a part of it could not be understood.
pub fn parse_formula(source: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    soloist::formula(source)
}

/// Writes the declaration of an event, in the spelling that reads back as the same.
pub fn print_event(declaration: &EventDeclaration) -> String {
    specfile::print_event(declaration)
}

/// Writes the declarations of time and of events, one a line.
pub fn print_declarations(spec: &Spec) -> String {
    specfile::print::declarations(spec)
}

/// Writes the events of an example, as they stand between its braces.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("pattern p { globally: absence of b } accepts p { a(1,\"x\")@3.c( n : 2 ) }");
/// let gnomon_ir::spec::ExampleTrace::Events(events) = &spec.examples[0].trace else { unreachable!() };
/// assert_eq!(gnomon_lang::print_example(events), "a(1, \"x\")@3. c(n: 2)");
/// ```
pub fn print_example(events: &[ExampleEvent]) -> String {
    specfile::print::example(events)
}

/// Writes an atom; a name that is one of these words is written in quotes.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("mtl calm { forall u. G !alarm( u, _ )[level>3] }");
/// let gnomon_ir::spec::Body::Formula(formula) = &spec.properties[0].body else { unreachable!() };
/// let gnomon_ir::formula::Kind::Atom(atom) = &formula.children()[0].children()[0].kind else { unreachable!() };
/// assert_eq!(gnomon_lang::print_atom(atom, &[]), "alarm(u, _)[level > 3]");
/// assert_eq!(gnomon_lang::print_atom(atom, &["alarm"]), "\"alarm\"(u, _)[level > 3]");
/// ```
pub fn print_atom(atom: &Atom, reserved: &[&str]) -> String {
    let mut out = String::new();
    specfile::print::atom(atom, &|word| reserved.contains(&word), &mut out);
    out
}

/// Writes the declaration of an external variable, in the spelling that reads back as the same.
pub fn print_extern(declaration: &ExternDeclaration) -> String {
    specfile::print_extern(declaration)
}

/// Warns of every event that a property mentions and that is neither declared nor among the messages that are known.
pub fn unknown_events(spec: &Spec, messages: &[&str]) -> Vec<Diagnostic> {
    specfile::unknown_events(spec, messages)
}
