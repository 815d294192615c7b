// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages, after RV4WS and its Nomad dialect: what must or must not happen near a message, and which fields
//! tie the messages together.
//!
//! The grammar is in `nomad/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod action;
mod context;
mod correlation;
mod lower;
mod parse;
mod print;
mod syntax;
mod window;

use gnomon_ir::rule::Matching;
use gnomon_ir::spec::{Body, Language};

use crate::specfile::cursor::Cursor;
use crate::specfile::{Chosen, Content, OptionKind, Reader};

pub use print::{print, print_rule, print_spec};

const MATCHING: &str = "matching";
const STRICT_END: &str = "strict-end";
const PAIRED: &str = "paired";
const ANY: &str = "any";

/// How blocks of this language are read.
pub(crate) const READER: Reader = Reader {
    language: Language::Nomad,
    options: &[OptionKind { word: MATCHING, values: &[PAIRED, ANY] }, OptionKind::plain(STRICT_END)],
    parenthesised: false,
    merges: false,
    read,
};

fn read(cursor: &mut Cursor<'_>, options: &Chosen) -> Option<Content> {
    let syntax = parse::parse(cursor)?;
    let matching = if options.value(MATCHING) == Some(ANY) { Matching::Any } else { Matching::Paired };
    let rule = lower::lower(cursor, syntax, matching, options.has(STRICT_END))?;
    Some((vec![], Body::Rule(rule)))
}
