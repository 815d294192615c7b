// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names, texts, literals and constants of time.

use std::borrow::Cow;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::number::Number;
use gnomon_core::time::{Quantity, TICKS_PER_BARE_UNIT, TimeError, Unit, parse_scaled};
use gnomon_core::value::Value;
use gnomon_ir::spec::Variable;

use super::cursor::Cursor;
use super::lexer::Kind;

/// A name and where it stands.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// Reads a name: a word, or a text in quotes. Blames the current token if there is none.
pub(crate) fn name(cursor: &mut Cursor<'_>, what: &str) -> Option<Named> {
    let found = try_name(cursor);
    if found.is_none() {
        cursor.expected(what);
    }
    found
}

/// Reads a name if there is one.
pub(crate) fn try_name(cursor: &mut Cursor<'_>) -> Option<Named> {
    let token = cursor.peek();
    match token.kind {
        Kind::Word => {
            cursor.bump();
            Some(Named { name: cursor.text(token).to_owned(), span: token.span })
        }
        Kind::Text | Kind::OpenText => Some(Named { name: text(cursor), span: token.span }),
        _ => None,
    }
}

/// Reads a text in quotes, which must be there.
pub(crate) fn text(cursor: &mut Cursor<'_>) -> String {
    let token = cursor.bump();
    let raw = cursor.text(token);
    let raw = raw.strip_prefix('"').unwrap_or(raw);
    let raw = if token.kind == Kind::Text { raw.strip_suffix('"').unwrap_or(raw) } else { raw };
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
        } else if token.kind == Kind::Text {
            let start = token.span.start as usize + at;
            bad_escape(cursor, Span::new(start, start + 1 + length));
        }
        at += length;
    }
    value
}

/// What the text after a backslash stands for, and its length.
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

fn bad_escape(cursor: &mut Cursor<'_>, span: Span) {
    let written = cursor.slice(span);
    cursor.report(
        Diagnostic::error("G0104", span, format!("`{written}` is no escape"))
            .label(r#"known are \" \\ \/ \n \t \r \u0041 \u{1F600}"#)
            .edit("double the backslash to mean itself", span, format!("\\{written}")),
    );
}

/// What stands where a literal may stand.
pub(crate) enum Literal {
    /// A number, text, `true`, `false` or `null`.
    Value(Value<'static>),
    /// A word that is no literal.
    Word(Span),
}

/// Reads a literal or a word, if there is one.
pub(crate) fn literal(cursor: &mut Cursor<'_>) -> Option<(Literal, Span)> {
    let token = cursor.peek();
    let value = match token.kind {
        Kind::Text | Kind::OpenText => Value::Text(Cow::Owned(text(cursor))),
        Kind::Number => {
            cursor.bump();
            number(cursor, token.span)
        }
        Kind::Symbol("-") if cursor.nth(1).kind == Kind::Number => {
            cursor.bump();
            let span = token.span.to(cursor.bump().span);
            return Some((Literal::Value(number(cursor, span)), span));
        }
        Kind::Word => {
            cursor.bump();
            match cursor.text(token) {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                _ => return Some((Literal::Word(token.span), token.span)),
            }
        }
        _ => return None,
    };
    Some((Literal::Value(value), token.span))
}

/// The number under a span, with its sign if it has one.
pub(crate) fn number(cursor: &mut Cursor<'_>, span: Span) -> Value<'static> {
    // The sign may stand apart, or be the typographic one.
    let written = cursor.slice(span);
    let digits = written.trim_start_matches(|first: char| !first.is_ascii_digit());
    let signed = if digits.len() == written.len() { digits.to_owned() } else { format!("-{digits}") };
    let number = Number::parse(&signed).filter(|number| number.to_f64().is_finite());
    Value::Number(number.unwrap_or_else(|| {
        cursor.report(
            Diagnostic::error("G0403", span, format!("`{written}` is too large"))
                .label("no event can carry such a number")
                .help("write a smaller number"),
        );
        Number::Int(0)
    }))
}

/// Reports a word where a literal should be, with quotes as the cure.
pub(crate) fn unquoted(cursor: &mut Cursor<'_>, span: Span) {
    let word = cursor.slice(span);
    let diagnostic =
        Diagnostic::error("G0108", span, format!("`{word}` is no number, text, `true`, `false` or `null`"));
    cursor.report(if cursor.is_bound(word) {
        diagnostic
            .label("a variable: conditions compare fields with literals only")
            .help(format!("write the variable among the event's parameters, as in `pay({word})`"))
    } else {
        diagnostic.label("a value is expected").edit("write a text in quotes", span, format!("\"{word}\""))
    });
}

/// Reads a literal; words are reported and read as texts.
pub(crate) fn value(cursor: &mut Cursor<'_>) -> Option<Value<'static>> {
    match literal(cursor) {
        Some((Literal::Value(value), _)) => Some(value),
        Some((Literal::Word(span), _)) => {
            unquoted(cursor, span);
            Some(Value::Text(Cow::Owned(cursor.slice(span).to_owned())))
        }
        None => {
            cursor.expected("a number, a text in quotes, `true`, `false` or `null`");
            None
        }
    }
}

/// Whether a word after a number and a space can only be its unit, or may be what comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitPlace {
    /// Only a unit can stand there.
    Sure,
    /// An operand may follow.
    BeforeOperand,
}

/// Words that people write for units.
const UNIT_WORDS: &[(&str, Unit)] = &[
    ("nanoseconds", Unit::Nanosecond),
    ("µs", Unit::Microsecond),
    ("μs", Unit::Microsecond),
    ("microseconds", Unit::Microsecond),
    ("msec", Unit::Millisecond),
    ("millis", Unit::Millisecond),
    ("milliseconds", Unit::Millisecond),
    ("sec", Unit::Second),
    ("secs", Unit::Second),
    ("second", Unit::Second),
    ("seconds", Unit::Second),
    ("min", Unit::Minute),
    ("mins", Unit::Minute),
    ("minute", Unit::Minute),
    ("minutes", Unit::Minute),
    ("hour", Unit::Hour),
    ("hours", Unit::Hour),
    ("hr", Unit::Hour),
    ("d", Unit::Day),
    ("day", Unit::Day),
    ("days", Unit::Day),
];

/// The unit that somebody meant with a word that is none.
pub(crate) fn meant_unit(word: &str) -> Option<Unit> {
    let lower = word.to_lowercase();
    let meant = UNIT_WORDS.iter().find(|(known, _)| *known == lower).map(|(_, unit)| *unit);
    meant.or_else(|| Unit::ALL.into_iter().find(|unit| unit.symbol().to_lowercase() == lower))
}

/// Reports a word that should be a unit.
pub(crate) fn unknown_unit(cursor: &mut Cursor<'_>, span: Span) {
    let word = cursor.slice(span);
    let diagnostic =
        Diagnostic::error("G0404", span, format!("`{word}` is no unit of time")).label("units are `ns us ms s m h D`");
    cursor.report(match meant_unit(word) {
        Some(unit) => diagnostic.edit(format!("write `{unit}`"), span, unit.symbol()),
        None => diagnostic.help("write one of `ns us ms s m h D`, or nothing for the unit of the trace"),
    });
}

/// Reads an amount of time or a number, with an optional unit. `None` if there is none that makes sense, which has been
/// reported.
pub(crate) fn quantity(cursor: &mut Cursor<'_>, place: UnitPlace, what: &str) -> Option<(Quantity, Span)> {
    let minus = cursor.eat("-");
    let token = cursor.peek();
    if token.kind != Kind::Number {
        cursor.expected(what);
        return None;
    }
    cursor.bump();
    let mut span = minus.unwrap_or(token.span).to(token.span);
    let billionths = billionths(cursor, token.span).map(|number| if minus.is_some() { -number } else { number });
    let mut unit = None;
    if let Some(word) = cursor.word() {
        let word_token = cursor.peek();
        let adjacent = word_token.span.start == span.end;
        if let Some(known) = Unit::parse(word) {
            if adjacent || place == UnitPlace::Sure {
                unit = Some(known);
                span = span.to(cursor.bump().span);
            }
        } else if !matches!(word, "U" | "S" | "W" | "R" | "_")
            && (adjacent || (place == UnitPlace::Sure && meant_unit(word).is_some()))
        {
            cursor.bump();
            unknown_unit(cursor, word_token.span);
            unit = meant_unit(word);
            span = span.to(word_token.span);
        }
    }
    Some((Quantity { billionths: billionths?, unit }, span))
}

/// Reads a number without a unit: a word after it is no part of it.
pub(crate) fn plain_number(cursor: &mut Cursor<'_>, what: &str) -> Option<(Quantity, Span)> {
    let token = cursor.peek();
    if token.kind != Kind::Number {
        cursor.expected(what);
        return None;
    }
    cursor.bump();
    Some((Quantity { billionths: billionths(cursor, token.span)?, unit: None }, token.span))
}

/// The number under a span times 10⁹; `None` if it is none that can be kept, which is reported.
pub(crate) fn billionths(cursor: &mut Cursor<'_>, span: Span) -> Option<i128> {
    let written = cursor.slice(span);
    let error = match parse_scaled(written, TICKS_PER_BARE_UNIT) {
        Ok(billionths) => return Some(billionths),
        Err(error) => error,
    };
    cursor.report(match error {
        TimeError::TooFine => Diagnostic::error("G0402", span, format!("`{written}` has too many decimal places"))
            .label("nine decimal places are kept")
            .help("round the constant, or write it in a finer unit"),
        TimeError::TooLarge | TimeError::NotATime => {
            Diagnostic::error("G0403", span, format!("`{written}` is too large"))
                .label("the whole part must fit 64 bits")
                .help("write `inf` for an interval without end, or a coarser unit")
        }
    });
    None
}

/// Whether a word may be a variable's name. Marks that other words may have would be read as the end of a prefix, or as
/// a minus.
fn is_variable(word: &str) -> bool {
    !word.starts_with(|first: char| first.is_ascii_digit())
        && !word.contains(['.', '-', ':'])
        && !matches!(word, "_" | "true" | "false" | "null")
}

/// The variable that a word names; `None` if it cannot, which is reported.
pub(crate) fn variable(cursor: &mut Cursor<'_>, span: Span) -> Option<Variable> {
    let word = cursor.slice(span);
    if is_variable(word) {
        return Some(Variable { name: word.to_owned(), span });
    }
    cursor.report(no_variable(word, span).edit("write a text in quotes", span, format!("\"{word}\"")));
    None
}

/// Likewise where a quantifier makes the variable known.
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
        .label("a variable has letters, digits and `_` only, and is no literal")
}
