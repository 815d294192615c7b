// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers, which every language with variables has: their spellings, and the prefix that they form.

use gnomon_ir::spec::{Quantifier, QuantifierKind, Variable};

use super::cursor::Cursor;
use super::lexer::Token;

/// Returns the quantifier that the token `n` places on is.
pub(crate) fn kind_at(cursor: &Cursor<'_>, n: usize) -> Option<QuantifierKind> {
    let token = cursor.nth(n);
    match (token.kind, cursor.text(token)) {
        (Token::Word, "forall") | (Token::Unknown, "∀") => Some(QuantifierKind::Forall),
        (Token::Word, "exists") | (Token::Unknown, "∃") => Some(QuantifierKind::Exists),
        _ => None,
    }
}

/// Returns the quantifier that the current token is; it may begin with a capital or be written in capitals.
pub(crate) fn kind_in_any_case(cursor: &Cursor<'_>) -> Option<QuantifierKind> {
    kind_at(cursor, 0).or_else(|| match cursor.word()? {
        "Forall" | "FORALL" => Some(QuantifierKind::Forall),
        "Exists" | "EXISTS" => Some(QuantifierKind::Exists),
        _ => None,
    })
}

/// Reads all quantifiers that stand here. Returns `None` after reporting one that could not be understood. `begins`
/// recognises the begin of a quantifier, and `read` reads one.
pub(crate) fn prefix<B>(
    cursor: &mut Cursor<'_>,
    begins: fn(&Cursor<'_>) -> Option<B>,
    read: fn(&mut Cursor<'_>, B) -> Option<Quantifier>,
) -> Option<Vec<Quantifier>> {
    let mut prefix = Vec::new();
    let mut understood = true;
    while let Some(begin) = begins(cursor) {
        cursor.count_node();
        match read(cursor, begin) {
            Some(quantifier) => prefix.push(quantifier),
            None => understood = false,
        }
    }
    understood.then_some(prefix)
}

/// Lists the names of variables, with commas between them.
pub(crate) fn names(variables: &[Variable]) -> String {
    variables.iter().map(|variable| variable.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the names of all variables of a prefix.
pub(crate) fn variables(prefix: &[Quantifier]) -> Vec<&str> {
    let variables = prefix.iter().flat_map(|quantifier| &quantifier.variables);
    variables.map(|variable| variable.name.as_str()).collect()
}
