// SPDX-License-Identifier: MIT OR Apache-2.0
//! The statements of a spec file, one after the other.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Unit;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::spec::{Language, Spec};

use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::{Named, name, try_name, unknown_unit};
use super::similar::nearest;
use super::{Reader, block, event, example, external, log, names};

/// Words that begin a statement, apart from the languages.
const STATEMENTS: &[&str] = &["time", "log", "simultaneous", "event", "extern", "accepts", "rejects", "expect"];

/// A file being read.
pub(super) struct File<'r> {
    pub(super) readers: &'r [Reader],
    pub(super) spec: Spec,
    /// Where `simultaneous` stands.
    simultaneous: Option<Span>,
    /// Properties that are in the file but could not be understood: names that exist all the same.
    pub(super) broken: Vec<(String, Span)>,
}

/// Reads a spec file.
pub(crate) fn parse(source: &str, readers: &[Reader]) -> (Spec, Vec<Diagnostic>) {
    let mut cursor = Cursor::new(source, "the file");
    let mut file = File { readers, spec: Spec::default(), simultaneous: None, broken: Vec::new() };
    while !cursor.at_end() {
        cursor.new_tree();
        statement(&mut cursor, &mut file);
    }
    names::check(&mut cursor, &file);
    (file.spec, cursor.into_diagnostics())
}

/// What is wrong with the names of a spec that was read from another form.
pub(crate) fn check_names(spec: &Spec) -> Vec<Diagnostic> {
    let mut cursor = Cursor::new("", "the file");
    let file = File { readers: &[], spec: spec.clone(), simultaneous: None, broken: Vec::new() };
    names::check(&mut cursor, &file);
    cursor.into_diagnostics()
}

fn statement(cursor: &mut Cursor<'_>, file: &mut File<'_>) {
    let understood = match cursor.word() {
        Some("time") => time(cursor, file),
        Some("log") => log::log(cursor, file),
        Some("simultaneous") => simultaneous(cursor, file),
        Some("event") => event::event(cursor, file),
        Some("extern") => external::external(cursor, file),
        Some("accepts" | "rejects") => example::events(cursor, file),
        Some("expect") => example::expect(cursor, file),
        Some(word) => {
            let language = file.readers.iter().find(|reader| reader.language.word() == word);
            match language {
                Some(reader) => block::block(cursor, file, reader),
                None => unknown(cursor, file.readers),
            }
        }
        None => unknown(cursor, file.readers),
    };
    if understood.is_none() {
        recover(cursor, file.readers);
    }
}

/// Whether the current token begins a statement on a new line.
pub(super) fn at_statement(cursor: &Cursor<'_>, readers: &[Reader]) -> bool {
    let known = cursor.word().is_some_and(|word| {
        // `log` and `extern` may well be events: they begin a statement only before what must follow them.
        let is_sure = match word {
            "log" => matches!(cursor.nth_word(1), Some("text" | "regex")),
            "extern" => external::begins(cursor),
            _ => true,
        };
        (STATEMENTS.contains(&word) && is_sure) || readers.iter().any(|reader| reader.language.word() == word)
    });
    known && cursor.starts_line()
}

/// Whether the next statement begins here for sure: two words in a row are part of no formula and of no example, and no
/// brace follows an event.
pub(super) fn begins_statement(cursor: &Cursor<'_>, readers: &[Reader]) -> bool {
    let named = |n: usize| matches!(cursor.nth(n).kind, Kind::Word | Kind::Text);
    let parenthesised = || cursor.nth_is(1, "(") && named(2) && cursor.nth_is(3, ")") && cursor.nth_is(4, "{");
    // `mu X.` begins a formula.
    let fixpoint = cursor.word() == Some("mu") && cursor.nth_is(2, ".");
    at_statement(cursor, readers) && !fixpoint && (named(1) || parenthesised() || external::begins(cursor))
}

/// Whether a word may begin a statement.
pub(crate) fn is_statement(word: &str) -> bool {
    STATEMENTS.contains(&word) || Language::ALL.iter().any(|language| language.word() == word)
}

/// Reads a name that a statement needs, unless the next statement begins in its place.
pub(super) fn own_name(cursor: &mut Cursor<'_>, readers: &[Reader], what: &str) -> Option<Named> {
    if begins_statement(cursor, readers) {
        cursor.expected(what);
        return None;
    }
    name(cursor, what)
}

/// Skips to the next statement.
fn recover(cursor: &mut Cursor<'_>, readers: &[Reader]) {
    while !cursor.at_end() && !at_statement(cursor, readers) {
        cursor.bump();
    }
}

fn unknown(cursor: &mut Cursor<'_>, readers: &[Reader]) -> Option<()> {
    let token = cursor.peek();
    let Some(word) = cursor.word() else {
        if let Kind::Symbol("}" | ")" | "]") = token.kind {
            cursor.closes_nothing();
        } else {
            let help = "a file is made of `time`, `log`, `event`, `extern`, `simultaneous`, `accepts`, `rejects`, `expect` and properties";
            let diagnostic = cursor.unexpected("a statement");
            let diagnostic = if diagnostic.help.is_none() { diagnostic.help(help) } else { diagnostic };
            cursor.blame(diagnostic);
        }
        // Past the culprit, whatever it is, so that reading comes to an end.
        cursor.bump();
        return None;
    };
    let languages = readers.iter().map(|reader| reader.language.word());
    let known = STATEMENTS.iter().copied().chain(languages);
    let diagnostic = Diagnostic::error("G0111", token.span, format!("`{word}` begins no statement"))
        .label("a statement or a language is expected");
    cursor.blame(match nearest(word, known) {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), token.span, meant),
        None => diagnostic.help("a formula stands in a block: `soloist name { formula }`"),
    });
    cursor.bump();
    None
}

/// `time FIELD in UNIT`, either part optional.
fn time(cursor: &mut Cursor<'_>, file: &mut File<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let no_field = cursor.word() == Some("in") || begins_statement(cursor, file.readers);
    let field = if no_field { None } else { try_name(cursor) };
    let mut end = field.as_ref().map_or(start, |field| field.span);
    let mut unit = None;
    if cursor.eat_word("in").is_some() {
        let Some(word) = cursor.word() else {
            cursor.expected("a unit: `ns us ms s m h D`");
            return None;
        };
        end = cursor.bump().span;
        unit = Unit::parse(word);
        if unit.is_none() {
            unknown_unit(cursor, end);
        }
    } else if field.is_none() {
        cursor.expected("the field that is the time, or `in` and a unit");
        return None;
    }
    let span = start.to(end);
    if let Some(before) = file.spec.time.span {
        twice(cursor, "the time", span, before);
        return Some(());
    }
    file.spec.time.field = field.map(|field| field.name);
    file.spec.time.unit = unit;
    file.spec.time.span = Some(span);
    Some(())
}

/// `simultaneous merge` or `simultaneous sequence`, for the whole file.
fn simultaneous(cursor: &mut Cursor<'_>, file: &mut File<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let choice = one_of(cursor, "simultaneous", SIMULTANEOUS)?;
    let span = cursor.previous().map_or(start, |token| start.to(token.span));
    if let Some(before) = file.simultaneous {
        twice(cursor, "`simultaneous`", span, before);
    } else {
        file.simultaneous = Some(span);
        file.spec.simultaneous = Some(choice);
    }
    Some(())
}

/// The choices of `simultaneous`.
pub(super) const SIMULTANEOUS: &[(&str, Simultaneous)] =
    &[("merge", Simultaneous::Merge), ("sequence", Simultaneous::Sequence)];

/// Reads one of the words that may follow a setting.
pub(super) fn one_of<T: Copy>(cursor: &mut Cursor<'_>, setting: &str, choices: &[(&'static str, T)]) -> Option<T> {
    let token = cursor.peek();
    let words = choices.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let Some(word) = cursor.word() else {
        cursor.expected(&format!("one of {words} after `{setting}`"));
        return None;
    };
    if let Some((_, choice)) = choices.iter().find(|(known, _)| *known == word) {
        cursor.bump();
        return Some(*choice);
    }
    let diagnostic = Diagnostic::error("G0207", token.span, format!("`{word}` is no choice for `{setting}`"))
        .label(format!("the choices are {words}"));
    cursor.blame(match nearest(word, choices.iter().map(|(known, _)| *known)) {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), token.span, meant),
        None => diagnostic.help(format!("write one of {words}")),
    });
    cursor.bump();
    None
}

/// Reports what may be said once only.
pub(super) fn twice(cursor: &mut Cursor<'_>, what: &str, span: Span, before: Span) {
    cursor.report(
        Diagnostic::error("G0208", span, format!("{what} is set twice"))
            .label("set again here")
            .also(before, "set here first")
            .edit("leave one of them out", span, ""),
    );
}
