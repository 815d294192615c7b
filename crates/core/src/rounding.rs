// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rounds numbers for people: reports as text and HTML, and explanations. JSON has all digits.
//!
//! A number with at most three digits after the point stays as it is. A longer one is rounded to three significant digits; digits
//! before the point are never dropped: `33.333333333` is printed as `33.3`, `0.00123456` as `0.00123`, `1234.56789` as `1235`.

use std::cmp::Ordering;

use crate::fraction::Fraction;
use crate::number::Number;

/// Number of digits after the point up to which a number is not rounded.
const KEPT: usize = 3;
/// Number of significant digits of a rounded number.
const SIGNIFICANT: usize = 3;

/// Rounds a decimal for people; other texts stay as they are.
pub fn rounded(decimal: &str) -> String {
    round_to(decimal, SIGNIFICANT).unwrap_or_else(|| decimal.to_owned())
}

/// Rounds a decimal that is shown beside another one, such as the limit that it exceeds, so that the greater of the two still looks
/// greater.
pub fn rounded_beside(decimal: &str, other: &str) -> String {
    let order = compare(decimal, other);
    for digits in SIGNIFICANT..decimal.len() {
        match round_to(decimal, digits) {
            Some(rounded) if compare(&rounded, other) == order => return rounded,
            Some(_) => {}
            None => break,
        }
    }
    decimal.to_owned()
}

fn compare(left: &str, right: &str) -> Option<Ordering> {
    let number = |text| Some(Fraction::from(Number::parse(text).ok()?));
    Some(number(left)?.compare(number(right)?))
}

/// Rounds to this many significant digits; `None` if the text is not a decimal that needs it.
fn round_to(decimal: &str, significant: usize) -> Option<String> {
    let (sign, digits) = decimal.strip_prefix('-').map_or(("", decimal), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.')?;
    let is_decimal = !whole.is_empty() && whole.bytes().chain(fraction.bytes()).all(|digit| digit.is_ascii_digit());
    if !is_decimal || fraction.len() <= KEPT {
        return None;
    }
    let places = match whole.trim_start_matches('0').len() {
        0 => significant + fraction.bytes().take_while(|digit| *digit == b'0').count(),
        before => significant.saturating_sub(before),
    };
    if places >= fraction.len() {
        return None;
    }
    let (kept, dropped) = fraction.split_at(places);
    let mut shown: Vec<u8> = whole.bytes().chain(kept.bytes()).collect();
    if dropped.as_bytes()[0] >= b'5' {
        let nines = shown.iter().rev().take_while(|digit| **digit == b'9').count();
        let end = shown.len();
        shown[end - nines..].fill(b'0');
        match shown[..end - nines].last_mut() {
            Some(digit) => *digit += 1,
            None => shown.insert(0, b'1'),
        }
    }
    let mut text: String = shown.into_iter().map(char::from).collect();
    text.insert(text.len() - places, '.');
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let sign = if text == "0" { "" } else { sign };
    Some(format!("{sign}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let expected = [
            ("33.333333333", "33.3"),
            ("31.896551724", "31.9"),
            ("0.00123456", "0.00123"),
            ("0.0009996", "0.001"),
            ("9.9999", "10"),
            ("99.9501", "100"),
            ("999.5001", "1000"),
            ("1234.56789", "1235"),
            ("-2.5538", "-2.55"),
            ("2.0001", "2"),
            ("0.99999", "1"),
            // Short enough as they are, or not decimals.
            ("31.25", "31.25"),
            ("1250.755", "1250.755"),
            ("7", "7"),
            ("1e-7", "1e-7"),
            ("inf", "inf"),
            ("2026-11-16T11:42:20.123456Z", "2026-11-16T11:42:20.123456Z"),
        ];
        for (decimal, text) in expected {
            assert_eq!(rounded(decimal), text, "{decimal}");
        }
    }

    #[test]
    fn a_number_beside_its_limit_stays_on_its_side() {
        let expected = [
            (("61.233333", "50"), "61.2"),
            (("50.000012", "50"), "50.00001"),
            (("49.99996", "50"), "49.99996"),
            (("10.12349", "10.12345"), "10.1235"),
            (("0.33333333", "0.3333"), "0.33333"),
            (("50.0000", "50"), "50"),
            (("12.3456", "many"), "12.3"),
        ];
        for ((decimal, other), text) in expected {
            assert_eq!(rounded_beside(decimal, other), text, "{decimal} beside {other}");
        }
    }
}
