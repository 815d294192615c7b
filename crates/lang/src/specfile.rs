// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spec files: declarations, blocks of properties, examples. The grammar is in `specfile/GRAMMAR.md`.
//!
//! This module knows no language: the caller passes a table of [`Frontend`]s. A file is read statement by statement; a
//! block is read in two steps. First the end of its body is found, at the closing brace or before the next statement,
//! so that an unclosed brace cannot swallow the rest of the file. Then the language's front end reads the body as if it
//! were a file of its own.

mod block;
mod case;
mod declaration;
mod example;
mod names;
mod parse;
pub(crate) mod print;

use gnomon_ir::spec::{Body, Language, Quantifier};

use crate::syntax::cursor::Cursor;

pub use names::unknown_events;
pub(crate) use parse::{check_names, is_statement, parse};

/// The front end of a language that blocks may be written in.
pub(crate) struct Frontend {
    /// The language.
    pub(crate) language: Language,
    /// The options that only this language has.
    pub(crate) options: &'static [LanguageOption],
    /// True if a property's name may stand in parentheses: `qea(name) { ... }`.
    pub(crate) parenthesised: bool,
    /// True if events with equal times may form one position.
    pub(crate) merges: bool,
    /// Reads the body of a block with these options. Returns `None` after reporting an error.
    pub(crate) read: fn(&mut Cursor<'_>, &LanguageOptions) -> Option<BlockContent>,
}

impl Frontend {
    /// Creates the front end of a language without options of its own, whose blocks are named as usual.
    pub(crate) const fn plain(
        language: Language,
        merges: bool,
        read: fn(&mut Cursor<'_>, &LanguageOptions) -> Option<BlockContent>,
    ) -> Self {
        Frontend { language, options: &[], parenthesised: false, merges, read }
    }
}

/// An option that one language has.
pub(crate) struct LanguageOption {
    /// `strict-end`, or the first word of `matching any`.
    pub(crate) word: &'static str,
    /// The values, one of which follows the word; empty if the option has none.
    pub(crate) values: &'static [&'static str],
}

impl LanguageOption {
    /// Creates an option of one word.
    pub(crate) const fn plain(word: &'static str) -> Self {
        LanguageOption { word, values: &[] }
    }
}

/// The options of its language that a property has, each with its value.
#[derive(Default)]
pub(crate) struct LanguageOptions(Vec<(&'static str, Option<&'static str>)>);

impl LanguageOptions {
    /// Returns true if the property has an option.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == word)
    }

    /// Returns the value of an option.
    pub(crate) fn value(&self, word: &str) -> Option<&'static str> {
        self.0.iter().find(|(known, _)| *known == word).and_then(|(_, value)| *value)
    }
}

/// The content of a block: the quantifiers in front, and the body.
pub(crate) type BlockContent = (Vec<Quantifier>, Body);
