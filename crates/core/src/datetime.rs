// SPDX-License-Identifier: MIT OR Apache-2.0
//! ISO-8601 date-times to and from nanoseconds since 1970-01-01T00:00:00Z, exactly.

mod part;
mod written;

pub use part::{TimePart, ZoneOffsets, weekday};
pub use written::{DayOrder, WrittenTime, parse as parse_written};

use crate::time::{TimeError, Timestamp};

const NANOS: i128 = 1_000_000_000;

/// Reads `2024-05-01`, `2024-05-01T12:30`, `2024-05-01T12:30:00.25+02:00` and the like. A space may stand for the `T`, and
/// `/` for both `-` of the date, as in `2024/05/01 12:30`; without a zone the time is taken as UTC.
pub fn parse(text: &str) -> Result<Timestamp, TimeError> {
    let mut rest = Cursor { bytes: text.as_bytes() };
    let year = rest.digits(4)?;
    let separator = if rest.take(b'/') { b'/' } else { rest.expect(b'-').map(|()| b'-')? };
    let month = rest.digits(2)?;
    rest.expect(separator)?;
    let day = rest.digits(2)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return Err(TimeError::NotATime);
    }
    let mut nanos = i128::from(days_from_civil(year, month, day)) * 86_400 * NANOS;
    if rest.bytes.is_empty() {
        return Ok(Timestamp::from_ticks(nanos));
    }
    if !(rest.take(b'T') || rest.take(b't') || rest.take(b' ')) {
        return Err(TimeError::NotATime);
    }
    let hour = rest.digits(2)?;
    rest.expect(b':')?;
    let minute = rest.digits(2)?;
    let second = if rest.take(b':') { rest.digits(2)? } else { 0 };
    // A leap second (60) is accepted and counts as the first second after it, as POSIX time does.
    if hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute, second) != (0, 0)) {
        return Err(TimeError::NotATime);
    }
    nanos += i128::from(hour * 3_600 + minute * 60 + second) * NANOS;
    if rest.take(b'.') || rest.take(b',') {
        nanos += rest.fraction()?;
    }
    nanos -= i128::from(rest.offset_seconds()?) * NANOS;
    if rest.bytes.is_empty() { Ok(Timestamp::from_ticks(nanos)) } else { Err(TimeError::NotATime) }
}

/// Prints as `2024-05-01T14:30:00.25+02:00`, in the time of a place that is this many seconds ahead of UTC.
pub fn print_at(time: Timestamp, utc_offset: i32) -> String {
    let minutes = utc_offset / 60;
    if minutes == 0 {
        return print(time);
    }
    let mut text = print(Timestamp::from_ticks(time.ticks().saturating_add(i128::from(minutes) * 60 * NANOS)));
    text.pop();
    let (sign, minutes) = (if minutes < 0 { '-' } else { '+' }, minutes.abs());
    text + &format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Prints as `2024-05-01T12:30:00.25Z`, with as many digits of the fraction as there are.
pub fn print(time: Timestamp) -> String {
    let seconds = time.ticks().div_euclid(NANOS);
    let nanos = time.ticks().rem_euclid(NANOS);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days as i64);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if nanos != 0 {
        let fraction = format!("{nanos:09}");
        text.push('.');
        text.push_str(fraction.trim_end_matches('0'));
    }
    text.push('Z');
    text
}

struct Cursor<'a> {
    bytes: &'a [u8],
}

impl Cursor<'_> {
    fn digits(&mut self, count: usize) -> Result<i64, TimeError> {
        let (head, tail) = self.bytes.split_at_checked(count).ok_or(TimeError::NotATime)?;
        if !head.iter().all(u8::is_ascii_digit) {
            return Err(TimeError::NotATime);
        }
        self.bytes = tail;
        Ok(head.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.first() == Some(&byte);
        if found {
            self.bytes = &self.bytes[1..];
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), TimeError> {
        if self.take(byte) { Ok(()) } else { Err(TimeError::NotATime) }
    }

    fn fraction(&mut self) -> Result<i128, TimeError> {
        let length = self.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return Err(TimeError::NotATime);
        }
        let (digits, tail) = self.bytes.split_at(length);
        self.bytes = tail;
        if digits.iter().skip(9).any(|&digit| digit != b'0') {
            return Err(TimeError::TooFine);
        }
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        Ok(padded.fold(0, |value, digit| value * 10 + i128::from(digit - b'0')))
    }

    fn offset_seconds(&mut self) -> Result<i64, TimeError> {
        if self.bytes.is_empty() || self.take(b'Z') || self.take(b'z') {
            return Ok(0);
        }
        let sign = if self.take(b'+') {
            1
        } else if self.take(b'-') {
            -1
        } else {
            return Err(TimeError::NotATime);
        };
        let hours = self.digits(2)?;
        let minutes = if self.take(b':') || !self.bytes.is_empty() { self.digits(2)? } else { 0 };
        if hours > 23 || minutes > 59 {
            return Err(TimeError::NotATime);
        }
        Ok(sign * (hours * 3_600 + minutes * 60))
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01, in the proleptic Gregorian calendar. Years are shifted to begin in March, so that the leap
/// day is the last of its year and every 400 years have the same 146,097 days.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + carry, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2024-05-01T12:30:00+02:00", 1_714_559_400),
            ("2024-05-01 10:30", 1_714_559_400),
            ("1969-12-31T23:59:59Z", -1),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ] {
            assert_eq!(parse(text).unwrap().ticks(), seconds * NANOS, "{text}");
        }
        assert_eq!(parse("2024-05-01T10:30:00.25Z").unwrap().ticks(), 1_714_559_400_250_000_000);
    }

    #[test]
    fn every_day_round_trips() {
        for days in (-719_000_i64..2_000_000).step_by(13) {
            let time = Timestamp::from_ticks(i128::from(days) * 86_400 * NANOS + 1);
            assert_eq!(parse(&print(time)).unwrap(), time);
        }
    }

    #[test]
    fn a_place_has_an_offset() {
        let time = parse("2024-05-01T23:30:00.25+02:00").unwrap();
        for (offset, text) in [
            (7_200, "2024-05-01T23:30:00.25+02:00"),
            (0, "2024-05-01T21:30:00.25Z"),
            (-12_600, "2024-05-01T18:00:00.25-03:30"),
        ] {
            assert_eq!(print_at(time, offset), text);
            assert_eq!(parse(text), Ok(time));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "2024",
            "2024-13-01",
            "2023-02-29",
            "2024-05-01T",
            "2024-05-01T25:00",
            "2024-05-01T10:30:00+",
            "20240501",
        ] {
            assert_eq!(parse(text), Err(TimeError::NotATime), "{text:?}");
        }
        assert_eq!(parse("2024-05-01T10:30:00.0000000001Z"), Err(TimeError::TooFine));
        assert!(parse("2024-05-01T10:30:00.0000000010Z").is_ok());
    }
}
