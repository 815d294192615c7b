// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks: `LANGUAGE name "title" (options) { body }`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::spec::{Importance, Options, Property};

use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::{Named, text, try_name};
use super::parse::{File, SIMULTANEOUS, begins_statement, one_of, twice};
use super::similar::nearest;
use super::{Chosen, Reader};

const IMPORTANCE: &[(&str, Importance)] =
    &[("low", Importance::Low), ("medium", Importance::Medium), ("high", Importance::High)];

/// Reads a property.
pub(super) fn block(cursor: &mut Cursor<'_>, file: &mut File<'_>, reader: &Reader) -> Option<()> {
    let opening = cursor.bump().span;
    let name = property_name(cursor, file.readers, reader, opening);
    let title = matches!(cursor.peek().kind, Kind::Text | Kind::OpenText).then(|| text(cursor));
    let (options, chosen) = options(cursor, reader);
    let body = braces(cursor, file.readers);
    let Some(body) = body else {
        no_body(cursor, name.as_ref(), opening);
        file.broken.extend(name.map(|name| (name.name, name.span)));
        return None;
    };
    let before = cursor.count();
    let read = cursor.within(body.end, "the block", |cursor| (reader.read)(cursor, &chosen));
    if body.closed {
        cursor.bump();
    } else if cursor.count() == before {
        cursor.unclosed(body.opening, "}");
    }
    let name = name?;
    match read {
        Some((prefix, read)) => file.spec.properties.push(Property {
            name: name.name,
            name_span: name.span,
            title,
            language: reader.language,
            options,
            prefix,
            body: read,
            body_span: body.span,
        }),
        None => file.broken.push((name.name, name.span)),
    }
    Some(())
}

fn property_name(cursor: &mut Cursor<'_>, readers: &[Reader], reader: &Reader, opening: Span) -> Option<Named> {
    let parenthesis = if reader.parenthesised { cursor.eat("(") } else { None };
    let name = if begins_statement(cursor, readers) { None } else { try_name(cursor) };
    if let Some(parenthesis) = parenthesis {
        cursor.close(parenthesis, ")");
    }
    if name.is_none() {
        let language = cursor.slice(opening);
        let diagnostic = Diagnostic::error("G0101", opening, "the property has no name")
            .label(format!("a name is expected after `{language}`"))
            .edit("name the property", opening, format!("{language} name"));
        cursor.blame(diagnostic);
    }
    name
}

fn no_body(cursor: &mut Cursor<'_>, name: Option<&Named>, opening: Span) {
    let token = cursor.peek();
    let span = name.map_or(opening, |name| name.span);
    let shown = name.map_or("the property".to_owned(), |name| format!("`{}`", name.name));
    cursor.blame(
        Diagnostic::error("G0109", span, format!("{shown} has no body"))
            .label("`{` and the property's text are expected after this")
            .also(token.span, format!("found {}", cursor.describe(token)))
            .help("write what the property says in braces: `{ formula }`"),
    );
}

/// `(critical, severity high, ...)`; the second part: the options of this language that were chosen.
fn options(cursor: &mut Cursor<'_>, reader: &Reader) -> (Options, Chosen) {
    let mut options = Options::default();
    let mut chosen = Chosen::default();
    let mut seen: Vec<(&str, Span)> = Vec::new();
    let Some(opening) = cursor.eat("(") else { return (options, chosen) };
    while !cursor.is(")") && !cursor.is("{") && !cursor.at_end() {
        let token = cursor.peek();
        let Some(word) = cursor.word() else {
            cursor.expected("an option");
            break;
        };
        let before = seen.iter().find(|(known, _)| *known == word).map(|(_, span)| *span);
        cursor.bump();
        match word {
            "critical" => options.critical = true,
            "severity" => options.severity = one_of(cursor, word, IMPORTANCE),
            "simultaneous" if reader.merges => options.simultaneous = one_of(cursor, word, SIMULTANEOUS),
            _ => match reader.options.iter().find(|option| option.word == word) {
                Some(option) => {
                    let choices: Vec<_> = option.values.iter().map(|value| (*value, *value)).collect();
                    let value = if choices.is_empty() { None } else { one_of(cursor, word, &choices) };
                    chosen.0.push((option.word, value));
                }
                None => unknown_option(cursor, word, token.span, reader),
            },
        }
        let span = token.span.to(cursor.previous().map_or(token.span, |last| last.span));
        if let Some(before) = before {
            twice(cursor, &format!("`{word}`"), span, before);
        } else if known_options(reader).any(|known| known == word) {
            seen.push((word, span));
        }
        if cursor.eat(",").is_none() && !cursor.is(")") {
            missing_comma(cursor, opening);
        }
    }
    while !cursor.is(")") && !cursor.is("{") && !cursor.at_end() {
        cursor.bump();
    }
    cursor.close(opening, ")");
    (options, chosen)
}

/// Two options without a comma; anything but a word is left to the closing bracket.
fn missing_comma(cursor: &mut Cursor<'_>, opening: Span) {
    let token = cursor.peek();
    if token.kind == Kind::Word {
        let word = cursor.text(token);
        cursor.blame(
            Diagnostic::error("G0101", token.span, format!("expected `,` or `)`, found `{word}`"))
                .label("options are separated by commas")
                .edit("write a comma", token.span, format!(", {word}")),
        );
    } else if token.kind != Kind::Symbol("{") {
        cursor.unclosed(opening, ")");
        cursor.bump();
    }
}

/// The options of a language.
fn known_options(reader: &Reader) -> impl Iterator<Item = &'static str> + Clone + use<> {
    let simultaneous = reader.merges.then_some("simultaneous");
    ["critical", "severity"].into_iter().chain(simultaneous).chain(reader.options.iter().map(|option| option.word))
}

fn unknown_option(cursor: &mut Cursor<'_>, word: &str, span: Span, reader: &Reader) {
    let known = known_options(reader);
    let language = reader.language.word();
    let diagnostic = Diagnostic::error("G0206", span, format!("`{word}` is no option of a `{language}` property"));
    let names = known.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let diagnostic = diagnostic.label(format!("options are {names}"));
    cursor.report(match nearest(word, known) {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), span, meant),
        None => diagnostic.help("leave it out"),
    });
    // The option's own value, if it has one: `matching any`.
    if cursor.peek().kind == Kind::Word {
        cursor.bump();
    }
}

/// The part between braces.
pub(super) struct Braces {
    pub(super) opening: Span,
    /// The token where it ends.
    pub(super) end: usize,
    pub(super) span: Span,
    /// Whether a brace ends it.
    pub(super) closed: bool,
}

/// Takes an opening brace and finds where its part ends: at its closing brace, or before a statement that stands in
/// between, because then the brace belongs to another part.
pub(super) fn braces(cursor: &mut Cursor<'_>, readers: &[Reader]) -> Option<Braces> {
    if !cursor.is("{") {
        return None;
    }
    let closing = cursor.closing_brace();
    let opening = cursor.bump().span;
    let start = cursor.index();
    while !cursor.at_end() && closing.is_none_or(|closing| cursor.index() < closing) {
        if begins_statement(cursor, readers) {
            break;
        }
        cursor.bump();
    }
    let end = cursor.index();
    let span = Span { start: opening.end, end: cursor.peek().span.start.max(opening.end) };
    cursor.rewind(start);
    Some(Braces { opening, end, span, closed: closing == Some(end) })
}
