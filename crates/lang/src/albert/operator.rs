// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators and functions that are written with a word, and the arguments of each.

use gnomon_ir::Fold;

use crate::syntax::{nearest, table};

/// An operator, which gives a formula, or a function, which gives a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Function {
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

impl Function {
    /// Returns true if it gives a value, and not a formula.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Function::Past | Function::Count | Function::Fold(_) | Function::Elapsed)
    }
}

/// The kind of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    /// A formula, a value or `onEvent(X)`; lowering decides which of them.
    Part,
    /// The name of an event, with its parameters and conditions.
    Event,
    /// A length of time.
    Window,
    /// A number of times.
    Times,
}

/// The spelling and the arguments of an operator or a function.
#[derive(Debug)]
pub(super) struct Operator {
    pub(super) function: Function,
    pub(super) word: &'static str,
    pub(super) arguments: &'static [Expected],
    /// The arguments in words.
    pub(super) described: &'static str,
    /// An example.
    pub(super) form: &'static str,
}

const fn operator(
    function: Function,
    word: &'static str,
    arguments: &'static [Expected],
    described: &'static str,
    form: &'static str,
) -> Operator {
    Operator { function, word, arguments, described, form }
}

const PART: &[Expected] = &[Expected::Part];
const PARTS: &[Expected] = &[Expected::Part, Expected::Part];
const PART_WINDOW: &[Expected] = &[Expected::Part, Expected::Window];
const PARTS_WINDOW: &[Expected] = &[Expected::Part, Expected::Part, Expected::Window];
const PARTS_TIMES: &[Expected] = &[Expected::Part, Expected::Part, Expected::Times];
const FORMULA_WINDOW: &str = "a formula and a length of time";
const VALUE_WINDOW: &str = "a value and a length of time";

/// All operators and functions.
const OPERATORS: &[Operator] = &[
    operator(Function::Until, "Until", PARTS, "two formulae", "Until(onEvent(Wait), onEvent(Ship))"),
    operator(
        Function::Between,
        "Between",
        PARTS_WINDOW,
        "two formulae and a length of time",
        "Between(onEvent(Pay), onEvent(Ship), 10)",
    ),
    operator(Function::Within, "Within", PART_WINDOW, FORMULA_WINDOW, "Within(onEvent(Ship), 10)"),
    operator(Function::InFuture, "InFuture", PART_WINDOW, FORMULA_WINDOW, "InFuture($stock > 0, 10)"),
    operator(Function::Becomes, "Becomes", PART, "a formula", "Becomes($stock > 0)"),
    operator(Function::Always, "Always", PART, "a formula", "Always($stock > 0)"),
    operator(Function::Eventually, "Eventually", PART, "a formula", "Eventually(onEvent(Ship))"),
    operator(Function::OnEvent, "onEvent", &[Expected::Event], "an event", "onEvent(Pay)"),
    operator(
        Function::Past,
        "past",
        PARTS_TIMES,
        "a value, an event and a number of times",
        "past($amount, onEvent(Pay), 1)",
    ),
    operator(Function::Count, "count", PART_WINDOW, FORMULA_WINDOW, "count(onEvent(Fail), 60)"),
    operator(Function::Fold(Fold::Sum), "sum", PART_WINDOW, VALUE_WINDOW, "sum($amount, 60)"),
    operator(Function::Fold(Fold::Mean), "avg", PART_WINDOW, VALUE_WINDOW, "avg($amount, 60)"),
    operator(Function::Fold(Fold::Least), "min", PART_WINDOW, VALUE_WINDOW, "min($amount, 60)"),
    operator(Function::Fold(Fold::Greatest), "max", PART_WINDOW, VALUE_WINDOW, "max($amount, 60)"),
    operator(Function::Elapsed, "elapsed", PART, "an event, as `onEvent(X)`", "elapsed(onEvent(Pay))"),
];

/// Words that other notations use for operators.
const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("Always", &["globally"]),
    ("Eventually", &["finally", "sometime"]),
    ("onEvent", &["event"]),
    ("avg", &["average", "mean"]),
    ("min", &["minimum"]),
    ("max", &["maximum"]),
    ("sum", &["total"]),
];

impl Operator {
    /// Returns the operator with this word.
    pub(super) fn of(word: &str) -> Option<&'static Operator> {
        OPERATORS.iter().find(|operator| operator.word == word)
    }

    /// Returns the operator that a misspelt word probably means.
    pub(super) fn meant(word: &str) -> Option<&'static Operator> {
        let other = table::lookup_spelling(OTHER_WORDS, &word.to_lowercase());
        Operator::of(other.or_else(|| nearest(word, OPERATORS.iter().map(|operator| operator.word)))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_nearly_right_are_found() {
        for (word, expected) in [
            ("within", Some(Function::Within)),
            ("ONEVENT", Some(Function::OnEvent)),
            ("onEvnt", Some(Function::OnEvent)),
            ("Infuture", Some(Function::InFuture)),
            ("Average", Some(Function::Fold(Fold::Mean))),
            ("Past", Some(Function::Past)),
            ("Globally", Some(Function::Always)),
            ("pay", None),
            ("Ship", None),
        ] {
            assert_eq!(Operator::meant(word).map(|operator| operator.function), expected, "{word}");
        }
    }

    #[test]
    fn every_operator_has_a_word() {
        for operator in OPERATORS {
            assert_eq!(Operator::of(operator.word).map(|found| found.function), Some(operator.function));
            assert!(operator.form.starts_with(&format!("{}(", operator.word)), "{}", operator.word);
        }
    }
}
