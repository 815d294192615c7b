// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks: `LANGUAGE name "title" (options) { body }`.

use gnomon_core::{Diagnostic, Simultaneous, Span};
use gnomon_ir::spec::{Options, Property, PropertySeverity};

use super::parse::{SpecBuilder, begins_statement, one_of, twice};
use super::{Frontend, LanguageOptions};
use crate::syntax::literal::text;
use crate::syntax::{Cursor, Name, Token, nearest, suggest, try_name};

/// Reads a property.
pub(super) fn block(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>, frontend: &Frontend) -> Option<()> {
    let opening = cursor.bump().span;
    let name = property_name(cursor, file.frontends, frontend, opening);
    let title = matches!(cursor.peek().kind, Token::Text | Token::OpenText).then(|| text(cursor));
    let (options, chosen) = options(cursor, frontend);
    let body = braces(cursor, file.frontends);
    let Some(body) = body else {
        no_body(cursor, name.as_ref(), opening);
        file.invalid_properties.extend(name.map(|name| (name.name, name.span)));
        return None;
    };
    let read = body.read(cursor, "the block", |cursor| (frontend.read)(cursor, &chosen));
    let name = name?;
    match read {
        Some((prefix, read)) => file.spec.properties.push(Property {
            name: name.name,
            name_span: name.span,
            title,
            language: frontend.language,
            options,
            prefix,
            body: read,
            body_span: body.span,
        }),
        None => file.invalid_properties.push((name.name, name.span)),
    }
    Some(())
}

fn property_name(cursor: &mut Cursor<'_>, frontends: &[Frontend], frontend: &Frontend, opening: Span) -> Option<Name> {
    let parenthesis = if frontend.parenthesised { cursor.eat("(") } else { None };
    let name = if begins_statement(cursor, frontends) {
        None
    } else if cursor.peek().kind == Token::Number {
        Some(numeric_name(cursor))
    } else {
        try_name(cursor)
    };
    if let Some(parenthesis) = parenthesis {
        cursor.close(parenthesis, ")");
    }
    if name.is_none() {
        let language = cursor.slice(opening);
        let diagnostic = Diagnostic::error("G0101", opening, "the property has no name")
            .label(format!("a name is expected after `{language}`"))
            .edit("name the property", opening, format!("{language} name"));
        cursor.report_once(diagnostic);
    }
    name
}

/// Reads a name that begins with a digit, `3p` or `2-phase`, and reports it.
fn numeric_name(cursor: &mut Cursor<'_>) -> Name {
    let start = cursor.bump().span;
    let is_part = |cursor: &Cursor<'_>| {
        let adjacent = cursor.peek().span.start == cursor.since(start).end;
        adjacent && matches!(cursor.peek().kind, Token::Word | Token::Number | Token::Symbol("-" | "." | ":"))
    };
    while is_part(cursor) {
        cursor.bump();
    }
    let span = cursor.since(start);
    let written = cursor.slice(span);
    cursor.report(
        Diagnostic::error("G0101", span, format!("the name `{written}` begins with a digit"))
            .label("such a name must be in quotes")
            .edit("write the name in quotes", span, format!("\"{written}\"")),
    );
    Name { name: written.to_owned(), span }
}

fn no_body(cursor: &mut Cursor<'_>, name: Option<&Name>, opening: Span) {
    let token = cursor.peek();
    let span = name.map_or(opening, |name| name.span);
    let shown = name.map_or("the property".to_owned(), |name| format!("`{}`", name.name));
    cursor.report_once(
        Diagnostic::error("G0109", span, format!("{shown} has no body"))
            .label("`{` and the property's text are expected after this")
            .also(token.span, format!("found {}", cursor.describe(token)))
            .help("write the property in braces: `{ formula }`"),
    );
}

/// Reads `(critical, severity high, ...)`. The second value holds the options that only this language has.
fn options(cursor: &mut Cursor<'_>, frontend: &Frontend) -> (Options, LanguageOptions) {
    let mut options = Options::default();
    let mut chosen = LanguageOptions::default();
    let mut earlier: Vec<(&str, Span)> = Vec::new();
    let Some(opening) = cursor.eat("(") else { return (options, chosen) };
    while !cursor.is(")") && !cursor.is("{") && !cursor.at_end() {
        let token = cursor.peek();
        let Some(word) = cursor.word() else {
            cursor.expected("an option");
            break;
        };
        let before = earlier.iter().find(|(known, _)| *known == word).map(|(_, span)| *span);
        cursor.bump();
        match word {
            "critical" => options.critical = true,
            "severity" => options.severity = one_of(cursor, word, &PropertySeverity::WORDS),
            "simultaneous" if frontend.merges => options.simultaneous = one_of(cursor, word, &Simultaneous::WORDS),
            _ => match frontend.options.iter().find(|option| option.word == word) {
                Some(option) => {
                    let choices: Vec<_> = option.values.iter().map(|value| (*value, *value)).collect();
                    let value = if choices.is_empty() { None } else { one_of(cursor, word, &choices) };
                    chosen.0.push((option.word, value));
                }
                None => unknown_option(cursor, word, token.span, frontend),
            },
        }
        let span = cursor.since(token.span);
        if let Some(before) = before {
            twice(cursor, &format!("`{word}`"), span, before);
        } else if known_options(frontend).any(|known| known == word) {
            earlier.push((word, span));
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

/// Reports two options without a comma, or an unclosed parenthesis.
fn missing_comma(cursor: &mut Cursor<'_>, opening: Span) {
    if cursor.word().is_some() {
        cursor.expected_comma("options are separated by commas");
    } else if !cursor.is("{") {
        cursor.unclosed(opening, ")");
        cursor.bump();
    }
}

/// Lists the options of a language.
fn known_options(frontend: &Frontend) -> impl Iterator<Item = &'static str> + Clone + use<> {
    let simultaneous = frontend.merges.then_some("simultaneous");
    ["critical", "severity"].into_iter().chain(simultaneous).chain(frontend.options.iter().map(|option| option.word))
}

fn unknown_option(cursor: &mut Cursor<'_>, word: &str, span: Span, frontend: &Frontend) {
    let known = known_options(frontend);
    let message = format!("`{word}` is not an option of {}", frontend.language.a_property());
    let diagnostic = Diagnostic::error("G0206", span, message);
    let names = known.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let diagnostic = diagnostic.label(format!("options are {names}"));
    cursor.report(suggest(diagnostic, span, nearest(word, known), "leave it out"));
    // Skip the option's value, if it has one: `matching any`.
    if cursor.peek().kind == Token::Word {
        cursor.bump();
    }
}

/// The part between braces.
pub(super) struct Braces {
    opening: Span,
    /// The index of the token where it ends.
    end: usize,
    pub(super) span: Span,
    /// True if a brace ends it.
    closed: bool,
}

impl Braces {
    /// Reads the part with `read`, and takes the closing brace. A missing brace is reported if nothing else was.
    pub(super) fn read<T>(
        &self,
        cursor: &mut Cursor<'_>,
        place: &'static str,
        read: impl FnOnce(&mut Cursor<'_>) -> T,
    ) -> T {
        let before = cursor.count();
        let result = cursor.within(self.end, place, read);
        if self.closed {
            cursor.bump();
        } else if cursor.count() == before {
            cursor.unclosed(self.opening, "}");
        }
        result
    }
}

/// Takes an opening brace and finds the end of its part: its closing brace, or the next statement before that, in which
/// case the closing brace belongs to another part.
pub(super) fn braces(cursor: &mut Cursor<'_>, frontends: &[Frontend]) -> Option<Braces> {
    if !cursor.is("{") {
        return None;
    }
    let closing = cursor.closing_brace();
    let opening = cursor.bump().span;
    let start = cursor.index();
    while !cursor.at_end() && closing.is_none_or(|closing| cursor.index() < closing) {
        if begins_statement(cursor, frontends) {
            break;
        }
        cursor.bump();
    }
    let end = cursor.index();
    let span = Span { start: opening.end, end: cursor.peek().span.start.max(opening.end) };
    cursor.rewind(start);
    Some(Braces { opening, end, span, closed: closing == Some(end) })
}
