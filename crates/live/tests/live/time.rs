// SPDX-License-Identifier: MIT OR Apache-2.0
//! Deadlines that pass without an event, and late events.

use std::time::Duration;

use gnomon_core::time::Quantity;
use gnomon_live::{BodyFormat, EventBatch, Live, Options, Origin, TimeSource};

use crate::support::{StoreFolder, check, export, options, properties, send, send_numbered, status_after};

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
async fn the_deadline_of_a_silent_case_passes_while_other_cases_have_events() {
    let folder = StoreFolder::new();
    let spec = "mtl answered { G(ask -> F[0,300ms] answer) }\n";
    let own = Options {
        store: Some(folder.path().to_owned()),
        by: Some("user".to_owned()),
        time: TimeSource::Event,
        ..Options::new("s.rv", spec)
    };
    let (live, _) = Live::open(own).unwrap();
    send(&live, "{\"event\":\"ask\",\"user\":1}\n").await.unwrap();
    let begun = std::time::Instant::now();
    while live.status().violations == 0 {
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", live.status());
        send(&live, "{\"event\":\"ping\",\"user\":2}\n").await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let (report, text) = (properties(&live.report(false).await), export(&live));
    assert_eq!(check("s.rv", spec, &text, Some("user"), true), report, "{text}");
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
    format!("{{\"event\":\"{name}\",\"time\":\"{}\",\"i\":1}}\n", date_time(seconds))
}

/// Returns the time in this many seconds as a date-time.
fn date_time(seconds: i64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let ticks = (i128::try_from(now).unwrap() + i128::from(seconds) * 1000) * 1_000_000;
    let clock = gnomon_core::time::Clock::default();
    clock.print(gnomon_core::time::TimeKind::DateTime, gnomon_core::time::Timestamp::from_ticks(ticks))
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_among_events_without_times_is_refused_and_the_clock_goes_on() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..Options::new("s.rv", SPEC) };
    let (live, _) = Live::open(own).unwrap();
    send(&live, "{\"event\":\"ask\",\"i\":1}\n").await.unwrap();
    let refused = send(&live, "{\"event\":\"alarm\",\"time\":5}\n").await;
    assert!(matches!(refused, Err(gnomon_live::SubmitError::Bad(bad)) if bad.code == "G0507"));
    let refused = send(&live, "{\"event\":\"ask\",\"i\":2}\n{\"event\":\"alarm\",\"time\":5}\n").await;
    assert!(matches!(refused, Err(gnomon_live::SubmitError::Bad(bad)) if bad.line == 2));
    send(&live, "{\"event\":\"ask\",\"i\":2}\n").await.unwrap();
    // One with a date-time is an event like the others.
    send(&live, shifted("answer", 2)).await.unwrap();
    send(&live, "{\"event\":\"ask\",\"i\":3}\n").await.unwrap();
    // The deadlines of all three pass by the clock.
    until(&live, |live| live.status().violations == 3 && live.status().events.judged == 4).await;
    let report = properties(&live.report(false).await);
    assert_eq!(report[0], 4);
    assert_eq!(check("s.rv", SPEC, &export(&live), None, true), report);
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_with_and_without_times_share_a_batch() {
    let event = |name: &str, time: &str, id: u32| format!("{{\"event\":\"{name}\",{time}\"i\":{id}}}\n");
    let timed = |shift: i64| format!("\"time\":\"{}\",", date_time(shift));
    for orders in [[0, 1, 2, 3], [1, 0, 3, 2]] {
        let folder = StoreFolder::new();
        let own = Options { store: Some(folder.path().to_owned()), ..Options::new("s.rv", SPEC) };
        let (live, _) = Live::open(own).unwrap();
        let lines = [
            event("ask", "", 1),
            event("ask", &timed(0), 2),
            event("ask", "\"time\":null,", 3),
            // The key of the time may come later.
            format!("{{\"event\":\"answer\",\"i\":2,{}}}\n", timed(0).trim_end_matches(',')),
        ];
        let receipt = send(&live, orders.map(|at| lines[at].clone()).concat()).await.unwrap();
        assert_eq!(receipt.accepted, 4);
        let field = |name: &str, value: &str| format!("<field><name>{name}</name><value>{value}</value></field>");
        let xml = |time: &str| format!("<event><name>ask</name>{time}{}</event>", field("i", "4"));
        let body = format!("<log>{}{}{}</log>", xml(""), xml(&field("time", &date_time(0))), xml(""));
        let (format, origin) = (BodyFormat::Xml, Origin::Http);
        live.submit(EventBatch { body: body.into(), format, numbering: None, origin }).await.unwrap();
        // Those without an answer expire by the clock.
        until(&live, |live| live.status().violations >= 3 && live.status().events.judged == 7).await;
        let status = live.status();
        assert_eq!((status.events.late, status.events.refused), (0, 0));
        let report = properties(&live.report(false).await);
        assert_eq!(report[1][0]["activated"], 6);
        assert_eq!(check("s.rv", SPEC, &export(&live), None, true), report);
        live.close();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_senders_whose_clocks_differ_are_put_in_order() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..Options::new("s.rv", SPEC) };
    let (live, _) = Live::open(own.clone()).unwrap();
    for number in 1..=20 {
        // Two clocks 2 s apart: far more than the lateness, so each needs a watermark of its own.
        send_numbered(&live, shifted("answer", 2), Some(("ahead", number))).await.unwrap();
        send_numbered(&live, shifted("answer", 0), Some(("exact", number))).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The exact one falls silent. The other is evaluated nevertheless, when its times have come.
    assert_eq!(status_after(&live, 40).await.events.late, 0);
    assert!(live.status().warnings.is_empty());
    // Far behind both: late, counted and reported.
    send_numbered(&live, shifted("answer", -3600), Some(("behind", 1))).await.unwrap();
    until(&live, |live| live.status().events.late == 1).await;
    assert!(live.status().warnings[0].contains("1 event too late to be evaluated"), "{:?}", live.status().warnings);
    let report = properties(&live.report(false).await);
    assert_eq!(check("s.rv", SPEC, &export(&live), None, true), report);
    live.close();
    drop(live);
    std::fs::remove_dir_all(folder.path().join("snapshots")).unwrap();
    let (live, _) = Live::open(own).unwrap();
    assert_eq!(properties(&live.report(false).await), report);
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxied_message_is_evaluated_immediately() {
    let (live, _) = Live::open(Options::new("s.rv", "mtl quiet (critical) { G !alarm }\n")).unwrap();
    send(&live, shifted("answer", 0)).await.unwrap();
    let message = gnomon_live::NewEvent { name: "alarm".to_owned(), time: None, fields: vec![] };
    let (receipt, block) = live.tap(message).await.unwrap();
    assert!(receipt.is_some() && block.is_some());
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_wait_have_a_limit_in_bytes() {
    let mut own =
        Options { lateness: Some(Quantity::read("1h").unwrap()), ..options("s.rv", "mtl quiet { G !alarm }\n") };
    own.limits.waiting_bytes = 10_000;
    let (live, _) = Live::open(own).unwrap();
    let text = "x".repeat(3000);
    for number in 0..10 {
        let time = format!("2026-01-01T10:00:0{number}Z");
        send(&live, format!("{{\"event\":\"a\",\"time\":\"{time}\",\"text\":\"{text}\"}}\n")).await.unwrap();
    }
    let status = status_after(&live, 7).await;
    assert_eq!((status.events.judged, status.events.waiting), (7, 3));
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_export_is_in_order_after_a_crash() {
    let folder = StoreFolder::new();
    let spec = "mtl answered { forall i. G(ask(i) -> F[0,20ms] answer(i)) }\n";
    let open = |path: &std::path::Path| {
        let lateness = Some(Quantity::read("50ms").unwrap());
        Live::open(Options { store: Some(path.to_owned()), lateness, ..Options::new("s.rv", spec) }).unwrap().0
    };
    let live = open(folder.path());
    for number in 0..40_u32 {
        let batch = shifted("ask", 0) + &shifted("ask", 0);
        send(&live, batch).await.unwrap();
        tokio::time::sleep(Duration::from_millis(u64::from(number % 7) * 15)).await;
    }
    // A copy of the folder is what a crash leaves.
    let copy = StoreFolder::new();
    for part in ["journal", "snapshots"] {
        std::fs::create_dir_all(copy.path().join(part)).unwrap();
        for entry in std::fs::read_dir(folder.path().join(part)).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), copy.path().join(part).join(entry.file_name())).unwrap();
        }
    }
    live.close();
    let live = open(copy.path());
    send(&live, shifted("ask", 0)).await.unwrap();
    until(&live, |live| live.status().events.judged == 81).await;
    let report = properties(&live.report(false).await);
    assert_eq!(check("s.rv", spec, &export(&live), None, true), report);
    live.close();
}
