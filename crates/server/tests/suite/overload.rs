// SPDX-License-Identifier: MIT OR Apache-2.0
//! Silent connections, slow readers and large numbers: others are served, and the figures say what waits.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

use gnomon_live::{BodyFormat, EventBatch, Numbering, Origin, SubmitError};
use gnomon_server::{Log, LogLevel};

use crate::client::{HttpResponse, connect};
use crate::start::{LogBuffer, ServerFolder, TestServer, apart, eventually, refunds};

#[test]
fn health_checks_are_answered_beside_silent_connections() {
    let server = TestServer::with(|_, options| {
        options.tcp = Some("127.0.0.1:0".parse().unwrap());
        options.limits.connections = 64;
    });
    // Silent from the beginning, within a head, after a head, and within a body.
    let heads: [&[u8]; 4] = [
        b"",
        b"GET /api/v1/status HTTP/1.1\r\nHost: local",
        b"POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
        b"POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"event\"",
    ];
    for head in heads {
        let silent: Vec<_> = (0..100)
            .map(|_| {
                let mut stream = connect(server.http());
                let _ = stream.write_all(head);
                stream
            })
            .collect();
        let start = Instant::now();
        for path in ["/health/live", "/health/ready", "/metrics"] {
            assert_eq!(server.get(path).status, 200, "{path}");
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        drop(silent);
    }
    let silent: Vec<_> = (0..100).map(|_| connect(server.tcp())).collect();
    let mut stream = connect(server.tcp());
    stream.write_all(b"{\"gnomon\": {\"acknowledge\": true}}\n{\"event\": \"sale\", \"time\": 1}\n").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert_eq!(answer, "{\"acknowledged\":1}\n");
    drop(silent);
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("gnomon_connections_ended_total{port=\"http\",reason=\"evicted\"}"), "{metrics}");
}

#[test]
fn connections_that_are_being_answered_stay() {
    let server = TestServer::with(|_, options| options.limits.connections = 8);
    let mut stream = connect(server.http());
    stream.write_all(&server.client().head("GET", "/api/v1/stream?types=violation", None)).unwrap();
    let mut reader = BufReader::new(stream);
    assert_eq!(HttpResponse::read_head(&mut reader).0, 200);
    let silent: Vec<_> = (0..50).map(|_| connect(server.http())).collect();
    server.send(&refunds(1..2));
    let mut text = String::new();
    while !text.contains("event: violation") {
        assert!(reader.read_line(&mut text).unwrap() > 0, "the stream ended: {text}");
    }
    drop(silent);
}

/// Batches, and violations of each, that streams get.
const BATCHES: u64 = 40;
const VIOLATIONS: u64 = 500;

#[test]
fn a_stream_that_nobody_reads_ends_and_others_get_everything() {
    let server = TestServer::with(|_, options| options.limits.idle_time = Duration::from_secs(2));
    let open = || {
        let mut stream = connect(server.http());
        stream.write_all(&server.client().head("GET", "/api/v1/stream?types=violation", None)).unwrap();
        stream
    };
    let unread: Vec<_> = (0..20).map(|_| open()).collect();
    let mut reader = BufReader::new(open());
    assert_eq!(HttpResponse::read_head(&mut reader).0, 200);
    let sender = std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let mut next = 1;
            let mut line = String::new();
            while next <= BATCHES * VIOLATIONS {
                line.clear();
                assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ended at {next}");
                if let Some(number) = line.strip_prefix("id: ") {
                    assert_eq!(number.trim().parse(), Ok(next));
                    next += 1;
                }
            }
        });
        let start = Instant::now();
        for batch in 0..BATCHES {
            server.send(&apart(batch * VIOLATIONS..(batch + 1) * VIOLATIONS));
        }
        reading.join().unwrap();
        start.elapsed()
    });
    assert!(sender < Duration::from_secs(50), "{sender:?}");
    eventually("the streams that nobody reads to end", || {
        server.get("/metrics").text().lines().any(|line| line == "gnomon_streams 0" || line == "gnomon_streams 1")
    });
    drop(unread);
}

#[test]
fn numbers_of_clients_do_not_overflow() {
    const MOST: &str = "18446744073709551615";
    let server = TestServer::with(|_, options| options.tcp = Some("127.0.0.1:0".parse().unwrap()));
    let numbered = |producer: &str, first: &str, count: u64| {
        let client = server.client().header("Gnomon-Producer", producer).header("Gnomon-First", first);
        client.post("/api/v1/events", refunds(0..count))
    };
    numbered("p", MOST, 1).problem(400);
    numbered("p", MOST, 3).problem(400);
    assert_eq!(numbered("p", "18446744073709551613", 2).status, 200);
    assert_eq!(numbered("p", "18446744073709551613", 2).json()["duplicates"], 2);
    numbered("p", "18446744073709551614", 2).problem(400);
    numbered("q", "18446744073709551616", 1).problem(400);
    for path in [
        "/api/v1/violations?before=MOST&from=9223372036854775807&to=-9223372036854775808&limit=MOST",
        "/api/v1/violations/MOST",
        "/api/v1/events?before=MOST&limit=MOST",
        "/api/v1/export?from=MOST",
        "/api/v1/properties/quiet/statistics?from=-9223372036854775808&to=9223372036854775807&limit=MOST",
        "/api/v1/stream?types=x&last=MOST",
    ] {
        let answer = server.get(&path.replace("MOST", MOST));
        assert!(answer.status < 500, "{path}: {} {}", answer.status, answer.text());
    }
    for path in ["/api/v1/blocks/MOST", "/api/v1/hooks/MOST", "/api/v1/mutes/MOST"] {
        assert_eq!(server.client().request("DELETE", &path.replace("MOST", MOST), b"").status, 404, "{path}");
    }
    let mute = format!("{{\"until\": {}, \"reason\": \"\"}}", i64::MAX);
    assert!(server.client().post("/api/v1/mutes", mute).status < 500);
    server.send(&refunds(5..6));
    server.wait_for_violations(1);
    assert_eq!(server.get("/api/v1/violations").status, 200);
    let mut stream = connect(server.http());
    stream
        .write_all(&server.client().header("Last-Event-ID", MOST).head("GET", "/api/v1/stream?types=violation", None))
        .unwrap();
    let mut reader = BufReader::new(stream);
    assert_eq!(HttpResponse::read_head(&mut reader).0, 200);
    let mut text = String::new();
    while !text.contains("event: violation") {
        assert!(reader.read_line(&mut text).unwrap() > 0, "the stream ended: {text}");
    }
    let greeting = format!("{{\"gnomon\": {{\"producer\": \"t\", \"first\": {MOST}, \"acknowledge\": true}}}}\n");
    let mut stream = connect(server.tcp());
    stream.write_all(format!("{greeting}{}", refunds(7..9)).as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\"error\""), "{answer}");
    let times = ["1e400", "-1e400", "99999999999999999999999999999999999999999", "9223372036854775807", "1e-400"];
    for time in times {
        let answer = server.client().post("/api/v1/events", format!("{{\"event\": \"sale\", \"time\": {time}}}\n"));
        assert!(answer.status < 500, "{time}: {}", answer.text());
    }
    assert_eq!(server.get("/api/v1/report").status, 200);
    assert_eq!(server.get("/health/ready").status, 200);
}

#[test]
fn metrics_show_every_stage_of_an_event() {
    let folder = ServerFolder::new();
    let server = TestServer::with(|watch, _| watch.store = Some(folder.0.clone()));
    server.send(&refunds(0..100));
    server.wait_for_events(100);
    let figure = |name: &str| {
        let metrics = server.get("/metrics").text();
        let value = metrics.lines().find_map(|line| line.strip_prefix(&format!("{name} ")).map(str::to_owned));
        value.unwrap_or_else(|| panic!("no {name}: {metrics}")).parse::<f64>().unwrap()
    };
    for stage in ["accepted", "journaled", "judged"] {
        assert!((figure(&format!("gnomon_events_{stage}_total")) - 100.0).abs() < 0.5, "{stage}");
    }
    assert!(figure("gnomon_backlog_events") < 0.5 && figure("gnomon_backlog_seconds") < 0.001);
    let events = server.get("/api/v1/status").json()["events"].clone();
    assert_eq!((&events["journaled"], &events["backlog"]), (&100.into(), &0.into()));
}

#[test]
fn a_report_lists_a_thousand_violations_of_a_property() {
    let server = TestServer::plain();
    let orders: String = (0..3000).map(|id| format!("{{\"event\": \"order\", \"id\": {id}, \"time\": 1}}\n")).collect();
    server.send(&orders);
    server.wait_for_events(3000);
    let report = server.get("/api/v1/report?end=complete").json();
    let paid = &report["traces"][0]["properties"][1];
    assert_eq!((&paid["name"], &paid["violated"]), (&"paid".into(), &3000.into()));
    assert_eq!(paid["violations"].as_array().map(Vec::len), Some(1000));
}

#[test]
fn nothing_is_acknowledged_after_the_store_was_removed() {
    let folder = ServerFolder::new();
    let store = folder.0.join("store");
    let log = LogBuffer::default();
    let server = TestServer::with(|watch, server| {
        watch.store = Some(store.clone());
        server.log = Log::new(LogLevel::Warn, log.clone());
    });
    server.send(&refunds(0..1));
    std::fs::remove_dir_all(&store).unwrap();
    let batch = EventBatch {
        body: refunds(1..2).into(),
        format: BodyFormat::Ndjson,
        numbering: Some(Numbering { producer: "p".to_owned(), first: 1 }),
        origin: Origin::Http,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let refused = runtime.block_on(server.live.submit(batch));
    assert!(matches!(refused, Err(SubmitError::Unavailable { .. })), "{refused:?}");
    let answer = server.client().post("/api/v1/events", refunds(2..3));
    assert!(answer.problem(503).contains("removed"), "{}", answer.text());
    assert_eq!(server.get("/health/ready").status, 503);
    assert_eq!(server.get("/api/v1/status").json()["state"], "failed");
    eventually("the change in the log", || {
        log.text().lines().any(|line| line.contains("StateChanged") && line.contains("\"to\":\"failed\""))
    });
}

#[test]
fn cases_that_are_closed_at_the_limit_are_counted_and_logged() {
    let log = LogBuffer::default();
    let server = TestServer::with(|watch, server| {
        watch.by = Some("user".to_owned());
        watch.limits.cases = 10;
        server.log = Log::new(LogLevel::Warn, log.clone());
    });
    let lines = (0..100).map(|user| format!("{{\"event\": \"order\", \"time\": {user}, \"user\": {user}}}\n"));
    server.send(&lines.collect::<String>());
    server.wait_for_events(100);
    eventually("the evictions", || server.get("/api/v1/status").json()["cases"]["evicted"].as_u64() >= Some(90));
    eventually("the line of the log", || log.text().contains("CasesEvicted"));
    assert!(server.get("/metrics").text().lines().any(|line| line.starts_with("gnomon_cases_evicted_total 9")));
}
