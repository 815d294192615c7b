// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events over HTTP: accepted and refused bodies, with the messages.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use gnomon_live::TimeSource;
use gnomon_server::{Log, LogLevel};

use crate::start::{LogBuffer, ServerFolder, TestServer, eventually, refunds};

const EVENTS: &str = "/api/v1/events";

#[test]
fn lines_are_accepted_and_evaluated() {
    let server = TestServer::plain();
    let answer = server
        .client()
        .post(EVENTS, "{\"event\": \"order\", \"id\": 1, \"time\": 1}\n{\"event\": \"refund\", \"time\": 2}\n");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["accepted"], 2);
    server.wait_for_violations(1);
    let violations = server.get("/api/v1/violations").json();
    assert_eq!(violations["violations"][0]["property"], "quiet");
}

#[test]
fn packed_bodies_are_the_same_as_plain_ones() {
    let server = TestServer::plain();
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(refunds(0..100).as_bytes()).unwrap();
    let answer = server.client().header("Content-Encoding", "gzip").post(EVENTS, packer.finish().unwrap());
    assert_eq!(answer.json()["accepted"], 100);
    let shrunk = zstd::encode_all(refunds(100..200).as_bytes(), 3).unwrap();
    let answer = server.client().header("Content-Encoding", "zstd").post(EVENTS, shrunk);
    assert_eq!(answer.json()["accepted"], 100);
    let xml = "<log><event><name>refund</name><field><name>time</name><value>300</value></field></event></log>";
    let answer = server.client().header("Content-Type", "application/xml; charset=utf-8").post(EVENTS, xml);
    assert_eq!(answer.json()["accepted"], 1);
}

#[test]
fn one_bad_line_refuses_the_batch_and_is_named() {
    let server = TestServer::plain();
    let answer = server.client().post(EVENTS, "{\"event\": \"a\", \"time\": 1}\n{\"event\": \"b\", \"time\": \n");
    let detail = answer.problem(400);
    assert!(detail.starts_with("line 2: "), "{detail}");
    assert_eq!(answer.json()["line"], 2);
    assert_eq!(server.get("/api/v1/status").json()["events"]["accepted"], 0);
}

#[test]
fn numbered_events_count_once() {
    let folder = ServerFolder::new();
    let server = TestServer::with(|watch, _| watch.store = Some(folder.0.clone()));
    let send = |first: u64, lines: &str| {
        server
            .client()
            .header("Gnomon-Producer", "till-7")
            .header("Gnomon-First", &first.to_string())
            .post(EVENTS, lines)
    };
    server.get("/api/v1/producers/till-7").problem(404);
    assert_eq!(send(1, &refunds(0..3)).json()["accepted"], 3);
    let again = send(2, &refunds(1..4)).json();
    assert_eq!((&again["accepted"], &again["duplicates"]), (&1.into(), &2.into()));
    let gap = send(9, &refunds(9..10));
    gap.problem(409);
    assert_eq!(gap.json()["expected"], 5);
    assert_eq!(server.get("/api/v1/producers/till-7").json()["next"], 5);
}

#[test]
fn wrong_headers_are_explained() {
    let server = TestServer::plain();
    let client = || server.client();
    let body = refunds(0..1);
    assert!(client().header("Gnomon-First", "1").post(EVENTS, &body).problem(400).contains("belong together"));
    assert!(
        client()
            .header("Gnomon-Producer", "x")
            .header("Gnomon-First", "one")
            .post(EVENTS, &body)
            .problem(400)
            .contains("Gnomon-First")
    );
    assert!(client().header("Content-Encoding", "br").post(EVENTS, &body).problem(415).contains("gzip"));
    assert!(client().header("Content-Type", "image/png").post(EVENTS, &body).problem(415).contains("ndjson"));
    assert!(client().header("Content-Encoding", "gzip").post(EVENTS, &body).problem(400).contains("not compressed"));
}

#[test]
fn too_many_events_a_second_are_put_off() {
    let server = TestServer::with(|_, options| options.limits.events_per_second = Some(10));
    server.send(&refunds(0..100));
    let answer = server.client().post(EVENTS, refunds(100..101));
    answer.problem(429);
    assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
}

#[test]
fn events_from_the_future_are_counted_and_logged() {
    let log = LogBuffer::default();
    let server = TestServer::with(|watch, server| {
        watch.time = TimeSource::Event;
        server.log = Log::new(LogLevel::Warn, log.clone());
    });
    let answer = server.client().post(EVENTS, "{\"event\": \"refund\", \"time\": \"9999-01-01T00:00:00Z\"}\n");
    assert_eq!((&answer.json()["accepted"], &answer.json()["ahead"]), (&1.into(), &1.into()));
    eventually("the line of the log", || log.text().contains("EventsAhead"));
    let line: serde_json::Value = serde_json::from_str(log.text().lines().next().unwrap()).unwrap();
    assert_eq!((&line["name"], &line["time"]), (&"refund".into(), &"9999-01-01T00:00:00Z".into()));
    assert!(server.get("/metrics").text().contains("gnomon_events_ahead_total 1"));
    assert_eq!(server.get("/api/v1/status").json()["warnings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn numbers_that_exceed_64_bits_are_refused() {
    let server = TestServer::plain();
    let client = server.client().header("Gnomon-Producer", "till-7").header("Gnomon-First", &u64::MAX.to_string());
    assert!(client.post(EVENTS, refunds(0..1)).problem(400).contains("exceed"));
    server.send(&refunds(0..1));
}
