// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases end by an event, by silence and at a limit; `check` agrees on the trace and on the export.

use gnomon_core::random::Random;
use gnomon_live::{Limits, Live, Options, TimeSource};
use serde_json::Value;

use crate::support::{
    StoreFolder, assert_same, check, check_per_event, export, options, properties, send, status_after,
};

const SPEC: &str = "time in s\n\
    case ends with logout[kind != \"soft\"]\n\
    case expires after 10\n\
    mtl answered { forall i. G(ask(i) -> F[0,5] answer(i)) }\n\
    mtl late { forall i. G(ask(i) -> F[0,30] answer(i)) }\n\
    soloist calm { G(ask -> F[0,5] answer) }\n\
    pattern first { globally: answer precedes logout }\n";

/// Generates events of a few sessions that log out, fall silent and come back.
fn sessions(random: &mut Random, count: usize) -> String {
    let mut time = 0;
    let line = |_| {
        time += [0, 0, 1, 1, 2, 4, 9][random.index(7)];
        let event = ["ask", "answer", "other", "logout"][random.index(4)];
        let (case, id) = (random.index(4), random.index(2));
        let kind = if random.index(4) == 0 { "soft" } else { "hard" };
        format!("{{\"event\":\"{event}\",\"time\":{time},\"i\":{id},\"session\":\"s{case}\",\"kind\":\"{kind}\"}}\n")
    };
    (0..count).map(line).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declared_ends_are_the_same_in_a_watch_and_in_a_check() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let trace = sessions(&mut random, 120);
        let lines: Vec<&str> = trace.split_inclusive('\n').collect();
        let folder = StoreFolder::new();
        let own = || Options {
            by: Some("session".to_owned()),
            store: Some(folder.path().to_owned()),
            ..options("cases.rv", SPEC)
        };
        let (mut live, _) = Live::open(own()).unwrap();
        for part in lines.chunks(23) {
            send(&live, part.concat()).await.unwrap();
            live.close();
            drop(live);
            live = Live::open(own()).unwrap().0;
        }
        for prefix in [false, true] {
            let expected = check("cases.rv", SPEC, &trace, Some("session"), prefix);
            let one_by_one = check_per_event("cases.rv", SPEC, &trace, Some("session"), prefix);
            assert_same(&one_by_one, &expected, &format!("per event, seed {seed}, prefix {prefix}"));
            assert_same(
                &properties(&live.report(!prefix).await),
                &expected,
                &format!("watch, seed {seed}, prefix {prefix}"),
            );
            let again = check("cases.rv", SPEC, &export(&live), Some("session"), prefix);
            assert_same(&again, &expected, &format!("export, seed {seed}, prefix {prefix}"));
        }
        let cases = status_after(&live, 120).await.cases.unwrap();
        assert!(cases.ended > 3 && cases.expired > 3, "{cases:?}");
        assert_eq!(cases.total, cases.live + cases.ended + cases.expired);
        live.close();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_that_ends_is_complete_and_a_later_event_opens_another() {
    let spec = "time in s\ncase ends with logout\nmtl paid { G(order -> F pay) }\n";
    let own = Options { by: Some("user".to_owned()), ..options("cases.rv", spec) };
    let (live, _) = Live::open(own).unwrap();
    let event = |time: u32, name: &str| format!("{{\"event\":\"{name}\",\"time\":{time},\"user\":\"ann\"}}\n");
    send(&live, [event(1, "order"), event(2, "logout"), event(3, "order"), event(4, "pay")].concat()).await.unwrap();
    let report = properties(&live.report(false).await);
    assert_eq!((&report[2]["total"], &report[2]["violating"]), (&Value::from(2), &Value::from(1)));
    assert_eq!(report[1][0]["verdict"], "violated", "the first session is over: its order is never paid");
    assert_eq!(status_after(&live, 4).await.violations, 1);
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_limit_the_case_that_was_silent_longest_is_closed_and_nothing_is_refused() {
    let spec =
        "time in s\nmtl paid { G(order -> F pay) }\nmtl soon { G(order -> F[0,7] pay) }\nmtl calm { G(!alarm) }\n";
    let folder = StoreFolder::new();
    let own = || Options {
        by: Some("user".to_owned()),
        limits: Limits { cases: 50, ..Limits::default() },
        store: Some(folder.path().to_owned()),
        ..options("cases.rv", spec)
    };
    let (mut live, _) = Live::open(own()).unwrap();
    let mut random = Random::new(3);
    for step in 0..40 {
        let row = |index: usize| {
            let (time, user) = (step * 20 + index, step * 10 + random.index(30));
            let event = ["order", "pay", "alarm"][random.index(3)];
            format!("{{\"event\":\"{event}\",\"time\":{time},\"user\":\"u{user}\"}}\n")
        };
        // Time passes without an event, too.
        let tick = format!("{{\"event\":\"gnomon.tick\",\"time\":{}}}\n", step * 20 + 19);
        send(&live, (0..19).map(row).collect::<String>() + &tick).await.unwrap();
        if step == 20 {
            live.close();
            drop(live);
            live = Live::open(own()).unwrap().0;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let status = status_after(&live, 760).await;
    while live.status().cases.is_none_or(|cases| cases.live > 50) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(status.events.judged, 760);
    let cases = live.status().cases.unwrap();
    assert!(cases.evicted > 100, "{cases:?}");
    let text = export(&live);
    assert!(text.contains("\"event\": \"gnomon.case\""), "{text}");
    for prefix in [false, true] {
        let expected = check("cases.rv", spec, &text, Some("user"), prefix);
        assert_same(&properties(&live.report(!prefix).await), &expected, &format!("prefix {prefix}"));
        let one_by_one = check_per_event("cases.rv", spec, &text, Some("user"), prefix);
        assert_same(&one_by_one, &expected, &format!("per event, prefix {prefix}"));
    }
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traces_expire_by_default_and_the_export_says_so() {
    let spec = "mtl answered { G(ask -> F answer) }\n";
    let folder = StoreFolder::new();
    let own = || Options {
        by: Some("trace_id".to_owned()),
        time: TimeSource::Replay,
        store: Some(folder.path().to_owned()),
        ..Options::new("cases.rv", spec)
    };
    let (live, _) = Live::open(own()).unwrap();
    for minute in 0..30 {
        let event = |event: &str, second: u32| {
            format!(
                "{{\"event\":\"{event}\",\"time\":\"2026-01-01T10:{minute:02}:{second:02}Z\",\"trace_id\":\"t{minute}\"}}\n"
            )
        };
        let answer = if minute % 3 == 0 { "other" } else { "answer" };
        send(&live, event("ask", 1) + &event(answer, 59)).await.unwrap();
    }
    let status = status_after(&live, 58).await;
    let cases = status.cases.unwrap();
    live.close();
    drop(live);
    let (live, _) = Live::open(own()).unwrap();
    let expected = check("cases.rv", spec, &export(&live), Some("trace_id"), true);
    assert_same(&properties(&live.report(false).await), &expected, "export");
    assert!(cases.live < 4 && expected[2]["violating"].as_u64().unwrap() >= 9, "{cases:?} {expected}");
    live.close();
}
