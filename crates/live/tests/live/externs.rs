// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables of a watch: read periodically, stored in the journal, evaluated again from the export.

use std::fs;

use gnomon_live::{Live, Options};
use gnomon_run::externs::ExternSources;
use serde_json::Value;

use crate::support::{StoreFolder, assert_same, check, export, options, properties, send};

const ONCE: &str = "time in s
extern $limit from \"limits.json\" path \"/daily\"
albert cap { onEvent(pay) -> $amount <= $limit }
";

fn pay(time: u64, amount: u64) -> String {
    format!("{{\"event\":\"pay\",\"time\":{time},\"amount\":{amount}}}\n")
}

fn watch(folder: &StoreFolder, spec: &str) -> Options {
    Options {
        store: Some(folder.path().join("store")),
        sources: Some(ExternSources::beside(folder.path())),
        ..options("cap.rv", spec)
    }
}

fn set_limit(folder: &StoreFolder, limit: u64) {
    // Replaced atomically, so that nobody reads half of it.
    let (new, file) = (folder.path().join("new.json"), folder.path().join("limits.json"));
    fs::write(&new, format!("{{\"daily\": {limit}}}")).unwrap();
    fs::rename(new, file).unwrap();
}

/// Returns the external variable in the report.
async fn known(live: &Live) -> Value {
    let report: Value = serde_json::from_str(&live.report(false).await).unwrap();
    report["traces"][0]["externs"][0].clone()
}

async fn judged(live: &Live) -> Value {
    properties(&live.report(false).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_read_once_keeps_its_value() {
    let folder = StoreFolder::new();
    set_limit(&folder, 50);
    let (live, _) = Live::open(watch(&folder, ONCE)).unwrap();
    send(&live, pay(1, 10) + &pay(2, 60)).await.unwrap();
    assert_eq!(judged(&live).await[1][0]["violated"], 1);
    assert_eq!((&known(&live).await["value"], &known(&live).await["reads"]), (&50.into(), &1.into()));
    live.close();
    drop(live);
    set_limit(&folder, 100);
    let (live, _) = Live::open(watch(&folder, ONCE)).unwrap();
    send(&live, pay(3, 70)).await.unwrap();
    let found = judged(&live).await;
    assert_eq!(found[1][0]["violated"], 2);
    let log = export(&live);
    assert!(log.starts_with("{\"event\": \"extern\", \"time\": 1, \"variable\": \"limit\", \"limit\": 50"), "{log}");
    assert_same(&check("cap.rv", ONCE, &log, None, false), &found, "judged again");
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_with_a_period_follows_its_source() {
    let spec = ONCE.replace("\"/daily\"", "\"/daily\" every 0");
    let folder = StoreFolder::new();
    let (live, _) = Live::open(watch(&folder, &spec)).unwrap();
    assert!(known(&live).await["last_failure"].as_str().unwrap().contains("limits.json"), "there is no such file yet");
    send(&live, pay(1, 10)).await.unwrap();
    for (time, limit) in [(2, 50), (4, 100), (6, 20)] {
        set_limit(&folder, limit);
        while known(&live).await["value"] != limit {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        send(&live, pay(time, limit) + &pay(time + 1, limit + 1)).await.unwrap();
    }
    // Without a value a comparison is false.
    let found = judged(&live).await;
    assert_eq!((&found[0], &found[1][0]["violated"], &found[1][0]["satisfied"]), (&7.into(), &4.into(), &3.into()));
    assert_same(&check("cap.rv", &spec, &export(&live), None, false), &found, "judged again");
    live.close();
    drop(live);
    let (live, _) = Live::open(watch(&folder, &spec)).unwrap();
    assert_same(&judged(&live).await, &found, "restored");
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_on_record_are_reads_and_no_events() {
    let read = |time: u64, limit: u64| {
        format!("{{\"event\":\"extern\",\"time\":{time},\"variable\":\"limit\",\"limit\":{limit},\"failed\":false}}\n")
    };
    let trace = read(1, 50) + &pay(1, 60) + &read(2, 70) + &pay(2, 60) + &pay(3, 80);
    let (live, _) = Live::open(options("cap.rv", ONCE)).unwrap();
    send(&live, trace.clone()).await.unwrap();
    let found = judged(&live).await;
    assert_eq!((&found[0], &found[1][0]["violated"]), (&3.into(), &2.into()));
    assert_same(&check("cap.rv", ONCE, &trace, None, false), &found, "the same of the log");
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_spec_asks_before_it_judges() {
    let folder = StoreFolder::new();
    set_limit(&folder, 50);
    let (live, _) = Live::open(watch(&folder, "time in s\nmtl quiet { G !alarm }\n")).unwrap();
    send(&live, pay(1, 60)).await.unwrap();
    live.replace_spec(ONCE.to_owned()).await.unwrap().unwrap();
    send(&live, pay(2, 40) + &pay(3, 60)).await.unwrap();
    let found = judged(&live).await;
    assert_eq!((&found[1][0]["satisfied"], &found[1][0]["violated"]), (&1.into(), &1.into()));
    live.close();
}
