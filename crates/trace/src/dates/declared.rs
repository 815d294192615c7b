// SPDX-License-Identifier: MIT OR Apache-2.0
//! Date-times in a declared format, and time zones.

use gnomon_core::datetime::{WrittenTime, ZoneOffsets};
use gnomon_core::time::{TimeError, Timestamp};
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneTransition};

use super::{DeclaredTime, LocalOffset};

/// A zone of the time zone database.
#[derive(Clone, Debug)]
pub(super) struct Zone(TimeZone);

impl Zone {
    /// Finds a zone by its name, such as `Europe/Berlin`.
    pub(super) fn find(name: &str) -> Result<Zone, String> {
        TimeZone::get(name).map(Zone).map_err(|_| "the time zone database does not have this zone".to_owned())
    }

    /// Returns the offsets from 1900 to 2200.
    pub(super) fn offsets(&self) -> ZoneOffsets {
        let second = |text: &str| text.parse().unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let (first, last) = (second("1900-01-01T00:00:00Z"), second("2200-01-01T00:00:00Z"));
        let changes = self.0.following(first).take_while(|change| change.timestamp() < last);
        let change = |change: TimeZoneTransition<'_>| {
            (Timestamp::from_ticks(change.timestamp().as_nanosecond()), change.offset().seconds())
        };
        ZoneOffsets::new(self.0.to_offset(first).seconds(), changes.map(change).collect())
    }

    /// Returns the offset at a local time, which is given as seconds since 1970.
    pub(super) fn offset_at(&self, second: i64) -> Result<LocalOffset, TimeError> {
        let civil = jiff::Timestamp::from_second(second).map_err(|_| TimeError::TooLarge)?;
        let seconds = |offset: Offset| i64::from(offset.seconds());
        Ok(match self.0.to_ambiguous_timestamp(Offset::UTC.to_datetime(civil)).offset() {
            AmbiguousOffset::Unambiguous { offset } => LocalOffset::Certain(seconds(offset)),
            AmbiguousOffset::Gap { before, .. } => LocalOffset::Skipped { before: seconds(before) },
            AmbiguousOffset::Fold { before, after } => {
                LocalOffset::Repeated { before: seconds(before), after: seconds(after) }
            }
        })
    }
}

/// Checks a format of `strptime`.
pub(super) fn check_format(format: &str) -> Result<(), String> {
    let example = jiff::Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
    strtime::format(format, &example).map(drop).map_err(|error| error.to_string())
}

/// Parses a date-time in a format of `strptime`.
pub(super) fn parse_declared(format: &str, text: &str) -> Result<DeclaredTime, TimeError> {
    let mut parsed = BrokenDownTime::parse(format, text.trim_ascii()).map_err(|_| TimeError::NotATime)?;
    if let Ok(time) = parsed.to_timestamp() {
        let offset = parsed.offset().map_or(0, |offset| i64::from(offset.seconds()));
        return Ok(DeclaredTime::Exact(time.as_nanosecond(), offset));
    }
    let has_date = parsed.month().is_some() || parsed.day().is_some() || parsed.day_of_year().is_some();
    if !has_date && parsed.year().is_none() {
        let time = parsed.to_time().map_err(|_| TimeError::NotATime)?;
        return Ok(DeclaredTime::TimeOfDay(time.duration_since(jiff::civil::Time::midnight()).as_nanos()));
    }
    let has_year = parsed.year().is_some();
    if !has_year {
        // Any leap year will do.
        parsed.set_year(Some(2_024)).map_err(|_| TimeError::NotATime)?;
    }
    let date = parsed.to_date().map_err(|_| TimeError::NotATime)?;
    let time = match parsed.hour() {
        Some(_) => parsed.to_time().map_err(|_| TimeError::NotATime)?,
        None => jiff::civil::Time::midnight(),
    };
    let part = |part: i8| i64::from(part);
    Ok(DeclaredTime::Local(WrittenTime {
        year: has_year.then(|| i64::from(date.year())),
        month: part(date.month()),
        day: part(date.day()),
        second_of_day: part(time.hour()) * 3_600 + part(time.minute()) * 60 + part(time.second()),
        nanos: i64::from(time.subsec_nanosecond()),
        offset: parsed.offset().map(|offset| i64::from(offset.seconds())),
        ..WrittenTime::default()
    }))
}
