// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluation of quantifiers, given the value of the body for each combination of values.
// RULE Q2, Q5

use std::collections::BTreeMap;

use gnomon_core::verdict::End;
use gnomon_ir::{QuantifierCore, QuantifierKind, ThresholdCore};

use crate::domain::{Choice, Domains};
use crate::truth::Truth;

/// Truth value of the body for every choice of values, now and if the trace were complete.
pub(crate) type BodyValues = BTreeMap<Choice, (Truth, Truth)>;

/// A prefix over a body whose value is known for every choice.
pub(crate) struct QuantifiedBody<'a> {
    pub(crate) prefix: &'a [QuantifierCore],
    pub(crate) domains: &'a Domains,
    pub(crate) values: &'a BodyValues,
    pub(crate) end: End,
}

impl QuantifiedBody<'_> {
    /// Returns the truth value of the whole.
    pub(crate) fn truth(&self) -> Truth {
        self.rest(&[])
    }

    /// Returns the truth value of the whole if the trace were complete.
    pub(crate) fn truth_if_complete(&self) -> Truth {
        let values: BodyValues =
            self.values.iter().map(|(choice, (_, value))| (choice.clone(), (*value, *value))).collect();
        QuantifiedBody { values: &values, end: End::Complete, ..*self }.truth()
    }

    /// Returns the truth value of the quantifiers that follow the chosen variables.
    fn rest(&self, choice: &[usize]) -> Truth {
        let variable = choice.len();
        let Some(quantifier) = self.prefix.get(variable) else { return self.values[choice].0 };
        let values: Vec<Truth> =
            (0..self.domains.size(variable)).map(|place| self.rest(&[choice, &[place]].concat())).collect();
        over(quantifier, &values, self.end)
    }

    /// Returns the first values of the plain `forall`s in front for which what follows them is false.
    pub(crate) fn falsifying_choice(&self) -> Choice {
        let leading = self.prefix.iter().take_while(|quantifier| is_plain_forall(quantifier)).count();
        let mut choices = self.domains.choices(leading).into_iter();
        choices.find(|choice| self.rest(choice) == Truth::False).unwrap_or_default()
    }
}

/// Returns true if the quantifier is `forall` without a threshold.
pub(crate) fn is_plain_forall(quantifier: &QuantifierCore) -> bool {
    quantifier.kind == QuantifierKind::Forall && quantifier.threshold.is_none()
}

/// One quantifier over what follows it, for each value of its variable. Of a prefix more values may come.
fn over(quantifier: &QuantifierCore, values: &[Truth], end: End) -> Truth {
    let values_so_far = values.iter().copied();
    match (quantifier.kind, quantifier.threshold, end) {
        (QuantifierKind::Forall, None, End::Complete) => values_so_far.min().unwrap_or(Truth::True),
        (QuantifierKind::Forall, None, End::Prefix) => values_so_far.fold(Truth::Unknown, Truth::min),
        (QuantifierKind::Exists, None, End::Complete) => values_so_far.max().unwrap_or(Truth::False),
        (QuantifierKind::Exists, None, End::Prefix) => values_so_far.fold(Truth::Unknown, Truth::max),
        (_, Some(threshold), _) => {
            let satisfying = values_so_far.filter(|value| *value == Truth::True).count();
            counted(threshold, satisfying as i128, values.len() as i128, end)
        }
    }
}

fn counted(threshold: ThresholdCore, satisfying: i128, all: i128, end: End) -> Truth {
    let ThresholdCore { comparison, amount, of_all } = threshold;
    match end {
        End::Complete if of_all => Truth::from(all == 0 || amount.compared_by(comparison, satisfying, all)),
        End::Complete => Truth::from(amount.compared_by(comparison, satisfying, 1)),
        End::Prefix if of_all => Truth::Unknown,
        // The number grows to any other; what it says changes only around the amount.
        End::Prefix => {
            let around = amount.numerator.div_euclid(amount.denominator);
            let mut numbers = [satisfying, around, around + 1].into_iter().filter(|number| *number >= satisfying);
            let first = amount.compared_by(comparison, satisfying, 1);
            let settled = numbers.all(|number| amount.compared_by(comparison, number, 1) == first);
            if settled { Truth::from(first) } else { Truth::Unknown }
        }
    }
}
