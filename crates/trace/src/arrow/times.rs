// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times of many rows. A column of any type gives the times that its text form would give.

use std::ops::Range;

use arrow_array::Array;
use gnomon_core::number::Number;
use gnomon_core::time::{TimeError, Timestamp};
use gnomon_core::value::Value;
use gnomon_scan::{Code, Fault};

use super::column::{Column, ColumnValues};
use crate::state::no_time;
use crate::times::{TimeParser, not_a_time};

/// The years 0 to 9999 in nanoseconds: the range of date-times in text.
const CALENDAR: Range<i128> = -62_167_219_200_000_000_000..253_402_300_800_000_000_000;

/// Appends the times of these rows. A fault is that of the row after the last one appended.
pub(super) fn append(
    column: &Column,
    rows: Range<usize>,
    times: &mut TimeParser,
    into: &mut Vec<Timestamp>,
) -> Result<(), Fault> {
    match &column.cells {
        ColumnValues::I64(array) if array.null_count() == 0 => {
            times.expect_numbers()?;
            into.extend(array.values()[rows].iter().map(|&number| times.whole(number)));
        }
        ColumnValues::Temporal { units, nanos, form } if form.is_date() => {
            times.expect_dates()?;
            for row in rows {
                if units.is_null(row) {
                    return Err(no_time(0));
                }
                into.push(date(units.value(row), *nanos)?);
            }
        }
        _ if column.is_text() => {
            for row in rows {
                let text = column.text(row).ok_or_else(|| no_time(0))?;
                let text = text.trim_ascii().as_bytes();
                into.push(match times.parse_alike(text) {
                    Some(time) => time,
                    None => times.parse(text, 0)?,
                });
            }
        }
        _ if column.is_number() => {
            times.expect_numbers()?;
            for row in rows {
                into.push(match column.number(row).ok_or_else(|| no_time(0))? {
                    Number::Int(number) => times.whole(number),
                    other => times.parse(other.to_string().as_bytes(), 0)?,
                });
            }
        }
        ColumnValues::Dictionary { .. } | ColumnValues::Json(_) => {
            for row in rows {
                let text = match column.value(row).ok_or_else(|| no_time(0))? {
                    Value::Text(text) => text,
                    other => other.to_string().into(),
                };
                into.push(times.parse(text.as_bytes(), 0)?);
            }
        }
        ColumnValues::Absent if rows.is_empty() => {}
        ColumnValues::Absent => return Err(no_time(0)),
        _ => {
            return Err(Fault::new(Code::ColumnType, 0, "the times are neither numbers, dates nor texts")
                .help("choose another column with `--time COLUMN`, or make timestamps of the times"));
        }
    }
    Ok(())
}

#[inline]
fn date(units: i64, nanos: i64) -> Result<Timestamp, Fault> {
    let ticks = i128::from(units) * i128::from(nanos);
    if CALENDAR.contains(&ticks) { Ok(Timestamp::from_ticks(ticks)) } else { Err(too_large(units)) }
}

#[cold]
fn too_large(units: i64) -> Fault {
    not_a_time(units.to_string().as_bytes(), 0, TimeError::TooLarge)
}

#[cfg(test)]
mod tests {
    use gnomon_core::datetime;

    use super::*;

    #[test]
    fn the_calendar_ends_where_that_of_texts_does() {
        let ticks = |text: &str| datetime::parse(text).unwrap().ticks();
        assert_eq!(ticks("0000-01-01T00:00:00Z"), CALENDAR.start);
        assert_eq!(ticks("9999-12-31T23:59:59.999999999Z") + 1, CALENDAR.end);
        assert!(date(i64::MAX, 1_000_000_000).is_err() && date(-1, 1).is_ok());
    }
}
