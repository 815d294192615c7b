// SPDX-License-Identifier: MIT OR Apache-2.0
//! Column builders: collect the cells of a column until a batch is full.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Decimal128Builder, Float64Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
    TimestampNanosecondBuilder,
};
use arrow_schema::{DataType, TimeUnit};
use gnomon_core::number::Number;
use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;

use crate::column_profile::{ColumnType, PRECISION};
use crate::writer::{EventTime, json_text};

/// Collects the cells of a column.
pub(super) enum CellBuilder {
    Bool(BooleanBuilder),
    Text(StringBuilder),
    Whole(Int64Builder),
    Float(Float64Builder),
    Decimal(Decimal128Builder, u8),
    Json(StringBuilder),
    Micros(TimestampMicrosecondBuilder),
    Nanos(TimestampNanosecondBuilder),
}

impl ColumnType {
    pub(super) fn data_type(self) -> DataType {
        match self {
            ColumnType::Bool => DataType::Boolean,
            ColumnType::Text | ColumnType::Json => DataType::Utf8,
            ColumnType::Whole => DataType::Int64,
            ColumnType::Float => DataType::Float64,
            ColumnType::Decimal { scale } => DataType::Decimal128(PRECISION, scale.cast_signed()),
            ColumnType::Micros => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            ColumnType::Nanos => DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        }
    }

    pub(super) fn builder(self) -> CellBuilder {
        let kind = self.data_type();
        match self {
            ColumnType::Bool => CellBuilder::Bool(BooleanBuilder::new()),
            ColumnType::Text => CellBuilder::Text(StringBuilder::new()),
            ColumnType::Whole => CellBuilder::Whole(Int64Builder::new()),
            ColumnType::Float => CellBuilder::Float(Float64Builder::new()),
            ColumnType::Decimal { scale } => CellBuilder::Decimal(Decimal128Builder::new().with_data_type(kind), scale),
            ColumnType::Json => CellBuilder::Json(StringBuilder::new()),
            ColumnType::Micros => CellBuilder::Micros(TimestampMicrosecondBuilder::new().with_data_type(kind)),
            ColumnType::Nanos => CellBuilder::Nanos(TimestampNanosecondBuilder::new().with_data_type(kind)),
        }
    }
}

/// Calls a method of the builder inside.
macro_rules! delegate {
    ($cells:expr, $builder:ident => $call:expr) => {
        match $cells {
            CellBuilder::Bool($builder) => $call,
            CellBuilder::Text($builder) | CellBuilder::Json($builder) => $call,
            CellBuilder::Whole($builder) => $call,
            CellBuilder::Float($builder) => $call,
            CellBuilder::Decimal($builder, _) => $call,
            CellBuilder::Micros($builder) => $call,
            CellBuilder::Nanos($builder) => $call,
        }
    };
}

impl CellBuilder {
    /// Adds a value; returns false if it does not fit.
    pub(super) fn add(&mut self, value: &Value<'_>) -> bool {
        match (self, value) {
            (CellBuilder::Bool(cells), Value::Bool(value)) => cells.append_value(*value),
            (CellBuilder::Text(cells), Value::Text(text)) => cells.append_value(text),
            (CellBuilder::Whole(cells), Value::Number(Number::Int(number))) => cells.append_value(*number),
            (CellBuilder::Float(cells), Value::Number(number))
                if Number::from_f64(number.to_f64()) == Some(*number) =>
            {
                cells.append_value(number.to_f64());
            }
            (CellBuilder::Decimal(cells, scale), Value::Number(number)) => match scaled(*number, *scale) {
                Some(digits) => cells.append_value(digits),
                None => return false,
            },
            (CellBuilder::Json(cells), value) => cells.append_value(json_text(value)),
            _ => return false,
        }
        true
    }

    /// Adds a time; returns false if it does not fit.
    pub(super) fn add_time(&mut self, event_time: &EventTime<'_>) -> bool {
        let ticks = event_time.time.ticks();
        let is_date = event_time.kind == TimeKind::DateTime;
        let whole = |ticks_per_cell: i128| {
            if ticks % ticks_per_cell == 0 { i64::try_from(ticks / ticks_per_cell).ok() } else { None }
        };
        match self {
            CellBuilder::Whole(cells) if !is_date => {
                whole(event_time.clock.ticks_per_unit()).map(|number| cells.append_value(number)).is_some()
            }
            CellBuilder::Decimal(cells, scale) if !is_date => {
                let number = Number::parse(&event_time.clock.print_number(event_time.time)).ok();
                let digits = number.and_then(|number| scaled(number, *scale));
                digits.map(|digits| cells.append_value(digits)).is_some()
            }
            CellBuilder::Micros(cells) if is_date => whole(1_000).map(|number| cells.append_value(number)).is_some(),
            CellBuilder::Nanos(cells) if is_date => whole(1).map(|number| cells.append_value(number)).is_some(),
            CellBuilder::Text(cells) => {
                cells.append_value(event_time.text());
                true
            }
            _ => false,
        }
    }

    pub(super) fn add_null(&mut self) {
        delegate!(self, cells => cells.append_null());
    }

    pub(super) fn is_json(&self) -> bool {
        matches!(self, CellBuilder::Json(_))
    }

    /// Returns the cells since the last call.
    pub(super) fn finish(&mut self) -> ArrayRef {
        delegate!(self, cells => Arc::new(cells.finish()))
    }
}

/// Returns a number as a whole number of units of `10^-scale`; `None` if it is not one.
fn scaled(number: Number, scale: u8) -> Option<i128> {
    let (mantissa, places) = number.parts()?;
    let more = u32::from(scale).checked_sub(places)?;
    mantissa.checked_mul(10_i128.checked_pow(more)?)
}
