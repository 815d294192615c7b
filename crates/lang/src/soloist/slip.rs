// SPDX-License-Identifier: MIT OR Apache-2.0
//! Infix operators, and operators in the spelling of another notation: the latter are reported and read as meant.

use gnomon_ir::formula::Binary;

use super::letter::letter;
use crate::specfile::atom::{has_words, is_argument_list};
use crate::specfile::condition::respelt;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;

/// The operators between two formulae, apart from `U` and `S`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Infix {
    And,
    Or,
    Implies,
    Iff,
}

impl Infix {
    fn symbol(self) -> &'static str {
        match self {
            Infix::And => "&&",
            Infix::Or => "||",
            Infix::Implies => "->",
            Infix::Iff => "<->",
        }
    }
}

/// The operator at the current token, and whether it is spelt otherwise here.
fn infix(cursor: &Cursor<'_>) -> Option<(Infix, bool)> {
    Some(match cursor.peek().kind {
        Kind::Symbol("&&") => (Infix::And, false),
        Kind::Symbol("||") => (Infix::Or, false),
        Kind::Symbol("->") => (Infix::Implies, false),
        Kind::Symbol("<->") => (Infix::Iff, false),
        Kind::Symbol("&") => (Infix::And, true),
        Kind::Symbol("|") => (Infix::Or, true),
        Kind::Symbol("=>") => (Infix::Implies, true),
        Kind::Symbol("<=>") => (Infix::Iff, true),
        // `a == 5` compares, which formulae cannot; `a == b` is an equivalence.
        Kind::Symbol("=" | "==") if starts_operand(cursor, 1) => (Infix::Iff, true),
        Kind::Word => match cursor.word()? {
            "and" | "AND" => (Infix::And, true),
            "or" | "OR" => (Infix::Or, true),
            "implies" | "IMPLIES" => (Infix::Implies, true),
            "iff" | "IFF" => (Infix::Iff, true),
            _ => return None,
        },
        _ => return None,
    })
}

/// The temporal operator at the current token, and whether it is spelt otherwise here.
fn infix_temporal(cursor: &Cursor<'_>) -> Option<(Binary, bool)> {
    let word = cursor.word()?;
    Some(match (letter(word), word) {
        (Some('U'), _) => (Binary::Until, false),
        (Some('S'), _) => (Binary::Since, false),
        (_, "until" | "UNTIL") => (Binary::Until, true),
        (_, "since" | "SINCE") => (Binary::Since, true),
        _ => return None,
    })
}

/// Whether an infix operator stands here.
pub(super) fn is_infix(cursor: &Cursor<'_>) -> bool {
    infix(cursor).is_some() || infix_temporal(cursor).is_some()
}

/// Takes this operator, if it stands here.
pub(super) fn take(cursor: &mut Cursor<'_>, wanted: Infix) -> bool {
    let Some((found, slip)) = infix(cursor) else { return false };
    if found != wanted {
        return false;
    }
    if slip {
        report(cursor, found.symbol());
    }
    cursor.bump();
    true
}

/// Takes `U` or `S`, if one stands here; the interval is left.
pub(super) fn take_temporal(cursor: &mut Cursor<'_>) -> Option<Binary> {
    let (found, slip) = infix_temporal(cursor)?;
    if slip {
        report(cursor, if found == Binary::Until { "U" } else { "S" });
    }
    cursor.bump();
    Some(found)
}

/// Reports that the current token is spelt otherwise here.
pub(super) fn report(cursor: &mut Cursor<'_>, meant: &str) {
    let token = cursor.peek();
    cursor.report(respelt(cursor.text(token), token.span, meant));
}

/// Words that other notations use for operators of one formula.
const PREFIXES: &[(&str, &str)] = &[
    ("not", "!"),
    ("NOT", "!"),
    ("always", "G"),
    ("globally", "G"),
    ("eventually", "F"),
    ("finally", "F"),
    ("historically", "H"),
    ("once", "P"),
    ("next", "X"),
    ("previous", "Y"),
    ("yesterday", "Y"),
];

/// Letters that may be events as well as operators in small print.
const SMALL: &[(&str, &str)] = &[("g", "G"), ("f", "F"), ("h", "H"), ("p", "P"), ("x", "X"), ("y", "Y")];

/// Words that other notations use between formulae.
const BETWEEN: &[&str] =
    &["and", "AND", "or", "OR", "implies", "IMPLIES", "iff", "IFF", "until", "UNTIL", "since", "SINCE"];

/// Whether a word would not be read as an event's name everywhere.
pub(super) fn is_reserved(word: &str) -> bool {
    // `U_(` would be read as `U` and its subscript.
    letter(word.strip_suffix('_').unwrap_or(word)).is_some()
        || matches!(word, "true" | "false")
        || BETWEEN.contains(&word)
        || PREFIXES.iter().any(|(known, _)| *known == word)
}

/// What the word at the current token is meant for, if it is an operator's word with something to work on: an event
/// may bear the same name.
pub(super) fn prefix(cursor: &Cursor<'_>) -> Option<&'static str> {
    let word = cursor.word()?;
    if let Some((_, meant)) = SMALL.iter().find(|(known, _)| *known == word) {
        // `g(a)` is an event with a parameter, if a wrong one; `g(a -> b)` cannot be an event.
        let formula = cursor.nth_is(1, "(") && starts_operand(cursor, 2) && !is_argument_list(cursor, 1);
        return formula.then_some(*meant);
    }
    let (_, meant) = PREFIXES.iter().find(|(known, _)| *known == word)?;
    let works = match cursor.nth(1).kind {
        Kind::Symbol("(") => !is_argument_list(cursor, 1) || has_words(cursor, 1),
        Kind::Symbol("[") => cursor.nth(2).kind == Kind::Number,
        _ => starts_operand(cursor, 1),
    };
    works.then_some(*meant)
}

/// Whether the token `n` places on begins a formula.
pub(super) fn starts_operand(cursor: &Cursor<'_>, n: usize) -> bool {
    match cursor.nth(n).kind {
        Kind::Text | Kind::OpenText | Kind::Symbol("(" | "!" | "~" | "true" | "false") => true,
        Kind::Word => {
            let Some(word) = cursor.nth_word(n) else { return false };
            match letter(word) {
                // `U` and `S` stand between formulae, unless a window makes an average of `U`.
                Some('U') => cursor.nth_is(n + 1, "^") || is_compared(cursor, n + 1),
                Some('S') => false,
                _ => word != "_" && !BETWEEN.contains(&word),
            }
        }
        _ => false,
    }
}

/// `_{<` or `_<`: the subscript of an aggregate, not of an interval.
fn is_compared(cursor: &Cursor<'_>, n: usize) -> bool {
    let at = n + 1 + usize::from(cursor.nth_is(n + 1, "{"));
    cursor.nth_word(n) == Some("_")
        && matches!(cursor.nth(at).kind, Kind::Symbol("<" | "<=" | ">" | ">=" | "=" | "==" | "!=" | "=<" | "=>"))
}

/// Whether the token `n` places on begins an exponent, a subscript or an interval.
pub(super) fn starts_tail(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n, "^")
        || cursor.nth_word(n) == Some("_")
        || cursor.nth_is(n, "[")
        || cursor.nth_is(n, "=")
        || cursor.nth_is(n, "==")
        || starts_round_interval(cursor, n)
}

/// `(` and a number begin an interval: no formula begins with a number.
pub(super) fn starts_round_interval(cursor: &Cursor<'_>, n: usize) -> bool {
    if !cursor.nth_is(n, "(") {
        return false;
    }
    match cursor.nth(n + 1).kind {
        Kind::Number | Kind::Symbol("," | "inf" | "-") => true,
        Kind::Word => cursor.nth_word(n + 1) == Some("inf") && cursor.nth_is(n + 2, ","),
        _ => false,
    }
}
