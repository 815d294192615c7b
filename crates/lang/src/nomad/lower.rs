// SPDX-License-Identifier: MIT OR Apache-2.0
//! From [`Syntax`] to the shared [`Rule`]: messages become atoms, members of correlation sets a message and a field.

use std::collections::BTreeSet;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::pattern::Path;
use gnomon_ir::rule::{self, Correlation, Matching, Rule};

use super::syntax::{Action, Context, Member, Set, Syntax};
use crate::specfile::atom::no_variables;
use crate::specfile::cursor::Cursor;
use crate::specfile::similar::misspelt;

/// The rule; `None` if a part of it makes no sense, which has been reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: Syntax, matching: Matching, strict_end: bool) -> Option<Rule> {
    let Syntax { modality, supposition, window, context, sets } = syntax;
    let supposition: Vec<Option<rule::Action>> =
        supposition.into_iter().map(|written| action(cursor, written)).collect();
    let context = self::context(cursor, context);
    let supposition: Vec<rule::Action> = supposition.into_iter().collect::<Option<_>>()?;
    let context = context?;
    let mut messages: BTreeSet<&str> = supposition.iter().map(|action| action.message.name.as_str()).collect();
    context.actions(&mut |action| {
        messages.insert(&action.message.name);
    });
    let correlations: Vec<Option<Correlation>> =
        sets.iter().map(|written| correlation(cursor, &messages, written)).collect();
    let correlations = correlations.into_iter().collect::<Option<_>>()?;
    Some(Rule { modality, supposition, window, context, correlations, matching, strict_end })
}

fn action(cursor: &mut Cursor<'_>, written: Action) -> Option<rule::Action> {
    let Action { phase, negated, message, span } = written;
    let message = message.lower(|span| {
        cursor.report(no_variables(cursor.slice(span), span, "rules"));
        None
    })?;
    Some(rule::Action { phase, negated, message, span })
}

fn context(cursor: &mut Cursor<'_>, written: Context) -> Option<rule::Context> {
    Some(match written {
        Context::Action(written) => rule::Context::Action(action(cursor, written)?),
        Context::And(left, right) => {
            let (left, right) = (context(cursor, *left), context(cursor, *right));
            rule::Context::And(Box::new(left?), Box::new(right?))
        }
        Context::Or(left, right) => {
            let (left, right) = (context(cursor, *left), context(cursor, *right));
            rule::Context::Or(Box::new(left?), Box::new(right?))
        }
    })
}

fn correlation(cursor: &mut Cursor<'_>, messages: &BTreeSet<&str>, set: &Set) -> Option<Correlation> {
    let members: Vec<Option<rule::Member>> =
        set.members.iter().map(|written| member(cursor, messages, written)).collect();
    Some(Correlation { members: members.into_iter().collect::<Option<_>>()?, span: set.span })
}

fn member(cursor: &mut Cursor<'_>, messages: &BTreeSet<&str>, written: &Member) -> Option<rule::Member> {
    let Member { name, quoted, field, steps, span } = written;
    let (message, field) = match field {
        Some(field) => (name.as_str(), field.as_str()),
        None => split(cursor, messages, written, *quoted)?,
    };
    if !messages.contains(message)
        && let Some(meant) = misspelt(message, messages.iter().copied())
    {
        cursor.report(
            Diagnostic::warning("G0203", *span, format!("`{message}` is no message of the rule, but `{meant}` is"))
                .label("does nothing here")
                .edit("a message with a similar name is there", *span, format!("{meant}.{field}")),
        );
    }
    let field = Path { field: field.to_owned(), steps: steps.clone() };
    Some(rule::Member { message: message.to_owned(), field, span: *span })
}

/// Where a message's name ends: at the dot behind the longest name that the rule has, else at the only dot.
fn split<'m>(
    cursor: &mut Cursor<'_>,
    messages: &BTreeSet<&str>,
    written: &'m Member,
    quoted: bool,
) -> Option<(&'m str, &'m str)> {
    let Member { name, span, .. } = written;
    let dots = if quoted { "" } else { name.as_str() }.match_indices('.').map(|(at, _)| at);
    let known = dots.clone().rev().find(|&at| messages.contains(&name[..at]));
    let mut all = dots.clone();
    let diagnostic = match (known, all.next(), all.next()) {
        (Some(at), _, _) | (None, Some(at), None) => return Some((&name[..at], &name[at + 1..])),
        (None, None, _) => {
            let known = messages.contains(name.as_str());
            let help = if known { "write a dot and the field" } else { "write the message, a dot and the field" };
            Diagnostic::error("G0122", *span, format!("`{name}` names no field"))
                .label("a field of a message is expected")
                .help(format!("{help}: `{}.id`", if known { cursor.slice(*span) } else { "message" }))
        }
        (None, Some(first), Some(_)) => {
            let last = name.rfind('.').unwrap_or(first);
            let edit = format!("\"{}\".\"{}\"", &name[..last], &name[last + 1..]);
            let edit = written.steps.iter().fold(edit, |path, step| format!("{path}/{step}"));
            Diagnostic::error("G0122", *span, format!("`{name}` can be read in several ways"))
                .label("no message of the rule begins it: which dot stands before the field?")
                .edit("write the message and the field in quotes", *span, edit)
        }
    };
    cursor.report(diagnostic);
    None
}
