// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers that compare by value: 1, 1.0 and 1e0 are one number.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// An exact integer or decimal where it fits, else a float.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Number {
    /// A whole number.
    Int(i64),
    /// `mantissa / 10^scale` with `1 <= scale <= 18`.
    Decimal {
        /// All digits.
        mantissa: i64,
        /// How many of them stand after the point.
        scale: u8,
    },
    /// Everything else; never NaN.
    Float(f64),
}

impl Number {
    /// Reads a JSON-style number (a leading `+` is allowed). `None` if the text is no number.
    pub fn parse(text: &str) -> Option<Number> {
        let bytes = text.as_bytes();
        let unsigned = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
        let whole = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if whole == 0 {
            return None;
        }
        if whole == unsigned.len() {
            return Some(text.parse().map_or_else(|_| Number::float(text), Number::Int));
        }
        let mut rest = &unsigned[whole..];
        let mut scale = 0;
        if let Some(fraction) = rest.strip_prefix(b".") {
            scale = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if scale == 0 {
                return None;
            }
            rest = &fraction[scale..];
        }
        if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
            let digits = exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+")).unwrap_or(exponent);
            let valid = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
            return valid.then(|| Number::float(text));
        }
        if !rest.is_empty() {
            return None;
        }
        Some(Number::decimal(text, scale).unwrap_or_else(|| Number::float(text)))
    }

    fn decimal(text: &str, scale: usize) -> Option<Number> {
        let zeros = text.len() - text.trim_end_matches('0').len();
        let kept = scale - zeros.min(scale);
        let text = &text[..text.len() - (scale - kept)];
        if kept > 18 {
            return None;
        }
        let mut mantissa: i64 = 0;
        for digit in text.bytes().filter(u8::is_ascii_digit) {
            mantissa = mantissa.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        }
        let mantissa = if text.starts_with('-') { -mantissa } else { mantissa };
        Some(if kept == 0 { Number::Int(mantissa) } else { Number::Decimal { mantissa, scale: kept as u8 } })
    }

    fn float(text: &str) -> Number {
        Number::Float(text.parse().unwrap_or(f64::INFINITY))
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Decimal { mantissa, scale } => mantissa as f64 / 10_f64.powi(i32::from(scale)),
            Number::Float(value) => value,
        }
    }

    /// Exact numbers as mantissa and scale.
    pub fn parts(self) -> Option<(i128, u32)> {
        match self {
            Number::Int(value) => Some((i128::from(value), 0)),
            Number::Decimal { mantissa, scale } => Some((i128::from(mantissa), u32::from(scale))),
            Number::Float(_) => None,
        }
    }

    /// The number `mantissa / 10^scale`, in the shortest form; a float where it does not fit.
    pub fn from_parts(mut mantissa: i128, mut scale: u32) -> Number {
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        match (i64::try_from(mantissa), scale) {
            (Ok(value), 0) => Number::Int(value),
            (Ok(mantissa), 1..=18) => Number::Decimal { mantissa, scale: scale as u8 },
            _ => Number::finite(mantissa as f64 / 10_f64.powi(scale as i32)),
        }
    }

    /// A float that is a number: what is none (infinity less infinity) counts as infinite.
    fn finite(value: f64) -> Number {
        Number::Float(if value.is_nan() { f64::INFINITY } else { value })
    }

    /// Both as whole numbers of one power of ten, which is told too.
    fn aligned(self, other: Number) -> Option<(i128, i128, u32)> {
        let ((left, left_scale), (right, right_scale)) = (self.parts()?, other.parts()?);
        // 64 bits times 10^18 fit 128 bits.
        let scale = left_scale.max(right_scale);
        Some((left * 10_i128.pow(scale - left_scale), right * 10_i128.pow(scale - right_scale), scale))
    }

    /// The sum: exact where both are exact and it fits.
    #[must_use]
    pub fn plus(self, other: Number) -> Number {
        match self.aligned(other).and_then(|(left, right, scale)| Some((left.checked_add(right)?, scale))) {
            Some((sum, scale)) => Number::from_parts(sum, scale),
            None => Number::finite(self.to_f64() + other.to_f64()),
        }
    }

    /// The difference: exact where both are exact and it fits.
    #[must_use]
    pub fn minus(self, other: Number) -> Number {
        match self.aligned(other).and_then(|(left, right, scale)| Some((left.checked_sub(right)?, scale))) {
            Some((difference, scale)) => Number::from_parts(difference, scale),
            None => Number::finite(self.to_f64() - other.to_f64()),
        }
    }

    /// The product: exact where both are exact and it fits.
    #[must_use]
    pub fn times(self, other: Number) -> Number {
        match (self.parts(), other.parts()) {
            (Some((left, left_scale)), Some((right, right_scale))) => {
                Number::from_parts(left * right, left_scale + right_scale)
            }
            _ => Number::finite(self.to_f64() * other.to_f64()),
        }
    }

    /// Compares by value: exactly where both are exact.
    pub fn compare(self, other: Number) -> Ordering {
        match self.aligned(other) {
            Some((left, right, _)) => left.cmp(&right),
            None => self.to_f64().total_cmp(&other.to_f64()),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.compare(*other) == Ordering::Equal
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Decimal { mantissa, scale } => {
                let power = 10_u64.pow(u32::from(scale));
                let sign = if mantissa < 0 { "-" } else { "" };
                let digits = mantissa.unsigned_abs();
                write!(f, "{sign}{}.{:0width$}", digits / power, digits % power, width = usize::from(scale))
            }
            Number::Float(value) => write!(f, "{value:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn one_is_one_however_written() {
        for text in ["1", "1.0", "1.000", "+1", "1e0", "10e-1"] {
            assert_eq!(number(text), Number::Int(1), "{text}");
        }
        assert!(number("0.1").compare(number("0.10000000001")).is_lt());
        assert!(number("-0.5").compare(number("-0.25")).is_lt());
        assert!(number("9223372036854775808").compare(number("9223372036854775807")).is_ge());
    }

    #[test]
    fn arithmetic_is_exact_where_it_can_be() {
        assert_eq!(number("0.1").plus(number("0.2")), number("0.3"));
        assert_eq!(number("1.5").plus(number("1.5")).to_string(), "3");
        assert_eq!(number("1").minus(number("0.25")).to_string(), "0.75");
        assert_eq!(number("-1.5").times(number("0.4")).to_string(), "-0.6");
        assert_eq!(Number::Int(i64::MAX).plus(Number::Int(1)), Number::Float(9_223_372_036_854_775_808.0));
        assert_eq!(number("2e0").times(number("3")), Number::Int(6));
    }

    #[test]
    fn texts_that_are_no_numbers() {
        for text in ["", "-", "1.", ".5", "1e", "1e+", "0x1", "1 ", "nan", "inf", "1.2.3", "12a"] {
            assert!(Number::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn printing_keeps_the_value() {
        for text in ["0", "-7", "2.5", "-0.25", "1000000000000000000", "0.000000000000000001"] {
            assert_eq!(number(text).to_string(), text);
        }
    }
}
