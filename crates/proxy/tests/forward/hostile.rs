// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients that mean no good: what they can take is bounded, and others are served.

use std::time::Duration;

use bytes::Bytes;
use gnomon_core::random::Random;
use gnomon_proxy::Settings;
use hyper::{Response, StatusCode};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::support::{Client, Notes, ask, echo, full, get, post, proxy, proxy_with, raw, service, to_the_end};

/// Bytes that are made up, the same each time.
fn made_up(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let length = random.below(600);
    (0..length).map(|_| random.number() as u8).collect()
}

#[tokio::test]
async fn bytes_that_are_no_http() {
    let (address, _) = proxy(echo(false).await.http(), Settings::default()).await;
    let starts: [&[u8]; 6] =
        [b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"POST / HTTP/1.1\r\n", b"P", b"\x16\x03\x01\x02", b"PRI x"];
    let mut streams = Vec::new();
    for seed in 0..200_u64 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let start = starts[seed as usize % starts.len()];
        let _ = stream.write_all(&[start, &made_up(seed)].concat()).await;
        let _ = stream.shutdown().await;
        streams.push(stream);
    }
    for stream in &mut streams {
        to_the_end(stream).await;
    }
    assert_eq!(ask(address, post("/", "{}")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn the_size_of_heads_is_limited() {
    let (address, notes) = proxy(echo(false).await.http(), Settings::default()).await;
    let long = format!("GET / HTTP/1.1\r\nhost: h\r\nx: {}\r\n\r\n", "y".repeat(100_000));
    assert!(raw(address, long.as_bytes()).await.starts_with("HTTP/1.1 431 "));
    let many = format!("GET / HTTP/1.1\r\nhost: h\r\n{}\r\n", "x: y\r\n".repeat(1_000));
    assert!(raw(address, many.as_bytes()).await.starts_with("HTTP/1.1 431 "));
    let path = format!("GET /{} HTTP/1.1\r\nhost: h\r\n\r\n", "y".repeat(100_000));
    assert!(raw(address, path.as_bytes()).await.starts_with("HTTP/1.1 4"));
    assert!(notes.all().is_empty());
}

#[tokio::test]
async fn a_length_beside_chunks_smuggles_nothing() {
    let (address, notes) = proxy(echo(false).await.http(), Settings::default()).await;
    for request in [
        "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked, x\r\n\r\n0\r\n\r\n",
    ] {
        raw(address, format!("{request}GET /smuggled HTTP/1.1\r\nhost: h\r\n\r\n").as_bytes()).await;
    }
    // A second request may follow a whole first one; it is shown like any other.
    assert!(notes.all().iter().all(|message| message.path == "/smuggled" || message.body.is_empty()));
    assert_eq!(ask(address, post("/", "{}")).await, (StatusCode::OK, "{}".to_owned()));
}

#[tokio::test]
async fn a_client_that_is_slow_with_a_head_is_disconnected() {
    let settings = Settings { client_head: Duration::from_millis(100), ..Settings::default() };
    let (address, _) = proxy(echo(false).await.http(), settings).await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    // Nothing at all, the beginning of a preface, of a head, and a preface with nothing behind it.
    for start in [&b""[..], b"PR", b"GET / HTTP/1.1\r\nhost:", preface] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(start).await.unwrap();
        let (mut reader, mut writer) = stream.into_split();
        let dripping = tokio::spawn(async move {
            // Byte by byte, for as long as they are taken.
            while !start.is_empty() && writer.write_all(if start == preface { b"\0" } else { b"x" }).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            writer
        });
        let mut answer = Vec::new();
        let end = tokio::io::AsyncReadExt::read_to_end(&mut reader, &mut answer);
        let _ = tokio::time::timeout(crate::support::AGES, end).await.expect("the connection is closed");
        dripping.await.unwrap();
    }
}

#[tokio::test]
async fn a_connection_that_is_not_used_makes_room() {
    let settings = Settings { connections: 2, client_head: Duration::from_millis(100), ..Settings::default() };
    let (address, _) = proxy(echo(false).await.http(), settings).await;
    let mut idle = Vec::new();
    for _ in 0..4 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    assert_eq!(ask(address, get("/")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn silent_connections_do_not_keep_others_waiting() {
    let settings = Settings { connections: 8, ..Settings::default() };
    let (address, _) = proxy(echo(false).await.http(), settings).await;
    let mut silent = Vec::new();
    for start in [&b""[..], b"GET / HTTP/1.1\r\nhost:", b"PRI * HTTP/2.0\r\n\r\n"] {
        for _ in 0..20 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let _ = stream.write_all(start).await;
            silent.push(stream);
        }
        // Far less than the time that a silent connection has.
        let asked = tokio::time::timeout(Duration::from_secs(10), ask(address, get("/"))).await;
        assert_eq!(asked.expect("there is room").0, StatusCode::OK);
    }
}

/// A service that answers when it is let.
async fn held() -> (crate::support::Service, watch::Sender<bool>) {
    let (go, gone) = watch::channel(false);
    let service = service(false, move |_| {
        let mut gone = gone.clone();
        async move {
            let _ = gone.wait_for(|gone| *gone).await;
            Response::new(full("ok"))
        }
    })
    .await;
    (service, go)
}

#[tokio::test]
async fn exchanges_are_bounded() {
    let (service, go) = held().await;
    let (address, notes) = proxy(service.http(), Settings { exchanges: 2, ..Settings::default() }).await;
    let asking: Vec<_> = (0..2).map(|_| tokio::spawn(ask(address, get("/")))).collect();
    notes.wait(2).await;
    let response = Client::new(address, false).await.send(get("/")).await.unwrap();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.headers()["retry-after"], "1");
    go.send(true).unwrap();
    for asking in asking {
        assert_eq!(asking.await.unwrap().0, StatusCode::OK);
    }
    assert_eq!(ask(address, get("/")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn held_memory_is_limited() {
    let settings = Settings { held: 1_000, ..Settings::default() };
    let (address, _) = proxy(echo(false).await.http(), settings).await;
    // Half a body, which is waited for.
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 1000\r\n\r\n";
    stream.write_all(format!("{head}{}", "x".repeat(900)).as_bytes()).await.unwrap();
    let mut client = Client::new(address, false).await;
    let crowded = async { while client.ask(post("/", "y".repeat(200))).await.0 != StatusCode::SERVICE_UNAVAILABLE {} };
    tokio::time::timeout(crate::support::AGES, crowded).await.unwrap();
    drop(stream);
    let freed = async { while ask(address, post("/", "y".repeat(200))).await.0 != StatusCode::OK {} };
    tokio::time::timeout(crate::support::AGES, freed).await.unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_read_is_dropped() {
    let service = service(false, |_| async { Response::new(full(Bytes::from(vec![b'x'; 64 << 20]))) }).await;
    let notes = Notes::new(|_| gnomon_proxy::Ruling::Pass);
    let short = Duration::from_millis(200);
    let settings = Settings { idle: short, response: short, ..Settings::default() };
    let address = proxy_with(service.http(), settings, notes.clone()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n").await.unwrap();
    let reported = notes.response().await;
    assert!(reported.failed && reported.truncated);
    drop(stream);
}
