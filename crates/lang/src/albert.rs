// SPDX-License-Identifier: MIT OR Apache-2.0
//! ALBERT: assertions over the states of a composition, with variables, arithmetic and functions of the past.
//!
//! The grammar is in `albert/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod call;
mod each;
mod foreign;
mod lower;
mod mismatch;
mod operator;
mod parse;
mod print;
mod syntax;
mod value;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::formula::{Bounds, Formula, Kind, Unary};
use gnomon_ir::spec::{Body, Language};

use crate::specfile::cursor::Cursor;
use crate::specfile::{Chosen, Content, Reader};

pub use print::print;

/// How blocks of this language are read.
pub(crate) const READER: Reader =
    Reader { language: Language::Albert, options: &[], parenthesised: false, merges: true, read };

fn read(cursor: &mut Cursor<'_>, _options: &Chosen) -> Option<Content> {
    if cursor.at_end() {
        let span = cursor.peek().span;
        cursor.blame(
            Diagnostic::error("G0109", span, "there is no formula").label("a formula is expected here").help(
                "write what must be true in every state, for example `onEvent(Pay) -> Within(onEvent(Ship), 10)`",
            ),
        );
        return None;
    }
    let syntax = parse::parse(cursor);
    let body = lower::lower(cursor, &syntax)?;
    Some((vec![], Body::Formula(invariant(body))))
}

/// A property speaks of every state.
fn invariant(body: Formula) -> Formula {
    let span = body.span;
    let kind =
        Kind::Unary { operator: Unary::Always, strict: false, times: 1, interval: Bounds::ANY, of: Box::new(body) };
    Formula { kind, span }
}
