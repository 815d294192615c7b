// SPDX-License-Identifier: MIT OR Apache-2.0
//! Behaviours, as phrases: `absence of P`, `at most 2 P in 10s`, `S, T without Z respond to P, P required`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Quantity;
use gnomon_ir::formula::Bounds;
use gnomon_ir::requirement::Amount;

use super::syntax::{Bound, Clause, Event, Phrase, Verb, begins_event, event};
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;
use crate::specfile::literal::UnitPlace;
use crate::specfile::similar::nearest;
use crate::temporal::interval::{bracketed, constant};

/// Reads all there is as one behaviour; `None` if it could not be understood, which has been reported.
pub(super) fn phrase(cursor: &mut Cursor<'_>) -> Option<Phrase> {
    let start = cursor.peek().span;
    if cursor.at_end() {
        let diagnostic = cursor.unexpected("a behaviour");
        cursor.blame(
            diagnostic.help("say what must be so, for example `absence of error` or `reply responds to request`"),
        );
        return None;
    }
    let mut phrase = match noun(cursor) {
        Some(verb) => {
            let verb_span = start.to(cursor.previous().map_or(start, |last| last.span));
            let (objects, required) =
                if verb == Some(Verb::Only) { list(cursor)? } else { (vec![event(cursor, "an event")?], None) };
            Phrase { required, ..sentence(verb?, verb_span, vec![], objects) }
        }
        None => subject_first(cursor)?,
    };
    while tail(cursor, &mut phrase)? {}
    if !cursor.at_end() {
        leftover(cursor, &phrase);
        return None;
    }
    phrase.span = start.to(cursor.previous().map_or(start, |last| last.span));
    Some(phrase)
}

fn sentence(verb: Verb, verb_span: Span, subjects: Vec<Event>, objects: Vec<Event>) -> Phrase {
    Phrase { verb, verb_span, subjects, without: None, objects, required: None, bound: None, span: verb_span }
}

/// Takes the words of a behaviour that begins with them. The inner `None`: they could not be understood.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn noun(cursor: &mut Cursor<'_>) -> Option<Option<Verb>> {
    let of = cursor.nth_word(1) == Some("of");
    let (verb, words) = match cursor.word()? {
        "absence" if of => (Verb::Absence, 2),
        "existence" if of => (Verb::Existence, 2),
        "universality" if of => (Verb::Universality, 2),
        "never" if begins_event(cursor, 1) => (Verb::Absence, 1),
        "only" if begins_event(cursor, 1) => (Verb::Only, 1),
        "at" if matches!(cursor.nth_word(1), Some("most")) => return Some(count(cursor, Amount::AtMost, 2)),
        "at" if matches!(cursor.nth_word(1), Some("least")) => return Some(count(cursor, Amount::AtLeast, 2)),
        "exactly" if !is_verb(cursor.nth_word(1)) => return Some(count(cursor, Amount::Exactly, 1)),
        word if of => {
            let token = cursor.peek();
            let diagnostic = Diagnostic::error("G0141", token.span, format!("`{word} of` is no behaviour"))
                .label("`absence of`, `existence of` or `universality of` is expected");
            cursor.blame(match nearest(word, ["absence", "existence", "universality"]) {
                Some(meant) => diagnostic.edit(format!("write `{meant}`"), token.span, meant),
                None => diagnostic.help("write for example `absence of error`"),
            });
            return Some(None);
        }
        _ => return None,
    };
    (0..words).for_each(|_| {
        cursor.bump();
    });
    Some(Some(verb))
}

/// `at most 2`
fn count(cursor: &mut Cursor<'_>, amount: Amount, words: usize) -> Option<Verb> {
    (0..words).for_each(|_| {
        cursor.bump();
    });
    let token = cursor.peek();
    let written = cursor.text(token);
    let meant = match written {
        "one" | "once" | "a" | "an" => Some("1"),
        "two" | "twice" => Some("2"),
        "three" => Some("3"),
        "no" | "zero" => Some("0"),
        _ => None,
    };
    let words = amount.words();
    if let Some(meant) = meant.filter(|_| begins_event(cursor, 1)) {
        cursor.report(respelt(written, token.span, meant));
        cursor.bump();
        return meant.parse().ok().map(|number| Verb::Count(amount, number));
    }
    if token.kind != Kind::Number {
        let diagnostic = cursor.unexpected(&format!("a number after `{words}`"));
        cursor.blame(diagnostic.help(format!("say how many: `{words} 2 retry`")));
        return None;
    }
    cursor.bump();
    let number = written.parse().ok();
    if number.is_none() {
        cursor.report(
            Diagnostic::error("G0146", token.span, format!("`{written}` is no number of events"))
                .label("a whole number is expected")
                .help("events are counted: write a whole number that fits 64 bits"),
        );
    }
    Some(Verb::Count(amount, number?))
}

fn is_verb(word: Option<&str>) -> bool {
    matches!(word, Some("precede" | "precedes" | "respond" | "responds" | "recur" | "recurs" | "exist" | "exists"))
}

/// `S, T without Z respond to P`
fn subject_first(cursor: &mut Cursor<'_>) -> Option<Phrase> {
    let (subjects, required) = list(cursor)?;
    if let Some(required) = required {
        let span = required.span;
        let word = Span { start: required.event.span.end, ..span };
        cursor.report(
            Diagnostic::error("G0141", span, "there is no behaviour before this")
                .label("`required` stands at the end")
                .also(word, "a verb is expected first")
                .help("write for example `login precedes order, login required`"),
        );
        return None;
    }
    let without = match cursor.eat_word("without") {
        Some(word) => {
            let event = event(cursor, "the event that must not come between")?;
            let span = word.to(event.span);
            Some(Clause { event, span })
        }
        None => None,
    };
    let token = cursor.peek();
    let verb = match cursor.word() {
        Some("precede" | "precedes") => Verb::Precede,
        Some("respond" | "responds") => Verb::Respond,
        Some("recur" | "recurs") => Verb::Recur,
        Some("exist" | "exists") => Verb::Existence,
        _ => {
            no_verb(cursor, &subjects);
            return None;
        }
    };
    cursor.bump();
    let mut verb_span = token.span;
    if verb == Verb::Respond {
        verb_span = verb_span.to(to(cursor));
    }
    let mut phrase = sentence(verb, verb_span, subjects, vec![]);
    phrase.without = without;
    if matches!(verb, Verb::Precede | Verb::Respond) {
        (phrase.objects, phrase.required) = list(cursor)?;
    } else if let [_, second, ..] = phrase.subjects.as_slice() {
        let diagnostic = Diagnostic::error("G0141", second.span, "one event is expected")
            .label(format!("`{}` is about one event", cursor.slice(verb_span)))
            .help("write a property for each of them, or give them one name with an `event` declaration");
        cursor.report(diagnostic);
        return None;
    } else {
        phrase.objects = std::mem::take(&mut phrase.subjects);
    }
    Some(phrase)
}

/// The `to` of `responds to`.
fn to(cursor: &mut Cursor<'_>) -> Span {
    let before = cursor.previous().map_or(cursor.peek().span, |verb| verb.span);
    if let Some(span) = cursor.eat_word("to") {
        return span;
    }
    let token = cursor.peek();
    let found = cursor.describe(token);
    cursor.blame(
        Diagnostic::error("G0101", token.span, format!("expected `to`, found {found}"))
            .label("something responds to something")
            .edit("write `to`", Span { start: before.end, end: before.end }, " to"),
    );
    before
}

/// Events with commas between them, and the one that is required, if that stands among them.
fn list(cursor: &mut Cursor<'_>) -> Option<(Vec<Event>, Option<Clause>)> {
    let mut events = vec![event(cursor, "an event")?];
    loop {
        let token = cursor.peek();
        match (token.kind, cursor.text(token)) {
            (Kind::Symbol(","), _) => {
                cursor.bump();
            }
            (Kind::Word, word @ ("and" | "then")) => {
                cursor.report(respelt(word, token.span, ","));
                cursor.bump();
            }
            _ => return Some((events, None)),
        }
        if cursor.word() == Some("required") {
            required_alone(cursor);
            return None;
        }
        let event = event(cursor, "an event")?;
        if let Some(word) = cursor.eat_word("required") {
            let span = event.span.to(word);
            return Some((events, Some(Clause { event, span })));
        }
        events.push(event);
    }
}

/// `p precedes s, required`
fn required_alone(cursor: &mut Cursor<'_>) {
    let span = cursor.peek().span;
    cursor.blame(
        Diagnostic::error("G0143", span, "what is required is not said")
            .label("the cause, or what is responded to, is expected before this")
            .help("name the event: `login precedes order, login required`"),
    );
}

/// What may stand after the events: a bound, a requirement. Whether there was one.
fn tail(cursor: &mut Cursor<'_>, phrase: &mut Phrase) -> Option<bool> {
    if phrase.bound.is_none() && matches!(cursor.word(), Some("within" | "in" | "every")) {
        phrase.bound = Some(bound(cursor)?);
        return Some(true);
    }
    if phrase.required.is_none() && cursor.is(",") {
        cursor.bump();
        if cursor.word() == Some("required") {
            required_alone(cursor);
            return None;
        }
        let event = event(cursor, "the event that is required")?;
        let Some(word) = cursor.eat_word("required") else {
            let diagnostic = cursor.unexpected("`required`");
            cursor.blame(
                diagnostic.help("events of a list stand before `within`; `P required` is all that may follow it"),
            );
            return None;
        };
        let span = event.span.to(word);
        phrase.required = Some(Clause { event, span });
        return Some(true);
    }
    Some(false)
}

/// `within 10s`, `within [2s, 10s]`
fn bound(cursor: &mut Cursor<'_>) -> Option<Bound> {
    let word = cursor.bump().span;
    if cursor.is("[") || cursor.is("(") {
        let count = cursor.count();
        let bounds = bracketed(cursor);
        let span = word.to(bounds.span.unwrap_or(word));
        return (cursor.count() == count).then_some(Bound { word, bounds, single: None, span });
    }
    let (hi, end) = constant(cursor, UnitPlace::Sure, "a time, as in `10s`, or an interval, as in `[2s, 10s]`")?;
    let (lo, span) = (Quantity::whole(0), Some(end));
    let bounds = Bounds { lo, lo_closed: true, hi: Some(hi), hi_closed: true, span };
    Some(Bound { word, bounds, single: Some(hi), span: word.to(end) })
}

/// Something where a verb should be.
fn no_verb(cursor: &mut Cursor<'_>, subjects: &[Event]) {
    let token = cursor.peek();
    let found = cursor.describe(token);
    let diagnostic = Diagnostic::error("G0141", token.span, format!("expected a behaviour, found {found}"))
        .label("`precedes`, `responds to`, `recurs every` or `exists` is expected");
    let first = subjects.first().map_or("", |event| cursor.slice(event.span));
    let meant = match cursor.word() {
        Some("occurs" | "occur" | "happens") => Some("exists"),
        Some("answers" | "follows" | "answer" | "follow") => Some("responds to"),
        Some(word) => nearest(word, ["precedes", "precede", "responds", "respond", "recurs", "exists", "without"]),
        None => None,
    };
    let leads = cursor.word() == Some("leads") && cursor.nth_word(1) == Some("to") && subjects.len() == 1;
    let diagnostic = if leads && begins_event(cursor, 2) {
        let object = cursor.nth(2).span;
        let (whole, object) = (subjects[0].span.to(object), cursor.slice(object));
        diagnostic.edit("turn it round", whole, format!("{object} responds to {first}"))
    } else if let Some(meant) = meant {
        diagnostic.edit(format!("write `{meant}`"), token.span, meant)
    } else if cursor.at_end() {
        diagnostic
            .help(format!("say what is so of it: `absence of {first}`, `existence of {first}`, `{first} precedes ...`"))
    } else {
        diagnostic.help("say how the events hang together: `reply responds to request`, `login precedes order`")
    };
    cursor.blame(diagnostic);
}

/// Something after the end of the behaviour.
fn leftover(cursor: &mut Cursor<'_>, phrase: &Phrase) {
    let token = cursor.peek();
    if let Kind::Symbol("}" | ")" | "]") = token.kind {
        cursor.closes_nothing();
        return;
    }
    let diagnostic = cursor.unexpected("the end of the pattern");
    let diagnostic = match cursor.word() {
        Some("without") => diagnostic.help("`without` stands before the verb: `S, T without Z respond to P`"),
        Some("within" | "in" | "every") => diagnostic.help("one bound of time is all that a behaviour takes"),
        _ if phrase.subjects.is_empty() => diagnostic.help("write each property in a block of its own"),
        _ => diagnostic.help("events are separated by commas; each property stands in a block of its own"),
    };
    cursor.blame(diagnostic);
}
