// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spans over HTTP and gRPC, from clients that write raw bytes.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use gnomon_server::{ServerOptions, Tokens};
use rustls::pki_types::ServerName;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;

use crate::client::{HttpResponse, TestClient, connect};
use crate::spans::{self, EXPORT, ServiceCall, call, call_over, framed, one_span};
use crate::start::{ServerFolder, TestServer};
use crate::tls::certified;

const TOKENS: &str = "read r-0123456789abcdef\nwrite w-0123456789abcdef\n";

fn server(change: impl FnOnce(&mut ServerOptions)) -> TestServer {
    TestServer::with(|watch, options| {
        spans::SPEC.clone_into(&mut watch.spec_text);
        options.otlp = vec!["127.0.0.1:0".parse().unwrap()];
        change(options);
    })
}

fn otlp(server: &TestServer) -> SocketAddr {
    server.otlp()[0]
}

fn json(server: &TestServer) -> TestClient {
    TestClient::new(otlp(server)).header("Content-Type", "application/json")
}

fn protobuf(server: &TestServer) -> TestClient {
    TestClient::new(otlp(server)).header("Content-Type", "application/x-protobuf")
}

fn export(server: &TestServer, headers: &[(&str, &str)], body: Vec<u8>) -> ServiceCall {
    runtime().block_on(call(otlp(server), EXPORT, headers, body))
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Returns code and message of a `google.rpc.Status` in JSON.
fn status(answer: &HttpResponse) -> (u64, String) {
    let Value::Object(status) = answer.json() else { panic!("{}", answer.text()) };
    (status["code"].as_u64().unwrap(), status["message"].as_str().unwrap().to_owned())
}

#[test]
fn spans_in_json_are_judged_when_they_are_answered() {
    let server = server(|_| {});
    let answer = json(&server).post("/v1/traces", spans::export(6).to_string());
    assert_eq!((answer.status, answer.text().as_str()), (200, "{}"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    // Of six orders, two are slow and one is answered twice.
    server.wait_for_violations(3);
    server.wait_for_events(30);
    let rows = server.get("/api/v1/violations").json();
    let found: Vec<(&str, u64)> = rows["violations"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|row| (row["property"].as_str().unwrap(), row["binding"]["id"].as_u64().unwrap()))
        .collect();
    assert_eq!(found, [("prompt", 2), ("once", 3), ("prompt", 5)]);
    let packed = json(&server).header("Content-Encoding", "gzip").post("/v1/traces", gzip(b"{}"));
    assert_eq!((packed.status, packed.text().as_str()), (200, "{}"));
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("gnomon_ingest_accepted_events_total{origin=\"otlp\"} 30"), "{metrics}");
}

#[test]
fn spans_in_protobuf_are_accepted_over_both_protocols() {
    let server = server(|_| {});
    let span = one_span(1000, 2000);
    let answer = protobuf(&server).post("/v1/traces", &span);
    assert_eq!(
        (answer.status, answer.header("content-type"), answer.body.len()),
        (200, Some("application/x-protobuf"), 0)
    );
    assert_eq!(protobuf(&server).header("Content-Encoding", "gzip").post("/v1/traces", gzip(&span)).status, 200);
    let called = export(&server, &[], framed(0, &span));
    assert_eq!((called.status, called.body), (0, framed(0, b"")), "{}", called.message);
    let called = export(&server, &[("grpc-encoding", "gzip")], framed(1, &gzip(&span)));
    assert_eq!(called.status, 0, "{}", called.message);
    assert_eq!(export(&server, &[("grpc-encoding", "gzip")], framed(0, &span)).status, 0);
    assert_eq!(export(&server, &[], framed(0, b"")).status, 0);
    server.wait_for_events(10);
}

#[test]
fn spans_without_time_are_omitted_and_reported() {
    let server = server(|_| {});
    let span = one_span(0, 0);
    let answer = protobuf(&server).post("/v1/traces", &span);
    assert_eq!((answer.status, &answer.body[..1]), (200, &[0x0a][..]));
    assert!(answer.text().contains("have no time"), "{}", answer.text());
    let called = export(&server, &[], framed(0, &span));
    assert_eq!((called.status, &called.body[5..6]), (0, &[0x0a][..]));
    let body = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"},
        {"name":"b","startTimeUnixNano":"7","events":[{"name":"c"}]}]}]}]}"#;
    let partial = json(&server).post("/v1/traces", body).json();
    assert_eq!(partial["partialSuccess"]["rejectedSpans"], "1");
    assert!(partial["partialSuccess"]["errorMessage"].as_str().unwrap().starts_with("2 spans or events"));
    server.wait_for_events(1);
}

#[test]
fn what_cannot_be_understood_is_refused_in_the_words_of_the_protocol() {
    let server = server(|_| {});
    let answer = json(&server).post("/v1/traces", "{\"resourceSpans\": 7}");
    assert_eq!(answer.status, 400);
    let (code, message) = status(&answer);
    assert!(code == 3 && message.contains("at byte"), "{message}");
    let answer = protobuf(&server).post("/v1/traces", b"\xff\xff\xff");
    assert_eq!(
        (answer.status, answer.header("content-type"), &answer.body[..2]),
        (400, Some("application/x-protobuf"), &[8, 3][..])
    );
    for (headers, body, expected) in [
        (&[][..], framed(0, b"\xff\xff\xff"), 3),
        (&[], b"\0\0".to_vec(), 3),
        (&[], framed(2, b""), 3),
        (&[], [framed(0, b""), framed(0, b"")].concat(), 3),
        (&[], vec![0, 0xff, 0xff, 0xff, 0xff], 3),
        (&[], framed(1, b""), 3),
        (&[("grpc-encoding", "gzip")], framed(1, b"hello"), 3),
        (&[("grpc-encoding", "snappy")], framed(1, b"hello"), 12),
    ] {
        let called = export(&server, headers, body.clone());
        assert_eq!(called.status, expected, "{body:?}: {called:?}");
        assert!(!called.message.is_empty());
    }
    server.wait_for_events(0);
    assert_eq!(json(&server).post("/v1/traces", "{}").status, 200);
}

#[test]
fn what_is_not_here_is_said_not_to_be() {
    let server = server(|_| {});
    for path in ["/v1/metrics", "/v1/logs", "/"] {
        let answer = json(&server).post(path, "{}");
        assert_eq!((answer.status, status(&answer).0), (404, 12), "{path}");
    }
    assert_eq!(json(&server).get("/v1/traces").status, 405);
    TestClient::new(otlp(&server)).post("/v1/traces", "{}").problem(415);
    TestClient::new(otlp(&server)).get("/api/v1/status").problem(404);
    let metrics = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
    let called = runtime().block_on(call(otlp(&server), metrics, &[], framed(0, b"")));
    assert!(called.status == 12 && called.message.contains("metrics"), "{called:?}");
    // gRPC over HTTP/1.1 cannot be answered properly; it is refused, not disconnected.
    let answer = TestClient::new(otlp(&server)).header("Content-Type", "application/grpc").post(EXPORT, framed(0, b""));
    assert_eq!((answer.status, answer.header("grpc-status")), (200, Some("12")));
}

#[test]
fn a_token_for_writing_is_needed_where_tokens_are() {
    let server = server(|options| options.tokens = Tokens::parse(TOKENS).unwrap());
    let answer = json(&server).post("/v1/traces", "{}");
    assert_eq!((answer.status, status(&answer).0, answer.header("www-authenticate")), (401, 16, Some("Bearer")));
    assert_eq!(json(&server).token("r-0123456789abcdef").post("/v1/traces", "{}").status, 403);
    assert_eq!(json(&server).token("w-0123456789abcdef").post("/v1/traces", "{}").status, 200);
    for (token, expected) in [("Bearer no", 16), ("Bearer r-0123456789abcdef", 7), ("Bearer w-0123456789abcdef", 0)] {
        assert_eq!(export(&server, &[("authorization", token)], framed(0, b"")).status, expected, "{token}");
    }
    assert_eq!(export(&server, &[], framed(0, b"")).status, 16);
    assert_eq!(
        json(&server).header("Host", "evil.example").token("w-0123456789abcdef").post("/v1/traces", "{}").status,
        403
    );
}

#[test]
fn limits_hold_for_spans_too() {
    let server = server(|options| {
        options.limits.body_bytes = 100_000;
        options.limits.unpacked_bytes = 200_000;
        options.limits.events_per_second = Some(10);
    });
    let large = vec![b' '; 150_000];
    assert_eq!(status(&json(&server).post("/v1/traces", &large)).0, 8);
    assert_eq!(export(&server, &[], framed(0, &large)).status, 8);
    let bomb = gzip(&vec![b' '; 10 << 20]);
    assert_eq!(json(&server).header("Content-Encoding", "gzip").post("/v1/traces", &bomb).status, 413);
    assert_eq!(export(&server, &[("grpc-encoding", "gzip")], framed(1, &bomb)).status, 8);
    // Each event repeats the attributes of its resource: a small body can expand to very much.
    let long = "y".repeat(10_000);
    let spans = vec![r#"{"name":"a","startTimeUnixNano":"1"}"#; 1000].join(",");
    let resource = format!(r#"{{"attributes":[{{"key":"k","value":{{"stringValue":"{long}"}}}}]}}"#);
    let body = format!(r#"{{"resourceSpans":[{{"resource":{resource},"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#);
    assert_eq!(json(&server).post("/v1/traces", body).status, 413);
    // Beyond the rate limit, requests are refused with the time to wait.
    assert_eq!(json(&server).post("/v1/traces", spans::export(20).to_string()).status, 200);
    let answer = json(&server).post("/v1/traces", spans::export(1).to_string());
    assert_eq!((answer.status, status(&answer).0), (429, 14));
    assert!(answer.header("retry-after").is_some());
    assert_eq!(export(&server, &[], framed(0, &one_span(1, 2))).status, 14);
    server.wait_for_events(100);
}

#[test]
fn slow_and_garbled_senders_are_cut_off() {
    let server = server(|options| {
        options.limits.head_time = Duration::from_millis(300);
        options.limits.body_time = Duration::from_millis(300);
        options.limits.idle_time = Duration::from_millis(600);
    });
    let starts: [&[u8]; 4] =
        [b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"POST /v1/traces HTTP/1.1\r\n", b"\x16\x03\x01\x02\0\x01"];
    for (round, start) in starts.into_iter().cycle().take(40).enumerate() {
        let mut stream = connect(otlp(&server));
        let garbage: Vec<u8> = (0..500_usize).map(|index| ((index * index * (round + 3)) >> 3) as u8).collect();
        let _ = stream.write_all(&[start, &garbage].concat());
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard);
    }
    let mut stream = connect(otlp(&server));
    stream.write_all(&json(&server).head("POST", "/v1/traces", Some(1000))).unwrap();
    stream.write_all(b"{").unwrap();
    let answer = HttpResponse::read(&mut std::io::BufReader::new(stream));
    // The protocol has no status for slow senders except that they may retry.
    assert_eq!((answer.status, status(&answer).0), (503, 4));
    assert_eq!(json(&server).post("/v1/traces", "{}").status, 200);
}

#[test]
fn grpc_goes_through_tls() {
    let folder = ServerFolder::new();
    let (files, mut config) = certified(&folder);
    config.alpn_protocols = vec![b"h2".to_vec()];
    let server = server(|options| {
        options.tls = Some(files);
        options.tokens = Tokens::parse(TOKENS).unwrap();
        options.otlp = vec!["0.0.0.0:0".parse().unwrap()];
    });
    let called = runtime().block_on(async {
        let address = SocketAddr::from(([127, 0, 0, 1], otlp(&server).port()));
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
        let headers = [("authorization", "Bearer w-0123456789abcdef")];
        call_over(stream, &format!("https://localhost{EXPORT}"), &headers, framed(0, &one_span(1, 2))).await
    });
    assert_eq!(called.status, 0, "{called:?}");
    server.wait_for_events(2);
}
