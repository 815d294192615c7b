// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators' letters, plain or in the typefaces that papers set them in, their signs and their words.

use gnomon_ir::formula::{Binary, Unary};

use super::Dialect;
use crate::specfile::cursor::Cursor;
use crate::specfile::lexer::Kind;

/// The plain letter of a word that is an operator: `U` for `U`, `𝒰`, `𝔘` and the like.
pub(crate) fn letter(dialect: &Dialect, word: &str) -> Option<char> {
    let mut characters = word.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else { return None };
    let plain = plain(character);
    dialect.letters.contains(plain).then_some(plain)
}

/// The letter of the token `n` places on, if it is an operator's letter or sign.
pub(crate) fn letter_at(cursor: &Cursor<'_>, dialect: &Dialect, n: usize) -> Option<char> {
    let token = cursor.nth(n);
    let text = cursor.text(token);
    match token.kind {
        Kind::Word => letter(dialect, text),
        Kind::Unknown => dialect.signs.iter().find(|(sign, _)| *sign == text).map(|(_, letter)| *letter),
        _ => None,
    }
}

/// The letter that a word is spelt for: `G` for `always`.
pub(super) fn spelt(dialect: &Dialect, word: &str) -> Option<char> {
    dialect.words.iter().find(|(known, _)| *known == word).map(|(_, letter)| *letter)
}

/// The temporal operator of one formula that a letter stands for.
pub(super) fn unary(letter: char) -> Option<Unary> {
    Some(match letter {
        'G' => Unary::Always,
        'F' => Unary::Eventually,
        'H' => Unary::Historically,
        'P' => Unary::Once,
        'X' => Unary::Next,
        'Y' => Unary::Previous,
        _ => return None,
    })
}

/// The temporal operator of two formulae that a letter stands for.
pub(super) fn binary(letter: char) -> Option<Binary> {
    Some(match letter {
        'U' => Binary::Until,
        'S' => Binary::Since,
        'W' => Binary::WeakUntil,
        'R' => Binary::Release,
        _ => return None,
    })
}

/// The letter of an operator of one formula.
pub(super) fn unary_letter(operator: Unary) -> char {
    match operator {
        Unary::Always => 'G',
        Unary::Eventually => 'F',
        Unary::Historically => 'H',
        Unary::Once => 'P',
        Unary::Next => 'X',
        Unary::Previous => 'Y',
    }
}

/// The letter of an operator of two formulae.
pub(super) fn binary_letter(operator: Binary) -> char {
    match operator {
        Binary::Until => 'U',
        Binary::Since => 'S',
        Binary::WeakUntil => 'W',
        Binary::Release => 'R',
    }
}

/// All that may stand between two formulae, for messages.
pub(super) fn between(dialect: &Dialect) -> String {
    let letters = dialect.letters.chars().filter(|&letter| binary(letter).is_some());
    letters.fold("&& || -> <->".to_owned(), |known, letter| format!("{known} {letter}"))
}

/// A letter without its typeface.
fn plain(character: char) -> char {
    match character {
        'ℂ' | 'ℭ' => 'C',
        'ℱ' => 'F',
        'ℋ' | 'ℌ' | 'ℍ' => 'H',
        'ℳ' => 'M',
        'ℙ' => 'P',
        'ℛ' | 'ℜ' | 'ℝ' => 'R',
        // Mathematical alphanumeric symbols: thirteen typefaces of 26 capitals and 26 small letters each.
        '\u{1d400}'..='\u{1d6a3}' => {
            let index = (u32::from(character) - 0x1d400) % 52;
            if index < 26 { char::from(b'A' + index as u8) } else { character }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typefaces_do_not_matter() {
        for (word, expected) in
            [("C", 'C'), ("ℂ", 'C'), ("𝒞", 'C'), ("ℭ", 'C'), ("𝔘", 'U'), ("𝒰", 'U'), ("𝖴", 'U'), ("𝔐", 'M'), ("ℳ", 'M')]
        {
            assert_eq!(word.chars().map(plain).collect::<Vec<_>>(), [expected], "{word}");
        }
        for (word, expected) in
            [("𝔇", 'D'), ("𝒟", 'D'), ("𝔻", 'D'), ("𝖲", 'S'), ("𝒢", 'G'), ("𝐗", 'X'), ("a", 'a'), ("𝒶", '𝒶'), ("ℛ", 'R')]
        {
            assert_eq!(word.chars().map(plain).collect::<Vec<_>>(), [expected], "{word}");
        }
    }
}
