// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers that stay exact under the four operations: fractions, as long as they fit.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::number::Number;

/// A fraction in lowest terms, or a float where a float came in or the parts no longer fit 128 bits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Fraction {
    /// Exact.
    Exact {
        /// Above.
        numerator: i128,
        /// Below; positive, and without a common factor.
        denominator: i128,
    },
    /// Everything else; never NaN.
    Float(f64),
}

impl Fraction {
    /// Zero.
    pub const ZERO: Fraction = Fraction::whole(0);

    /// A whole number.
    pub const fn whole(number: i128) -> Fraction {
        Fraction::Exact { numerator: number, denominator: 1 }
    }

    /// `numerator / denominator`; the denominator is not zero.
    pub fn new(numerator: i128, denominator: i128) -> Fraction {
        if denominator == 1 {
            return Fraction::whole(numerator);
        }
        let negative = (numerator < 0) != (denominator < 0);
        let (above, below) = reduced(numerator.unsigned_abs(), denominator.unsigned_abs());
        match (i128::try_from(above), i128::try_from(below)) {
            (Ok(above), Ok(below)) => {
                Fraction::Exact { numerator: if negative { -above } else { above }, denominator: below }
            }
            _ => Fraction::float(numerator as f64 / denominator as f64),
        }
    }

    fn float(value: f64) -> Fraction {
        // Adding zero leaves one zero only: the negative one would be less than it.
        Fraction::Float(if value.is_nan() { f64::INFINITY } else { value + 0.0 })
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        match self {
            Fraction::Exact { numerator, denominator } => numerator as f64 / denominator as f64,
            Fraction::Float(value) => value,
        }
    }

    /// The result of an operation on fractions, or on floats where that cannot be had.
    fn combine(
        self,
        other: Fraction,
        exact: impl FnOnce(i128, i128, i128, i128) -> Option<Fraction>,
        float: impl FnOnce(f64, f64) -> f64,
    ) -> Fraction {
        let result = match (self, other) {
            (Fraction::Exact { numerator: a, denominator: b }, Fraction::Exact { numerator: c, denominator: d }) => {
                exact(a, b, c, d)
            }
            _ => None,
        };
        result.unwrap_or_else(|| Fraction::float(float(self.to_f64(), other.to_f64())))
    }

    /// The sum.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Fraction) -> Fraction {
        // Whole numbers are most of what is added up.
        if let (Fraction::Exact { numerator: a, denominator: 1 }, Fraction::Exact { numerator: c, denominator: 1 }) =
            (self, other)
            && let Some(sum) = a.checked_add(c)
        {
            return Fraction::whole(sum);
        }
        self.plus_any(other)
    }

    fn plus_any(self, other: Fraction) -> Fraction {
        let exact = |a: i128, b: i128, c: i128, d: i128| {
            if b == d {
                return Some(Fraction::new(a.checked_add(c)?, b));
            }
            let above = a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?;
            Some(Fraction::new(above, b.checked_mul(d)?))
        };
        self.combine(other, exact, |left, right| left + right)
    }

    /// The difference.
    #[inline]
    #[must_use]
    pub fn minus(self, other: Fraction) -> Fraction {
        match other {
            Fraction::Exact { numerator, denominator } if numerator != i128::MIN => {
                self.plus(Fraction::Exact { numerator: -numerator, denominator })
            }
            _ => Fraction::float(self.to_f64() - other.to_f64()),
        }
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Fraction) -> Fraction {
        let exact = |a: i128, b: i128, c: i128, d: i128| Some(Fraction::new(a.checked_mul(c)?, b.checked_mul(d)?));
        self.combine(other, exact, |left, right| left * right)
    }

    /// The quotient; `None` if the divisor is zero.
    pub fn over(self, other: Fraction) -> Option<Fraction> {
        if other.compare(Fraction::ZERO).is_eq() {
            return None;
        }
        let exact = |a: i128, b: i128, c: i128, d: i128| Some(Fraction::new(a.checked_mul(d)?, b.checked_mul(c)?));
        Some(self.combine(other, exact, |left, right| left / right))
    }

    /// Whether both are made of the same parts: two that are equal may not be, if one is a float.
    #[inline]
    pub fn is_same(self, other: Fraction) -> bool {
        match (self, other) {
            (Fraction::Exact { numerator: a, denominator: b }, Fraction::Exact { numerator: c, denominator: d }) => {
                a == c && b == d
            }
            (Fraction::Float(left), Fraction::Float(right)) => left.to_bits() == right.to_bits(),
            _ => false,
        }
    }

    /// Compares by value: exactly where both are exact.
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
            _ => self.to_f64().total_cmp(&other.to_f64()),
        }
    }
}

/// Whole parts first, then what is left, turned over: never needs more digits than there are.
fn compare_exact((a, b): (i128, i128), (c, d): (i128, i128)) -> Ordering {
    // Products of 64 bits need no check.
    if let [Ok(a), Ok(b), Ok(c), Ok(d)] = [a, b, c, d].map(i64::try_from) {
        return (i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b)));
    }
    if let (Some(left), Some(right)) = (a.checked_mul(d), c.checked_mul(b)) {
        return left.cmp(&right);
    }
    let (left, right) = (a.div_euclid(b), c.div_euclid(d));
    let (left_rest, right_rest) = (a.rem_euclid(b), c.rem_euclid(d));
    match (left.cmp(&right), left_rest, right_rest) {
        (Ordering::Equal, 0, 0) => Ordering::Equal,
        (Ordering::Equal, 0, _) => Ordering::Less,
        (Ordering::Equal, _, 0) => Ordering::Greater,
        (Ordering::Equal, _, _) => compare_exact((d, right_rest), (b, left_rest)),
        (order, _, _) => order,
    }
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
    /// Whole numbers and decimals as they are; others to a few digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Fraction::Exact { numerator, denominator: 1 } = self {
            return write!(f, "{numerator}");
        }
        let rounded = format!("{:.6}", self.to_f64());
        f.write_str(rounded.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.compare(*other).is_eq()
    }
}

impl From<Number> for Fraction {
    #[inline]
    fn from(number: Number) -> Fraction {
        match number.parts() {
            Some((mantissa, 0)) => Fraction::whole(mantissa),
            Some((mantissa, scale)) => Fraction::new(mantissa, 10_i128.pow(scale)),
            None => Fraction::float(number.to_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(text: &str) -> Fraction {
        Fraction::from(Number::parse(text).unwrap())
    }

    #[test]
    fn thirds_are_exact() {
        let third = fraction("1").over(fraction("3")).unwrap();
        assert!(third.plus(third).plus(third).compare(fraction("1")).is_eq());
        assert!(third.times(fraction("-6")).compare(fraction("-2")).is_eq());
        assert!(fraction("0.1").plus(fraction("0.2")).compare(fraction("0.3")).is_eq());
        assert!(fraction("0.5").minus(fraction("0.75")).compare(fraction("-0.25")).is_eq());
        assert!(fraction("-1").over(fraction("-4")).unwrap().compare(fraction("0.25")).is_eq());
        assert!(fraction("7").over(fraction("0")).is_none() && fraction("7").over(fraction("0e0")).is_none());
    }

    #[test]
    fn fractions_are_shown_as_decimals() {
        let third = fraction("1").over(fraction("3")).unwrap();
        let shown = [fraction("-7"), fraction("2.50"), third, fraction("1e0")].map(|number| number.to_string());
        assert_eq!(shown, ["-7", "2.5", "0.333333", "1"]);
    }

    #[test]
    fn the_same_parts_are_more_than_equal() {
        assert!(fraction("0.5").is_same(fraction("0.50")) && fraction("1e0").is_same(fraction("1e0")));
        assert!(fraction("1") == fraction("1e0") && !fraction("1").is_same(fraction("1e0")));
        let least = Fraction::whole(i128::MIN);
        assert!(
            least.minus(least) == Fraction::ZERO
                && least.plus(Fraction::whole(1)).is_same(Fraction::whole(i128::MIN + 1))
        );
    }

    #[test]
    fn great_parts_still_compare_exactly() {
        let great = Fraction::Exact { numerator: i128::MAX, denominator: i128::MAX - 1 };
        let greater = Fraction::Exact { numerator: i128::MAX - 2, denominator: i128::MAX - 3 };
        assert!(great.compare(greater).is_lt() && greater.compare(great).is_gt() && great.compare(great).is_eq());
        let negative = Fraction::Exact { numerator: -i128::MAX, denominator: i128::MAX - 1 };
        assert!(negative.compare(great).is_lt() && negative.compare(Fraction::whole(-1)).is_lt());
        assert!(matches!(great.times(greater), Fraction::Float(_)));
    }

    #[test]
    fn floats_stay_floats() {
        assert!(fraction("1e300").times(fraction("1e300")).compare(fraction("2")).is_gt());
        assert!(fraction("2e0").plus(fraction("1")).compare(fraction("3")).is_eq());
        assert!(fraction("-0e0").compare(fraction("0")).is_eq() && fraction("1").over(fraction("-0e0")).is_none());
    }
}
