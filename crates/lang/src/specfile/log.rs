// SPDX-License-Identifier: MIT OR Apache-2.0
//! `log text "..."` and `log regex "..."`: how the lines of a plain text log are events. Whether the pattern makes sense
//! is for the reader of such logs to say.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::spec::{LogDeclaration, LogKind, Unmatched};

use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::text;
use super::parse::{File, one_of, twice};
use super::similar::nearest;

const KINDS: &[(&str, LogKind)] = &[("text", LogKind::Text), ("regex", LogKind::Regex)];
const UNMATCHED: &[(&str, Unmatched)] = &[("skip", Unmatched::Skip), ("error", Unmatched::Error)];

/// `log text "..." (unmatched error)`
pub(super) fn log(cursor: &mut Cursor<'_>, file: &mut File<'_>) -> Option<()> {
    let start = cursor.bump().span;
    let kind = one_of(cursor, "log", KINDS)?;
    let token = cursor.peek();
    if !matches!(token.kind, Kind::Text | Kind::OpenText) {
        cursor.expected("the pattern of a line, in quotes");
        return None;
    }
    let pattern = text(cursor);
    let unmatched = option(cursor);
    let span = start.to(cursor.previous().map_or(token.span, |token| token.span));
    if let Some(before) = &file.spec.log {
        let before = before.pattern_span;
        twice(cursor, "the log", span, before);
        return Some(());
    }
    file.spec.log = Some(LogDeclaration { kind, pattern, pattern_span: token.span, unmatched });
    Some(())
}

/// `(unmatched skip)` or `(unmatched error)`, if it is there.
fn option(cursor: &mut Cursor<'_>) -> Unmatched {
    let Some(opening) = cursor.eat("(") else { return Unmatched::default() };
    let mut unmatched = Unmatched::default();
    match cursor.word() {
        Some("unmatched") => {
            cursor.bump();
            unmatched = one_of(cursor, "unmatched", UNMATCHED).unwrap_or_default();
        }
        Some(word) => {
            let span = cursor.bump().span;
            unknown(cursor, word, span);
        }
        None => cursor.expected("an option"),
    }
    cursor.close(opening, ")");
    unmatched
}

fn unknown(cursor: &mut Cursor<'_>, word: &str, span: Span) {
    let diagnostic = Diagnostic::error("G0206", span, format!("`{word}` is no option of a `log`"))
        .label("the option is `unmatched`");
    cursor.report(match nearest(word, ["unmatched"]) {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), span, meant),
        None => diagnostic.help("leave it out, or write `unmatched error`"),
    });
    if cursor.peek().kind == Kind::Word {
        cursor.bump();
    }
}
