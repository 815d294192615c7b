// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the statements of a `ccsl` block: definitions of clocks and relations between clocks.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{
    Atom, Body, ClockDefinition, ClockExpression, ClockRelation, ClockRelationKind, ClockWord, Clocks, Variable,
};

use super::WORDS;
use crate::specfile::{BlockContent, LanguageOptions};
use crate::syntax::{Cursor, Token, nearest, suggest, try_name};

/// Limit on the digits of a word.
const MAX_DIGITS: usize = 100_000;

/// Reads the content of a block.
pub(super) fn read(cursor: &mut Cursor<'_>, _options: &LanguageOptions) -> Option<BlockContent> {
    let mut clocks = Clocks::default();
    let mut is_broken = false;
    if cursor.at_end() {
        let help = "write a relation, for example `req < ack`, or a definition, `clock late := req $ 1`";
        return cursor.report_empty("the property has no relations", "a relation is expected here", help).none();
    }
    while !cursor.at_end() {
        let before = cursor.index();
        if statement(cursor, &mut clocks).is_none() {
            is_broken = true;
            if cursor.index() == before {
                cursor.bump();
            }
            while !cursor.at_end() && !cursor.starts_line() {
                cursor.bump();
            }
        }
    }
    (!is_broken).then_some((vec![], Body::Clocks(clocks)))
}

fn statement(cursor: &mut Cursor<'_>, clocks: &mut Clocks) -> Option<()> {
    if let Some(start) = cursor.eat_word("clock") {
        clocks.definitions.push(definition(cursor, start)?);
    } else {
        clocks.relations.push(relation(cursor)?);
    }
    Some(())
}

/// Reads `late := req $ 1`, behind the word `clock`.
fn definition(cursor: &mut Cursor<'_>, start: Span) -> Option<ClockDefinition> {
    let Atom { name, name_span, .. } = clock(cursor, "the name of the clock")?;
    // Behind a word, `:=` is two symbols.
    let is_given = cursor.is(":") && cursor.nth_is(1, "=");
    if !is_given {
        return cursor
            .expected_hint("`:=`", format!("write `clock {name} := ` and an expression such as `req $ 1`"))
            .none();
    }
    cursor.bump();
    cursor.bump();
    let expression = expression(cursor)?;
    Some(ClockDefinition { clock: Variable { name, span: name_span }, expression, span: cursor.since(start) })
}

/// Reads the name of a clock.
fn clock(cursor: &mut Cursor<'_>, what: &str) -> Option<Atom> {
    cursor.count_node();
    if let Some(word) = cursor.word().filter(|word| WORDS.contains(word)) {
        let span = cursor.peek().span;
        let error = Diagnostic::error("G0101", span, format!("expected {what}, found `{word}`"))
            .label("a word of the language")
            .edit("write a clock of this name in quotes", span, format!("\"{word}\""));
        return cursor.report_once(error).none();
    }
    let Some(name) = try_name(cursor) else { return cursor.expected(what).none() };
    if cursor.is("(")
        || (cursor.is("[") && cursor.previous().is_some_and(|token| token.span.end == cursor.peek().span.start))
    {
        let span = cursor.peek().span;
        let error = Diagnostic::error("G0101", span, format!("`{}` is a clock and has no parameters", name.name))
            .label("a clock is the name of an event")
            .help(format!("declare an event: `event slow = {}[time > 3]`, and use `slow` here", name.name));
        return cursor.report_once(error).none();
    }
    Some(Atom { name: name.name, name_span: name.span, arguments: None, condition: None, span: name.span })
}

fn relation(cursor: &mut Cursor<'_>) -> Option<ClockRelation<Atom>> {
    if cursor.is_closing_bracket() {
        cursor.closes_nothing();
        return None;
    }
    let left = clock(cursor, "a clock, or `clock` and a definition")?;
    let kind = relation_kind(cursor)?;
    let right = clock(cursor, "a clock")?;
    let span = left.span.to(right.span);
    if let Some(symbol) = follows(cursor) {
        let token = cursor.peek();
        let error =
            Diagnostic::error("G0101", token.span, format!("expected a relation or a definition, found `{symbol}`"))
                .label("a relation has two clocks, and no expressions")
                .help(format!(
                    "define a clock first: `clock c := {} {symbol} ...`, or write two relations",
                    right.name
                ));
        return cursor.report_once(error).none();
    }
    Some(ClockRelation { kind, left, right, span })
}

/// Returns the operator that continues a relation, where none may stand.
fn follows(cursor: &Cursor<'_>) -> Option<String> {
    match cursor.symbol_or_word()? {
        word @ ("subclock" | "every" | "filter" | "sampled" | "strictly" | "upto" | "wait") => Some(word.to_owned()),
        symbol if matches!(cursor.peek().kind, Token::Symbol(_)) && !cursor.is_closing_bracket() => {
            Some(symbol.to_owned())
        }
        _ => None,
    }
}

fn relation_kind(cursor: &mut Cursor<'_>) -> Option<ClockRelationKind> {
    const SIGNS: [(&str, ClockRelationKind); 6] = [
        ("subclock", ClockRelationKind::Subclock),
        ("=", ClockRelationKind::Coincides),
        ("#", ClockRelationKind::Excludes),
        ("<=", ClockRelationKind::Causes),
        ("<", ClockRelationKind::Precedes),
        ("~", ClockRelationKind::Alternates),
    ];
    let found = cursor.symbol_or_word();
    let Some((_, kind)) = found.and_then(|found| SIGNS.into_iter().find(|(sign, _)| *sign == found)) else {
        let other = match found {
            Some("==") => Some("="),
            Some("=<") => Some("<="),
            Some(">" | ">=") => Some("<"),
            Some(word) if cursor.word().is_some() => nearest(word, ["subclock"]),
            _ => None,
        };
        let token = cursor.peek();
        let diagnostic = cursor.mismatch("a relation", "relations are `subclock` `=` `#` `<` `<[n]` `<=` `~`");
        let help = "write the relation between two clocks, for example `req < ack`";
        let diagnostic = match found {
            Some(">" | ">=") => diagnostic.help("swap the clocks: `a < b` says that `a` comes before `b`"),
            _ => suggest(diagnostic, token.span, other, help),
        };
        return cursor.report_once(diagnostic).none();
    };
    cursor.bump();
    if kind != ClockRelationKind::Precedes || !cursor.is("[") {
        return Some(kind);
    }
    let opening = cursor.bump().span;
    let bound = number(cursor, "the greatest lead in ticks")?;
    cursor.close(opening, "]")?;
    Some(ClockRelationKind::PrecedesWithin(bound))
}

fn expression(cursor: &mut Cursor<'_>) -> Option<ClockExpression<Atom>> {
    if let Some(word @ ("inf" | "sup")) = cursor.word().filter(|_| cursor.nth_is(1, "(")) {
        cursor.bump();
        let opening = cursor.bump().span;
        let left = clock(cursor, "a clock")?;
        if cursor.eat(",").is_none() {
            return cursor.expected("`,` and the second clock").none();
        }
        let right = clock(cursor, "a clock")?;
        cursor.close(opening, ")")?;
        return Some(if word == "inf" {
            ClockExpression::Infimum(left, right)
        } else {
            ClockExpression::Supremum(left, right)
        });
    }
    let of = clock(cursor, "a clock")?;
    let Some(operator) = cursor.symbol_or_word() else { return no_operator(cursor) };
    match operator {
        "+" | "*" | "-" | ";" | "upto" | "sampled" => {
            cursor.bump();
            let other = clock(cursor, "a clock")?;
            Some(match operator {
                "+" => ClockExpression::Union(of, other),
                "*" => ClockExpression::Intersection(of, other),
                "-" => ClockExpression::Difference(of, other),
                ";" => ClockExpression::Then(of, other),
                "upto" => ClockExpression::UpTo(of, other),
                _ => ClockExpression::Sampled { of, by: other, strictly: false },
            })
        }
        "strictly" => {
            cursor.bump();
            if cursor.eat_word("sampled").is_none() {
                return cursor.expected("`sampled`").none();
            }
            Some(ClockExpression::Sampled { of, by: clock(cursor, "a clock")?, strictly: true })
        }
        "$" => {
            cursor.bump();
            let by = number(cursor, "a number of ticks")?;
            // `on` may be the first clock of the next relation.
            let is_clock = matches!(cursor.nth(1).kind, Token::Word | Token::Text | Token::OpenText);
            if cursor.word() != Some("on") || !is_clock {
                return Some(ClockExpression::Delay(of, by));
            }
            cursor.bump();
            Some(ClockExpression::DelayOn { of, by, on: clock(cursor, "a clock")? })
        }
        "every" => {
            cursor.bump();
            let period = number(cursor, "a number of ticks")?;
            Some(ClockExpression::Every { of, period, from: from(cursor)? })
        }
        "filter" => {
            cursor.bump();
            Some(ClockExpression::Filter(of, word(cursor)?))
        }
        "wait" => {
            cursor.bump();
            Some(ClockExpression::Wait(of, number(cursor, "a number of ticks")?))
        }
        _ => no_operator(cursor),
    }
}

fn no_operator<T>(cursor: &mut Cursor<'_>) -> Option<T> {
    let words = ["every", "filter", "sampled", "strictly", "upto", "wait"];
    let near = cursor.word().filter(|_| !cursor.starts_line()).and_then(|word| nearest(word, words));
    let token = cursor.peek();
    let diagnostic = cursor.mismatch(
        "an operator",
        "operators are `+` `*` `-` `$` `;` `every` `filter` `sampled` `strictly sampled` `upto` `wait`",
    );
    let help = "a definition is an expression over clocks, such as `req $ 1`; for another name of an event, declare `event name = req`";
    cursor.report_once(suggest(diagnostic, token.span, near, help)).none()
}

/// Reads `from 3` or `(from 3)`, if it is there.
fn from(cursor: &mut Cursor<'_>) -> Option<Option<u64>> {
    let opening = if cursor.nth_word(1) == Some("from") { cursor.eat("(") } else { None };
    if cursor.word() != Some("from") || (opening.is_none() && cursor.nth(1).kind != Token::Number) {
        return Some(None);
    }
    cursor.bump();
    let first = number(cursor, "the number of the first tick")?;
    if let Some(opening) = opening {
        cursor.close(opening, ")")?;
    }
    Some(Some(first))
}

/// Reads a number of ticks.
fn number(cursor: &mut Cursor<'_>, what: &str) -> Option<u64> {
    let token = cursor.peek();
    let written = cursor.text(token);
    if token.kind != Token::Number || !written.bytes().all(|byte| byte.is_ascii_digit()) {
        return cursor.expected_hint(what, "write a whole number").none();
    }
    cursor.bump();
    let number = written.parse::<u64>().ok().filter(|number| i64::try_from(*number).is_ok());
    if number.is_none() {
        let error = Diagnostic::error("G0403", token.span, format!("`{written}` is greater than {}", i64::MAX));
        cursor.report(error.label("a number of ticks").help("write a smaller number"));
    }
    number
}

/// Reads a word: `01`, `0(1)`, `(10)`.
fn word(cursor: &mut Cursor<'_>) -> Option<ClockWord> {
    const HELP: &str = "write digits 0 and 1, the repeated ones in parentheses: `0(1)` takes all ticks but the first";
    if cursor.peek().kind != Token::Number && !cursor.is("(") {
        return cursor.expected_help("a word of 0 and 1", HELP).none();
    }
    let prefix = if cursor.peek().kind == Token::Number { digits(cursor, HELP)? } else { vec![] };
    let Some(opening) = cursor.eat("(") else { return Some(ClockWord { prefix, period: vec![] }) };
    if cursor.peek().kind != Token::Number {
        return cursor.expected_help("digits 0 and 1", HELP).none();
    }
    let period = digits(cursor, HELP)?;
    cursor.close(opening, ")")?;
    Some(ClockWord { prefix, period })
}

fn digits(cursor: &mut Cursor<'_>, help: &str) -> Option<Vec<bool>> {
    let token = cursor.peek();
    let written = cursor.text(token);
    if let Some(wrong) = written.find(|digit| digit != '0' && digit != '1') {
        let digit: String = written[wrong..].chars().take(1).collect();
        let error = Diagnostic::error("G0101", token.span, format!("`{digit}` is not a digit of a word"))
            .label("a word has the digits 0 and 1")
            .help(help);
        return cursor.report_once(error).none();
    }
    if written.len() > MAX_DIGITS {
        let error = Diagnostic::error("G0114", token.span, format!("a word of more than {MAX_DIGITS} digits"));
        return cursor.report_once(error.help("write a repeated part in parentheses: `0(1)`")).none();
    }
    cursor.bump();
    Some(written.bytes().map(|digit| digit == b'1').collect())
}
