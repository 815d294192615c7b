// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exact arithmetic: fractions of 128 bits. What does not fit has no value.
//!
//! Terms of properties are computed with fractions, so a comparison never depends on rounding: `0.1 + 0.2 = 0.3` is true, and `1 / 3 * 3 = 1`
//! too. Results are in lowest terms. Intermediate values of sums may exceed 128 bits ([`WideInteger`]). A float that is not an exact number
//! makes the result a float.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::number::{MAX_PLACES, Number, decimal_digits};
use crate::wide_integer::WideInteger;

/// A fraction in lowest terms, or a float that is none of 128 bits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Fraction {
    /// An exact number.
    Exact {
        /// The numerator.
        numerator: i128,
        /// The denominator; positive, and without a factor in common with the numerator.
        denominator: i128,
    },
    /// The float of a [`Number::Float`].
    Float(f64),
}

impl Fraction {
    /// Zero.
    pub const ZERO: Fraction = Fraction::whole(0);

    /// A whole number.
    pub const fn whole(number: i128) -> Fraction {
        Fraction::Exact { numerator: number, denominator: 1 }
    }

    /// `numerator / denominator`; the denominator is positive.
    pub fn new(numerator: i128, denominator: i128) -> Fraction {
        if denominator == 1 {
            return Fraction::whole(numerator);
        }
        let (above, below) = reduced(numerator.unsigned_abs(), denominator.unsigned_abs());
        // Reduced parts are not greater than the given ones, so they fit.
        let above = above.cast_signed();
        Fraction::Exact {
            numerator: if numerator < 0 { above.wrapping_neg() } else { above },
            denominator: below.cast_signed(),
        }
    }

    /// The number that a computed float stands for; `None` if it is not finite.
    fn float(value: f64) -> Option<Fraction> {
        Number::from_f64(value).filter(|number| number.is_finite()).map(Fraction::from)
    }

    /// The nearest float, or one beside it.
    pub fn to_f64(self) -> f64 {
        match self {
            Fraction::Exact { numerator, denominator } => numerator as f64 / denominator as f64,
            Fraction::Float(value) => value,
        }
    }

    /// Returns the decimal that is equal to it; `None` if there is none of 128 bits.
    pub(crate) fn to_number(self) -> Option<Number> {
        match self {
            Fraction::Exact { numerator, denominator: 1 } => Some(Number::from(numerator)),
            Fraction::Exact { numerator, denominator } => {
                let twos = denominator.trailing_zeros();
                let (mut rest, mut fives) = (denominator >> twos, 0);
                while rest % 5 == 0 {
                    (rest, fives) = (rest / 5, fives + 1);
                }
                let scale = twos.max(fives);
                let factor = 2_i128.checked_pow(scale - twos)?.checked_mul(5_i128.checked_pow(scale - fives)?)?;
                if rest == 1 { Number::from_parts(numerator.checked_mul(factor)?, scale) } else { None }
            }
            Fraction::Float(value) => Number::from_f64(value),
        }
    }

    /// The sum; `None` if it does not fit or is not finite.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Fraction) -> Option<Fraction> {
        // Most sums are of whole numbers.
        if let (Fraction::Exact { numerator: a, denominator: 1 }, Fraction::Exact { numerator: c, denominator: 1 }) =
            (self, other)
        {
            return a.checked_add(c).map(Fraction::whole);
        }
        match (self, other) {
            (Fraction::Exact { numerator: a, denominator: b }, Fraction::Exact { numerator: c, denominator: d }) => {
                sum((a, b), (c, d))
            }
            _ => Fraction::float(self.to_f64() + other.to_f64()),
        }
    }

    /// The difference; `None` if it does not fit or is not finite.
    #[inline]
    #[must_use]
    pub fn minus(self, other: Fraction) -> Option<Fraction> {
        match (self, other) {
            (_, Fraction::Exact { numerator, denominator }) if numerator != i128::MIN => {
                self.plus(Fraction::Exact { numerator: -numerator, denominator })
            }
            (Fraction::Exact { numerator, denominator }, Fraction::Exact { numerator: least, denominator: d }) => {
                wide_sum((numerator, denominator), WideInteger::from(least).negated(), d)
            }
            _ => Fraction::float(self.to_f64() - other.to_f64()),
        }
    }

    /// The product; `None` if it does not fit or is not finite.
    #[must_use]
    pub fn times(self, other: Fraction) -> Option<Fraction> {
        match (self, other) {
            (Fraction::Exact { numerator: a, denominator: b }, Fraction::Exact { numerator: c, denominator: d }) => {
                // Without common factors the product is in lowest terms: if it does not fit, no form of it does.
                let (left, right) = (Fraction::new(a, d).parts()?, Fraction::new(c, b).parts()?);
                let (numerator, denominator) = (left.0.checked_mul(right.0)?, left.1.checked_mul(right.1)?);
                Some(Fraction::Exact { numerator, denominator })
            }
            _ => Fraction::float(self.to_f64() * other.to_f64()),
        }
    }

    /// The quotient; `None` if the divisor is zero, or the quotient does not fit or is not finite.
    pub fn over(self, other: Fraction) -> Option<Fraction> {
        match (self, other) {
            (_, Fraction::Exact { numerator: 0, .. }) => None,
            (Fraction::Exact { numerator: a, denominator: b }, Fraction::Exact { numerator: c, denominator: d }) => {
                let (above, below) = reduced(a.unsigned_abs(), c.unsigned_abs());
                let (left, right) = reduced(d.unsigned_abs(), b.unsigned_abs());
                let denominator = i128::try_from(below.checked_mul(right)?).ok()?;
                let magnitude = above.checked_mul(left)?;
                let is_negative = (a < 0) != (c < 0);
                let numerator =
                    if is_negative { 0_i128.checked_sub_unsigned(magnitude) } else { i128::try_from(magnitude).ok() };
                Some(Fraction::Exact { numerator: numerator?, denominator })
            }
            _ => Fraction::float(self.to_f64() / other.to_f64()),
        }
    }

    fn parts(self) -> Option<(i128, i128)> {
        match self {
            Fraction::Exact { numerator, denominator } => Some((numerator, denominator)),
            Fraction::Float(_) => None,
        }
    }

    /// The sum of numbers, oldest first. The exact numbers have an exact sum, whatever their order; floats are added to one another and
    /// then to that sum. `None` if it does not fit or is not finite.
    // RULE B7
    pub fn sum(numbers: impl Iterator<Item = Fraction>) -> Option<Fraction> {
        let (mut above, mut below) = (WideInteger::default(), 1_i128);
        let mut floats = None;
        for number in numbers {
            match number {
                Fraction::Exact { numerator, denominator } => {
                    let common = gcd(below.unsigned_abs(), denominator.unsigned_abs()).cast_signed();
                    above = above.times(denominator / common).plus(WideInteger::from(numerator).times(below / common));
                    below = below.checked_mul(denominator / common)?;
                }
                Fraction::Float(value) => floats = Some(floats.unwrap_or(0.0) + value),
            }
        }
        let exact = lowest(above, below);
        match floats {
            None => exact,
            Some(floats) => Fraction::float(exact?.to_f64() + floats),
        }
    }

    /// Compares by value.
    #[inline]
    pub fn compare(self, other: Fraction) -> Ordering {
        match (self, other) {
            (Fraction::Exact { numerator: a, denominator: b }, Fraction::Exact { numerator: c, denominator: d })
                if b == d =>
            {
                a.cmp(&c)
            }
            (Fraction::Exact { numerator: a, denominator: b }, Fraction::Exact { numerator: c, denominator: d }) => {
                compare_exact((a, b), (c, d))
            }
            (Fraction::Exact { numerator, denominator }, Fraction::Float(value)) => {
                compare_float((numerator, denominator), value)
            }
            (Fraction::Float(value), Fraction::Exact { numerator, denominator }) => {
                compare_float((numerator, denominator), value).reverse()
            }
            (Fraction::Float(left), Fraction::Float(right)) => left.total_cmp(&right),
        }
    }
}

/// `a/b + c/d`; `None` if it does not fit.
fn sum((a, b): (i128, i128), (c, d): (i128, i128)) -> Option<Fraction> {
    // Products of 63 bits and their sums need no check.
    let is_small = |number: i128| (-(1 << 62)..1 << 62).contains(&number);
    if [a, b, c, d].into_iter().all(is_small) {
        return Some(if b == d { Fraction::new(a + c, b) } else { Fraction::new(a * d + c * b, b * d) });
    }
    wide_sum((a, b), WideInteger::from(c), d)
}

fn wide_sum((a, b): (i128, i128), c: WideInteger, d: i128) -> Option<Fraction> {
    let common = gcd(b.unsigned_abs(), d.unsigned_abs()).cast_signed();
    let above = WideInteger::from(a).times(d / common).plus(c.times(b / common));
    // Only factors of `common` may be left in both.
    let rest = gcd(above.divided_by(common.unsigned_abs()).1, common.unsigned_abs()).max(1);
    let numerator = above.divided_by(rest).0.to_i128()?;
    Some(Fraction::Exact { numerator, denominator: (b / common).checked_mul(d / rest.cast_signed())? })
}

/// `above / below` in lowest terms; `None` if it does not fit.
fn lowest(above: WideInteger, below: i128) -> Option<Fraction> {
    let common = gcd(above.divided_by(below.unsigned_abs()).1, below.unsigned_abs()).max(1);
    let numerator = above.divided_by(common).0.to_i128()?;
    Some(Fraction::Exact { numerator, denominator: below / common.cast_signed() })
}

fn compare_exact((a, b): (i128, i128), (c, d): (i128, i128)) -> Ordering {
    // Products of 64 bits need no check.
    if let [Ok(a), Ok(b), Ok(c), Ok(d)] = [a, b, c, d].map(i64::try_from) {
        return (i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b)));
    }
    WideInteger::from(a).times(d).cmp(&WideInteger::from(c).times(b))
}

/// Compares with the decimal that a float stands for.
fn compare_float((above, below): (i128, i128), value: f64) -> Ordering {
    /// No fraction but zero is nearer to zero.
    const MIN_VALUE: f64 = 1e-39;
    // A great float lies beyond all fractions.
    if value.abs() >= 1.0 || above == 0 {
        return 0.0_f64.total_cmp(&value);
    }
    if (above < 0) != (value < 0.0) || value.abs() < MIN_VALUE {
        return above.cmp(&0);
    }
    // The decimal has at most 17 digits, of which the last one counts 10^-56 or more.
    let Some((digits, exponent)) = decimal_digits(&format!("{value:e}")) else { return Ordering::Less };
    let scale = exponent.unsigned_abs();
    let power = |places: u32| 10_i128.pow(places.min(MAX_PLACES));
    let left = WideInteger::from(above).times(power(scale)).times(power(scale.saturating_sub(MAX_PLACES)));
    left.cmp(&WideInteger::from(digits).times(below))
}

/// Without common factors; 128 bits are divided only where 64 do not suffice.
fn reduced(left: u128, right: u128) -> (u128, u128) {
    if let (Ok(left), Ok(right)) = (u64::try_from(left), u64::try_from(right)) {
        let divisor = gcd(left, right).max(1);
        return (u128::from(left / divisor), u128::from(right / divisor));
    }
    let divisor = gcd(left, right).max(1);
    (left / divisor, right / divisor)
}

fn gcd<N: Copy + Default + PartialEq + std::ops::Rem<Output = N>>(mut left: N, mut right: N) -> N {
    while right != N::default() {
        (left, right) = (right, left % right);
    }
    left
}

impl fmt::Display for Fraction {
    /// Whole numbers and decimals as they are; others to twelve places.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.to_number() {
            return write!(f, "{number}");
        }
        let rounded = format!("{:.12}", self.to_f64());
        f.write_str(rounded.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl From<Number> for Fraction {
    #[inline]
    fn from(number: Number) -> Fraction {
        match number.parts() {
            Some((mantissa, 0)) => Fraction::whole(mantissa),
            Some((mantissa, scale)) => Fraction::new(mantissa, 10_i128.pow(scale)),
            None => Fraction::Float(number.to_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(text: &str) -> Fraction {
        Fraction::from(Number::parse(text).unwrap())
    }

    fn sum_of(texts: &[&str]) -> Option<Fraction> {
        Fraction::sum(texts.iter().map(|text| fraction(text)))
    }

    #[test]
    fn thirds_are_exact() {
        let third = fraction("1").over(fraction("3")).unwrap();
        assert_eq!(third.plus(third).and_then(|two| two.plus(third)), Some(fraction("1")));
        assert_eq!(third.times(fraction("-6")), Some(fraction("-2")));
        assert_eq!(fraction("0.1").plus(fraction("0.2")), Some(fraction("0.3")));
        assert_eq!(fraction("0.5").minus(fraction("0.75")), Some(fraction("-0.25")));
        assert_eq!(fraction("-1").over(fraction("-4")), Some(fraction("0.25")));
        assert!(fraction("7").over(fraction("0")).is_none() && fraction("7").over(fraction("-0e0")).is_none());
    }

    #[test]
    fn fractions_are_shown_as_decimals() {
        let third = fraction("1").over(fraction("3")).unwrap();
        let shown = [fraction("-7"), fraction("2.50"), third, fraction("1e0")].map(|number| number.to_string());
        assert_eq!(shown, ["-7", "2.5", "0.333333333333", "1"]);
    }

    #[test]
    fn great_parts_compare_and_add_up_exactly() {
        let great = Fraction::Exact { numerator: i128::MAX, denominator: i128::MAX - 1 };
        let greater = Fraction::Exact { numerator: i128::MAX - 2, denominator: i128::MAX - 3 };
        assert!(great.compare(greater).is_lt() && greater.compare(great).is_gt() && great.compare(great).is_eq());
        let negative = Fraction::Exact { numerator: -i128::MAX, denominator: i128::MAX - 1 };
        assert!(negative.compare(great).is_lt() && negative.compare(Fraction::whole(-1)).is_lt());
        assert_eq!((great.times(greater), great.plus(greater)), (None, None));
        assert_eq!((great.plus(negative), great.minus(great)), (Some(Fraction::ZERO), Some(Fraction::ZERO)));
        assert_eq!(great.over(great), Some(Fraction::whole(1)));
        let least = Fraction::whole(i128::MIN);
        assert_eq!(least.minus(least), Some(Fraction::ZERO));
        assert_eq!(least.plus(Fraction::whole(1)), Some(Fraction::whole(i128::MIN + 1)));
        assert_eq!(Fraction::new(-1, 2).minus(least), None);
        assert_eq!(least.times(Fraction::new(1, 2)), Some(Fraction::whole(i128::MIN / 2)));
        assert_eq!((least.over(least), Fraction::ZERO.over(least)), (Some(Fraction::whole(1)), Some(Fraction::ZERO)));
        assert_eq!((least.over(Fraction::whole(-1)), Fraction::whole(1).over(least)), (None, None));
    }

    #[test]
    fn a_sum_fits_if_it_fits_in_the_end() {
        let most = i128::MAX.to_string();
        assert_eq!(sum_of(&[&most, "1", "-0.5", "0.5", "-1"]), Some(fraction(&most)));
        assert_eq!(sum_of(&[&most, "1"]), None);
        assert_eq!(sum_of(&[]), Some(Fraction::ZERO));
        assert_eq!(sum_of(&["0.25", "0.75"]), Some(fraction("1")));
        assert_eq!(sum_of(&["1e300", "5", "-1e300"]), Some(fraction("5")));
    }

    #[test]
    fn floats_are_used_where_nothing_else_fits() {
        assert_eq!(fraction("1e300").times(fraction("1e300")), None);
        assert_eq!(fraction("1e300").times(fraction("1e-300")), Some(fraction("1")));
        assert_eq!(fraction("2e0").plus(fraction("1")), Some(fraction("3")));
        assert_eq!(fraction("1e-300").minus(fraction("1e-300")), Some(Fraction::ZERO));
    }
}
