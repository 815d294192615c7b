// SPDX-License-Identifier: MIT OR Apache-2.0
//! Integers of 1280 bits, for sums and products of numbers.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

const LIMBS: usize = 20;

/// A whole number of 1280 bits, as two's complement with the lowest limb first. Every finite float is one, in units of 10^-340 or of 1,
/// and so are sums and products of a few of 128 bits. Operations wrap around.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct WideInteger([u64; LIMBS]);

impl WideInteger {
    /// The sum.
    #[must_use]
    pub fn plus(self, other: WideInteger) -> WideInteger {
        let mut sum = self;
        let mut carry = false;
        for (limb, added) in sum.0.iter_mut().zip(other.0) {
            let (partial, first) = limb.overflowing_add(added);
            let (total, second) = partial.overflowing_add(u64::from(carry));
            (*limb, carry) = (total, first || second);
        }
        sum
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, other: WideInteger) -> WideInteger {
        self.plus(other.negated())
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> WideInteger {
        WideInteger(self.0.map(|limb| !limb)).plus(WideInteger::from(1))
    }

    /// The product with a number of 128 bits.
    #[must_use]
    pub fn times(self, factor: i128) -> WideInteger {
        let magnitude = factor.unsigned_abs();
        let mut product = self.times_limb(magnitude as u64);
        let mut high = self.times_limb((magnitude >> 64) as u64).0;
        high.rotate_right(1);
        high[0] = 0;
        product = product.plus(WideInteger(high));
        if factor < 0 { product.negated() } else { product }
    }

    fn times_limb(self, factor: u64) -> WideInteger {
        let mut product = self;
        let mut carry = 0;
        for limb in &mut product.0 {
            let wide = u128::from(*limb) * u128::from(factor) + u128::from(carry);
            (*limb, carry) = (wide as u64, (wide >> 64) as u64);
        }
        product
    }

    /// Returns true if the number is less than zero.
    pub fn is_negative(self) -> bool {
        self.0[LIMBS - 1] >> 63 == 1
    }

    /// The absolute value.
    #[must_use]
    pub fn magnitude(self) -> WideInteger {
        if self.is_negative() { self.negated() } else { self }
    }

    /// The quotient and the remainder of the absolute value, with the sign of the number on the quotient. `divisor` is positive and at most 2^127.
    #[must_use]
    pub fn divided_by(self, divisor: u128) -> (WideInteger, u128) {
        let mut quotient = [0; LIMBS];
        let mut rest: u128 = 0;
        for (index, limb) in self.magnitude().0.iter().enumerate().rev() {
            for bit in (0..64).rev() {
                rest = rest << 1 | u128::from(limb >> bit & 1);
                if rest >= divisor {
                    rest -= divisor;
                    quotient[index] |= 1 << bit;
                }
            }
        }
        let quotient = WideInteger(quotient);
        (if self.is_negative() { quotient.negated() } else { quotient }, rest)
    }

    /// The number, if it fits 128 bits.
    pub fn to_i128(self) -> Option<i128> {
        let low = (u128::from(self.0[1]) << 64 | u128::from(self.0[0])).cast_signed();
        (WideInteger::from(low) == self).then_some(low)
    }
}

impl From<i128> for WideInteger {
    fn from(number: i128) -> WideInteger {
        let mut limbs = [if number < 0 { u64::MAX } else { 0 }; LIMBS];
        limbs[0] = number as u64;
        limbs[1] = (number >> 64) as u64;
        WideInteger(limbs)
    }
}

impl Ord for WideInteger {
    fn cmp(&self, other: &WideInteger) -> Ordering {
        other.is_negative().cmp(&self.is_negative()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for WideInteger {
    fn partial_cmp(&self, other: &WideInteger) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for WideInteger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const GROUP: u128 = 10_000_000_000_000_000_000;
        let mut groups = Vec::new();
        let mut rest = self.magnitude();
        loop {
            let (quotient, group) = rest.divided_by(GROUP);
            groups.push(group);
            rest = quotient;
            if rest == WideInteger::default() {
                break;
            }
        }
        let mut digits = groups.pop().unwrap_or_default().to_string();
        for group in groups.iter().rev() {
            let _ = write!(digits, "{group:019}");
        }
        f.pad_integral(!self.is_negative(), "", &digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [i128; 11] = [
        0,
        1,
        -1,
        10,
        -7,
        1 << 64,
        -(1 << 64),
        (1 << 64) - 1,
        i128::MAX,
        i128::MIN,
        -99_999_999_999_999_999_999_999_999_999,
    ];

    #[test]
    fn sums_products_and_orders_agree_with_those_of_128_bits() {
        for left in SAMPLES {
            for right in SAMPLES {
                let (one, other) = (WideInteger::from(left), WideInteger::from(right));
                assert_eq!(one.plus(other).to_i128(), left.checked_add(right));
                assert_eq!(one.minus(other).to_i128(), left.checked_sub(right));
                assert_eq!(one.times(right).to_i128(), left.checked_mul(right));
                assert_eq!(one.cmp(&other), left.cmp(&right));
                assert_eq!(one.times(right), other.times(left));
            }
            assert_eq!(WideInteger::from(left).to_string(), left.to_string());
        }
    }

    #[test]
    fn a_product_divided_by_a_factor_is_the_other_factor() {
        for left in SAMPLES {
            for right in [1, 2, 3, 10, 1 << 64, i128::MAX] {
                let product = WideInteger::from(left).times(right).times(right);
                let (quotient, rest) = product.divided_by(right.unsigned_abs());
                assert_eq!((quotient.divided_by(right.unsigned_abs()).0.to_i128(), rest), (Some(left), 0));
            }
        }
        let (quotient, rest) = WideInteger::from(-17).divided_by(5);
        assert_eq!((quotient.to_i128(), rest), (Some(-3), 2));
        let great = WideInteger::from(i128::MAX).times(i128::MAX);
        assert_eq!(great.to_string(), "28948022309329048855892746252171976962977213799489202546401021394546514198529");
        assert_eq!(great.negated().to_string(), format!("-{great}"));
    }
}
