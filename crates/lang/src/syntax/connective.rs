// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Boolean connectives, which every language of formulae writes alike, and the words that other notations have for
//! operators.

use gnomon_ir::formula::Connective;

use super::cursor::Cursor;

/// The connectives: each with its symbol, and with other spellings, which are reported.
const CONNECTIVES: &[(Connective, &str, &[&str])] = &[
    (Connective::And, "&&", &["&", "and", "AND"]),
    (Connective::Or, "||", &["|", "or", "OR"]),
    (Connective::Implies, "->", &["=>", "implies", "IMPLIES"]),
    (Connective::Iff, "<->", &["<=>", "iff", "IFF"]),
];

/// Returns the connective at the current token, and its symbol if it is spelt differently there.
pub(crate) fn connective(cursor: &Cursor<'_>) -> Option<(Connective, Option<&'static str>)> {
    let written = cursor.symbol_or_word()?;
    let (connective, symbol, _) =
        CONNECTIVES.iter().find(|(_, symbol, others)| *symbol == written || others.contains(&written))?;
    Some((*connective, (*symbol != written).then_some(*symbol)))
}

/// Takes this connective if it stands here; another spelling is reported.
pub(crate) fn take_connective(cursor: &mut Cursor<'_>, wanted: Connective) -> bool {
    let found = connective(cursor).filter(|(found, _)| *found == wanted);
    if let Some((_, meant)) = found {
        cursor.take(meant);
    }
    found.is_some()
}

/// Returns the symbol of a connective.
pub(crate) fn symbol(of: Connective) -> &'static str {
    CONNECTIVES.iter().find(|(connective, ..)| *connective == of).map_or("", |(_, symbol, _)| *symbol)
}

/// Returns true if a word is a connective in another notation.
pub(crate) fn is_connective(word: &str) -> bool {
    CONNECTIVES.iter().any(|(.., others)| others.contains(&word))
}

/// The letters of temporal operators of one formula, and the words that other notations have for them.
pub(crate) const TEMPORAL_WORDS: &[(char, &[&str])] = &[
    ('G', &["always", "globally", "AG"]),
    ('F', &["eventually", "finally", "AF"]),
    ('H', &["historically"]),
    ('P', &["once"]),
    ('X', &["next", "AX"]),
    ('Y', &["previous", "yesterday"]),
];
