// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stores of earlier versions: the state is rebuilt from the journal, or the error explains why it cannot be.
//!
//! `tests/data/store-0.1.0` was written by version 0.1.0 (`--time replay`): nine properties in seven languages,
//! numbered events, a hook that does not respond, a mute, a snapshot at record 2, another text of the spec, more
//! events, and `kill -9`.

use std::fs;
use std::path::{Path, PathBuf};

use gnomon_live::{JournalRetention, Live, Options};
use gnomon_store::history::{DeliveryState, ViolationQuery};
use gnomon_store::{Journal, JournalOptions};

use crate::support::{StoreFolder, assert_same, check, export, options, properties, send};

/// Number of violations that version 0.1.0 found.
const FOUND: u64 = 95;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/store-0.1.0")
}

/// Unpacks a copy of the store. Returns it with the options to open it.
fn unpacked() -> (StoreFolder, Options) {
    let folder = StoreFolder::new();
    for part in ["journal", "snapshots"] {
        fs::create_dir_all(folder.path().join(part)).unwrap();
        for entry in fs::read_dir(data().join(part)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.path().join(part).join(entry.file_name())).unwrap();
        }
    }
    for file in ["history.sqlite", "history.sqlite-wal"] {
        let packed = fs::read(data().join(file).with_extension(format!("{}.zst", &file["history.".len()..]))).unwrap();
        fs::write(folder.path().join(file), zstd::decode_all(&packed[..]).unwrap()).unwrap();
    }
    let spec = fs::read_to_string(data().join("watch.rv")).unwrap();
    let own = Options { store: Some(folder.path().to_owned()), ..options("watch.rv", &spec) };
    (folder, own)
}

/// Returns number and property of each violation in the history, oldest first.
fn violations(live: &Live) -> Vec<(u64, String)> {
    let query = ViolationQuery { limit: 10_000, ..ViolationQuery::default() };
    let rows = live.history().violations(&query).unwrap();
    rows.into_iter().rev().map(|row| (row.number, row.property)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_of_version_0_1_0_goes_on() {
    let (_folder, own) = unpacked();
    let (live, restored) = Live::open(own.clone()).unwrap();
    let notes = restored.notes.join("\n");
    assert!(notes.contains("the snapshot of record 2 cannot be used: it is of version 2"), "{notes}");
    assert!(notes.contains("the state was rebuilt from the journal, 6 records in"), "{notes}");
    assert_eq!(restored.replayed, 6);

    let same = async |live: &Live| {
        let expected = check("watch.rv", &own.spec_text, &export(live), None, true);
        assert_same(&properties(&live.report(false).await), &expected, "0.1.0");
    };
    same(&live).await;
    let found = violations(&live);
    assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=FOUND).collect::<Vec<_>>());
    assert_eq!(live.status().violations, FOUND);
    assert_eq!(live.next_number("till"), Some(121));
    assert_eq!(live.blocks().iter().map(|block| (&*block.property, block.number)).collect::<Vec<_>>(), [("quiet", 65)]);

    // Mutes and pending deliveries are still there, once.
    let history = live.history();
    assert_eq!(history.mutes().unwrap()[0].mute.property.as_deref(), Some("paired"));
    let hook = &history.webhooks().unwrap()[0];
    assert_eq!((&*hook.webhook.url, hook.webhook.secret.as_deref()), ("http://127.0.0.1:9/told", Some("hush")));
    let deliveries = history.deliveries(hook.id, 1_000).unwrap();
    let waiting = deliveries.iter().filter(|delivery| delivery.state == DeliveryState::Waiting);
    let wanted = found.iter().filter(|(_, property)| property != "paired" && property != "orderly");
    assert_eq!(waiting.map(|one| one.violation).rev().collect::<Vec<_>>(), wanted.map(|one| one.0).collect::<Vec<_>>());

    // It continues, and the next start has a snapshot of its own.
    send(&live, "{\"event\":\"ask\",\"time\":1000,\"i\":1}\n{\"event\":\"x\",\"time\":1100}\n").await.unwrap();
    live.close();
    drop(live);
    let (live, restored) = Live::open(own.clone()).unwrap();
    assert_eq!((restored.notes, restored.replayed), (vec![], 0));
    same(&live).await;
    assert!(violations(&live).len() > found.len());
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_first_records_it_is_said_what_can_be_done() {
    let (folder, own) = unpacked();
    let journal = folder.path().join("journal");
    // The same records in small segments, of which the first are removed as by `--keep`.
    let records: Vec<_> = {
        let (whole, _) = Journal::open(&journal, JournalOptions::default()).unwrap();
        whole.read(1).unwrap().map(Result::unwrap).collect()
    };
    fs::remove_dir_all(&journal).unwrap();
    {
        let (cut, _) = Journal::open(&journal, JournalOptions { segment_bytes: 100, sync: false }).unwrap();
        for record in &records {
            cut.append(record.kind, &record.payload).unwrap();
        }
        cut.retain(4, &JournalRetention { bytes: Some(0), age: None }).unwrap();
        assert_eq!(cut.first(), 4);
    }
    for _ in 0..2 {
        let error = Live::open(own.clone()).err().unwrap().to_string();
        assert!(error.contains("the snapshot of record 2 cannot be used"), "{error}");
        assert!(error.contains("the journal begins with record 4"), "{error}");
        assert!(error.contains("remove the folder `snapshots`"), "{error}");
    }
    assert!(folder.path().join("snapshots/00000000000000000002.gns").exists(), "nothing was touched");

    fs::remove_dir_all(folder.path().join("snapshots")).unwrap();
    let (live, restored) = Live::open(own.clone()).unwrap();
    assert!(restored.notes[0].contains("evaluation begins there"), "{:?}", restored.notes);
    assert_eq!(violations(&live).len() as u64, FOUND, "what the history has is not reported twice");
    let expected = check("watch.rv", &own.spec_text, &export(&live), None, true);
    assert_same(&properties(&live.report(false).await), &expected, "begun anew");
    send(&live, "{\"event\":\"alarm\",\"time\":1000}\n{\"event\":\"x\",\"time\":1100}\n").await.unwrap();
    live.close();
    let found = violations(&live);
    assert!(found.len() as u64 > FOUND && found.last().unwrap().0 > FOUND, "what is new has a number of its own");
}
