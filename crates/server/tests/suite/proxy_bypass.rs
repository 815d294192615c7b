// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attempts to get messages of a blocked session through a proxy: by bodies that the watch cannot read and the service can.

use std::io::{BufReader, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gnomon_live::{BlockBy, TimeSource};
use gnomon_proxy::adapt::Adapters;
use serde_json::json;

use crate::client::{HttpResponse, TestClient, connect};
use crate::start::TestServer;

const SPEC: &str =
    "event ship(order)\nevent pay(order)\nmtl paid (critical) { forall order. G(ship(order) -> P pay(order)) }\n";
const CLOSED: &str = "fail = \"closed\"\n";

/// A service that reads any body.
struct AnyService {
    address: std::net::SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl AnyService {
    fn start() -> AnyService {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let service = AnyService { address: listener.local_addr().unwrap(), asked: Arc::default() };
        let asked = Arc::clone(&service.asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, asked) = (stream.unwrap(), Arc::clone(&asked));
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().unwrap());
                    loop {
                        let mut length = 0;
                        let mut line = String::new();
                        while line != "\r\n" {
                            line.clear();
                            if std::io::BufRead::read_line(&mut reader, &mut line).unwrap_or(0) == 0 {
                                return;
                            }
                            let lower = line.to_ascii_lowercase();
                            if let Some(value) = lower.strip_prefix("content-length:") {
                                length = value.trim().parse().unwrap();
                            }
                        }
                        std::io::copy(&mut std::io::Read::take(&mut reader, length), &mut std::io::sink()).unwrap();
                        asked.fetch_add(1, Ordering::SeqCst);
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone");
                    }
                });
            }
        });
        service
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn watching(service: &AnyService, adapters: &str, session: &str) -> TestServer {
    TestServer::with(|watch, options| {
        SPEC.clone_into(&mut watch.spec_text);
        watch.time = TimeSource::Event;
        watch.block_by = BlockBy::Field(session.to_owned());
        options.proxies = vec![format!("shop@127.0.0.1:0=http://{}", service.address).parse().unwrap()];
        options.adapters = Adapters::parse(adapters).unwrap();
    })
}

fn client(server: &TestServer) -> TestClient {
    TestClient::new(server.proxies()[0])
}

fn ship(order: &str) -> Vec<u8> {
    json!({"type": "ship", "order": order}).to_string().into_bytes()
}

fn soap(body: &str) -> Vec<u8> {
    let namespace = "http://schemas.xmlsoap.org/soap/envelope/";
    format!("<s:Envelope xmlns:s=\"{namespace}\"><s:Body>{body}</s:Body></s:Envelope>").into_bytes()
}

/// A description, a body and headers.
type Disguise = (&'static str, Vec<u8>, Vec<(&'static str, &'static str)>);

/// Requests of the session `b` that the watch cannot read, or could read differently from the service.
fn disguises() -> Vec<Disguise> {
    let text = String::from_utf8(ship("b")).unwrap();
    let spaces = [vec![b' '; 1_100_000], ship("b")].concat();
    let utf16 = |mark: &str| format!("{mark}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let utf32 = text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect();
    vec![
        ("leading spaces", spaces, vec![]),
        ("UTF-16", utf16(""), vec![]),
        ("UTF-16 with a mark", utf16("\u{feff}"), vec![("Content-Type", "application/json; charset=utf-16")]),
        ("UTF-32", utf32, vec![]),
        ("an array", format!("[{text}]").into_bytes(), vec![]),
        ("trailing bytes", format!("{text}\0").into_bytes(), vec![]),
        ("a second value", format!("{text}{{}}").into_bytes(), vec![]),
        ("a false encoding", ship("b"), vec![("Content-Encoding", "gzip")]),
        ("an unknown encoding", ship("b"), vec![("Content-Encoding", "br")]),
        ("a repeated member", br#"{"type": "ship", "order": "b", "order": "a"}"#.to_vec(), vec![]),
        ("a repeated member of a member", br#"{"type": "pay", "order": "a", "x": {"y": 1, "y": 2}}"#.to_vec(), vec![]),
        ("a list as session", br#"{"type": "pay", "order": ["b"]}"#.to_vec(), vec![]),
        ("an object as session", br#"{"type": "pay", "order": {"id": "b"}}"#.to_vec(), vec![]),
        ("a repeated element", soap("<pay><order>b</order><order>a</order></pay>"), vec![]),
        ("a second element in the body", soap("<ping/><pay><order>b</order></pay>"), vec![]),
        ("a second body", soap("<ping/></s:Body><s:Body><pay><order>b</order></pay>"), vec![]),
        ("a comment", format!("/* */{text}").into_bytes(), vec![]),
        ("a form", b"type=ship&order=b".to_vec(), vec![("Content-Type", "application/x-www-form-urlencoded")]),
        ("another charset", ship("b"), vec![("Content-Type", "application/json; charset=utf-7")]),
        ("a stream", ship("b"), vec![("Content-Type", "application/octet-stream"), ("Transfer-Encoding", "chunked")]),
    ]
}

fn send(server: &TestServer, body: &[u8], headers: &[(&str, &str)]) -> HttpResponse {
    let client = headers.iter().fold(client(server), |client, (name, value)| client.header(name, value));
    if !headers.iter().any(|(name, _)| *name == "Transfer-Encoding") {
        return client.request("POST", "/shop", body);
    }
    let mut stream = connect(server.proxies()[0]);
    stream.write_all(&client.head("POST", "/shop", None)).unwrap();
    stream.write_all(&[format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat()).unwrap();
    HttpResponse::read(&mut BufReader::new(stream))
}

#[test]
fn with_fail_closed_nothing_unreadable_passes() {
    let service = AnyService::start();
    let server = watching(&service, CLOSED, "order");
    assert_eq!(send(&server, &json!({"type": "pay", "order": "a"}).to_string().into_bytes(), &[]).status, 200);
    send(&server, &ship("b"), &[]).problem(409);
    let asked = service.asked();
    for (what, body, headers) in disguises() {
        let answer = send(&server, &body, &headers);
        assert!(matches!(answer.status, 409 | 422), "{what}: {} {}", answer.status, answer.text());
        assert_eq!(service.asked(), asked, "{what} reached the service");
    }
    // Others are not disturbed, and messages without a body can be read.
    assert_eq!(send(&server, &ship("a"), &[]).status, 200);
    assert_eq!(client(&server).get("/shop").status, 200);
    let status = server.get("/api/v1/status").json();
    assert!(status["proxy"]["unreadable"].as_u64() >= Some(10), "{status}");
    assert_eq!(status["proxy"]["unreadable"], status["proxy"]["refused"], "{status}");
    assert!(status["warnings"].to_string().contains("could not be read"), "{status}");
    let metrics = server.get("/metrics").text();
    for reason in ["truncated", "format", "encoding", "charset", "repeated", "session"] {
        let line =
            format!("gnomon_proxy_unreadable_messages_total{{proxy=\"shop\",reason=\"{reason}\",outcome=\"refused\"}}");
        assert!(metrics.contains(&line), "{line}: {metrics}");
    }
}

#[test]
fn with_fail_open_unreadable_messages_pass_and_are_counted() {
    let service = AnyService::start();
    let server = watching(&service, "", "order");
    send(&server, &ship("b"), &[]).problem(409);
    assert_eq!(send(&server, b"[1]", &[]).status, 200);
    // UTF-16 can be read.
    let utf16: Vec<u8> = String::from_utf8(ship("b")).unwrap().encode_utf16().flat_map(u16::to_be_bytes).collect();
    send(&server, &utf16, &[]).problem(409);
    let status = server.get("/api/v1/status").json();
    assert_eq!((&status["proxy"]["unreadable"], &status["proxy"]["refused"]), (&1.into(), &0.into()), "{status}");
    let metrics = server.get("/metrics").text();
    let line = "gnomon_proxy_unreadable_messages_total{proxy=\"shop\",reason=\"format\",outcome=\"passed\"} 1";
    assert!(metrics.contains(line), "{metrics}");
}

#[test]
fn with_fail_closed_a_message_without_a_verdict_is_refused() {
    let service = AnyService::start();
    let server = TestServer::with(|watch, options| {
        SPEC.clone_into(&mut watch.spec_text);
        watch.time = TimeSource::Replay;
        options.proxies = vec![format!("shop@127.0.0.1:0=http://{}", service.address).parse().unwrap()];
        options.adapters = Adapters::parse(CLOSED).unwrap();
    });
    // From here on times are numbers, and a message has none.
    server.send("{\"event\": \"pay\", \"order\": \"a\", \"time\": 1}\n");
    send(&server, &ship("a"), &[]).problem(503);
    assert_eq!(service.asked(), 0);
    assert_eq!(server.get("/api/v1/status").json()["proxy"]["unjudged"], 1);
}

#[test]
fn sessions_are_blocked_by_a_header() {
    let service = AnyService::start();
    let server = watching(&service, "fields = { user = \"{header:x-user}\" }\n", "user");
    assert_eq!(send(&server, b"", &[("X-User", "ann")]).status, 200);
    send(&server, &ship("1"), &[("X-User", "ann")]).problem(409);
    let asked = service.asked();
    // Whatever the body is: the header tells the session.
    for (what, body, mut headers) in disguises() {
        headers.push(("X-User", "ann"));
        send(&server, &body, &headers).problem(409);
        assert_eq!(service.asked(), asked, "{what}");
    }
    assert_eq!(send(&server, b"[]", &[("X-User", "bob")]).status, 200);
    // A body cannot name another session.
    send(&server, br#"{"type": "hello", "user": "bob"}"#, &[("X-User", "ann")]).problem(409);
}

#[test]
fn sessions_are_blocked_by_connection() {
    let service = AnyService::start();
    let server = watching(&service, "fields = { connection = \"{connection}\" }\n", "connection");
    let keep = |body: &[u8]| {
        let head = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    let mut reader = BufReader::new(connect(server.proxies()[0]));
    let mut ask = |body: &[u8]| {
        reader.get_mut().write_all(&keep(body)).unwrap();
        let (status, headers) = HttpResponse::read_head(&mut reader);
        let length = headers.iter().find(|(name, _)| name == "content-length").unwrap().1.parse().unwrap();
        let mut body = vec![0; length];
        std::io::Read::read_exact(&mut reader, &mut body).unwrap();
        status
    };
    assert_eq!(ask(b"[1]"), 200);
    assert_eq!(ask(&ship("1")), 409);
    assert_eq!(ask(b"[1]"), 409);
    assert_eq!(ask(br#"{"type": "pay", "order": "1", "connection": 7}"#), 409);
    // Another connection is another session.
    assert_eq!(send(&server, b"[1]", &[]).status, 200);
}
