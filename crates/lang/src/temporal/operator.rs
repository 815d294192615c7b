// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators of temporal languages: their spellings, and the lookahead that distinguishes them from names of
//! events.
//!
//! An operator is known by its letter. The letter may stand in the typefaces of papers (`𝒰`), and a dialect may have
//! signs (`□`) and words (`always`) for it. Operators in the spelling of other notations are reported and read as
//! meant.
//!
//! The hard part is that an event may have the name of an operator: in `G(next -> X done)` the word `next` is an event
//! if nothing follows that an operator could apply to. The functions `is_event`, `starts_operand` and their helpers
//! decide this by looking a bounded number of tokens ahead. They do not recurse, because a source may have a million
//! such words in a row.

use gnomon_core::Span;
use gnomon_ir::{Binary, Unary};

use super::Dialect;
use crate::syntax::atom::is_constant;
use crate::syntax::connective::connective;
use crate::syntax::{
    Cursor, Infix, Precedence, TEMPORAL_WORDS, Token, are_bound, argument_list_end, has_words, is_argument_list,
    is_comparison, is_connective, respelt, table,
};

/// Returns the plain letter of a word that is an operator: `U` for `U`, `𝒰`, `𝔘` and the like.
pub(crate) fn letter(dialect: &Dialect, word: &str) -> Option<char> {
    let mut characters = word.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else { return None };
    let plain = plain(character);
    dialect.letters.contains(plain).then_some(plain)
}

/// Returns the letter of the token `n` places on, if it is an operator's letter or sign.
pub(crate) fn letter_at(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> Option<char> {
    let token = cursor.nth(n);
    let text = cursor.text(token);
    match token.kind {
        Token::Word => letter(dialect, text),
        Token::Unknown => table::lookup_spelling(dialect.signs, text),
        _ => None,
    }
}

/// Returns the letter of an operator's word: `G` for `always`.
pub(super) fn spelt(dialect: &Dialect, word: &str) -> Option<char> {
    table::lookup(dialect.words, word)
}

const UNARY: &[(char, Unary)] = &[
    ('G', Unary::Always),
    ('F', Unary::Eventually),
    ('H', Unary::Historically),
    ('P', Unary::Once),
    ('X', Unary::Next),
    ('Y', Unary::Previous),
];

const BINARY: &[(char, Binary)] =
    &[('U', Binary::Until), ('S', Binary::Since), ('W', Binary::WeakUntil), ('R', Binary::Release)];

/// Returns the temporal operator of one formula with this letter.
pub(super) fn unary(letter: char) -> Option<Unary> {
    table::lookup(UNARY, letter)
}

/// Returns the temporal operator of two formulae with this letter.
pub(super) fn binary(letter: char) -> Option<Binary> {
    table::lookup(BINARY, letter)
}

/// Returns the letter of an operator of one formula.
pub(super) fn unary_letter(operator: Unary) -> char {
    table::spelling(UNARY, operator)
}

/// Returns the letter of an operator of two formulae.
pub(super) fn binary_letter(operator: Binary) -> char {
    table::spelling(BINARY, operator)
}

/// Lists the infix operators, for messages.
pub(super) fn between(dialect: &Dialect) -> String {
    let letters = dialect.letters.chars().filter(|&letter| binary(letter).is_some());
    letters.fold("&& || -> <->".to_owned(), |known, letter| format!("{known} {letter}"))
}

/// Returns a letter without its typeface.
fn plain(character: char) -> char {
    match character {
        'ℂ' | 'ℭ' => 'C',
        'ℱ' => 'F',
        'ℋ' | 'ℌ' | 'ℍ' => 'H',
        'ℳ' => 'M',
        'ℙ' => 'P',
        'ℛ' | 'ℜ' | 'ℝ' => 'R',
        // Mathematical alphanumeric symbols: thirteen typefaces of 26 capitals and 26 small letters each.
        '\u{1d400}'..='\u{1d6a3}' => {
            let index = (u32::from(character) - 0x1d400) % 52;
            if index < 26 { char::from(b'A' + index as u8) } else { character }
        }
        other => other,
    }
}

/// Returns the infix operator at the current token, and its right spelling if it is spelt differently there.
pub(super) fn infix(cursor: &Cursor<'_>, dialect: &Dialect) -> Option<Infix> {
    if let Some((connective, meant)) = connective(cursor) {
        return Some((connective.into(), meant));
    }
    // `a == 5` compares, which formulae cannot; `a == b` is an equivalence.
    if matches!(cursor.peek().kind, Token::Symbol("=" | "==")) && starts_operand(cursor, dialect, 1) {
        return Some((Precedence::Iff, Some("<->")));
    }
    temporal(cursor, dialect).map(|_| (Precedence::Temporal, None))
}

/// Returns the temporal infix operator at the current token, and its right spelling if it is spelt differently there.
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

/// Takes `U`, `S` or the like without its interval, if one stands here.
pub(super) fn take_temporal(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Binary> {
    let (found, respelt) = temporal(cursor, dialect)?;
    cursor.take(respelt);
    Some(found)
}

/// Reports that the text under a span is spelt differently here.
pub(super) fn report_at(cursor: &mut Cursor<'_>, span: Span, meant: &str) {
    cursor.report(respelt(cursor.slice(span), span, meant));
}

/// Returns the letter of the operator of one formula that a word is in other notations; `!` for a negation.
fn foreign_prefix(word: &str) -> Option<char> {
    if let "not" | "NOT" = word { Some('!') } else { table::lookup_spelling(TEMPORAL_WORDS, word) }
}

/// Returns true if a word is an infix operator in other notations.
fn is_foreign_infix(word: &str) -> bool {
    is_connective(word) || matches!(word, "until" | "UNTIL" | "since" | "SINCE")
}

/// Returns true if a word is not read as an event's name everywhere, so that it is printed in quotes.
pub(super) fn is_reserved(dialect: &Dialect, word: &str) -> bool {
    letter(dialect, word).is_some()
        || spelt(dialect, word).is_some()
        || matches!(word, "true" | "false" | "forall" | "exists")
        || is_foreign_infix(word)
        || foreign_prefix(word).is_some()
}

/// Returns the letter of the foreign operator that the current word is, if an operand follows: an event may have the
/// same name.
pub(super) fn prefix(cursor: &Cursor<'_>, dialect: &Dialect) -> Option<char> {
    let word = cursor.word()?;
    if let "g" | "f" | "h" | "p" | "x" | "y" = word {
        // `g(a)` is an event with a parameter, if a wrong one; `g(a -> b)` cannot be an event.
        let formula = cursor.nth_is(1, "(") && starts_operand(cursor, dialect, 2) && !is_argument_list(cursor, 1);
        return word.to_uppercase().chars().next().filter(|_| formula);
    }
    let meant = foreign_prefix(word)?;
    let works = match cursor.nth(1).kind {
        Token::Symbol("(") => {
            !is_argument_list(cursor, 1) || is_constant(cursor, 1) || (has_words(cursor, 1) && !are_bound(cursor, 1))
        }
        Token::Symbol("[") => cursor.nth(2).kind == Token::Number,
        _ => starts_operand(cursor, dialect, 1),
    };
    works.then_some(meant)
}

/// Returns true if the operator's word `n` places on is the name of an event there: parameters follow it, or nothing
/// that the operator could apply to.
pub(super) fn is_event(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    match cursor.nth(n + 1).kind {
        Token::Symbol("(") => has_parameters(cursor, n) && !is_round_interval(cursor, dialect, n + 1),
        Token::Symbol("[") => !starts_interval(cursor, n + 1),
        Token::Symbol("!" | "~" | "=" | "==" | "^" | "true" | "false")
        | Token::Text
        | Token::OpenText
        | Token::Unknown => false,
        Token::Word => is_between(cursor, dialect, n + 1),
        _ => true,
    }
}

/// Returns true if the word `n` places on is an infix operator.
pub(super) fn is_between(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    let Some(word) = cursor.nth_word(n) else { return false };
    let operator = letter(dialect, word).or_else(|| spelt(dialect, word)).and_then(binary).is_some();
    is_foreign_infix(word) || (operator && !has_parameters(cursor, n))
}

/// Returns true if the parentheses `n` places on are an interval. In `next(0,5) a` they are, in `next(0,5)` and
/// `next(0,5) && a` they hold parameters.
fn is_round_interval(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    let Some(end) = argument_list_end(cursor, n).filter(|_| starts_round_interval(cursor, n)) else { return false };
    match cursor.nth(end + 1).kind {
        Token::Text | Token::OpenText | Token::Unknown | Token::Symbol("(" | "!") => true,
        Token::Word => !is_between(cursor, dialect, end + 1),
        _ => false,
    }
}

/// Returns true if parameters follow the word `n` places on: literals, `_` and variables, not a formula.
fn has_parameters(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n + 1, "(")
        && is_argument_list(cursor, n + 1)
        && are_bound(cursor, n + 1)
        && !is_constant(cursor, n + 1)
}

/// Returns true if quantified variables and nothing else that could be a formula follow the letter at the current token, as in
/// `P(x)`: the name of an event was meant.
pub(super) fn has_variables(cursor: &Cursor<'_>) -> bool {
    cursor.nth_is(1, "(") && is_argument_list(cursor, 1) && has_words(cursor, 1) && are_bound(cursor, 1)
}

/// Returns true if the bracket `n` places on opens an interval, and not a condition.
fn starts_interval(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n, "[")
        && (matches!(cursor.nth(n + 1).kind, Token::Number | Token::Symbol("," | "]" | "-" | "inf"))
            || (cursor.nth_word(n + 1) == Some("inf") && cursor.nth_is(n + 2, ",")))
}

/// Returns true if the token `n` places on begins a formula.
pub(super) fn starts_operand(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> bool {
    match cursor.nth(n).kind {
        Token::Text | Token::OpenText | Token::Symbol("(" | "!" | "~" | "true" | "false") => true,
        Token::Unknown => letter_at(cursor, dialect, n).and_then(unary).is_some(),
        Token::Word => {
            let Some(word) = cursor.nth_word(n) else { return false };
            match (letter(dialect, word), spelt(dialect, word)) {
                // `U` is an infix operator, unless a window makes it an average.
                (Some('U'), _) => cursor.nth_is(n + 1, "^") || is_compared(cursor, n + 1),
                (Some(letter), _) => binary(letter).is_none(),
                (_, Some(letter)) => unary(letter).is_some() || is_event(cursor, dialect, n),
                _ => word != "_" && !is_foreign_infix(word),
            }
        }
        _ => false,
    }
}

/// Returns true if `_{<` or `_<` stands `n` places on: the subscript of an aggregate, not of an interval.
fn is_compared(cursor: &Cursor<'_>, n: usize) -> bool {
    let at = n + 1 + usize::from(cursor.nth_is(n + 1, "{"));
    cursor.nth_word(n) == Some("_") && is_comparison(cursor.nth(at).kind)
}

/// Returns true if the token `n` places on begins an exponent, a subscript or an interval.
pub(super) fn starts_suffix(cursor: &Cursor<'_>, n: usize) -> bool {
    matches!(cursor.nth(n).kind, Token::Symbol("^" | "[" | "=" | "=="))
        || cursor.nth_word(n) == Some("_")
        || starts_round_interval(cursor, n)
}

/// Returns true if `(` and a bound stand `n` places on. They begin an interval, because no formula begins with a
/// number.
pub(super) fn starts_round_interval(cursor: &Cursor<'_>, n: usize) -> bool {
    if !cursor.nth_is(n, "(") {
        return false;
    }
    match cursor.nth(n + 1).kind {
        Token::Number | Token::Symbol("," | "inf" | "-") => true,
        Token::Word => cursor.nth_word(n + 1) == Some("inf") && cursor.nth_is(n + 2, ","),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typefaces_do_not_matter() {
        for (word, expected) in
            [("C", 'C'), ("ℂ", 'C'), ("𝒞", 'C'), ("ℭ", 'C'), ("𝔘", 'U'), ("𝒰", 'U'), ("𝖴", 'U'), ("𝔐", 'M'), ("ℳ", 'M')]
        {
            assert_eq!(word.chars().map(plain).collect::<Vec<_>>(), [expected], "{word}");
        }
        for (word, expected) in
            [("𝔇", 'D'), ("𝒟", 'D'), ("𝔻", 'D'), ("𝖲", 'S'), ("𝒢", 'G'), ("𝐗", 'X'), ("a", 'a'), ("𝒶", '𝒶'), ("ℛ", 'R')]
        {
            assert_eq!(word.chars().map(plain).collect::<Vec<_>>(), [expected], "{word}");
        }
    }
}
