// SPDX-License-Identifier: MIT OR Apache-2.0
//! Deadlines that pass without an event, and late events.

use std::time::Duration;

use gnomon_core::time::Quantity;
use gnomon_live::{Live, Options, TimeSource};

use crate::support::{StoreFolder, check, export, options, properties, send};

const SPEC: &str = "mtl answered { forall i. G(ask(i) -> F[0,1s] answer(i)) }\nmtl quiet { G !alarm }\n";

async fn until(live: &Live, is_so: impl Fn(&Live) -> bool) {
    for _ in 0..600 {
        if is_so(live) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never was: {:?}", live.status());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadline_passes_without_an_event_and_the_export_says_so() {
    let folder = StoreFolder::new();
    let own = Options {
        store: Some(folder.path().to_owned()),
        time: TimeSource::Event,
        lateness: Some(Quantity::read("200ms").unwrap()),
        ..Options::new("s.rv", SPEC)
    };
    let (live, _) = Live::open(own.clone()).unwrap();
    let event = |name: &str, time: &str, id: u32| {
        format!("{{\"event\":\"{name}\",\"time\":\"2026-01-01T10:00:0{time}Z\",\"i\":{id}}}\n")
    };
    send(&live, event("ask", "0.1", 1) + &event("alarm", "0.05", 9) + &event("answer", "0.2", 2)).await.unwrap();
    until(&live, |live| live.status().violations == 2).await;
    // The second event came within the lateness and is evaluated first.
    let report = properties(&live.report(false).await);
    assert_eq!(report[1][0]["violations"][0]["decided"]["event"], serde_json::Value::Null);
    assert_eq!(report[1][1]["violations"][0]["at"]["event_index"], 0);
    send(&live, event("answer", "0.3", 1) + &event("ask", "4.0", 3)).await.unwrap();
    until(&live, |live| live.status().events.late == 1).await;
    until(&live, |live| live.status().violations == 3).await;
    let report = properties(&live.report(false).await);
    let text = export(&live);
    assert!(text.contains("gnomon.tick"), "{text}");
    assert_eq!(check("s.rv", SPEC, &text, None, true), report, "{text}");
    live.close();
    drop(live);
    let (live, restored) = Live::open(own).unwrap();
    assert_eq!(properties(&live.report(false).await), report);
    assert_eq!(restored.replayed, 0);
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_arrival_can_be_the_time() {
    let folder = StoreFolder::new();
    let own = Options {
        store: Some(folder.path().to_owned()),
        time: TimeSource::Arrival,
        ..Options::new("s.rv", "mtl answered { forall i. G(ask(i) -> F[0,1s] answer(i)) }\n")
    };
    let (live, _) = Live::open(own).unwrap();
    send(&live, "{\"event\":\"ask\",\"i\":1}\n{\"event\":\"ask\",\"i\":2}\n{\"event\":\"answer\",\"i\":2}\n")
        .await
        .unwrap();
    until(&live, |live| live.status().violations == 1).await;
    let report = properties(&live.report(false).await);
    assert_eq!(
        check("s.rv", "mtl answered { forall i. G(ask(i) -> F[0,1s] answer(i)) }\n", &export(&live), None, true),
        report
    );
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_without_a_unit_have_no_clock() {
    let (live, _) =
        Live::open(Options { time: TimeSource::Event, ..options("s.rv", "soloist q { G(a -> F[0,1] b) }") }).unwrap();
    send(&live, "{\"event\":\"a\",\"time\":1}\n").await.unwrap();
    live.report(false).await;
    let status = live.status();
    assert_eq!((status.time.kind, status.time.now.is_none()), (Some("number"), true));
    live.close();
}

/// Returns an event with the current time, shifted by some seconds.
fn shifted(name: &str, seconds: i64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let ticks = (i128::try_from(now).unwrap() + i128::from(seconds) * 1000) * 1_000_000;
    let clock = gnomon_core::time::Clock::default();
    let time = clock.print(gnomon_core::time::TimeKind::DateTime, gnomon_core::time::Timestamp::from_ticks(ticks));
    format!("{{\"event\":\"{name}\",\"time\":\"{time}\",\"i\":1}}\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_from_the_future_is_refused_and_later_ones_are_evaluated() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..Options::new("s.rv", SPEC) };
    let (live, _) = Live::open(own.clone()).unwrap();
    let future = "{\"event\":\"alarm\",\"time\":\"9999-01-01T00:00:00Z\"}\n";
    let marker = "{\"event\":\"gnomon.tick\",\"time\":\"9999-01-01T00:00:00Z\"}\n";
    let receipt = send(&live, shifted("answer", -1) + future + marker + &shifted("answer", 30)).await.unwrap();
    assert_eq!((receipt.accepted, receipt.ahead), (4, 2));
    send(&live, shifted("alarm", 31)).await.unwrap();
    until(&live, |live| live.status().violations == 1).await;
    let status = live.status();
    assert_eq!((status.events.ahead, status.events.late, status.ahead.len()), (2, 0, 2));
    assert!(status.warnings[0].contains("2 events from the future"), "{:?}", status.warnings);
    let report = properties(&live.report(false).await);
    let text = export(&live);
    assert!(!text.contains("9999"), "{text}");
    assert_eq!(check("s.rv", SPEC, &text, None, true), report, "{text}");
    live.close();
    drop(live);
    // Rebuilt from the journal: the refusal follows from the record.
    std::fs::remove_dir_all(folder.path().join("snapshots")).unwrap();
    let (live, _) = Live::open(Options { max_ahead: Quantity::read("10s").unwrap(), ..own }).unwrap();
    assert_eq!(properties(&live.report(false).await), report);
    assert_eq!(live.status().events.ahead, 2);
    let receipt = send(&live, shifted("answer", 30)).await.unwrap();
    assert_eq!(receipt.ahead, 1, "the limit can change from one start to the next");
    live.close();
}
