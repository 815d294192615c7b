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
pub mod nomad;
pub mod qea;
pub mod rules;
pub mod soloist;
mod specfile;
mod temporal;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::formula::Formula;
use gnomon_ir::spec::{EventDeclaration, ExternDeclaration, Spec};

/// The languages that blocks may be written in.
const READERS: &[specfile::Reader] = &[soloist::READER, mtl::READER, qea::READER, nomad::READER, albert::READER];

/// Reads a spec file, a file with a bare `qea(name) { ... }`, or a file of rules in XML.
pub fn parse(source: &str) -> (Spec, Vec<Diagnostic>) {
    if rules::is_xml(source) {
        return rules::parse(source);
    }
    let (mut spec, diagnostics) = specfile::parse(source, READERS);
    qea::settle(&mut spec);
    (spec, diagnostics)
}

/// Reads a bare SOLOIST formula. It is there unless a part of it could not be understood.
pub fn parse_formula(source: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    soloist::formula(source)
}

/// Writes the declaration of an event, in the spelling that reads back as the same.
pub fn print_event(declaration: &EventDeclaration) -> String {
    specfile::print_event(declaration)
}

/// Writes the declaration of an external variable, in the spelling that reads back as the same.
pub fn print_extern(declaration: &ExternDeclaration) -> String {
    specfile::print_extern(declaration)
}

/// Warns of every event that a property mentions and that is neither declared nor among the messages that are known.
pub fn unknown_events(spec: &Spec, messages: &[&str]) -> Vec<Diagnostic> {
    specfile::unknown_events(spec, messages)
}
