// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cells of a column, until there are enough to hand on.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Decimal128Builder, Float64Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
    TimestampNanosecondBuilder,
};
use gnomon_core::number::Number;
use gnomon_core::value::Value;

use super::shape::{Kind, TimeColumn};
use crate::writer::{Moment, json_text};

/// The cells of a field.
pub(super) enum Cells {
    Bool(BooleanBuilder),
    Text(StringBuilder),
    Whole(Int64Builder),
    Float(Float64Builder),
    Decimal(Decimal128Builder, u8),
    Json(StringBuilder),
}

/// The times.
pub(super) enum TimeCells {
    Whole(Int64Builder),
    Decimal(Decimal128Builder, u8),
    Micros(TimestampMicrosecondBuilder),
    Nanos(TimestampNanosecondBuilder),
    Text(StringBuilder),
}

impl Kind {
    pub(super) fn cells(self) -> Cells {
        match self {
            Kind::Bool => Cells::Bool(BooleanBuilder::new()),
            Kind::Text => Cells::Text(StringBuilder::new()),
            Kind::Whole => Cells::Whole(Int64Builder::new()),
            Kind::Float => Cells::Float(Float64Builder::new()),
            Kind::Decimal { scale } => Cells::Decimal(Decimal128Builder::new().with_data_type(self.data_type()), scale),
            Kind::Json => Cells::Json(StringBuilder::new()),
        }
    }
}

impl TimeColumn {
    pub(super) fn cells(self) -> TimeCells {
        let kind = self.data_type();
        match self {
            TimeColumn::Whole => TimeCells::Whole(Int64Builder::new()),
            TimeColumn::Decimal { scale } => TimeCells::Decimal(Decimal128Builder::new().with_data_type(kind), scale),
            TimeColumn::Micros => TimeCells::Micros(TimestampMicrosecondBuilder::new().with_data_type(kind)),
            TimeColumn::Nanos => TimeCells::Nanos(TimestampNanosecondBuilder::new().with_data_type(kind)),
            TimeColumn::Text => TimeCells::Text(StringBuilder::new()),
        }
    }
}

impl Cells {
    /// Adds a value; false if it does not fit.
    pub(super) fn add(&mut self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Cells::Bool(cells), Value::Bool(value)) => cells.append_value(*value),
            (Cells::Text(cells), Value::Text(text)) => cells.append_value(text),
            (Cells::Whole(cells), Value::Number(Number::Int(number))) => cells.append_value(*number),
            (Cells::Float(cells), Value::Number(number)) if crate::arrow::number(number.to_f64()) == Some(*number) => {
                cells.append_value(number.to_f64());
            }
            (Cells::Decimal(cells, scale), Value::Number(number)) => match scaled(*number, *scale) {
                Some(digits) => cells.append_value(digits),
                None => return false,
            },
            (Cells::Json(cells), value) => cells.append_value(json_text(value)),
            _ => return false,
        }
        true
    }

    pub(super) fn add_null(&mut self) {
        match self {
            Cells::Bool(cells) => cells.append_null(),
            Cells::Text(cells) | Cells::Json(cells) => cells.append_null(),
            Cells::Whole(cells) => cells.append_null(),
            Cells::Float(cells) => cells.append_null(),
            Cells::Decimal(cells, _) => cells.append_null(),
        }
    }

    pub(super) fn is_json(&self) -> bool {
        matches!(self, Cells::Json(_))
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Cells::Bool(cells) => Arc::new(cells.finish()),
            Cells::Text(cells) | Cells::Json(cells) => Arc::new(cells.finish()),
            Cells::Whole(cells) => Arc::new(cells.finish()),
            Cells::Float(cells) => Arc::new(cells.finish()),
            Cells::Decimal(cells, _) => Arc::new(cells.finish()),
        }
    }
}

impl TimeCells {
    /// Adds a time; false if it does not fit.
    pub(super) fn add(&mut self, moment: &Moment<'_>) -> bool {
        use gnomon_core::time::TimeKind::DateTime;
        let ticks = moment.time.ticks();
        let per_unit = moment.clock.ticks_per_unit();
        let is_date = moment.kind == DateTime;
        let whole = |divisor: i128| {
            if ticks % divisor == 0 { i64::try_from(ticks / divisor).ok() } else { None }
        };
        match self {
            TimeCells::Whole(cells) if !is_date => match whole(per_unit) {
                Some(number) => cells.append_value(number),
                None => return false,
            },
            TimeCells::Decimal(cells, scale) if !is_date => {
                let number = Number::parse(&moment.clock.print_number(moment.time));
                match number.and_then(|number| scaled(number, *scale)) {
                    Some(digits) => cells.append_value(digits),
                    None => return false,
                }
            }
            TimeCells::Micros(cells) if is_date => match whole(1_000) {
                Some(number) => cells.append_value(number),
                None => return false,
            },
            TimeCells::Nanos(cells) if is_date => match whole(1) {
                Some(number) => cells.append_value(number),
                None => return false,
            },
            TimeCells::Text(cells) => cells.append_value(moment.text()),
            _ => return false,
        }
        true
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            TimeCells::Whole(cells) => Arc::new(cells.finish()),
            TimeCells::Decimal(cells, _) => Arc::new(cells.finish()),
            TimeCells::Micros(cells) => Arc::new(cells.finish()),
            TimeCells::Nanos(cells) => Arc::new(cells.finish()),
            TimeCells::Text(cells) => Arc::new(cells.finish()),
        }
    }
}

/// An exact number in units of this many places, if it is a whole number of them.
fn scaled(number: Number, scale: u8) -> Option<i128> {
    let (mantissa, places) = number.parts()?;
    let more = u32::from(scale).checked_sub(places)?;
    mantissa.checked_mul(10_i128.checked_pow(more)?)
}
