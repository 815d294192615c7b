// SPDX-License-Identifier: MIT OR Apache-2.0
//! The quantifiers in front of a body, from the values that the body has for each combination.
// RULE Q2, Q5

use gnomon_core::verdict::End;
use gnomon_ir::core::{Quantifier, Threshold};
use gnomon_ir::spec::QuantifierKind;

use crate::domain::{Choice, Domains};
use crate::truth::Truth;

/// A prefix over a body whose value is known for every choice.
pub(crate) struct Quantified<'a> {
    pub(crate) prefix: &'a [Quantifier],
    pub(crate) domains: &'a Domains,
    pub(crate) end: End,
    pub(crate) body: &'a dyn Fn(&[usize]) -> Truth,
}

impl Quantified<'_> {
    /// What is known of the whole.
    pub(crate) fn truth(&self) -> Truth {
        self.rest(&[])
    }

    /// What is known of what follows the variables that are chosen.
    fn rest(&self, choice: &[usize]) -> Truth {
        let variable = choice.len();
        let Some(quantifier) = self.prefix.get(variable) else { return (self.body)(choice) };
        let values: Vec<Truth> =
            (0..self.domains.size(variable)).map(|place| self.rest(&[choice, &[place]].concat())).collect();
        over(quantifier, &values, self.end)
    }

    /// The first values of the plain `forall`s in front for which what follows them is false.
    pub(crate) fn culprit(&self) -> Choice {
        let leading = self.prefix.iter().take_while(|quantifier| is_plain_forall(quantifier)).count();
        let mut choices = self.domains.choices(leading).into_iter();
        choices.find(|choice| self.rest(choice) == Truth::False).unwrap_or_default()
    }
}

/// Whether the quantifier asks for all values, without counting.
pub(crate) fn is_plain_forall(quantifier: &Quantifier) -> bool {
    quantifier.kind == QuantifierKind::Forall && quantifier.threshold.is_none()
}

/// One quantifier over what follows it, for each value of its variable. Of a prefix more values may come.
fn over(quantifier: &Quantifier, values: &[Truth], end: End) -> Truth {
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

fn counted(threshold: Threshold, satisfying: i128, all: i128, end: End) -> Truth {
    let Threshold { comparison, amount, of_all } = threshold;
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
