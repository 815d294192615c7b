// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aggregates: `count[10m](f) <= 3`, `sum[24h](withdraw(u).amount) <= 5000`; and forms that stand in a formula by
//! mistake.

use gnomon_core::Diagnostic;
use gnomon_ir::Fold;

use super::prefix::{kind_at, prefix};
use crate::syntax::{Cursor, Token, UnitPlace, argument_list_end, quantity, respelt};
use crate::temporal::Dialect;
use crate::temporal::aggregate::{arguments, has_window, incomplete, readable, statistic, statistic_form};
use crate::temporal::parse::formula;
use crate::temporal::syntax::{Measure, Syntax};

/// Reads an aggregate if the current token begins one. Also reads, and reports, a misplaced quantifier or an aggregate
/// of SOLOIST.
pub(super) fn own(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    if kind_at(cursor).is_some() {
        return Some(misplaced(cursor, dialect));
    }
    let word = cursor.word()?;
    if (matches!(word, "C" | "M" | "D" | "U") || measure(word).is_some()) && cursor.nth_is(1, "^") {
        return Some(lettered(cursor, dialect));
    }
    let measure = measure(word)?;
    if has_window(cursor) {
        return Some(readable(cursor, dialect, measure));
    }
    let end = argument_list_end(cursor, 1).filter(|_| cursor.nth_is(1, "("))?;
    matches!(cursor.nth(end + 1).kind, Token::Symbol("<" | "<=" | ">" | ">=")).then(|| no_window(cursor, dialect, end))
}

/// Returns the aggregate of a word.
fn measure(word: &str) -> Option<Measure> {
    match word {
        "count" => Some(Measure::Count),
        _ => statistic(word).or_else(|| Fold::parse(word).map(Measure::Fold)),
    }
}

/// Reports `sum(pay.amount) <= 500`, which cannot be an event, because no event is compared with a number. The
/// parameters end at token `end`.
#[inline(never)]
fn no_window(cursor: &mut Cursor<'_>, dialect: &Dialect, end: usize) -> Syntax {
    let head = cursor.peek().span;
    incomplete(cursor, dialect, head, "has no window", "a window is expected after this");
    cursor.skip_to(cursor.index() + end + 2);
    quantity(cursor, UnitPlace::Sure, "a number");
    Syntax::missing(head)
}

/// Returns an example of an aggregate with this word.
pub(super) fn form(written: &str) -> String {
    match written {
        "count" => "count[10m](f) <= 3".to_owned(),
        _ => statistic_form(written).unwrap_or_else(|| format!("{written}[24h](pay(u).amount) <= 500")),
    }
}

/// Reads quantifiers inside the formula, which is reported.
#[inline(never)]
fn misplaced(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    cursor.report_once(
        Diagnostic::error("G0314", token.span, format!("`{word}` is inside the formula"))
            .label("quantifiers come before the whole formula")
            .help("write `_` where any value will do: `F close(x, _)`, and `!close(x, _)` where none may"),
    );
    prefix(cursor);
    formula(cursor, dialect);
    Syntax::missing(token.span)
}

/// Reads `C^{600}_{<=3}(f)`, as SOLOIST writes it, which is reported.
#[inline(never)]
fn lettered(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let head = cursor.bump().span;
    let written = cursor.slice(head);
    let (meant, measure) = match (written, measure(written)) {
        ("C", _) => (form("count"), Measure::Count),
        (_, None) => (form("avg"), Measure::Count),
        (_, Some(measure)) => (form(written), measure),
    };
    cursor.report(respelt(cursor.slice(head), head, &meant).help(format!("write a window as in `{meant}`")));
    cursor.skip_until(&["("], &[], &[]);
    if cursor.is("(") {
        arguments(cursor, dialect, measure, head);
    }
    cursor.suppress();
    Syntax::missing(head)
}
