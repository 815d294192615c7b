// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages in XML: the other form of what `nomad` blocks say, for tools and for those who have such files.
//!
//! The format is in `rules/FORMAT.md`, its schema in `docs/schema/rules.xsd`. Both forms are read to the same
//! [`Rule`](gnomon_ir::rule::Rule).

mod condition;
mod event;
mod form;
mod query;
mod read;
mod report;
mod rule;
mod write;
mod xml;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::spec::Spec;

pub use write::{Unwritable, print};

/// The namespace of the elements.
pub const NAMESPACE: &str = "urn:gnomon:rules:1";

/// Whether a text is XML, and no spec file: no statement begins with `<`.
pub(crate) fn is_xml(source: &str) -> bool {
    let text = source.trim_start_matches(|first: char| first.is_whitespace() || first == '\u{feff}');
    let mut characters = text.chars();
    characters.next() == Some('<')
        && characters.next().is_some_and(|second| second.is_alphabetic() || matches!(second, '?' | '!' | '_'))
}

/// Reads a file of rules.
pub(crate) fn parse(source: &str) -> (Spec, Vec<Diagnostic>) {
    read::read(source)
}
