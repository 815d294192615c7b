// SPDX-License-Identifier: MIT OR Apache-2.0
//! Services that fail in every way, and clients that go: the proxy lives on, and each request has its response.

use std::time::Duration;

use gnomon_proxy::Settings;
use http_body_util::BodyExt;
use hyper::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{AGES, Client, ask, echo, get, post, proxy, rude, to_the_end};

/// Reads a request, more or less.
async fn read(stream: &mut TcpStream) {
    let mut bytes = [0; 4096];
    let _ = stream.read(&mut bytes).await;
}

/// Returns the response to a client whose service answers with these bytes and disconnects.
async fn answered(bytes: &'static str) -> (StatusCode, String, gnomon_proxy::TappedMessage) {
    let upstream = rude(move |mut stream| async move {
        read(&mut stream).await;
        let _ = stream.write_all(bytes.as_bytes()).await;
        // Not with a reset, which might overtake the bytes.
        let _ = stream.shutdown().await;
        read(&mut stream).await;
    })
    .await;
    let (address, notes) = proxy(upstream, Settings { hold_response: AGES, ..Settings::default() }).await;
    let (status, body) = ask(address, post("/", "{}")).await;
    (status, body, notes.response().await)
}

#[tokio::test]
async fn answers_that_are_none() {
    for bytes in [
        "",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n",
    ] {
        let (status, body, reported) = answered(bytes).await;
        assert_eq!(status, StatusCode::BAD_GATEWAY, "{bytes:?}");
        let document: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(document["status"], 502);
        for key in ["type", "title", "detail"] {
            assert!(document[key].is_string(), "{body}");
        }
        assert!(reported.failed && reported.status == Some(502), "{bytes:?} {reported:?}");
    }
}

#[tokio::test]
async fn an_answer_without_a_length_ends_with_the_connection() {
    let (status, body, reported) = answered("HTTP/1.1 200 OK\r\n\r\nhello").await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "hello"));
    assert_eq!((&reported.body[..], reported.failed), (&b"hello"[..], false));
}

#[tokio::test]
async fn a_service_that_is_down_and_comes_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let home = listener.local_addr().unwrap();
    drop(listener);
    let (address, notes) = proxy(format!("http://{home}"), Settings::default()).await;
    let mut client = Client::new(address, false).await;
    let (status, body) = client.ask(post("/", "{}")).await;
    assert_eq!(status, StatusCode::BAD_GATEWAY);
    assert!(body.contains("no connection to"), "{body}");
    let reported = notes.response().await;
    assert!(reported.failed && reported.status == Some(502) && reported.source == "shop");

    let listener = TcpListener::bind(home).await.unwrap();
    let answering = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await.unwrap();
    });
    assert_eq!(client.ask(post("/", "{}")).await, (StatusCode::OK, "hi".to_owned()));
    answering.await.unwrap();
    assert!(!notes.wait(4).await[3].failed);
}

#[tokio::test]
async fn a_service_that_hangs() {
    let upstream = rude(|mut stream| async move {
        to_the_end(&mut stream).await;
    })
    .await;
    let settings = Settings { response: Duration::from_millis(50), ..Settings::default() };
    let (address, notes) = proxy(upstream, settings).await;
    let (status, body) = ask(address, get("/")).await;
    assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
    assert!(body.contains("\"status\":504"), "{body}");
    let reported = notes.response().await;
    assert!(reported.failed && reported.status == Some(504));
}

#[tokio::test]
async fn a_service_that_hangs_in_the_middle() {
    for (head, status) in [("content-length: 10", Some(504)), ("content-length: 2000000", Some(200))] {
        let upstream = rude(move |mut stream| async move {
            read(&mut stream).await;
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\nhello").as_bytes()).await;
            to_the_end(&mut stream).await;
        })
        .await;
        let short = Duration::from_millis(50);
        let (address, notes) = proxy(upstream, Settings { response: short, idle: short, ..Settings::default() }).await;
        let response = Client::new(address, false).await.send(get("/")).await.unwrap();
        let is_whole = response.into_body().collect().await.is_ok();
        assert_eq!(is_whole, status == Some(504), "a body that was begun is cut");
        let reported = notes.response().await;
        assert!(reported.failed && reported.status == status, "{reported:?}");
    }
}

#[tokio::test]
async fn a_service_that_dies_in_a_large_body() {
    let upstream = rude(|mut stream| async move {
        read(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000000\r\n\r\n").await;
        let _ = stream.write_all(&vec![b'x'; 100_000]).await;
    })
    .await;
    let (address, notes) = proxy(upstream, Settings::default()).await;
    let response = Client::new(address, false).await.send(get("/")).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert!(response.into_body().collect().await.is_err());
    let reported = notes.response().await;
    assert!(reported.failed && reported.truncated && reported.status == Some(200));
}

#[tokio::test]
async fn a_client_that_goes_before_the_answer() {
    let (go, gone) = tokio::sync::watch::channel(false);
    let upstream = rude(move |mut stream| {
        let mut gone = gone.clone();
        async move {
            read(&mut stream).await;
            let _ = gone.changed().await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await;
            to_the_end(&mut stream).await;
        }
    })
    .await;
    let (address, notes) = proxy(upstream, Settings::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n").await.unwrap();
    notes.wait(1).await;
    drop(stream);
    go.send(true).unwrap();
    let reported = notes.response().await;
    assert_eq!((reported.status, &reported.body[..]), (Some(200), &b"hi"[..]));
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_of_the_answer() {
    let upstream = rude(|mut stream| async move {
        read(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n").await;
        while stream.write_all(&[b'x'; 10_000]).await.is_ok() {}
    })
    .await;
    let (address, notes) = proxy(upstream, Settings::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n").await.unwrap();
    stream.read_exact(&mut [0; 1000]).await.unwrap();
    drop(stream);
    let reported = notes.response().await;
    assert!(reported.failed && reported.truncated);
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_body() {
    for length in [10, 2_000_000] {
        let settings = Settings { client_body: Duration::from_millis(50), ..Settings::default() };
        let (address, notes) = proxy(echo(false).await.http(), settings).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream
            .write_all(format!("POST / HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\nhello").as_bytes())
            .await
            .unwrap();
        if length > settings.body {
            // The service has begun to answer: all that can be done is to break off.
            assert!(to_the_end(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
            assert!(notes.response().await.failed);
        } else {
            assert!(to_the_end(&mut stream).await.starts_with("HTTP/1.1 408 "));
            assert!(notes.all().is_empty());
        }
    }
}

#[tokio::test]
async fn a_client_that_breaks_its_body_off() {
    let (address, notes) =
        proxy(echo(false).await.http(), Settings { hold_request: AGES, ..Settings::default() }).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n").await.unwrap();
    assert!(to_the_end(&mut stream).await.starts_with("HTTP/1.1 400 "));
    assert!(notes.all().is_empty());
    assert_eq!(ask(address, post("/", "{}")).await.0, StatusCode::OK);
}
