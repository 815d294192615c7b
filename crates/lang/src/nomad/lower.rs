// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers [`Syntax`] to the shared [`Rule`]: messages become atoms, members of correlation sets a message and a field.

use std::collections::BTreeSet;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::{Correlation, CorrelationMember, Matching, Path, Rule, RuleAction, RuleContext};

use super::syntax::{ActionSyntax, ContextSyntax, CorrelationSyntax, MemberSyntax, Syntax};
use crate::syntax::{Cursor, collect_all, misspelt, no_variables};

/// Lowers a rule. Returns `None` after reporting a part that makes no sense.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: Syntax, matching: Matching, strict_end: bool) -> Option<Rule> {
    let Syntax { modality, supposition, window, context, sets } = syntax;
    let supposition = collect_all(supposition.into_iter().map(|written| action(cursor, written)));
    let context = self::context(cursor, context);
    let (supposition, context) = (supposition?, context?);
    let mut messages: BTreeSet<&str> = supposition.iter().map(|action| action.message.name.as_str()).collect();
    context.actions(&mut |action| {
        messages.insert(&action.message.name);
    });
    let correlations = collect_all(sets.iter().map(|written| correlation(cursor, &messages, written)))?;
    Some(Rule { modality, supposition, window, context, correlations, matching, strict_end })
}

fn action(cursor: &mut Cursor<'_>, written: ActionSyntax) -> Option<RuleAction> {
    let ActionSyntax { phase, negated, message, span } = written;
    let message = message.lower(|span| {
        cursor.report(no_variables(cursor.slice(span), span, "rules"));
        None
    })?;
    Some(RuleAction { phase, negated, message, span })
}

fn context(cursor: &mut Cursor<'_>, written: ContextSyntax) -> Option<RuleContext> {
    let (both, left, right): (fn(_, _) -> _, _, _) = match written {
        ContextSyntax::Action(written) => return action(cursor, written).map(RuleContext::Action),
        ContextSyntax::And(left, right) => (RuleContext::And, left, right),
        ContextSyntax::Or(left, right) => (RuleContext::Or, left, right),
    };
    let (left, right) = (context(cursor, *left), context(cursor, *right));
    Some(both(Box::new(left?), Box::new(right?)))
}

fn correlation(cursor: &mut Cursor<'_>, messages: &BTreeSet<&str>, set: &CorrelationSyntax) -> Option<Correlation> {
    let members = collect_all(set.members.iter().map(|written| member(cursor, messages, written)))?;
    Some(Correlation { members, span: set.span })
}

fn member(cursor: &mut Cursor<'_>, messages: &BTreeSet<&str>, written: &MemberSyntax) -> Option<CorrelationMember> {
    let MemberSyntax { name, quoted, field, steps, span } = written;
    let (message, field) = match field {
        Some(field) => (name.as_str(), field.as_str()),
        None => split(cursor, messages, written, *quoted)?,
    };
    if !messages.contains(message)
        && let Some(meant) = misspelt(message, messages.iter().copied())
    {
        cursor.report(
            Diagnostic::warning("G0203", *span, format!("`{message}` is not a message of the rule, but `{meant}` is"))
                .label("has no effect here")
                .edit("a message with a similar name is there", *span, format!("{meant}.{field}")),
        );
    }
    let field = Path { field: field.to_owned(), steps: steps.clone() };
    Some(CorrelationMember { message: message.to_owned(), field, span: *span })
}

/// Splits `message.field`: at the dot behind the longest name of a message of the rule, else at the only dot.
fn split<'m>(
    cursor: &mut Cursor<'_>,
    messages: &BTreeSet<&str>,
    written: &'m MemberSyntax,
    quoted: bool,
) -> Option<(&'m str, &'m str)> {
    let MemberSyntax { name, span, .. } = written;
    let dots = if quoted { "" } else { name.as_str() }.match_indices('.').map(|(at, _)| at);
    let known = dots.clone().rev().find(|&at| messages.contains(&name[..at]));
    let mut all = dots.clone();
    let diagnostic = match (known, all.next(), all.next()) {
        (Some(at), _, _) | (None, Some(at), None) => return Some((&name[..at], &name[at + 1..])),
        (None, None, _) => {
            let known = messages.contains(name.as_str());
            let help = if known { "write a dot and the field" } else { "write the message, a dot and the field" };
            Diagnostic::error("G0122", *span, format!("`{name}` does not name a field"))
                .label("a field of a message is expected")
                .help(format!("{help}: `{}.id`", if known { cursor.slice(*span) } else { "message" }))
        }
        (None, Some(first), Some(_)) => {
            let last = name.rfind('.').unwrap_or(first);
            let edit = format!("\"{}\".\"{}\"", &name[..last], &name[last + 1..]);
            let edit = written.steps.iter().fold(edit, |path, step| format!("{path}/{step}"));
            Diagnostic::error("G0122", *span, format!("`{name}` can be read in several ways"))
                .label("no message of the rule begins it: which dot comes before the field?")
                .edit("write the message and the field in quotes", *span, edit)
        }
    };
    cursor.report(diagnostic);
    None
}
