// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spec files: declarations, blocks of properties, examples. The grammar is in `specfile/GRAMMAR.md`.
//!
//! It knows no language: the caller hands it a table of [`Reader`]s, and what all languages share (tokens, atoms,
//! conditions, constants) is offered to them from here.

pub(crate) mod atom;
mod block;
pub(crate) mod chain;
pub(crate) mod condition;
pub(crate) mod cursor;
mod event;
mod example;
pub(crate) mod lexer;
pub(crate) mod literal;
mod log;
mod names;
mod parse;
pub(crate) mod print;
pub(crate) mod similar;

use gnomon_ir::spec::{Body, Language, Quantifier};

use cursor::Cursor;

pub(crate) use parse::{is_statement, parse};

/// A language that blocks may be written in.
pub(crate) struct Reader {
    /// Which.
    pub(crate) language: Language,
    /// The options that only this language has.
    pub(crate) options: &'static [&'static str],
    /// Whether a property's name may stand in parentheses: `qea(name) { ... }`.
    pub(crate) parenthesised: bool,
    /// Whether events with equal times may be one position.
    pub(crate) merges: bool,
    /// Reads the body of a block, given those options that were chosen. `None` if it could not be understood.
    pub(crate) read: fn(&mut Cursor<'_>, &[&'static str]) -> Option<Content>,
}

/// What a block says: the quantifiers in front, and the rest.
pub(crate) type Content = (Vec<Quantifier>, Body);
