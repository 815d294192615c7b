// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parquet files of many row groups: what is left out when reading changes no event; files that are cut or damaged are
//! refused; files are read in place.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use gnomon_core::symbols::Symbols;
use gnomon_core::value::Value;
use gnomon_trace::{
    AnyReader, EventGap, Format, Reader, ReaderSetup, TableColumns, TraceError, TraceInput, convert, create,
    find_columns, open, open_input,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

/// Ten row groups of 100 rows; the names change from group to group.
fn file(dictionary: bool, statistics: EnabledStatistics, packed: Compression) -> Vec<u8> {
    let row_names: Vec<String> =
        (0..1000).map(|row| if row % 10 == 3 { "tick".to_owned() } else { format!("e{}", row / 100) }).collect();
    let names: ArrayRef = if dictionary {
        let mut entries = StringDictionaryBuilder::<Int32Type>::new();
        for name in &row_names {
            entries.append_value(name);
        }
        Arc::new(entries.finish())
    } else {
        Arc::new(StringArray::from_iter_values(&row_names))
    };
    let times = Arc::new(Int64Array::from_iter_values(0..1000)) as ArrayRef;
    let users = Arc::new(StringArray::from_iter_values((0..1000).map(|row| format!("user {}", row % 7)))) as ArrayRef;
    let amounts = Arc::new((0..1000).map(|row| (row % 3 > 0).then_some(row)).collect::<Int64Array>()) as ArrayRef;
    let columns = [("event", names), ("time", times), ("user", users), ("n", amounts)];
    let columns = columns.map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(100))
        .set_dictionary_enabled(dictionary)
        .set_statistics_enabled(statistics)
        .set_compression(packed)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// A setup that wants `user` of some names, and `n` of others.
fn setup() -> ReaderSetup {
    let mut setup = ReaderSetup::default();
    let (user, amount) = (setup.symbols.key("user"), setup.symbols.key("n"));
    for (name, key) in [("e2", user), ("e5", user), ("e5", amount), ("e99", user)] {
        let name = setup.symbols.name(name);
        setup.projection.add_field(name, key);
    }
    setup
}

/// Prints every event with the fields that the projection wants.
fn reported(mut reader: AnyReader<'_>) -> Vec<String> {
    let symbols: Symbols = reader.symbols().clone();
    let (user, amount) = (symbols.find_key("user").unwrap(), symbols.find_key("n").unwrap());
    let mut reported = Vec::new();
    while let Some(origin) = reader.advance().unwrap() {
        let show = |value: Option<Value<'_>>| value.map_or(String::new(), |value| value.to_string());
        let fields = reader.fields();
        let is_wanted = ["e2", "e5"].contains(&reader.symbols().name_text(origin.event));
        let fields = is_wanted.then(|| (show(fields.get(user)), show(fields.get(amount))));
        reported.push(format!(
            "{} {} {:?} {fields:?} {}",
            origin.event_index,
            reader.symbols().name_text(origin.event),
            origin.time,
            reader.location()
        ));
    }
    reported
}

#[test]
fn what_is_left_out_changes_no_event() {
    let all = [
        (true, EnabledStatistics::None, Compression::UNCOMPRESSED),
        (false, EnabledStatistics::None, Compression::SNAPPY),
        (false, EnabledStatistics::Chunk, Compression::ZSTD(parquet::basic::ZstdLevel::default())),
        (true, EnabledStatistics::Page, Compression::GZIP(parquet::basic::GzipLevel::default())),
        (true, EnabledStatistics::Page, Compression::LZ4_RAW),
    ];
    let mut everything = setup();
    everything.projection.add_everything();
    let expected = reported(
        open(&file(true, EnabledStatistics::None, Compression::UNCOMPRESSED)[..], "t", None, everything).unwrap(),
    );
    // `n` of `e2` was not asked for.
    let asked = |line: &String| {
        if line.contains(" e2 ") { line.split("\", \"").next().unwrap().to_owned() } else { line.clone() }
    };
    let expected: Vec<String> = expected.iter().map(asked).collect();
    assert_eq!(expected.len(), 1000);
    for (dictionary, statistics, packed) in all {
        let bytes = file(dictionary, statistics, packed);
        let found: Vec<String> = reported(open(&bytes[..], "t", None, setup()).unwrap()).iter().map(asked).collect();
        assert_eq!(found, expected, "{dictionary} {statistics:?} {packed:?}");
    }
}

/// Reads a trace and skips every gap; returns the events and the gaps.
fn leapt(bytes: &[u8], setup: ReaderSetup) -> (Vec<(u64, String)>, Vec<EventGap>) {
    let AnyReader::Arrow(mut reader) = open(bytes, "t.parquet", None, setup).unwrap() else { panic!("it is a table") };
    let (mut events, mut gaps) = (Vec::new(), Vec::new());
    loop {
        while let Some(gap) = reader.gap() {
            reader.skip_gap(gap);
            gaps.push(gap);
        }
        let Some(origin) = reader.advance().unwrap() else { break };
        events.push((origin.event_index, reader.symbols().name_text(origin.event).to_owned()));
    }
    assert!(gaps.is_empty() || reader.symbols().find_name("e7").is_some(), "names are known though nobody read them");
    (events, gaps)
}

#[test]
fn row_groups_that_nobody_asks_for_can_be_leapt() {
    let with = EnabledStatistics::Chunk;
    let (events, gaps) = leapt(&file(true, with, Compression::SNAPPY), setup());
    assert_eq!(events.len(), 200);
    assert_eq!(events[0], (200, "e2".to_owned()));
    assert_eq!(events[199], (599, "e5".to_owned()));
    let seconds = |gap: &EventGap| [gap.first, gap.last].map(|time| time.ticks() / 1_000_000_000);
    let expected = [0, 1, 3, 4, 6, 7, 8, 9].map(|group| [group * 100, group * 100 + 99]);
    assert_eq!(gaps.iter().map(seconds).collect::<Vec<_>>(), expected);
    assert!(gaps.iter().all(|gap| gap.events == 100));
    // Without statistics the times are not known; whoever wants something of every event must read all of them.
    assert_eq!(leapt(&file(true, EnabledStatistics::None, Compression::SNAPPY), setup()).1, []);
    assert_eq!(leapt(&file(true, with, Compression::SNAPPY), ReaderSetup::everything()).1, []);
    // Without a dictionary only the first and the last name are known: `e0` to `tick` may be any.
    assert_eq!(leapt(&file(false, with, Compression::SNAPPY), setup()).1, []);
}

fn count(bytes: &[u8], setup: ReaderSetup) -> Result<u64, TraceError> {
    let mut reader = open(bytes, "t", Some(Format::Parquet), setup)?;
    let mut count = 0;
    while reader.advance()?.is_some() {
        reader.entries();
        count += 1;
    }
    Ok(count)
}

#[test]
fn a_file_that_is_cut_is_refused() {
    let bytes = file(true, EnabledStatistics::Page, Compression::SNAPPY);
    assert_eq!(count(&bytes, ReaderSetup::everything()).unwrap(), 1000);
    for length in (0..bytes.len()).step_by(41).chain(bytes.len() - 20..bytes.len()) {
        let error = count(&bytes[..length], ReaderSetup::everything()).unwrap_err();
        assert_eq!(error.code(), "G0532", "{length}: {error}");
        assert!(error.help().is_some());
    }
}

#[test]
fn a_file_that_is_damaged_is_read_or_refused() {
    let bytes = file(true, EnabledStatistics::Page, Compression::UNCOMPRESSED);
    let (mut read, mut refused) = (0, 0);
    // What the reader catches need not be reported.
    std::panic::set_hook(Box::new(|_| {}));
    for at in (0..bytes.len()).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        match count(&damaged, if at % 2 == 0 { ReaderSetup::everything() } else { setup() }) {
            Ok(_) => read += 1,
            Err(error) => {
                assert!(!error.message().is_empty());
                refused += 1;
            }
        }
    }
    drop(std::panic::take_hook());
    assert!(read > 0 && refused > 0, "{read} {refused}");
}

/// A file of 3 kB has a page that claims 1.1 GB once it is unpacked. It is refused before memory is allocated for the page.
#[test]
fn a_page_that_claims_more_than_the_file_has_is_refused() {
    let bytes = include_bytes!("../../../fuzz/regressions/parquet/page-claims-a-gigabyte.parquet");
    let error = count(bytes, ReaderSetup::everything()).unwrap_err();
    assert_eq!(error.code(), "G0532");
    let expected = "a page claims more than the file has: 1100000000 bytes unpacked from 11";
    assert!(error.message().ends_with(expected), "{error}");
    assert!(error.help().is_some());
}

#[test]
fn files_are_read_in_place_and_streams_too() {
    let bytes = file(true, EnabledStatistics::Page, Compression::SNAPPY);
    let path: PathBuf = std::env::temp_dir().join(format!("gnomon-parquet-{}.parquet", std::process::id()));
    File::create(&path).unwrap().write_all(&bytes).unwrap();
    let name = path.display().to_string();
    let by_file =
        reported(open_input(TraceInput::File(File::open(&path).unwrap().into()), &name, None, setup()).unwrap());
    let by_magic =
        reported(open_input(TraceInput::File(File::open(&path).unwrap().into()), "x", None, setup()).unwrap());
    let mut reader = open_input(TraceInput::File(File::open(&path).unwrap().into()), &name, None, setup()).unwrap();
    while reader.advance().unwrap().is_some() {}
    let read = reader.bytes_read();
    std::fs::remove_file(&path).unwrap();
    let stream = TraceInput::Stream(Box::new(std::io::Cursor::new(bytes.clone())));
    let by_stream = reported(open_input(stream, "x", None, setup()).unwrap());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&bytes).unwrap();
    let packed = gzip.finish().unwrap();
    let by_packed = reported(open(&packed[..], "x.parquet.gz", None, setup()).unwrap());
    assert!(by_file == by_stream && by_file == by_magic && by_file == by_packed);
    assert!(read > 0 && read <= bytes.len() as u64, "{read}");
}

fn as_parquet(csv: &str, known: bool) -> (Vec<u8>, String) {
    let reader = || open(csv.as_bytes(), "t.csv", None, ReaderSetup::everything()).unwrap();
    let table: Option<TableColumns> = known.then(|| find_columns(&mut reader()).unwrap());
    let mut out = Vec::new();
    let mut writer = create(Format::Parquet, &mut out, table).unwrap();
    let reported = match convert(&mut reader(), &mut *writer) {
        Ok(summary) => {
            summary.losses.iter().map(|lost| format!("{:?} {}", lost.loss, lost.field)).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    };
    drop(writer);
    (out, reported)
}

#[test]
fn many_rows_go_through_tables_of_either_kind() {
    use std::fmt::Write as _;
    let mut csv = "event, time, user, n, mixed\n".to_owned();
    for row in 0..100_000 {
        let mixed = if row == 70_000 { "x".to_owned() } else { row.to_string() };
        writeln!(csv, "e{}, {}.5, ann, {row}, {mixed}", row % 5, row).unwrap();
    }
    let (bytes, losses) = as_parquet(&csv, true);
    assert_eq!((count(&bytes, ReaderSetup::everything()).unwrap(), losses.as_str()), (100_000, ""));
    let mut reader = open(&bytes[..], "t", None, ReaderSetup::everything()).unwrap();
    for _ in 0..70_001 {
        reader.advance().unwrap();
    }
    let entries: Vec<String> = reader.entries().iter().map(|entry| entry.value.to_string()).collect();
    assert_eq!(entries, ["70000.5", "\"ann\"", "70000", "\"x\""]);
    // Without a first pass the first events decide the types, and later values that do not fit are reported.
    let (_, error) = as_parquet(&csv, false);
    assert!(error.contains("`mixed` of event 70000") && error.contains("from a file"), "{error}");
}

#[test]
fn nulls_are_reported_as_losses() {
    assert_eq!(as_parquet("event, time, x, y\na, 1, null, 2\na, 2, 3, 2\n", true).1, "Null x");
    assert_eq!(as_parquet("event, time, x, y\na, 1, null, 2\na, 2, true, 2\na, 3, 3, 2\n", true).1, "");
}
