// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the temporal languages share: operators and how tightly they bind, intervals, windows, slips of spelling.
//!
//! A language of this kind is a [`Dialect`]: which letters and words it has, whether its operators look past the present,
//! and what it reads besides. It lives in a module of its own and knows no other.

pub(crate) mod aggregate;
pub(crate) mod interval;
mod lower;
pub(crate) mod operator;
pub(crate) mod parse;
pub(crate) mod print;
mod slip;
pub(crate) mod syntax;

use gnomon_ir::formula::{Bounds, Formula};

use crate::specfile::cursor::Cursor;
use syntax::Syntax;

/// A temporal language.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    /// What it is called in messages.
    pub(crate) name: &'static str,
    /// The letters that are operators, or begin something of its own.
    pub(crate) letters: &'static str,
    /// Words that are operators too, with the letters they stand for.
    pub(crate) words: &'static [(&'static str, char)],
    /// Characters that are operators too.
    pub(crate) signs: &'static [(&'static str, char)],
    /// Reads what only this language has, if the current token begins it.
    pub(crate) own: fn(&mut Cursor<'_>, &Dialect) -> Option<Syntax>,
    /// How an aggregate is written, with its own letter or word.
    pub(crate) form: fn(&str) -> String,
    /// Whether a word among an event's parameters is a variable.
    pub(crate) variables: bool,
    /// Whether its operators look past the present position. If so, no interval means `(0,inf)` and windows are open at
    /// their far end; if not, `[0,inf)` and closed.
    pub(crate) strict: bool,
    /// Whether aggregates are false while the trace is younger than their window.
    pub(crate) full_window: bool,
}

impl Dialect {
    /// The interval of an operator without one.
    fn omitted(&self) -> Bounds {
        if self.strict { Bounds::POSITIVE } else { Bounds::ANY }
    }
}

/// Reads all there is as one formula; `None` if a part of it could not be understood, which has been reported.
pub(crate) fn formula(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Formula> {
    let syntax = parse::parse(cursor, dialect)?;
    lower::lower(cursor, &syntax, dialect)
}
