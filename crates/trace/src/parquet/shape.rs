// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which type a column must have, so that it can carry all that was seen of a field.

use arrow_schema::{DataType, TimeUnit};
use gnomon_core::number::Number;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;

use crate::arrow::number;

/// As many digits as a decimal has at most.
pub(super) const PRECISION: u8 = 38;

/// What was seen of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of kinds")]
pub(crate) struct Shape {
    is_bool: bool,
    is_text: bool,
    is_whole: bool,
    is_decimal: bool,
    is_float: bool,
    is_nested: bool,
    /// A number that a column of floats would not give back.
    is_inexact: bool,
    scale: u8,
}

/// The type of a field's column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Text,
    Whole,
    Float,
    Decimal {
        scale: u8,
    },
    /// Values of several types, lists or maps: each as a text of JSON, and the column says so.
    Json,
}

impl Shape {
    pub(crate) fn see(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => {}
            Value::Bool(_) => self.is_bool = true,
            Value::Text(_) => self.is_text = true,
            Value::List(_) | Value::Map(_) => self.is_nested = true,
            Value::Number(seen) => {
                match seen {
                    Number::Int(_) => self.is_whole = true,
                    Number::Decimal { scale, .. } => {
                        self.is_decimal = true;
                        self.scale = self.scale.max(*scale);
                    }
                    Number::Float(_) => self.is_float = true,
                }
                self.is_inexact |= number(seen.to_f64()) != Some(*seen);
            }
        }
    }

    pub(super) fn kind(self) -> Kind {
        let is_number = self.is_whole || self.is_decimal || self.is_float;
        match (self.is_bool, self.is_text, is_number, self.is_nested) {
            (true, false, false, false) => Kind::Bool,
            (false, true, false, false) => Kind::Text,
            (false, false, true, false) if !self.is_decimal && !self.is_float => Kind::Whole,
            (false, false, true, false) if !self.is_inexact => Kind::Float,
            (false, false, true, false) if !self.is_float => Kind::Decimal { scale: self.scale },
            _ => Kind::Json,
        }
    }
}

/// What was seen of the times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of kinds")]
pub(crate) struct TimeShape {
    is_date: bool,
    is_broken: bool,
    is_endless: bool,
    scale: u8,
    /// A date-time finer than microseconds, and one beyond the years that nanoseconds can count.
    is_fine: bool,
    is_far: bool,
}

/// The type of the column of times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimeColumn {
    Whole,
    Decimal { scale: u8 },
    Micros,
    Nanos,
    Text,
}

impl TimeShape {
    pub(crate) fn see(&mut self, time: Timestamp, kind: TimeKind, clock: Clock) {
        let ticks = time.ticks();
        if kind == TimeKind::DateTime {
            self.is_date = true;
            self.is_fine |= ticks % 1_000 != 0;
            self.is_far |= i64::try_from(ticks).is_err();
        } else if ticks % clock.ticks_per_unit() != 0 {
            self.is_broken = true;
            match Number::parse(&clock.print_number(time)) {
                Some(Number::Decimal { scale, .. }) => self.scale = self.scale.max(scale),
                Some(Number::Int(_)) => {}
                Some(Number::Float(_)) | None => self.is_endless = true,
            }
        }
    }

    pub(super) fn column(self) -> TimeColumn {
        match self {
            TimeShape { is_date: true, is_fine: false, .. } => TimeColumn::Micros,
            TimeShape { is_date: true, is_far: false, .. } => TimeColumn::Nanos,
            TimeShape { is_date: true, .. } | TimeShape { is_endless: true, .. } => TimeColumn::Text,
            TimeShape { is_broken: true, scale, .. } => TimeColumn::Decimal { scale },
            _ => TimeColumn::Whole,
        }
    }
}

impl TimeColumn {
    pub(super) fn data_type(self) -> DataType {
        match self {
            TimeColumn::Whole => DataType::Int64,
            TimeColumn::Decimal { scale } => DataType::Decimal128(PRECISION, scale.cast_signed()),
            TimeColumn::Micros => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            TimeColumn::Nanos => DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
            TimeColumn::Text => DataType::Utf8,
        }
    }
}

impl Kind {
    pub(super) fn data_type(self) -> DataType {
        match self {
            Kind::Bool => DataType::Boolean,
            Kind::Text | Kind::Json => DataType::Utf8,
            Kind::Whole => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Decimal { scale } => DataType::Decimal128(PRECISION, scale.cast_signed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_carries_all_that_was_seen() {
        let kind = |cells: &[&str]| {
            let mut shape = Shape::default();
            for cell in cells {
                shape.see(&Value::from_cell((*cell).into()));
            }
            shape.kind()
        };
        assert_eq!(kind(&["1", "null", "-9223372036854775808"]), Kind::Whole);
        assert_eq!(kind(&["1", "2.5", "1e3"]), Kind::Float);
        assert_eq!(kind(&["1", "0.1234567890123456789"]), Kind::Float);
        assert_eq!(kind(&["9007199254740993", "2.55"]), Kind::Decimal { scale: 2 });
        assert_eq!(kind(&["9007199254740993", "2.55", "1e300"]), Kind::Json);
        assert_eq!(kind(&["ann", "bob"]), Kind::Text);
        assert_eq!(kind(&["true", "false"]), Kind::Bool);
        assert_eq!(kind(&["true", "1"]), Kind::Json);
        assert_eq!(kind(&["ann", "1"]), Kind::Json);
        assert_eq!(kind(&["null"]), Kind::Json);
    }

    #[test]
    fn times_keep_every_digit() {
        let column = |kind, times: &[i128]| {
            let mut shape = TimeShape::default();
            for ticks in times {
                shape.see(Timestamp::from_ticks(*ticks), kind, Clock::default());
            }
            shape.column()
        };
        assert_eq!(column(TimeKind::Number, &[]), TimeColumn::Whole);
        assert_eq!(column(TimeKind::Number, &[1_000_000_000, -7_000_000_000]), TimeColumn::Whole);
        assert_eq!(column(TimeKind::Number, &[1_500_000_000, 1]), TimeColumn::Decimal { scale: 9 });
        assert_eq!(column(TimeKind::DateTime, &[1_000]), TimeColumn::Micros);
        assert_eq!(column(TimeKind::DateTime, &[1_001]), TimeColumn::Nanos);
        assert_eq!(column(TimeKind::DateTime, &[1_001, i128::from(i64::MAX) + 1]), TimeColumn::Text);
    }
}
