// SPDX-License-Identifier: MIT OR Apache-2.0
//! `extern $rate from "http://..." path "/eur" every 60s`: a variable whose value is asked for outside the trace.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Quantity;
use gnomon_core::value::write_quoted;
use gnomon_ir::spec::ExternDeclaration;

use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::{Named, UnitPlace, name, quantity, text};
use super::parse::{File, is_statement};
use super::print;

/// The fields that an event has which records a read, beside the variable itself; and where names and times are.
const TAKEN: &[&str] = &["variable", "failed", "reason", "event", "name", "time", "timestamp", "ts", "time:timestamp"];

/// How addresses begin that can be asked.
const SCHEMES: &[&str] = &["http", "https"];

/// Whether the statement begins here: an event may be called `extern`, too.
pub(super) fn begins(cursor: &Cursor<'_>) -> bool {
    cursor.word() == Some("extern") && cursor.nth_is(1, "$")
}

/// `extern $NAME from "SOURCE" path "/PATH" every DURATION`; path and period may be left out, and stand in any order.
pub(super) fn external(cursor: &mut Cursor<'_>, file: &mut File<'_>) -> Option<()> {
    let start = cursor.bump().span;
    if cursor.eat("$").is_none() {
        let token = cursor.peek();
        let diagnostic = cursor.unexpected("`$` and the name of a variable");
        cursor.blame(if token.kind == Kind::Word {
            let word = cursor.text(token);
            diagnostic.edit("write `$` before the name", token.span, format!("${word}"))
        } else {
            diagnostic
        });
        return None;
    }
    let variable = name(cursor, "the name of a variable")?;
    if cursor.eat_word("from").is_none() {
        cursor.expected("`from` and an address or a file");
        return None;
    }
    let (source, source_span) = quoted(cursor, "an address or a file, in quotes")?;
    can_be_asked(cursor, &source, source_span);
    let (mut path, mut every) = (None, None);
    loop {
        match cursor.word() {
            Some("path") if path.is_none() => {
                cursor.bump();
                path = Some(self::path(cursor)?);
            }
            Some("every") if every.is_none() => {
                cursor.bump();
                every = Some(period(cursor)?);
            }
            _ => break,
        }
    }
    let end = cursor.previous().map_or(source_span, |token| token.span);
    can_be_recorded(cursor, &variable, file.spec.time.field.as_deref());
    file.spec.externs.push(ExternDeclaration {
        name: variable.name,
        name_span: variable.span,
        source,
        path,
        every,
        span: start.to(end),
    });
    Some(())
}

fn quoted(cursor: &mut Cursor<'_>, what: &str) -> Option<(String, Span)> {
    let token = cursor.peek();
    if !matches!(token.kind, Kind::Text | Kind::OpenText) {
        cursor.expected(what);
        return None;
    }
    Some((text(cursor), token.span))
}

/// An address must be one that can be asked; what is none is a file.
fn can_be_asked(cursor: &mut Cursor<'_>, source: &str, span: Span) {
    let scheme = source.split_once("://").map(|(scheme, _)| scheme);
    let message = match scheme {
        None if source.is_empty() => "an external variable needs a source".to_owned(),
        Some(scheme) if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) => {
            format!("`{scheme}` addresses cannot be asked")
        }
        None | Some(_) => return,
    };
    cursor.report(
        Diagnostic::error("G0736", span, message)
            .label("an address, or a file beside the spec, is expected")
            .help("write `\"http://...\"`, `\"https://...\"`, or the name of a JSON or CSV file"),
    );
}

/// `"/eur"`: where the value is in the answer.
fn path(cursor: &mut Cursor<'_>) -> Option<String> {
    let (path, span) = quoted(cursor, "where the value is in the answer, in quotes: `\"/eur\"`")?;
    if path.is_empty() || path.starts_with('/') {
        return Some(path);
    }
    let mut edit = String::new();
    write_quoted(&mut edit, &format!("/{path}")).expect("writing to a string cannot fail");
    cursor.report(
        Diagnostic::error("G0737", span, "a path begins with `/`").label("each `/` is a step into the answer").edit(
            "write `/` before the first step",
            span,
            edit,
        ),
    );
    Some(path)
}

/// `60s`: how old a value may become.
fn period(cursor: &mut Cursor<'_>) -> Option<Quantity> {
    let (every, span) = quantity(cursor, UnitPlace::Sure, "how old a value may become: `60s`")?;
    if every.billionths < 0 {
        cursor.report(
            Diagnostic::error("G0740", span, "a period cannot be negative")
                .label("how old a value may become before it is asked for again")
                .help("write a period such as `60s`, or `0` to ask in every state"),
        );
    }
    Some(every)
}

/// A read is recorded as an event with a field of the variable's name.
fn can_be_recorded(cursor: &mut Cursor<'_>, variable: &Named, time: Option<&str>) {
    let Named { name, span } = variable;
    if !TAKEN.contains(&name.to_ascii_lowercase().as_str()) && time != Some(name) {
        return;
    }
    cursor.report(
        Diagnostic::error("G0738", *span, format!("`${name}` cannot be an external variable"))
            .label("the event that records a read has another field of this name")
            .help(format!("choose another name, such as `$external_{name}`")),
    );
}

/// Writes a declaration, on one line without its end.
pub(crate) fn print(declaration: &ExternDeclaration) -> String {
    let ExternDeclaration { name, source, path, every, .. } = declaration;
    let mut out = "extern $".to_owned();
    print::name(name, &is_statement, &mut out);
    out.push_str(" from ");
    write_quoted(&mut out, source).expect("writing to a string cannot fail");
    if let Some(path) = path {
        out.push_str(" path ");
        write_quoted(&mut out, path).expect("writing to a string cannot fail");
    }
    out.push_str(&every.map_or(String::new(), |every| format!(" every {every}")));
    out
}
