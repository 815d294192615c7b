// SPDX-License-Identifier: MIT OR Apache-2.0
//! Enums whose variants are words of a language, a report or an option.

/// Defines an enum with a word for each variant: the list `ALL`, the table `WORDS`, the word of a variant, and the
/// variant of a word.
///
/// ```
/// gnomon_core::words! {
///     /// Directions.
///     #[derive(Clone, Copy, PartialEq, Debug)]
///     pub enum Direction as word {
///         /// Forwards.
///         Ahead = "ahead",
///         /// Backwards.
///         Back = "back",
///     }
/// }
/// assert_eq!(Direction::ALL.map(Direction::word), ["ahead", "back"]);
/// assert_eq!(Direction::parse("back"), Some(Direction::Back));
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Name:ident as $word:ident {
            $($(#[$of_variant:meta])* $Variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $Name {
            $($(#[$of_variant])* $Variant,)+
        }

        #[allow(dead_code)]
        impl $Name {
            /// All of them, in the order of their declaration.
            pub const ALL: [$Name; [$($text),+].len()] = [$($Name::$Variant),+];

            /// Each with its word.
            pub const WORDS: [(&'static str, $Name); $Name::ALL.len()] = [$(($text, $Name::$Variant)),+];

            /// Returns the word for it.
            pub const fn $word(self) -> &'static str {
                match self {
                    $($Name::$Variant => $text,)+
                }
            }

            /// Returns the one with this word.
            pub fn parse(word: &str) -> Option<$Name> {
                $Name::ALL.into_iter().find(|one| one.$word() == word)
            }
        }
    };
}
