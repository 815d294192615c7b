// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbered events are evaluated once; invalid batches not at all.

use gnomon_live::{Live, Options, SubmitError};

use crate::support::{StoreFolder, options, send, send_numbered, status_after};

const SPEC: &str = "soloist quiet { G(!alarm) }\n";

fn lines(times: std::ops::Range<u64>) -> String {
    times.map(|time| format!("{{\"event\":\"ping\",\"time\":{time}}}\n")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_events_are_evaluated_once() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("quiet.rv", SPEC) };
    let (live, _) = Live::open(own.clone()).unwrap();
    let receipt = send_numbered(&live, lines(0..10), Some(("till", 1))).await.unwrap();
    assert_eq!((receipt.accepted, receipt.duplicates), (10, 0));
    let receipt = send_numbered(&live, lines(5..15), Some(("till", 6))).await.unwrap();
    assert_eq!((receipt.accepted, receipt.duplicates), (5, 5));
    let receipt = send_numbered(&live, lines(0..15), Some(("till", 1))).await.unwrap();
    assert_eq!((receipt.accepted, receipt.duplicates), (0, 15));
    let gap = send_numbered(&live, lines(20..21), Some(("till", 20))).await;
    assert_eq!(gap, Err(SubmitError::Gap { expected: 16 }));
    assert_eq!((live.next_number("till"), live.next_number("other")), (Some(16), None));
    live.close();
    drop(live);
    let (live, _) = Live::open(own).unwrap();
    let receipt = send_numbered(&live, lines(10..16), Some(("till", 11))).await.unwrap();
    assert_eq!((receipt.accepted, receipt.duplicates), (1, 5));
    assert_eq!(status_after(&live, 16).await.events.accepted, 16);
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_line_refuses_the_batch_and_nothing_else() {
    let (live, _) = Live::open(options("quiet.rv", SPEC)).unwrap();
    let Err(SubmitError::Bad(bad)) = send(&live, format!("{}oops\n", lines(0..3))).await else { panic!("accepted") };
    assert_eq!((bad.line, bad.code), (4, "G0514"));
    send(&live, lines(0..3)).await.unwrap();
    let Err(SubmitError::Bad(bad)) = send(&live, "{\"event\":\"ping\",\"time\":\"2026-01-01T00:00:00Z\"}\n").await
    else {
        panic!("accepted")
    };
    assert_eq!(bad.code, "G0507");
    send(&live, lines(3..5)).await.unwrap();
    let status = status_after(&live, 5).await;
    assert_eq!((status.events.judged, status.events.refused), (5, 2));
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_batch_is_nothing() {
    let (live, _) = Live::open(options("quiet.rv", SPEC)).unwrap();
    assert_eq!(send(&live, "\n").await.map(|receipt| receipt.accepted), Ok(0));
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_beyond_64_bits_are_refused() {
    let (live, _) = Live::open(options("quiet.rv", SPEC)).unwrap();
    let refused = send_numbered(&live, lines(0..2), Some(("till", u64::MAX))).await;
    assert_eq!(refused, Err(SubmitError::Numbers { first: u64::MAX }));
    let receipt = send_numbered(&live, lines(0..1), Some(("till", u64::MAX - 1))).await.unwrap();
    assert_eq!((receipt.accepted, live.next_number("till")), (1, Some(u64::MAX)));
    let refused = send_numbered(&live, lines(1..2), Some(("till", u64::MAX))).await;
    assert_eq!(refused, Err(SubmitError::Numbers { first: u64::MAX }));
    let receipt = send_numbered(&live, lines(0..1), Some(("till", u64::MAX - 1))).await.unwrap();
    assert_eq!(receipt.duplicates, 1);
    live.close();
}
