// SPDX-License-Identifier: MIT OR Apache-2.0
//! One column of a batch.
//!
//! Arrow has some forty types, many of which mean the same to a property. [`Column::new`] resolves the type once per batch into one of
//! the variants of [`ColumnValues`]: narrow integers are widened, views and dictionaries share the array's buffers. Columns that no
//! property wants are [`Column::absent`]. A value is made from a cell when a property asks for it ([`Column::value`]); texts are borrowed
//! from the array. Lists, structs and maps contain columns, up to a limit on their nesting.

use std::borrow::Cow;
use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Int8Type, Int16Type, Int32Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    Array, BinaryArray, BooleanArray, Decimal128Array, Decimal256Array, FixedSizeBinaryArray, Float16Array,
    Float32Array, Float64Array, Int32Array, Int64Array, LargeBinaryArray, LargeStringArray, StringArray,
    StringViewArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::extension::{EXTENSION_TYPE_NAME_KEY, ExtensionType, Json as JsonType};
use arrow_schema::{DataType, Field, TimeUnit};
use gnomon_core::datetime;
use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;

use gnomon_message::JsonMessage;

/// Limit on the nesting of lists and structs.
const DEEPEST: usize = 128;
/// Nanoseconds of a day.
const DAY: i64 = 86_400_000_000_000;

/// A column of a batch. INVARIANT: callers ask only for rows below the length of the array.
pub(super) struct Column {
    /// The rows without a value.
    nulls: Option<NullBuffer>,
    pub(super) cells: ColumnValues,
}

/// The cells of a column, by its type. Narrow integers are widened once per batch.
pub(super) enum ColumnValues {
    /// The column is not wanted, or has no values.
    Absent,
    Bool(BooleanArray),
    I32(Int32Array),
    I64(Int64Array),
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
    /// Dates, times and durations: each cell is a number of units.
    Temporal {
        units: Int64Array,
        /// Nanoseconds per unit.
        nanos: i64,
        form: TemporalForm,
    },
    Dictionary {
        keys: DictionaryKeys,
        values: Box<Column>,
        length: usize,
    },
    List {
        offsets: ItemOffsets,
        items: Box<Column>,
    },
    Struct {
        fields: Vec<(String, Column)>,
    },
    Map {
        offsets: ItemOffsets,
        keys: Box<Column>,
        values: Box<Column>,
    },
    /// Texts that the schema marks as JSON.
    Json(Box<Column>),
}

/// The meaning of a temporal cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TemporalForm {
    /// A point in time since 1970, with a time zone.
    DateTime,
    /// A point in time since 1970, without a time zone.
    LocalDateTime,
    /// A day since 1970.
    Date,
    /// The time since midnight.
    TimeOfDay,
    /// A length of time.
    Duration,
}

impl TemporalForm {
    /// Returns true for points in time.
    pub(super) fn is_date(self) -> bool {
        matches!(self, TemporalForm::DateTime | TemporalForm::LocalDateTime | TemporalForm::Date)
    }

    fn print(self, ticks: i128) -> String {
        let text = datetime::print(Timestamp::from_ticks(ticks));
        match self {
            TemporalForm::DateTime | TemporalForm::Duration => text,
            TemporalForm::LocalDateTime => text.trim_end_matches('Z').to_owned(),
            TemporalForm::Date => text.split('T').next().unwrap_or_default().to_owned(),
            TemporalForm::TimeOfDay => {
                let text = datetime::print(Timestamp::from_ticks(ticks.rem_euclid(DAY.into())));
                text.trim_start_matches("1970-01-01T").trim_end_matches('Z').to_owned()
            }
        }
    }
}

/// The dictionary entry of each row.
pub(super) enum DictionaryKeys {
    Usual(ScalarBuffer<i32>),
    Other(Vec<usize>),
}

/// The range of items of each row.
pub(super) enum ItemOffsets {
    Short(ScalarBuffer<i32>),
    Long(ScalarBuffer<i64>),
    Fixed(usize),
}

/// A type that cannot be read.
#[derive(Debug)]
pub(super) struct Unsupported(pub(super) String);

impl Column {
    /// Resolves the type of an array.
    pub(super) fn new(field: &Field, array: &dyn Array) -> Result<Column, Unsupported> {
        Column::nested(field, array, 0)
    }

    /// Creates a column that is not wanted.
    pub(super) fn absent() -> Column {
        Column { nulls: None, cells: ColumnValues::Absent }
    }

    fn nested(field: &Field, array: &dyn Array, depth: usize) -> Result<Column, Unsupported> {
        if depth > DEEPEST {
            return Err(Unsupported(format!("{DEEPEST} lists or structs in one another")));
        }
        let nulls = array.nulls().cloned();
        let column = Column { nulls: nulls.clone(), cells: Column::cells(array, depth)? };
        let is_json = field.metadata().get(EXTENSION_TYPE_NAME_KEY).is_some_and(|name| name == JsonType::NAME);
        Ok(if is_json { Column { nulls, cells: ColumnValues::Json(Box::new(column)) } } else { column })
    }

    fn cells(array: &dyn Array, depth: usize) -> Result<ColumnValues, Unsupported> {
        let unsupported = || Err(Unsupported(array.data_type().to_string()));
        let inner = |field: &Field, array: &dyn Array| Column::nested(field, array, depth + 1).map(Box::new);
        let decimals = |digits, scale| ColumnValues::Decimal { digits, scale };
        let temporal = |nanos, form| Ok(ColumnValues::Temporal { units: units(array)?, nanos, form });
        Ok(match array.data_type() {
            DataType::Null => ColumnValues::Absent,
            DataType::Boolean => ColumnValues::Bool(array.as_boolean().clone()),
            DataType::Int8 => ColumnValues::I64(array.as_primitive::<Int8Type>().unary(i64::from)),
            DataType::Int16 => ColumnValues::I64(array.as_primitive::<Int16Type>().unary(i64::from)),
            DataType::Int32 => ColumnValues::I32(array.as_primitive().clone()),
            DataType::Int64 => ColumnValues::I64(array.as_primitive().clone()),
            DataType::UInt8 => ColumnValues::I64(array.as_primitive::<UInt8Type>().unary(i64::from)),
            DataType::UInt16 => ColumnValues::I64(array.as_primitive::<UInt16Type>().unary(i64::from)),
            DataType::UInt32 => ColumnValues::I64(array.as_primitive::<UInt32Type>().unary(i64::from)),
            DataType::UInt64 => ColumnValues::U64(array.as_primitive().clone()),
            DataType::Float16 => ColumnValues::F16(array.as_primitive().clone()),
            DataType::Float32 => ColumnValues::F32(array.as_primitive().clone()),
            DataType::Float64 => ColumnValues::F64(array.as_primitive().clone()),
            DataType::Decimal32(_, scale) => decimals(array.as_primitive::<Decimal32Type>().unary(i128::from), *scale),
            DataType::Decimal64(_, scale) => decimals(array.as_primitive::<Decimal64Type>().unary(i128::from), *scale),
            DataType::Decimal128(_, scale) => decimals(array.as_primitive::<Decimal128Type>().clone(), *scale),
            DataType::Decimal256(..) => ColumnValues::LongDecimal(array.as_primitive().clone()),
            DataType::Utf8 => ColumnValues::Text(array.as_string().clone()),
            DataType::LargeUtf8 => ColumnValues::LargeText(array.as_string().clone()),
            DataType::Utf8View => ColumnValues::TextView(array.as_string_view().clone()),
            DataType::Binary => ColumnValues::Binary(array.as_binary().clone()),
            DataType::LargeBinary => ColumnValues::LargeBinary(array.as_binary().clone()),
            DataType::FixedSizeBinary(_) => ColumnValues::FixedBinary(array.as_fixed_size_binary().clone()),
            DataType::Date32 => temporal(DAY, TemporalForm::Date)?,
            DataType::Date64 => temporal(1_000_000, TemporalForm::LocalDateTime)?,
            DataType::Timestamp(unit, Some(_)) => temporal(nanos(*unit), TemporalForm::DateTime)?,
            DataType::Timestamp(unit, None) => temporal(nanos(*unit), TemporalForm::LocalDateTime)?,
            DataType::Time32(unit) | DataType::Time64(unit) => temporal(nanos(*unit), TemporalForm::TimeOfDay)?,
            DataType::Duration(unit) => temporal(nanos(*unit), TemporalForm::Duration)?,
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = dictionary.values();
                if values.is_empty() {
                    return Ok(ColumnValues::Absent);
                }
                let keys = match dictionary.keys().as_primitive_opt::<Int32Type>() {
                    Some(keys) => DictionaryKeys::Usual(keys.values().clone()),
                    None => DictionaryKeys::Other(dictionary.normalized_keys()),
                };
                let entry = Field::new("", values.data_type().clone(), true);
                ColumnValues::Dictionary { keys, values: inner(&entry, values)?, length: values.len() }
            }
            DataType::List(item) => {
                let list = array.as_list::<i32>();
                let offsets = ItemOffsets::Short(list.offsets().inner().clone());
                ColumnValues::List { offsets, items: inner(item, list.values())? }
            }
            DataType::LargeList(item) => {
                let list = array.as_list::<i64>();
                let offsets = ItemOffsets::Long(list.offsets().inner().clone());
                ColumnValues::List { offsets, items: inner(item, list.values())? }
            }
            DataType::FixedSizeList(item, length) => {
                let offsets = ItemOffsets::Fixed(usize::try_from(*length).unwrap_or(0));
                ColumnValues::List { offsets, items: inner(item, array.as_fixed_size_list().values())? }
            }
            DataType::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                let named =
                    columns.map(|(field, array)| Ok((field.name().clone(), Column::nested(field, array, depth + 1)?)));
                let fields = named.collect::<Result<_, Unsupported>>()?;
                ColumnValues::Struct { fields }
            }
            DataType::Map(entry, _) => {
                let map = array.as_map();
                let DataType::Struct(parts) = entry.data_type() else { return unsupported() };
                let [key, value] = &parts[..] else { return unsupported() };
                let offsets = ItemOffsets::Short(map.offsets().inner().clone());
                ColumnValues::Map { offsets, keys: inner(key, map.keys())?, values: inner(value, map.values())? }
            }
            _ => return unsupported(),
        })
    }

    /// Returns the value in a row; `None` for a null.
    #[inline]
    pub(super) fn value(&self, row: usize) -> Option<Value<'_>> {
        if self.is_unset(row) {
            return None;
        }
        match &self.cells {
            ColumnValues::I64(array) => Some(Value::Number(Number::Int(array.value(row)))),
            ColumnValues::I32(array) => Some(Value::Number(Number::Int(array.value(row).into()))),
            ColumnValues::Text(array) => Some(Value::Text(Cow::Borrowed(array.value(row)))),
            ColumnValues::TextView(array) => Some(Value::Text(Cow::Borrowed(array.value(row)))),
            ColumnValues::Dictionary { keys, values, length } => values.value(keys.at(row, *length)?),
            _ => self.rare_value(row),
        }
    }

    fn rare_value(&self, row: usize) -> Option<Value<'_>> {
        Some(match &self.cells {
            ColumnValues::Absent => return None,
            ColumnValues::Bool(array) => Value::Bool(array.value(row)),
            ColumnValues::Temporal { units, nanos, form } if *form != TemporalForm::Duration => {
                Value::Text(form.print(i128::from(units.value(row)) * i128::from(*nanos)).into())
            }
            ColumnValues::List { offsets, items } => {
                let items = offsets.range(row).map(|item| items.value(item).unwrap_or(Value::Null));
                Value::List(items.collect())
            }
            ColumnValues::Struct { fields } => {
                let fields = fields.iter();
                let set = fields.filter_map(|(name, column)| Some((Cow::Borrowed(&**name), column.value(row)?)));
                Value::Map(set.collect())
            }
            ColumnValues::Map { offsets, keys, values } => {
                let entry = |item| {
                    let key = match keys.value(item)? {
                        Value::Text(text) => text,
                        other => Cow::Owned(other.to_string()),
                    };
                    Some((key, values.value(item)?))
                };
                Value::Map(offsets.range(row).filter_map(entry).collect())
            }
            ColumnValues::Json(texts) => {
                let text = texts.text(row)?;
                // A malformed JSON text is a text.
                JsonMessage::any(&text, "").unwrap_or(Value::Text(text))
            }
            _ if self.is_text() => return self.text(row).map(Value::Text),
            _ => Value::Number(self.number(row)?),
        })
    }

    /// Returns the number in a row of a column of numbers.
    pub(super) fn number(&self, row: usize) -> Option<Number> {
        if self.is_unset(row) {
            return None;
        }
        Some(match &self.cells {
            ColumnValues::I32(array) => Number::Int(array.value(row).into()),
            ColumnValues::I64(array) => Number::Int(array.value(row)),
            ColumnValues::U64(array) => Number::from(i128::from(array.value(row))),
            // The number that a narrow float prints as: widened to 64 bits it would get digits that were not written.
            ColumnValues::F16(array) => Number::parse(&array.value(row).to_string())
                .ok()
                .or_else(|| Number::from_f64(array.value(row).into()))?,
            ColumnValues::F32(array) => Number::from_f32(array.value(row))?,
            ColumnValues::F64(array) => Number::from_f64(array.value(row))?,
            ColumnValues::Decimal { digits, scale } => decimal(digits.value(row), *scale)?,
            ColumnValues::LongDecimal(array) => Number::parse(&array.value_as_string(row)).ok()?,
            ColumnValues::Temporal { units, nanos, form: TemporalForm::Duration } => {
                Number::from_parts(i128::from(units.value(row)) * i128::from(*nanos), 9)?
            }
            _ => return None,
        })
    }

    /// Returns the first row of a column of decimals whose number is out of range.
    pub(super) fn row_out_of_range(&self) -> Option<usize> {
        let length = match &self.cells {
            ColumnValues::LongDecimal(array) => array.len(),
            ColumnValues::Decimal { digits, scale } if *scale < 0 => digits.len(),
            _ => return None,
        };
        (0..length).find(|row| !self.is_unset(*row) && self.number(*row).is_none())
    }

    /// Returns the text in a row of a column of texts; bytes that are not UTF-8 as hexadecimal digits.
    #[inline]
    pub(super) fn text(&self, row: usize) -> Option<Cow<'_, str>> {
        if self.is_unset(row) {
            return None;
        }
        Some(match &self.cells {
            ColumnValues::Text(array) => Cow::Borrowed(array.value(row)),
            ColumnValues::LargeText(array) => Cow::Borrowed(array.value(row)),
            ColumnValues::TextView(array) => Cow::Borrowed(array.value(row)),
            ColumnValues::Binary(array) => of_bytes(array.value(row)),
            ColumnValues::LargeBinary(array) => of_bytes(array.value(row)),
            ColumnValues::FixedBinary(array) => of_bytes(array.value(row)),
            ColumnValues::Dictionary { keys, values, length } => return values.text(keys.at(row, *length)?),
            _ => return None,
        })
    }

    /// Returns true if [`Column::text`] returns the cells.
    pub(super) fn is_text(&self) -> bool {
        match &self.cells {
            ColumnValues::Dictionary { values, .. } => values.is_text(),
            ColumnValues::Text(_)
            | ColumnValues::LargeText(_)
            | ColumnValues::TextView(_)
            | ColumnValues::Binary(_)
            | ColumnValues::LargeBinary(_)
            | ColumnValues::FixedBinary(_) => true,
            _ => false,
        }
    }

    /// Returns true if [`Column::number`] returns the cells.
    pub(super) fn is_number(&self) -> bool {
        matches!(
            self.cells,
            ColumnValues::I32(_)
                | ColumnValues::I64(_)
                | ColumnValues::U64(_)
                | ColumnValues::F16(_)
                | ColumnValues::F32(_)
                | ColumnValues::F64(_)
                | ColumnValues::Decimal { .. }
                | ColumnValues::LongDecimal(_)
        )
    }

    /// Returns true if a row has no value.
    pub(super) fn is_null(&self, row: usize) -> bool {
        match &self.cells {
            ColumnValues::Absent => true,
            _ if self.is_unset(row) => true,
            ColumnValues::Dictionary { keys, values, length } => {
                keys.at(row, *length).is_none_or(|entry| values.is_null(entry))
            }
            _ => false,
        }
    }

    /// Returns true if a row is null in the array itself; an entry of a dictionary may be null as well.
    #[inline]
    pub(super) fn is_unset(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }
}

impl DictionaryKeys {
    /// Returns the entry of a row in a dictionary of this length.
    #[inline]
    pub(super) fn at(&self, row: usize, length: usize) -> Option<usize> {
        let entry = match self {
            DictionaryKeys::Usual(keys) => usize::try_from(keys[row]).ok()?,
            DictionaryKeys::Other(keys) => keys[row],
        };
        (entry < length).then_some(entry)
    }
}

fn index(offset: impl TryInto<usize>) -> Option<usize> {
    offset.try_into().ok()
}

impl ItemOffsets {
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let range = match self {
            ItemOffsets::Short(offsets) => index(offsets[row]).zip(index(offsets[row + 1])),
            ItemOffsets::Long(offsets) => index(offsets[row]).zip(index(offsets[row + 1])),
            ItemOffsets::Fixed(length) => Some((row * length, (row + 1) * length)),
        };
        range.map_or(0..0, |(start, end)| start..end)
    }
}

/// Returns the integers behind a column of dates, times or durations.
fn units(array: &dyn Array) -> Result<Int64Array, Unsupported> {
    let is_narrow = matches!(array.data_type(), DataType::Date32 | DataType::Time32(_));
    let integers = if is_narrow { DataType::Int32 } else { DataType::Int64 };
    let data = array.to_data().into_builder().data_type(integers).build();
    let data = data.map_err(|_| Unsupported(array.data_type().to_string()))?;
    Ok(if is_narrow { Int32Array::from(data).unary(i64::from) } else { Int64Array::from(data) })
}

/// Returns the nanoseconds of a unit.
fn nanos(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// Returns the number `digits * 10^-scale`; `None` if it is out of range.
fn decimal(digits: i128, scale: i8) -> Option<Number> {
    match u32::try_from(scale) {
        Ok(scale) => Number::from_parts(digits, scale),
        Err(_) => digits.checked_mul(10_i128.checked_pow(scale.unsigned_abs().into())?).map(Number::from),
    }
}

/// Returns bytes as text, or as hexadecimal digits if they are not UTF-8.
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
