// SPDX-License-Identifier: MIT OR Apache-2.0
//! Date-times in any notation, as nanoseconds since 1970 in UTC.
//!
//! Consecutive lines of a log mostly differ in the seconds only. The parser remembers the text around the seconds of the last
//! date-time, and the minute that it stands for; a text that agrees with it costs two comparisons and the seconds. Everything else
//! goes through [`gnomon_core::datetime::parse_written`] or, if a notation is declared, through `strptime`.
//!
//! Three decisions depend on the preceding date-time: the year of one that is written without a year, the day of one without a date, and the
//! choice between the two hours with the same clock time when clocks are set back. Example: after `Dec 31 23:59:58` the date `Jan  1 00:00:03` is in the next year.
//! Where chunks of a log are parsed by several threads, the first date-time of a chunk is decided without the one before the chunk.
//! [`DateParser::agrees`] checks afterwards that this made no difference; otherwise the chunk is parsed again.

#[cfg(feature = "dates")]
mod declared;
#[cfg(not(feature = "dates"))]
#[path = "dates/declared_absent.rs"]
mod declared;

use std::cell::RefCell;
use std::ops::Range;
use std::str;
use std::time::{SystemTime, UNIX_EPOCH};

use gnomon_core::datetime::{self, DayOrder, WrittenTime, ZoneOffsets};
use gnomon_core::time::{TimeError, Timestamp};

use declared::{Zone, check_format, parse_declared};

const NANOS: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * NANOS;
/// Distances of a time without a date from the one before: events may be a little out of order.
const LIKELY_DAY: Range<i128> = -3_600 * NANOS..DAY - 3_600 * NANOS;

/// The declared notation and zone of date-times.
#[derive(Clone, Debug, Default)]
pub struct DateNotation {
    /// A format of `strptime`; without one, the usual notations are recognised.
    format: Option<String>,
    /// The zone of date-times without an offset; UTC if none is declared.
    zone: Option<Zone>,
}

impl DateNotation {
    /// Declares a format of `strptime`, such as `%d/%b/%Y:%H:%M:%S %z`.
    pub fn with_format(mut self, format: &str) -> Result<Self, String> {
        if !format.contains('%') {
            return Err("it has no part such as `%Y`, `%m` or `%H`".to_owned());
        }
        check_format(format)?;
        self.format = Some(format.to_owned());
        Ok(self)
    }

    /// Declares the zone of date-times without an offset by its name in the time zone database, such as `Europe/Berlin`.
    pub fn with_zone(mut self, name: &str) -> Result<Self, String> {
        self.zone = Some(Zone::find(name)?);
        Ok(self)
    }

    /// Returns the offsets of the declared zone; those of UTC if none is declared.
    pub fn offsets(&self) -> ZoneOffsets {
        self.zone.as_ref().map_or_else(ZoneOffsets::default, Zone::offsets)
    }

    /// Returns the declared format of `strptime`.
    pub(crate) fn declared_format(&self) -> Option<&str> {
        self.format.as_deref()
    }

    /// Returns the number of blanks inside a date-time of the declared format.
    pub(crate) fn blanks(&self) -> Option<usize> {
        self.format.as_ref().map(|format| format.split_ascii_whitespace().count().saturating_sub(1))
    }
}

/// Parses the date-times of one trace.
#[derive(Clone, Default)]
pub(crate) struct DateParser {
    notation: DateNotation,
    /// In a cell, because dates are also parsed by shared reference, ahead of the reader. Parsing a date twice gives the same time.
    state: RefCell<DateState>,
}

/// Decisions about the date-times so far.
#[derive(Clone, Default)]
pub(crate) struct DateState {
    minute: KnownMinute,
    order: Option<DayOrder>,
    /// The last date-time that was not found by its minute.
    last: Option<i128>,
    first_year: Option<i64>,
    /// True if the declared notation has no date.
    lacks_date: bool,
    /// The offset from UTC of the first date-time, in seconds.
    first_offset: Option<i64>,
    repeated_hour: Option<String>,
    skipped_hour: Option<String>,
    /// The order of day and month before the chunk that is parsed.
    order_before: Option<DayOrder>,
    dependence: ChunkDependence,
}

/// The dependence of the first date-time of a chunk on the one before the chunk.
#[derive(Clone, Copy, Default)]
enum ChunkDependence {
    /// No date-time of the chunk has been parsed.
    #[default]
    Open,
    Independent,
    /// It has no year; with the likely year it is this time.
    Year(i128),
    /// It has no date; on the likely day it is this time.
    Day(i128),
    /// It is in the hour that occurs twice.
    Hour,
}

/// The text around the seconds of the last date-time, and the time of its minute.
#[derive(Clone, Default)]
struct KnownMinute {
    before: Vec<u8>,
    after: Vec<u8>,
    ticks: i128,
}

impl KnownMinute {
    /// Returns the time of a text of this minute.
    #[inline]
    fn find(&self, text: &[u8]) -> Option<Timestamp> {
        let [tens, ones, rest @ ..] = text.strip_prefix(self.before.as_slice())? else { return None };
        if self.before.is_empty() || !matches!(tens, b'0'..=b'5') || !ones.is_ascii_digit() {
            return None;
        }
        let second = i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
        let nanos = if rest == self.after { 0 } else { self.fraction(rest)? };
        Some(Timestamp::from_ticks(self.ticks + i128::from(second * NANOS as i64 + nanos)))
    }

    #[inline]
    fn fraction(&self, rest: &[u8]) -> Option<i64> {
        let digits = rest.strip_suffix(self.after.as_slice())?;
        let [b'.' | b',', digits @ ..] = digits else { return None };
        if !(1..=9).contains(&digits.len()) {
            return None;
        }
        let mut nanos = 0;
        for digit in digits {
            nanos = nanos * 10 + i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
        }
        Some(nanos * 10_i64.pow(9 - digits.len() as u32))
    }
}

impl DateParser {
    pub(crate) fn new(notation: DateNotation) -> Self {
        DateParser { notation, state: RefCell::default() }
    }

    /// Returns the declared notation.
    pub(crate) fn notation(&self) -> &DateNotation {
        &self.notation
    }

    /// Returns true if the notation is declared.
    pub(crate) fn is_declared(&self) -> bool {
        self.notation.format.is_some()
    }

    /// Parses a date-time that differs from the one before in its seconds only.
    #[inline]
    pub(crate) fn parse_alike(&self, text: &[u8]) -> Option<Timestamp> {
        self.state.borrow().minute.find(text)
    }

    /// Parses a date-time.
    pub(crate) fn parse(&self, text: &[u8]) -> Result<Timestamp, TimeError> {
        let text = str::from_utf8(text).map_err(|_| TimeError::NotATime)?;
        let mut state = self.state.borrow_mut();
        let written = match &self.notation.format {
            Some(format) => match parse_declared(format, text)? {
                DeclaredTime::Exact(time, offset) => {
                    state.first_offset.get_or_insert(offset);
                    return Ok(Timestamp::from_ticks(time));
                }
                DeclaredTime::TimeOfDay(nanos) => return Ok(Timestamp::from_ticks(state.on_likely_day(nanos))),
                DeclaredTime::Local(written) => written,
            },
            None => datetime::parse_written(text, state.order)?,
        };
        state.order = state.order.or(written.order);
        let (ticks, is_certain) = state.resolve(&written, self.notation.zone.as_ref(), text)?;
        if matches!(state.dependence, ChunkDependence::Open) {
            state.dependence = match written.year {
                _ if !is_certain => ChunkDependence::Hour,
                None => ChunkDependence::Year(ticks),
                Some(_) => ChunkDependence::Independent,
            };
        }
        state.last = Some(ticks);
        state.remember(text, &written, ticks, is_certain && self.notation.format.is_none());
        Ok(Timestamp::from_ticks(ticks))
    }

    /// Begins a chunk of the trace; the chunks before it may have been parsed by others.
    pub(crate) fn begin_chunk(&mut self) {
        let state = self.state.get_mut();
        state.minute = KnownMinute::default();
        state.order_before = state.order;
        state.dependence = ChunkDependence::Open;
        (state.first_year, state.repeated_hour, state.skipped_hour) = (None, None, None);
    }

    /// Returns the decisions so far.
    pub(crate) fn decisions(&self) -> DateState {
        self.state.borrow().clone()
    }

    /// Returns true if this parser would have read the date-times of a chunk that comes next as another one did.
    pub(crate) fn agrees(&self, chunk: &DateState) -> bool {
        // With the likely year a time is less than half a year away from the one before.
        const NEAR: i128 = 150 * DAY;
        let state = self.state.borrow();
        let is_near = |time: i128, limit| state.last.is_some_and(|last| (time - last).abs() < limit);
        let is_on_likely_day = |time: i128| state.last.is_some_and(|last| LIKELY_DAY.contains(&(time - last)));
        state.order == chunk.order_before
            && match chunk.dependence {
                ChunkDependence::Open | ChunkDependence::Independent => true,
                ChunkDependence::Year(time) => is_near(time, NEAR),
                ChunkDependence::Day(time) => is_on_likely_day(time),
                ChunkDependence::Hour => false,
            }
    }

    /// Takes over the decisions of the parser of a chunk.
    pub(crate) fn join(&mut self, chunk: DateState) {
        let state = self.state.get_mut();
        state.minute = KnownMinute::default();
        if !matches!(chunk.dependence, ChunkDependence::Open) {
            state.last = chunk.last;
        }
        state.order = state.order.or(chunk.order);
        state.first_year = state.first_year.or(chunk.first_year);
        state.lacks_date |= chunk.lacks_date;
        state.first_offset = state.first_offset.or(chunk.first_offset);
        state.repeated_hour = state.repeated_hour.take().or(chunk.repeated_hour);
        state.skipped_hour = state.skipped_hour.take().or(chunk.skipped_hour);
    }

    /// Returns the offset from UTC of the first date-time, in seconds.
    pub(crate) fn utc_offset(&self) -> i32 {
        self.state.borrow().first_offset.and_then(|offset| i32::try_from(offset).ok()).unwrap_or(0)
    }

    /// Lists decisions that a reader of the report must know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let state = self.state.borrow();
        let year = state.first_year.map(|year| {
            format!("the times of the log have no year: {year} is assumed for the first, and a new year where December is followed by January")
        });
        let day = state.lacks_date.then(|| {
            "the times of the log have no date: 1970-01-01 is assumed for the first, and a new day where midnight passes".to_owned()
        });
        let repeated = state.repeated_hour.as_ref().map(|text| {
            format!("the time `{text}` occurs twice, because clocks were set back: the earlier is assumed, or the later where time would go back")
        });
        let skipped = state.skipped_hour.as_ref().map(|text| {
            format!(
                "the time `{text}` does not exist, because clocks were set forward: it is read as if they had not been"
            )
        });
        [year, day, repeated, skipped].into_iter().flatten().collect()
    }
}

impl DateState {
    /// Returns the time in UTC, and true if all date-times of its minute are resolved alike.
    fn resolve(&mut self, written: &WrittenTime, zone: Option<&Zone>, text: &str) -> Result<(i128, bool), TimeError> {
        let local = match written.year {
            Some(year) => written.local_nanos(year).ok_or(TimeError::NotATime)?,
            None => self.in_likely_year(written)?,
        };
        let (ticks, is_certain) = match (written.offset, zone) {
            (Some(offset), _) => (local - i128::from(offset) * NANOS, true),
            (None, Some(zone)) => self.in_zone(local, zone, text)?,
            (None, None) => (local, true),
        };
        self.first_offset.get_or_insert(((local - ticks) / NANOS) as i64);
        Ok((ticks, is_certain))
    }

    /// Returns the time in UTC of a local time in a zone, and true if all date-times of its minute are resolved alike.
    fn in_zone(&mut self, local: i128, zone: &Zone, text: &str) -> Result<(i128, bool), TimeError> {
        let second = i64::try_from(local.div_euclid(NANOS)).map_err(|_| TimeError::TooLarge)?;
        let at = |offset: i64| local - i128::from(offset) * NANOS;
        Ok(match zone.offset_at(second)? {
            LocalOffset::Certain(offset) => (at(offset), true),
            LocalOffset::Skipped { before } => {
                self.skipped_hour.get_or_insert_with(|| text.to_owned());
                (at(before), true)
            }
            LocalOffset::Repeated { before, after } => {
                self.repeated_hour.get_or_insert_with(|| text.to_owned());
                // Events may be a little out of order.
                let goes_back = self.last.is_some_and(|last| at(before) < last - 60 * NANOS);
                (if goes_back { at(after) } else { at(before) }, false)
            }
        })
    }

    /// Returns the time in the year that brings it closest to the time before. The first one is in the past.
    fn in_likely_year(&mut self, written: &WrittenTime) -> Result<i128, TimeError> {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as i128);
        let last = self.last;
        let near = last.unwrap_or_else(now);
        // The mean length of a year is exact enough to find the candidates.
        let year = 1_970 + near.div_euclid(DAY * 1_461 / 4) as i64;
        let distance = |time: i128| match last {
            Some(last) => (time - last).abs(),
            None if time > near + DAY => i128::MAX,
            None => (near - time).abs(),
        };
        // A leap day is in one of five years.
        let candidates = (year - 4..=year + 4).filter_map(|year| Some((year, written.local_nanos(year)?)));
        let (year, time) = candidates.min_by_key(|(_, time)| distance(*time)).ok_or(TimeError::NotATime)?;
        self.first_year.get_or_insert(year);
        Ok(time)
    }

    /// Returns a time of day on the day that puts it after the time before, or a little earlier. The first is on 1970-01-01.
    fn on_likely_day(&mut self, nanos: i128) -> i128 {
        let time = self.last.map_or(nanos, |last| {
            let earliest = last + LIKELY_DAY.start;
            earliest + (nanos - earliest).rem_euclid(DAY)
        });
        if matches!(self.dependence, ChunkDependence::Open) {
            self.dependence = ChunkDependence::Day(time);
        }
        self.lacks_date = true;
        self.first_offset.get_or_insert(0);
        self.last = Some(time);
        time
    }

    /// Remembers the minute of a time.
    fn remember(&mut self, text: &str, written: &WrittenTime, ticks: i128, is_certain: bool) {
        let KnownMinute { before, after, ticks: minute } = &mut self.minute;
        before.clear();
        let Some(at) = written.seconds_at.filter(|_| is_certain && text.trim_ascii().len() == text.len()) else {
            return;
        };
        let fraction = if written.fraction_digits > 0 { 1 + written.fraction_digits } else { 0 };
        let (Some(seconds), Some(rest)) = (text.as_bytes().get(at..at + 2), text.as_bytes().get(at + 2 + fraction..))
        else {
            return;
        };
        let second = i64::from(seconds[0] - b'0') * 10 + i64::from(seconds[1] - b'0');
        *minute = ticks - i128::from(second) * NANOS - i128::from(written.nanos);
        before.extend_from_slice(&text.as_bytes()[..at]);
        after.clear();
        after.extend_from_slice(rest);
    }
}

/// A date-time in a declared format.
#[cfg_attr(not(feature = "dates"), expect(dead_code, reason = "no format is accepted"))]
enum DeclaredTime {
    /// Nanoseconds since 1970: the format has an offset or counts seconds since 1970.
    /// The second number is the offset from UTC in seconds.
    Exact(i128, i64),
    /// Nanoseconds since midnight: the format has no date.
    TimeOfDay(i128),
    Local(WrittenTime),
}

/// The offset of a zone from UTC at a local time, in seconds.
#[cfg_attr(not(feature = "dates"), expect(dead_code, reason = "there is no zone"))]
enum LocalOffset {
    Certain(i64),
    /// Clocks were set forward over this time.
    Skipped {
        before: i64,
    },
    /// Clocks were set back, so that this time occurs twice.
    Repeated {
        before: i64,
        after: i64,
    },
}

/// Returns the number of blanks inside the date-time at the beginning of a text; `None` if it does not begin with one.
pub(crate) fn leading_date_blanks(text: &[u8]) -> Option<usize> {
    const MOST_BLANKS: usize = 6;
    let (mut blanks, mut found, mut at) = (0, None, 0);
    loop {
        at += text[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        let Ok(head) = str::from_utf8(&text[..at]) else { return found };
        // A day order that is not certain is still a date.
        if !matches!(datetime::parse_written(head, None), Err(TimeError::NotATime | TimeError::UnknownZone)) {
            found = Some(blanks);
        }
        at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        blanks += 1;
        if at == text.len() || blanks > MOST_BLANKS {
            return found;
        }
    }
}

/// Returns true if a text is a date-time in one of the notations that need no declaration.
pub(crate) fn is_date(text: &str) -> bool {
    leading_date_blanks(text.as_bytes()) == Some(text.split_ascii_whitespace().count().saturating_sub(1))
}

/// Returns the notation of the date-time at the beginning of a text, if it is one of the frequent notations that must be declared.
pub(crate) fn guess_notation(text: &[u8]) -> Option<&'static str> {
    const NOTATIONS: [&str; 11] = [
        "%H:%M:%S%.f",
        "%H:%M:%S,%f",
        "%m-%d %H:%M:%S%.f",
        "%m-%d %H:%M:%S,%f",
        "%y%m%d %H:%M:%S",
        "%Y_%m_%d %H:%M:%S",
        "%Y.%m.%d-%H.%M.%S",
        "%d-%b-%y %I.%M.%S.%f %p",
        "%B %d, %Y %H:%M:%S",
        "%d%b%Y:%H:%M:%S",
        "@%s",
    ];
    let words = |count: usize| -> Vec<&str> {
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.take(count).map_while(|word| str::from_utf8(word).ok()).collect()
    };
    NOTATIONS
        .into_iter()
        .find(|notation| parse_declared(notation, &words(notation.split_ascii_whitespace().count()).join(" ")).is_ok())
}

/// Returns the notations of a date-time of which the order of day, month and year is not certain.
pub(crate) fn possible_notations(text: &[u8]) -> Vec<String> {
    const DATES: [&str; 5] = ["%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y", "%y/%m/%d"];
    const TIMES: [&str; 5] = ["", " %H:%M", " %H:%M:%S%.f", " %I:%M %p", " %I:%M:%S%.f %p"];
    let Ok(text) = str::from_utf8(text) else { return Vec::new() };
    let Some(separator) = text.chars().find(|character| matches!(character, '/' | '.' | '-')) else {
        return Vec::new();
    };
    // A number of four digits is a year, one of two digits is none.
    let year = if text.split(|character: char| !character.is_ascii_digit()).any(|digits| digits.len() == 4) {
        "%Y"
    } else {
        "%y"
    };
    let dates =
        DATES.into_iter().filter(|date| date.contains(year)).map(|date| date.replace('/', &separator.to_string()));
    let notations = dates.flat_map(|date| TIMES.map(|time| format!("{date}{time}")));
    notations.filter(|notation| parse_declared(notation, text.trim()).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(parser: &DateParser, text: &str) -> i128 {
        parser.parse(text.as_bytes()).unwrap().ticks()
    }

    fn iso(text: &str) -> i128 {
        datetime::parse(text).unwrap().ticks()
    }

    #[test]
    fn the_minute_is_remembered() {
        for (first, second, expected) in [
            ("10/Oct/2026:13:55:36 +0200", "10/Oct/2026:13:55:59 +0200", "2026-10-10T11:55:59Z"),
            ("2026-10-10 13:55:36,5", "2026-10-10 13:55:37,125", "2026-10-10T13:55:37.125Z"),
            ("2026-10-10T13:55:36Z", "2026-10-10T13:55:37.000000001Z", "2026-10-10T13:55:37.000000001Z"),
        ] {
            let parser = DateParser::default();
            assert_eq!(parser.parse_alike(first.as_bytes()), None);
            let _ = ticks(&parser, first);
            assert_eq!(parser.parse_alike(second.as_bytes()).unwrap().ticks(), iso(expected), "{second}");
            assert_eq!(ticks(&parser, second), iso(expected), "{second}");
            assert_eq!(parser.parse_alike(first.replace("13:55", "13:56").as_bytes()), None);
        }
    }

    #[test]
    fn years_are_inferred_and_roll_over() {
        let parser = DateParser::default();
        let december = ticks(&parser, "Dec 31 23:59:59");
        assert_eq!(ticks(&parser, "Jan  1 00:00:01") - december, 2 * NANOS);
        assert_eq!(ticks(&parser, "Dec 31 23:59:58") - december, -NANOS);
        assert_eq!(parser.notes().len(), 1);
    }

    #[test]
    #[cfg(feature = "dates")]
    fn a_zone_has_summer_time() {
        let notation = DateNotation::default().with_zone("Europe/Berlin").unwrap();
        let parser = DateParser::new(notation);
        for (text, utc) in [
            ("2026-07-01 12:00:00", "2026-07-01T10:00:00Z"),
            ("2026-07-01 12:00:00 +0000", "2026-07-01T12:00:00Z"),
            ("2026-10-25 02:59:59", "2026-10-25T00:59:59Z"),
            ("2026-10-25 02:00:00", "2026-10-25T01:00:00Z"),
            ("2026-10-25 02:00:01", "2026-10-25T01:00:01Z"),
            ("2026-10-25 03:00:00", "2026-10-25T02:00:00Z"),
            ("2027-03-28 02:30:00", "2027-03-28T01:30:00Z"),
        ] {
            assert_eq!(ticks(&parser, text), iso(utc), "{text}");
        }
        assert_eq!(parser.notes().len(), 2);
        assert!(DateNotation::default().with_zone("Europe/Nowhere").is_err());
    }

    #[test]
    #[cfg(feature = "dates")]
    fn formats_are_declared() {
        for (format, text, utc) in [
            ("%d/%b/%Y:%H:%M:%S %z", "10/Oct/2026:13:55:36 +0200", "2026-10-10T11:55:36Z"),
            ("%d/%m/%Y %H.%M.%S", "05/06/2026 11.42.20", "2026-06-05T11:42:20Z"),
            ("%m/%d/%y %I:%M:%S %p", "05/06/26 11:42:20 PM", "2026-05-06T23:42:20Z"),
            ("%Y%m%d%H%M%S%.f", "20261116114220.25", "2026-11-16T11:42:20.25Z"),
            ("day %j of %Y", "day 320 of 2026", "2026-11-16"),
            ("%s", "1714559400", "2024-05-01T10:30:00Z"),
        ] {
            let parser = DateParser::new(DateNotation::default().with_format(format).unwrap());
            assert_eq!(ticks(&parser, text), iso(utc), "{format}");
            assert!(parser.parse(b"yesterday").is_err());
        }
        assert!(DateNotation::default().with_format("%!").is_err());
        assert!(DateNotation::default().with_format("date").is_err());
    }

    #[test]
    #[cfg(feature = "dates")]
    fn times_of_day_pass_midnight() {
        let parser = DateParser::new(DateNotation::default().with_format("%H:%M:%S%.f").unwrap());
        for (text, seconds) in
            [("23:59:58.5", 86_398.5), ("00:00:01", 86_401.0), ("23:59:59", 86_399.0), ("11:59:58", 129_598.0)]
        {
            assert_eq!(ticks(&parser, text), (seconds * NANOS as f64) as i128, "{text}");
        }
        assert_eq!(parser.notes().len(), 1);
    }

    #[test]
    #[cfg(feature = "dates")]
    fn notations_are_suggested() {
        for (text, expected) in [
            ("11:42:09.123 [main]", Some("%H:%M:%S%.f")),
            ("11-16 11:42:09.123 1234", Some("%m-%d %H:%M:%S%.f")),
            ("261116 11:42:20 x", Some("%y%m%d %H:%M:%S")),
            ("12 logon", None),
            ("logon", None),
        ] {
            assert_eq!(guess_notation(text.as_bytes()), expected, "{text}");
        }
        for (text, expected) in [
            ("05/06/2026 11:42:20", &["%d/%m/%Y %H:%M:%S%.f", "%m/%d/%Y %H:%M:%S%.f"][..]),
            ("16.11.26 11:42", &["%d.%m.%y %H:%M", "%y.%m.%d %H:%M"]),
            ("11/16/26 11:42:20 PM", &["%m/%d/%y %I:%M:%S%.f %p"]),
        ] {
            assert_eq!(possible_notations(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_blanks_of_a_date_are_counted() {
        for (text, blanks) in [
            ("2026-11-16 11:42:20 GET 12", Some(1)),
            ("2026-11-16 11:42:20.5 UTC GET", Some(2)),
            ("2026-11-16T11:42:20Z GET", Some(0)),
            ("Nov  6 11:42:20 host app", Some(2)),
            ("Mon Nov 16 11:42:20 2026 app", Some(4)),
            ("Mon, 16 Nov 2026 11:42:20 +0100 app", Some(5)),
            ("12 logon", None),
            ("logon", None),
        ] {
            assert_eq!(leading_date_blanks(text.as_bytes()), blanks, "{text}");
        }
    }
}
