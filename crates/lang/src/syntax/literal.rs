// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names, texts, literals and constants of time: the leaves of every language.
//!
//! A function takes a token from the [`Cursor`] and returns its value, or reports what is wrong and returns `None`. Numbers keep all
//! digits. A unit may follow a number with or without a space, `10s` and `10 s`; where an operand could follow as well,
//! [`UnitPlace`] decides if the next word is a unit. Words that people write for units, such as `sec`, are refused with the unit that
//! was probably meant.

use std::borrow::Cow;

use gnomon_core::time::{TimeError, parse_scaled_within};
use gnomon_core::{Diagnostic, Number, Quantity, Span, TICKS_PER_BARE_UNIT, Unit, Value};
use gnomon_ir::Variable;

use super::cursor::Cursor;
use super::diagnostics::suggest;
use super::lexer::{SpannedToken, Token};
use super::table;

/// A name and its position.
pub(crate) struct Name {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// Reads a name: a word, or a text in quotes. Reports the current token if there is none.
pub(crate) fn name(cursor: &mut Cursor<'_>, what: &str) -> Option<Name> {
    try_name(cursor).or_else(|| cursor.expected(what).none())
}

/// Reads a name if there is one.
pub(crate) fn try_name(cursor: &mut Cursor<'_>) -> Option<Name> {
    let token = cursor.peek();
    match token.kind {
        Token::Word => {
            cursor.bump();
            Some(Name { name: cursor.text(token).to_owned(), span: token.span })
        }
        Token::Text | Token::OpenText => Some(Name { name: text(cursor), span: token.span }),
        _ => None,
    }
}

/// Reads a text in quotes, with its position. Reports the current token if there is none.
pub(crate) fn quoted(cursor: &mut Cursor<'_>, what: &str) -> Option<(String, Span)> {
    let token = cursor.peek();
    if !matches!(token.kind, Token::Text | Token::OpenText) {
        return cursor.expected(what).none();
    }
    Some((text(cursor), token.span))
}

/// Reads the text in quotes at the current token.
pub(crate) fn text(cursor: &mut Cursor<'_>) -> String {
    let token = cursor.bump();
    let raw = cursor.text(token);
    let raw = raw.strip_prefix('"').unwrap_or(raw);
    let raw = if token.kind == Token::Text { raw.strip_suffix('"').unwrap_or(raw) } else { raw };
    let mut value = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(character) = raw[at..].chars().next() {
        at += character.len_utf8();
        if character != '\\' {
            value.push(character);
            continue;
        }
        let (decoded, length) = escape(&raw[at..]);
        if let Some(decoded) = decoded {
            value.push(decoded);
        } else if token.kind == Token::Text {
            let start = token.span.start as usize + at;
            cursor.report(bad_escape(cursor, Span::new(start, start + 1 + length)));
        }
        at += length;
    }
    value
}

/// Returns the character that the text after a backslash stands for, and the length of that text.
fn escape(rest: &str) -> (Option<char>, usize) {
    let Some(first) = rest.chars().next() else { return (None, 0) };
    let plain = match first {
        '"' | '\\' | '/' => first,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'u' => {
            let (digits, length) = match rest[1..].strip_prefix('{') {
                Some(inner) => match inner.find('}') {
                    Some(end) => (&inner[..end], end + 3),
                    None => return (None, 1),
                },
                None => (rest.get(1..5).unwrap_or(""), 5),
            };
            let valid = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let decoded = u32::from_str_radix(digits, 16).ok().filter(|_| valid).and_then(char::from_u32);
            return (decoded, if decoded.is_some() { length } else { 1 });
        }
        _ => return (None, first.len_utf8()),
    };
    (Some(plain), 1)
}

fn bad_escape(cursor: &Cursor<'_>, span: Span) -> Diagnostic {
    let written = cursor.slice(span);
    Diagnostic::error("G0104", span, format!("`{written}` is not an escape"))
        .label(r#"known are \" \\ \/ \n \t \r \u0041 \u{1F600}"#)
        .edit("double the backslash to mean itself", span, format!("\\{written}"))
}

/// A literal, or a word in its place.
pub(crate) enum Literal {
    /// A number, text, `true`, `false` or `null`.
    Value(Value<'static>),
    /// Any other word.
    Word(Span),
}

/// Reads a literal or a word, if there is one.
pub(crate) fn literal(cursor: &mut Cursor<'_>) -> Option<(Literal, Span)> {
    let token = cursor.peek();
    let value = match token.kind {
        Token::Text | Token::OpenText => Value::Text(Cow::Owned(text(cursor))),
        Token::Number => {
            cursor.bump();
            number(cursor, token.span)
        }
        Token::Symbol("-") if cursor.nth(1).kind == Token::Number => {
            cursor.bump();
            let span = token.span.to(cursor.bump().span);
            return Some((Literal::Value(number(cursor, span)), span));
        }
        Token::Word => {
            cursor.bump();
            match constant(cursor.text(token)) {
                Some(constant) => constant,
                None => return Some((Literal::Word(token.span), token.span)),
            }
        }
        _ => return None,
    };
    Some((Literal::Value(value), token.span))
}

/// Returns the value of a word that is a literal.
pub(crate) fn constant(word: &str) -> Option<Value<'static>> {
    match word {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ => None,
    }
}

/// Parses the number under a span, with its sign if it has one.
pub(crate) fn number(cursor: &mut Cursor<'_>, span: Span) -> Value<'static> {
    // The sign may stand apart, or be the typographic one.
    let written = cursor.slice(span);
    let digits = written.trim_start_matches(|first: char| !first.is_ascii_digit());
    let signed = if digits.len() == written.len() { digits.to_owned() } else { format!("-{digits}") };
    let number = Number::parse(&signed);
    Value::Number(number.unwrap_or_else(|_| {
        let diagnostic = Diagnostic::error("G0403", span, format!("`{written}` has more than 128 bits"));
        cursor.report(diagnostic.label("no event can carry such a number").help("write a number with fewer digits"));
        Number::Int(0)
    }))
}

/// Reports a word where a literal should be.
pub(crate) fn unquoted(cursor: &mut Cursor<'_>, span: Span) {
    let word = cursor.slice(span);
    let diagnostic =
        Diagnostic::error("G0108", span, format!("`{word}` is not a number, a text, `true`, `false` or `null`"));
    cursor.report(if cursor.is_bound(word) {
        diagnostic
            .label("a variable: conditions compare fields with literals only")
            .help(format!("write the variable among the event's parameters, as in `pay({word})`"))
    } else {
        diagnostic.label("a value is expected").edit("write a text in quotes", span, format!("\"{word}\""))
    });
}

/// Reads a literal. A word is reported and read as a text.
pub(crate) fn value(cursor: &mut Cursor<'_>) -> Option<Value<'static>> {
    match literal(cursor) {
        Some((Literal::Value(value), _)) => Some(value),
        Some((Literal::Word(span), _)) => {
            unquoted(cursor, span);
            Some(Value::Text(Cow::Owned(cursor.slice(span).to_owned())))
        }
        None => cursor.expected("a number, a text in quotes, `true`, `false` or `null`").none(),
    }
}

/// The place of an amount, which decides if a word after a number and a space is its unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitPlace {
    /// Only a unit can stand there.
    Sure,
    /// An operand may follow.
    BeforeOperand,
}

/// Words that people write for units.
const UNIT_WORDS: &[(Unit, &[&str])] = &[
    (Unit::Nanosecond, &["nanoseconds"]),
    (Unit::Microsecond, &["µs", "μs", "microseconds"]),
    (Unit::Millisecond, &["msec", "millis", "milliseconds"]),
    (Unit::Second, &["sec", "secs", "second", "seconds"]),
    (Unit::Minute, &["min", "mins", "minute", "minutes"]),
    (Unit::Hour, &["hour", "hours", "hr"]),
    (Unit::Day, &["d", "day", "days"]),
];

/// Returns the unit that a misspelt word probably means.
pub(crate) fn meant_unit(word: &str) -> Option<Unit> {
    let lower = word.to_lowercase();
    table::lookup_spelling(UNIT_WORDS, &lower)
        .or_else(|| Unit::ALL.into_iter().find(|unit| unit.symbol().to_lowercase() == lower))
}

/// Reads a word that must be a unit. The unit is `None` if the word is not one, which has been reported.
pub(crate) fn unit(cursor: &mut Cursor<'_>) -> Option<(Option<Unit>, Span)> {
    let Some(word) = cursor.word() else { return cursor.expected("a unit: `ns us ms s m h D`").none() };
    let span = cursor.bump().span;
    let unit = Unit::parse(word);
    if unit.is_none() {
        unknown_unit(cursor, span);
    }
    Some((unit, span))
}

/// Reads the unit in the first `length` bytes of the current token. A word that is not a unit is reported if it can
/// only be meant as one, and left otherwise. `is_sure` says that the word cannot be anything else.
pub(crate) fn trailing_unit(cursor: &mut Cursor<'_>, length: usize, is_sure: bool) -> Option<(Unit, Span)> {
    let front = &cursor.word()?[..length];
    if let Some(unit) = Unit::parse(front) {
        return Some((unit, cursor.take_front(length)));
    }
    let meant = meant_unit(front);
    if !is_sure && meant.is_none() {
        return None;
    }
    let span = cursor.bump().span;
    unknown_unit(cursor, span);
    meant.map(|unit| (unit, span))
}

/// Reports a word that should be a unit.
pub(crate) fn unknown_unit(cursor: &mut Cursor<'_>, span: Span) {
    let word = cursor.slice(span);
    let diagnostic =
        Diagnostic::error("G0404", span, format!("unknown unit `{word}`")).label("units are `ns us ms s m h D`");
    let help = "write one of `ns us ms s m h D`, or nothing for the unit of the trace";
    cursor.report(suggest(diagnostic, span, meant_unit(word).map(Unit::symbol), help));
}

/// The greatest whole part of a time or a count.
const GREATEST_TIME: i128 = i64::MAX as i128;
/// The greatest whole part of a number that values are compared with: its billionths fit 128 bits.
const GREATEST_VALUE: i128 = 10_i128.pow(29);

/// Reads an amount of time or a count, with an optional unit. Returns `None` after reporting one that makes no sense.
pub(crate) fn quantity(cursor: &mut Cursor<'_>, place: UnitPlace, what: &str) -> Option<(Quantity, Span)> {
    quantity_within(cursor, place, what, GREATEST_TIME)
}

/// Reads a number that values are compared with. A unit after it is read too, and rejected by the checker.
pub(crate) fn value_bound(cursor: &mut Cursor<'_>, place: UnitPlace, what: &str) -> Option<(Quantity, Span)> {
    quantity_within(cursor, place, what, GREATEST_VALUE)
}

fn quantity_within(cursor: &mut Cursor<'_>, place: UnitPlace, what: &str, greatest: i128) -> Option<(Quantity, Span)> {
    let minus = cursor.eat("-");
    let token = number_token(cursor, what)?;
    let billionths = billionths_within(cursor, token.span, greatest);
    let billionths = billionths.map(|number| if minus.is_some() { -number } else { number });
    let adjacent = cursor.peek().span.start == token.span.end;
    // Operators may stand right behind an amount: `F=5U`.
    let word = cursor.word().filter(|word| !matches!(*word, "U" | "S" | "W" | "R" | "_"));
    let unit = word.filter(|_| adjacent || place == UnitPlace::Sure);
    // Between a number and the end of its place only a unit can stand.
    let is_last = matches!(cursor.nth(1).kind, Token::Symbol("," | ")" | "]" | "}"));
    let is_sure = adjacent || (is_last && !is_infinite(cursor));
    let unit = unit.and_then(|word| trailing_unit(cursor, word.len(), is_sure)).map(|(unit, _)| unit);
    Some((Quantity { billionths: billionths?, unit }, cursor.since(minus.unwrap_or(token.span))))
}

/// Returns true if the current token stands for infinity.
pub(crate) fn is_infinite(cursor: &Cursor<'_>) -> bool {
    cursor.is("inf") || cursor.word().is_some_and(|word| matches!(word, "inf" | "infinity" | "Inf" | "INF" | "oo"))
}

/// Takes a number. Reports the current token if it is none.
fn number_token(cursor: &mut Cursor<'_>, what: &str) -> Option<SpannedToken> {
    if cursor.peek().kind != Token::Number {
        return cursor.expected(what).none();
    }
    Some(cursor.bump())
}

/// Reads a number without a unit: a word after it is not part of it.
pub(crate) fn plain_number(cursor: &mut Cursor<'_>, what: &str) -> Option<(Quantity, Span)> {
    let token = number_token(cursor, what)?;
    Some((Quantity { billionths: billionths(cursor, token.span)?, unit: None }, token.span))
}

/// Returns the number under a span times 10⁹. Returns `None` after reporting one that has no exact representation.
pub(crate) fn billionths(cursor: &mut Cursor<'_>, span: Span) -> Option<i128> {
    billionths_within(cursor, span, GREATEST_TIME)
}

fn billionths_within(cursor: &mut Cursor<'_>, span: Span, greatest: i128) -> Option<i128> {
    let written = cursor.slice(span);
    let error = match parse_scaled_within(written, TICKS_PER_BARE_UNIT, greatest) {
        Ok(billionths) => return Some(billionths),
        Err(error) => error,
    };
    cursor.report(match error {
        TimeError::TooFine => Diagnostic::error("G0402", span, format!("`{written}` has too many decimal places"))
            .label("nine decimal places are kept")
            .help("round the constant, or write it in a finer unit"),
        TimeError::TooLarge | TimeError::NotATime | TimeError::DayOrMonth | TimeError::UnknownZone => {
            let diagnostic = Diagnostic::error("G0403", span, format!("`{written}` is too large"));
            if greatest == GREATEST_VALUE {
                diagnostic
                    .label("the bound of an aggregate is at most 10^29")
                    .help("compare the values in a coarser unit")
            } else {
                diagnostic
                    .label("the whole part must fit 64 bits")
                    .help("write `inf` for an interval without end, or a coarser unit")
            }
        }
    });
    None
}

/// Returns true if a word may be a variable's name. It has no marks: they would be read as the end of a prefix, or as a
/// minus.
fn is_variable(word: &str) -> bool {
    !word.starts_with(|first: char| first.is_ascii_digit())
        && !word.contains(['.', '-', ':'])
        && !matches!(word, "_" | "true" | "false" | "null")
}

/// Returns the variable that a word names. Returns `None` after reporting a word that cannot be a variable.
pub(crate) fn variable(cursor: &mut Cursor<'_>, span: Span) -> Option<Variable> {
    let word = cursor.slice(span);
    if is_variable(word) {
        return Some(Variable { name: word.to_owned(), span });
    }
    cursor.report(no_variable(word, span).edit("write a text in quotes", span, format!("\"{word}\"")));
    None
}

/// Returns the variable that a quantifier declares. Returns `None` after reporting a word that cannot be a variable.
pub(crate) fn declared_variable(cursor: &mut Cursor<'_>, span: Span) -> Option<Variable> {
    let word = cursor.slice(span);
    if is_variable(word) {
        return Some(Variable { name: word.to_owned(), span });
    }
    let diagnostic = no_variable(word, span);
    let meant = word.replace(['.', '-', ':'], "_");
    cursor.report(if is_variable(&meant) && meant != word {
        diagnostic.edit(format!("write `{meant}`, here and where it is used"), span, meant)
    } else {
        diagnostic.help("choose another name")
    });
    None
}

fn no_variable(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error("G0116", span, format!("`{word}` cannot be a variable"))
        .label("a variable has letters, digits and `_` only, and is not a literal")
}
