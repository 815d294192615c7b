// SPDX-License-Identifier: MIT OR Apache-2.0
//! ALBERT: assertions over the states of a composition, with variables, arithmetic and functions of the past.
//!
//! The grammar is in `albert/GRAMMAR.md`. The oracle and the engine give formulae their meaning.

mod call;
mod foreign;
mod list_quantifier;
mod lower;
mod operator;
mod parse;
mod print;
mod syntax;
mod value;

use gnomon_ir::spec::{Body, Language};

use crate::specfile::{BlockContent, Frontend, LanguageOptions};
use crate::syntax::cursor::Cursor;

pub use print::print;

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend::plain(Language::Albert, true, read);

fn read(cursor: &mut Cursor<'_>, _options: &LanguageOptions) -> Option<BlockContent> {
    if cursor.at_end() {
        let help = "write what must be true in every state, for example `onEvent(Pay) -> Within(onEvent(Ship), 10)`";
        return cursor.report_empty("there is no formula", "a formula is expected here", help).none();
    }
    let syntax = parse::parse(cursor);
    let formula = lower::lower(cursor, &syntax)?;
    Some((vec![], Body::Formula(formula)))
}
