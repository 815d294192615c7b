// SPDX-License-Identifier: MIT OR Apache-2.0
//! One column of a batch, its type known once: values are made of its cells when asked for, and texts stay where they are.

use std::borrow::Cow;
use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{
    Array, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array, FixedSizeBinaryArray,
    Float16Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray,
    LargeStringArray, StringArray, StringViewArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::extension::{EXTENSION_TYPE_NAME_KEY, ExtensionType, Json as JsonType};
use arrow_schema::{DataType, Field, TimeUnit};
use gnomon_core::datetime;
use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;

use super::float;
use crate::message::Json;

/// How deep lists and structs may lie in one another.
const DEEPEST: usize = 128;

/// A column whose cells can be asked for. INVARIANT: rows that are asked for are below the length of the array.
pub(super) enum Column {
    /// Nobody asks for it, or nothing is in it.
    Absent,
    Bool(BooleanArray),
    I8(Int8Array),
    I16(Int16Array),
    I32(Int32Array),
    I64(Int64Array),
    U8(UInt8Array),
    U16(UInt16Array),
    U32(UInt32Array),
    U64(UInt64Array),
    F16(Float16Array),
    F32(Float32Array),
    F64(Float64Array),
    Decimal {
        digits: Decimal128Array,
        scale: i8,
    },
    LongDecimal(Decimal256Array),
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    FixedBinary(FixedSizeBinaryArray),
    /// Days since 1970.
    Date(Date32Array),
    /// So many times so many nanoseconds since 1970.
    Moment {
        units: Int64Array,
        nanos: i64,
        zoned: bool,
    },
    /// Nanoseconds since midnight, or of a duration, in some unit.
    Span {
        units: Int64Array,
        nanos: i64,
        of_day: bool,
    },
    Dictionary {
        keys: Keys,
        values: Box<Column>,
        length: usize,
    },
    List {
        ends: Ends,
        nulls: Option<NullBuffer>,
        items: Box<Column>,
    },
    Struct {
        nulls: Option<NullBuffer>,
        fields: Vec<(String, Column)>,
    },
    Map {
        ends: Ends,
        nulls: Option<NullBuffer>,
        keys: Box<Column>,
        values: Box<Column>,
    },
    /// Texts that say themselves that they are JSON.
    Json(Box<Column>),
}

/// Which entry of a dictionary each row has.
pub(super) struct Keys {
    pub(super) nulls: Option<NullBuffer>,
    pub(super) kind: KeyKind,
}

pub(super) enum KeyKind {
    Usual(ScalarBuffer<i32>),
    Other(Vec<usize>),
}

/// Where the items of each row are.
pub(super) enum Ends {
    Short(ScalarBuffer<i32>),
    Long(ScalarBuffer<i64>),
    Fixed(usize),
}

/// A type that no value can be made of.
#[derive(Debug)]
pub(super) struct Unsupported(pub(super) String);

impl Column {
    /// The column of this array.
    pub(super) fn new(field: &Field, array: &dyn Array) -> Result<Column, Unsupported> {
        Column::nested(field, array, 0)
    }

    fn nested(field: &Field, array: &dyn Array, depth: usize) -> Result<Column, Unsupported> {
        if depth > DEEPEST {
            return Err(Unsupported(format!("{DEEPEST} lists or structs in one another")));
        }
        let column = Column::plain(array, depth)?;
        let is_json = field.metadata().get(EXTENSION_TYPE_NAME_KEY).is_some_and(|name| name == JsonType::NAME);
        Ok(if is_json { Column::Json(Box::new(column)) } else { column })
    }

    fn plain(array: &dyn Array, depth: usize) -> Result<Column, Unsupported> {
        let unsupported = || Err(Unsupported(array.data_type().to_string()));
        let moment = |units: Int64Array, nanos, zoned| Column::Moment { units, nanos, zoned };
        let span = |units: Int64Array, nanos, of_day| Column::Span { units, nanos, of_day };
        Ok(match array.data_type() {
            DataType::Null => Column::Absent,
            DataType::Boolean => Column::Bool(array.as_boolean().clone()),
            DataType::Int8 => Column::I8(array.as_primitive().clone()),
            DataType::Int16 => Column::I16(array.as_primitive().clone()),
            DataType::Int32 => Column::I32(array.as_primitive().clone()),
            DataType::Int64 => Column::I64(array.as_primitive().clone()),
            DataType::UInt8 => Column::U8(array.as_primitive().clone()),
            DataType::UInt16 => Column::U16(array.as_primitive().clone()),
            DataType::UInt32 => Column::U32(array.as_primitive().clone()),
            DataType::UInt64 => Column::U64(array.as_primitive().clone()),
            DataType::Float16 => Column::F16(array.as_primitive().clone()),
            DataType::Float32 => Column::F32(array.as_primitive().clone()),
            DataType::Float64 => Column::F64(array.as_primitive().clone()),
            DataType::Decimal32(_, scale) => {
                let digits = array.as_primitive::<Decimal32Type>().unary(i128::from);
                Column::Decimal { digits, scale: *scale }
            }
            DataType::Decimal64(_, scale) => {
                let digits = array.as_primitive::<Decimal64Type>().unary(i128::from);
                Column::Decimal { digits, scale: *scale }
            }
            DataType::Decimal128(_, scale) => {
                Column::Decimal { digits: array.as_primitive::<Decimal128Type>().clone(), scale: *scale }
            }
            DataType::Decimal256(..) => Column::LongDecimal(array.as_primitive().clone()),
            DataType::Utf8 => Column::Text(array.as_string().clone()),
            DataType::LargeUtf8 => Column::LargeText(array.as_string().clone()),
            DataType::Utf8View => Column::TextView(array.as_string_view().clone()),
            DataType::Binary => Column::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Column::LargeBinary(array.as_binary().clone()),
            DataType::FixedSizeBinary(_) => Column::FixedBinary(array.as_fixed_size_binary().clone()),
            DataType::Date32 => Column::Date(array.as_primitive().clone()),
            DataType::Date64 => {
                moment(array.as_primitive::<Date64Type>().reinterpret_cast::<Int64Type>(), 1_000_000, false)
            }
            DataType::Timestamp(unit, zone) => {
                let units = match unit {
                    TimeUnit::Second => array.as_primitive::<TimestampSecondType>().reinterpret_cast::<Int64Type>(),
                    TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().reinterpret_cast(),
                    TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().reinterpret_cast(),
                    TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().reinterpret_cast(),
                };
                moment(units, nanos(*unit), zone.is_some())
            }
            DataType::Time32(unit @ TimeUnit::Second) => {
                span(array.as_primitive::<Time32SecondType>().unary(i64::from), nanos(*unit), true)
            }
            DataType::Time32(unit) if *unit == TimeUnit::Millisecond => {
                span(array.as_primitive::<Time32MillisecondType>().unary(i64::from), nanos(*unit), true)
            }
            DataType::Time64(unit @ TimeUnit::Microsecond) => {
                span(array.as_primitive::<Time64MicrosecondType>().reinterpret_cast(), nanos(*unit), true)
            }
            DataType::Time64(unit) if *unit == TimeUnit::Nanosecond => {
                span(array.as_primitive::<Time64NanosecondType>().reinterpret_cast(), nanos(*unit), true)
            }
            DataType::Duration(unit) => {
                let units = match unit {
                    TimeUnit::Second => array.as_primitive::<DurationSecondType>().reinterpret_cast::<Int64Type>(),
                    TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().reinterpret_cast(),
                    TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().reinterpret_cast(),
                    TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().reinterpret_cast(),
                };
                span(units, nanos(*unit), false)
            }
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = dictionary.values();
                if values.is_empty() {
                    return Ok(Column::Absent);
                }
                let kind = match dictionary.keys().as_primitive_opt::<arrow_array::types::Int32Type>() {
                    Some(keys) => KeyKind::Usual(keys.values().clone()),
                    None => KeyKind::Other(dictionary.normalized_keys()),
                };
                let keys = Keys { nulls: dictionary.keys().nulls().cloned(), kind };
                let entry = Field::new("", values.data_type().clone(), true);
                let column = Column::nested(&entry, values, depth + 1)?;
                Column::Dictionary { keys, values: Box::new(column), length: values.len() }
            }
            DataType::List(item) => {
                let list = array.as_list::<i32>();
                let items = Box::new(Column::nested(item, list.values(), depth + 1)?);
                Column::List { ends: Ends::Short(list.offsets().inner().clone()), nulls: list.nulls().cloned(), items }
            }
            DataType::LargeList(item) => {
                let list = array.as_list::<i64>();
                let items = Box::new(Column::nested(item, list.values(), depth + 1)?);
                Column::List { ends: Ends::Long(list.offsets().inner().clone()), nulls: list.nulls().cloned(), items }
            }
            DataType::FixedSizeList(item, length) => {
                let list = array.as_fixed_size_list();
                let items = Box::new(Column::nested(item, list.values(), depth + 1)?);
                let length = usize::try_from(*length).unwrap_or(0);
                Column::List { ends: Ends::Fixed(length), nulls: list.nulls().cloned(), items }
            }
            DataType::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                let named =
                    columns.map(|(field, array)| Ok((field.name().clone(), Column::nested(field, array, depth + 1)?)));
                let fields = named.collect::<Result<_, Unsupported>>()?;
                Column::Struct { nulls: array.nulls().cloned(), fields }
            }
            DataType::Map(entry, _) => {
                let map = array.as_map();
                let DataType::Struct(parts) = entry.data_type() else { return unsupported() };
                let [key, value] = &parts[..] else { return unsupported() };
                let keys = Box::new(Column::nested(key, map.keys(), depth + 1)?);
                let values = Box::new(Column::nested(value, map.values(), depth + 1)?);
                let ends = Ends::Short(map.offsets().inner().clone());
                Column::Map { ends, nulls: map.nulls().cloned(), keys, values }
            }
            _ => return unsupported(),
        })
    }

    /// The value in a row; a null is none.
    #[inline]
    pub(super) fn value(&self, row: usize) -> Option<Value<'_>> {
        match self {
            Column::I64(array) => array.is_valid(row).then(|| Value::Number(Number::Int(array.value(row)))),
            Column::I32(array) => array.is_valid(row).then(|| Value::Number(Number::Int(array.value(row).into()))),
            Column::Text(array) => array.is_valid(row).then(|| Value::Text(Cow::Borrowed(array.value(row)))),
            Column::TextView(array) => array.is_valid(row).then(|| Value::Text(Cow::Borrowed(array.value(row)))),
            Column::Dictionary { keys, values, length } => values.value(keys.at(row, *length)?),
            other => other.rare_value(row),
        }
    }

    fn rare_value(&self, row: usize) -> Option<Value<'_>> {
        if self.is_null(row) {
            return None;
        }
        Some(match self {
            Column::Bool(array) => Value::Bool(array.value(row)),
            Column::Text(_)
            | Column::LargeText(_)
            | Column::TextView(_)
            | Column::Binary(_)
            | Column::LargeBinary(_)
            | Column::FixedBinary(_)
            | Column::Dictionary { .. } => return self.text(row).map(Value::Text),
            Column::Date(array) => {
                let time = Timestamp::from_ticks(i128::from(array.value(row)) * 86_400_000_000_000);
                let mut text = datetime::print(time);
                text.truncate(text.find('T').unwrap_or(text.len()));
                Value::Text(text.into())
            }
            Column::Moment { units, nanos, zoned } => {
                let ticks = i128::from(units.value(row)) * i128::from(*nanos);
                let mut text = datetime::print(Timestamp::from_ticks(ticks));
                if !zoned {
                    text.truncate(text.len().saturating_sub(1));
                }
                Value::Text(text.into())
            }
            Column::Span { units, nanos, of_day: true } => {
                let ticks = i128::from(units.value(row)) * i128::from(*nanos);
                Value::Text(time_of_day(ticks).into())
            }
            Column::List { ends, items, .. } => {
                let items = ends.range(row).map(|item| items.value(item).unwrap_or(Value::Null));
                Value::List(items.collect())
            }
            Column::Struct { fields, .. } => {
                let fields = fields.iter();
                let set = fields.filter_map(|(name, column)| Some((Cow::Borrowed(&**name), column.value(row)?)));
                Value::Map(set.collect())
            }
            Column::Map { ends, keys, values, .. } => {
                let entry = |item| {
                    let key = match keys.value(item)? {
                        Value::Text(text) => text,
                        other => Cow::Owned(other.to_string()),
                    };
                    Some((key, values.value(item)?))
                };
                Value::Map(ends.range(row).filter_map(entry).collect())
            }
            Column::Json(texts) => {
                let text = texts.text(row)?;
                // What is no JSON after all is a text.
                Json::any(&text, "").unwrap_or(Value::Text(text))
            }
            other => Value::Number(other.number(row)?),
        })
    }

    /// The number in a row, of a column of numbers.
    pub(super) fn number(&self, row: usize) -> Option<Number> {
        if self.is_null(row) {
            return None;
        }
        Some(match self {
            Column::I8(array) => Number::Int(array.value(row).into()),
            Column::I16(array) => Number::Int(array.value(row).into()),
            Column::I32(array) => Number::Int(array.value(row).into()),
            Column::I64(array) => Number::Int(array.value(row)),
            Column::U8(array) => Number::Int(array.value(row).into()),
            Column::U16(array) => Number::Int(array.value(row).into()),
            Column::U32(array) => Number::Int(array.value(row).into()),
            Column::U64(array) => Number::from_parts(array.value(row).into(), 0),
            // A narrow float is what it prints as, too: wider it would have digits that nobody wrote.
            Column::F16(array) => {
                Number::parse(&array.value(row).to_string()).or_else(|| float::number(array.value(row).into()))?
            }
            Column::F32(array) => narrow(array.value(row))?,
            Column::F64(array) => float::number(array.value(row))?,
            Column::Decimal { digits, scale } => decimal(digits.value(row), *scale),
            Column::LongDecimal(array) => Number::parse(&array.value_as_string(row))?,
            Column::Span { units, nanos, of_day: false } => {
                Number::from_parts(i128::from(units.value(row)) * i128::from(*nanos), 9)
            }
            _ => return None,
        })
    }

    /// The text in a row, of a column of texts; of other bytes their digits.
    #[inline]
    pub(super) fn text(&self, row: usize) -> Option<Cow<'_, str>> {
        match self {
            Column::Text(array) => array.is_valid(row).then(|| Cow::Borrowed(array.value(row))),
            Column::LargeText(array) => array.is_valid(row).then(|| Cow::Borrowed(array.value(row))),
            Column::TextView(array) => array.is_valid(row).then(|| Cow::Borrowed(array.value(row))),
            Column::Binary(array) => array.is_valid(row).then(|| of_bytes(array.value(row))),
            Column::LargeBinary(array) => array.is_valid(row).then(|| of_bytes(array.value(row))),
            Column::FixedBinary(array) => array.is_valid(row).then(|| of_bytes(array.value(row))),
            Column::Dictionary { keys, values, length } => values.text(keys.at(row, *length)?),
            _ => None,
        }
    }

    /// Whether [`Column::text`] tells its cells.
    pub(super) fn is_text(&self) -> bool {
        match self {
            Column::Dictionary { values, .. } => values.is_text(),
            other => matches!(
                other,
                Column::Text(_)
                    | Column::LargeText(_)
                    | Column::TextView(_)
                    | Column::Binary(_)
                    | Column::LargeBinary(_)
                    | Column::FixedBinary(_)
            ),
        }
    }

    /// Whether [`Column::number`] tells its cells.
    pub(super) fn is_number(&self) -> bool {
        let is_other = matches!(
            self,
            Column::Absent
                | Column::Bool(_)
                | Column::Date(_)
                | Column::Moment { .. }
                | Column::Span { .. }
                | Column::List { .. }
                | Column::Struct { .. }
                | Column::Map { .. }
                | Column::Json(_)
                | Column::Dictionary { .. }
        );
        !is_other && !self.is_text()
    }

    /// Whether a row has no value.
    pub(super) fn is_null(&self, row: usize) -> bool {
        match self {
            Column::Absent => true,
            Column::Bool(array) => array.is_null(row),
            Column::I8(array) => array.is_null(row),
            Column::I16(array) => array.is_null(row),
            Column::I32(array) => array.is_null(row),
            Column::I64(array) => array.is_null(row),
            Column::U8(array) => array.is_null(row),
            Column::U16(array) => array.is_null(row),
            Column::U32(array) => array.is_null(row),
            Column::U64(array) => array.is_null(row),
            Column::F16(array) => array.is_null(row),
            Column::F32(array) => array.is_null(row),
            Column::F64(array) => array.is_null(row),
            Column::Decimal { digits, .. } => digits.is_null(row),
            Column::LongDecimal(array) => array.is_null(row),
            Column::Text(array) => array.is_null(row),
            Column::LargeText(array) => array.is_null(row),
            Column::TextView(array) => array.is_null(row),
            Column::Binary(array) => array.is_null(row),
            Column::LargeBinary(array) => array.is_null(row),
            Column::FixedBinary(array) => array.is_null(row),
            Column::Date(array) => array.is_null(row),
            Column::Moment { units, .. } | Column::Span { units, .. } => units.is_null(row),
            Column::Dictionary { keys, values, length } => {
                keys.at(row, *length).is_none_or(|entry| values.is_null(entry))
            }
            Column::List { nulls, .. } | Column::Struct { nulls, .. } | Column::Map { nulls, .. } => {
                nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
            }
            Column::Json(texts) => texts.is_null(row),
        }
    }
}

impl Keys {
    /// The entry that a row has, in a dictionary of this length.
    #[inline]
    pub(super) fn at(&self, row: usize, length: usize) -> Option<usize> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        let entry = match &self.kind {
            KeyKind::Usual(keys) => usize::try_from(keys[row]).ok()?,
            KeyKind::Other(keys) => keys[row],
        };
        (entry < length).then_some(entry)
    }
}

impl Ends {
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let range = match self {
            Ends::Short(ends) => usize::try_from(ends[row]).ok().zip(usize::try_from(ends[row + 1]).ok()),
            Ends::Long(ends) => usize::try_from(ends[row]).ok().zip(usize::try_from(ends[row + 1]).ok()),
            Ends::Fixed(length) => Some((row * length, (row + 1) * length)),
        };
        range.map_or(0..0, |(start, end)| start..end)
    }
}

/// How many nanoseconds a unit has.
fn nanos(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// Digits with so many of them after the point, or as many zeros before it.
fn decimal(digits: i128, scale: i8) -> Number {
    if let Ok(scale) = u32::try_from(scale) {
        return Number::from_parts(digits, scale);
    }
    let power = 10_i128.checked_pow(u32::from(scale.unsigned_abs()));
    let whole = power.and_then(|power| digits.checked_mul(power));
    whole.map_or(Number::Float(digits as f64 * 10_f64.powi(-i32::from(scale))), |whole| Number::from_parts(whole, 0))
}

/// A narrow float is what it prints as: wider it would have digits that nobody wrote.
fn narrow(value: f32) -> Option<Number> {
    if value.is_nan() {
        return None;
    }
    Some(Number::parse(&value.to_string()).unwrap_or(Number::Float(value.into())))
}

/// Bytes that are a text, or else their digits.
fn of_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut digits = String::with_capacity(2 + 2 * bytes.len());
    digits.push_str("0x");
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    Cow::Owned(digits)
}

fn time_of_day(ticks: i128) -> String {
    let text = datetime::print(Timestamp::from_ticks(ticks.rem_euclid(86_400_000_000_000)));
    text.trim_start_matches("1970-01-01T").trim_end_matches('Z').to_owned()
}
