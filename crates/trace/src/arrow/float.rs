// SPDX-License-Identifier: MIT OR Apache-2.0
//! Floats as the numbers that they print as, so that a column of floats says what its text form would.

use gnomon_core::number::Number;

/// Below this every whole number is a float of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// How many places after the point are tried before the long way.
const PLACES: u8 = 9;

/// The number that a float prints as; `None` if it is not a number.
#[inline]
pub(crate) fn number(value: f64) -> Option<Number> {
    if value.is_nan() {
        return None;
    }
    let mut power = 1.0;
    for scale in 0..=PLACES {
        let digits = (value * power).round();
        if digits.abs() >= EXACT {
            break;
        }
        // Both sides are exact, so the quotient is the float nearest to the decimal: the one that it is read as.
        #[expect(clippy::float_cmp, reason = "the very float is asked for")]
        if digits / power == value {
            let mantissa = digits as i64;
            return Some(if scale == 0 { Number::Int(mantissa) } else { Number::Decimal { mantissa, scale } });
        }
        power *= 10.0;
    }
    Some(printed(value))
}

/// The long way.
#[inline(never)]
fn printed(value: f64) -> Number {
    Number::parse(&value.to_string()).unwrap_or(Number::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_what_it_prints_as() {
        for text in [
            "0",
            "1",
            "-7",
            "0.1",
            "0.25",
            "-2.5",
            "120.05",
            "0.3",
            "123456.789",
            "0.000000001",
            "0.30000000000000004",
            "0.0000000000123",
            "9007199254740993",
            "1234567.0000001",
            "1e300",
            "-1e-300",
            "4.35",
            "1.005",
        ] {
            let value: f64 = text.parse().unwrap();
            let expected = Number::parse(&value.to_string()).unwrap();
            assert_eq!(number(value), Some(expected), "{text}");
            assert_eq!(number(value).unwrap().to_string(), expected.to_string(), "{text}");
        }
        assert_eq!(number(-0.0), Some(Number::Int(0)));
        assert_eq!(number(f64::NAN), None);
        assert_eq!(number(f64::INFINITY).map(Number::to_f64), Some(f64::INFINITY));
        assert_eq!(number(f64::NEG_INFINITY).map(Number::to_f64), Some(f64::NEG_INFINITY));
    }
}
