// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators of the other temporal languages: reported, with what says the same here where something does.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Quantity;

use super::operator::Operator;
use super::parse::{Level, climb, infix as infix_level, leftovers};
use super::syntax::Syntax;
use crate::specfile::atom::{has_words, is_argument_list};
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind as Token;
use crate::specfile::literal::{UnitPlace, quantity};

/// Words that stand before a formula, and their letters.
const PREFIXES: &[(&str, char)] = &[
    ("G", 'G'),
    ("AG", 'G'),
    ("always", 'G'),
    ("globally", 'G'),
    ("F", 'F'),
    ("AF", 'F'),
    ("eventually", 'F'),
    ("finally", 'F'),
    ("X", 'X'),
    ("AX", 'X'),
    ("next", 'X'),
    ("Y", 'Y'),
    ("previous", 'Y'),
    ("yesterday", 'Y'),
    ("P", 'P'),
    ("once", 'P'),
    ("H", 'H'),
    ("historically", 'H'),
];

/// Whether a word stands between two formulae elsewhere.
pub(super) fn is_infix(word: &str) -> bool {
    matches!(word, "U" | "until" | "UNTIL" | "Until" | "S" | "since" | "SINCE" | "W" | "weakuntil" | "R" | "release")
}

/// Whether the word at the current token is an operator of another language with something to work on.
pub(super) fn is_prefix(cursor: &Cursor<'_>) -> bool {
    let Some(word) = cursor.word() else { return false };
    if !PREFIXES.iter().any(|(known, _)| *known == word) {
        return false;
    }
    match cursor.nth(1).kind {
        // `always(f)` is `Always(f)` in other letters, `next(3)` the name of an event with its parameter.
        Token::Symbol("(") => Operator::meant(word).is_none() && (!is_argument_list(cursor, 1) || has_words(cursor, 1)),
        Token::Symbol("[") => cursor.nth(2).kind == Token::Number,
        Token::Symbol("!" | "$" | "true" | "false") => true,
        Token::Word => {
            let next = cursor.nth_word(1).unwrap_or_default();
            !is_infix(next) && !matches!(next, "and" | "AND" | "or" | "OR" | "implies" | "IMPLIES" | "iff" | "IFF")
        }
        _ => false,
    }
}

/// `[0,10]`
struct Interval {
    /// Whether it is every distance up to its end.
    from_now: bool,
    /// Where it ends; `None`: nowhere.
    end: Option<Quantity>,
}

/// `F[0,10] f`; the letter is the current token.
#[inline(never)]
pub(super) fn prefix(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.bump();
    let word = cursor.text(token);
    let letter = PREFIXES.iter().find(|(known, _)| *known == word).map_or('X', |(_, letter)| *letter);
    let before = cursor.count();
    let interval = interval(cursor);
    let in_parentheses = interval.is_none() && cursor.is("(");
    let of = climb(cursor, Level::Operand);
    let span = token.span.to(of.outer);
    let meant = meant(letter, interval.as_ref(), cursor.slice(of.span));
    let plain = match letter {
        'G' if in_parentheses => Some("Always"),
        'F' if in_parentheses => Some("Eventually"),
        _ => None,
    };
    let diagnostic = Diagnostic::error("G0105", token.span, format!("`{word}` is an operator of another language"))
        .label("the spelling of another notation");
    cursor.report(match (plain, meant) {
        // Just the word, so that what stands inside can be mended too.
        (Some(plain), _) => diagnostic.edit(format!("write `{plain}`"), token.span, plain),
        (None, Some(meant)) if cursor.count() == before => diagnostic.edit(format!("write `{meant}`"), span, meant),
        (None, Some(meant)) => diagnostic.help(format!("write `{meant}`")),
        (None, None) => diagnostic.help(advice(letter)),
    });
    Syntax::missing(span)
}

/// What says the same here.
fn meant(letter: char, interval: Option<&Interval>, of: &str) -> Option<String> {
    let reach = match interval {
        None => None,
        Some(Interval { from_now: false, .. }) => return None,
        Some(Interval { end, .. }) => *end,
    };
    Some(match (letter, reach) {
        ('G', None) => format!("Always({of})"),
        ('F', None) => format!("Eventually({of})"),
        ('F', Some(reach)) => format!("Within({of}, {reach})"),
        ('G', Some(reach)) => format!("!Within(!({of}), {reach})"),
        ('P', Some(reach)) => format!("(count({of}, {reach}) > 0)"),
        ('H', Some(reach)) => format!("(count(!({of}), {reach}) = 0)"),
        _ => return None,
    })
}

fn advice(letter: char) -> &'static str {
    match letter {
        'G' | 'F' => {
            "bounds begin now: `Within(f, 10)` is f at most 10 later, `InFuture(f, 10)` f in the last state up to then"
        }
        'X' => "states are told apart by time: `InFuture(f, 10)`; `onEvent(start_Pay)` is Pay in the next state",
        'Y' => "`Becomes(f)` is f now and not in the state before; `past($x, onEvent(Pay), 1)` is an earlier value",
        _ => "look back with `count(f, 60) > 0`, `past($x, onEvent(Pay), 1)` or `elapsed(onEvent(Pay))`",
    }
}

/// `f U g`; the operator is the current token.
#[inline(never)]
pub(super) fn infix(cursor: &mut Cursor<'_>, left: &Syntax) -> Syntax {
    let token = cursor.bump();
    let word = cursor.text(token);
    let before = cursor.count();
    let interval = interval(cursor);
    let right = climb(cursor, Level::Foreign);
    let span = left.outer.to(right.outer);
    let diagnostic = Diagnostic::error("G0105", token.span, format!("`{word}` does not stand between formulae here"))
        .label("the spelling of another notation");
    let until = interval.is_none() && word.to_lowercase().starts_with('u');
    let written = format!("Until({}, {})", cursor.slice(left.span), cursor.slice(right.span));
    cursor.report(if until && cursor.count() == before {
        diagnostic.edit(format!("write `{written}`"), span, written)
    } else {
        diagnostic.help("write `Until(f, g)`, or `Between(f, g, 10)` where a time is to pass after f")
    });
    Syntax::missing(span)
}

/// Reads an interval, if there is one.
fn interval(cursor: &mut Cursor<'_>) -> Option<Interval> {
    let subscript = cursor.eat_word("_").is_some() && cursor.eat("{").is_some();
    let round = cursor.is("(") && cursor.nth(1).kind == Token::Number && cursor.nth_is(2, ",");
    if !round && !cursor.is("[") {
        return None;
    }
    let closed = cursor.is("[");
    cursor.bump();
    let from = quantity(cursor, UnitPlace::Sure, "the lower bound").map(|(from, _)| from);
    cursor.eat(",");
    let infinite = cursor.eat("inf").or_else(|| cursor.eat_word("inf")).is_some();
    let end = if infinite { None } else { quantity(cursor, UnitPlace::Sure, "the upper bound").map(|(end, _)| end) };
    let upper = infinite || (end.is_some() && cursor.is("]"));
    if cursor.eat("]").is_none() {
        cursor.eat(")");
    }
    if subscript {
        cursor.eat("}");
    }
    Some(Interval { from_now: closed && upper && from.is_some_and(|from| from.billionths == 0), end })
}

/// `count[60](f)`, as other languages write windows; the word is the current token.
#[inline(never)]
pub(super) fn window(cursor: &mut Cursor<'_>) -> Syntax {
    let head = cursor.bump().span;
    let before = cursor.count();
    let opening = cursor.bump().span;
    let reach = quantity(cursor, UnitPlace::Sure, "a length of time").map(|(_, span)| span);
    while !cursor.at_end() && !cursor.is("]") && !cursor.is("(") && infix_level(cursor, false).is_none() {
        cursor.bump();
    }
    cursor.close(opening, "]");
    let mut of = None;
    if let Some(parenthesis) = cursor.eat("(") {
        of = Some(climb(cursor, Level::Iff).outer);
        leftovers(cursor, &[")"]);
        cursor.close(parenthesis, ")");
    }
    let end = cursor.previous().map_or(head, |token| token.span);
    report_window(cursor, head, head.to(end), of.zip(reach), before);
    cursor.hush();
    Syntax::missing(head.to(end))
}

fn report_window(cursor: &mut Cursor<'_>, head: Span, span: Span, parts: Option<(Span, Span)>, before: usize) {
    let word = cursor.slice(head);
    let diagnostic = Diagnostic::error("G0105", head, format!("the window of `{word}` stands in its parentheses here"))
        .label("the spelling of another notation");
    cursor.report(match parts {
        Some((of, reach)) if word == "count" && cursor.count() == before => {
            let written = format!("count({}, {})", cursor.slice(of), cursor.slice(reach));
            diagnostic.edit(format!("write `{written}`"), span, written)
        }
        _ if word == "count" => diagnostic.help("write it as in `count(onEvent(Fail), 60)`"),
        _ => diagnostic.help(format!("write a variable and the window, as in `{word}($amount, 60)`")),
    });
}
