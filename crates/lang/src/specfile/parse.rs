// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the statements of a spec file one after the other.
//!
//! The first word of a statement decides who reads it: this module reads the short ones (`time`, `name`, `log`, `simultaneous`), the
//! sibling modules declarations, cases and examples, and the name of a language begins a block for the front end of that language.
//! After an error parsing continues at the next line that begins with such a word, so that one error does not cause others. Names are
//! checked at the end, because an example may stand before the property to which it refers.

use gnomon_core::{Diagnostic, Simultaneous, Span};
use gnomon_ir::{Language, LogDeclaration, LogKind, NameDeclaration, Path, Spec, UnmatchedLine};

use super::{Frontend, block, case, declaration, example, names};
use crate::syntax::condition::{path, steps};
use crate::syntax::literal::{self, name, quoted};
use crate::syntax::{Cursor, Name, Token, duplicate, nearest, suggest, table, try_name};

/// Words that begin a statement, apart from the languages.
const STATEMENTS: &[&str] =
    &["time", "name", "log", "simultaneous", "event", "extern", "case", "accepts", "rejects", "expect"];

/// The spec of a file that is being read.
pub(super) struct SpecBuilder<'r> {
    pub(super) frontends: &'r [Frontend],
    pub(super) spec: Spec,
    /// The position of `simultaneous`.
    simultaneous: Option<Span>,
    /// The names of properties that could not be understood. Examples may refer to them.
    pub(super) invalid_properties: Vec<(String, Span)>,
}

/// Reads a spec file.
pub(crate) fn parse(source: &str, frontends: &[Frontend]) -> (Spec, Vec<Diagnostic>) {
    let mut cursor = Cursor::new(source, "the file");
    let mut file = SpecBuilder { frontends, spec: Spec::default(), simultaneous: None, invalid_properties: Vec::new() };
    while !cursor.at_end() {
        cursor.new_tree();
        statement(&mut cursor, &mut file);
    }
    names::check(&mut cursor, &file);
    (file.spec, cursor.into_diagnostics())
}

/// Checks the names of a spec that was read from another form.
pub(crate) fn check_names(spec: &Spec) -> Vec<Diagnostic> {
    let mut cursor = Cursor::new("", "the file");
    let file = SpecBuilder { frontends: &[], spec: spec.clone(), simultaneous: None, invalid_properties: Vec::new() };
    names::check(&mut cursor, &file);
    cursor.into_diagnostics()
}

fn statement(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) {
    let understood = match cursor.word() {
        Some("time") => time(cursor, file),
        Some("name") => event_names(cursor, file),
        Some("log") => log(cursor, file),
        Some("simultaneous") => simultaneous(cursor, file),
        Some("event") => declaration::event(cursor, file),
        Some("extern") => declaration::external(cursor, file),
        Some("case") => case::case(cursor, file),
        Some("accepts" | "rejects") => example::events(cursor, file),
        Some("expect") => example::expect(cursor, file),
        Some(word) => {
            let language = file.frontends.iter().find(|frontend| frontend.language.word() == word);
            match language {
                Some(frontend) => block::block(cursor, file, frontend),
                None => unknown(cursor, file.frontends),
            }
        }
        None => unknown(cursor, file.frontends),
    };
    if understood.is_none() {
        // Skip to the next statement.
        while !cursor.at_end() && !at_statement(cursor, file.frontends) {
            cursor.bump();
        }
    }
}

/// Returns true if the current token begins a statement on a new line.
pub(super) fn at_statement(cursor: &Cursor<'_>, frontends: &[Frontend]) -> bool {
    let known = cursor.word().is_some_and(|word| {
        // `name`, `log`, `extern` and `case` may be events. They begin a statement only before the tokens that must follow them.
        let is_sure = match word {
            "name" => matches!(cursor.nth(1).kind, Token::Word | Token::Text | Token::OpenText) && cursor.ends_line(1),
            "log" => cursor.nth_word(1).is_some_and(|word| LogKind::parse(word).is_some()),
            "extern" => declaration::begins_extern(cursor),
            "case" => case::begins_case(cursor),
            _ => true,
        };
        (STATEMENTS.contains(&word) && is_sure) || frontends.iter().any(|frontend| frontend.language.word() == word)
    });
    known && cursor.starts_line()
}

/// Returns true if the next statement certainly begins here: no formula and no example contains two words in a row, and
/// no brace follows an event.
pub(super) fn begins_statement(cursor: &Cursor<'_>, frontends: &[Frontend]) -> bool {
    let named = |n: usize| matches!(cursor.nth(n).kind, Token::Word | Token::Text);
    let parenthesised = || cursor.nth_is(1, "(") && named(2) && cursor.nth_is(3, ")") && cursor.nth_is(4, "{");
    // `mu X.` begins a formula.
    let fixpoint = cursor.word() == Some("mu") && cursor.nth_is(2, ".");
    at_statement(cursor, frontends) && !fixpoint && (named(1) || parenthesised() || declaration::begins_extern(cursor))
}

/// Returns true if a word may begin a statement.
pub(crate) fn is_statement(word: &str) -> bool {
    STATEMENTS.contains(&word) || Language::ALL.iter().any(|language| language.word() == word)
}

/// Reads a name that a statement needs, unless the next statement begins in its place.
pub(super) fn own_name(cursor: &mut Cursor<'_>, frontends: &[Frontend], what: &str) -> Option<Name> {
    if begins_statement(cursor, frontends) {
        return cursor.expected(what).none();
    }
    name(cursor, what)
}

/// Words that begin no statement, but stand for a part of one.
const PARTS_OF_STATEMENTS: &[(&str, &str)] = &[
    ("columns", "declare the columns of a table without a header: `log csv \"time, event, user\"`"),
    ("format", "declare the format of the log, such as `log json`, or that of the times: `time ts as \"%d/%m/%Y\"`"),
    ("header", "declare the columns of a table without a header: `log csv \"time, event, user\"`"),
    ("timezone", "the zone is a part of the declaration of the time: `time zone \"Europe/Berlin\"`"),
    ("unit", "the unit is a part of the declaration of the time: `time in s`"),
    ("zone", "the zone is a part of the declaration of the time: `time zone \"Europe/Berlin\"`"),
];

fn unknown(cursor: &mut Cursor<'_>, frontends: &[Frontend]) -> Option<()> {
    let token = cursor.peek();
    let Some(word) = cursor.word() else {
        if cursor.is_closing_bracket() {
            cursor.closes_nothing();
        } else {
            let help = "a file is made of `time`, `name`, `log`, `event`, `extern`, `case`, `simultaneous`, `accepts`, `rejects`, `expect` and properties";
            cursor.expected_hint("a statement", help);
        }
        // Take the token, whatever it is, so that reading ends.
        cursor.bump();
        return None;
    };
    let languages = frontends.iter().map(|frontend| frontend.language.word());
    let known = STATEMENTS.iter().copied().chain(languages);
    let diagnostic = Diagnostic::error("G0111", token.span, format!("no statement begins with `{word}`"))
        .label("a statement or a language is expected");
    let diagnostic = if let Some(help) = table::lookup(PARTS_OF_STATEMENTS, word) {
        diagnostic.help(help)
    } else {
        let help = "a formula must be in a block: `soloist name { formula }`";
        suggest(diagnostic, token.span, nearest(word, known), help)
    };
    cursor.report_once(diagnostic);
    cursor.bump();
    None
}

/// Reads `time FIELD in UNIT as "FORMAT" zone "ZONE"`, each part optional. The reader of logs checks format and zone.
fn time(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let begins_part = match cursor.word() {
        Some("in") => true,
        Some("as" | "zone") => matches!(cursor.nth(1).kind, Token::Text | Token::OpenText),
        _ => false,
    };
    let no_field = begins_part || begins_statement(cursor, file.frontends);
    if cursor.is("@") && cursor.nth_word(1).is_some() {
        return attribute_field(cursor);
    }
    let field = if no_field { None } else { try_name(cursor) };
    let field = match field.map(|field| steps(cursor, field.name)) {
        Some(path) => path.map(|Path { field, steps }| Some([vec![field], steps].concat().join("/")))?,
        None => None,
    };
    let (mut unit, mut format, mut zone) = (None, None, None);
    loop {
        let before = cursor.peek().span;
        if cursor.eat_word("in").is_some() {
            let (found, end) = literal::unit(cursor)?;
            once(cursor, &mut unit, "the unit of the time", (found, before.to(end)));
        } else if cursor.eat_word("as").is_some() {
            let found = quoted(cursor, "the format of the times in quotes, such as \"%d/%b/%Y:%H:%M:%S %z\"")?;
            once(cursor, &mut format, "the format of the time", found);
        } else if cursor.eat_word("zone").is_some() {
            let found = quoted(cursor, "the zone of the times in quotes, such as \"Europe/Berlin\"")?;
            once(cursor, &mut zone, "the zone of the time", found);
        } else {
            break;
        }
    }
    if field.is_none() && unit.is_none() && format.is_none() && zone.is_none() {
        return cursor.expected("the field that is the time, or `in` and a unit").none();
    }
    let span = cursor.since(start);
    if let Some(before) = file.spec.time.span {
        twice(cursor, "the time", span, before);
        return Some(());
    }
    file.spec.time.field = field;
    file.spec.time.unit = unit.and_then(|(unit, _)| unit);
    (file.spec.time.format, file.spec.time.zone) = (format, zone);
    file.spec.time.span = Some(span);
    Some(())
}

/// Reports `time @field`: outside of conditions, a name with an unusual character must be in quotes.
fn attribute_field(cursor: &mut Cursor<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let span = start.to(cursor.bump().span);
    let written = cursor.slice(span);
    let diagnostic = Diagnostic::error("G0101", span, format!("the field `{written}` is not in quotes"))
        .label("a name with `@` must be in quotes here")
        .edit("write the field in quotes", span, format!("\"{written}\""));
    cursor.report(diagnostic);
    None
}

/// Sets a part of a statement, or reports that it is set twice.
fn once<T>(cursor: &mut Cursor<'_>, part: &mut Option<(T, Span)>, what: &str, found: (T, Span)) {
    match part {
        Some((_, before)) => twice(cursor, what, found.1, *before),
        None => *part = Some(found),
    }
}

/// Reads `name FIELD` or `name "TEMPLATE"`. The reader of logs checks the template.
fn event_names(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let declared = if cursor.peek().kind == Token::Word && !begins_statement(cursor, file.frontends) {
        let field = path(cursor)?;
        NameDeclaration::Field(field, cursor.since(start))
    } else {
        let (template, span) = quoted(cursor, "the field that names events, or a name in quotes")?;
        NameDeclaration::Template(template, span)
    };
    match &file.spec.name {
        Some(before) => {
            let before = before.span();
            twice(cursor, "the name", cursor.since(start), before);
        }
        None => file.spec.name = Some(declared),
    }
    Some(())
}

/// Reads `simultaneous merge` or `simultaneous sequence`, for the whole file.
fn simultaneous(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let choice = one_of(cursor, "simultaneous", &Simultaneous::WORDS)?;
    let span = cursor.since(start);
    if let Some(before) = file.simultaneous {
        twice(cursor, "`simultaneous`", span, before);
    } else {
        file.simultaneous = Some(span);
        file.spec.simultaneous = Some(choice);
    }
    Some(())
}

/// Reads `log text "..." (unmatched error)` or `log nginx`: the format of a log. The reader of such logs checks the
/// pattern.
fn log(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let kind = one_of(cursor, "log", &LogKind::WORDS)?;
    let kind_span = cursor.since(start);
    let (pattern, pattern_span) = match kind {
        LogKind::Csv => {
            let (columns, span) = quoted(cursor, "the names of the columns, in quotes: `\"event, time, user\"`")?;
            (Some(columns), span)
        }
        kind if kind.has_pattern() => {
            let (pattern, span) = quoted(cursor, "the pattern of a line, in quotes")?;
            (Some(pattern), span)
        }
        _ => (None, kind_span),
    };
    let unmatched = log_option(cursor);
    let span = cursor.since(start);
    if let Some(before) = &file.spec.log {
        let before = before.pattern_span;
        twice(cursor, "the log", span, before);
        return Some(());
    }
    file.spec.log = Some(LogDeclaration { kind, pattern, pattern_span, unmatched });
    Some(())
}

/// Reads `(unmatched skip)` or `(unmatched error)`, if it is there.
fn log_option(cursor: &mut Cursor<'_>) -> UnmatchedLine {
    let Some(opening) = cursor.eat("(") else { return UnmatchedLine::default() };
    let mut unmatched = UnmatchedLine::default();
    match cursor.word() {
        Some("unmatched") => {
            cursor.bump();
            unmatched = one_of(cursor, "unmatched", &UnmatchedLine::WORDS).unwrap_or_default();
        }
        Some(word) => {
            let span = cursor.bump().span;
            unknown_log_option(cursor, word, span);
        }
        None => {
            cursor.expected("an option");
        }
    }
    cursor.close(opening, ")");
    unmatched
}

fn unknown_log_option(cursor: &mut Cursor<'_>, word: &str, span: Span) {
    let diagnostic = Diagnostic::error("G0206", span, format!("`{word}` is not an option of a `log`"))
        .label("the option is `unmatched`");
    cursor.report(suggest(diagnostic, span, nearest(word, ["unmatched"]), "leave it out, or write `unmatched error`"));
    if cursor.peek().kind == Token::Word {
        cursor.bump();
    }
}

/// Reads one of the words that may follow a setting.
pub(super) fn one_of<T: Copy>(cursor: &mut Cursor<'_>, setting: &str, choices: &[(&'static str, T)]) -> Option<T> {
    let token = cursor.peek();
    let words = choices.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let Some(word) = cursor.word() else {
        return cursor.expected(&format!("one of {words} after `{setting}`")).none();
    };
    if let Some(choice) = table::lookup(choices, word) {
        cursor.bump();
        return Some(choice);
    }
    let diagnostic = Diagnostic::error("G0207", token.span, format!("`{word}` is not a choice for `{setting}`"))
        .label(format!("the choices are {words}"));
    let meant = nearest(word, choices.iter().map(|(known, _)| *known));
    cursor.report_once(suggest(diagnostic, token.span, meant, format!("write one of {words}")));
    cursor.bump();
    None
}

/// Reports a second setting where one is allowed.
pub(super) fn twice(cursor: &mut Cursor<'_>, what: &str, span: Span, before: Span) {
    let diagnostic = duplicate("G0208", span, before, format!("{what} is set twice"), "set");
    cursor.report(diagnostic.edit("leave one of them out", span, ""));
}
