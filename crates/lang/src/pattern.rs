// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns in words: a scope that divides the trace into segments, and a behaviour that each segment must
//! have.
//!
//! A block is read in three parts, `for every u:` (prefix), `after login until logout:` (scope) and `reply(u) responds
//! to ask(u) within 3s` (phrase). The parser accepts any combination of words; lowering then checks that the parts fit
//! together, because a message such as "`within` means nothing with `absence of`" needs the whole phrase.
//!
//! A `*` among parameters stands for each value separately. Lowering expands it: every `*` becomes a variable of its
//! own, with a name that no source can contain, and all of them are quantified in front: `globally: absence of pay(*)`
//! is `for every *: globally: absence of pay(*)`. The printer writes such a variable as `*` again if it occurs once,
//! and under a fresh name otherwise (`syntax/wildcard.rs`).
//!
//! The grammar is in `pattern/GRAMMAR.md`. The oracle and the engine give patterns their meaning.

mod behaviour;
mod lower;
mod print;
mod scope;
mod syntax;

use gnomon_ir::spec::{Body, Language};

use crate::specfile::{BlockContent, Frontend, LanguageOptions};
use crate::syntax::cursor::Cursor;
use syntax::Syntax;

pub use print::{print, print_pattern};

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend::plain(Language::Pattern, false, read);

/// Words with a meaning in the prefix, in scopes or in behaviours, beside separators and verbs.
const KEYWORDS: &[&str] = &[
    "for",
    "every",
    "each",
    "all",
    "last",
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
    "in",
    "to",
];

/// Returns true if a word means something at some place, so that an event of such a name is printed in quotes.
fn is_keyword(word: &str) -> bool {
    let tables = [KEYWORDS, scope::WORDS, syntax::SEPARATORS];
    tables.iter().any(|words| words.contains(&word)) || behaviour::is_verb(word)
}

fn read(cursor: &mut Cursor<'_>, _options: &LanguageOptions) -> Option<BlockContent> {
    if cursor.at_end() {
        let help = "state where something must be true, and what: `globally: reply responds to request`";
        return cursor.report_empty("there is no pattern", "a scope and a behaviour are expected here", help).none();
    }
    let prefix = scope::prefix(cursor);
    let scope = scope::scope(cursor);
    let phrase = behaviour::phrase(cursor);
    let (prefix, pattern) = lower::lower(cursor, Syntax { prefix, scope, phrase })?;
    Some((prefix, Body::Pattern(pattern)))
}
