// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae where values should be, and the other way round; names that are neither.

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::value::Value;

use super::operator::Operator;
use super::syntax::{Kind, Syntax};
use crate::specfile::atom::AtomSyntax;
use crate::specfile::cursor::Cursor;

/// Whether it is a formula for sure.
pub(super) fn is_formula(syntax: &Syntax) -> bool {
    match syntax.kind.as_ref() {
        Kind::Compare(..) | Kind::Not(_) | Kind::Connective(..) | Kind::Each { .. } => true,
        Kind::Call(operator, _) => !operator.is_value(),
        _ => false,
    }
}

/// Reports a value where a formula should be.
#[inline(never)]
pub(super) fn no_formula(cursor: &mut Cursor<'_>, syntax: &Syntax) {
    let written = cursor.slice(syntax.outer).to_owned();
    let diagnostic = Diagnostic::error("G0135", syntax.outer, "expected a formula, found a value")
        .label("true or false must stand here");
    cursor.report(match syntax.kind.as_ref() {
        Kind::Variable(_) => diagnostic.edit("compare it with something", syntax.outer, format!("({written} = true)")),
        Kind::Literal(Value::Text(_)) => diagnostic.edit(
            "an event of that name is written with `onEvent`",
            syntax.outer,
            format!("onEvent({written})"),
        ),
        _ => diagnostic.help(format!("compare it with something, as in `{written} > 0`")),
    });
}

/// Reports a formula where a value should be.
#[inline(never)]
pub(super) fn no_value(cursor: &mut Cursor<'_>, syntax: &Syntax) {
    let diagnostic = Diagnostic::error("G0135", syntax.outer, "expected a value, found a formula")
        .label("a number, a text or the like must stand here");
    cursor.report(match syntax.kind.as_ref() {
        Kind::Call(Operator::OnEvent, _) => {
            let written = cursor.slice(syntax.span);
            diagnostic.help(format!("count it: `count({written}, 60)`; formulae are joined with `&& || -> <->`"))
        }
        _ => diagnostic.help("values are variables, literals, functions such as `max($x, 60)`, and `+ - * /` of them"),
    });
}

/// Reports what is not `onEvent(X)`.
#[inline(never)]
pub(super) fn no_event(cursor: &mut Cursor<'_>, syntax: &Syntax) {
    cursor.report(
        Diagnostic::error("G0135", syntax.outer, "expected an event")
            .label("`onEvent(X)` must stand here")
            .help("`past` and `elapsed` look for the states of an event: `elapsed(onEvent(Pay))`"),
    );
}

/// Reports a name that is no formula.
#[inline(never)]
pub(super) fn bare_event(cursor: &mut Cursor<'_>, atom: &AtomSyntax) {
    let written = cursor.slice(atom.span);
    let meant = format!("onEvent({written})");
    cursor.report(
        Diagnostic::error("G0134", atom.span, format!("`{written}` alone is no formula"))
            .label("an event, or a variable that is compared, is expected")
            .edit(format!("write an event as `{meant}`, a variable as `${}`", atom.name), atom.span, meant),
    );
}

/// Reports a name that is no value.
#[inline(never)]
pub(super) fn bare_variable(cursor: &mut Cursor<'_>, atom: &AtomSyntax) {
    let (written, name) = (cursor.slice(atom.span), cursor.slice(atom.name_span));
    let diagnostic = Diagnostic::error("G0134", atom.span, format!("`{written}` is no value"));
    cursor.report(if atom.arguments.is_some() || atom.condition.is_some() {
        diagnostic.label("not a function").help("the functions are `past count sum avg min max elapsed`")
    } else {
        diagnostic.label("a variable is written with `$`, a text in quotes").edit(
            format!("write a variable as `${name}`, a text as `\"{name}\"`"),
            atom.span,
            format!("${name}"),
        )
    });
}
