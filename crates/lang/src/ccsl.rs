// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clock constraints (CCSL): `req < ack`, `clock late := req $ 1`.
//!
//! The grammar is in `ccsl/GRAMMAR.md`. The oracle and the engine give relations and definitions their meaning.

mod parse;
mod print;

use gnomon_ir::Language;

use crate::specfile::Frontend;

pub use print::{print, print_definition, print_relation};

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend::plain(Language::Ccsl, true, parse::read);

/// Words of the language. A clock of such a name is written in quotes.
const WORDS: [&str; 12] =
    ["clock", "subclock", "on", "every", "from", "filter", "sampled", "strictly", "upto", "wait", "inf", "sup"];
