// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses tokens to [`Syntax`]: the operands and operators that only temporal languages have.

use gnomon_core::diagnostic::Diagnostic;

use super::Dialect;
use super::aggregate::has_window;
use super::interval::{OperatorSuffix, suffix};
use super::operator::{self, between, binary, binary_letter, letter, letter_at, spelt, unary};
use super::syntax::{Syntax, TemporalForm};
use crate::syntax::atom::{are_bound, atom, is_single_text};
use crate::syntax::formula::{self, climb, constant, event, missing, node, not, parenthesised};
use crate::syntax::{
    Cursor, Grammar, Infix, Precedence, SyntaxKind, Token, UnitPlace, argument_list_end, is_argument_list,
    is_comparison, is_word, nearest, quantity, suggest,
};

/// Reads the whole text as one formula.
pub(super) fn parse(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    if cursor.at_end() {
        let help = "write what must be true, for example `G(request -> F[0,10] reply)`";
        return cursor.report_empty("there is no formula", "a formula is expected here", help).none();
    }
    Some(formula::whole(cursor, dialect))
}

/// Reads a formula.
pub(crate) fn formula(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    climb(cursor, dialect, Precedence::Iff)
}

impl Grammar for Dialect {
    type Form = TemporalForm;

    const OPERAND: &'static str = "a formula";
    const NEGATED: Precedence = Precedence::Operand;
    const ENDS: &'static [&'static str] = &[")", "}"];

    fn operand(&self, cursor: &mut Cursor<'_>) -> Syntax {
        match cursor.peek().kind {
            Token::Symbol("!" | "~") => not(cursor, self),
            Token::Symbol("(") => parenthesised(cursor, self),
            Token::Symbol(value @ ("true" | "false")) => constant(cursor, value == "true"),
            Token::Symbol("[") if cursor.nth_is(1, "]") => drawn(cursor, self, 'G'),
            Token::Symbol("<") if cursor.nth_is(1, ">") => drawn(cursor, self, 'F'),
            Token::Word => word(cursor, self),
            Token::Unknown => sign(cursor, self),
            Token::Text | Token::OpenText => event(cursor),
            _ => missing(cursor, self),
        }
    }

    fn starts_operand(&self, cursor: &Cursor<'_>) -> bool {
        operator::starts_operand(cursor, self, 0)
    }

    fn infix(&self, cursor: &Cursor<'_>, _left: Option<&Syntax>) -> Option<Infix> {
        operator::infix(cursor, self)
    }

    /// Reads `U I g` and the like behind `f`.
    fn apply(&self, cursor: &mut Cursor<'_>, _level: Precedence, left: Syntax) -> Syntax {
        let Some(operator) = operator::take_temporal(cursor, self) else { return left };
        let OperatorSuffix { interval, .. } = suffix(cursor, self, binary_letter(operator));
        let right = climb(cursor, self, Precedence::Temporal);
        let span = left.outer.to(right.outer);
        let interval = interval.unwrap_or(self.omitted());
        node(cursor, SyntaxKind::Own(TemporalForm::Binary { operator, interval, left, right }), span)
    }

    fn advice(&self, token: Token, _text: &str) -> Option<String> {
        let advice = match token {
            Token::Number => "numbers can be used only in intervals, windows, bounds and conditions",
            Token::Symbol("{") => "group formulae with `(` and `)`",
            _ => return None,
        };
        Some(advice.to_owned())
    }

    fn joins(&self, token: Token) -> String {
        match token {
            Token::Symbol("!=") => "write `!(f <-> g)` if exactly one of two formulae must be true".to_owned(),
            Token::Symbol("=" | "<" | "<=" | ">" | ">=" | "=<") => {
                "fields are compared in brackets, `pay[amount > 5]`, and counts as `count[600](f) <= 3`".to_owned()
            }
            _ => format!("join formulae with `{}`", between(self)),
        }
    }

    fn separated(&self, cursor: &Cursor<'_>, diagnostic: Diagnostic) -> Diagnostic {
        let token = cursor.peek();
        let text = cursor.text(token);
        // Papers write `(a)Sb`.
        let glued = text.starts_with(['U', 'S']) && is_word(&text[1..]) && token.kind == Token::Word;
        let subscript = text.strip_prefix(['U', 'S']).and_then(|rest| rest.strip_prefix('_'));
        let touching = cursor.previous().is_some_and(|before| before.span.end == token.span.start);
        if let Some(subscript) = subscript {
            let operator = &text[..1];
            diagnostic.help(format!(
                "write the interval instead of `{subscript}`: `{operator}_{{[0,10]}}` or `{operator}[0,10]`"
            ))
        } else if glued && touching {
            diagnostic.edit(
                "separate the operator from the event",
                token.span,
                format!("{} {}", &text[..1], &text[1..]),
            )
        } else {
            diagnostic.edit("join the two, for example with `&&`", token.span, format!("&& {text}"))
        }
    }
}

/// Reads a formula that begins with a word: a constant, an operator, an event, or a form that only this language has.
fn word(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let text = cursor.text(token);
    if let "true" | "false" = text {
        return constant(cursor, text == "true");
    }
    if let Some(own) = (dialect.own)(cursor, dialect) {
        return own;
    }
    if let Some(letter) = spelt(dialect, text) {
        return match unary(letter) {
            Some(_) if cursor.nth_is(1, "(") && is_single_text(cursor, 1) => ambiguous(cursor, dialect),
            _ if operator::is_event(cursor, dialect, 0) => event(cursor),
            Some(_) => temporal(cursor, dialect, letter),
            None => keyword(cursor, dialect),
        };
    }
    if let Some(letter) = operator::prefix(cursor, dialect) {
        if letter == '!' {
            return not(cursor, dialect);
        }
        operator::report_at(cursor, token.span, &letter.to_string());
        return temporal(cursor, dialect, letter);
    }
    match letter_at(cursor, dialect, 0) {
        Some(_) if operator::has_variables(cursor) => unquoted(cursor, dialect),
        Some(letter) if unary(letter).is_some() => temporal(cursor, dialect, letter),
        Some(_) => keyword(cursor, dialect),
        None if text == "_" => keyword(cursor, dialect),
        None => called(cursor, dialect).unwrap_or_else(|| event(cursor)),
    }
}

/// Reads, and reports, a call of a function that does not exist: `median(a) > 3`, `median[10m](a) > 3` or `onEvnt(a)`.
/// Returns `None` if the word is an event.
#[inline(never)]
fn called(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    let head = cursor.peek().span;
    let word = cursor.slice(head);
    let end = if has_window(cursor) {
        // No condition begins with a number, so that this is a window.
        let closed = (2..6).find(|at| cursor.nth_is(*at, "]"))?;
        argument_list_end(cursor, closed + 1).filter(|_| cursor.nth_is(closed + 1, "("))?
    } else {
        argument_list_end(cursor, 1).filter(|_| cursor.nth_is(1, "("))?
    };
    let is_compared = is_comparison(cursor.nth(end + 1).kind) && cursor.nth(end + 2).kind == Token::Number;
    let is_of_event = nearest(word, ["onEvent"]).is_some() && end == 3 && !are_bound(cursor, 1);
    if !is_compared && !is_of_event {
        return None;
    }
    let functions: &[&str] = if dialect.variables { MTL_FUNCTIONS } else { SOLOIST_FUNCTIONS };
    let diagnostic =
        Diagnostic::error("G0133", head, format!("unknown function `{word}`")).label("not an operator or a function");
    let help = if is_of_event {
        format!("an event is written by its name: `{}`", cursor.text(cursor.nth(2)))
    } else {
        format!("the functions are `{}`; fields are compared in brackets: `pay[amount > 5]`", functions.join(" "))
    };
    let known = if word == "median" { Some("p50") } else { nearest(word, functions.iter().copied()) };
    let meant = known.filter(|_| !is_of_event);
    cursor.report(suggest(diagnostic, head, meant, help));
    cursor.skip_to(cursor.index() + end + 1);
    if is_compared {
        cursor.bump();
        quantity(cursor, UnitPlace::BeforeOperand, "a number");
    }
    Some(Syntax::missing(head))
}

/// The functions of a window in MTL and in SOLOIST.
const MTL_FUNCTIONS: &[&str] = &["count", "rate", "sum", "avg", "min", "max", "p50", "p95", "p99", "distinct"];
const SOLOIST_FUNCTIONS: &[&str] =
    &["count", "rate", "avg", "max", "gap", "p50", "p95", "p99", "distinct", "C", "U", "M", "D"];

/// Reads a formula that begins with a character which may be an operator in this language.
fn sign(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    if let Some(own) = (dialect.own)(cursor, dialect) {
        return own;
    }
    match letter_at(cursor, dialect, 0) {
        Some(letter) => temporal(cursor, dialect, letter),
        None => missing(cursor, dialect),
    }
}

/// Reads `[] f` and `<> f`, as other notations draw `G` and `F`.
fn drawn(cursor: &mut Cursor<'_>, dialect: &Dialect, letter: char) -> Syntax {
    let span = cursor.bump().span.to(cursor.peek().span);
    operator::report_at(cursor, span, &letter.to_string());
    temporal(cursor, dialect, letter)
}

/// Reads `G I f` and the like; the operator is the current token.
fn temporal(cursor: &mut Cursor<'_>, dialect: &Dialect, letter: char) -> Syntax {
    let token = cursor.peek();
    let condition_follows =
        cursor.nth_is(1, "[") && cursor.nth_word(2).is_some_and(|word| word != "inf") && !cursor.nth_is(3, ",");
    let strange = cursor.nth(1).kind == Token::Unknown && letter_at(cursor, dialect, 1).is_none();
    if condition_follows
        || !(strange || operator::starts_suffix(cursor, 1) || operator::starts_operand(cursor, dialect, 1))
    {
        return keyword(cursor, dialect);
    }
    cursor.bump();
    if strange {
        cursor.expected("a formula");
        cursor.bump();
    }
    let OperatorSuffix { exponent, interval } = suffix(cursor, dialect, letter);
    if !operator::starts_operand(cursor, dialect, 0) {
        let written = cursor.slice(token.span);
        let help = format!("write what `{written}` is about; an event of that name must be in quotes: `\"{written}\"`");
        cursor.expected_hint("a formula", help);
        return Syntax::missing(token.span);
    }
    let of = climb(cursor, dialect, Precedence::Operand);
    let span = token.span.to(of.outer);
    let Some(operator) = unary(letter) else { return of };
    let interval = interval.unwrap_or(dialect.omitted());
    node(cursor, SyntaxKind::Own(TemporalForm::Unary { operator, exponent, interval, of }), span)
}

/// Reports an operator where an event's name seems to be meant.
#[inline(never)]
fn keyword(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    let message = match letter(dialect, word).or_else(|| spelt(dialect, word)) {
        None => format!("`{word}` can only be a parameter"),
        Some(letter) if binary(letter).is_some() => {
            format!("`{word}` is an operator, and there is no formula before it")
        }
        Some(_) => format!("`{word}` is an operator without an operand"),
    };
    unquoted_operator(cursor, dialect, "G0107", message)
}

/// Reports an operator's letter with variables behind it, as in `P(x)`: read as an operator, it would be about events with
/// the names of the variables.
#[inline(never)]
fn unquoted(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let word = cursor.text(cursor.peek());
    let message = format!("`{word}` is an operator, and variables follow it instead of a formula");
    unquoted_operator(cursor, dialect, "G0209", message)
}

fn unquoted_operator(cursor: &mut Cursor<'_>, dialect: &Dialect, code: &'static str, message: String) -> Syntax {
    let token = cursor.peek();
    let diagnostic = Diagnostic::error(code, token.span, message).label("not an event's name");
    let quoted = format!("\"{}\"", cursor.text(token));
    no_event(cursor, dialect, diagnostic.edit("an event of that name must be in quotes", token.span, quoted))
}

/// Reports an operator's word with a text behind it, as in `next("b")`, which may be the operator or an event.
#[inline(never)]
fn ambiguous(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let (word, text) = (cursor.text(token), cursor.text(cursor.nth(2)));
    let message = format!("`{word}({text})` is the operator `{word}` or an event with a parameter");
    let diagnostic = Diagnostic::error("G0149", token.span, message)
        .label("a word for an operator")
        .help(format!("write `{word} {text}` for the operator, `\"{word}\"({text})` for the event"));
    no_event(cursor, dialect, diagnostic)
}

/// Reports that the current token is not an event's name. Takes it, with parameters and conditions if it has any.
pub(crate) fn no_event(cursor: &mut Cursor<'_>, dialect: &Dialect, diagnostic: Diagnostic) -> Syntax {
    let span = cursor.peek().span;
    cursor.report_once(diagnostic);
    if cursor.nth_is(1, "(") && !is_argument_list(cursor, 1) {
        cursor.bump();
        parenthesised(cursor, dialect);
    } else if atom(cursor).is_none() {
        cursor.bump();
    }
    cursor.suppress();
    Syntax::missing(span)
}
