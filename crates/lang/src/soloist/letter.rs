// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators' letters, plain or in the typefaces that papers set them in.

use gnomon_ir::formula::Unary;

/// The plain letter of a word that is an operator: `U` for `U`, `𝒰`, `𝔘` and the like.
pub(super) fn letter(word: &str) -> Option<char> {
    let mut characters = word.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else { return None };
    let plain = plain(character);
    "GFHPXYUSCMD".contains(plain).then_some(plain)
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

/// A letter without its typeface.
fn plain(character: char) -> char {
    match character {
        'ℂ' | 'ℭ' => 'C',
        'ℱ' => 'F',
        'ℋ' | 'ℌ' | 'ℍ' => 'H',
        'ℳ' => 'M',
        'ℙ' => 'P',
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
        for (word, plain) in
            [("C", 'C'), ("ℂ", 'C'), ("𝒞", 'C'), ("ℭ", 'C'), ("𝔘", 'U'), ("𝒰", 'U'), ("𝖴", 'U'), ("𝔐", 'M'), ("ℳ", 'M')]
        {
            assert_eq!(letter(word), Some(plain), "{word}");
        }
        for (word, plain) in [("𝔇", 'D'), ("𝒟", 'D'), ("𝔻", 'D'), ("𝖲", 'S'), ("𝒢", 'G'), ("𝐗", 'X')]
        {
            assert_eq!(letter(word), Some(plain), "{word}");
        }
        for word in ["a", "GG", "A", "𝒶", "𝒜", "g", "", "_"] {
            assert_eq!(letter(word), None, "{word}");
        }
    }
}
