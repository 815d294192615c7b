// SPDX-License-Identifier: MIT OR Apache-2.0
//! Infix operators, and operators in the spelling of another notation: the latter are reported and read as meant.

use gnomon_core::diagnostic::Span;
use gnomon_ir::formula::{Binary, Connective};

use super::Dialect;
use super::operator::{binary, letter, letter_at, spelt, unary};
use crate::specfile::atom::{are_bound, argument_list_end, has_words, is_argument_list};
use crate::specfile::condition::respelt;
use crate::specfile::connective;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;

/// The operators between two formulae, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Infix {
    Iff,
    Implies,
    Or,
    And,
    /// `U`, `S` and the like
    Temporal,
}

/// The operator at the current token, if one stands there.
pub(super) fn infix(cursor: &Cursor<'_>, dialect: &Dialect) -> Option<Infix> {
    let plain = connective(cursor, dialect).map(|(infix, _)| infix);
    plain.or_else(|| temporal(cursor, dialect).map(|_| Infix::Temporal))
}

/// The connective at the current token, and how it should be spelt if that is otherwise.
fn connective(cursor: &Cursor<'_>, dialect: &Dialect) -> Option<(Infix, Option<&'static str>)> {
    if let Some((connective, meant)) = connective::connective(cursor) {
        let infix = match connective {
            Connective::And => Infix::And,
            Connective::Or => Infix::Or,
            Connective::Implies => Infix::Implies,
            Connective::Iff => Infix::Iff,
        };
        return Some((infix, meant));
    }
    // `a == 5` compares, which formulae cannot; `a == b` is an equivalence.
    let equals = matches!(cursor.peek().kind, Kind::Symbol("=" | "==")) && starts_operand(cursor, dialect, 1);
    equals.then_some((Infix::Iff, Some("<->")))
}

/// The temporal operator at the current token, and how it should be spelt if that is otherwise.
fn temporal(cursor: &Cursor<'_>, dialect: &Dialect) -> Option<(Binary, Option<&'static str>)> {
    let word = cursor.word()?;
    let known = letter(dialect, word).or_else(|| spelt(dialect, word));
    Some(match (known.and_then(binary), word) {
        (Some(operator), _) => (operator, None),
        (_, "until" | "UNTIL") => (Binary::Until, Some("U")),
        (_, "since" | "SINCE") => (Binary::Since, Some("S")),
        _ => return None,
    })
}

/// Takes this connective, if it stands here.
pub(super) fn take(cursor: &mut Cursor<'_>, dialect: &Dialect, wanted: Infix) -> bool {
    let Some((_, respelt)) = connective(cursor, dialect).filter(|(found, _)| *found == wanted) else { return false };
    if let Some(meant) = respelt {
        report(cursor, meant);
    }
    cursor.bump();
    true
}

/// Takes `U`, `S` or the like, if one stands here; the interval is left.
pub(super) fn take_temporal(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Binary> {
    let (found, respelt) = temporal(cursor, dialect)?;
    if let Some(meant) = respelt {
        report(cursor, meant);
    }
    cursor.bump();
    Some(found)
}

/// Reports that the current token is spelt otherwise here.
pub(super) fn report(cursor: &mut Cursor<'_>, meant: &str) {
    let token = cursor.peek();
    report_at(cursor, token.span, meant);
}

/// Reports that something is spelt otherwise here.
pub(super) fn report_at(cursor: &mut Cursor<'_>, span: Span, meant: &str) {
    cursor.report(respelt(cursor.slice(span), span, meant));
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
    ("AG", "G"),
    ("AF", "F"),
    ("AX", "X"),
];

/// Letters that may be events as well as operators in small print.
const SMALL: &[(&str, &str)] = &[("g", "G"), ("f", "F"), ("h", "H"), ("p", "P"), ("x", "X"), ("y", "Y")];

/// Words that other notations use between formulae.
const BETWEEN: &[&str] =
    &["and", "AND", "or", "OR", "implies", "IMPLIES", "iff", "IFF", "until", "UNTIL", "since", "SINCE"];

/// Whether a word would not be read as an event's name everywhere.
pub(super) fn is_reserved(dialect: &Dialect, word: &str) -> bool {
    letter(dialect, word).is_some()
        || spelt(dialect, word).is_some()
        || matches!(word, "true" | "false" | "forall" | "exists")
        || BETWEEN.contains(&word)
        || PREFIXES.iter().any(|(known, _)| *known == word)
}

/// What the word at the current token is meant for, if it is an operator's word with something to work on: an event
/// may bear the same name.
pub(super) fn prefix(cursor: &Cursor<'_>, dialect: &Dialect) -> Option<&'static str> {
    let word = cursor.word()?;
    if let Some((_, meant)) = SMALL.iter().find(|(known, _)| *known == word) {
        // `g(a)` is an event with a parameter, if a wrong one; `g(a -> b)` cannot be an event.
        let formula = cursor.nth_is(1, "(") && starts_operand(cursor, dialect, 2) && !is_argument_list(cursor, 1);
        return formula.then_some(*meant);
    }
    let (_, meant) = PREFIXES.iter().find(|(known, _)| *known == word)?;
    let works = match cursor.nth(1).kind {
        Kind::Symbol("(") => !is_argument_list(cursor, 1) || (has_words(cursor, 1) && !are_bound(cursor, 1)),
        Kind::Symbol("[") => cursor.nth(2).kind == Kind::Number,
        _ => starts_operand(cursor, dialect, 1),
    };
    works.then_some(*meant)
}

/// Whether the operator's word `n` places on is the name of an event there: parameters follow it, or nothing that the
/// operator could work on. No recursion: a source may have a million such words in a row.
pub(super) fn is_event(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    match cursor.nth(n + 1).kind {
        Kind::Symbol("(") => has_parameters(cursor, n) && !is_round_interval(cursor, dialect, n + 1),
        Kind::Symbol("[") => !starts_interval(cursor, n + 1),
        Kind::Symbol("!" | "~" | "=" | "==" | "^" | "true" | "false") | Kind::Text | Kind::OpenText | Kind::Unknown => {
            false
        }
        Kind::Word => is_between(cursor, dialect, n + 1),
        _ => true,
    }
}

/// Whether the word `n` places on stands between two formulae.
pub(super) fn is_between(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    let Some(word) = cursor.nth_word(n) else { return false };
    let operator = letter(dialect, word).or_else(|| spelt(dialect, word)).and_then(binary).is_some();
    BETWEEN.contains(&word) || (operator && !has_parameters(cursor, n))
}

/// In `next(0,5) a` the parentheses are an interval, in `next(0,5)` and `next(0,5) && a` parameters.
fn is_round_interval(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    let Some(end) = argument_list_end(cursor, n).filter(|_| starts_round_interval(cursor, n)) else { return false };
    match cursor.nth(end + 1).kind {
        Kind::Text | Kind::OpenText | Kind::Unknown | Kind::Symbol("(" | "!") => true,
        Kind::Word => !is_between(cursor, dialect, end + 1),
        _ => false,
    }
}

/// Whether parameters follow the word `n` places on: literals, `_` and variables, not a formula.
fn has_parameters(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n + 1, "(") && is_argument_list(cursor, n + 1) && are_bound(cursor, n + 1)
}

/// Whether the bracket `n` places on opens an interval, and not a condition.
fn starts_interval(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n, "[")
        && (matches!(cursor.nth(n + 1).kind, Kind::Number | Kind::Symbol("," | "]" | "-" | "inf"))
            || (cursor.nth_word(n + 1) == Some("inf") && cursor.nth_is(n + 2, ",")))
}

/// Whether the token `n` places on begins a formula.
pub(super) fn starts_operand(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    match cursor.nth(n).kind {
        Kind::Text | Kind::OpenText | Kind::Symbol("(" | "!" | "~" | "true" | "false") => true,
        Kind::Unknown => letter_at(cursor, dialect, n).and_then(unary).is_some(),
        Kind::Word => {
            let Some(word) = cursor.nth_word(n) else { return false };
            match (letter(dialect, word), spelt(dialect, word)) {
                // `U` stands between formulae, unless a window makes an average of it.
                (Some('U'), _) => cursor.nth_is(n + 1, "^") || is_compared(cursor, n + 1),
                (Some(letter), _) => binary(letter).is_none(),
                (_, Some(letter)) => unary(letter).is_some() || is_event(cursor, dialect, n),
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
