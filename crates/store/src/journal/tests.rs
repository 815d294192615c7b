// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records are read as they were appended: after closing, cutting, flipping bits, removing, and during appends.

mod faults;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::frame::{HEAD_BYTES, HEADER_BYTES};
use super::*;
use crate::tests::TestFolder;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Segments so small that a few records need several.
fn small() -> JournalOptions {
    JournalOptions { segment_bytes: 130, sync: false }
}

fn payload(sequence: u64) -> Vec<u8> {
    format!("record {sequence} ").into_bytes().repeat(1 + sequence as usize % 3)
}

/// Creates a journal with this many records and closes it.
fn filled(folder: &Path, records: u64) {
    let (journal, _) = Journal::open(folder, small()).unwrap();
    for sequence in 1..=records {
        assert_eq!(journal.append(sequence as u8, &payload(sequence)).unwrap(), sequence);
    }
}

fn segments(folder: &Path) -> Vec<PathBuf> {
    let directory = Directory::open(folder).unwrap();
    directory.numbers(SEGMENT).unwrap().into_iter().map(|first| directory.numbered(first, SEGMENT)).collect()
}

/// Returns the bytes of all segments.
fn saved(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    segments(folder).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Restores all segments.
fn restore(folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for path in segments(folder) {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in files {
        overwrite(path, bytes);
    }
}

/// Changes a file in place, because some file systems sync a file eagerly that was truncated before.
fn overwrite(path: &Path, bytes: &[u8]) {
    let mut file = File::options().write(true).create(true).truncate(false).open(path).unwrap();
    file.write_all(bytes).unwrap();
    file.set_len(bytes.len() as u64).unwrap();
}

/// Returns the numbers of all records from here on, and checks their content.
fn read(journal: &Journal, from: u64) -> Result<Vec<u64>, StoreError> {
    let records = journal.read(from)?.collect::<Result<Vec<_>, _>>()?;
    for record in &records {
        assert_eq!((record.kind, &record.payload), (record.sequence as u8, &payload(record.sequence)));
    }
    Ok(records.into_iter().map(|record| record.sequence).collect())
}

fn reopened(folder: &Path) -> Result<(JournalState, Vec<u64>), StoreError> {
    let (journal, opened) = Journal::open(folder, small())?;
    let records = read(&journal, opened.first)?;
    Ok((opened, records))
}

fn error(folder: &Path) -> StoreError {
    reopened(folder).map(|(_, records)| records).expect_err("it cannot be opened and read")
}

fn numbers(from: u64, to: u64) -> Vec<u64> {
    (from..=to).collect()
}

#[test]
fn records_come_back_in_order_from_any_number() {
    let folder = TestFolder::new();
    filled(folder.path(), 40);
    assert!(segments(folder.path()).len() > 5);
    let (journal, opened) = Journal::open(folder.path(), small()).unwrap();
    assert_eq!(opened, JournalState { first: 1, last: 40, torn_bytes: 0 });
    for from in 0..=42 {
        assert_eq!(read(&journal, from).unwrap(), numbers(from.max(1), 40));
    }
    assert_eq!(journal.append(41, &payload(41)).unwrap(), 41);
    assert_eq!(read(&journal, 39).unwrap(), [39, 40, 41]);
    let sizes = segments(folder.path()).iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>();
    assert_eq!((journal.bytes(), journal.last(), journal.first()), (sizes, 41, 1));
}

#[test]
fn a_new_journal_is_empty_and_stays_so() {
    let folder = TestFolder::new();
    for _ in 0..2 {
        assert_eq!(reopened(folder.path()).unwrap(), (JournalState { first: 1, last: 0, torn_bytes: 0 }, vec![]));
    }
}

#[test]
fn empty_and_large_records_are_records() {
    let folder = TestFolder::new();
    let (journal, _) = Journal::open(folder.path(), small()).unwrap();
    let large = vec![7; 3_000_000];
    for payload in [&b""[..], &large, b""] {
        journal.append(1, payload).unwrap();
    }
    let sizes: Vec<usize> = journal.read(1).unwrap().map(|record| record.unwrap().payload.len()).collect();
    assert_eq!(sizes, [0, 3_000_000, 0]);
    let error = journal.append(1, &vec![0; MAX_PAYLOAD + 1]).unwrap_err();
    assert!(error.is(ErrorKind::TooLarge), "{error}");
    assert_eq!(journal.append(1, b"").unwrap(), 4);
}

#[test]
fn cut_off_at_every_byte_a_beginning_is_left() {
    let folder = TestFolder::new();
    filled(folder.path(), 12);
    let files = saved(folder.path());
    let (path, whole) = files.last_key_value().unwrap();
    let before = path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap() - 1;
    assert!(before < 11, "there are some records in the last segment");
    let mut ends = vec![HEADER_BYTES as usize];
    for sequence in before + 1..=12 {
        ends.push(ends[ends.len() - 1] + HEAD_BYTES as usize + payload(sequence).len());
    }
    assert_eq!(ends.last(), Some(&whole.len()));
    for cut in 0..whole.len() {
        overwrite(path, &whole[..cut]);
        let complete = ends.iter().filter(|end| **end <= cut).count().saturating_sub(1);
        let last = before + complete as u64;
        let torn = cut - if cut < HEADER_BYTES as usize { 0 } else { ends[complete] };
        let (opened, records) = reopened(folder.path()).unwrap();
        assert_eq!(opened, JournalState { first: 1, last, torn_bytes: torn as u64 }, "cut at {cut}");
        assert_eq!(records, numbers(1, last), "cut at {cut}");
        // Appending continues from there.
        let (journal, opened) = Journal::open(folder.path(), small()).unwrap();
        assert_eq!((opened.last, opened.torn_bytes), (last, 0));
        assert_eq!(journal.append((last + 1) as u8, &payload(last + 1)).unwrap(), last + 1);
        assert_eq!(read(&journal, 1).unwrap(), numbers(1, last + 1));
        drop(journal);
        restore(folder.path(), &files);
    }
}

#[test]
fn no_flipped_bit_makes_a_wrong_record() {
    let folder = TestFolder::new();
    filled(folder.path(), 6);
    let files = saved(folder.path());
    assert!(files.len() >= 3);
    let last = files.keys().next_back().unwrap();
    let (mut errors, mut cuts) = (0, 0);
    for (path, bytes) in &files {
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            overwrite(path, &flipped);
            match reopened(folder.path()) {
                Ok((opened, records)) => {
                    assert_eq!(path, last, "bit {bit}: only the tail may be cut off");
                    assert!(opened.torn_bytes > 0, "bit {bit}: cut off and reported");
                    assert_eq!((opened.last, records), (5, numbers(1, 5)), "bit {bit}: only the last record");
                    cuts += 1;
                }
                Err(error) => {
                    assert!(error.is(ErrorKind::Damaged) || error.is(ErrorKind::Version), "bit {bit}: {error}");
                    assert_eq!(error.path().parent(), Some(folder.path()));
                    errors += 1;
                }
            }
            overwrite(path, bytes);
        }
    }
    let last_frame = 8 * (HEAD_BYTES as usize + payload(6).len());
    assert_eq!(cuts, last_frame);
    assert!(errors > 4 * cuts);
}

#[test]
fn damage_before_intact_records_is_reported_with_a_remedy() {
    let folder = TestFolder::new();
    let options = JournalOptions { sync: false, ..JournalOptions::default() };
    let (journal, _) = Journal::open(folder.path(), options.clone()).unwrap();
    for sequence in 1..=5 {
        journal.append(sequence as u8, &payload(sequence)).unwrap();
    }
    drop(journal);
    let path = segments(folder.path()).pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let second = (HEADER_BYTES + HEAD_BYTES) as usize + payload(1).len();
    bytes[second + 20] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = error(folder.path());
    assert!(error.is(ErrorKind::Damaged));
    assert_eq!((error.path(), error.offset()), (&*path, Some(second as u64)));
    assert!(error.remedy().is_some_and(|help| help.contains(&format!("truncate -s {second} "))));

    // Follows the advice of the error.
    fs::write(&path, &bytes[..second]).unwrap();
    assert_eq!(reopened(folder.path()).unwrap(), (JournalState { first: 1, last: 1, torn_bytes: 0 }, vec![1]));
}

#[test]
fn zeros_at_the_end_are_a_torn_tail() {
    let folder = TestFolder::new();
    filled(folder.path(), 9);
    let path = segments(folder.path()).pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend([0; 5_000]);
    fs::write(&path, &bytes).unwrap();
    let (opened, records) = reopened(folder.path()).unwrap();
    assert_eq!((opened.torn_bytes, records), (5_000, numbers(1, 9)));
}

#[test]
fn a_missing_segment_is_missed_by_its_name() {
    let folder = TestFolder::new();
    filled(folder.path(), 20);
    let all = segments(folder.path());
    fs::remove_file(&all[1]).unwrap();
    let error = error(folder.path());
    assert!(error.is(ErrorKind::Damaged) && error.path() == all[1] && error.to_string().contains("missing"), "{error}");
}

#[test]
fn a_segment_that_was_cut_in_the_middle_is_noticed() {
    let folder = TestFolder::new();
    filled(folder.path(), 20);
    let all = segments(folder.path());
    let bytes = fs::read(&all[1]).unwrap();
    for length in [0, 20, bytes.len() - 1] {
        fs::write(&all[1], &bytes[..length]).unwrap();
        let error = error(folder.path());
        assert!(error.is(ErrorKind::Damaged) && error.path() == all[1], "{length}: {error}");
    }
}

#[test]
fn segments_under_each_others_names_are_noticed() {
    let folder = TestFolder::new();
    filled(folder.path(), 20);
    let all = segments(folder.path());
    fs::copy(&all[1], &all[2]).unwrap();
    assert!(error(folder.path()).is(ErrorKind::Damaged));
}

#[test]
fn another_version_is_left_alone() {
    let folder = TestFolder::new();
    filled(folder.path(), 3);
    let path = segments(folder.path()).pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 2;
    fs::write(&path, &bytes).unwrap();
    let error = error(folder.path());
    assert!(error.is(ErrorKind::Version) && error.to_string().contains("version 2"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_segment_that_was_only_begun_is_gone_on_with() {
    let folder = TestFolder::new();
    filled(folder.path(), 5);
    for records in [0, 5] {
        // Only a header, and less.
        for bytes in [0, 10, HEADER_BYTES as usize] {
            let folder = TestFolder::new();
            filled(folder.path(), records);
            let directory = Directory::open(folder.path()).unwrap();
            let before = directory.numbers(SEGMENT).unwrap().pop().unwrap();
            let (first, size) = (before, fs::metadata(directory.numbered(before, SEGMENT)).unwrap().len());
            let header = frame::SegmentHeader::new(records + 1, first, size).to_bytes();
            fs::write(directory.numbered(records + 1, SEGMENT), &header[..bytes]).unwrap();
            let torn_bytes = if bytes < HEADER_BYTES as usize { bytes as u64 } else { 0 };
            let expected = JournalState { first: 1, last: records, torn_bytes };
            let (journal, opened) = Journal::open(folder.path(), small()).unwrap();
            assert_eq!(opened, expected, "{records} records, {bytes} bytes");
            journal.append((records + 1) as u8, &payload(records + 1)).unwrap();
            assert_eq!(read(&journal, 1).unwrap(), numbers(1, records + 1));
        }
    }
}

#[test]
fn numbers_go_on_even_if_the_only_segment_is_torn() {
    let folder = TestFolder::new();
    fs::write(Directory::open(folder.path()).unwrap().numbered(77, SEGMENT), b"GNOM").unwrap();
    let (journal, opened) = Journal::open(folder.path(), small()).unwrap();
    assert_eq!(opened, JournalState { first: 77, last: 76, torn_bytes: 4 });
    assert_eq!(journal.append(77, &payload(77)).unwrap(), 77);
    assert_eq!(read(&journal, 77).unwrap(), [77]);
    assert!(journal.read(76).unwrap_err().is(ErrorKind::Gone));
}

#[test]
fn two_cannot_use_one_folder() {
    let folder = TestFolder::new();
    let (journal, _) = Journal::open(folder.path(), small()).unwrap();
    let error = error(folder.path());
    assert!(error.is(ErrorKind::Locked) && error.to_string().contains(&std::process::id().to_string()), "{error}");
    drop(journal);
    assert!(reopened(folder.path()).is_ok());
}

#[test]
fn what_threads_append_is_passed_on_synced_and_read_in_one_order() {
    let folder = TestFolder::new();
    let options = JournalOptions { segment_bytes: 4_000, sync: true };
    let (journal, _) = Journal::open(folder.path(), options).unwrap();
    let passed = Mutex::new(Vec::new());
    let (each, threads) = (300, 4);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut records = journal.read(1).unwrap();
            let mut records_read = Vec::new();
            while records_read.len() < each * threads {
                match records.next() {
                    Some(record) => records_read.push(record.unwrap()),
                    None => thread::yield_now(),
                }
            }
            records_read
        });
        let syncer = scope.spawn(|| {
            let mut durable = vec![0];
            while let Some(through) = journal.sync_next().unwrap() {
                durable.push(through);
            }
            durable
        });
        let appenders: Vec<_> = (0..threads)
            .map(|thread| {
                let (journal, passed) = (&journal, &passed);
                scope.spawn(move || {
                    for number in 0..each {
                        let payload = format!("{thread} {number}");
                        let note = |sequence| passed.lock().unwrap().push((sequence, payload.clone()));
                        journal.append_then(thread as u8, payload.as_bytes(), note).unwrap();
                    }
                })
            })
            .collect();
        for appender in appenders {
            appender.join().unwrap();
        }
        journal.close();
        let durable = syncer.join().unwrap();
        assert!(durable.is_sorted_by(|left, right| left < right));
        assert_eq!(durable.last(), Some(&(each as u64 * threads as u64)));
        let records_read = reader.join().unwrap();
        let passed = passed.lock().unwrap();
        assert_eq!(passed.len(), records_read.len());
        for (index, (record, (sequence, payload))) in records_read.iter().zip(&*passed).enumerate() {
            assert_eq!((record.sequence, *sequence), (index as u64 + 1, index as u64 + 1));
            assert_eq!(record.payload, payload.as_bytes());
        }
    });
}

#[test]
fn a_closed_journal_accepts_nothing_and_finishes_its_work() {
    let folder = TestFolder::new();
    let (journal, _) = Journal::open(folder.path(), JournalOptions::default()).unwrap();
    journal.append(1, b"one").unwrap();
    journal.close();
    assert!(journal.append(1, b"two").unwrap_err().is(ErrorKind::Closed));
    assert_eq!(journal.sync_next().unwrap(), Some(1));
    assert_eq!(journal.sync_next().unwrap(), None);
}

#[test]
fn a_panic_of_the_caller_harms_nobody() {
    let folder = TestFolder::new();
    let (journal, _) = Journal::open(folder.path(), small()).unwrap();
    let panicked = thread::scope(|scope| {
        scope.spawn(|| journal.append_then(1, &payload(1), |_| panic!("on purpose"))).join().is_err()
    });
    assert!(panicked);
    journal.append(2, &payload(2)).unwrap();
    assert_eq!(read(&journal, 1).unwrap(), [1, 2]);
}

#[test]
fn old_segments_are_removed_as_far_as_is_allowed() {
    let folder = TestFolder::new();
    filled(folder.path(), 40);
    let (journal, _) = Journal::open(folder.path(), small()).unwrap();
    let starts: Vec<u64> = Directory::open(folder.path()).unwrap().numbers(SEGMENT).unwrap();
    let nothing = RemovedSegments::default();
    assert_eq!(journal.retain(41, &JournalRetention::default()).unwrap(), nothing, "no limit, nothing to remove");
    let all = JournalRetention { bytes: Some(0), age: None };
    assert_eq!(journal.retain(starts[1] - 1, &all).unwrap(), nothing, "its last record is still needed");
    let before = journal.bytes();
    let (mut started, mut waiting) = (journal.read(1).unwrap(), journal.read(1).unwrap());
    assert_eq!(started.next().unwrap().unwrap().sequence, 1);
    let retained = journal.retain(starts[1], &all).unwrap();
    assert_eq!((retained.segments, journal.bytes()), (1, before - retained.bytes));
    assert_eq!(journal.first(), starts[1]);
    assert!(journal.read(starts[1] - 1).unwrap_err().is(ErrorKind::Gone));
    assert!(waiting.next().unwrap().unwrap_err().is(ErrorKind::Gone));
    assert!(waiting.next().is_none(), "an error ends it");
    assert!(started.map(|record| record.unwrap().sequence).eq(2..=40), "it had the file open");
    assert_eq!(read(&journal, starts[1]).unwrap(), numbers(starts[1], 40));

    let day = JournalRetention { bytes: Some(u64::MAX), age: Some(DAY) };
    assert_eq!(journal.retain(41, &day).unwrap(), nothing, "small and young");
    let size = journal.bytes() - 1;
    assert_eq!(journal.retain(41, &JournalRetention { bytes: Some(size), age: None }).unwrap().segments, 1);
    journal.retain(1_000, &all).unwrap();
    assert_eq!(segments(folder.path()).len(), 1, "the last one stays");
    drop(journal);
    let (opened, records) = reopened(folder.path()).unwrap();
    assert_eq!((opened.first, opened.last), (starts[starts.len() - 1], 40));
    assert_eq!(records, numbers(opened.first, 40));
}

#[test]
fn segments_grow_old() {
    let folder = TestFolder::new();
    filled(folder.path(), 40);
    let (journal, _) = Journal::open(folder.path(), small()).unwrap();
    let long_ago = std::time::SystemTime::now() - 2 * DAY;
    for path in &segments(folder.path())[..2] {
        File::options().append(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }
    let day = JournalRetention { bytes: None, age: Some(DAY) };
    assert_eq!(journal.retain(41, &day).unwrap().segments, 2);
}

#[test]
fn an_emptied_segment_is_reported_with_what_is_missing() {
    let folder = TestFolder::new();
    let options = JournalOptions { sync: true, ..small() };
    let (journal, _) = Journal::open(folder.path(), options.clone()).unwrap();
    journal.append(1, b"acknowledged").unwrap();
    journal.sync_next().unwrap();
    drop(journal);
    let path = segments(folder.path()).pop().unwrap();
    overwrite(&path, b"");
    let error = Journal::open(folder.path(), options).unwrap_err();
    assert!(
        error.is(ErrorKind::Damaged) && error.message().contains("record 1 and all after it are missing"),
        "{error}"
    );
    assert!(path.exists(), "nothing is changed");
}
