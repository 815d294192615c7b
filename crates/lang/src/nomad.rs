// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages, after RV4WS and its Nomad dialect. A rule says what must or must not happen near a message, and
//! which fields correlate the messages.
//!
//! The grammar is in `nomad/GRAMMAR.md`. The oracle and the engine give rules their meaning.

mod context;
mod lower;
mod parse;
mod print;
mod syntax;
mod window;

use gnomon_ir::{Body, Language, Matching};

use crate::specfile::{BlockContent, Frontend, LanguageOption, LanguageOptions};
use crate::syntax::cursor::Cursor;

pub use print::{print, print_rule, print_spec};

const MATCHING: &str = "matching";
const STRICT_END: &str = "strict-end";

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend {
    options: &[
        LanguageOption { word: MATCHING, values: &[Matching::Paired.word(), Matching::Any.word()] },
        LanguageOption::plain(STRICT_END),
    ],
    ..Frontend::plain(Language::Nomad, false, read)
};

fn read(cursor: &mut Cursor<'_>, options: &LanguageOptions) -> Option<BlockContent> {
    let syntax = parse::parse(cursor)?;
    let matching = options.value(MATCHING).and_then(Matching::parse).unwrap_or_default();
    let rule = lower::lower(cursor, syntax, matching, options.has(STRICT_END))?;
    Some((vec![], Body::Rule(rule)))
}
