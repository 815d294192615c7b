// SPDX-License-Identifier: MIT OR Apache-2.0
//! Determines the type of a column that can represent all values of a field.

use gnomon_core::number::Number;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;

/// The values of a field so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of kinds")]
pub(crate) struct ColumnProfile {
    is_bool: bool,
    is_text: bool,
    is_whole: bool,
    is_decimal: bool,
    is_float: bool,
    is_nested: bool,
    /// True for a number that a column of floats would change.
    is_inexact: bool,
    scale: u8,
    /// The most digits before the decimal point.
    whole_digits: u32,
}

/// The most digits that a column of decimals can have.
pub(crate) const PRECISION: u8 = 38;

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColumnType {
    Bool,
    Text,
    Whole,
    Float,
    Decimal {
        scale: u8,
    },
    /// Values of several types, lists or maps: each a text of JSON, marked as such in the schema.
    Json,
    /// Times in microseconds since 1970.
    Micros,
    /// Times in nanoseconds since 1970.
    Nanos,
}

impl ColumnProfile {
    pub(crate) fn add(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => {}
            Value::Bool(_) => self.is_bool = true,
            Value::Text(_) => self.is_text = true,
            Value::List(_) | Value::Map(_) => self.is_nested = true,
            Value::Number(found) => {
                match found {
                    Number::Int(_) => self.is_whole = true,
                    // A long whole number too: it does not fit a column of 64 bits.
                    Number::Decimal { scale, .. } => {
                        self.is_decimal = true;
                        self.scale = self.scale.max(*scale);
                    }
                    Number::Float(_) => self.is_float = true,
                }
                if let Some((mantissa, scale)) = found.parts() {
                    let digits = mantissa.unsigned_abs().checked_ilog10().map_or(0, |power| power + 1);
                    self.whole_digits = self.whole_digits.max(digits.saturating_sub(scale));
                }
                self.is_inexact |= Number::from_f64(found.to_f64()) != Some(*found);
            }
        }
    }

    pub(crate) fn kind(self) -> ColumnType {
        let is_number = self.is_whole || self.is_decimal || self.is_float;
        match (self.is_bool, self.is_text, is_number, self.is_nested) {
            (true, false, false, false) => ColumnType::Bool,
            (false, true, false, false) => ColumnType::Text,
            (false, false, true, false) if !self.is_decimal && !self.is_float => ColumnType::Whole,
            (false, false, true, false) if !self.is_inexact => ColumnType::Float,
            (false, false, true, false)
                if !self.is_float && self.whole_digits + u32::from(self.scale) <= u32::from(PRECISION) =>
            {
                ColumnType::Decimal { scale: self.scale }
            }
            _ => ColumnType::Json,
        }
    }
}

/// The times so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of kinds")]
pub(crate) struct TimeProfile {
    is_date: bool,
    is_broken: bool,
    is_endless: bool,
    scale: u8,
    /// True for a date-time finer than microseconds, and for one beyond the range of nanoseconds in 64 bits.
    is_fine: bool,
    is_far: bool,
}

impl TimeProfile {
    pub(crate) fn add(&mut self, time: Timestamp, kind: TimeKind, clock: Clock) {
        let ticks = time.ticks();
        if kind == TimeKind::DateTime {
            self.is_date = true;
            self.is_fine |= ticks % 1_000 != 0;
            self.is_far |= i64::try_from(ticks).is_err();
        } else if ticks % clock.ticks_per_unit() != 0 {
            self.is_broken = true;
            match Number::parse(&clock.print_number(time)) {
                Ok(Number::Decimal { scale, .. }) => self.scale = self.scale.max(scale),
                Ok(Number::Int(_)) => {}
                Ok(Number::Float(_)) | Err(_) => self.is_endless = true,
            }
        }
    }

    pub(crate) fn column(self) -> ColumnType {
        match self {
            TimeProfile { is_date: true, is_fine: false, .. } => ColumnType::Micros,
            TimeProfile { is_date: true, is_far: false, .. } => ColumnType::Nanos,
            TimeProfile { is_date: true, .. } | TimeProfile { is_endless: true, .. } => ColumnType::Text,
            TimeProfile { is_broken: true, scale, .. } => ColumnType::Decimal { scale },
            _ => ColumnType::Whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_represents_all_values() {
        let kind = |cells: &[&str]| {
            let mut shape = ColumnProfile::default();
            for cell in cells {
                shape.add(&Value::from_cell((*cell).into()));
            }
            shape.kind()
        };
        assert_eq!(kind(&["1", "null", "-9223372036854775808"]), ColumnType::Whole);
        assert_eq!(kind(&["1", "2.5", "1e3"]), ColumnType::Float);
        assert_eq!(kind(&["1", "0.1234567890123456789"]), ColumnType::Decimal { scale: 19 });
        assert_eq!(kind(&["1", "18446744073709551617"]), ColumnType::Decimal { scale: 0 });
        assert_eq!(kind(&["170141183460469231731687303715884105727", "1.5"]), ColumnType::Json);
        assert_eq!(kind(&["1e-38", "18446744073709551617"]), ColumnType::Json);
        assert_eq!(kind(&["1.5", "1e300"]), ColumnType::Float);
        assert_eq!(kind(&["9007199254740993", "2.55"]), ColumnType::Decimal { scale: 2 });
        assert_eq!(kind(&["9007199254740993", "2.55", "1e300"]), ColumnType::Json);
        assert_eq!(kind(&["ann", "bob"]), ColumnType::Text);
        assert_eq!(kind(&["true", "false"]), ColumnType::Bool);
        assert_eq!(kind(&["true", "1"]), ColumnType::Json);
        assert_eq!(kind(&["ann", "1"]), ColumnType::Json);
        assert_eq!(kind(&["null"]), ColumnType::Json);
    }

    #[test]
    fn times_keep_every_digit() {
        let column = |kind, times: &[i128]| {
            let mut shape = TimeProfile::default();
            for ticks in times {
                shape.add(Timestamp::from_ticks(*ticks), kind, Clock::default());
            }
            shape.column()
        };
        assert_eq!(column(TimeKind::Number, &[]), ColumnType::Whole);
        assert_eq!(column(TimeKind::Number, &[1_000_000_000, -7_000_000_000]), ColumnType::Whole);
        assert_eq!(column(TimeKind::Number, &[1_500_000_000, 1]), ColumnType::Decimal { scale: 9 });
        assert_eq!(column(TimeKind::DateTime, &[1_000]), ColumnType::Micros);
        assert_eq!(column(TimeKind::DateTime, &[1_001]), ColumnType::Nanos);
        assert_eq!(column(TimeKind::DateTime, &[1_001, i128::from(i64::MAX) + 1]), ColumnType::Text);
    }
}
