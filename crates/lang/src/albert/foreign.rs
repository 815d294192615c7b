// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators of the other temporal languages: reported, with the ALBERT formula of the same meaning where there is one.

use gnomon_core::{Diagnostic, Quantity, Span};

use super::operator::Operator;
use super::parse::{climb, infix as infix_level, leftovers};
use super::syntax::Syntax;
use crate::syntax::atom::is_constant;
use crate::syntax::{
    Cursor, Precedence, TEMPORAL_WORDS, Token, UnitPlace, has_words, is_argument_list, is_connective, quantity, table,
};

/// Returns the letter of the prefix operator that a word is in other languages.
fn letter(word: &str) -> Option<char> {
    let letters = TEMPORAL_WORDS.iter().map(|(letter, _)| *letter);
    table::lookup_spelling(TEMPORAL_WORDS, word)
        .or_else(|| letters.into_iter().find(|letter| word.chars().eq([*letter])))
}

/// Returns true if a word is an infix operator in other languages.
pub(super) fn is_infix(word: &str) -> bool {
    matches!(word, "U" | "until" | "UNTIL" | "Until" | "S" | "since" | "SINCE" | "W" | "weakuntil" | "R" | "release")
}

/// Returns true if the word at the current token is a prefix operator of another language, and an operand follows.
pub(super) fn is_prefix(cursor: &Cursor<'_>) -> bool {
    let Some(word) = cursor.word() else { return false };
    if letter(word).is_none() {
        return false;
    }
    match cursor.nth(1).kind {
        // `always(f)` is `Always(f)` in other letters, `next(3)` the name of an event with its parameter.
        Token::Symbol("(") => {
            let is_formula = !is_argument_list(cursor, 1) || has_words(cursor, 1) || is_constant(cursor, 1);
            Operator::meant(word).is_none() && is_formula
        }
        Token::Symbol("[") => cursor.nth(2).kind == Token::Number,
        Token::Symbol("!" | "$" | "true" | "false") => true,
        Token::Word => {
            let next = cursor.nth_word(1).unwrap_or_default();
            !is_infix(next) && !is_connective(next)
        }
        _ => false,
    }
}

/// The interval of a foreign operator.
struct ForeignInterval {
    /// True if it contains every distance up to its end.
    from_now: bool,
    /// The upper bound; `None` if it is infinite.
    end: Option<Quantity>,
}

/// Reads `F[0,10] f`; the letter is the current token.
#[inline(never)]
pub(super) fn prefix(cursor: &mut Cursor<'_>) -> Syntax {
    let token = cursor.bump();
    let word = cursor.text(token);
    let letter = letter(word).unwrap_or('X');
    let before = cursor.count();
    let interval = interval(cursor);
    let in_parentheses = interval.is_none() && cursor.is("(");
    let of = climb(cursor, Precedence::Operand);
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
        // The edit replaces the word only, so that edits inside the parentheses apply too.
        (Some(plain), _) => diagnostic.edit(format!("write `{plain}`"), token.span, plain),
        (None, Some(meant)) if cursor.count() == before => diagnostic.edit(format!("write `{meant}`"), span, meant),
        (None, Some(meant)) => diagnostic.help(format!("write `{meant}`")),
        (None, None) => diagnostic.help(advice(letter)),
    });
    Syntax::missing(span)
}

/// Returns the ALBERT formula of the same meaning, if there is one.
fn meant(letter: char, interval: Option<&ForeignInterval>, of: &str) -> Option<String> {
    let reach = match interval {
        None => None,
        Some(ForeignInterval { from_now: false, .. }) => return None,
        Some(ForeignInterval { end, .. }) => *end,
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
            "bounds begin in the present state: `Within(f, 10)` is f at most 10 later, `InFuture(f, 10)` f in the last state up to then"
        }
        'X' => "states are addressed by time: `InFuture(f, 10)`; `onEvent(start_Pay)` is Pay in the next state",
        'Y' => "`Becomes(f)` is f now and not in the state before; `past($x, onEvent(Pay), 1)` is an earlier value",
        _ => "look back with `count(f, 60) > 0`, `past($x, onEvent(Pay), 1)` or `elapsed(onEvent(Pay))`",
    }
}

/// Reads `U g` behind `f`; the operator is the current token.
#[inline(never)]
pub(super) fn infix(cursor: &mut Cursor<'_>, left: &Syntax) -> Syntax {
    let token = cursor.bump();
    let word = cursor.text(token);
    let before = cursor.count();
    let interval = interval(cursor);
    let right = climb(cursor, Precedence::Temporal);
    let span = left.outer.to(right.outer);
    let diagnostic = Diagnostic::error("G0105", token.span, format!("`{word}` cannot join formulae here"))
        .label("the spelling of another notation");
    let until = interval.is_none() && word.to_lowercase().starts_with('u');
    let written = format!("Until({}, {})", cursor.slice(left.span), cursor.slice(right.span));
    cursor.report(if until && cursor.count() == before {
        diagnostic.edit(format!("write `{written}`"), span, written)
    } else {
        diagnostic.help("write `Until(f, g)`, or `Between(f, g, 10)` if time must pass after f")
    });
    Syntax::missing(span)
}

/// Reads an interval, if there is one.
fn interval(cursor: &mut Cursor<'_>) -> Option<ForeignInterval> {
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
    Some(ForeignInterval { from_now: closed && upper && from.is_some_and(|from| from.billionths == 0), end })
}

/// Reads `count[60](f)`, as other languages write windows; the word is the current token.
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
        of = Some(climb(cursor, Precedence::Iff).outer);
        leftovers(cursor, &[")"]);
        cursor.close(parenthesis, ")");
    }
    let span = cursor.since(head);
    report_window(cursor, head, span, of.zip(reach), before);
    cursor.suppress();
    Syntax::missing(span)
}

fn report_window(cursor: &mut Cursor<'_>, head: Span, span: Span, parts: Option<(Span, Span)>, before: usize) {
    let word = cursor.slice(head);
    let diagnostic =
        Diagnostic::error("G0105", head, format!("the window of `{word}` belongs inside its parentheses here"))
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
