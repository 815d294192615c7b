// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses numbers, settings and ranges, and checks that they suit their use.

use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::time::{TICKS_PER_BARE_UNIT, parse_scaled, print_billionths};

use super::super::lexer::TokenKind;
use super::super::model::{CERTAIN, Chance, IntRange};
use super::Parser;
use super::cursor::{Cursor, ParseFailed, ParseResult};
use crate::similar::closest;

/// One number or all from `low` to `high`, in billionths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Amount {
    pub(super) low: i128,
    pub(super) high: i128,
}

/// Parses the value of `--set name=value`. The error is advice for the user.
pub(in super::super) fn parse_amount(text: &str) -> Result<Amount, String> {
    let advice = || "write a number (`70`, `0.25`), a percentage (`25%`) or a range (`2..5`)".to_owned();
    let mut cursor = Cursor::new(text);
    let low = literal(&mut cursor).ok_or_else(advice)?;
    let high = if cursor.eat_symbol("..") { literal(&mut cursor).ok_or_else(advice)? } else { low };
    if cursor.peek().kind != TokenKind::End {
        return Err(advice());
    }
    if high < low {
        return Err(format!("the range ends before it begins; {}", advice()));
    }
    Ok(Amount { low, high })
}

/// Parses a number with optional sign and percent sign, in billionths; `None` if it is not exact.
fn literal(cursor: &mut Cursor<'_>) -> Option<i128> {
    let negative = cursor.eat_symbol("-");
    let token = cursor.peek();
    if token.kind != TokenKind::Number {
        return None;
    }
    cursor.advance();
    let scale = if cursor.eat_symbol("%") { TICKS_PER_BARE_UNIT / 100 } else { TICKS_PER_BARE_UNIT };
    let number = parse_scaled(token.span.text(cursor.source), scale).ok()?;
    Some(if negative { -number } else { number })
}

impl Parser<'_> {
    /// Parses a number, a setting, or a range.
    pub(super) fn amount(&mut self) -> ParseResult<(Amount, Span)> {
        let (low, start) = self.single()?;
        if !self.cursor.eat_symbol("..") {
            return Ok((low, start));
        }
        let (high, end) = self.single()?;
        self.range_of(low, high, start.to(end))
    }

    /// Parses a number of rounds: an amount, or `2..` without an upper bound.
    pub(super) fn rounds(&mut self) -> ParseResult<(u64, Option<u64>)> {
        let (low, start) = self.single()?;
        let (mut amount, mut span, mut is_open) = (low, start, false);
        if self.cursor.eat_symbol("..") {
            is_open = self.cursor.keyword() == Some("while") || self.cursor.is_symbol("{");
            if !is_open {
                let (high, end) = self.single()?;
                (amount, span) = self.range_of(low, high, start.to(end))?;
            }
        }
        let range = self.whole(amount, span, 0, "rounds");
        Ok((range.low.unsigned_abs(), (!is_open).then_some(range.high.unsigned_abs())))
    }

    fn range_of(&mut self, low: Amount, high: Amount, span: Span) -> ParseResult<(Amount, Span)> {
        if low.low != low.high || high.low != high.high {
            let error = Diagnostic::error("G0806", span, "a range cannot begin or end with a range")
                .help("write the setting alone, or give it one number");
            return self.cursor.fail(error);
        }
        if low.low > high.low {
            let error = Diagnostic::error("G0806", span, "the range ends before it begins");
            let turned = format!("{}..{}", print_billionths(high.low), print_billionths(low.low));
            let error = self.note_settings(error.edit("reverse it", span, turned), span);
            return self.cursor.fail(error);
        }
        Ok((Amount { low: low.low, high: high.low }, span))
    }

    fn single(&mut self) -> ParseResult<(Amount, Span)> {
        let token = self.cursor.peek();
        if token.kind == TokenKind::Number || self.cursor.is_symbol("-") {
            let Some(number) = literal(&mut self.cursor) else {
                let span = token.span.to(self.cursor.peek().span);
                let span = if token.kind == TokenKind::Number { token.span } else { span };
                let error = Diagnostic::error("G0806", span, "this is not a number that can be used here")
                    .help("numbers have at most 9 places after the point (7 before `%`) and fit 64 bits");
                return self.cursor.fail(error);
            };
            let mut span = token.span;
            span.end = self.cursor.last_end();
            return Ok((Amount { low: number, high: number }, span));
        }
        let (name, span) = self.cursor.name("a number or the name of a setting")?;
        let Some(setting) = self.settings.get(&name) else {
            if self.broken.contains(&name) {
                return Err(ParseFailed);
            }
            let error = Diagnostic::error("G0803", span, format!("there is no setting `{name}` above"));
            let error = match closest(&name, self.settings.keys().map(String::as_str)) {
                Some(near) => error.edit("a setting has a similar name", span, near),
                None => error.help(format!("write a number, or declare it above: `set {name} = 10`")),
            };
            return self.cursor.fail(error);
        };
        Ok((setting.amount, span))
    }

    /// Parses a probability from 0 to 1, or from 0% to 100%. Reports any other number and continues with 1.
    pub(super) fn chance(&mut self) -> ParseResult<(Chance, Span)> {
        let (amount, span) = self.amount()?;
        let billionths = u64::try_from(amount.low).ok().filter(|low| amount.low == amount.high && *low <= CERTAIN);
        let billionths = billionths.unwrap_or_else(|| {
            let text = span.text(self.cursor.source);
            let whole = amount.low == amount.high && (0..=100 * i128::from(CERTAIN)).contains(&amount.low);
            let error = Diagnostic::error("G0805", span, format!("`{text}` is not a chance"));
            let error = if whole && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
                error.edit("chances in percent have a percent sign", span, format!("{text}%"))
            } else {
                error.help("write one number from 0 to 1, or from 0% to 100%")
            };
            let error = self.note_settings(error, span);
            self.cursor.diagnostics.push(error);
            CERTAIN
        });
        Ok((Chance { billionths }, span))
    }

    /// Parses a duration in whole time units, at least `least`.
    pub(super) fn duration(&mut self, least: i64) -> ParseResult<IntRange> {
        let (amount, span) = self.amount()?;
        Ok(self.whole(amount, span, least, "time units"))
    }

    /// Converts an amount to whole numbers of at least `least`. Reports any other amount and continues with `least`.
    fn whole(&mut self, amount: Amount, span: Span, least: i64, of: &str) -> IntRange {
        let range = whole_range(amount).filter(|range| range.low >= least);
        range.unwrap_or_else(|| {
            let text = span.text(self.cursor.source);
            let error = Diagnostic::error("G0806", span, format!("`{text}` is not a number of {of}"))
                .help(format!("write a whole number from {least} on, or a range such as `{}..9`", least.max(1)));
            let error = self.note_settings(error, span);
            self.cursor.diagnostics.push(error);
            IntRange { low: least, high: least }
        })
    }

    /// Adds notes with the values of the settings in the span.
    fn note_settings(&self, mut error: Diagnostic, span: Span) -> Diagnostic {
        for name in span.text(self.cursor.source).split("..").map(str::trim) {
            if let Some(setting) = self.settings.get(name) {
                let Amount { low, high } = setting.amount;
                let to = if low == high { String::new() } else { format!("..{}", print_billionths(high)) };
                let from = if setting.overridden { ", set by `--set` on the command line" } else { "" };
                error = error.note(format!("the setting `{name}` is {}{to}{from}", print_billionths(low)));
            }
        }
        error
    }
}

/// Returns the whole numbers of an amount; `None` if one of its ends is not whole.
pub(super) fn whole_range(amount: Amount) -> Option<IntRange> {
    let whole = |billionths: i128| {
        (billionths % TICKS_PER_BARE_UNIT == 0).then(|| i64::try_from(billionths / TICKS_PER_BARE_UNIT).ok()).flatten()
    };
    Some(IntRange { low: whole(amount.low)?, high: whole(amount.high)? })
}
