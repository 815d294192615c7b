// SPDX-License-Identifier: MIT OR Apache-2.0
//! The aggregates: `C^{600}_{<=3}(f)` as papers write it, `count[600](f) <= 3` as it reads aloud.

use gnomon_core::diagnostic::{Diagnostic, Span};

use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal::UnitPlace;
use crate::temporal::Dialect;
use crate::temporal::aggregate::{
    Arguments, Compared, Window, compare, constant, constants, finish, formulae, has_window, incomplete, is_comparison,
    readable, skip_brace,
};
use crate::temporal::operator::{letter, letter_at};
use crate::temporal::parse::no_event;
use crate::temporal::syntax::{Aggregate, Measure, Syntax};

/// Reads an aggregate, if the word at the current token begins one.
pub(super) fn aggregate(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    if let Some(measure) = alias(cursor) {
        return Some(readable(cursor, dialect, measure, formulae));
    }
    let measure = measure(letter_at(cursor, dialect, 0)?)?;
    if cursor.nth_is(1, "^") || cursor.nth_word(1) == Some("_") {
        return Some(lettered(cursor, dialect, measure));
    }
    matches!(cursor.nth(1).kind, Token::Symbol("(" | "[")).then(|| no_window(cursor, dialect))
}

fn measure(letter: char) -> Option<Measure> {
    Some(match letter {
        'C' => Measure::Count,
        'U' => Measure::Average,
        'M' => Measure::Maximum,
        'D' => Measure::Gap,
        _ => return None,
    })
}

/// The aggregate that the word at the current token names, if a window follows.
fn alias(cursor: &Cursor<'_>) -> Option<Measure> {
    let measure = match cursor.word()? {
        "count" => Measure::Count,
        "avg" => Measure::Average,
        "max" => Measure::Maximum,
        "gap" => Measure::Gap,
        _ => return None,
    };
    has_window(cursor).then_some(measure)
}

/// How an aggregate is written, with its own letter or word.
pub(super) fn form(written: &str) -> String {
    match written {
        "count" => "count[600](f) <= 3".to_owned(),
        "avg" | "max" => format!("{written}[600,60](f) <= 3"),
        "gap" => "gap[900](f, g) <= 5".to_owned(),
        _ => match letter(&super::DIALECT, written) {
            Some('U' | 'M') => format!("{written}^{{600,60}}_{{<=3}}(f)"),
            Some('D') => format!("{written}^{{900}}_{{<=5}}{{(f, g)}}"),
            _ => format!("{written}^{{600}}_{{<=3}}(f)"),
        },
    }
}

/// `C(f)`: an operator without its window, or an event of that name.
#[inline(never)]
fn no_window(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    let form = form(word);
    let diagnostic = Diagnostic::error("G0107", token.span, format!("`{word}` is an operator that needs a window"))
        .label("a window and a comparison are expected after this")
        .help(format!("write `{form}`; an event of that name stands in quotes: `\"{word}\"`"));
    no_event(cursor, dialect, diagnostic)
}

/// `C^{600}_{<=3}(f)`; the letter is the current token.
fn lettered(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure) -> Syntax {
    let head = cursor.bump().span;
    let mut window: Option<Window> = None;
    let mut compared: Option<Compared> = None;
    loop {
        if window.is_none() && cursor.is("^") {
            window = Some(superscript(cursor));
        } else if compared.is_none() && cursor.word() == Some("_") {
            compared = Some(subscript(cursor, measure));
        } else {
            break;
        }
    }
    let before = cursor.previous().map_or(head, |token| token.span);
    if window.is_none() {
        incomplete(cursor, dialect, head, "has no window", "a superscript is expected after this");
    }
    let Arguments { parts, field, end } = formulae(cursor, dialect, measure, head);
    if compared.is_none() {
        compared = Some(compared_behind(cursor, dialect, measure, head, head.to(before)));
    }
    let (window, compared) = (window.flatten(), compared.flatten());
    finish(cursor, dialect, head.to(end), head, Aggregate { measure, window, compared, arguments: parts, field })
}

/// `^{K}`, `^{K,h}` or `^K`
#[inline(never)]
fn superscript(cursor: &mut Cursor<'_>) -> Window {
    cursor.bump();
    let Some(opening) = cursor.eat("{") else {
        return constant(cursor, UnitPlace::Sure, "the window").map(|(window, _)| vec![window]);
    };
    let window = constants(cursor);
    if window.is_some() {
        cursor.close(opening, "}");
    } else {
        skip_brace(cursor, opening);
    }
    window
}

/// `_{<=n}` or `_<=n`
#[inline(never)]
fn subscript(cursor: &mut Cursor<'_>, measure: Measure) -> Compared {
    cursor.bump();
    let opening = cursor.eat("{");
    let compared = compare(cursor, measure);
    let Some(opening) = opening else { return compared };
    if compared.is_some() {
        cursor.close(opening, "}");
    } else {
        skip_brace(cursor, opening);
    }
    compared
}

/// `C^{600}(f) <= 3`: the comparison belongs in the subscript. `front` is what stands before the parentheses.
#[inline(never)]
fn compared_behind(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure, head: Span, front: Span) -> Compared {
    let written = cursor.slice(head);
    if !is_comparison(cursor) {
        incomplete(cursor, dialect, head, "is compared with nothing", "a subscript is expected after this");
        return None;
    }
    let start = cursor.peek().span;
    let rest = Span { start: front.end, end: cursor.previous().map_or(start.start, |token| token.span.end) };
    let (before, diagnostics) = (start.start, cursor.count());
    let compared = compare(cursor, measure);
    let end = cursor.previous().map_or(start, |token| token.span);
    if cursor.count() == diagnostics {
        let comparison = cursor.slice(Span { start: before, end: end.end });
        let comparison: String = comparison.split_whitespace().collect();
        let edit = format!("{}_{{{comparison}}}{}", cursor.slice(front), cursor.slice(rest));
        cursor.report(
            Diagnostic::error(
                "G0307",
                start.to(end),
                format!("the comparison of `{written}` is written as a subscript"),
            )
            .label("this stands after the parentheses")
            .edit("move it before them", head.to(end), edit),
        );
    }
    compared
}
