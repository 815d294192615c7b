// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times of pushed events, in the forms that programs have.

use std::borrow::Cow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gnomon_core::time::{Clock, TimeKind, Timestamp};

/// The time of an event, converted from the type in which a program has it.
///
/// | type | meaning |
/// |---|---|
/// | integers and floats | a number in the unit that the spec declares (`time in ms`), or without a unit |
/// | [`Duration`] | the time since a start that the program chooses |
/// | [`SystemTime`] | a date-time |
/// | `&str`, `String` | a number or a date-time, as in a log: `"2.5"`, `"2026-11-16T11:42:20Z"` |
/// | `()` | none: the index of the event is its time |
///
/// All times of a monitor are of one kind: numbers (including durations), date-times, or none.
#[derive(Clone, PartialEq, Debug)]
pub struct Time<'a>(pub(super) TimeForm<'a>);

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TimeForm<'a> {
    Index,
    Whole(i64),
    /// Nanoseconds since a start.
    Elapsed(i128),
    /// Nanoseconds since 1970.
    SinceEpoch(i128),
    /// Anything else, parsed as in a file.
    Text(Cow<'a, str>),
}

impl TimeForm<'_> {
    /// Returns the timestamp and its kind; `None` for a text, which is parsed elsewhere, and for no time.
    pub(super) fn resolve(&self, clock: Clock) -> Option<(Timestamp, TimeKind)> {
        match self {
            TimeForm::Index | TimeForm::Text(_) => None,
            TimeForm::Whole(number) => Some((clock.whole(*number), TimeKind::Number)),
            TimeForm::Elapsed(nanos) => Some((Timestamp::from_ticks(*nanos), TimeKind::Number)),
            TimeForm::SinceEpoch(nanos) => Some((Timestamp::from_ticks(*nanos), TimeKind::DateTime)),
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let TimeForm::Text(text) = self { Some(text) } else { None }
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Time<'_> {
            fn from(number: $integer) -> Self {
                Time(TimeForm::Whole(i64::from(number)))
            }
        }
    )*};
}

from_integers!(i8 i16 i32 i64 u8 u16 u32);

macro_rules! from_numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for Time<'_> {
            /// Converts to the digits of the number; one that is out of range is refused when it is used.
            fn from(number: $number) -> Self {
                Time(TimeForm::Text(Cow::Owned(number.to_string())))
            }
        }
    )*};
}

from_numbers!(u64 usize isize i128 f32 f64);

impl From<()> for Time<'_> {
    fn from((): ()) -> Self {
        Time(TimeForm::Index)
    }
}

impl From<Duration> for Time<'_> {
    fn from(elapsed: Duration) -> Self {
        Time(TimeForm::Elapsed(elapsed.as_nanos() as i128))
    }
}

impl From<SystemTime> for Time<'_> {
    fn from(time: SystemTime) -> Self {
        let nanos = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_nanos() as i128,
            Err(error) => -(error.duration().as_nanos() as i128),
        };
        Time(TimeForm::SinceEpoch(nanos))
    }
}

impl<'a> From<&'a str> for Time<'a> {
    fn from(text: &'a str) -> Self {
        Time(TimeForm::Text(Cow::Borrowed(text)))
    }
}

impl<'a> From<&'a String> for Time<'a> {
    fn from(text: &'a String) -> Self {
        Time(TimeForm::Text(Cow::Borrowed(text)))
    }
}

impl From<String> for Time<'_> {
    fn from(text: String) -> Self {
        Time(TimeForm::Text(Cow::Owned(text)))
    }
}
