// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages pass as they are, but for what a proxy must change, and are shown as they are.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use gnomon_proxy::{MessageDirection, Relay, Ruling, Settings};
use hyper::{Request, Response, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Client, Notes, Service, ask, echo, full, get, post, proxy, raw, service, text};

/// A service that answers with the head of what it gets.
async fn mirror() -> Service {
    service(false, |request| async move {
        let mut head = format!("{} {}\n", request.method(), request.uri());
        for (name, value) in request.headers() {
            writeln!(head, "{name}: {}", value.to_str().unwrap()).unwrap();
        }
        Response::builder()
            .status(201)
            .header("x-mirror", "yes")
            .header("connection", "x-hop")
            .header("x-hop", "1")
            .body(full(head))
            .unwrap()
    })
    .await
}

#[tokio::test]
async fn a_request_and_its_response_are_shown_and_passed() {
    let service = mirror().await;
    let (address, notes) = proxy(service.http(), Settings::default()).await;
    let mut client = Client::new(address, false).await;
    let request = Request::post("/a%20b/c?d=%2F&e")
        .header("host", "front.example")
        .header("x-own", "1")
        .header("connection", "x-drop")
        .header("x-drop", "1")
        .body(full("hello"));
    let response = client.send(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::CREATED);
    assert_eq!(response.headers()["x-mirror"], "yes");
    assert!(!response.headers().contains_key("x-hop"));
    assert!(response.headers()["via"].to_str().unwrap().starts_with("1.1 gnomon-"));
    let head = text(response).await;
    let mut lines: Vec<&str> = head.lines().filter(|line| !line.starts_with("via: 1.1 gnomon-")).collect();
    lines[1..].sort_unstable();
    assert_eq!(
        lines,
        [
            "POST /a%20b/c?d=%2F&e",
            "content-length: 5",
            "host: front.example",
            "x-forwarded-for: 127.0.0.1",
            "x-forwarded-host: front.example",
            "x-forwarded-proto: http",
            "x-own: 1",
        ]
    );

    let shown = notes.wait(2).await;
    let [request, response] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((request.direction, response.direction), (MessageDirection::Request, MessageDirection::Response));
    assert_eq!(request.exchange, response.exchange);
    for message in &shown {
        assert_eq!((message.proxy.as_str(), message.service.as_str()), ("shop", "shop"));
        assert_eq!((message.method.as_str(), message.path.as_str()), ("POST", "/a%20b/c"));
        assert_eq!(message.query.as_deref(), Some("d=%2F&e"));
        assert!(!message.truncated && !message.failed);
    }
    assert_eq!((request.source.as_str(), request.destination.as_str()), ("127.0.0.1", "shop"));
    assert_eq!((response.source.as_str(), response.destination.as_str()), ("shop", "127.0.0.1"));
    assert_eq!((request.status, response.status), (None, Some(201)));
    assert_eq!((&request.body[..], &response.body[..]), (&b"hello"[..], head.as_bytes()));
    assert_eq!(request.headers["x-own"], "1");
    assert!(response.elapsed >= request.elapsed);
}

#[tokio::test]
async fn the_request_or_the_route_names_the_caller() {
    let service = mirror().await;
    let notes = Notes::new(|_| Ruling::Pass);
    let route = format!("client:shop@127.0.0.1:0={}", service.http()).parse().unwrap();
    let proxy = Relay::new(Settings::default(), notes.clone()).bind(route).await.unwrap();
    let address = proxy.address();
    tokio::spawn(proxy.run(std::future::pending()));
    ask(address, get("/")).await;
    let mut request = get("/");
    request.headers_mut().insert("x-gnomon-source", "Ann".parse().unwrap());
    let (_, head) = ask(address, request).await;
    assert!(!head.contains("x-gnomon-source"));
    let sources: Vec<String> = notes.wait(4).await.into_iter().map(|message| message.source).collect();
    assert_eq!(sources, ["client", "shop", "Ann", "shop"]);
}

#[tokio::test]
async fn connections_are_kept_on_both_sides() {
    let service = mirror().await;
    let (address, notes) = proxy(service.http(), Settings::default()).await;
    let mut client = Client::new(address, false).await;
    for _ in 0..20 {
        assert_eq!(client.ask(post("/", "x")).await.0, StatusCode::CREATED);
    }
    assert_eq!(service.connections.load(Ordering::Relaxed), 1);
    let mut exchanges: Vec<u64> = notes.wait(40).await.iter().map(|message| message.exchange).collect();
    exchanges.dedup();
    assert_eq!(exchanges.len(), 20);
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let (address, _) = proxy(echo(false).await.http(), Settings::default()).await;
    let one = |body: &str| format!("POST / HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let answer = raw(address, format!("{}{}{}", one("first"), one("second"), one("third")).as_bytes()).await;
    let places: Vec<Option<usize>> = ["first", "second", "third"].map(|body| answer.find(body)).to_vec();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{answer}");
}

#[tokio::test]
async fn answers_without_bodies() {
    let service = service(false, |request| async move {
        let response = Response::builder();
        match request.uri().path() {
            "/204" => response.status(204).body(full("")),
            "/304" => response.status(304).header("etag", "\"x\"").body(full("")),
            _ => response.body(full("twelve bytes")),
        }
        .unwrap()
    })
    .await;
    let (address, notes) = proxy(service.http(), Settings::default()).await;
    let mut client = Client::new(address, false).await;
    assert_eq!(client.ask(get("/204")).await, (StatusCode::NO_CONTENT, String::new()));
    assert_eq!(client.ask(get("/304")).await, (StatusCode::NOT_MODIFIED, String::new()));
    let head = Request::head("/").header("host", "h").body(full("")).unwrap();
    let response = client.send(head).await.unwrap();
    assert_eq!(response.headers()["content-length"], "12");
    assert_eq!(text(response).await, "");
    assert_eq!(client.ask(get("/")).await, (StatusCode::OK, "twelve bytes".to_owned()));
    assert!(notes.wait(8).await.iter().all(|message| !message.truncated && !message.failed));
}

#[tokio::test]
async fn a_client_may_wait_for_100_continue() {
    let (address, notes) = proxy(echo(false).await.http(), Settings::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"POST / HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n").await.unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).await.unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"hello").await.unwrap();
    let mut answer = vec![0; 15];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 200 OK");
    assert_eq!(&notes.response().await.body[..], b"hello");
}

#[tokio::test]
async fn an_old_client_is_answered() {
    let (address, notes) = proxy(echo(false).await.http(), Settings::default()).await;
    let answer = raw(address, b"POST /x HTTP/1.0\r\ncontent-length: 2\r\n\r\nhi").await;
    assert!(answer.starts_with("HTTP/1.0 200 OK") && answer.ends_with("\r\n\r\nhi"), "{answer}");
    assert_eq!(notes.response().await.path, "/x");
}

#[tokio::test]
async fn a_whole_address_is_forwarded_by_its_path() {
    let service = mirror().await;
    let (address, _) = proxy(format!("{}/base", service.http()), Settings::default()).await;
    let answer = raw(address, b"GET http://elsewhere.example/x?y HTTP/1.1\r\nhost: h\r\n\r\n").await;
    assert!(answer.contains("GET /base/x?y\n"), "{answer}");
}

#[tokio::test]
async fn tunnels_are_refused() {
    let (address, notes) = proxy(echo(false).await.http(), Settings::default()).await;
    for request in [
        "GET / HTTP/1.1\r\nhost: h\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
        "CONNECT h:443 HTTP/1.1\r\nhost: h:443\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n",
    ] {
        let answer = raw(address, request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 501 "), "{request} {answer}");
        assert!(answer.contains("application/problem+json") && answer.contains("\"status\":501"), "{answer}");
    }
    assert!(notes.all().is_empty());
    // HTTP/2 is only offered.
    let answer = raw(address, b"GET / HTTP/1.1\r\nhost: h\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn circles_are_broken() {
    let (address, notes) = proxy(mirror().await.http(), Settings::default()).await;
    let (_, head) = ask(address, get("/")).await;
    let via = head.lines().find_map(|line| line.strip_prefix("via: ")).unwrap().to_owned();
    let mut again = get("/");
    again.headers_mut().insert("via", via.parse().unwrap());
    assert_eq!(ask(address, again).await.0, StatusCode::LOOP_DETECTED);
    assert_eq!(notes.all().len(), 2);
}

#[tokio::test]
async fn a_stopped_proxy_ends_its_exchanges() {
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let gone = std::sync::Arc::new(tokio::sync::Mutex::new(Some(gone)));
    let service = service(false, move |_| {
        let gone = gone.clone();
        async move {
            if let Some(gone) = gone.lock().await.take() {
                let _ = gone.await;
            }
            Response::new(full("done"))
        }
    })
    .await;
    let notes = Notes::new(|_| Ruling::Pass);
    let relay = Relay::new(Settings::default(), notes.clone());
    let proxy = relay.bind(format!("127.0.0.1:0={}", service.http()).parse().unwrap()).await.unwrap();
    let address = proxy.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(proxy.run(async { stopped.await.unwrap() }));
    let asking = tokio::spawn(ask(address, get("/")));
    notes.wait(1).await;
    stop.send(()).unwrap();
    go.send(()).unwrap();
    assert_eq!(asking.await.unwrap(), (StatusCode::OK, "done".to_owned()));
    running.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn the_service_gets_the_host_that_is_asked_for() {
    let service = mirror().await;
    let own = format!("host: {}", service.address);
    for (rewrite_host, expected) in [(false, "host: front.example"), (true, &*own)] {
        let (address, _) = proxy(service.http(), Settings { rewrite_host, ..Settings::default() }).await;
        let (_, head) = ask(address, get("/")).await;
        assert!(head.lines().any(|line| line == expected), "{head}");
        // The authority of the target counts, whatever the header says, and `Connection` cannot remove the host.
        let request = "GET http://front.example/ HTTP/1.1\r\nhost: other\r\nconnection: close, host\r\n\r\n";
        let answer = raw(address, request.as_bytes()).await;
        assert!(answer.contains(expected) && !answer.contains("other"), "{answer}");
    }
    let (address, notes) = proxy(service.http(), Settings::default()).await;
    let request = "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n";
    assert!(raw(address, request.as_bytes()).await.starts_with("HTTP/1.1 400"));
    assert!(notes.all().is_empty());
}
