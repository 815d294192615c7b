// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk that fails on demand: full in the middle of a frame, unable to truncate, unable to sync.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};

use super::super::append_file::AppendFile;
use super::super::*;
use crate::tests::TestFolder;

/// Failures to come; afterwards the disk works.
#[derive(Default)]
struct Plan {
    /// Maximum number of bytes of each write; `Err` fails.
    appends: VecDeque<Result<usize, io::ErrorKind>>,
    cuts: VecDeque<io::ErrorKind>,
    syncs: VecDeque<io::ErrorKind>,
}

struct Faulty(Arc<dyn AppendFile>, Arc<Mutex<Plan>>);

impl AppendFile for Faulty {
    fn append(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.1.lock().unwrap().appends.pop_front() {
            None => self.0.append(parts),
            Some(Ok(most)) => self.0.append(&[IoSlice::new(&parts[0][..most.min(parts[0].len())])]),
            Some(Err(kind)) => Err(kind.into()),
        }
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.1.lock().unwrap().cuts.pop_front().map_or_else(|| self.0.cut(bytes), |kind| Err(kind.into()))
    }

    fn sync(&self) -> io::Result<()> {
        self.1.lock().unwrap().syncs.pop_front().map_or_else(|| self.0.sync(), |kind| Err(kind.into()))
    }
}

fn open(folder: &TestFolder, options: JournalOptions) -> (Journal, JournalState, Arc<Mutex<Plan>>) {
    let plan = Arc::new(Mutex::new(Plan::default()));
    let failures = Arc::clone(&plan);
    let file_factory: FileFactory =
        Box::new(move |file, path| Arc::new(Faulty(append_file::file_factory()(file, path), Arc::clone(&failures))));
    let (journal, opened) = Journal::open_on(file_factory, folder.path(), options).unwrap();
    (journal, opened, plan)
}

fn payloads(journal: &Journal) -> Vec<Vec<u8>> {
    journal.read(1).unwrap().map(|record| record.unwrap().payload).collect()
}

#[test]
fn a_full_disk_loses_nothing_and_is_got_over() {
    for written in [None, Some(1), Some(16), Some(17)] {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::Other] {
            let folder = TestFolder::new();
            let (journal, _, plan) = open(&folder, JournalOptions::default());
            journal.append(1, b"before").unwrap();
            plan.lock().unwrap().appends = written.map(Ok).into_iter().chain([Err(kind)]).collect();
            let error = journal.append(1, b"refused").unwrap_err();
            assert_eq!(error.is(ErrorKind::Full), kind != io::ErrorKind::Other, "{error}");
            assert_eq!((journal.last(), payloads(&journal)), (1, vec![b"before".to_vec()]));
            assert_eq!(journal.append(1, b"after").unwrap(), 2);
            assert_eq!(journal.sync_next().unwrap(), Some(2));
            drop(journal);
            let (journal, opened, _) = open(&folder, JournalOptions::default());
            assert_eq!(opened, JournalState { first: 1, last: 2, torn_bytes: 0 });
            assert_eq!(payloads(&journal), [b"before".to_vec(), b"after".to_vec()]);
        }
    }
}

#[test]
fn short_and_interrupted_writes_are_gone_on_with() {
    let folder = TestFolder::new();
    let (journal, _, plan) = open(&folder, JournalOptions::default());
    plan.lock().unwrap().appends = [Ok(3), Err(io::ErrorKind::Interrupted), Ok(10)].into();
    journal.append(1, b"in pieces").unwrap();
    plan.lock().unwrap().appends = [Ok(0)].into();
    assert!(journal.append(1, b"nothing is written").is_err());
    assert_eq!(payloads(&journal), [b"in pieces"]);
}

#[test]
fn what_cannot_be_undone_ends_it_until_it_is_opened_anew() {
    let folder = TestFolder::new();
    let (journal, _, plan) = open(&folder, JournalOptions::default());
    journal.append(1, b"before").unwrap();
    *plan.lock().unwrap() = Plan {
        appends: [Ok(5), Err(io::ErrorKind::StorageFull)].into(),
        cuts: [io::ErrorKind::Other].into(),
        ..Plan::default()
    };
    assert!(journal.append(1, b"refused").unwrap_err().is(ErrorKind::Full));
    assert!(journal.append(1, b"refused").unwrap_err().is(ErrorKind::Refused));
    assert_eq!(journal.sync_next().unwrap(), Some(1), "what was there before is as good as ever");
    assert_eq!(payloads(&journal), [b"before"]);
    drop(journal);
    let (journal, opened, _) = open(&folder, JournalOptions::default());
    assert_eq!(opened, JournalState { first: 1, last: 1, torn_bytes: 5 });
    assert_eq!(journal.append(1, b"after").unwrap(), 2);
}

#[test]
fn a_failed_sync_is_final() {
    let folder = TestFolder::new();
    let (journal, _, plan) = open(&folder, JournalOptions::default());
    journal.append(1, b"before").unwrap();
    plan.lock().unwrap().syncs = [io::ErrorKind::Other].into();
    assert!(!journal.sync_next().unwrap_err().is(ErrorKind::Full));
    assert!(journal.append(1, b"refused").unwrap_err().is(ErrorKind::Refused));
    assert!(
        journal.sync_next().unwrap_err().is(ErrorKind::Refused),
        "the disk would say yes now, but it is not an answer"
    );
    journal.close();
    assert!(journal.sync_next().is_err());
    drop(journal);
    let (journal, opened, plan) = open(&folder, JournalOptions::default());
    assert_eq!(opened.last, 1);
    journal.append(1, b"after").unwrap();
    plan.lock().unwrap().syncs = [io::ErrorKind::StorageFull].into();
    assert!(journal.sync_next().unwrap_err().is(ErrorKind::Full));
}

#[test]
fn a_new_segment_that_cannot_be_made_is_tried_again() {
    let folder = TestFolder::new();
    let options = JournalOptions { segment_bytes: 130, sync: true };
    let (journal, _, plan) = open(&folder, options.clone());
    journal.append(1, &[1; 40]).unwrap();
    // A folder under the temporary name of the next segment: it cannot be created.
    let obstacle = folder.path().join("00000000000000000002.new");
    std::fs::create_dir(&obstacle).unwrap();
    assert!(journal.append(1, &[2; 40]).is_err());
    assert_eq!(journal.append(1, b"").unwrap(), 2, "this one fits into the old segment");
    assert_eq!(journal.append(1, &[3; 40]).unwrap(), 3, "another name, no obstacle");
    std::fs::remove_dir(&obstacle).unwrap();
    plan.lock().unwrap().syncs = [io::ErrorKind::Other].into();
    assert!(journal.append(1, &[4; 40]).is_err(), "the old segment must be durable before the new one begins");
    assert!(journal.append(1, &[4; 40]).unwrap_err().is(ErrorKind::Refused));
    drop(journal);
    let (journal, opened, _) = open(&folder, options);
    assert_eq!(opened, JournalState { first: 1, last: 3, torn_bytes: 0 });
    assert_eq!(payloads(&journal), [vec![1; 40], vec![], vec![3; 40]]);
}

#[test]
#[cfg(unix)]
fn a_removed_or_moved_journal_makes_nothing_durable() {
    let remove: fn(&Path) = |folder| std::fs::remove_dir_all(folder).unwrap();
    let rename: fn(&Path) = |folder| std::fs::rename(folder, folder.with_extension("moved")).unwrap();
    let replace: fn(&Path) = |folder| {
        let segment = folder.join("00000000000000000001.gnj");
        let bytes = std::fs::read(&segment).unwrap();
        std::fs::remove_file(&segment).unwrap();
        std::fs::write(&segment, bytes).unwrap();
    };
    for lose in [remove, rename, replace] {
        let folder = TestFolder::new();
        let journal_folder = folder.path().join("journal");
        let (journal, _) = Journal::open(&journal_folder, JournalOptions::default()).unwrap();
        journal.append(1, b"kept").unwrap();
        assert_eq!(journal.sync_next().unwrap(), Some(1));
        lose(&journal_folder);
        journal.append(1, b"lost").unwrap();
        let error = journal.sync_next().unwrap_err();
        assert!(error.to_string().contains("the file was removed or moved"), "{error}");
        assert!(error.remedy().is_some_and(|help| help.contains("copy")), "{error:?}");
        assert!(journal.append(1, b"more").unwrap_err().is(ErrorKind::Refused));
    }
}
