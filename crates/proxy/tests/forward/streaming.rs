// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies pass as they come; their beginnings are shown.

use std::time::Duration;

use bytes::Bytes;
use gnomon_core::random::Random;
use gnomon_proxy::Settings;
use http_body_util::{BodyExt, Channel};
use hyper::{Request, Response, StatusCode};
use tokio::sync::mpsc;

use crate::support::{AGES, Anything, Client, Service, ask, echo, get, part, post, proxy, service};

type Sender = http_body_util::channel::Sender<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// A service whose answers are written by the test.
async fn written(content_type: &'static str) -> (Service, mpsc::UnboundedReceiver<Sender>) {
    let (senders, receiver) = mpsc::unbounded_channel();
    let service = service(false, move |_| {
        let (sender, body) = Channel::new(8);
        senders.send(sender).unwrap();
        async move { Response::builder().header("content-type", content_type).body(body.boxed()).unwrap() }
    })
    .await;
    (service, receiver)
}

fn channel(path: &str, content_type: &str) -> (Sender, Request<Anything>) {
    let (sender, body) = Channel::new(8);
    let request = Request::post(path).header("host", "h").header("content-type", content_type).body(body.boxed());
    (sender, request.unwrap())
}

#[tokio::test]
async fn a_feed_is_shown_by_its_head() {
    let (service, mut senders) = written("text/event-stream").await;
    let (address, notes) = proxy(service.http(), Settings::default()).await;
    let mut client = Client::new(address, false).await;
    let response = client.send(get("/")).await.unwrap();
    let reported = notes.response().await;
    assert!(reported.truncated && reported.body.is_empty() && !reported.failed);
    let (mut sender, mut body) = (senders.recv().await.unwrap(), response.into_body());
    for text in ["data: 1\n\n", "data: 2\n\n"] {
        sender.send_data(Bytes::from(text)).await.unwrap();
        assert_eq!(part(&mut body).await.unwrap(), text);
    }
    drop(sender);
    assert_eq!(part(&mut body).await, None);
    assert_eq!(notes.all().len(), 2);
}

#[tokio::test]
async fn a_slow_response_is_shown_whole_at_its_end() {
    let (service, mut senders) = written("application/json").await;
    let settings = Settings { hold_response: Duration::from_millis(1), ..Settings::default() };
    let (address, notes) = proxy(service.http(), settings).await;
    let mut client = Client::new(address, false).await;
    let mut body = client.send(get("/")).await.unwrap().into_body();
    let mut sender = senders.recv().await.unwrap();
    for text in ["{\"a\"", ": 1}"] {
        sender.send_data(Bytes::from(text)).await.unwrap();
        assert_eq!(part(&mut body).await.unwrap(), text);
        assert_eq!(notes.all().len(), 1);
    }
    drop(sender);
    assert_eq!(part(&mut body).await, None);
    let reported = notes.response().await;
    assert_eq!((&reported.body[..], reported.truncated, reported.failed), (&b"{\"a\": 1}"[..], false, false));
}

#[tokio::test]
async fn a_request_that_takes_its_time_reaches_the_service_before_its_end() {
    let settings = Settings { hold_request: Duration::from_millis(20), ..Settings::default() };
    for content_type in ["application/json", "application/octet-stream"] {
        let (parts, mut seen) = mpsc::unbounded_channel();
        let service = service(false, move |request: Request<hyper::body::Incoming>| {
            let parts = parts.clone();
            async move {
                let mut body = request.into_body();
                while let Some(part) = part(&mut body).await {
                    parts.send(part).unwrap();
                }
                Response::new(crate::support::full("ok"))
            }
        })
        .await;
        let (address, notes) = proxy(service.http(), settings).await;
        let (mut sender, request) = channel("/", content_type);
        let asking = tokio::spawn(ask(address, request));
        for text in ["{\"a\"", ": 1}"] {
            sender.send_data(Bytes::from(text)).await.unwrap();
            assert_eq!(tokio::time::timeout(AGES, seen.recv()).await.unwrap().unwrap(), text);
        }
        assert!(notes.wait(1).await[0].truncated, "it was reported before it went on");
        drop(sender);
        assert_eq!(asking.await.unwrap(), (StatusCode::OK, "ok".to_owned()));
    }
}

#[tokio::test]
async fn a_request_in_parts_is_shown_whole_if_it_arrives_soon() {
    let (address, notes) =
        proxy(echo(false).await.http(), Settings { hold_request: AGES, ..Settings::default() }).await;
    let (mut sender, request) = channel("/", "application/json");
    let asking = tokio::spawn(ask(address, request));
    for text in ["{\"a\"", ": 1}"] {
        sender.send_data(Bytes::from(text)).await.unwrap();
    }
    drop(sender);
    assert_eq!(asking.await.unwrap(), (StatusCode::OK, "{\"a\": 1}".to_owned()));
    let messages = notes.wait(2).await;
    assert_eq!((&messages[0].body[..], messages[0].truncated), (&b"{\"a\": 1}"[..], false));
}

#[tokio::test]
async fn a_body_of_the_limit_is_shown_whole() {
    let settings = Settings { body: 1_000, ..Settings::default() };
    for http2 in [false, true] {
        for (length, truncated) in [(1_000, false), (1_001, true)] {
            let (address, notes) = proxy(echo(false).await.http(), settings).await;
            let text = "x".repeat(length);
            let mut request = post("/", text.clone());
            *request.uri_mut() = "http://front.example/".parse().unwrap();
            let answer = Client::new(address, http2).await.ask(request).await;
            assert_eq!(answer, (StatusCode::OK, text.clone()));
            for message in notes.wait(2).await {
                assert_eq!(message.truncated, truncated, "{http2} {length} {:?}", message.direction);
                assert!(truncated || message.body == text);
            }
        }
    }
}

/// Many bytes, no two stretches of which are alike.
fn noise(length: usize) -> Bytes {
    let mut random = Random::new(1);
    std::iter::repeat_with(|| random.number() as u8).take(length).collect()
}

#[tokio::test]
async fn large_bodies_pass_unharmed() {
    let noise = noise(20 << 20);
    for (client_http2, service_http2) in [(false, false), (true, false), (false, true), (true, true)] {
        let service = echo(service_http2).await;
        let upstream = if service_http2 { service.h2c() } else { service.http() };
        let (address, notes) = proxy(upstream, Settings::default()).await;
        let mut request = post("/", noise.clone());
        *request.uri_mut() = "http://front.example/".parse().unwrap();
        let response = Client::new(address, client_http2).await.send(request).await.unwrap();
        let answer = response.into_body().collect().await.unwrap().to_bytes();
        assert!(answer == noise, "{} bytes came back", answer.len());
        let messages = notes.wait(2).await;
        assert!(messages.iter().all(|message| message.truncated && message.body.len() <= 1 << 20 && !message.failed));
    }
}
