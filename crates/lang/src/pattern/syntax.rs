// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pattern as written: whether its parts go together is not yet asked.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_ir::formula::Bounds;
use gnomon_ir::requirement::{Amount, ScopeKind};
use gnomon_ir::spec::Quantifier;

use crate::specfile::atom::{ArgumentSyntax, AtomSyntax, argument, atom_with};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;

/// The body of a block. What could not be understood is not there, and has been reported.
pub(super) struct Syntax {
    pub(super) prefix: Option<Vec<Quantifier>>,
    pub(super) scope: Option<Scope>,
    pub(super) phrase: Option<Phrase>,
}

/// `between open and close`
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) opens: Option<Event>,
    pub(super) closes: Option<Event>,
    pub(super) span: Span,
}

/// `S, T without Z respond to P within 10s, P required`
pub(super) struct Phrase {
    pub(super) verb: Verb,
    /// Where the words stand that say which behaviour it is.
    pub(super) verb_span: Span,
    /// The events before the verb.
    pub(super) subjects: Vec<Event>,
    pub(super) without: Option<Clause>,
    /// The events after the verb.
    pub(super) objects: Vec<Event>,
    pub(super) required: Option<Clause>,
    pub(super) bound: Option<Bound>,
    pub(super) span: Span,
}

/// An event with a word that says what it is there for.
pub(super) struct Clause {
    pub(super) event: Event,
    pub(super) span: Span,
}

/// What a behaviour is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Absence,
    Existence,
    Count(Amount, u64),
    Universality,
    Only,
    Precede,
    Respond,
    Recur,
}

/// `within [2s, 10s]`, `in 10s`, `every 10s`
pub(super) struct Bound {
    pub(super) word: Span,
    pub(super) bounds: Bounds,
    /// The one time that is written; `None` where an interval is.
    pub(super) single: Option<Quantity>,
    pub(super) span: Span,
}

/// An event.
pub(super) type Event = AtomSyntax<Argument>;

/// A parameter.
#[derive(Debug)]
pub(super) enum Argument {
    /// As everywhere.
    Plain(ArgumentSyntax),
    /// `*`: each value for itself.
    Every(Span),
}

/// Words that stand between events: they are none, unless in quotes.
const BETWEEN: &[&str] =
    &["precede", "precedes", "respond", "responds", "recurs", "without", "within", "required", "until", "and"];

/// Whether an event begins `n` tokens on.
pub(super) fn begins_event(cursor: &Cursor<'_>, n: usize) -> bool {
    match cursor.nth(n).kind {
        Kind::Text | Kind::OpenText => true,
        Kind::Word => cursor.nth_word(n).is_some_and(|word| !BETWEEN.contains(&word)),
        _ => false,
    }
}

/// Reads an event; blames the current token if there is none.
pub(super) fn event(cursor: &mut Cursor<'_>, what: &str) -> Option<Event> {
    if !begins_event(cursor, 0) {
        let diagnostic = cursor.unexpected(what);
        cursor.blame(match cursor.word() {
            Some(word) => {
                let span = cursor.peek().span;
                diagnostic.edit("an event of that name stands in quotes", span, format!("\"{word}\""))
            }
            None => diagnostic,
        });
        return None;
    }
    cursor.grow();
    atom_with(cursor, &mut |cursor| match cursor.eat("*") {
        Some(span) => Some(Argument::Every(span)),
        None => argument(cursor).map(Argument::Plain),
    })
}
