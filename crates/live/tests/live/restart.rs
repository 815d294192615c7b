// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches that end at any moment and continue as if they had not.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use gnomon_core::random::Random;
use gnomon_live::{Live, Options};
use gnomon_store::history::ViolationQuery;

use crate::support::{StoreFolder, assert_same, check, options, properties, send, status_after};

const SPEC: &str = "time in s
mtl answered { forall i. G(ask(i) -> F[0,5] answer(i)) }
soloist calm (severity high) { G(ask -> F[0,9] answer) }
mtl quiet { G !alarm }
pattern orderly { globally: answer responds to ask }
qea alternate { forall(i) accept skip(idle) { ask(i) -> busy } skip(busy) { answer(i) -> idle } }
nomad prompt { P(start(ask) | O[0,6]s done(answer)) }
";

fn trace(events: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut time = 0;
    let event = |random: &mut Random| ["ask", "answer", "answer", "other", "alarm"][random.index(100) / 24];
    let line = |_: usize| {
        time += random.index(3);
        let (name, id) = (event(&mut random), random.index(4));
        format!("{{\"event\":\"{name}\",\"time\":{time},\"i\":{id}}}\n")
    };
    (0..events).map(line).collect()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.file_name() != "lock" {
            // The watch is running: files that it removes meanwhile would not be there after a crash either.
            let copied = fs::copy(entry.path(), target);
            assert!(!copied.is_err_and(|error| error.kind() != ErrorKind::NotFound));
        }
    }
}

/// Returns all published violations.
fn published_violations(live: &Live) -> Vec<(u64, String, String)> {
    let query = ViolationQuery { limit: 100_000, ..ViolationQuery::default() };
    let rows = live.history().violations(&query).unwrap();
    rows.into_iter().map(|row| (row.number, row.property, row.json)).collect()
}

/// Copies the store while the watch runs, as a crash would leave it; everything acknowledged by then must be there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_not_forgotten() {
    let lines = trace(600, 3);
    for snapshot_every in [1_000_000, 40] {
        let first = StoreFolder::new();
        let mut own = options("all.rv", SPEC);
        own.snapshot_every = snapshot_every;
        own.store = Some(first.path().to_owned());
        let mut store = first;
        let (mut live, _) = Live::open(own.clone()).unwrap();
        let mut random = Random::new(snapshot_every);
        let mut rest = &lines[..];
        let mut restarts = 0;
        while !rest.is_empty() {
            let (now, later) = rest.split_at((1 + random.index(30)).min(rest.len()));
            send(&live, now.concat()).await.unwrap();
            rest = later;
            if random.index(3) == 0 {
                let next = StoreFolder::new();
                copy(store.path(), next.path());
                live.close();
                store = next;
                own.store = Some(store.path().to_owned());
                live = Live::open(own.clone()).unwrap().0;
                restarts += 1;
            }
        }
        assert!(restarts > 5, "{restarts}");
        let expected = check("all.rv", SPEC, &lines.concat(), None, false);
        assert_same(&properties(&live.report(true).await), &expected, "restarted");
        live.close();

        let whole = StoreFolder::new();
        let (uninterrupted, _) = Live::open(Options { store: Some(whole.path().to_owned()), ..own.clone() }).unwrap();
        send(&uninterrupted, lines.concat()).await.unwrap();
        uninterrupted.close();
        let numbers = |rows: &[(u64, String, String)]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
        let (mut broken, mut straight) = (published_violations(&live), published_violations(&uninterrupted));
        assert_eq!(numbers(&broken), numbers(&straight));
        // Whether an event was still in memory does not matter here.
        let bare = |row: &mut (u64, String, String)| {
            let mut json: serde_json::Value = serde_json::from_str(&row.2).unwrap();
            json["story"] = serde_json::Value::Null;
            row.2 = json.to_string();
        };
        broken.iter_mut().chain(&mut straight).for_each(bare);
        assert_eq!(broken, straight);
        assert!(!broken.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_is_not_gone_on_with_otherwise() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("all.rv", SPEC) };
    let (live, _) = Live::open(own.clone()).unwrap();
    send(&live, "{\"event\":\"ask\",\"time\":1,\"i\":1}\n").await.unwrap();
    assert!(Live::open(own.clone()).is_err(), "two at a time");
    live.close();
    drop(live);
    let other = Options { by: Some("i".to_owned()), ..own.clone() };
    let error = Live::open(other).err().unwrap().to_string();
    assert!(error.contains("no `--by` and not `--by i`"), "{error}");
    Live::open(own).unwrap().0.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_records_are_an_error_and_numbers_never_repeat() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("q.rv", "mtl quiet { G !alarm }\n") };
    let (live, _) = Live::open(own.clone()).unwrap();
    let alarm =
        |time: u64| format!("{{\"event\":\"alarm\",\"time\":{time}}}\n{{\"event\":\"ping\",\"time\":{}}}\n", time + 1);
    send(&live, alarm(1)).await.unwrap();
    send(&live, alarm(3)).await.unwrap();
    status_after(&live, 4).await;
    live.close();
    drop(live);
    let numbers = |live: &Live| -> Vec<u64> {
        let query = ViolationQuery { limit: 10, ..ViolationQuery::default() };
        live.history().violations(&query).unwrap().into_iter().map(|row| row.number).collect()
    };
    // The last segment ends earlier: a header is left.
    let segment = folder.path().join("journal/00000000000000000001.gnj");
    let whole = std::fs::read(&segment).unwrap();
    std::fs::write(&segment, &whole[..48]).unwrap();
    let error = |own: &Options| Live::open(own.clone()).err().unwrap().to_string();
    assert!(error(&own).contains("records 1 to 4 are missing"), "{}", error(&own));
    std::fs::write(&segment, b"").unwrap();
    assert!(error(&own).contains("record 1 and all after it are missing"), "{}", error(&own));
    std::fs::remove_dir_all(folder.path().join("journal")).unwrap();
    assert!(error(&own).contains("has no journal"), "{}", error(&own));
    let accepted = Options { accept_loss_after: Some(0), ..own.clone() };
    let (live, restored) = Live::open(accepted).unwrap();
    assert!(restored.notes.join("\n").contains("records 1 to 4 are missing"), "{:?}", restored.notes);
    assert_eq!(numbers(&live), [2, 1], "what was found stays");
    send(&live, alarm(1)).await.unwrap();
    status_after(&live, 2).await;
    live.close();
    assert_eq!(numbers(&live), [3, 2, 1]);
    drop(live);
    let (live, _) = Live::open(own).unwrap();
    assert_eq!(numbers(&live), [3, 2, 1]);
    live.close();
}
