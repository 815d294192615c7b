// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns in words: a scope that cuts the trace into segments, and a behaviour asked of each.
//!
//! The grammar is in `pattern/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod behaviour;
mod lower;
mod prefix;
mod print;
mod scope;
mod syntax;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::spec::{Body, Language};

use crate::specfile::cursor::Cursor;
use crate::specfile::{Chosen, Content, Reader};
use syntax::Syntax;

pub use print::{print, print_requirement};

/// How blocks of this language are read.
pub(crate) const READER: Reader =
    Reader { language: Language::Pattern, options: &[], parenthesised: false, merges: false, read };

/// Words that mean something at some place, so that an event of such a name is printed in quotes.
const KEYWORDS: &[&str] = &[
    "for",
    "every",
    "each",
    "all",
    "globally",
    "before",
    "until",
    "after",
    "last",
    "between",
    "and",
    "absence",
    "existence",
    "universality",
    "of",
    "never",
    "only",
    "at",
    "most",
    "least",
    "exactly",
    "precede",
    "precedes",
    "respond",
    "responds",
    "to",
    "recur",
    "recurs",
    "exist",
    "exists",
    "without",
    "within",
    "in",
    "required",
];

fn read(cursor: &mut Cursor<'_>, _options: &Chosen) -> Option<Content> {
    if cursor.at_end() {
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0109", span, "there is no pattern")
                .label("a scope and a behaviour are expected here")
                .help("say where something must be so, and what: `globally: reply responds to request`"),
        );
        return None;
    }
    let prefix = prefix::prefix(cursor);
    let scope = scope::scope(cursor);
    let phrase = behaviour::phrase(cursor);
    let (prefix, requirement) = lower::lower(cursor, Syntax { prefix, scope, phrase })?;
    Some((prefix, Body::Requirement(requirement)))
}
