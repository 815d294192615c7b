// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pattern as written, before its parts are checked against each other.

use gnomon_core::{Quantity, Span};
use gnomon_ir::{Bounds, CountBound, Quantifier, Scope};

use crate::syntax::atom::{argument, atom_with};
use crate::syntax::{ArgumentSyntax, AtomSyntax, Cursor, Token};

/// The body of a block. A part that could not be understood is missing, and has been reported.
pub(super) struct Syntax {
    pub(super) prefix: Option<Vec<Quantifier>>,
    pub(super) scope: Option<ScopeSyntax>,
    pub(super) phrase: Option<Phrase>,
}

/// `between open and close`
pub(super) type ScopeSyntax = Scope<EventSyntax>;

/// `S, T without Z respond to P within 10s, P required`
pub(super) struct Phrase {
    pub(super) verb: Verb,
    /// The position of the words that name the behaviour.
    pub(super) verb_span: Span,
    /// The events before the verb.
    pub(super) subjects: Vec<EventSyntax>,
    pub(super) without: Option<EventClause>,
    /// The events after the verb.
    pub(super) objects: Vec<EventSyntax>,
    pub(super) required: Option<EventClause>,
    pub(super) bound: Option<TimeLimit>,
    pub(super) span: Span,
}

/// An event with a word that gives its role: `without Z`, `P required`.
pub(super) struct EventClause {
    pub(super) event: EventSyntax,
    pub(super) span: Span,
}

/// The name of a behaviour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Absence,
    Existence,
    Count(CountBound, u64),
    Universality,
    Only,
    Precede,
    Respond,
    Recur,
}

/// `within [2s, 10s]`, `in 10s`, `every 10s`
pub(super) struct TimeLimit {
    pub(super) word: Span,
    pub(super) bounds: Bounds,
    /// The one time that is written; `None` if an interval is.
    pub(super) single: Option<Quantity>,
    pub(super) span: Span,
}

/// An event.
pub(super) type EventSyntax = AtomSyntax<EventParameter>;

/// A parameter.
#[derive(Debug)]
pub(super) enum EventParameter {
    /// A parameter that all languages have.
    Plain(ArgumentSyntax),
    /// `*`: each value separately.
    Every(Span),
}

/// Words that separate events; an event of such a name must be in quotes.
pub(super) const SEPARATORS: &[&str] =
    &["precede", "precedes", "respond", "responds", "recurs", "without", "within", "required", "until", "and"];

/// Returns true if an event begins `n` tokens on.
pub(super) fn begins_event(cursor: &Cursor<'_>, n: usize) -> bool {
    match cursor.nth(n).kind {
        Token::Text | Token::OpenText => true,
        Token::Word => cursor.nth_word(n).is_some_and(|word| !SEPARATORS.contains(&word)),
        _ => false,
    }
}

/// Reads an event. Reports the current token if there is none.
pub(super) fn event(cursor: &mut Cursor<'_>, what: &str) -> Option<EventSyntax> {
    if !begins_event(cursor, 0) {
        let edit = |word: &str| format!("\"{word}\"");
        return cursor.expected_edit(what, "an event of that name must be in quotes", edit).none();
    }
    cursor.count_node();
    atom_with(cursor, &mut |cursor| match cursor.eat("*") {
        Some(span) => Some(EventParameter::Every(span)),
        None => argument(cursor).map(EventParameter::Plain),
    })
}
