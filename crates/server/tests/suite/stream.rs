// SPDX-License-Identifier: MIT OR Apache-2.0
//! Server-sent events: their content, and that a client that reconnects misses no violation.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::client::{HttpResponse, TestClient, connect, read_chunk};
use crate::start::{TestServer, apart};

/// An open stream.
struct EventStream {
    reader: BufReader<TcpStream>,
    text: String,
}

/// An event of the stream.
#[derive(Debug)]
struct StreamEvent {
    id: Option<u64>,
    kind: String,
    data: Value,
}

impl EventStream {
    fn open(client: &TestClient, server: &TestServer, path: &str) -> EventStream {
        let mut stream = connect(server.http());
        stream.write_all(&client.head("GET", path, None)).unwrap();
        let mut reader = BufReader::new(stream);
        let (status, headers) = HttpResponse::read_head(&mut reader);
        assert_eq!(status, 200);
        assert!(headers.contains(&("content-type".to_owned(), "text/event-stream".to_owned())), "{headers:?}");
        EventStream { reader, text: String::new() }
    }

    /// Reads the next event; skips comments.
    fn next(&mut self) -> Option<StreamEvent> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                if let (Some(kind), Some(data)) = (field("event:"), field("data:")) {
                    let id = field("id:").map(|id| id.parse().unwrap());
                    return Some(StreamEvent { id, kind: kind.to_owned(), data: serde_json::from_str(data).unwrap() });
                }
            }
            self.text.push_str(&String::from_utf8(read_chunk(&mut self.reader)?).unwrap());
        }
    }

    fn next_of(&mut self, kind: &str) -> StreamEvent {
        loop {
            let event = self.next().expect("the stream ended");
            if event.kind == kind {
                return event;
            }
        }
    }
}

#[test]
fn all_requested_types_are_sent() {
    let server = TestServer::plain();
    let mut events = EventStream::open(&server.client(), &server, "/api/v1/stream");
    assert_eq!(events.next_of("status").data["state"], "running");
    assert_eq!(events.next_of("statistics").data[0]["name"], "quiet");
    server.send("{\"event\": \"refund\", \"time\": 1}\n");
    let violation = events.next_of("violation");
    assert_eq!(
        (violation.id, &violation.data["property"], &violation.data["number"]),
        (Some(1), &"quiet".into(), &1.into())
    );
    assert!(violation.data["summary"].is_string(), "{violation:?}");
    let statistics = loop {
        let statistics = events.next_of("statistics");
        if statistics.data[0]["violated"] == 1 {
            break statistics;
        }
    };
    assert_eq!(statistics.data[0]["muted"], false);
    server.send("{\"event\": \"hello\", \"time\": 2, \"x\": \"y\"}\n");
    let event = events.next_of("event");
    assert!(event.data["skipped"].is_u64() && event.data["event"].is_string(), "{event:?}");
}

#[test]
fn only_requested_types_are_sent() {
    let server = TestServer::plain();
    let mut events = EventStream::open(&server.client(), &server, "/api/v1/stream?types=violation");
    server.send(&apart(0..3));
    for number in 1..=3 {
        let event = events.next().unwrap();
        assert_eq!((event.kind.as_str(), event.id), ("violation", Some(number)));
    }
    server.get("/api/v1/stream?types=violation,gossip").problem(400);
}

#[test]
fn who_comes_back_misses_none() {
    let server = TestServer::plain();
    server.send(&apart(0..2500));
    server.wait_for_violations(2500);
    let client = server.client().header("Last-Event-ID", "3");
    let mut events = EventStream::open(&client, &server, "/api/v1/stream?types=violation");
    for number in 4..=2500 {
        assert_eq!(events.next().unwrap().id, Some(number));
    }
    server.send(&apart(3000..3001));
    assert_eq!(events.next().unwrap().id, Some(2501));
    let mut events = EventStream::open(&server.client(), &server, "/api/v1/stream?types=violation&last=2500");
    assert_eq!(events.next().unwrap().id, Some(2501));
    server.client().header("Last-Event-ID", "one").get("/api/v1/stream").problem(400);
}

#[test]
fn a_stream_ends_when_the_server_stops_and_there_are_only_so_many() {
    let mut server = TestServer::with(|_, options| options.limits.streams = 1);
    let mut events = EventStream::open(&server.client(), &server, "/api/v1/stream?types=status");
    server.get("/api/v1/stream").problem(429);
    server.stop();
    while events.next().is_some() {}
}
