// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decides closed formulae of linear arithmetic over whole and real numbers, by quantifier elimination.
//!
//! A real variable is split into its whole part and its fraction, a number from 0 up to but not including 1. Then every comparison is a
//! combination of comparisons of whole numbers and of comparisons of fractions: a sum of some fractions lies between two small whole
//! numbers. Quantifiers over whole numbers are eliminated by Cooper's method, those over fractions by substituting test points.

use std::collections::BTreeMap;

use crate::number::{Number, decimal_digits};
use crate::value::Comparison;
use crate::wide_integer::WideInteger;

/// Number of decimal places that are kept of a fraction. They are enough for every finite number: the smallest positive float is 5e-324,
/// and the last digit of the shortest decimal of a float is never beyond the 340th place.
const PLACES: u32 = 340;

/// Numbers that a variable ranges over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberRange {
    /// All whole numbers.
    Whole,
    /// All real numbers.
    Real,
}

/// A sum of variables, each taken some number of times, and a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearTerm {
    /// Variables, by number, with their factors; no factor is zero.
    factors: BTreeMap<u32, i64>,
    whole: WideInteger,
    /// In units of 10^-340; not negative, and less than 1.
    fraction: WideInteger,
}

impl LinearTerm {
    /// The variable with this number.
    pub fn variable(number: u32) -> LinearTerm {
        LinearTerm {
            factors: BTreeMap::from([(number, 1)]),
            whole: WideInteger::default(),
            fraction: WideInteger::default(),
        }
    }

    /// A constant; `None` if it is infinite.
    pub fn constant(number: Number) -> Option<LinearTerm> {
        let (whole, fraction) = match number.parts() {
            Some((mantissa, scale)) => {
                let power = 10_i128.pow(scale);
                let rest = WideInteger::from(mantissa.rem_euclid(power));
                (WideInteger::from(mantissa.div_euclid(power)), times_power_of_ten(rest, PLACES - scale))
            }
            None if !number.is_finite() => return None,
            None if number.is_whole() => (whole_float(number.to_f64()), WideInteger::default()),
            None => {
                let (digits, exponent) = decimal_digits(&format!("{:e}", number.to_f64()))?;
                let fraction =
                    times_power_of_ten(WideInteger::from(digits), PLACES.checked_sub(exponent.unsigned_abs())?);
                if fraction.is_negative() {
                    (WideInteger::from(-1), fraction.plus(unit()))
                } else {
                    (WideInteger::default(), fraction)
                }
            }
        };
        Some(LinearTerm { factors: BTreeMap::new(), whole, fraction })
    }

    /// The sum.
    #[must_use]
    pub fn plus(mut self, other: &LinearTerm) -> LinearTerm {
        for (variable, factor) in &other.factors {
            add_factor(&mut self.factors, *variable, *factor);
        }
        self.whole = self.whole.plus(other.whole);
        self.fraction = self.fraction.plus(other.fraction);
        if self.fraction >= unit() {
            self.whole = self.whole.plus(WideInteger::from(1));
            self.fraction = self.fraction.minus(unit());
        }
        self
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, other: &LinearTerm) -> LinearTerm {
        let mut negated = LinearTerm {
            factors: other.factors.iter().map(|(variable, factor)| (*variable, -factor)).collect(),
            whole: other.whole.negated(),
            fraction: WideInteger::default(),
        };
        if other.fraction != WideInteger::default() {
            negated.whole = negated.whole.minus(WideInteger::from(1));
            negated.fraction = unit().minus(other.fraction);
        }
        self.plus(&negated)
    }
}

fn add_factor(factors: &mut BTreeMap<u32, i64>, variable: u32, factor: i64) {
    let sum = factors.get(&variable).copied().unwrap_or(0) + factor;
    if sum == 0 {
        factors.remove(&variable)
    } else {
        factors.insert(variable, sum)
    };
}

/// One, in units of 10^-340.
fn unit() -> WideInteger {
    times_power_of_ten(WideInteger::from(1), PLACES)
}

fn times_power_of_ten(mut number: WideInteger, mut power: u32) -> WideInteger {
    while power > 0 {
        let step = power.min(38);
        number = number.times(10_i128.pow(step));
        power -= step;
    }
    number
}

/// The value of a float without a fraction.
fn whole_float(value: f64) -> WideInteger {
    const MANTISSA_BITS: u64 = 52;
    let bits = value.abs().to_bits();
    let mantissa = (bits & ((1 << MANTISSA_BITS) - 1)) | 1 << MANTISSA_BITS;
    // INVARIANT: a whole number is stored as a float only from 2^127 on, so that the exponent is greater than the mantissa is long.
    let mut power = (bits >> MANTISSA_BITS).saturating_sub(1023 + MANTISSA_BITS);
    let mut number = WideInteger::from(i128::from(mantissa));
    while power > 0 {
        let step = power.min(64);
        number = number.times(1 << step);
        power -= step;
    }
    if value < 0.0 { number.negated() } else { number }
}

/// A formula of linear arithmetic.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "most parts of a formula are comparisons")]
pub enum LinearFormula {
    /// True or false.
    Constant(bool),
    /// Compares a term with zero.
    Compare(LinearTerm, Comparison),
    /// The negation.
    Not(Box<LinearFormula>),
    /// All of these.
    All(Vec<LinearFormula>),
    /// One of these at least.
    Some(Vec<LinearFormula>),
    /// Some number of the range in the place of the variable makes it true.
    Exists(u32, NumberRange, Box<LinearFormula>),
}

impl LinearFormula {
    /// Returns a formula that is true if all of these are. Takes no more of them once one is false.
    pub fn all(parts: impl IntoIterator<Item = LinearFormula>) -> LinearFormula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                LinearFormula::Constant(true) => {}
                LinearFormula::Constant(false) => return part,
                other => kept.push(other),
            }
        }
        if kept.is_empty() { LinearFormula::Constant(true) } else { LinearFormula::All(kept) }
    }

    /// Returns a formula that is true if one of these is. Takes no more of them once one is true.
    pub fn some(parts: impl IntoIterator<Item = LinearFormula>) -> LinearFormula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                LinearFormula::Constant(false) => {}
                LinearFormula::Constant(true) => return part,
                other => kept.push(other),
            }
        }
        if kept.is_empty() { LinearFormula::Constant(false) } else { LinearFormula::Some(kept) }
    }

    /// Returns a formula that is true if some number of the range in the place of a variable makes this one true.
    #[must_use]
    pub fn exists(self, variable: u32, range: NumberRange) -> LinearFormula {
        match self {
            LinearFormula::Constant(_) => self,
            other => LinearFormula::Exists(variable, range, Box::new(other)),
        }
    }

    /// Returns the negation.
    #[must_use]
    pub fn negated(self) -> LinearFormula {
        match self {
            LinearFormula::Constant(value) => LinearFormula::Constant(!value),
            other => LinearFormula::Not(Box::new(other)),
        }
    }

    /// Returns true if the formula, in which every variable is quantified, is true.
    pub fn is_true(&self) -> bool {
        // A variable without a quantifier would be left; nothing is known of it.
        matches!(self.eliminate(false, &mut Vec::new()), Condition::Constant(true))
    }

    /// Returns an equivalent condition without quantifiers, or that of the negation. `reals` has the real variables around.
    fn eliminate(&self, is_negated: bool, reals: &mut Vec<u32>) -> Condition {
        match self {
            LinearFormula::Constant(value) => Condition::Constant(*value != is_negated),
            LinearFormula::Not(of) => of.eliminate(!is_negated, reals),
            LinearFormula::All(parts) | LinearFormula::Some(parts) => {
                let is_all = matches!(self, LinearFormula::All(_)) != is_negated;
                join(is_all, parts.iter().map(|part| part.eliminate(is_negated, reals)))
            }
            LinearFormula::Compare(term, comparison) => compare(term, *comparison, is_negated, reals),
            LinearFormula::Exists(variable, range, of) => {
                let condition = match range {
                    NumberRange::Whole => of.eliminate(false, reals),
                    NumberRange::Real => {
                        reals.push(*variable);
                        let condition = of.eliminate(false, reals);
                        reals.pop();
                        condition.without_fraction(fraction_of(*variable))
                    }
                };
                let condition = condition.without_whole(whole_of(*variable));
                if is_negated { condition.negated() } else { condition }
            }
        }
    }
}

/// The number of the whole part of a variable.
fn whole_of(variable: u32) -> u32 {
    2 * variable
}

/// The number of the fraction of a variable.
fn fraction_of(variable: u32) -> u32 {
    2 * variable + 1
}

/// A condition without quantifiers and negations, on whole parts and fractions of variables.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Condition {
    Constant(bool),
    Atom(Atom),
    All(Vec<Condition>),
    Some(Vec<Condition>),
}

/// A sum of whole parts and a whole number, or of fractions and a number in units of 10^-340.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sum {
    factors: BTreeMap<u32, i64>,
    constant: WideInteger,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Atom {
    /// The sum is zero.
    Zero(Sum),
    /// The sum is at most zero.
    AtMostZero(Sum),
    /// The sum is less than zero; of fractions only.
    BelowZero(Sum),
    /// The divisor divides the sum of whole numbers, or does not.
    Divides(i64, Sum, bool),
}

impl Sum {
    fn times(&self, factor: i64) -> Sum {
        let factors = self.factors.iter().map(|(variable, own)| (*variable, own * factor));
        Sum { factors: factors.collect(), constant: self.constant.times(factor.into()) }
    }

    fn plus(mut self, other: &Sum) -> Sum {
        for (variable, factor) in &other.factors {
            add_factor(&mut self.factors, *variable, *factor);
        }
        self.constant = self.constant.plus(other.constant);
        self
    }

    fn plus_constant(mut self, constant: i64) -> Sum {
        self.constant = self.constant.plus(WideInteger::from(i128::from(constant)));
        self
    }

    fn factor(&self, variable: u32) -> i64 {
        self.factors.get(&variable).copied().unwrap_or(0)
    }

    fn without(mut self, variable: u32) -> Sum {
        self.factors.remove(&variable);
        self
    }
}

impl Atom {
    fn sum(&self) -> &Sum {
        match self {
            Atom::Zero(sum) | Atom::AtMostZero(sum) | Atom::BelowZero(sum) | Atom::Divides(_, sum, _) => sum,
        }
    }

    fn with_sum(&self, sum: Sum) -> Atom {
        match self {
            Atom::Zero(_) => Atom::Zero(sum),
            Atom::AtMostZero(_) => Atom::AtMostZero(sum),
            Atom::BelowZero(_) => Atom::BelowZero(sum),
            Atom::Divides(divisor, _, divides) => Atom::Divides(*divisor, sum, *divides),
        }
    }

    /// Returns the condition; a constant if there is no variable in it.
    fn condition(self) -> Condition {
        let sum = self.sum();
        if !sum.factors.is_empty() {
            return Condition::Atom(self);
        }
        let zero = WideInteger::default();
        Condition::Constant(match &self {
            Atom::Zero(_) => sum.constant == zero,
            Atom::AtMostZero(_) => sum.constant <= zero,
            Atom::BelowZero(_) => sum.constant < zero,
            Atom::Divides(divisor, _, divides) => {
                (sum.constant.divided_by(u128::from(divisor.unsigned_abs())).1 == 0) == *divides
            }
        })
    }
}

/// Joins conditions, without constants.
fn join(is_all: bool, parts: impl Iterator<Item = Condition>) -> Condition {
    let mut kept: Vec<Condition> = Vec::new();
    for part in parts {
        let inner = match part {
            Condition::Constant(value) if value == is_all => continue,
            Condition::Constant(value) => return Condition::Constant(value),
            Condition::All(inner) if is_all => inner,
            Condition::Some(inner) if !is_all => inner,
            other => vec![other],
        };
        for part in inner {
            if !kept.contains(&part) {
                kept.push(part);
            }
        }
    }
    match kept.len() {
        0 => Condition::Constant(is_all),
        1 => kept.swap_remove(0),
        _ if is_all => Condition::All(kept),
        _ => Condition::Some(kept),
    }
}

fn all(parts: impl IntoIterator<Item = Condition>) -> Condition {
    join(true, parts.into_iter())
}

fn some(parts: impl IntoIterator<Item = Condition>) -> Condition {
    join(false, parts.into_iter())
}

/// Compares a term with zero: the whole numbers in it separately from the fractions.
///
/// Example: with the real variable x as w + f, `2x - 3 = 0` is split by the whole part of 2f, which is 0 or 1: either `2f = 0` and
/// `2w - 3 = 0`, or `2f = 1` and `2w - 2 = 0`. Only the second has a solution, w = 1 and f = 1/2.
fn compare(term: &LinearTerm, comparison: Comparison, is_negated: bool, reals: &[u32]) -> Condition {
    let comparison = if is_negated { comparison.opposite() } else { comparison };
    let wholes = term.factors.iter().map(|(variable, factor)| (whole_of(*variable), *factor)).collect();
    let with_fraction = term.factors.iter().filter(|(variable, _)| reals.contains(variable));
    let fractions: BTreeMap<u32, i64> =
        with_fraction.map(|(variable, factor)| (fraction_of(*variable), *factor)).collect();
    // The fractions add up to less than `most`, and at least to `least`.
    let least: i64 = fractions.values().filter(|factor| **factor < 0).sum();
    let most: i64 = fractions.values().filter(|factor| **factor > 0).sum::<i64>() + 1;
    let whole = Sum { factors: wholes, constant: term.whole };
    let fraction = Sum { factors: fractions, constant: term.fraction };
    let parts = (least..most).map(|step| {
        // `step <= fraction < step + 1`, so that the term is `whole + step` and less than one more.
        let beyond =
            |steps: i64| Sum { constant: fraction.constant.minus(unit().times(steps.into())), ..fraction.clone() };
        let total = whole.clone().plus_constant(step);
        let is_exact = Atom::Zero(beyond(step)).condition();
        let is_within =
            all([Atom::AtMostZero(beyond(step).times(-1)).condition(), Atom::BelowZero(beyond(step + 1)).condition()]);
        let is_above =
            all([Atom::BelowZero(beyond(step).times(-1)).condition(), Atom::BelowZero(beyond(step + 1)).condition()]);
        let is_zero = || all([is_exact.clone(), Atom::Zero(total.clone()).condition()]);
        let is_negative = || all([is_within.clone(), Atom::AtMostZero(total.clone().plus_constant(1)).condition()]);
        let is_positive = || {
            some([
                all([is_exact.clone(), Atom::AtMostZero(total.times(-1).plus_constant(1)).condition()]),
                all([is_above.clone(), Atom::AtMostZero(total.times(-1)).condition()]),
            ])
        };
        match comparison {
            Comparison::Equal => is_zero(),
            Comparison::NotEqual => some([is_negative(), is_positive()]),
            Comparison::Less => is_negative(),
            Comparison::AtMost => some([is_negative(), is_zero()]),
            Comparison::Greater => is_positive(),
            Comparison::AtLeast => some([is_positive(), is_zero()]),
        }
    });
    some(parts.collect::<Vec<_>>())
}

impl Condition {
    fn negated(self) -> Condition {
        match self {
            Condition::Constant(value) => Condition::Constant(!value),
            Condition::All(parts) => some(parts.into_iter().map(Condition::negated)),
            Condition::Some(parts) => all(parts.into_iter().map(Condition::negated)),
            Condition::Atom(Atom::Divides(divisor, sum, divides)) => Atom::Divides(divisor, sum, !divides).condition(),
            Condition::Atom(Atom::BelowZero(sum)) => Atom::AtMostZero(sum.times(-1)).condition(),
            // Numbers of fractions are odd, so that the first variable tells which of the two they are.
            Condition::Atom(Atom::AtMostZero(sum)) if is_whole(&sum) => {
                Atom::AtMostZero(sum.times(-1).plus_constant(1)).condition()
            }
            Condition::Atom(Atom::AtMostZero(sum)) => Atom::BelowZero(sum.times(-1)).condition(),
            Condition::Atom(Atom::Zero(sum)) if is_whole(&sum) => {
                let below = Atom::AtMostZero(sum.clone().plus_constant(1)).condition();
                some([below, Atom::AtMostZero(sum.times(-1).plus_constant(1)).condition()])
            }
            Condition::Atom(Atom::Zero(sum)) => {
                some([Atom::BelowZero(sum.times(-1)).condition(), Atom::BelowZero(sum).condition()])
            }
        }
    }

    fn mentions(&self, variable: u32) -> bool {
        match self {
            Condition::Constant(_) => false,
            Condition::Atom(atom) => atom.sum().factors.contains_key(&variable),
            Condition::All(parts) | Condition::Some(parts) => parts.iter().any(|part| part.mentions(variable)),
        }
    }

    /// Calls `visit` on the atoms with a variable.
    fn each<'c>(&'c self, variable: u32, visit: &mut dyn FnMut(&'c Atom)) {
        match self {
            Condition::Atom(atom) if atom.sum().factors.contains_key(&variable) => visit(atom),
            Condition::Constant(_) | Condition::Atom(_) => {}
            Condition::All(parts) | Condition::Some(parts) => parts.iter().for_each(|part| part.each(variable, visit)),
        }
    }

    /// Replaces the atoms with a variable.
    fn replace(&self, variable: u32, with: &dyn Fn(&Atom) -> Condition) -> Condition {
        match self {
            Condition::Atom(atom) if atom.sum().factors.contains_key(&variable) => with(atom),
            Condition::Constant(_) | Condition::Atom(_) => self.clone(),
            Condition::All(parts) => all(parts.iter().map(|part| part.replace(variable, with))),
            Condition::Some(parts) => some(parts.iter().map(|part| part.replace(variable, with))),
        }
    }

    /// Eliminates a quantifier `exists`: passes it on to the parts, so that `eliminate` gets small conditions.
    fn without(self, variable: u32, eliminate: &dyn Fn(&Condition) -> Condition) -> Condition {
        match self {
            Condition::Some(parts) => some(parts.into_iter().map(|part| part.without(variable, eliminate))),
            Condition::All(parts) => {
                let (inner, outer): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.mentions(variable));
                match inner.len() {
                    0 => all(outer),
                    _ => all(outer.into_iter().chain([eliminate(&all(inner))])),
                }
            }
            other if other.mentions(variable) => eliminate(&other),
            other => other,
        }
    }

    /// Eliminates `exists` over a whole number.
    fn without_whole(self, variable: u32) -> Condition {
        self.without(variable, &|of| cooper(of, variable))
    }

    /// Eliminates `exists` over a fraction.
    fn without_fraction(self, variable: u32) -> Condition {
        self.without(variable, &|of| test_points(of, variable))
    }
}

fn is_whole(sum: &Sum) -> bool {
    sum.factors.keys().all(|variable| variable % 2 == 0)
}

/// Cooper's method: if some whole number satisfies the condition, then one does that lies just above a lower bound, or any number far
/// below does.
fn cooper(of: &Condition, variable: u32) -> Condition {
    let mut common: i64 = 1;
    of.each(variable, &mut |atom| common = lcm(common, atom.sum().factor(variable)));
    // `common * x` in the place of `x`.
    let scaled = of.replace(variable, &|atom| {
        let factor = atom.sum().factor(variable);
        let times = common / factor.abs();
        let mut sum = atom.sum().times(times);
        sum.factors.insert(variable, factor.signum());
        match atom {
            Atom::Divides(divisor, _, divides) => Atom::Divides(divisor * times, sum, *divides).condition(),
            other => other.with_sum(sum).condition(),
        }
    });
    let multiple = Sum { factors: BTreeMap::from([(variable, 1)]), constant: WideInteger::default() };
    let scaled = all([scaled, Atom::Divides(common, multiple, true).condition()]);
    let mut period: i64 = common;
    let mut bounds: Vec<Sum> = Vec::new();
    scaled.each(variable, &mut |atom| {
        let factor = atom.sum().factor(variable);
        let rest = || atom.sum().clone().without(variable);
        match atom {
            Atom::Divides(divisor, ..) => period = lcm(period, *divisor),
            // x + rest = 0, or -x + rest = 0: the number itself.
            Atom::Zero(_) => bounds.push(rest().times(-factor).plus_constant(-1)),
            // -x + rest <= 0
            Atom::AtMostZero(_) if factor < 0 => bounds.push(rest().plus_constant(-1)),
            Atom::AtMostZero(_) | Atom::BelowZero(_) => {}
        }
    });
    let far = scaled.replace(variable, &|atom| match atom {
        Atom::Zero(_) => Condition::Constant(false),
        Atom::AtMostZero(sum) | Atom::BelowZero(sum) => Condition::Constant(sum.factor(variable) > 0),
        Atom::Divides(..) => Condition::Atom(atom.clone()),
    });
    let mut unique: Vec<Sum> = Vec::new();
    for bound in bounds {
        if !unique.contains(&bound) {
            unique.push(bound);
        }
    }
    let put = |condition: &Condition, value: &Sum| {
        condition.replace(variable, &|atom| {
            let sum = atom.sum().clone().without(variable).plus(&value.times(atom.sum().factor(variable)));
            atom.with_sum(sum).condition()
        })
    };
    let nothing = Sum { factors: BTreeMap::new(), constant: WideInteger::default() };
    let mut cases = Vec::new();
    for step in 1..=period {
        cases.push(put(&far, &nothing.clone().plus_constant(step)));
        cases.extend(unique.iter().map(|bound| put(&scaled, &bound.clone().plus_constant(step))));
    }
    some(cases)
}

/// If some fraction satisfies the condition, then one does that is 0 or the solution of an atom, or lies just above one of these.
fn test_points(of: &Condition, variable: u32) -> Condition {
    // The point `-rest / factor`, as `rest` with a positive factor.
    let mut points: Vec<(Sum, i64)> = vec![(Sum { factors: BTreeMap::new(), constant: WideInteger::default() }, 1)];
    of.each(variable, &mut |atom| {
        let factor = atom.sum().factor(variable);
        let point = (atom.sum().clone().without(variable).times(factor.signum()), factor.abs());
        if !points.contains(&point) {
            points.push(point);
        }
    });
    let cases = points.iter().flat_map(|(rest, factor)| {
        let one = Sum { factors: BTreeMap::new(), constant: unit().times(i128::from(*factor)) };
        // 0 <= -rest / factor < 1
        let not_negative = Atom::AtMostZero(rest.clone()).condition();
        let below_one = Atom::BelowZero(rest.times(-1).plus(&one.times(-1))).condition();
        let value = |atom: &Atom| {
            let own = atom.sum().factor(variable);
            atom.sum().clone().without(variable).times(*factor).plus(&rest.times(-own))
        };
        let at = of.replace(variable, &|atom| atom.with_sum(value(atom)).condition());
        let above = of.replace(variable, &|atom| {
            let falls = atom.sum().factor(variable) < 0;
            match atom {
                Atom::Zero(_) | Atom::Divides(..) => Condition::Constant(false),
                Atom::AtMostZero(_) | Atom::BelowZero(_) if falls => Atom::AtMostZero(value(atom)).condition(),
                Atom::AtMostZero(_) | Atom::BelowZero(_) => Atom::BelowZero(value(atom)).condition(),
            }
        });
        [all([not_negative.clone(), below_one.clone(), at]), all([not_negative, below_one, above])]
    });
    some(cases.collect::<Vec<_>>())
}

fn lcm(left: i64, right: i64) -> i64 {
    let (mut one, mut other) = (left.abs(), right.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    left.abs() / one * right.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn number(text: &str) -> LinearTerm {
        LinearTerm::constant(Number::parse(text).unwrap()).unwrap()
    }

    fn exists(variable: u32, range: NumberRange, of: LinearFormula) -> LinearFormula {
        LinearFormula::Exists(variable, range, Box::new(of))
    }

    fn forall(variable: u32, range: NumberRange, of: LinearFormula) -> LinearFormula {
        not(exists(variable, range, not(of)))
    }

    fn not(of: LinearFormula) -> LinearFormula {
        LinearFormula::Not(Box::new(of))
    }

    fn compare(left: &LinearTerm, comparison: Comparison, right: &LinearTerm) -> LinearFormula {
        LinearFormula::Compare(left.clone().minus(right), comparison)
    }

    #[test]
    fn known_sentences() {
        use Comparison::{Equal, Greater, Less, NotEqual};
        use NumberRange::{Real, Whole};
        let (x, y, z) = (LinearTerm::variable(0), LinearTerm::variable(1), LinearTerm::variable(2));
        let twice = |term: &LinearTerm| term.clone().plus(term);
        let equals = |left: &LinearTerm, text: &str| compare(left, Equal, &number(text));
        // An odd number is not the double of a whole number, but of a real one.
        assert!(!exists(0, Whole, equals(&twice(&x), "3")).is_true());
        assert!(exists(0, Real, equals(&twice(&x), "3")).is_true());
        assert!(exists(0, Whole, equals(&twice(&x), "1e300")).is_true());
        assert!(!exists(0, Whole, equals(&x, "1e-300")).is_true());
        assert!(exists(0, Real, equals(&twice(&x), "-5e-324")).is_true());
        // No greatest number; no number between neighbours; a real number between any two.
        assert!(forall(0, Whole, exists(1, Whole, compare(&y, Greater, &x))).is_true());
        assert!(!exists(0, Whole, forall(1, Whole, compare(&y, Less, &x))).is_true());
        let between = |range| {
            let inside = LinearFormula::All(vec![compare(&x, Less, &z), compare(&z, Less, &y)]);
            let some = LinearFormula::Some(vec![not(compare(&x, Less, &y)), exists(2, range, inside)]);
            forall(0, Real, forall(1, Real, some))
        };
        assert!(between(Real).is_true() && !between(Whole).is_true());
        // Every real number has a whole one below it and within one.
        let near = LinearFormula::All(vec![
            compare(&y, Comparison::AtMost, &x),
            compare(&x, Less, &y.clone().plus(&number("1"))),
        ]);
        assert!(forall(0, Real, exists(1, Whole, near.clone())).is_true());
        assert!(forall(1, Whole, exists(0, Real, near)).is_true());
        // Every number is even or odd.
        let even = exists(1, Whole, compare(&twice(&y), Equal, &x));
        let odd = exists(1, Whole, compare(&twice(&y).plus(&number("1")), Equal, &x));
        let either = LinearFormula::Some(vec![even, odd]);
        assert!(forall(0, Whole, either.clone()).is_true() && !forall(0, Real, either).is_true());
        assert!(
            !exists(0, Whole, LinearFormula::All(vec![equals(&x, "3"), compare(&x, NotEqual, &number("3.0"))]))
                .is_true()
        );
        assert!(exists(0, Real, equals(&x, "170141183460469231731687303715884105727.0")).is_true());
    }

    /// Whole numbers from -5 to 5, or multiples of 1/12 between these.
    struct Bounded {
        range: NumberRange,
    }

    impl Bounded {
        /// Evaluates a formula whose quantifiers are bounded; numbers are counted in twelfths.
        fn holds(&self, formula: &LinearFormula, values: &mut [i64]) -> bool {
            match formula {
                LinearFormula::Constant(value) => *value,
                LinearFormula::Not(of) => !self.holds(of, values),
                LinearFormula::All(parts) => parts.iter().all(|part| self.holds(part, values)),
                LinearFormula::Some(parts) => parts.iter().any(|part| self.holds(part, values)),
                LinearFormula::Compare(term, comparison) => {
                    let own: i64 =
                        term.factors.iter().map(|(variable, factor)| factor * values[*variable as usize]).sum();
                    let whole = term.whole.to_i128().unwrap() as i64 * 12;
                    let parts = if term.fraction == WideInteger::default() { 0 } else { 6 };
                    comparison.accepts((own + whole + parts).cmp(&0))
                }
                LinearFormula::Exists(variable, _, of) => {
                    (-60..=60).filter(|value| self.range == NumberRange::Real || value % 12 == 0).any(|value| {
                        values[*variable as usize] = value;
                        self.holds(of, values)
                    })
                }
            }
        }
    }

    /// Returns a formula with variables below `bound`; quantifiers are bounded to -5 to 5.
    fn random_formula(random: &mut Random, range: NumberRange, bound: u32, depth: u32) -> LinearFormula {
        let inner = |random: &mut Random| random_formula(random, range, bound, depth - 1);
        match random.below(if depth == 0 { 1 } else { 5 }) {
            1 => not(inner(random)),
            2 => LinearFormula::All(vec![inner(random), inner(random)]),
            3 => LinearFormula::Some(vec![inner(random), inner(random)]),
            4 if bound < 3 => {
                let x = LinearTerm::variable(bound);
                let inside = vec![
                    compare(&x, Comparison::AtLeast, &number("-5")),
                    compare(&x, Comparison::AtMost, &number("5")),
                    random_formula(random, range, bound + 1, depth - 1),
                ];
                exists(bound, range, LinearFormula::All(inside))
            }
            _ => {
                let halves = if range == NumberRange::Real { ["0.5", "-1.5"] } else { ["1", "-2"] };
                let mut term = number(halves[random.below(2) as usize]);
                for variable in 0..bound {
                    for _ in 0..random.below(3) {
                        term = if random.below(2) == 0 {
                            term.plus(&LinearTerm::variable(variable))
                        } else {
                            term.minus(&LinearTerm::variable(variable))
                        };
                    }
                }
                LinearFormula::Compare(term, Comparison::ALL[random.below(6) as usize])
            }
        }
    }

    #[test]
    fn random_sentences_agree_with_trying_all_numbers() {
        let mut counts = [0; 2];
        for seed in 0..60 {
            let mut random = Random::new(seed);
            // Twelfths suffice for one real variable in another's scope.
            let (range, depth) = if seed % 3 == 0 { (NumberRange::Real, 3) } else { (NumberRange::Whole, 4) };
            let first = u32::from(range == NumberRange::Real);
            let inside = random_formula(&mut random, range, first + 1, depth);
            let x = LinearTerm::variable(first);
            let bounds = vec![
                compare(&x, Comparison::AtLeast, &number("-5")),
                compare(&x, Comparison::AtMost, &number("5")),
                inside,
            ];
            let mut formula = exists(first, range, LinearFormula::All(bounds));
            if first == 1 {
                let pinned = compare(&LinearTerm::variable(0), Comparison::Equal, &number("2.5"));
                formula = exists(0, range, LinearFormula::All(vec![pinned, formula]));
            }
            let expected = Bounded { range }.holds(&formula, &mut [0; 4]);
            assert_eq!(formula.is_true(), expected, "seed {seed}: {formula:?}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
    }
}
