// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts that SOLOIST and MTL share: operators and their precedence, intervals, aggregates, foreign spellings.
//!
//! Each of these languages is a [`Dialect`]: its letters and words, the meaning of an operator without an interval, and
//! a parser for the forms that only it has.

pub(crate) mod aggregate;
pub(crate) mod interval;
mod lower;
pub(crate) mod operator;
pub(crate) mod parse;
pub(crate) mod print;
pub(crate) mod syntax;

use gnomon_ir::formula::{Bounds, Formula};

use crate::syntax::cursor::Cursor;
use syntax::Syntax;

/// A temporal language.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    /// The name of the language in messages.
    pub(crate) name: &'static str,
    /// The letters that are operators, or begin something of its own.
    pub(crate) letters: &'static str,
    /// Words that are operators too, with the letters they stand for.
    pub(crate) words: &'static [(&'static str, char)],
    /// Characters that are operators too, by the letters they stand for.
    pub(crate) signs: &'static [(char, &'static [&'static str])],
    /// Reads a form that only this language has, if the current token begins one.
    pub(crate) own: fn(&mut Cursor<'_>, &Dialect) -> Option<Syntax>,
    /// Returns an example of an aggregate with this letter or word.
    pub(crate) form: fn(&str) -> String,
    /// True if a word among an event's parameters is a variable.
    pub(crate) variables: bool,
    /// True if operators exclude the present position. Then an operator without an interval has `(0,inf)`, and windows
    /// are open at their far end; otherwise the interval is `[0,inf)`, and windows are closed.
    pub(crate) strict: bool,
    /// True if aggregates are false while the trace is younger than their window.
    pub(crate) full_window: bool,
}

impl Dialect {
    /// Returns the interval of an operator that is written without one.
    fn omitted(&self) -> Bounds {
        if self.strict { Bounds::POSITIVE } else { Bounds::ANY }
    }
}

/// Reads the whole text as one formula. Returns `None` after reporting what could not be understood.
pub(crate) fn formula(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Formula> {
    let syntax = parse::parse(cursor, dialect)?;
    lower::lower(cursor, &syntax, dialect)
}
