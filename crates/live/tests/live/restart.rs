// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches that end at any moment and continue as if they had not.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use gnomon_core::random::Random;
use gnomon_live::{Live, Options};
use gnomon_store::history::ViolationQuery;

use crate::support::{StoreFolder, assert_same, check, options, properties, send, send_numbered, status_after};

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

/// Removes the snapshots, so that the next start has to apply the whole journal.
fn without_snapshots(folder: &StoreFolder) {
    fs::remove_dir_all(folder.path().join("snapshots")).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clean_stop_leaves_a_snapshot_that_the_next_start_uses() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("q.rv", "mtl quiet { G !alarm }\n") };
    for start in 0..3 {
        let (live, restored) = Live::open(own.clone()).unwrap();
        assert_eq!(restored.replayed, 0, "start {start}");
        // Without a violation the history has nothing to write.
        for time in 0..20 {
            send(&live, format!("{{\"event\":\"ping\",\"time\":{}}}\n", start * 20 + time)).await.unwrap();
        }
        live.close();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_is_killed_again_and_again_makes_progress() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), snapshot_every: 50, ..options("all.rv", SPEC) };
    let (live, _) = Live::open(own.clone()).unwrap();
    let lines = trace(400, 5);
    for part in lines.chunks(10) {
        send(&live, part.concat()).await.unwrap();
    }
    live.close();
    drop(live);
    without_snapshots(&folder);
    let (live, restored) = Live::open(own.clone()).unwrap();
    assert!(restored.replayed > 40, "{restored:?}");
    // Snapshots were written on the way: a start after a crash at this moment begins with them.
    let crashed = StoreFolder::new();
    copy(folder.path(), crashed.path());
    live.close();
    drop(live);
    let (live, restored) = Live::open(Options { store: Some(crashed.path().to_owned()), ..own }).unwrap();
    assert!(restored.replayed < 10, "{restored:?}");
    assert_same(&properties(&live.report(true).await), &check("all.rv", SPEC, &lines.concat(), None, false), "crashed");
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_history_is_rebuilt_in_one_start() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("all.rv", SPEC) };
    let (live, _) = Live::open(own.clone()).unwrap();
    for part in trace(1500, 9).chunks(50) {
        send(&live, part.concat()).await.unwrap();
    }
    live.close();
    let whole = published_violations(&live);
    drop(live);
    assert!(whole.len() > 200, "{}", whole.len());
    let path = folder.path().join("history.sqlite");
    let intact = fs::read(&path).unwrap();
    for from in [100, intact.len() / 8 / 4096 * 4096, intact.len() / 2] {
        let mut damaged = intact.clone();
        damaged[from..].fill(0xA5);
        let _ = fs::remove_file(folder.path().join("history.sqlite-wal"));
        let _ = fs::remove_file(folder.path().join("history.sqlite-shm"));
        fs::write(&path, &damaged).unwrap();
        without_snapshots(&folder);
        let (live, restored) = Live::open(own.clone()).unwrap_or_else(|error| panic!("{from}: {error}"));
        assert!(restored.notes.iter().any(|note| note.contains("was damaged")), "{from}: {:?}", restored.notes);
        live.close();
        assert_eq!(published_violations(&live).len(), whole.len(), "{from}");
        drop(live);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_accepted_while_the_state_is_restored() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("all.rv", SPEC) };
    let (live, _) = Live::open(own.clone()).unwrap();
    let lines = trace(60_000, 2);
    for (number, part) in lines[..59_000].chunks(500).enumerate() {
        send_numbered(&live, part.concat(), Some(("till", number as u64 * 500))).await.unwrap();
    }
    live.close();
    drop(live);
    without_snapshots(&folder);
    let (live, restoration) = Live::start(own.clone()).unwrap();
    let rest: Vec<String> = lines[58_500..].chunks(100).map(<[String]>::concat).collect();
    for (number, part) in rest.into_iter().enumerate() {
        let receipt = send_numbered(&live, part, Some(("till", 58_500 + number as u64 * 100))).await.unwrap();
        assert_eq!(receipt.duplicates, if number < 5 { 100 } else { 0 }, "numbers are known at once");
        if number == 0 {
            assert!(live.restoring().is_some(), "it takes longer than one request");
            assert_eq!(live.status().state, gnomon_live::wire::WatchState::Starting);
        }
    }
    let report = restoration.wait().unwrap();
    assert!(report.replayed > 100, "{report:?}");
    status_after(&live, 60_000).await;
    assert_eq!(live.status().state, gnomon_live::wire::WatchState::Running);
    // Of many violations a report lists some; the counts are of all.
    let counts = |report: serde_json::Value| {
        let names = ["verdict", "positions", "activated", "satisfied", "violated", "pending"];
        let counts_of = |row: &serde_json::Value| serde_json::Value::from(names.map(|name| row[name].clone()).to_vec());
        report[1].as_array().unwrap().iter().map(counts_of).collect::<serde_json::Value>()
    };
    let expected = counts(check("all.rv", SPEC, &lines.concat(), None, false));
    assert_same(&counts(properties(&live.report(true).await)), &expected, "restored");
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snapshots_of_a_large_state_are_made_from_the_journal() {
    let spec = "time in s\nmtl answered { forall i. G(ask(i) -> F[0,1000000] answer(i)) }\nmtl quiet { G !alarm }\n";
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), snapshot_every: 20_000, ..options("big.rv", spec) };
    let (live, _) = Live::open(own.clone()).unwrap();
    let mut trace = String::new();
    let mut snapshots = std::collections::BTreeSet::new();
    for time in 0..200 {
        let row = |id: usize| format!("{{\"event\":\"ask\",\"time\":{time},\"i\":{}}}\n", time * 1000 + id);
        let part: String = (0..1000).map(row).collect();
        trace += &part;
        send(&live, part).await.unwrap();
        snapshots.extend(live.status().store.map(|store| store.snapshot));
    }
    status_after(&live, 200_000).await;
    for _ in 0..500 {
        snapshots.extend(live.status().store.map(|store| store.snapshot));
        if snapshots.len() > 3 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(snapshots.len() > 3, "{snapshots:?}");
    // Counting its outcomes does not stop the evaluation either: an event is evaluated meanwhile. On a busy machine it may come too late.
    let mut is_beside = false;
    for time in 200..220 {
        let report = tokio::spawn({
            let live = live.clone();
            async move { live.report(false).await }
        });
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let ping = format!("{{\"event\":\"ping\",\"time\":{time}}}\n");
        send(&live, ping.clone()).await.unwrap();
        trace += &ping;
        status_after(&live, 200_001 + time - 200).await;
        is_beside |= !report.is_finished();
        let counted = properties(&report.await.unwrap());
        assert_eq!(counted[1][0]["activated"], 200_000);
        if is_beside {
            break;
        }
    }
    assert!(is_beside, "the events waited for the reports");
    assert_eq!(live.properties().await[0].pending, 200_000);
    assert_same(&properties(&live.report(false).await), &check("big.rv", spec, &trace, None, true), "counted");
    let crashed = StoreFolder::new();
    copy(folder.path(), crashed.path());
    live.close();
    drop(live);
    let (live, restored) = Live::open(Options { store: Some(crashed.path().to_owned()), ..own }).unwrap();
    assert!(restored.notes.is_empty() && restored.replayed < 180, "{restored:?}");
    assert_same(&properties(&live.report(false).await), &check("big.rv", spec, &trace, None, true), "large");
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_history_that_cannot_be_written_for_a_while_loses_nothing() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("q.rv", "mtl quiet { G !alarm }\n") };
    let (live, _) = Live::open(own).unwrap();
    let mut notifications = live.subscribe();
    let blocker = rusqlite::Connection::open(folder.path().join("history.sqlite")).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    send(&live, "{\"event\":\"alarm\",\"time\":1}\n{\"event\":\"ping\",\"time\":2}\n").await.unwrap();
    while live.status().state != gnomon_live::wire::WatchState::Full {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    blocker.execute_batch("COMMIT").unwrap();
    while live.status().state != gnomon_live::wire::WatchState::Running {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let mut delivered = 0;
    while let Ok(one) = notifications.try_recv() {
        delivered += usize::from(matches!(one, gnomon_live::wire::Notification::Violation(_)));
    }
    live.close();
    while let Ok(one) = notifications.try_recv() {
        delivered += usize::from(matches!(one, gnomon_live::wire::Notification::Violation(_)));
    }
    assert_eq!((delivered, published_violations(&live).len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_stops_although_its_history_cannot_be_written() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("q.rv", "mtl quiet { G !alarm }\n") };
    let (live, _) = Live::open(own.clone()).unwrap();
    let blocker = rusqlite::Connection::open(folder.path().join("history.sqlite")).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    send(&live, "{\"event\":\"alarm\",\"time\":1}\n{\"event\":\"ping\",\"time\":2}\n").await.unwrap();
    while live.status().state != gnomon_live::wire::WatchState::Full {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let closed = tokio::task::spawn_blocking(move || live.close());
    tokio::time::timeout(std::time::Duration::from_secs(40), closed).await.expect("it stops").unwrap();
    blocker.execute_batch("COMMIT").unwrap();
    let (live, _) = Live::open(own).unwrap();
    live.close();
    assert_eq!(published_violations(&live).len(), 1, "the journal has it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_accepted_after_the_history_was_removed_and_the_next_start_rebuilds_it() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("q.rv", "mtl quiet { G !alarm }\n") };
    let (live, _) = Live::open(own.clone()).unwrap();
    send(&live, "{\"event\":\"ping\",\"time\":1}\n").await.unwrap();
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("history.sqlite{ending}")));
    }
    // It may be acknowledged or not.
    let _ = send(&live, "{\"event\":\"alarm\",\"time\":2}\n{\"event\":\"ping\",\"time\":3}\n").await;
    while live.status().state != gnomon_live::wire::WatchState::Failed {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(live.status().note.is_some_and(|note| note.contains("rebuilt at the next start")));
    assert!(send(&live, "{\"event\":\"alarm\",\"time\":4}\n").await.is_err());
    live.close();
    drop(live);
    let (live, _) = Live::open(own).unwrap();
    live.close();
    assert_eq!(published_violations(&live).len(), 1, "the journal has it");
}
