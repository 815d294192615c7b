// SPDX-License-Identifier: MIT OR Apache-2.0
//! Date-times as programs write them into logs: the components in any of the usual orders.
//!
//! The parser collects components from left to right (numbers of the date, names of months and weekdays, the clock, the zone) and then decides which
//! number is the year, the month and the day. Everything must be used, nothing may occur twice, and a weekday must be that of the
//! date. Where day and month cannot be distinguished, as in `05/06/2026`, the text is refused.

use super::{civil_from_days, days_from_civil, days_in_month};
use crate::time::TimeError;

/// Seconds of a day.
const DAY: i64 = 86_400;
/// Nanoseconds of a second.
const NANOS: i128 = 1_000_000_000;

/// A date and a time of day, as written: before a zone is applied, and perhaps without a year.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WrittenTime {
    /// The year, if it is written.
    pub year: Option<i64>,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// Seconds since midnight; 86 400 at the end of the day.
    pub second_of_day: i64,
    /// Nanoseconds of the second.
    pub nanos: i64,
    /// Seconds east of UTC, if an offset or a zone is written.
    pub offset: Option<i64>,
    /// The order of day and month in a date such as `16/11/2026`, which shows it.
    pub order: Option<DayOrder>,
    /// Where the two digits of the seconds are written; the fraction follows them.
    pub seconds_at: Option<usize>,
    /// The number of digits of the fraction.
    pub fraction_digits: usize,
}

/// The order of day and month in a date of numbers that ends in the year.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DayOrder {
    /// `16/11/2026`
    DayFirst,
    /// `11/16/2026`
    MonthFirst,
}

impl WrittenTime {
    /// Returns the nanoseconds since 1970 in this year, without regard to an offset.
    pub fn local_nanos(&self, year: i64) -> Option<i128> {
        let exists = (1..=12).contains(&self.month) && (1..=days_in_month(year, self.month)).contains(&self.day);
        let days = exists.then(|| days_from_civil(year, self.month, self.day))?;
        Some(i128::from(days * DAY + self.second_of_day) * NANOS + i128::from(self.nanos))
    }
}

/// The components found so far.
#[derive(Default)]
struct Components<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The numbers of the date: value, digits, and the separator before it.
    numbers: [(i64, usize, u8); 3],
    count: usize,
    month: Option<i64>,
    /// The weekday, from 0 for Monday.
    weekday: Option<i64>,
    week: Option<i64>,
    clock: Option<(i64, i64, i64)>,
    is_afternoon: Option<bool>,
    needs_clock: bool,
    found: WrittenTime,
}

/// Parses a date-time in one of the usual notations. `known` is the order of day and month that an earlier date has shown.
pub fn parse(text: &str, known: Option<DayOrder>) -> Result<WrittenTime, TimeError> {
    let text = text.trim_ascii();
    let inner = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).filter(|inner| !inner.contains('['));
    let start = usize::from(inner.is_some());
    let mut components = Components { bytes: text.as_bytes(), at: start, ..Components::default() };
    if inner.is_some() {
        components.bytes = &components.bytes[..text.len() - 1];
    }
    // `-2026` is a year before 1, not the year 2026.
    if components.peek(0) == b'-' {
        return Err(TimeError::NotATime);
    }
    while let Some(&byte) = components.bytes.get(components.at) {
        match byte {
            b'0'..=b'9' => components.number()?,
            b'a'..=b'z' | b'A'..=b'Z' => components.word()?,
            b'+' | b'-' if components.clock.is_some() => components.offset()?,
            b' ' | b',' | b'_' | b'-' | b'/' | b'.' | b'\t' => components.at += 1,
            // The colon of `16/Nov/2026:11:42:20`.
            b':' if components.clock.is_none() && components.count > 0 => components.at += 1,
            // A zone's name or a comment after the offset, such as `[Europe/Berlin]` or ` (CET)`; not ` [812]`, which a log writes behind the time.
            b'[' | b'(' if components.found.offset.is_some() && components.begins_name() => {
                let close = if byte == b'[' { b']' } else { b')' };
                let is_last = components.bytes.last() == Some(&close);
                components.at = if is_last { components.bytes.len() } else { return Err(TimeError::NotATime) };
            }
            _ => return Err(TimeError::NotATime),
        }
    }
    components.finish(known)
}

impl Components<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Returns true if a bracket here encloses the name of a zone.
    fn begins_name(&self) -> bool {
        self.peek(1).is_ascii_alphabetic() && (self.peek(0) == b'(' || !self.bytes[self.at - 1].is_ascii_whitespace())
    }

    fn digits_at(&self, from: usize) -> usize {
        self.bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
    }

    fn value(&self, from: usize, digits: usize) -> i64 {
        self.bytes[from..from + digits].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'))
    }

    /// Reads a run of digits: the clock, or a number of the date.
    fn number(&mut self) -> Result<(), TimeError> {
        let (from, digits) = (self.at, self.digits_at(self.at));
        let before = if from == 0 { 0 } else { self.bytes[from - 1] };
        if self.clock.is_none() {
            let dotted = self.count == 3 && digits == 2 && self.peek(2) == b'.' && self.peek(5) == b'.';
            if digits <= 2 && (self.peek(digits) == b':' || dotted) && self.digits_at(from + digits + 1) == 2 {
                return self.clock(digits, self.peek(digits));
            }
            if self.needs_clock && matches!(digits, 4 | 6) {
                return self.compact_clock(digits);
            }
        }
        let is_compact = digits == 8 && self.count == 0 && self.month.is_none();
        if is_compact {
            let parts = [(from, 4), (from + 4, 2), (from + 6, 2)];
            self.numbers = parts.map(|(from, digits)| (self.value(from, digits), digits, b'-'));
            (self.count, self.needs_clock) = (3, true);
        } else {
            // After the clock only the year may follow, as in `Mon Nov 16 11:42:20 2026`.
            let is_late = self.clock.is_some() && (digits != 4 || self.month.is_none());
            if self.count == 3 || digits > 4 || is_late {
                return Err(TimeError::NotATime);
            }
            self.numbers[self.count] = (self.value(from, digits), digits, before);
            self.count += 1;
        }
        self.at += digits;
        Ok(())
    }

    /// Reads `11:42`, `11:42:20` or `11:42:20.25`.
    fn clock(&mut self, digits: usize, separator: u8) -> Result<(), TimeError> {
        let hour = self.value(self.at, digits);
        let minute = self.value(self.at + digits + 1, 2);
        self.at += digits + 3;
        let mut second = 0;
        if self.peek(0) == separator && self.digits_at(self.at + 1) == 2 {
            second = self.value(self.at + 1, 2);
            self.found.seconds_at = Some(self.at + 1);
            self.at += 3;
            self.fraction()?;
        }
        self.clock = Some((hour, minute, second));
        Ok(())
    }

    /// Reads `114220` or `1142`.
    fn compact_clock(&mut self, digits: usize) -> Result<(), TimeError> {
        let pair = |at: usize| self.value(self.at + at, 2);
        self.clock = Some((pair(0), pair(2), if digits == 6 { pair(4) } else { 0 }));
        if digits == 6 {
            self.found.seconds_at = Some(self.at + 4);
        }
        self.at += digits;
        if digits == 6 { self.fraction() } else { Ok(()) }
    }

    /// Reads the fraction of the seconds, if there is one.
    fn fraction(&mut self) -> Result<(), TimeError> {
        let digits = self.digits_at(self.at + 1);
        if !matches!(self.peek(0), b'.' | b',' | b':') || digits == 0 {
            return Ok(());
        }
        let written = &self.bytes[self.at + 1..=self.at + digits];
        if written.iter().skip(9).any(|&digit| digit != b'0') {
            return Err(TimeError::TooFine);
        }
        let padded = written.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        self.found.nanos = padded.fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        self.found.fraction_digits = digits;
        self.at += 1 + digits;
        Ok(())
    }

    /// Reads `+01:00`, `+0100` or `+01`.
    fn offset(&mut self) -> Result<(), TimeError> {
        let sign = if self.peek(0) == b'-' { -1 } else { 1 };
        let digits = self.digits_at(self.at + 1);
        let has_colon = digits <= 2 && self.peek(1 + digits) == b':' && self.digits_at(self.at + 2 + digits) == 2;
        let (hours, minutes, length) = match digits {
            1 | 2 if has_colon => (self.value(self.at + 1, digits), self.value(self.at + 2 + digits, 2), digits + 4),
            1 | 2 => (self.value(self.at + 1, digits), 0, digits + 1),
            4 => (self.value(self.at + 1, 2), self.value(self.at + 3, 2), 5),
            _ => return Err(TimeError::NotATime),
        };
        if self.found.offset.is_some() || hours > 23 || minutes > 59 {
            return Err(TimeError::NotATime);
        }
        self.found.offset = Some(sign * (hours * 3_600 + minutes * 60));
        self.at += length;
        Ok(())
    }

    /// Reads a word: a month, a weekday, a part of the day, a zone, or a separator such as `T`.
    fn word(&mut self) -> Result<(), TimeError> {
        let from = self.at;
        let length = self.bytes[from..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let mut lower = [0; 12];
        let Some(lower) = lower.get_mut(..length) else { return Err(TimeError::NotATime) };
        lower.copy_from_slice(&self.bytes[from..from + length]);
        lower.make_ascii_lowercase();
        let word: &[u8] = lower;
        self.at += length;
        let set = |place: &mut Option<i64>, value: i64| match place.replace(value) {
            None => Ok(()),
            Some(_) => Err(TimeError::NotATime),
        };
        if let Some(month) = named(MONTHS, word) {
            return set(&mut self.month, month + 1);
        }
        if let Some(weekday) = named(WEEKDAYS, word) {
            return set(&mut self.weekday, weekday);
        }
        let follows_digit = self.peek(0).is_ascii_digit();
        match word {
            b"am" | b"pm" if self.clock.is_some() && self.is_afternoon.is_none() => {
                self.is_afternoon = Some(word == b"pm");
            }
            b"t" if self.clock.is_none() && self.count > 0 => self.needs_clock = true,
            b"w" if self.count == 1 && self.week.is_none() && self.digits_at(self.at) == 2 => {
                self.week = Some(self.value(self.at, 2));
                self.at += 2;
            }
            b"at" => {}
            // The severity of a line of klog and glog: `I1116 11:42:20.123456`.
            b"i" | b"w" | b"e" | b"f" if from == 0 && follows_digit => {}
            // `UTC+01:00`
            b"utc" | b"gmt" if self.clock.is_some() && matches!(self.peek(0), b'+' | b'-') => {}
            _ if self.clock.is_none() => return Err(TimeError::NotATime),
            _ => {
                let offset = zone_offset(word).ok_or(if (2..=5).contains(&length) {
                    TimeError::UnknownZone
                } else {
                    TimeError::NotATime
                })?;
                // `+0100 CET` says it twice, as PostgreSQL and RFC 2822 may.
                if self.found.offset.is_some_and(|known| known != offset) {
                    return Err(TimeError::NotATime);
                }
                self.found.offset = Some(offset);
            }
        }
        Ok(())
    }

    /// Decides which number is the year, the month and the day.
    fn finish(mut self, known: Option<DayOrder>) -> Result<WrittenTime, TimeError> {
        let numbers = self.numbers;
        let numbers = &numbers[..self.count];
        let (year, month, day) = match (self.month, self.week, numbers) {
            (Some(month), None, &[(day, 1..=2, _)]) => (None, month, day),
            (Some(month), None, &[(year, 4, _), (day, 1..=2, _)] | &[(day, 1..=2, _), (year, 4, _)]) => {
                (Some(year), month, day)
            }
            // RFC 850 writes two digits, with the century that RFC 2822 gives them.
            (Some(month), None, &[(day, 1..=2, _), (year, 2, _)]) => {
                (Some(year + if year < 50 { 2_000 } else { 1_900 }), month, day)
            }
            (None, Some(week), &[(year, 4, _), (weekday @ 1..=7, 1, _)]) => week_date(year, week, weekday)?,
            (None, None, &[(year, 4, _), (day, 3, b'-')]) => ordinal_date(year, day)?,
            (None, None, &[(year, 4, _), (month, 1..=2, one), (day, 1..=2, two)]) if one == two => {
                (Some(year), month, day)
            }
            (None, None, &[(first, 1..=2, _), (second, 1..=2, one), (year, 4, two)]) if one == two => {
                let (month, day) = self.order(first, second, one, known)?;
                (Some(year), month, day)
            }
            (None, None, &[(_, 1..=2, _), (_, 1..=2, one), (_, 2, two)]) if one == two && self.clock.is_some() => {
                return Err(TimeError::DayOrMonth);
            }
            // klog and glog: `1116 11:42:20.123456`
            (None, None, &[(date, 4, _)]) if self.clock.is_some() => (None, date / 100, date % 100),
            _ => return Err(TimeError::NotATime),
        };
        self.found.second_of_day = self.second_of_day()?;
        (self.found.year, self.found.month, self.found.day) = (year, month, day);
        // Any leap year will do for a date without a year.
        let found = self.found;
        let midnight = WrittenTime { second_of_day: 0, nanos: 0, ..found };
        let nanos = midnight.local_nanos(year.unwrap_or(2_024)).ok_or(TimeError::NotATime)?;
        let weekday = (nanos / (i128::from(DAY) * NANOS) + 3).rem_euclid(7);
        if year.is_some() && self.weekday.is_some_and(|named| i128::from(named) != weekday) {
            return Err(TimeError::NotATime);
        }
        Ok(found)
    }

    /// Returns month and day of a date of numbers that ends in the year.
    fn order(&mut self, first: i64, second: i64, sep: u8, known: Option<DayOrder>) -> Result<(i64, i64), TimeError> {
        let order = match (sep, first > 12, second > 12) {
            (b'.', ..) => return Ok((second, first)),
            (_, true, false) => DayOrder::DayFirst,
            (_, false, true) => DayOrder::MonthFirst,
            (_, false, false) if first == second => return Ok((first, second)),
            (_, false, false) => known.ok_or(TimeError::DayOrMonth)?,
            (_, true, true) => return Err(TimeError::NotATime),
        };
        if known.is_some_and(|known| known != order) {
            return Err(TimeError::NotATime);
        }
        self.found.order = Some(order);
        Ok(if order == DayOrder::DayFirst { (second, first) } else { (first, second) })
    }

    fn second_of_day(&self) -> Result<i64, TimeError> {
        let (hour, minute, second) = match self.clock {
            Some(clock) => clock,
            None if self.needs_clock => return Err(TimeError::NotATime),
            None => (0, 0, 0),
        };
        let hour = match self.is_afternoon {
            None => hour,
            Some(_) if !(1..=12).contains(&hour) => return Err(TimeError::NotATime),
            Some(is_afternoon) => hour % 12 + if is_afternoon { 12 } else { 0 },
        };
        // A leap second (60) is accepted and counts as the first second after it, as POSIX time does.
        if hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute, second) != (0, 0)) {
            return Err(TimeError::NotATime);
        }
        Ok(hour * 3_600 + minute * 60 + second)
    }
}

/// Returns the date of an ISO week: `2026-W47-1`. Week 1 has the 4th of January.
fn week_date(year: i64, week: i64, weekday: i64) -> Result<(Option<i64>, i64, i64), TimeError> {
    let fourth = days_from_civil(year, 1, 4);
    let monday = fourth - (fourth + 3).rem_euclid(7);
    let next = days_from_civil(year + 1, 1, 4);
    let days = monday + (week - 1) * 7 + weekday - 1;
    if week < 1 || days >= next - (next + 3).rem_euclid(7) {
        return Err(TimeError::NotATime);
    }
    let (year, month, day) = civil_from_days(days);
    Ok((Some(year), month, day))
}

/// Returns the date of a day of the year: `2026-320`.
fn ordinal_date(year: i64, day: i64) -> Result<(Option<i64>, i64, i64), TimeError> {
    let (of_year, month, of_month) = civil_from_days(days_from_civil(year, 1, 1) + day - 1);
    if day < 1 || of_year != year { Err(TimeError::NotATime) } else { Ok((Some(year), month, of_month)) }
}

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Returns the index of the name that a word is, in full or cut after three letters or more.
fn named(names: &[&str], word: &[u8]) -> Option<i64> {
    let is_named = |name: &&str| word.len() >= 3 && name.as_bytes().starts_with(word);
    names.iter().position(is_named).map(|index| index as i64)
}

/// Returns the offset of a zone's abbreviation in seconds; `None` if it is unknown or stands for several zones.
fn zone_offset(word: &[u8]) -> Option<i64> {
    let hours = match word {
        b"z" | b"utc" | b"gmt" | b"ut" | b"wet" => 0,
        b"cet" | b"west" | b"bst" => 1,
        b"cest" | b"eet" => 2,
        b"eest" | b"msk" => 3,
        b"jst" | b"kst" => 9,
        // Those of RFC 2822.
        b"edt" => -4,
        b"est" | b"cdt" => -5,
        b"cst" | b"mdt" => -6,
        b"mst" | b"pdt" => -7,
        b"pst" => -8,
        _ => return None,
    };
    Some(hours * 3_600)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datetime;
    use crate::time::Timestamp;

    fn nanos(text: &str) -> Result<i128, TimeError> {
        let written = parse(text, None)?;
        let local = written.local_nanos(written.year.unwrap_or(2_026)).ok_or(TimeError::NotATime)?;
        Ok(local - i128::from(written.offset.unwrap_or(0)) * NANOS)
    }

    #[test]
    fn the_notations_of_logs() {
        let expected = datetime::parse("2026-11-16T11:42:20Z").map(Timestamp::ticks);
        for text in [
            "16/Nov/2026:11:42:20 +0000",
            "[16/Nov/2026:12:42:20 +0100]",
            "Nov 16 11:42:20",
            "Mon Nov 16 11:42:20",
            "Mon, 16 Nov 2026 11:42:20 GMT",
            "Mon, 16 Nov 2026 06:42:20 -0500 (EST)",
            "16 Nov 2026 11:42:20",
            "Monday, 16-Nov-26 11:42:20 GMT",
            "Mon Nov 16 11:42:20 2026",
            "Mon Nov 16 12:42:20 CET 2026",
            "Mon Nov 16 12:42:20 +0100 2026",
            "Mon 16 Nov 2026 11:42:20 AM UTC",
            "2026/11/16 11:42:20",
            "2026.11.16 11:42:20",
            "2026-11-16 11:42:20 UTC",
            "2026-11-16 12:42:20 +0100",
            "2026-11-16 12:42:20 CET",
            "2026-11-16T12:42:20+01:00[Europe/Berlin]",
            "20261116T114220Z",
            "20261116T124220+0100",
            "20261116 11:42:20",
            "20261116-11:42:20.000",
            "2026-11-16-11.42.20.000000",
            "2026-11-16_11:42:20",
            "2026-W47-1T11:42:20Z",
            "2026-320T11:42:20Z",
            "Nov 16, 2026 11:42:20 AM",
            "Nov 16, 2026, 11:42:20 AM",
            "November 16, 2026 at 11:42:20 AM",
            "16.11.2026 11:42:20",
            "16-Nov-2026 11:42:20.000",
            "11/16/2026 11:42:20 AM",
            "16/11/2026 11:42:20",
            "Nov 16 2026 11:42:20",
            "2026 Nov 16 11:42:20.000",
            "I1116 11:42:20.000000",
            "1116 11:42:20",
            "2026-11-16 11:42:20,000",
            "2026-11-16 12:42:20 UTC+1",
            "16/Nov/2026 11:42:20",
            "2026-11-16 11:42:20:000",
            "Mon Nov 16 11:42:20.000000 2026",
            "11-16-2026 11:42:20",
            "2026/11/16 11:42:20.000000",
        ] {
            assert_eq!(nanos(text), expected, "{text}");
        }
        let evening = datetime::parse("2026-11-16T23:05:00.25Z").map(Timestamp::ticks);
        for text in ["11/16/2026 11:05:00.25 PM", "16/Nov/2026:23:05:00.250", "20261116T230500,25Z"] {
            assert_eq!(nanos(text), evening, "{text}");
        }
    }

    #[test]
    fn the_place_of_the_seconds_is_known() {
        for text in ["16/Nov/2026:11:42:20.125 +0000", "20261116T114220.125Z", "[Mon Nov 16 11:42:20.125 2026]"] {
            let written = parse(text, None).unwrap();
            let at = written.seconds_at.unwrap();
            assert_eq!((&text[at..at + 6], written.fraction_digits), ("20.125", 3), "{text}");
        }
    }

    #[test]
    fn what_is_not_certain_is_refused() {
        for (text, error) in [
            ("05/06/2026 11:42:20", TimeError::DayOrMonth),
            ("26/11/16 11:42:20", TimeError::DayOrMonth),
            ("2026-11-16 11:42:20 IST", TimeError::UnknownZone),
            ("Tue, 17 Nov 2025 11:42:20 GMT", TimeError::NotATime),
            ("16/Nov/2026:11:42:20.0000000001", TimeError::TooFine),
            ("31 Nov 2026 11:42:20", TimeError::NotATime),
            ("29 Feb 2026 11:42:20", TimeError::NotATime),
            ("16 Nov Nov 2026", TimeError::NotATime),
            ("11:42:20", TimeError::NotATime),
            ("2026-W54-1T11:42:20Z", TimeError::NotATime),
            ("-2026-11-16T11:42:20Z", TimeError::NotATime),
            ("[-2026-11-16T11:42:20Z]", TimeError::NotATime),
            ("2026-366", TimeError::NotATime),
            ("13 Nov 2026 13:00 PM", TimeError::NotATime),
            ("16/Nov/2026:11:42:20 +0000 x", TimeError::NotATime),
            ("2026-11-16 11:42:20.123 UTC [812]", TimeError::NotATime),
            ("2026-11-16 11:42:20 UTC [main]", TimeError::NotATime),
            ("20261116", TimeError::NotATime),
            ("16 Nov 2026 11:42:20 +", TimeError::NotATime),
            ("", TimeError::NotATime),
            ("é 16 Nov", TimeError::NotATime),
        ] {
            assert_eq!(nanos(text), Err(error), "{text}");
        }
        let known = parse("05/06/2026", Some(DayOrder::MonthFirst)).unwrap();
        assert_eq!((known.month, known.day), (5, 6));
        assert_eq!(parse("16/11/2026", Some(DayOrder::MonthFirst)), Err(TimeError::NotATime));
    }
}
