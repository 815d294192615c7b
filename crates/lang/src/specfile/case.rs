// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the declarations that end cases: `case ends with logout` and `case expires after 30m`.

use gnomon_core::Diagnostic;

use super::parse::{SpecBuilder, twice};
use crate::syntax::atom::{atom, no_variables};
use crate::syntax::{Cursor, UnitPlace, quantity};

/// Returns true if the statement begins here. An event may be called `case` too.
pub(super) fn begins_case(cursor: &Cursor<'_>) -> bool {
    cursor.word() == Some("case") && matches!(cursor.nth_word(1), Some("ends" | "expires"))
}

/// Reads `case ends with EVENT` or `case expires after DURATION`.
pub(super) fn case(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    let start = cursor.bump().span;
    match cursor.word() {
        Some("ends") => ends(cursor, file),
        Some("expires") => expires(cursor, file, start),
        _ => cursor.expected("`ends with` and an event, or `expires after` and a duration").none(),
    }
}

fn ends(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>) -> Option<()> {
    cursor.bump();
    if cursor.eat_word("with").is_none() {
        return cursor.expected("`with` and the event that ends a case").none();
    }
    let Some(written) = atom(cursor) else {
        return cursor.expected("the event that ends a case").none();
    };
    let lowered = written.lower(|span| {
        let diagnostic = no_variables(cursor.slice(span), span, "a declaration of cases");
        cursor.report(diagnostic);
        None
    });
    file.spec.cases.ends.extend(lowered);
    Some(())
}

fn expires(cursor: &mut Cursor<'_>, file: &mut SpecBuilder<'_>, start: gnomon_core::Span) -> Option<()> {
    cursor.bump();
    if cursor.eat_word("after").is_none() {
        return cursor.expected("`after` and a duration").none();
    }
    let (expiry, expiry_span) = quantity(cursor, UnitPlace::Sure, "the time without an event that ends a case: `30m`")?;
    let span = cursor.since(start);
    if expiry.billionths <= 0 {
        cursor.report(
            Diagnostic::error("G0714", expiry_span, format!("a case cannot expire after {expiry}"))
                .label("the silence that ends a case")
                .help("write a duration above 0, such as `30m`"),
        );
    }
    match file.spec.cases.expiry {
        Some((_, before)) => twice(cursor, "the expiry of cases", span, before),
        None => file.spec.cases.expiry = Some((expiry, span)),
    }
    Some(())
}
