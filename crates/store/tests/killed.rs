// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process is killed while it appends: everything that it acknowledged is there.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process, thread};

use gnomon_store::{Journal, JournalOptions};

const FOLDER: &str = "GNOMON_STORE_KILLED_FOLDER";

/// The test runs itself as the process to be killed.
#[test]
fn all_that_was_acknowledged_is_there_after_a_kill() {
    if let Some(folder) = env::var_os(FOLDER) {
        return append_until_killed(Path::new(&folder));
    }
    let folder = Folder(env::temp_dir().join(format!("gnomon-killed-{}", process::id())));
    let mut acknowledged = 0;
    let mut ends = BTreeSet::new();
    for life in 0..8 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "all_that_was_acknowledged_is_there_after_a_kill", "--nocapture"])
            .env(FOLDER, &folder.0)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        // Each run is longer than the previous one, so that the kill hits other points of the work.
        let heard =
            output.map(|line| line.unwrap()).filter_map(|line| line.strip_prefix("durable ")?.parse::<u64>().ok());
        let heard: Vec<u64> = heard.take(1 + 7 * life).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged = acknowledged.max(*heard.last().expect("it has acknowledged something"));

        let (journal, opened) = Journal::open(&folder.0, options()).unwrap();
        assert!(opened.last >= acknowledged, "{opened:?}, but {acknowledged} was acknowledged");
        let mut due = 1;
        for record in journal.read(1).unwrap() {
            let record = record.unwrap();
            assert_eq!((record.sequence, record.payload), (due, payload(due)));
            due += 1;
        }
        assert_eq!(due, opened.last + 1);
        acknowledged = opened.last;
        ends.insert(opened.last);
    }
    assert_eq!(ends.len(), 8, "every life added something");
}

fn append_until_killed(folder: &Path) {
    let (journal, opened) = Journal::open(folder, options()).expect("it can be opened");
    let durable = AtomicU64::new(opened.last);
    thread::scope(|scope| {
        scope.spawn(|| {
            for next in opened.last + 1.. {
                assert_eq!(journal.append(next as u8, &payload(next)).expect("there is room"), next);
                // Not too far ahead, so that the journal stays small enough to be read after each run.
                while next > durable.load(Ordering::Acquire) + 100 {
                    thread::yield_now();
                }
            }
        });
        while let Some(through) = journal.sync_next().expect("the disk works") {
            let mut out = std::io::stdout().lock();
            writeln!(out, "durable {through}").and_then(|()| out.flush()).expect("someone listens");
            durable.store(through, Ordering::Release);
        }
    });
}

fn options() -> JournalOptions {
    JournalOptions { segment_bytes: 20_000, sync: true }
}

fn payload(sequence: u64) -> Vec<u8> {
    let bytes = (0..sequence % 300).map(|place| (sequence.wrapping_mul(31 + place) >> 3) as u8);
    bytes.collect()
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
