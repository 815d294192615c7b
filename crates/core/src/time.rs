// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exact time: timestamps and durations in integer ticks, and the clock that converts a trace's numbers to them.
//!
//! Verdicts depend on comparisons such as `t(j) - t(i) <= 0.1 s`. In floating point `0.3 - 0.2 <= 0.1` is true or false by
//! rounding, so all times are integers.
//!
//! # Ticks
//!
//! One tick is a nanosecond where the unit of the trace is known (declared, or date-times), otherwise 10⁻⁹ of the trace's
//! own unit. Examples:
//!
//! ```text
//! time ts in ms    row 12.5        12_500_000 ticks     constant 2s      2_000_000_000 ticks
//! no unit          row 12.5    12_500_000_000 ticks     constant 2       2_000_000_000 ticks
//! ```
//!
//! Without a unit, a constant `2s` cannot be converted; such a spec only fits traces with date-times.
//!
//! # Invariants
//!
//! - A number is either read exactly or refused: finer than a tick is [`TimeError::TooFine`], a whole part beyond 64 bits is
//!   [`TimeError::TooLarge`]. Nothing is rounded.
//! - Nothing that can be read overflows. A whole part has 63 bits, the largest unit (a day) has 86 400 · 10⁹ < 2⁴⁷ ticks, so
//!   a timestamp has at most 110 of 127 bits, and differences of two timestamps fit too. Only [`Timestamp::MAX`] and
//!   constants of a spec need saturating operations.
//! - Open ends of intervals become closed ends one tick further in ([`crate::interval`]), so engines compare with `<=` only.

use std::fmt;
use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// Ticks in one undeclared unit; also the finest fraction that a number may have.
pub const TICKS_PER_BARE_UNIT: i128 = 1_000_000_000;

/// A point in time, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Timestamp(i128);

/// A signed distance between two points in time, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Duration(i128);

impl Timestamp {
    /// Later than every time that can be read.
    pub const MAX: Timestamp = Timestamp(i128::MAX);
    /// Earlier than every time that can be read.
    pub const MIN: Timestamp = Timestamp(i128::MIN);

    /// The timestamp this many ticks after the origin.
    pub const fn from_ticks(ticks: i128) -> Self {
        Timestamp(ticks)
    }

    /// Ticks since the origin.
    pub const fn ticks(self) -> i128 {
        self.0
    }

    /// `self + by`, stopping at [`Timestamp::MAX`].
    #[must_use]
    pub const fn saturating_add(self, by: Duration) -> Self {
        Timestamp(self.0.saturating_add(by.0))
    }

    /// `self - by`, stopping at [`Timestamp::MIN`].
    #[must_use]
    pub const fn saturating_sub(self, by: Duration) -> Self {
        Timestamp(self.0.saturating_sub(by.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// Longer than the distance between any two times that can be read.
    pub const MAX: Duration = Duration(i128::MAX);

    /// The duration of this many ticks.
    pub const fn from_ticks(ticks: i128) -> Self {
        Duration(ticks)
    }

    /// Returns the length in ticks.
    pub const fn ticks(self) -> i128 {
        self.0
    }

    /// Prints a number of nanoseconds exactly, in the longest unit in which it is whole, or in seconds: `1 h`, `90 min`, `96 s`,
    /// `0.5 s`.
    pub fn print_whole(self) -> String {
        let units = [("d", Unit::Day), ("h", Unit::Hour), ("min", Unit::Minute)];
        let fitting =
            units.into_iter().find(|(_, unit)| self.0 >= unit.nanoseconds() && self.0 % unit.nanoseconds() == 0);
        let (symbol, unit) = fitting.unwrap_or(("s", Unit::Second));
        format!("{} {symbol}", Clock::new(Some(unit)).print_duration(self))
    }
}

impl Sub for Timestamp {
    type Output = Duration;
    #[inline]
    fn sub(self, other: Timestamp) -> Duration {
        Duration(self.0 - other.0)
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;
    #[inline]
    fn add(self, by: Duration) -> Timestamp {
        Timestamp(self.0 + by.0)
    }
}

crate::words! {
    /// A unit of time, as it may be written after a constant or in a `time` declaration.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum Unit as symbol {
        /// `ns`
        Nanosecond = "ns",
        /// `us`
        Microsecond = "us",
        /// `ms`
        Millisecond = "ms",
        /// `s`
        Second = "s",
        /// `m`
        Minute = "m",
        /// `h`
        Hour = "h",
        /// `D`
        Day = "D",
    }
}

impl Unit {
    /// Returns the length of the unit in nanoseconds.
    #[inline]
    pub const fn nanoseconds(self) -> i128 {
        match self {
            Unit::Nanosecond => 1,
            Unit::Microsecond => 1_000,
            Unit::Millisecond => 1_000_000,
            Unit::Second => 1_000_000_000,
            Unit::Minute => 60 * 1_000_000_000,
            Unit::Hour => 3_600 * 1_000_000_000,
            Unit::Day => 86_400 * 1_000_000_000,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// An amount of time as a spec writes it: an exact decimal with or without a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Quantity {
    /// The number times 10⁹.
    pub billionths: i128,
    /// The unit, if one is written.
    pub unit: Option<Unit>,
}

impl Quantity {
    /// A whole number without a unit.
    pub const fn whole(number: i64) -> Self {
        Quantity { billionths: number as i128 * TICKS_PER_BARE_UNIT, unit: None }
    }

    /// Reads `5`, `0.5` or `500ms`, as a person types it outside a spec; otherwise says what is wrong.
    pub fn read(text: &str) -> Result<Quantity, String> {
        let split = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let unit = match unit {
            "" => None,
            unit => Some(Unit::parse(unit).ok_or_else(|| {
                let known: Vec<&str> = Unit::ALL.iter().map(|unit| unit.symbol()).collect();
                format!("unknown unit `{unit}`; write one of {}", known.join(" "))
            })?),
        };
        match parse_scaled(number, TICKS_PER_BARE_UNIT) {
            Ok(billionths) if billionths >= 0 => Ok(Quantity { billionths, unit }),
            Ok(_) => Err("an amount of time cannot be negative".to_owned()),
            Err(error) => {
                Err(format!("`{number}` is not an amount of time ({error}); write a number such as 5 or 500ms"))
            }
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_billionths(self.billionths))?;
        self.unit.map_or(Ok(()), |unit| f.write_str(unit.symbol()))
    }
}

/// The trace's unit: turns its numbers and a spec's constants into ticks and back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Clock {
    /// The declared unit of a bare number.
    pub unit: Option<Unit>,
}

/// Representation of a trace's times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum TimeKind {
    /// Numbers in the trace's unit.
    #[default]
    Number,
    /// ISO-8601 date-times.
    DateTime,
    /// The trace has no time field: the place of an event, from 0, is its time.
    Position,
}

/// Reason why a text cannot be read as a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeError {
    /// Neither a number nor a date-time in one of the usual notations.
    NotATime,
    /// A date such as `05/06/2026`, of which the order of day and month is not certain.
    DayOrMonth,
    /// A date-time with an abbreviation that is not a zone or stands for several.
    UnknownZone,
    /// Finer than a tick.
    TooFine,
    /// Beyond the range of a 64-bit number, or of the calendar.
    TooLarge,
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeError::NotATime => "neither a number nor a date-time",
            TimeError::DayOrMonth => "a date of which the order of day, month and year is not certain",
            TimeError::UnknownZone => "a date-time in a zone whose abbreviation is not certain",
            TimeError::TooFine => "finer than a nanosecond (without a declared unit: than a billionth)",
            TimeError::TooLarge => "too large: the whole part must fit 64 bits, a date-time the years 0000 to 9999",
        })
    }
}

impl std::error::Error for TimeError {}

impl Clock {
    /// A clock for traces whose numbers count this unit.
    pub const fn new(unit: Option<Unit>) -> Self {
        Clock { unit }
    }

    /// Ticks in one bare unit.
    #[inline]
    pub const fn ticks_per_unit(self) -> i128 {
        match self.unit {
            Some(unit) => unit.nanoseconds(),
            None => TICKS_PER_BARE_UNIT,
        }
    }

    /// The timestamp of a whole number. It cannot overflow: 64 bits times a day's nanoseconds fit 128.
    #[inline]
    pub const fn whole(self, number: i64) -> Timestamp {
        Timestamp(number as i128 * self.ticks_per_unit())
    }

    /// Reads a number: digits, an optional fraction, an optional exponent.
    pub fn parse_number(self, text: &str) -> Result<Timestamp, TimeError> {
        let ticks = parse_scaled(text, self.ticks_per_unit())?;
        Ok(Timestamp(ticks))
    }

    /// Converts a constant of a spec to ticks; `None` if it is not a whole number of ticks. A bare constant is in the trace's
    /// unit.
    pub fn duration(self, quantity: Quantity) -> Option<Duration> {
        let per_unit = quantity.unit.map_or(self.ticks_per_unit(), Unit::nanoseconds);
        let ticks = quantity.billionths.checked_mul(per_unit)?;
        (ticks % TICKS_PER_BARE_UNIT == 0).then_some(Duration(ticks / TICKS_PER_BARE_UNIT))
    }

    /// Prints a timestamp as the number it was read from (without trailing zeros).
    pub fn print_number(self, time: Timestamp) -> String {
        print_ratio(time.0, self.ticks_per_unit())
    }

    /// Prints a timestamp the way the trace writes its times.
    pub fn print(self, kind: TimeKind, time: Timestamp) -> String {
        match kind {
            TimeKind::DateTime => crate::datetime::print(time),
            TimeKind::Number | TimeKind::Position => self.print_number(time),
        }
    }

    /// Prints a duration in the trace's unit.
    pub fn print_duration(self, duration: Duration) -> String {
        print_ratio(duration.0, self.ticks_per_unit())
    }

    /// Prints a duration with its unit: that of the trace, or the second if that is longer and fits into the duration; without a
    /// known unit, the number alone.
    pub fn print_amount(self, duration: Duration) -> String {
        let second = Unit::Second.nanoseconds();
        let clock = match self.unit {
            Some(unit) if unit.nanoseconds() < second && duration.0 >= second => Clock::new(Some(Unit::Second)),
            _ => self,
        };
        let number = clock.print_duration(duration);
        clock.unit.map_or(number.clone(), |unit| format!("{number} {unit}"))
    }

    /// Prints the mean of `count` durations that add up to `sum` ticks, in the trace's unit.
    pub fn print_mean(self, sum: i128, count: u64) -> String {
        print_ratio(sum, self.ticks_per_unit() * i128::from(count.max(1)))
    }
}

/// Prints `ticks / per_unit` with every digit; a ratio that does not end is cut after twelve places.
fn print_ratio(ticks: i128, per_unit: i128) -> String {
    const PLACES: usize = 12;
    let sign = if ticks < 0 { "-" } else { "" };
    let (ticks, per_unit) = (ticks.unsigned_abs(), per_unit.unsigned_abs());
    let (whole, mut rest) = (ticks / per_unit, ticks % per_unit);
    let mut fraction = String::new();
    while rest != 0 && fraction.len() < PLACES {
        rest *= 10;
        fraction.push(char::from(b'0' + u8::try_from(rest / per_unit).unwrap_or(9)));
        rest %= per_unit;
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Prints a number of billionths as a decimal without trailing zeros.
pub fn print_billionths(billionths: i128) -> String {
    print_ratio(billionths, TICKS_PER_BARE_UNIT)
}

/// Reads a decimal number whose whole part fits 64 bits, and multiplies it by `scale`, exactly.
pub fn parse_scaled(text: &str, scale: i128) -> Result<i128, TimeError> {
    parse_scaled_within(text, scale, i128::from(i64::MAX))
}

/// Reads a decimal number whose whole part is at most `greatest`, and multiplies it by `scale`, exactly.
///
/// Example: `12.50e1` has the three significant digits 125 and its point after two digits, so it is 125 · 10^(2 - 3 + 1). Digits are
/// multiplied before they are divided, so that a fraction of a unit that is a whole number of ticks is not lost.
pub fn parse_scaled_within(text: &str, scale: i128, greatest: i128) -> Result<i128, TimeError> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], unsigned[at + 1..].parse::<i32>().map_err(|_| TimeError::NotATime)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if whole.len() + fraction.len() == 0 || !digits().all(|digit| digit.is_ascii_digit()) {
        return Err(TimeError::NotATime);
    }
    // Leading and trailing zeros carry nothing; what is left must fit.
    let mut value: i128 = 0;
    let significant = digits().rev().skip_while(|&digit| digit == b'0').count();
    for digit in digits().take(significant) {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(i128::from(digit - b'0')))
            .ok_or(TimeError::TooLarge)?;
    }
    if value == 0 {
        return Ok(0);
    }
    let length = i32::try_from(significant).map_err(|_| TimeError::TooLarge)?;
    let point = i32::try_from(whole.len()).map_err(|_| TimeError::TooLarge)?;
    let shift = point.checked_sub(length).and_then(|shift| shift.checked_add(exponent)).ok_or(TimeError::TooLarge)?;
    let power = |places: u32| 10_i128.checked_pow(places).ok_or(TimeError::TooLarge);
    let scaled = if shift >= 0 {
        let shifted = value.checked_mul(power(shift.unsigned_abs())?).ok_or(TimeError::TooLarge)?;
        if shifted > greatest {
            return Err(TimeError::TooLarge);
        }
        shifted.checked_mul(scale).ok_or(TimeError::TooLarge)?
    } else {
        let divisor = power(shift.unsigned_abs()).map_err(|_| TimeError::TooFine)?;
        if value / divisor > greatest {
            return Err(TimeError::TooLarge);
        }
        let product = value.checked_mul(scale).ok_or(TimeError::TooFine)?;
        if product % divisor != 0 {
            return Err(TimeError::TooFine);
        }
        product / divisor
    };
    Ok(if negative { -scaled } else { scaled })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit() {
        let clock = Clock::default();
        for text in ["0", "1", "-7", "2.5", "0.000000001", "9223372036854775807", "123456789.987654321"] {
            assert_eq!(clock.print_number(clock.parse_number(text).unwrap()), text);
        }
        assert_eq!(clock.parse_number("1e3"), clock.parse_number("1000"));
        assert_eq!(clock.parse_number("1.50"), clock.parse_number("1.5"));
        assert_eq!(clock.parse_number("1500e-3"), clock.parse_number("1.5"));
    }

    #[test]
    fn long_amounts_are_in_seconds() {
        let printed = |unit, ticks| Clock::new(unit).print_amount(Duration::from_ticks(ticks));
        assert_eq!(printed(Some(Unit::Microsecond), 60_000_000_000), "60 s");
        assert_eq!(printed(Some(Unit::Millisecond), 1_500_000_000), "1.5 s");
        assert_eq!(printed(Some(Unit::Millisecond), 999_000_000), "999 ms");
        assert_eq!(printed(Some(Unit::Hour), 7_200_000_000_000), "2 h");
        assert_eq!(printed(None, 60_000_000_000), "60");
        let whole = |seconds: i128| Duration::from_ticks(seconds * 1_000_000_000).print_whole();
        let texts: Vec<String> = [172_800, 129_600, 3_600, 5_400, 60, 96, 0].into_iter().map(whole).collect();
        assert_eq!(texts, ["2 d", "36 h", "1 h", "90 min", "1 min", "96 s", "0 s"]);
        assert_eq!(Duration::from_ticks(500_000_000).print_whole(), "0.5 s");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let clock = Clock::default();
        assert_eq!(clock.parse_number("0.0000000001"), Err(TimeError::TooFine));
        assert_eq!(clock.parse_number("9223372036854775808"), Err(TimeError::TooLarge));
        assert_eq!(clock.parse_number("1e400"), Err(TimeError::TooLarge));
        assert_eq!(clock.parse_number("1e-400"), Err(TimeError::TooFine));
        for text in ["", "-", ".", "1.2.3", "abc", "1e", "0x10", "1_000", " 1"] {
            assert_eq!(clock.parse_number(text), Err(TimeError::NotATime), "{text:?}");
        }
    }

    #[test]
    fn constants_carry_units() {
        let ten_ms = Quantity { billionths: 10 * TICKS_PER_BARE_UNIT, unit: Some(Unit::Millisecond) };
        let seconds = Clock::new(Some(Unit::Second));
        assert_eq!(seconds.duration(ten_ms), Some(Duration::from_ticks(10_000_000)));
        assert_eq!(seconds.duration(Quantity::whole(3)), Some(Duration::from_ticks(3_000_000_000)));
        let half_ns = Quantity { billionths: TICKS_PER_BARE_UNIT / 2, unit: Some(Unit::Nanosecond) };
        assert_eq!(seconds.duration(half_ns), None);
        assert_eq!(ten_ms.to_string(), "10ms");
    }

    #[test]
    fn days_are_exact() {
        let days = Clock::new(Some(Unit::Day));
        assert_eq!(days.parse_number("0.5").unwrap().ticks(), 43_200_000_000_000);
        assert_eq!(days.print_number(Timestamp::from_ticks(43_200_000_000_000)), "0.5");
    }

    #[test]
    fn what_people_type_carries_units() {
        assert_eq!(Quantity::read("5"), Ok(Quantity::whole(5)));
        assert_eq!(Quantity::read("500ms").map(|delay| delay.to_string()), Ok("500ms".to_owned()));
        assert_eq!(Quantity::read("0.5s").map(|delay| delay.to_string()), Ok("0.5s".to_owned()));
        for wrong in ["", "s", "-1", "5x", "five", "1e", "5 s"] {
            assert!(Quantity::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
