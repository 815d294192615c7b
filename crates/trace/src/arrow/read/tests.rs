// SPDX-License-Identifier: MIT OR Apache-2.0
//! Batches that other programs make.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
    Int16Array, Int64Array, LargeStringArray, NullArray, RecordBatchIterator, StringArray, StringViewArray,
    StructArray, TimestampMicrosecondArray, TimestampMillisecondArray, UInt64Array,
};
use arrow_schema::{Field, Schema};
use gnomon_core::time::{Clock, TimeKind, Unit};

use super::*;

type TestColumns = Vec<(&'static str, ArrayRef)>;

fn batches(all: Vec<TestColumns>) -> Box<dyn RecordBatchReader + Send> {
    let batches: Vec<RecordBatch> = all
        .into_iter()
        .map(|columns| {
            RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
                .unwrap()
        })
        .collect();
    let schema = batches[0].schema();
    Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema))
}

fn shown_with(all: Vec<TestColumns>, setup: ReaderSetup) -> Result<Vec<String>, TraceError> {
    let mut reader = ArrowReader::new(batches(all), "t", setup)?;
    let mut shown = Vec::new();
    while let Some(origin) = reader.advance()? {
        let fields = reader.entries().into_iter().filter(|entry| !entry.is_time);
        let fields: Vec<String> = fields.map(|entry| format!("{}={}", entry.key, entry.value)).collect();
        let time = reader.clock().print(reader.time_kind(), origin.time);
        let name = reader.symbols().name_text(origin.event);
        shown.push(format!("{} {name}@{time} {}", origin.event_index, fields.join(" ")).trim_end().to_owned());
    }
    Ok(shown)
}

fn shown(columns: TestColumns) -> Vec<String> {
    shown_with(vec![columns], ReaderSetup::everything()).unwrap()
}

fn names(texts: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

/// A column with one row.
fn value(array: impl arrow_array::Array + 'static) -> String {
    let row = shown(vec![("event", names(&["a"])), ("x", Arc::new(array))]);
    row[0].strip_prefix("0 a@0").unwrap().trim_start().to_owned()
}

#[test]
fn every_type_is_the_value_that_its_text_is() {
    assert_eq!(value(Int16Array::from(vec![-3])), "x=-3");
    assert_eq!(value(UInt64Array::from(vec![u64::MAX])), "x=18446744073709551615");
    assert_eq!(value(UInt64Array::from(vec![7])), "x=7");
    assert_eq!(value(Float64Array::from(vec![120.50])), "x=120.5");
    assert_eq!(value(Float32Array::from(vec![0.1])), "x=0.1");
    assert_eq!(value(Float64Array::from(vec![f64::NAN])), "");
    assert_eq!(value(Decimal128Array::from(vec![12_050]).with_precision_and_scale(10, 2).unwrap()), "x=120.5");
    assert_eq!(value(Decimal128Array::from(vec![12]).with_precision_and_scale(10, -2).unwrap()), "x=1200");
    assert_eq!(value(BooleanArray::from(vec![true])), "x=true");
    assert_eq!(value(StringArray::from(vec!["1"])), "x=\"1\"");
    assert_eq!(value(LargeStringArray::from(vec!["ann"])), "x=\"ann\"");
    assert_eq!(
        value(StringViewArray::from(vec!["a text that is longer than twelve"])),
        "x=\"a text that is longer than twelve\""
    );
    assert_eq!(value(BinaryArray::from(vec![&b"ann"[..]])), "x=\"ann\"");
    assert_eq!(value(BinaryArray::from(vec![&b"\xFF\x01"[..]])), "x=\"0xff01\"");
    assert_eq!(value(NullArray::new(1)), "");
    assert_eq!(value(StringArray::from(vec![None::<&str>])), "");
    assert_eq!(value(Date32Array::from(vec![1])), "x=\"1970-01-02\"");
    assert_eq!(value(TimestampMillisecondArray::from(vec![1_500])), "x=\"1970-01-01T00:00:01.5\"");
    assert_eq!(value(TimestampMillisecondArray::from(vec![0]).with_timezone("UTC")), "x=\"1970-01-01T00:00:00Z\"");
    let fields = vec![
        (
            Arc::new(Field::new("id", arrow_schema::DataType::Int64, true)),
            Arc::new(Int64Array::from(vec![Some(7)])) as ArrayRef,
        ),
        (Arc::new(Field::new("no", arrow_schema::DataType::Int64, true)), Arc::new(Int64Array::from(vec![None]))),
    ];
    assert_eq!(value(StructArray::from(fields)), "x={\"id\": 7}");
    let mut list = ListBuilder::new(StringBuilder::new());
    list.append_value([Some("a"), None]);
    assert_eq!(value(list.finish()), "x=[\"a\", null]");
    let keys = arrow_array::Int8Array::from(vec![1]);
    let entries = Arc::new(Int64Array::from(vec![5, 6]));
    assert_eq!(value(DictionaryArray::<Int8Type>::new(keys, entries)), "x=6");
}

#[test]
fn names_come_from_texts_and_dictionaries() {
    let mut entries = StringDictionaryBuilder::<Int32Type>::new();
    for name in ["a", "b", "a", "c"] {
        entries.append_value(name);
    }
    let dictionary: ArrayRef = Arc::new(entries.finish());
    let times = || -> ArrayRef { Arc::new(Int64Array::from(vec![1, 2, 3, 4])) };
    let expected = ["0 a@1", "1 b@2", "2 a@3", "3 c@4"];
    assert_eq!(shown(vec![("event", dictionary), ("time", times())]), expected);
    assert_eq!(shown(vec![("time", times()), ("name", names(&["a", "b", "a", "c"]))]), expected);
    let views: ArrayRef = Arc::new(StringViewArray::from(vec!["a", "b", "a", "c"]));
    assert_eq!(shown(vec![("name", views), ("TS", times())]), expected);
}

#[test]
fn an_entry_of_a_dictionary_that_no_row_has_is_no_name() {
    let keys = arrow_array::Int32Array::from(vec![0]);
    let dictionary = DictionaryArray::<Int32Type>::new(keys, names(&["a", "b"]));
    let mut reader =
        ArrowReader::new(batches(vec![vec![("event", Arc::new(dictionary))]]), "t", ReaderSetup::default()).unwrap();
    while reader.advance().unwrap().is_some() {}
    assert!(reader.symbols().find_name("a").is_some() && reader.symbols().find_name("b").is_none());
}

#[test]
fn batches_follow_one_another_and_places_are_times() {
    let batch = |texts: &[&str]| vec![("event", names(texts))];
    let all = vec![batch(&["a", "b"]), batch(&[]), batch(&["a"])];
    assert_eq!(shown_with(all, ReaderSetup::everything()).unwrap(), ["0 a@0", "1 b@1", "2 a@2"]);
    let long: Vec<&str> = (0..10_000).map(|number| if number % 7 == 0 { "x" } else { "y" }).collect();
    let rows = shown_with(vec![batch(&long), batch(&long)], ReaderSetup::default()).unwrap();
    assert_eq!((rows.len(), rows[10_007].as_str()), (20_000, "10007 x@10007"));
}

#[test]
fn times_are_those_of_the_text() {
    let times = |array: ArrayRef| shown(vec![("event", names(&["a"])), ("time", array)])[0].clone();
    assert_eq!(times(Arc::new(Float64Array::from(vec![2.5]))), "0 a@2.5");
    assert_eq!(times(Arc::new(Decimal128Array::from(vec![15]).with_precision_and_scale(4, 1).unwrap())), "0 a@1.5");
    assert_eq!(times(names(&["3"])), "0 a@3");
    assert_eq!(times(names(&["2024-05-01T12:30:00+02:00"])), "0 a@2024-05-01T10:30:00Z");
    assert_eq!(times(Arc::new(TimestampMicrosecondArray::from(vec![1]))), "0 a@1970-01-01T00:00:00.000001Z");
    assert_eq!(times(Arc::new(Date32Array::from(vec![-1]))), "0 a@1969-12-31T00:00:00Z");
    let columns = vec![("event", names(&["a"])), ("time", Arc::new(Int64Array::from(vec![90])) as ArrayRef)];
    let mut setup = ReaderSetup::everything();
    setup.clock = Clock::new(Some(Unit::Millisecond));
    let mut reader = ArrowReader::new(batches(vec![columns]), "t", setup).unwrap();
    assert_eq!(reader.advance().unwrap().unwrap().time.ticks(), 90_000_000);
    assert_eq!((reader.time_kind(), reader.time_field()), (TimeKind::Number, Some("time")));
}

#[test]
fn columns_may_have_names_of_their_own() {
    let columns = || -> TestColumns {
        vec![("activity", names(&["a"])), ("at", Arc::new(Int64Array::from(vec![5]))), ("event", names(&["x"]))]
    };
    let setup = |event: &str, time: &str| ReaderSetup {
        event_field: Some(event.to_owned()),
        time_field: Some(time.to_owned()),
        ..ReaderSetup::everything()
    };
    assert_eq!(shown_with(vec![columns()], setup("activity", "at")).unwrap(), ["0 a@5 event=\"x\""]);
    assert_eq!(shown_with(vec![columns()], setup("Activity", "at")).unwrap_err().code(), "G0530");
    assert_eq!(shown_with(vec![columns()], setup("event", "when")).unwrap_err().code(), "G0504");
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let fault = |columns: TestColumns| {
        let error = shown_with(vec![columns], ReaderSetup::everything()).unwrap_err();
        (error.code(), error.line())
    };
    let some = |texts: Vec<Option<&str>>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
    let times = |times: Vec<Option<i64>>| -> ArrayRef { Arc::new(Int64Array::from(times)) };
    assert_eq!(fault(vec![("event", some(vec![Some("a"), None]))]), ("G0509", 2));
    assert_eq!(fault(vec![("event", some(vec![Some("a"), Some("")]))]), ("G0509", 2));
    assert_eq!(
        fault(vec![("event", names(&["a", "b", "c"])), ("time", times(vec![Some(1), Some(2), None]))]),
        ("G0505", 3)
    );
    assert_eq!(fault(vec![("event", names(&["a", "b"])), ("time", names(&["1", "x"]))]), ("G0506", 2));
    assert_eq!(fault(vec![("event", names(&["a", "b"])), ("time", names(&["1", "2024-05-01"]))]), ("G0507", 2));
    assert_eq!(fault(vec![("event", times(vec![Some(1)]))]), ("G0531", 1));
    assert_eq!(fault(vec![("event", names(&["a"])), ("time", Arc::new(BooleanArray::from(vec![true])))]), ("G0531", 1));
    assert_eq!(fault(vec![("x", names(&["a"]))]), ("G0530", 1));
    let late = TimestampMillisecondArray::from(vec![i64::MAX]);
    assert_eq!(fault(vec![("event", names(&["a"])), ("time", Arc::new(late))]), ("G0506", 1));
    // What is wrong with a name comes before what is wrong with a later time.
    let columns =
        vec![("event", some(vec![Some("a"), None, Some("b")])), ("time", times(vec![Some(1), Some(2), None]))];
    assert_eq!(fault(columns), ("G0509", 2));
}

#[test]
fn a_column_that_nobody_asks_for_may_be_anything() {
    let odd = arrow_array::new_null_array(&arrow_schema::DataType::Interval(arrow_schema::IntervalUnit::DayTime), 1);
    let columns = || vec![("event", names(&["a"])), ("odd", odd.clone())];
    assert_eq!(shown_with(vec![columns()], ReaderSetup::default()).unwrap(), ["0 a@0"]);
    assert_eq!(shown_with(vec![columns()], ReaderSetup::everything()).unwrap_err().code(), "G0531");
}

#[test]
fn texts_of_json_are_values_where_the_column_says_so() {
    let field = Field::new("x", arrow_schema::DataType::Utf8, true)
        .with_extension_type(arrow_schema::extension::Json::default());
    let schema = Arc::new(Schema::new(vec![Field::new("event", arrow_schema::DataType::Utf8, false), field]));
    let texts = Arc::new(StringArray::from(vec!["[1, \"a\"]", "{", "null"]));
    let batch = RecordBatch::try_new(schema.clone(), vec![names(&["a", "b", "c"]), texts]).unwrap();
    let batches = Box::new(RecordBatchIterator::new([Ok(batch)], schema));
    let mut reader = ArrowReader::new(batches, "t", ReaderSetup::everything()).unwrap();
    let mut values = Vec::new();
    while reader.advance().unwrap().is_some() {
        values.push(reader.entries()[0].value.to_string());
    }
    assert_eq!(values, ["[1, \"a\"]", "\"{\"", "null"]);
}
