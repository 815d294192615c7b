// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses behaviours as phrases: `absence of P`, `at most 2 P in 10s`, `S, T without Z respond to P, P required`.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Bounds, CountBound};

use super::syntax::{EventClause, EventSyntax, Phrase, TimeLimit, Verb, begins_event, event};
use crate::syntax::{Cursor, Token, UnitPlace, nearest, suggest, table};
use crate::temporal::interval::{bracketed, constant};

/// Reads the whole text as one behaviour. Returns `None` after reporting an error.
pub(super) fn phrase(cursor: &mut Cursor<'_>) -> Option<Phrase> {
    let start = cursor.peek().span;
    if cursor.at_end() {
        let help = "state what must be true, for example `absence of error` or `reply responds to request`";
        return cursor.expected_help("a behaviour", help).none();
    }
    let mut phrase = match noun(cursor) {
        Some(verb) => {
            let verb_span = cursor.since(start);
            let (objects, required) =
                if verb == Some(Verb::Only) { list(cursor)? } else { (vec![event(cursor, "an event")?], None) };
            Phrase { required, ..sentence(verb?, verb_span, vec![], objects) }
        }
        None => subject_first(cursor)?,
    };
    while phrase_end(cursor, &mut phrase)? {}
    if !cursor.at_end() {
        report_leftover(cursor, &phrase);
        return None;
    }
    phrase.span = cursor.since(start);
    Some(phrase)
}

fn sentence(verb: Verb, verb_span: Span, subjects: Vec<EventSyntax>, objects: Vec<EventSyntax>) -> Phrase {
    Phrase { verb, verb_span, subjects, without: None, objects, required: None, bound: None, span: verb_span }
}

/// Takes the words of a behaviour that begins with them. The inner `None` is returned after reporting that the words
/// could not be understood.
fn noun(cursor: &mut Cursor<'_>) -> Option<Option<Verb>> {
    let of = cursor.nth_word(1) == Some("of");
    let (verb, words) = match cursor.word()? {
        "absence" if of => (Verb::Absence, 2),
        "existence" if of => (Verb::Existence, 2),
        "universality" if of => (Verb::Universality, 2),
        "never" if begins_event(cursor, 1) => (Verb::Absence, 1),
        "only" if begins_event(cursor, 1) => (Verb::Only, 1),
        "at" if cursor.nth_word(1) == Some("most") => return Some(count(cursor, CountBound::AtMost, 2)),
        "at" if cursor.nth_word(1) == Some("least") => return Some(count(cursor, CountBound::AtLeast, 2)),
        "exactly" if !cursor.nth_word(1).is_some_and(is_verb) => return Some(count(cursor, CountBound::Exactly, 1)),
        word if of => {
            let span = cursor.peek().span;
            let diagnostic = Diagnostic::error("G0141", span, format!("`{word} of` is not a behaviour"))
                .label("`absence of`, `existence of` or `universality of` is expected");
            let meant = nearest(word, ["absence", "existence", "universality"]);
            let diagnostic = suggest(diagnostic, span, meant, "write for example `absence of error`");
            return Some(cursor.report_once(diagnostic).none());
        }
        _ => return None,
    };
    cursor.skip_to(cursor.index() + words);
    Some(Some(verb))
}

/// Reads `at most 2`.
fn count(cursor: &mut Cursor<'_>, amount: CountBound, words: usize) -> Option<Verb> {
    cursor.skip_to(cursor.index() + words);
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
        cursor.respell(meant);
        return meant.parse().ok().map(|number| Verb::Count(amount, number));
    }
    if token.kind != Token::Number {
        let help = format!("state how many: `{words} 2 retry`");
        return cursor.expected_help(&format!("a number after `{words}`"), help).none();
    }
    cursor.bump();
    let number = written.parse().ok();
    if number.is_none() {
        cursor.report(
            Diagnostic::error("G0146", token.span, format!("`{written}` is not a number of events"))
                .label("a whole number is expected")
                .help("write a whole number of at most 64 bits: it counts events"),
        );
    }
    leave_out_times(cursor);
    Some(Verb::Count(amount, number?))
}

/// Reports `times` or `occurrences of` between the number and the event, which is the name of an event only if none follows.
fn leave_out_times(cursor: &mut Cursor<'_>) {
    let words = match (cursor.word(), cursor.nth_word(1)) {
        (Some("time" | "times" | "occurrence" | "occurrences"), Some("of")) => 2,
        (Some("time" | "times" | "occurrence" | "occurrences"), _) => 1,
        _ => return,
    };
    if begins_event(cursor, words) && cursor.nth_word(words) != Some("in") {
        let mut span = cursor.bump().span;
        if words == 2 {
            span = span.to(cursor.bump().span);
        }
        let written = cursor.slice(span);
        let diagnostic = Diagnostic::error("G0101", span, format!("expected an event, found `{written}`"))
            .label("the event follows the number")
            .edit(format!("leave out `{written}`"), Span { end: cursor.peek().span.start, ..span }, "");
        cursor.report(diagnostic);
    }
}

/// The verbs of behaviours.
const VERBS: &[(Verb, &[&str])] = &[
    (Verb::Precede, &["precede", "precedes"]),
    (Verb::Respond, &["respond", "responds"]),
    (Verb::Recur, &["recur", "recurs"]),
    (Verb::Existence, &["exist", "exists"]),
];

/// Returns true if a word is a verb of behaviours.
pub(super) fn is_verb(word: &str) -> bool {
    table::lookup_spelling(VERBS, word).is_some()
}

/// Reads `S, T without Z respond to P`.
fn subject_first(cursor: &mut Cursor<'_>) -> Option<Phrase> {
    let (subjects, required) = list(cursor)?;
    if let Some(required) = required {
        let span = required.span;
        let word = Span { start: required.event.span.end, ..span };
        cursor.report(
            Diagnostic::error("G0141", span, "there is no behaviour before this")
                .label("`required` must be at the end")
                .also(word, "a verb is expected first")
                .help("write for example `login precedes order, login required`"),
        );
        return None;
    }
    let without = match cursor.eat_word("without") {
        Some(word) => {
            let event = event(cursor, "the event that must not come between")?;
            let span = word.to(event.span);
            Some(EventClause { event, span })
        }
        None => None,
    };
    let Some(verb) = cursor.word().and_then(|word| table::lookup_spelling(VERBS, word)) else {
        return no_verb(cursor, &subjects);
    };
    let mut verb_span = cursor.bump().span;
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

/// Takes the `to` of `responds to`. Returns its position, or the verb's position after reporting that it is missing.
fn to(cursor: &mut Cursor<'_>) -> Span {
    let before = cursor.last_span(cursor.peek().span);
    cursor.eat_word("to").unwrap_or_else(|| {
        let diagnostic = cursor.mismatch("`to`", "something responds to something");
        cursor.report_once(diagnostic.edit("write `to`", cursor.gap(), " to"));
        before
    })
}

/// Reads events with commas between them, and the one that is required, if it stands among them.
fn list(cursor: &mut Cursor<'_>) -> Option<(Vec<EventSyntax>, Option<EventClause>)> {
    let mut events = vec![event(cursor, "an event")?];
    loop {
        let token = cursor.peek();
        match (token.kind, cursor.text(token)) {
            (Token::Symbol(","), _) => cursor.bump().span,
            (Token::Word, "and" | "then") => cursor.respell(","),
            _ => return Some((events, None)),
        };
        let event = named_event(cursor, "an event")?;
        if let Some(word) = cursor.eat_word("required") {
            let span = event.span.to(word);
            return Some((events, Some(EventClause { event, span })));
        }
        events.push(event);
    }
}

/// Reads an event behind a comma. Reports `p precedes s, required`, which names none.
fn named_event(cursor: &mut Cursor<'_>, what: &str) -> Option<EventSyntax> {
    if cursor.word() != Some("required") {
        return event(cursor, what);
    }
    let diagnostic = Diagnostic::error("G0143", cursor.peek().span, "`required` without an event before it")
        .label("the cause or the stimulus is expected before this")
        .help("name the event: `login precedes order, login required`");
    cursor.report_once(diagnostic).none()
}

/// Reads what may stand after the events: a time limit, or a required event. Returns true if there was one.
fn phrase_end(cursor: &mut Cursor<'_>, phrase: &mut Phrase) -> Option<bool> {
    if phrase.bound.is_none() && matches!(cursor.word(), Some("within" | "in" | "every")) {
        phrase.bound = Some(bound(cursor)?);
        return Some(true);
    }
    if phrase.required.is_none() && cursor.is(",") {
        cursor.bump();
        let event = named_event(cursor, "the event that is required")?;
        let Some(word) = cursor.eat_word("required") else {
            let help = "the events of a list come before `within`; `P required` is all that may follow it";
            return cursor.expected_help("`required`", help).none();
        };
        let span = event.span.to(word);
        phrase.required = Some(EventClause { event, span });
        return Some(true);
    }
    Some(false)
}

/// Reads `within 10s`, `within [2s, 10s]`.
fn bound(cursor: &mut Cursor<'_>) -> Option<TimeLimit> {
    let word = cursor.bump().span;
    if cursor.is("[") || cursor.is("(") {
        let count = cursor.count();
        let bounds = bracketed(cursor);
        let span = word.to(bounds.span.unwrap_or(word));
        return (cursor.count() == count).then_some(TimeLimit { word, bounds, single: None, span });
    }
    let (hi, end) = constant(cursor, UnitPlace::Sure, "a time, as in `10s`, or an interval, as in `[2s, 10s]`")?;
    let bounds = Bounds { span: Some(end), ..Bounds::up_to(hi) };
    Some(TimeLimit { word, bounds, single: Some(hi), span: word.to(end) })
}

/// Reports a token where a verb should be.
fn no_verb<T>(cursor: &mut Cursor<'_>, subjects: &[EventSyntax]) -> Option<T> {
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
        diagnostic.edit("reverse it", whole, format!("{object} responds to {first}"))
    } else if let Some(meant) = meant {
        diagnostic.edit(format!("write `{meant}`"), token.span, meant)
    } else if cursor.at_end() {
        diagnostic
            .help(format!("state a behaviour: `absence of {first}`, `existence of {first}`, `{first} precedes ...`"))
    } else {
        diagnostic.help("state how the events are related: `reply responds to request`, `login precedes order`")
    };
    cursor.report_once(diagnostic).none()
}

/// Reports a token after the end of the behaviour.
fn report_leftover(cursor: &mut Cursor<'_>, phrase: &Phrase) {
    if cursor.is_closing_bracket() {
        return cursor.closes_nothing();
    }
    let diagnostic = cursor.unexpected("the end of the pattern");
    let diagnostic = match cursor.word() {
        Some("without") => diagnostic.help("`without` must come before the verb: `S, T without Z respond to P`"),
        Some("within" | "in" | "every") => diagnostic.help("a behaviour takes only one bound of time"),
        _ if phrase.subjects.is_empty() => diagnostic.help("write each property in a block of its own"),
        _ => diagnostic.help("events are separated by commas; each property must be in a block of its own"),
    };
    cursor.report_once(diagnostic);
}
