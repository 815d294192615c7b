// SPDX-License-Identifier: MIT OR Apache-2.0
//! SOLOIST: metric temporal logic with strict operators and aggregates over windows of the past. An aggregate is
//! written `C^{600}_{<=3}(f)`, as in papers, or `count[600](f) <= 3`, in words.
//!
//! The grammar, in both spellings, is in `soloist/GRAMMAR.md`. The oracle and the engine give formulae their meaning.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Body, Formula, Language};

use crate::specfile::{BlockContent, Frontend, LanguageOption, LanguageOptions};
use crate::syntax::{Cursor, Token, UnitPlace, is_comparison, table};
use crate::temporal::aggregate::{
    AggregateArguments, ParsedComparison, ParsedWindow, arguments, close_brace, compare, constant, constants, finish,
    has_window, incomplete, readable, statistic, statistic_form,
};
use crate::temporal::operator::{letter, letter_at};
use crate::temporal::parse::no_event;
use crate::temporal::syntax::{Aggregate, Measure, Syntax};
use crate::temporal::{self, Dialect};

const FULL_WINDOW: &str = "full-window";

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend =
    Frontend { options: &[LanguageOption::plain(FULL_WINDOW)], ..Frontend::plain(Language::Soloist, true, read) };

const DIALECT: Dialect = Dialect {
    name: "SOLOIST",
    letters: "GFHPXYUSCMD",
    words: &[],
    signs: &[],
    own: aggregate,
    form,
    variables: false,
    strict: true,
    full_window: false,
};

fn read(cursor: &mut Cursor<'_>, options: &LanguageOptions) -> Option<BlockContent> {
    let dialect = Dialect { full_window: options.has(FULL_WINDOW), ..DIALECT };
    let formula = temporal::formula(cursor, &dialect)?;
    Some((vec![], Body::Formula(formula)))
}

/// Reads a bare formula.
pub(crate) fn formula(source: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    let mut cursor = Cursor::new(source, "the text");
    let formula = temporal::formula(&mut cursor, &DIALECT);
    (formula, cursor.into_diagnostics())
}

/// Writes a formula so that it parses back to the same, apart from spans. The option `full-window` belongs to the
/// property and is not part of the text.
///
/// ```
/// let (formula, _) = gnomon_lang::parse_formula("G ((request) → F_{[0,10]} (reply))");
/// assert_eq!(gnomon_lang::soloist::print(&formula.unwrap()), "G(request -> F[0,10] reply)");
/// ```
pub fn print(formula: &Formula) -> String {
    temporal::print::print(formula, &DIALECT, &[])
}

/// Reads an aggregate, if the word at the current token begins one.
fn aggregate(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Option<Syntax> {
    // An event may have the name of an aggregate.
    let statistic = cursor.word().and_then(statistic);
    let known = statistic.or_else(|| table::lookup(WORDS, cursor.word()?));
    if let Some(measure) = known.filter(|_| has_window(cursor)) {
        return Some(readable(cursor, dialect, measure));
    }
    if let Some(measure) = statistic.filter(|_| cursor.nth_is(1, "^")) {
        return Some(lettered(cursor, dialect, measure));
    }
    let measure = table::lookup(LETTERS, letter_at(cursor, dialect, 0)?)?;
    if cursor.nth_is(1, "^") || cursor.nth_word(1) == Some("_") {
        return Some(lettered(cursor, dialect, measure));
    }
    matches!(cursor.nth(1).kind, Token::Symbol("(" | "[")).then(|| no_window(cursor, dialect))
}

const LETTERS: &[(char, Measure)] =
    &[('C', Measure::Count), ('U', Measure::Average), ('M', Measure::Maximum), ('D', Measure::Gap)];

const WORDS: &[(&str, Measure)] =
    &[("count", Measure::Count), ("avg", Measure::Average), ("max", Measure::Maximum), ("gap", Measure::Gap)];

/// Returns an example of an aggregate with this letter or word.
fn form(written: &str) -> String {
    match written {
        "count" => "count[600](f) <= 3".to_owned(),
        "avg" | "max" => format!("{written}[600,60](f) <= 3"),
        "gap" => "gap[900](f, g) <= 5".to_owned(),
        _ if statistic(written).is_some() => statistic_form(written).unwrap_or_default(),
        _ => match letter(&DIALECT, written) {
            Some('U' | 'M') => format!("{written}^{{600,60}}_{{<=3}}(f)"),
            Some('D') => format!("{written}^{{900}}_{{<=5}}{{(f, g)}}"),
            _ => format!("{written}^{{600}}_{{<=3}}(f)"),
        },
    }
}

/// Reports `C(f)`: an operator without its window, or an event of that name.
#[inline(never)]
fn no_window(cursor: &mut Cursor<'_>, dialect: &Dialect) -> Syntax {
    let token = cursor.peek();
    let word = cursor.text(token);
    let form = form(word);
    let diagnostic = Diagnostic::error("G0107", token.span, format!("`{word}` is an operator that needs a window"))
        .label("a window and a comparison are expected after this")
        .help(format!("write `{form}`; an event of that name must be in quotes: `\"{word}\"`"));
    no_event(cursor, dialect, diagnostic)
}

/// Reads `C^{600}_{<=3}(f)` or `rate^{60s}_{<=5}(f)`; the letter or word is the current token.
fn lettered(cursor: &mut Cursor<'_>, dialect: &Dialect, measure: Measure) -> Syntax {
    let head = cursor.bump().span;
    let mut window: Option<ParsedWindow> = None;
    let mut compared: Option<ParsedComparison> = None;
    loop {
        if window.is_none() && cursor.is("^") {
            window = Some(superscript(cursor));
        } else if compared.is_none() && cursor.word() == Some("_") {
            compared = Some(subscript(cursor, measure));
        } else {
            break;
        }
    }
    let before = cursor.last_span(head);
    if window.is_none() {
        incomplete(cursor, dialect, head, "has no window", "a superscript is expected after this");
    }
    let AggregateArguments { parts, field, end } = arguments(cursor, dialect, measure, head);
    if compared.is_none() {
        compared = Some(compared_behind(cursor, dialect, measure, head, head.to(before)));
    }
    let (window, compared) = (window.flatten(), compared.flatten());
    finish(cursor, dialect, head.to(end), head, Aggregate { measure, window, compared, arguments: parts, field })
}

/// Reads `^{K}`, `^{K,h}` or `^K`.
#[inline(never)]
fn superscript(cursor: &mut Cursor<'_>) -> ParsedWindow {
    cursor.bump();
    let Some(opening) = cursor.eat("{") else {
        return constant(cursor, UnitPlace::Sure, "the window").map(|(window, _)| vec![window]);
    };
    let window = constants(cursor);
    close_brace(cursor, Some(opening), window)
}

/// Reads `_{<=n}` or `_<=n`.
#[inline(never)]
fn subscript(cursor: &mut Cursor<'_>, measure: Measure) -> ParsedComparison {
    cursor.bump();
    let opening = cursor.eat("{");
    let compared = compare(cursor, measure);
    close_brace(cursor, opening, compared)
}

/// Reads the comparison of `C^{600}(f) <= 3`, which is reported: it belongs in the subscript. `front` is the text
/// before the parentheses.
#[inline(never)]
fn compared_behind(
    cursor: &mut Cursor<'_>,
    dialect: &Dialect,
    measure: Measure,
    head: Span,
    front: Span,
) -> ParsedComparison {
    let written = cursor.slice(head);
    if !is_comparison(cursor.peek().kind) {
        incomplete(cursor, dialect, head, "is compared with nothing", "a subscript is expected after this");
        return None;
    }
    let start = cursor.peek().span;
    let rest = Span { start: front.end, end: cursor.previous().map_or(start.start, |token| token.span.end) };
    let (before, diagnostics) = (start.start, cursor.count());
    let compared = compare(cursor, measure);
    let end = cursor.last_span(start);
    if cursor.count() == diagnostics {
        let comparison = cursor.slice(Span { start: before, end: end.end });
        let comparison: String = comparison.split_whitespace().collect();
        let edit = format!("{}_{{{comparison}}}{}", cursor.slice(front), cursor.slice(rest));
        let message = format!("the comparison of `{written}` is written as a subscript");
        let diagnostic = Diagnostic::error("G0307", start.to(end), message).label("this comes after the parentheses");
        cursor.report(diagnostic.edit("move it before them", head.to(end), edit));
    }
    compared
}
