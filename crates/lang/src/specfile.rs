// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spec files: declarations, blocks of properties, examples. The grammar is in `specfile/GRAMMAR.md`.
//!
//! It knows no language: the caller hands it a table of [`Reader`]s, and what all languages share (tokens, atoms,
//! conditions, constants) is offered to them from here.

pub(crate) mod atom;
mod block;
pub(crate) mod chain;
pub(crate) mod condition;
pub(crate) mod connective;
pub(crate) mod cursor;
mod declaration;
mod event;
mod example;
mod external;
pub(crate) mod lexer;
pub(crate) mod literal;
mod log;
mod mentions;
mod names;
mod parse;
pub(crate) mod print;
pub(crate) mod rest;
pub(crate) mod similar;
mod unknown;
pub(crate) mod wildcard;

use gnomon_ir::spec::{Body, Language, Quantifier};

use cursor::Cursor;

pub(crate) use declaration::print as print_event;
pub(crate) use external::print as print_extern;
pub(crate) use parse::{check_names, is_statement, parse};
pub(crate) use unknown::unknown_events;

/// A language that blocks may be written in.
pub(crate) struct Reader {
    /// Which.
    pub(crate) language: Language,
    /// The options that only this language has.
    pub(crate) options: &'static [OptionKind],
    /// Whether a property's name may stand in parentheses: `qea(name) { ... }`.
    pub(crate) parenthesised: bool,
    /// Whether events with equal times may be one position.
    pub(crate) merges: bool,
    /// Reads the body of a block, given those options that were chosen. `None` if it could not be understood.
    pub(crate) read: fn(&mut Cursor<'_>, &Chosen) -> Option<Content>,
}

/// An option that one language has.
pub(crate) struct OptionKind {
    /// `strict-end`, or the first word of `matching any`.
    pub(crate) word: &'static str,
    /// The words of which one follows; empty if none does.
    pub(crate) values: &'static [&'static str],
}

impl OptionKind {
    /// An option of one word.
    pub(crate) const fn plain(word: &'static str) -> Self {
        OptionKind { word, values: &[] }
    }
}

/// The options of its language that a property has, each with its value.
#[derive(Default)]
pub(crate) struct Chosen(Vec<(&'static str, Option<&'static str>)>);

impl Chosen {
    /// Whether an option was chosen.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == word)
    }

    /// The value that an option was given.
    pub(crate) fn value(&self, word: &str) -> Option<&'static str> {
        self.0.iter().find(|(known, _)| *known == word).and_then(|(_, value)| *value)
    }
}

/// What a block says: the quantifiers in front, and the rest.
pub(crate) type Content = (Vec<Quantifier>, Body);
