// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the cells of the time field to timestamps. The first one settles what the times of the trace are.

use std::str;

use gnomon_core::datetime;
use gnomon_core::time::{Clock, Duration, TimeError, TimeKind, Timestamp};

use crate::error::{Code, Fault, quote};

/// The names that tell the time field where none is declared, best first.
pub(crate) const USUAL_FIELDS: &[&str] = &["time", "timestamp", "ts", "time:timestamp"];

/// Which of these names is the time field, if none is declared.
pub(crate) fn usual_field(names: &[&str], usual: &[&str]) -> Option<usize> {
    usual.iter().find_map(|usual| names.iter().position(|name| name.eq_ignore_ascii_case(usual)))
}

/// Whether this is a name that would tell the time field.
pub(crate) fn is_usual_field(name: &[u8], usual: &[&str]) -> bool {
    usual.iter().any(|usual| usual.as_bytes().eq_ignore_ascii_case(name))
}

pub(crate) struct Times {
    clock: Clock,
    /// Ticks per unit; no unit has more than 64 bits of them.
    scale: i64,
    kind: Option<TimeKind>,
}

impl Times {
    pub(crate) fn new(clock: Clock) -> Self {
        Times { clock, scale: clock.ticks_per_unit() as i64, kind: None }
    }

    /// As they were when their kind was settled, or not.
    pub(crate) fn resume(clock: Clock, kind: Option<TimeKind>) -> Self {
        Times { kind, ..Times::new(clock) }
    }

    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// What the times are, if that is settled.
    pub(crate) fn kind(&self) -> Option<TimeKind> {
        self.kind
    }

    /// Settles that places are times.
    pub(crate) fn count_positions(&mut self) {
        self.kind = Some(TimeKind::Position);
    }

    /// Settles that times are date-times, which the reader has in ticks.
    pub(crate) fn count_nanoseconds(&mut self) {
        self.kind = Some(TimeKind::DateTime);
    }

    /// Settles that times are numbers.
    pub(crate) fn count_numbers(&mut self) -> Result<(), Fault> {
        self.count(TimeKind::Number, "numbers")
    }

    /// Settles that times are date-times.
    pub(crate) fn count_dates(&mut self) -> Result<(), Fault> {
        self.count(TimeKind::DateTime, "date-times")
    }

    fn count(&mut self, kind: TimeKind, these: &str) -> Result<(), Fault> {
        if *self.kind.get_or_insert(kind) == kind {
            return Ok(());
        }
        Err(Fault::new(Code::MixedTimes, 0, format!("these times are {these}, those before them are not"))
            .help("write all times of a trace in one way"))
    }

    /// The time of a whole number.
    #[inline]
    pub(crate) fn whole(&self, number: i64) -> Timestamp {
        // One machine multiplication; `Clock::whole` would do it in 128 bits.
        Timestamp::from_ticks(i128::from(number) * i128::from(self.scale))
    }

    /// The time written in a cell, which stands at this offset.
    pub(crate) fn parse(&mut self, cell: &[u8], at: usize) -> Result<Timestamp, Fault> {
        let (kind, time) = self.read(cell).map_err(|error| not_a_time(cell, at, error))?;
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

    /// Whether a cell looks like a time, be it one that does not fit.
    #[cold]
    pub(crate) fn is_time(&self, cell: &[u8]) -> bool {
        !matches!(self.read(cell), Err(TimeError::NotATime))
    }

    /// The time written in a cell, if it is one of the kind that is settled.
    #[inline]
    pub(crate) fn parse_alike(&self, cell: &[u8]) -> Option<Timestamp> {
        self.read(cell).ok().filter(|(kind, _)| self.kind == Some(*kind)).map(|(_, time)| time)
    }

    fn read(&self, cell: &[u8]) -> Result<(TimeKind, Timestamp), TimeError> {
        if let Some(time) = self.plain(cell) {
            return Ok((TimeKind::Number, time));
        }
        let text = str::from_utf8(cell).map_err(|_| TimeError::NotATime)?;
        // What begins with a year and a dash is no number.
        let dashed = cell.len() > 4 && cell[4] == b'-' && cell[..4].iter().all(u8::is_ascii_digit);
        if dashed {
            Ok((TimeKind::DateTime, datetime::parse(text)?))
        } else {
            Ok((TimeKind::Number, self.clock.parse_number(text)?))
        }
    }

    /// A short way for plain numbers such as `12` and `12.345`; `None` says nothing.
    fn plain(&self, cell: &[u8]) -> Option<Timestamp> {
        let digits = |digits: &[u8]| {
            let value = |value: i64, digit: &u8| digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0'));
            if (1..=15).contains(&digits.len()) { digits.iter().try_fold(0, value) } else { None }
        };
        let Some(point) = cell.iter().position(|&byte| byte == b'.') else {
            return digits(cell).map(|number| self.whole(number));
        };
        let fraction = &cell[point + 1..];
        // Within these limits nothing overflows 64 bits; what is finer than a tick is left to the long way.
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
        TimeError::NotATime => fault.help("times are written like `12`, `12.5` or `2024-05-01T12:30:00.25Z`"),
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
        assert_eq!(choose(&["event", "when"]), None);
        assert!(is_usual_field(b"TimeStamp", USUAL_FIELDS) && !is_usual_field(b"times", USUAL_FIELDS));
    }

    #[test]
    fn the_short_way_agrees_with_the_long_one() {
        for unit in Unit::ALL.into_iter().map(Some).chain([None]) {
            let clock = Clock::new(unit);
            let times = Times::new(clock);
            for text in
                ["0", "12", "007", "12.5", "0.25", "12.000000001", "999999999999999", "1.", ".5", "1.2.3", "", "1e3"]
            {
                if let Some(time) = times.plain(text.as_bytes()) {
                    assert_eq!(clock.parse_number(text), Ok(time), "{text} {unit:?}");
                }
            }
        }
        assert!(Times::new(Clock::default()).plain(b"12.345").is_some());
    }

    #[test]
    fn the_first_time_settles_the_kind() {
        let mut times = Times::new(Clock::default());
        assert_eq!(times.parse(b"2.5", 0).unwrap().ticks(), 2_500_000_000);
        assert_eq!(times.parse(b"-3", 0).unwrap(), times.whole(-3));
        assert_eq!(times.parse(b"2024-05-01", 0).unwrap_err().code(), Code::MixedTimes);
        assert_eq!(times.kind(), Some(TimeKind::Number));
        let mut times = Times::new(Clock::default());
        assert_eq!(times.parse(b"1970-01-01T00:00:01Z", 0).unwrap().ticks(), 1_000_000_000);
        assert_eq!(times.parse(b"7", 0).unwrap_err().code(), Code::MixedTimes);
        for bad in [&b""[..], b"x", b"2024-13-01", b"1.2.3", b"\xFF", b"1e99", b"0.0000000001"] {
            assert_eq!(times.parse(bad, 0).unwrap_err().code(), Code::NotATime, "{bad:?}");
        }
    }
}
