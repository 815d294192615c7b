// SPDX-License-Identifier: MIT OR Apache-2.0
//! HTTP/1.1 and HTTP/2, on either side, with what only one of them has.

use bytes::Bytes;
use gnomon_proxy::Settings;
use http_body_util::{BodyExt, Channel};
use hyper::{HeaderMap, Request, Response, StatusCode, Version};

use crate::support::{AGES, Anything, Client, Service, echo, full, get, part, post, proxy, service};

/// A service that answers with the version it was spoken to in.
async fn versed(http2: bool) -> Service {
    service(http2, |request| async move {
        let cookies: Vec<&str> =
            request.headers().get_all("cookie").iter().map(|value| value.to_str().unwrap()).collect();
        Response::new(full(format!("{:?} {cookies:?}", request.version())))
    })
    .await
}

fn with_cookies(path: &str) -> Request<Anything> {
    let mut request = get(path);
    *request.uri_mut() = format!("http://front.example{path}").parse().unwrap();
    request.headers_mut().append("cookie", "a=1".parse().unwrap());
    request.headers_mut().append("cookie", "b=2".parse().unwrap());
    request
}

#[tokio::test]
async fn each_side_speaks_its_own_version() {
    for client_http2 in [false, true] {
        let (one, two) = (versed(false).await, versed(true).await);
        let (to_one, _) = proxy(one.http(), Settings::default()).await;
        let (to_two, _) = proxy(two.h2c(), Settings::default()).await;
        let mut client = Client::new(to_one, client_http2).await;
        let response = client.send(with_cookies("/")).await.unwrap();
        assert_eq!(response.version() == Version::HTTP_2, client_http2);
        assert_eq!(crate::support::text(response).await, r#"HTTP/1.1 ["a=1; b=2"]"#);
        let mut client = Client::new(to_two, client_http2).await;
        let (status, answer) = client.ask(with_cookies("/")).await;
        assert_eq!(status, StatusCode::OK);
        assert!(answer.starts_with("HTTP/2.0"), "{answer}");
    }
}

#[tokio::test]
async fn many_exchanges_share_a_connection() {
    let (address, notes) = proxy(echo(false).await.http(), Settings::default()).await;
    let Client::Two(sender) = Client::new(address, true).await else { unreachable!() };
    let asking = (0..50).map(|number| {
        let mut client = Client::Two(sender.clone());
        tokio::spawn(async move {
            let text = format!("{{\"n\": {number}}}");
            let mut request = post("/", text.clone());
            *request.uri_mut() = "http://front.example/".parse().unwrap();
            assert_eq!(client.ask(request).await, (StatusCode::OK, text));
        })
    });
    for asking in asking.collect::<Vec<_>>() {
        asking.await.unwrap();
    }
    let messages = notes.wait(100).await;
    let bodies_agree = |exchange: u64| {
        let mut of_it = messages.iter().filter(|message| message.exchange == exchange).map(|message| &message.body);
        of_it.next() == of_it.next()
    };
    assert!(messages.iter().all(|message| bodies_agree(message.exchange)));
}

/// Behaves like a gRPC service: an answer for each message, and the status in the trailers.
async fn grpc() -> Service {
    service(true, |request| async {
        assert_eq!(request.headers()["te"], "trailers");
        let (mut sender, body) = Channel::<Bytes, Box<dyn std::error::Error + Send + Sync>>::new(8);
        tokio::spawn(async move {
            let mut incoming = request.into_body();
            while let Some(message) = part(&mut incoming).await {
                sender.send_data(message).await.unwrap();
            }
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", "7".parse().unwrap());
            sender.send_trailers(trailers).await.unwrap();
        });
        Response::builder().header("content-type", "application/grpc").body(body.boxed()).unwrap()
    })
    .await
}

#[tokio::test]
async fn a_stream_in_both_directions_with_trailers() {
    let service = grpc().await;
    for upstream in [service.http(), service.h2c()] {
        let (address, notes) = proxy(upstream, Settings::default()).await;
        let (mut sender, body) = Channel::new(8);
        let request = Request::post("http://front.example/pkg.Service/Method")
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        let mut client = Client::new(address, true).await;
        let response = client.send(request.body(body.boxed()).unwrap()).await.unwrap();
        let mut answers = response.into_body();
        for message in ["one", "two", "three"] {
            sender.send_data(Bytes::from(message)).await.unwrap();
            assert_eq!(part(&mut answers).await.unwrap(), message);
        }
        drop(sender);
        let trailers = answers.frame().await.unwrap().unwrap().into_trailers().unwrap();
        assert_eq!(trailers["grpc-status"], "7");
        let messages = notes.wait(2).await;
        assert!(messages[0].truncated && messages[0].body.is_empty(), "a stream is recognised by its head");
        assert_eq!(messages[1].headers["grpc-status"], "7");
    }
}

/// A body of a unknown length, with trailers.
async fn summed(text: &'static str, sum: &str) -> Anything {
    let (mut sender, body) = Channel::new(8);
    sender.send_data(Bytes::from(text)).await.unwrap();
    let mut trailers = HeaderMap::new();
    trailers.insert("x-sum", sum.parse().unwrap());
    sender.send_trailers(trailers).await.unwrap();
    body.boxed()
}

#[tokio::test]
async fn trailers_pass_in_http_1_too() {
    let service = service(false, |request| async {
        let body = request.into_body().collect().await.unwrap();
        let sum = body.trailers().map_or("none", |trailers| trailers["x-sum"].to_str().unwrap()).to_owned();
        let answer = summed("answer", &format!("{sum} too")).await;
        Response::builder().header("trailer", "x-sum").body(answer).unwrap()
    })
    .await;
    let (address, notes) = proxy(service.http(), Settings { hold_request: AGES, ..Settings::default() }).await;
    for http2 in [false, true] {
        let mut client = Client::new(address, http2).await;
        let mut trailers = HeaderMap::new();
        trailers.insert("x-sum", "12".parse().unwrap());
        let body = full("hello").with_trailers(async move { Some(Ok(trailers)) }).boxed();
        let mut request = Request::post("http://front.example/").header("te", "trailers").header("trailer", "x-sum");
        if !http2 {
            // Otherwise the client finds out how long the body is, and sends no trailers.
            request = request.header("transfer-encoding", "chunked");
        }
        let answer = client.send(request.body(body).unwrap()).await.unwrap().into_body().collect().await.unwrap();
        assert_eq!(answer.trailers().unwrap()["x-sum"], "12 too", "{http2}");
        assert_eq!(answer.to_bytes(), "answer");
    }
    assert!(notes.wait(4).await.iter().all(|message| !message.truncated));
}
