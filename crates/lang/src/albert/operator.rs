// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators and functions that are written with a word, and what each is about.

use gnomon_ir::formula::Fold;

use crate::specfile::similar::nearest;

/// An operator or a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Until,
    Between,
    Within,
    InFuture,
    Becomes,
    Always,
    Eventually,
    OnEvent,
    Past,
    Count,
    Fold(Fold),
    Elapsed,
}

/// What an operator expects in one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    /// A formula, a value or `onEvent(X)`: which of them is found out when the tree is lowered.
    Part,
    /// The name of an event, with its parameters and conditions.
    Event,
    /// A length of time.
    Window,
    /// A number of times.
    Times,
}

/// The words, as they are written.
const WORDS: &[(&str, Operator)] = &[
    ("Until", Operator::Until),
    ("Between", Operator::Between),
    ("Within", Operator::Within),
    ("InFuture", Operator::InFuture),
    ("Becomes", Operator::Becomes),
    ("Always", Operator::Always),
    ("Eventually", Operator::Eventually),
    ("onEvent", Operator::OnEvent),
    ("past", Operator::Past),
    ("count", Operator::Count),
    ("sum", Operator::Fold(Fold::Sum)),
    ("avg", Operator::Fold(Fold::Mean)),
    ("min", Operator::Fold(Fold::Least)),
    ("max", Operator::Fold(Fold::Greatest)),
    ("elapsed", Operator::Elapsed),
];

/// Words that others use for the same.
const OTHERWISE: &[(&str, &str)] = &[
    ("globally", "Always"),
    ("finally", "Eventually"),
    ("sometime", "Eventually"),
    ("event", "onEvent"),
    ("average", "avg"),
    ("mean", "avg"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("total", "sum"),
];

impl Operator {
    /// The operator that a word stands for.
    pub(super) fn of(word: &str) -> Option<Operator> {
        WORDS.iter().find(|(known, _)| *known == word).map(|(_, operator)| *operator)
    }

    /// The operator that somebody seems to mean by a word that is none.
    pub(super) fn meant(word: &str) -> Option<Operator> {
        let lower = word.to_lowercase();
        let other = OTHERWISE.iter().find(|(known, _)| *known == lower).map(|(_, meant)| *meant);
        Operator::of(other.or_else(|| nearest(word, WORDS.iter().map(|(known, _)| *known)))?)
    }

    /// How it is written.
    pub(super) fn word(self) -> &'static str {
        WORDS.iter().find(|(_, known)| *known == self).map_or("", |(word, _)| *word)
    }

    /// Whether it gives a value, and not a formula.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Operator::Past | Operator::Count | Operator::Fold(_) | Operator::Elapsed)
    }

    /// What stands in its parentheses.
    pub(super) fn arguments(self) -> &'static [Expected] {
        match self {
            Operator::Until => &[Expected::Part, Expected::Part],
            Operator::Between => &[Expected::Part, Expected::Part, Expected::Window],
            Operator::Within | Operator::InFuture | Operator::Count | Operator::Fold(_) => {
                &[Expected::Part, Expected::Window]
            }
            Operator::Becomes | Operator::Always | Operator::Eventually | Operator::Elapsed => &[Expected::Part],
            Operator::OnEvent => &[Expected::Event],
            Operator::Past => &[Expected::Part, Expected::Part, Expected::Times],
        }
    }

    /// What stands in its parentheses, in words.
    pub(super) fn described(self) -> &'static str {
        match self {
            Operator::Until => "two formulae",
            Operator::Between => "two formulae and a length of time",
            Operator::Within | Operator::InFuture | Operator::Count => "a formula and a length of time",
            Operator::Becomes | Operator::Always | Operator::Eventually => "a formula",
            Operator::OnEvent => "an event",
            Operator::Past => "a value, an event and a number of times",
            Operator::Fold(_) => "a value and a length of time",
            Operator::Elapsed => "an event, as `onEvent(X)`",
        }
    }

    /// An example of it.
    pub(super) fn form(self) -> &'static str {
        match self {
            Operator::Until => "Until(onEvent(Wait), onEvent(Ship))",
            Operator::Between => "Between(onEvent(Pay), onEvent(Ship), 10)",
            Operator::Within => "Within(onEvent(Ship), 10)",
            Operator::InFuture => "InFuture($stock > 0, 10)",
            Operator::Becomes => "Becomes($stock > 0)",
            Operator::Always => "Always($stock > 0)",
            Operator::Eventually => "Eventually(onEvent(Ship))",
            Operator::OnEvent => "onEvent(Pay)",
            Operator::Past => "past($amount, onEvent(Pay), 1)",
            Operator::Count => "count(onEvent(Fail), 60)",
            Operator::Fold(Fold::Sum) => "sum($amount, 60)",
            Operator::Fold(Fold::Mean) => "avg($amount, 60)",
            Operator::Fold(Fold::Least) => "min($amount, 60)",
            Operator::Fold(Fold::Greatest) => "max($amount, 60)",
            Operator::Elapsed => "elapsed(onEvent(Pay))",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_nearly_right_are_found() {
        for (word, expected) in [
            ("within", Some(Operator::Within)),
            ("ONEVENT", Some(Operator::OnEvent)),
            ("onEvnt", Some(Operator::OnEvent)),
            ("Infuture", Some(Operator::InFuture)),
            ("Average", Some(Operator::Fold(Fold::Mean))),
            ("Past", Some(Operator::Past)),
            ("Globally", Some(Operator::Always)),
            ("pay", None),
            ("Ship", None),
        ] {
            assert_eq!(Operator::meant(word), expected, "{word}");
        }
    }

    #[test]
    fn every_operator_has_a_word() {
        for (word, operator) in WORDS {
            assert_eq!(operator.word(), *word);
            assert!(operator.form().starts_with(&format!("{word}(")), "{word}");
        }
    }
}
