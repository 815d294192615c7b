// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Boolean connectives, which every language of formulae writes alike.

use gnomon_ir::formula::Connective;

use super::cursor::Cursor;
use super::lexer::Kind;

/// The connective at the current token, and how it should be spelt if that is otherwise.
pub(crate) fn connective(cursor: &Cursor<'_>) -> Option<(Connective, Option<&'static str>)> {
    Some(match cursor.peek().kind {
        Kind::Symbol("&&") => (Connective::And, None),
        Kind::Symbol("||") => (Connective::Or, None),
        Kind::Symbol("->") => (Connective::Implies, None),
        Kind::Symbol("<->") => (Connective::Iff, None),
        Kind::Symbol("&") => (Connective::And, Some("&&")),
        Kind::Symbol("|") => (Connective::Or, Some("||")),
        Kind::Symbol("=>") => (Connective::Implies, Some("->")),
        Kind::Symbol("<=>") => (Connective::Iff, Some("<->")),
        Kind::Word => match cursor.word()? {
            "and" | "AND" => (Connective::And, Some("&&")),
            "or" | "OR" => (Connective::Or, Some("||")),
            "implies" | "IMPLIES" => (Connective::Implies, Some("->")),
            "iff" | "IFF" => (Connective::Iff, Some("<->")),
            _ => return None,
        },
        _ => return None,
    })
}
