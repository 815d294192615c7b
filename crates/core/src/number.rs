// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers that compare by value: 1, 1.0, 1e0 and the float 1.0 are one number.
//!
//! A number has one form only, so that equal numbers are equal in every bit and have equal hashes.
// RULE T9

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fraction::Fraction;

/// The most digits after the decimal point of an exact number.
pub const MAX_PLACES: u32 = 38;

/// The most digits that always fit an unsigned integer of 64 bits.
const FEW: usize = 19;

/// The least float beyond the whole numbers of 128 bits.
const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// A number: exact within 128 bits, else a float.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "NumberForm", into = "NumberForm")]
pub enum Number {
    /// A whole number of 64 bits.
    Int(i64),
    /// `mantissa / 10^scale` with the least scale, which is at most [`MAX_PLACES`]; no [`Number::Int`].
    Decimal {
        /// All digits.
        mantissa: Mantissa,
        /// Number of digits after the decimal point; 0 for a whole number beyond 64 bits.
        scale: u8,
    },
    /// A number that has none of the other forms.
    Float(Float),
}

/// The digits of a decimal. Aligned as its halves, so that a number needs 24 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(Rust, packed(8))]
pub struct Mantissa(i128);

/// A float of at least 2^127, infinite, or with more digits after the decimal point than [`MAX_PLACES`]. Never NaN or a zero.
#[derive(Clone, Copy, Debug)]
pub struct Float(f64);

const _: () = assert!(size_of::<Number>() == 24);

/// Reason why a text has no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberError {
    /// The text is not a number.
    Malformed,
    /// The number needs more than 128 bits.
    OutOfRange,
}

impl NumberError {
    /// The remedy for a number that is out of range.
    pub const HELP: &str = "numbers are exact and have at most 128 bits; write it as a text, or with an exponent (such as \
                            `1.5e300`) if the nearest float will do";
}

impl Number {
    /// Reads a JSON-style number (a leading `+` is allowed).
    // RULE T9
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        let bytes = text.as_bytes();
        let unsigned = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
        let whole = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if whole == 0 {
            return Err(NumberError::Malformed);
        }
        if whole == unsigned.len()
            && let Ok(value) = text.parse()
        {
            return Ok(Number::Int(value));
        }
        let (mut fraction, mut rest) = (&[][..], &unsigned[whole..]);
        if let Some(after) = rest.strip_prefix(b".") {
            let places = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if places == 0 {
                return Err(NumberError::Malformed);
            }
            (fraction, rest) = after.split_at(places);
        }
        let mut exponent = None;
        if let Some(power) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
            let digits = power.strip_prefix(b"-").or_else(|| power.strip_prefix(b"+")).unwrap_or(power);
            if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                return Err(NumberError::Malformed);
            }
            let magnitude = digits.iter().fold(0_i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(1 << 40));
            exponent = Some(if power[0] == b'-' { -magnitude } else { magnitude });
        } else if !rest.is_empty() {
            return Err(NumberError::Malformed);
        }
        let scale = fraction.len() as i64 - exponent.unwrap_or(0);
        let digits = unsigned[..whole].iter().chain(fraction).map(|digit| digit - b'0');
        if let Some(number) = Number::from_digits(digits, scale, bytes[0] == b'-') {
            return Ok(number);
        }
        // Only a number with an exponent may be rounded to the nearest float (RULE T9).
        let float = exponent.and_then(|_| text.parse().ok()).filter(|float: &f64| float.is_finite() && *float != 0.0);
        float.and_then(Number::from_f64).ok_or(NumberError::OutOfRange)
    }

    /// Returns the number with these digits, `scale` of them after the decimal point; `None` if it does not fit.
    fn from_digits(
        digits: impl DoubleEndedIterator<Item = u8> + Clone,
        scale: i64,
        is_negative: bool,
    ) -> Option<Number> {
        let zeros = digits.clone().rev().take_while(|digit| *digit == 0).count();
        let count = digits.clone().count() - zeros;
        let mut digits = digits.take(count);
        let few = digits.by_ref().take(FEW).fold(0_u64, |sum, digit| sum * 10 + u64::from(digit));
        let mut magnitude = u128::from(few);
        for digit in digits {
            magnitude = magnitude.checked_mul(10)?.checked_add(digit.into())?;
        }
        if magnitude == 0 {
            return Some(Number::Int(0));
        }
        let scale = scale - zeros as i64;
        if scale < 0 {
            let power = u32::try_from(-scale).ok().and_then(|power| 10_u128.checked_pow(power))?;
            magnitude = magnitude.checked_mul(power)?;
        }
        let mantissa = signed(magnitude, is_negative)?;
        Number::from_parts(mantissa, u32::try_from(scale.max(0)).ok()?)
    }

    /// Returns the number `mantissa / 10^scale`; `None` if it has too many digits after the decimal point.
    pub fn from_parts(mut mantissa: i128, mut scale: u32) -> Option<Number> {
        while scale > 0 && i64::try_from(mantissa).is_err() && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        // Most have 64 bits, which are divided faster.
        if let Ok(mut small) = i64::try_from(mantissa) {
            while scale > 0 && small % 10 == 0 {
                if small == 0 {
                    return Some(Number::Int(0));
                }
                small /= 10;
                scale -= 1;
            }
            if scale == 0 {
                return Some(Number::Int(small));
            }
            mantissa = small.into();
        }
        (scale <= MAX_PLACES).then_some(Number::Decimal { mantissa: Mantissa(mantissa), scale: scale as u8 })
    }

    /// Returns the number that a float stands for: a whole number is itself, any other the shortest decimal that is read as
    /// this float. `None` for NaN.
    // RULE T9
    #[inline]
    pub fn from_f64(value: f64) -> Option<Number> {
        /// Below this every whole number is a distinct float.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        /// The number of decimal places that are tried before the float is printed and parsed.
        const PLACES: u32 = 9;
        let mut power = 1.0;
        for scale in 0..=PLACES {
            let digits = (value * power).round();
            // NaN too.
            if digits.abs() >= EXACT || value.is_nan() {
                break;
            }
            // Both operands are exact, so the quotient is the float nearest to the decimal: the one that the decimal is
            // read as.
            #[expect(clippy::float_cmp, reason = "the very float is asked for")]
            if digits / power == value {
                return Number::from_parts(digits as i128, scale);
            }
            power *= 10.0;
        }
        Number::from_rare_f64(value)
    }

    #[inline(never)]
    fn from_rare_f64(value: f64) -> Option<Number> {
        if value.is_nan() {
            return None;
        }
        if value.fract() == 0.0 && (-BEYOND..BEYOND).contains(&value) {
            return Some(Number::from(value as i128));
        }
        if value.abs() >= BEYOND {
            return Some(Number::Float(Float(value)));
        }
        Some(Number::shortest(&format!("{value:e}")).unwrap_or(Number::Float(Float(value))))
    }

    /// Returns the number that a float of 32 bits stands for; see [`Number::from_f64`].
    pub fn from_f32(value: f32) -> Option<Number> {
        // Widened to 64 bits, a fraction would get digits that were not written: 0.1 becomes 0.10000000149.
        let decimal = if value.fract() == 0.0 { None } else { Number::shortest(&format!("{value:e}")) };
        decimal.or_else(|| Number::from_f64(value.into()))
    }

    /// Returns the exact number that a float is printed as with an exponent; `None` if there is none.
    fn shortest(printed: &str) -> Option<Number> {
        let (digits, exponent) = decimal_digits(printed)?;
        match u32::try_from(-exponent) {
            Ok(scale) => Number::from_parts(digits, scale),
            Err(_) => None,
        }
    }

    /// Returns the nearest float.
    pub fn to_f64(self) -> f64 {
        const EXACT: u128 = 1 << 53;
        match self {
            Number::Int(value) => value as f64,
            Number::Decimal { mantissa: Mantissa(mantissa), scale: 0 } => mantissa as f64,
            Number::Decimal { mantissa: Mantissa(mantissa), scale } => {
                // Both are exact, so the quotient is rounded once.
                if { mantissa }.unsigned_abs() <= EXACT && scale <= 22 {
                    return mantissa as f64 / 10_f64.powi(scale.into());
                }
                format!("{mantissa}e-{scale}").parse().unwrap_or(f64::INFINITY)
            }
            Number::Float(Float(value)) => value,
        }
    }

    /// Returns an exact number as mantissa and scale.
    #[inline]
    pub fn parts(self) -> Option<(i128, u32)> {
        match self {
            Number::Int(value) => Some((i128::from(value), 0)),
            Number::Decimal { mantissa, scale } => Some((mantissa.0, u32::from(scale))),
            Number::Float(_) => None,
        }
    }

    /// Returns true for a finite number without a fraction.
    pub fn is_whole(self) -> bool {
        match self {
            Number::Int(_) => true,
            Number::Decimal { scale, .. } => scale == 0,
            Number::Float(Float(value)) => value.is_finite() && value.fract() == 0.0,
        }
    }

    /// Returns false for the infinite ones.
    pub fn is_finite(self) -> bool {
        !matches!(self, Number::Float(Float(value)) if value.is_infinite())
    }

    /// The sum; `None` if it is not finite or does not fit.
    #[must_use]
    pub fn plus(self, other: Number) -> Option<Number> {
        if let (Number::Int(left), Number::Int(right)) = (self, other) {
            return Some(Number::from(i128::from(left) + i128::from(right)));
        }
        Fraction::from(self).plus(Fraction::from(other))?.to_number()
    }

    /// The difference; `None` if it is not finite or does not fit.
    #[must_use]
    pub fn minus(self, other: Number) -> Option<Number> {
        if let (Number::Int(left), Number::Int(right)) = (self, other) {
            return Some(Number::from(i128::from(left) - i128::from(right)));
        }
        Fraction::from(self).minus(Fraction::from(other))?.to_number()
    }

    /// The product; `None` if it is not finite or does not fit.
    #[must_use]
    pub fn times(self, other: Number) -> Option<Number> {
        if let (Number::Int(left), Number::Int(right)) = (self, other) {
            return Some(Number::from(i128::from(left) * i128::from(right)));
        }
        Fraction::from(self).times(Fraction::from(other))?.to_number()
    }
}

impl From<i128> for Number {
    #[inline]
    fn from(number: i128) -> Number {
        match i64::try_from(number) {
            Ok(whole) => Number::Int(whole),
            Err(_) => Number::Decimal { mantissa: Mantissa(number), scale: 0 },
        }
    }
}

impl Ord for Number {
    /// Compares by value.
    #[inline]
    fn cmp(&self, other: &Number) -> Ordering {
        match (*self, *other) {
            (Number::Int(left), Number::Int(right)) => left.cmp(&right),
            (left, right) => compare(left, right),
        }
    }
}

fn compare(left: Number, right: Number) -> Ordering {
    if let (Some((left, left_scale)), Some((right, right_scale))) = (left.parts(), right.parts()) {
        let scale = left_scale.max(right_scale);
        let aligned = |mantissa: i128, own: u32| mantissa.checked_mul(10_i128.pow(scale - own));
        if let (Some(left), Some(right)) = (aligned(left, left_scale), aligned(right, right_scale)) {
            return left.cmp(&right);
        }
    }
    Fraction::from(left).compare(Fraction::from(right))
}

impl PartialOrd for Number {
    #[inline]
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Float) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Float {}

impl std::hash::Hash for Float {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Returns the digits of a float that was printed with an exponent, and the power of ten that they count.
pub(crate) fn decimal_digits(printed: &str) -> Option<(i128, i32)> {
    let (digits, exponent) = printed.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let places = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let mantissa: i128 = digits.replace('.', "").parse().ok()?;
    Some((mantissa, exponent - i32::try_from(places).ok()?))
}

fn signed(magnitude: u128, is_negative: bool) -> Option<i128> {
    if is_negative { 0_i128.checked_sub_unsigned(magnitude) } else { i128::try_from(magnitude).ok() }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Decimal { mantissa, scale: 0 } => write!(f, "{}", { mantissa.0 }),
            Number::Decimal { mantissa, scale } => {
                let power = 10_u128.pow(u32::from(scale));
                let sign = if mantissa.0 < 0 { "-" } else { "" };
                let digits = mantissa.0.unsigned_abs();
                write!(f, "{sign}{}.{:0width$}", digits / power, digits % power, width = usize::from(scale))
            }
            // Its shortest decimal is a number of 128 bits, and so another one.
            Number::Float(Float(value)) if value == BEYOND => write!(f, "{value:.17e}"),
            Number::Float(Float(value)) => write!(f, "{value:?}"),
        }
    }
}

/// A number as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Number")]
enum NumberForm {
    Int(i64),
    Decimal(i128, u8),
    Float(f64),
}

impl From<Number> for NumberForm {
    fn from(number: Number) -> NumberForm {
        match number {
            Number::Int(value) => NumberForm::Int(value),
            Number::Decimal { mantissa, scale } => NumberForm::Decimal(mantissa.0, scale),
            Number::Float(Float(value)) => NumberForm::Float(value),
        }
    }
}

impl From<NumberForm> for Number {
    /// Normalises a stored form; damaged data still yields a valid number.
    fn from(form: NumberForm) -> Number {
        match form {
            NumberForm::Int(value) => Number::Int(value),
            NumberForm::Decimal(mantissa, scale) => {
                Number::from_parts(mantissa, scale.into()).unwrap_or(Number::Int(0))
            }
            NumberForm::Float(value) => Number::from_f64(value).unwrap_or(Number::Int(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    fn hash(number: Number) -> u64 {
        let mut hasher = DefaultHasher::new();
        number.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn one_is_one_however_written() {
        for text in ["1", "1.0", "1.000", "+1", "1e0", "10e-1", "0.01E+2", "100000000000000000000e-20"] {
            assert_eq!(number(text), Number::Int(1), "{text}");
        }
        for text in ["0", "-0", "-0.0", "0e0", "-0e0", "0e999", "0.000e-999", "00"] {
            assert_eq!(number(text), Number::Int(0), "{text}");
        }
        for value in [0.0, -0.0] {
            assert_eq!(Number::from_f64(value), Some(Number::Int(0)));
        }
        assert_eq!(number("9.007199254740992e15"), Number::Int(9_007_199_254_740_992));
        assert_eq!(number("2.50"), number("25e-1"));
        assert_eq!(number("-1e30").to_string(), format!("-1{}", "0".repeat(30)));
    }

    /// Texts in the order of their values, each value in several spellings.
    const ORDERED: &[&[&str]] = &[
        &["-1.7976931348623157e308"],
        &["-170141183460469231731687303715884105728"],
        &["-1e38", "-100000000000000000000000000000000000000", "-100000000000000000000000000000000000000.000"],
        &["-9223372036854775809"],
        &["-9223372036854775808", "-9223372036854775808.0"],
        &["-2.5", "-25e-1", "-2.500"],
        &["-1.2345678901234567e-38"],
        &["-1e-38", "-0.00000000000000000000000000000000000001"],
        &["-1e-300"],
        &["0", "-0e7", "0.0"],
        &["5e-324"],
        &["1.2345678901234567e-38"],
        &["2e-38"],
        &["2.0000000000000001e-38"],
        &["0.1", "1e-1", "0.10"],
        &["0.10000000000000000000000000000000000001"],
        &["1", "1e0"],
        &["9007199254740991"],
        &["9007199254740992", "9.007199254740992e15", "9007199254740992.0"],
        &["9007199254740993", "9.007199254740993e15"],
        &["9007199254740993.5"],
        &["9223372036854775807"],
        &["9223372036854775808", "9.223372036854775808e18"],
        &["18446744073709551615"],
        &["18446744073709551616"],
        &["16000000000000000000000000000000000000.1", "160000000000000000000000000000000000001e-1"],
        &["20000000000000000000000000000000000000"],
        &["170141183460469231731687303715884105727"],
        &["1.7014118346046924e38"],
        &["1e300", "10e299"],
        &["1.7976931348623157e308"],
    ];

    #[test]
    fn numbers_are_totally_ordered_and_equal_ones_have_one_form() {
        for (left_rank, left_texts) in ORDERED.iter().enumerate() {
            for (right_rank, right_texts) in ORDERED.iter().enumerate() {
                for (left, right) in
                    left_texts.iter().flat_map(|left| right_texts.iter().map(move |right| (left, right)))
                {
                    let (one, other) = (number(left), number(right));
                    assert_eq!(one.cmp(&other), left_rank.cmp(&right_rank), "{left} and {right}");
                    assert_eq!(one == other, left_rank == right_rank, "{left} and {right}");
                    if one == other {
                        assert_eq!(
                            (hash(one), one.to_string()),
                            (hash(other), other.to_string()),
                            "{left} and {right}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn printing_and_storing_keep_the_value() {
        for text in ORDERED.iter().copied().flatten() {
            let known = number(text);
            assert_eq!(number(&known.to_string()), known, "{text}");
            let form: Number = NumberForm::from(known).into();
            assert_eq!(form, known, "{text}");
        }
        for text in ["0", "-7", "2.5", "-0.25", "1000000000000000000", "0.000000000000000001", "1e300", "5e-324"] {
            assert_eq!(number(text).to_string(), text);
        }
        assert_eq!(Number::from(NumberForm::Decimal(100, 2)), Number::Int(1));
        assert_eq!(Number::from(NumberForm::Decimal(1, 255)), Number::Int(0));
    }

    #[test]
    fn a_whole_float_is_itself_and_a_fraction_is_what_it_prints_as() {
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
            "1234567.0000001",
            "1e300",
            "-1e-300",
            "4.35",
            "1.005",
            "5e-324",
            "1.5e-30",
        ] {
            let value: f64 = text.parse().unwrap();
            assert_eq!(Number::from_f64(value), Some(number(text)), "{text}");
        }
        let two_to = |power: i32| Number::from_f64(2_f64.powi(power)).unwrap();
        assert_eq!(two_to(53), Number::Int(1 << 53));
        assert_eq!(two_to(64), Number::from(1 << 64));
        assert_eq!(two_to(126), Number::from(1 << 126));
        assert!(matches!(two_to(127), Number::Float(_)) && two_to(127) > Number::from(i128::MAX));
        assert_eq!(Number::from_f64(-(2_f64.powi(127))), Some(Number::from(i128::MIN)));
        assert_eq!(Number::from_f64(1e23), Some(Number::from(99_999_999_999_999_991_611_392)));
        assert_eq!(Number::from_f64(f64::NAN), None);
        assert!(Number::from_f64(f64::INFINITY) > Some(number("1e308")));
        assert!(Number::from_f64(f64::NEG_INFINITY) < Some(number("-1e308")));
        assert_eq!(Number::from_f32(0.1), Some(number("0.1")));
        assert_eq!(Number::from_f32(16_777_216.0), Some(Number::Int(1 << 24)));
        assert_eq!(Number::from_f32(1e-40).map(Number::to_f64), Some(f64::from(1e-40_f32)));
        assert_eq!(Number::from_f32(f32::NAN), None);
    }

    #[test]
    fn floats_keep_their_order() {
        let mut floats: Vec<f64> = vec![0.0, f64::INFINITY, f64::NEG_INFINITY];
        for power in -1074..1024 {
            let value = 2_f64.powi(power);
            floats.extend([value, value.next_up(), value.next_down(), -value, value * 1.1, value / 3.0]);
        }
        floats.sort_by(f64::total_cmp);
        floats.dedup();
        let numbers: Vec<Number> = floats.iter().map(|value| Number::from_f64(*value).unwrap()).collect();
        assert!(numbers.is_sorted_by(|left, right| left < right));
        for (value, number) in floats.iter().zip(&numbers) {
            assert_eq!(number.to_f64().to_bits(), (value + 0.0).to_bits(), "{value}");
        }
    }

    #[test]
    fn arithmetic_is_exact_or_undefined() {
        let of = |text: &str| number(text);
        assert_eq!(of("0.1").plus(of("0.2")), Some(of("0.3")));
        assert_eq!(of("1.5").plus(of("1.5")), Some(of("3")));
        assert_eq!(of("1").minus(of("0.25")), Some(of("0.75")));
        assert_eq!(of("-1.5").times(of("0.4")), Some(of("-0.6")));
        assert_eq!(of("9223372036854775807").plus(of("1")), Some(of("9223372036854775808")));
        assert_eq!(of("-9223372036854775808").times(of("-1")), Some(of("9223372036854775808")));
        assert_eq!(
            of("2e37").minus(of("16000000000000000000000000000000000000.1")),
            Some(of("3999999999999999999999999999999999999.9"))
        );
        assert_eq!(of("2.5").times(of("40000000000000000000000000000000000000")), Some(of("1e38")));
        assert_eq!(Number::from(i128::MAX).plus(of("1")), None);
        assert_eq!(Number::from(i128::MIN).minus(of("1")), None);
        assert_eq!(of("0").minus(Number::from(i128::MIN)), None);
        assert_eq!(Number::from(i128::MIN).plus(Number::from(i128::MAX)), Some(of("-1")));
        assert_eq!(of("1e-38").times(of("0.1")), None);
        assert_eq!(of("1e300").times(of("1e300")), None);
        assert_eq!(of("1e300").minus(of("1e300")), Some(of("0")));
        assert_eq!(of("1e300").plus(of("1")), Some(of("1e300")));
        let infinite = Number::from_f64(f64::INFINITY).unwrap();
        assert_eq!(infinite.minus(infinite), None);
        assert!(
            !infinite.is_finite()
                && !infinite.is_whole()
                && of("1e300").is_whole()
                && !of("9007199254740993.5").is_whole()
        );
    }

    #[test]
    fn texts_that_are_no_numbers() {
        for text in
            ["", "-", "1.", ".5", "1e", "1e+", "0x1", "1 ", "nan", "inf", "1.2.3", "12a", "1e5x", "--1", "1e1.5"]
        {
            assert_eq!(Number::parse(text), Err(NumberError::Malformed), "{text:?}");
        }
        for text in [
            "170141183460469231731687303715884105728",
            "-170141183460469231731687303715884105729",
            "0.123456789012345678901234567890123456789",
            "1e309",
            "-1e999999999999999999999",
            "1e-400",
        ] {
            assert_eq!(Number::parse(text), Err(NumberError::OutOfRange), "{text:?}");
        }
        assert_eq!(number("0.123456789012345678901234567890123456789e0"), number("0.12345678901234568"));
    }
}
