// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parsing of times, exact in every format.
//!
//! A time is a whole number of ticks in 128 bits; no floating point is involved. The first time of a trace decides its
//! kind, and all others must be of the same kind:
//! - numbers, in the unit that the spec declares (seconds by default): `12.5` s is 12 500 000 000 ticks of a
//!   nanosecond. A number finer than a tick is a fault, not rounded: `0.0000000001` s is refused.
//! - date-times, such as `2024-05-01T12:30:00.25+02:00`, as ticks since 1970 in UTC; see [`crate::dates`].
//! - positions, if the trace has no times: the event with index 7 has time 7.
//!
//! Most times are short numbers. [`TimeParser::parse`] tries a fast path in 64 bits first, which either gives exactly
//! the result of the general parser or gives up.

use std::str;

use gnomon_core::time::{Clock, Duration, TimeError, TimeKind, Timestamp};
use gnomon_scan::{Code, Fault, quote};

use crate::dates::{DateNotation, DateParser, guess_notation, possible_notations};

/// The names of the time field if none is declared, best first.
pub(crate) const USUAL_FIELDS: &[&str] = &["time", "timestamp", "ts", "time:timestamp", "@timestamp"];

/// Returns the index of the best usual name among these.
pub(crate) fn usual_field(names: &[&str], usual: &[&str]) -> Option<usize> {
    usual.iter().find_map(|usual| names.iter().position(|name| name.eq_ignore_ascii_case(usual)))
}

/// Returns true if a name is usual for the time field.
pub(crate) fn is_usual_field(name: &[u8], usual: &[&str]) -> bool {
    usual.iter().any(|usual| usual.as_bytes().eq_ignore_ascii_case(name))
}

/// Returns true if a field probably has the times, although its name is not one that is chosen without a declaration.
pub(crate) fn is_likely_field(name: &str) -> bool {
    const LIKELY: [&str; 19] = [
        "asctime",
        "datetime",
        "dateandtime",
        "date",
        "datum",
        "zeit",
        "zeitpunkt",
        "zeitstempel",
        "uhrzeit",
        "timecreated",
        "timegenerated",
        "startutc",
        "eventtime",
        "logtime",
        "createdat",
        "occurredat",
        "starttime",
        "timelocal",
        "timeiso8601",
    ];
    let word: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let word = word.to_ascii_lowercase();
    name == "@t" || (word.ends_with("timestamp") && !word.contains("monotonic")) || LIKELY.contains(&word.as_str())
}

/// The parser of the times of one trace: knows the unit of numbers, the notation of date-times, and the kind that was decided.
#[derive(Clone)]
pub(crate) struct TimeParser {
    clock: Clock,
    /// Ticks per unit; they fit into 64 bits for every unit.
    scale: i64,
    kind: Option<TimeKind>,
    dates: DateParser,
}

impl TimeParser {
    pub(crate) fn new(clock: Clock) -> Self {
        TimeParser { clock, scale: clock.ticks_per_unit() as i64, kind: None, dates: DateParser::default() }
    }

    /// Restores a parser; `kind` is the kind of the times, if it was decided.
    pub(crate) fn resume(clock: Clock, kind: Option<TimeKind>) -> Self {
        TimeParser { kind, ..TimeParser::new(clock) }
    }

    /// Declares the notation of date-times.
    pub(crate) fn with_dates(mut self, notation: DateNotation) -> Self {
        self.dates = DateParser::new(notation);
        self
    }

    /// Returns the parser of date-times.
    pub(crate) fn dates(&self) -> &DateParser {
        &self.dates
    }

    /// Returns the parser of date-times.
    pub(crate) fn dates_mut(&mut self) -> &mut DateParser {
        &mut self.dates
    }

    /// Decides the kind of the times.
    pub(crate) fn set_kind(&mut self, kind: TimeKind) {
        self.kind = Some(kind);
    }

    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns the kind of the times, if it is decided.
    pub(crate) fn kind(&self) -> Option<TimeKind> {
        self.kind
    }

    /// Decides that times are numbers, or checks it.
    pub(crate) fn expect_numbers(&mut self) -> Result<(), Fault> {
        self.expect_kind(TimeKind::Number, "numbers")
    }

    /// Decides that times are date-times, or checks it.
    pub(crate) fn expect_dates(&mut self) -> Result<(), Fault> {
        self.expect_kind(TimeKind::DateTime, "date-times")
    }

    /// Decides the kind of the times, or checks that it is this one.
    fn expect_kind(&mut self, kind: TimeKind, these: &str) -> Result<(), Fault> {
        if *self.kind.get_or_insert(kind) == kind {
            return Ok(());
        }
        Err(Fault::new(Code::MixedTimes, 0, format!("these times are {these}, those before them are not"))
            .help("write all times of a trace in one way"))
    }

    /// Returns the time of a whole number.
    #[inline]
    pub(crate) fn whole(&self, number: i64) -> Timestamp {
        // One machine multiplication; `Clock::whole` multiplies in 128 bits.
        Timestamp::from_ticks(i128::from(number) * i128::from(self.scale))
    }

    /// Parses the time in a cell. `at` is the offset of the cell, for a fault.
    pub(crate) fn parse(&mut self, cell: &[u8], at: usize) -> Result<Timestamp, Fault> {
        let (kind, time) = self.read(cell).map_err(|error| {
            let fault = not_a_time(cell, at, error);
            match self.dates.notation().declared_format() {
                Some(format) => fault.help(format!("the spec declares another notation: `time as \"{format}\"`")),
                None => fault,
            }
        })?;
        if *self.kind.get_or_insert(kind) != kind {
            let (this, others) = match kind {
                TimeKind::DateTime => ("a date-time", "numbers"),
                _ => ("a number", "date-times"),
            };
            let message = format!("the time {} is {this}, the times before it are {others}", quote(cell));
            return Err(Fault::new(Code::MixedTimes, at, message).help("write all times of a trace in one way"));
        }
        Ok(time)
    }

    /// Returns true if a cell looks like a time, even one out of range.
    #[cold]
    pub(crate) fn is_time(&self, cell: &[u8]) -> bool {
        !matches!(self.read(cell), Err(TimeError::NotATime))
    }

    /// Parses the time in a cell; `None` unless it is of the kind that is decided.
    #[inline]
    pub(crate) fn parse_alike(&self, cell: &[u8]) -> Option<Timestamp> {
        self.read(cell).ok().filter(|(kind, _)| self.kind == Some(*kind)).map(|(_, time)| time)
    }

    fn read(&self, cell: &[u8]) -> Result<(TimeKind, Timestamp), TimeError> {
        if self.kind == Some(TimeKind::DateTime)
            && let Some(time) = self.dates.parse_alike(cell)
        {
            return Ok((TimeKind::DateTime, time));
        }
        if self.dates.is_declared() {
            return self.dates.parse(cell).map(|time| (TimeKind::DateTime, time));
        }
        if let Some(time) = self.plain(cell) {
            return Ok((TimeKind::Number, time));
        }
        let text = str::from_utf8(cell).map_err(|_| TimeError::NotATime)?;
        match self.clock.parse_number(text) {
            Err(TimeError::NotATime) => self.dates.parse(cell).map(|time| (TimeKind::DateTime, time)),
            number => number.map(|time| (TimeKind::Number, time)),
        }
    }

    /// Parses plain numbers such as `12` and `12.345`; `None` if the general parser must decide.
    fn plain(&self, cell: &[u8]) -> Option<Timestamp> {
        let digits = |digits: &[u8]| {
            let value = |value: i64, digit: &u8| digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0'));
            if (1..=15).contains(&digits.len()) { digits.iter().try_fold(0, value) } else { None }
        };
        let Some(point) = cell.iter().position(|&byte| byte == b'.') else {
            return digits(cell).map(|number| self.whole(number));
        };
        let fraction = &cell[point + 1..];
        // Within these limits nothing overflows 64 bits; a time finer than a tick is left to the general parser.
        if fraction.len() > 9 || self.scale > 1_000_000_000 {
            return None;
        }
        let ticks = digits(fraction)? * self.scale;
        let divisor = 10_i64.pow(fraction.len() as u32);
        let whole = self.whole(digits(&cell[..point])?);
        (ticks % divisor == 0).then(|| whole + Duration::from_ticks(i128::from(ticks / divisor)))
    }
}

#[cold]
pub(crate) fn not_a_time(cell: &[u8], at: usize, error: TimeError) -> Fault {
    let message = format!("the time {} is {error}", quote(cell));
    let fault = Fault::new(Code::NotATime, at, message);
    match error {
        TimeError::NotATime => match guess_notation(cell) {
            Some(notation) => fault.help(format!("declare its notation in the spec: `time as \"{notation}\"`")),
            None => fault.help(
                "times are written like `12`, `12.5` or `2024-05-01T12:30:00.25Z`; for another notation write `time FIELD as \"%d.%m.%Y %H:%M:%S\"`",
            ),
        },
        TimeError::DayOrMonth => {
            let notations = possible_notations(cell);
            let notations = if notations.is_empty() { vec!["%d/%m/%Y %H:%M:%S".to_owned()] } else { notations };
            let written: Vec<String> = notations.iter().map(|notation| format!("`time as \"{notation}\"`")).collect();
            fault.help(format!("declare it in the spec: {}", written.join(" or ")))
        }
        TimeError::UnknownZone => {
            fault.help("write an offset such as `+0100`, or leave the zone out and declare it: `time FIELD zone \"Europe/Berlin\"`")
        }
        TimeError::TooFine => fault.help("declare a finer unit, such as `time FIELD in s`, or round the times"),
        TimeError::TooLarge => fault,
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::time::Unit;

    use super::*;

    #[test]
    fn the_usual_fields_have_an_order() {
        let choose = |names: &[&str]| usual_field(names, USUAL_FIELDS);
        assert_eq!(choose(&["event", "ts", "Time"]), Some(2));
        assert_eq!(choose(&["TS", "timestamp"]), Some(1));
        assert_eq!(choose(&["time:timestamp", "x"]), Some(0));
        assert_eq!(choose(&["level", "@timestamp"]), Some(1));
        assert_eq!(choose(&["event", "when"]), None);
        assert!(is_usual_field(b"TimeStamp", USUAL_FIELDS) && !is_usual_field(b"times", USUAL_FIELDS));
    }

    #[test]
    fn some_other_fields_are_likely() {
        for name in ["asctime", "eventTime", "created_at", "__REALTIME_TIMESTAMP", "@t"] {
            assert!(is_likely_field(name) && !is_usual_field(name.as_bytes(), USUAL_FIELDS), "{name}");
        }
        for name in ["t", "responseTime", "updated", "a/b", ""] {
            assert!(!is_likely_field(name), "{name}");
        }
    }

    #[test]
    fn the_fast_path_agrees_with_the_general_parser() {
        for unit in Unit::ALL.into_iter().map(Some).chain([None]) {
            let clock = Clock::new(unit);
            let times = TimeParser::new(clock);
            for text in
                ["0", "12", "007", "12.5", "0.25", "12.000000001", "999999999999999", "1.", ".5", "1.2.3", "", "1e3"]
            {
                if let Some(time) = times.plain(text.as_bytes()) {
                    assert_eq!(clock.parse_number(text), Ok(time), "{text} {unit:?}");
                }
            }
        }
        assert!(TimeParser::new(Clock::default()).plain(b"12.345").is_some());
    }

    #[test]
    fn the_first_time_settles_the_kind() {
        let mut times = TimeParser::new(Clock::default());
        assert_eq!(times.parse(b"2.5", 0).unwrap().ticks(), 2_500_000_000);
        assert_eq!(times.parse(b"-3", 0).unwrap(), times.whole(-3));
        assert_eq!(times.parse(b"2024-05-01", 0).unwrap_err().code(), Code::MixedTimes);
        assert_eq!(times.kind(), Some(TimeKind::Number));
        let mut times = TimeParser::new(Clock::default());
        assert_eq!(times.parse(b"1970-01-01T00:00:01Z", 0).unwrap().ticks(), 1_000_000_000);
        assert_eq!(times.parse(b"7", 0).unwrap_err().code(), Code::MixedTimes);
        assert_eq!(times.parse(b"1970/01/01 00:00:01.000", 0).unwrap().ticks(), 1_000_000_000);
        for bad in [&b""[..], b"x", b"2024-13-01", b"2024/05-01", b"1.2.3", b"\xFF", b"1e99", b"0.0000000001"] {
            assert_eq!(times.parse(bad, 0).unwrap_err().code(), Code::NotATime, "{bad:?}");
        }
    }
}
