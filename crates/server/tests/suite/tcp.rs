// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events over TCP: lines and XML, numbers, acknowledgements, and invalid data.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};

use gnomon_server::Tokens;
use serde_json::Value;

use crate::client::connect;
use crate::start::{TestServer, eventually, refunds};

fn server() -> TestServer {
    TestServer::with(|_, options| options.tcp = Some("127.0.0.1:0".parse().unwrap()))
}

fn next(reader: &mut impl BufRead) -> Value {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
}

fn accepted(server: &TestServer) -> u64 {
    server.get("/api/v1/status").json()["events"]["accepted"].as_u64().unwrap()
}

/// Sends everything, closes the sending side, and reads the response.
fn converse(mut stream: TcpStream, bytes: &[u8]) -> String {
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn lines_and_xml_are_distinguished() {
    let server = server();
    assert_eq!(converse(connect(server.tcp()), refunds(0..1000).as_bytes()), "");
    let event = |time: u32| {
        format!("<event><name>refund</name><field><name>time</name><value>{time}</value></field></event>\n")
    };
    let xml: String = (2000..2500).map(event).collect();
    assert_eq!(
        converse(connect(server.tcp()), format!("<?xml version=\"1.0\"?>\n<log>\n{xml}</log>\n").as_bytes()),
        ""
    );
    eventually("all events", || accepted(&server) == 1500);
}

#[test]
fn acknowledgements_confirm_durable_events_and_numbers_skip_repeated_ones() {
    let server = server();
    let mut stream = connect(server.tcp());
    stream.write_all(b"{\"gnomon\": {\"producer\": \"till\", \"first\": 41, \"acknowledge\": true}}\n").unwrap();
    stream.write_all(refunds(0..10).as_bytes()).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut last = 0;
    while last < 50 {
        last = next(&mut reader)["acknowledged"].as_u64().unwrap();
    }
    assert_eq!(last, 50);
    drop((stream, reader));
    let again =
        format!("{{\"gnomon\": {{\"producer\": \"till\", \"first\": 46, \"acknowledge\": true}}}}\n{}", refunds(5..12));
    let answer = converse(connect(server.tcp()), again.as_bytes());
    assert!(answer.ends_with("{\"acknowledged\":52}\n"), "{answer}");
    assert_eq!(server.get("/api/v1/producers/till").json()["next"], 53);
    eventually("twelve events", || accepted(&server) == 12);
}

#[test]
fn a_bad_line_is_named_and_ends_the_connection() {
    let server = server();
    for (bytes, status, word) in [
        (&b"{\"event\": \"a\", \"time\": 1}\nnonsense\n"[..], 400, "line 2"),
        (b"\x00\xff\xfe garbage", 400, "line 1"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "line 1"),
        (b"<log><event><name>a</name>", 400, "line 1"),
        (b"{\"gnomon\": {\"producer\": 7}}\n", 400, "greeting"),
    ] {
        let answer = converse(connect(server.tcp()), bytes);
        let error: Value = serde_json::from_str(answer.lines().last().unwrap_or_default()).unwrap();
        assert_eq!(error["error"]["status"], status, "{answer}");
        assert!(error["error"]["detail"].as_str().unwrap().contains(word), "{answer}");
    }
    assert_eq!(server.get("/health/live").status, 200);
}

#[test]
fn a_line_without_end_is_cut_off() {
    let server = TestServer::with(|_, options| {
        options.tcp = Some("127.0.0.1:0".parse().unwrap());
        options.limits.line_bytes = 64 << 10;
    });
    for first in [b'x', b'<'] {
        let mut bytes = vec![b'x'; 8 << 20];
        bytes[0] = first;
        let answer = converse(connect(server.tcp()), &bytes);
        // The response may be lost because of pending data; the connection must end.
        assert!(answer.is_empty() || answer.contains("413"), "{answer}");
    }
    assert_eq!(accepted(&server), 0);
}

#[test]
fn a_token_is_needed_where_tokens_are_in_use() {
    let server = TestServer::with(|_, options| {
        options.tcp = Some("127.0.0.1:0".parse().unwrap());
        options.tokens = Tokens::parse("read r-0123456789abcdef\nwrite w-0123456789abcdef").unwrap();
    });
    for greeting in
        ["", "{\"gnomon\": {\"token\": \"r-0123456789abcdef\"}}\n", "{\"gnomon\": {\"token\": \"wrong\"}}\n"]
    {
        let answer = converse(connect(server.tcp()), format!("{greeting}{}", refunds(0..1)).as_bytes());
        assert!(answer.contains("\"status\":401"), "{answer}");
    }
    let greeting = "{\"gnomon\": {\"token\": \"w-0123456789abcdef\", \"acknowledge\": true}}\n";
    let answer = converse(connect(server.tcp()), format!("{greeting}{}", refunds(0..1)).as_bytes());
    assert_eq!(answer, "{\"acknowledged\":1}\n");
}
