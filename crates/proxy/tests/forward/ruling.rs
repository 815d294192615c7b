// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages that the tap refuses are not forwarded.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use gnomon_proxy::{MessageDirection, Ruling, Settings, TappedMessage};
use http_body_util::{BodyExt, Channel};
use hyper::{Response, StatusCode};

use crate::support::{Client, Notes, ask, echo, get, post, proxy_with, refuse, service};

fn refuses(direction: MessageDirection) -> Notes {
    Notes::new(
        move |message: &TappedMessage| if message.direction == direction { refuse("{\"no\":1}") } else { Ruling::Pass },
    )
}

#[tokio::test]
async fn a_refused_request_never_reaches_the_service() {
    for length in [3, 2 << 20] {
        let (service, notes) = (echo(false).await, refuses(MessageDirection::Request));
        let address = proxy_with(service.http(), Settings::default(), notes.clone()).await;
        let response = Client::new(address, false).await.send(post("/", vec![b'x'; length])).await.unwrap();
        assert_eq!(response.status(), StatusCode::CONFLICT);
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "{\"no\":1}");
        assert_eq!(service.connections.load(Ordering::Relaxed), 0);
        assert_eq!(notes.all().len(), 1, "it has no response");
    }
}

#[tokio::test]
async fn a_refused_response_is_replaced() {
    for http2 in [false, true] {
        let notes = refuses(MessageDirection::Response);
        let address = proxy_with(echo(false).await.http(), Settings::default(), notes.clone()).await;
        let mut client = Client::new(address, http2).await;
        for _ in 0..2 {
            let mut request = post("/", "secret");
            *request.uri_mut() = "http://front.example/".parse().unwrap();
            assert_eq!(client.ask(request).await, (StatusCode::CONFLICT, "{\"no\":1}".to_owned()));
        }
        assert_eq!(notes.all().len(), 4);
    }
}

#[tokio::test]
async fn a_response_that_is_under_way_is_cut_before_its_end() {
    let service = service(false, |request| async move {
        let (mut sender, body) = Channel::<Bytes, Box<dyn std::error::Error + Send + Sync>>::new(8);
        let is_long = request.uri().path() == "/long";
        tokio::spawn(async move {
            let part = if is_long { Bytes::from(vec![b'x'; 1 << 20]) } else { Bytes::from("part") };
            for _ in 0..3 {
                sender.send_data(part.clone()).await.unwrap();
            }
        });
        Response::builder().header("content-type", "application/octet-stream").body(body.boxed()).unwrap()
    })
    .await;
    for path in ["/short", "/long"] {
        let notes = refuses(MessageDirection::Response);
        let settings = Settings { hold_response: Duration::ZERO, ..Settings::default() };
        let address = proxy_with(service.http(), settings, notes.clone()).await;
        let response = Client::new(address, false).await.send(get(path)).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.into_body().collect().await.is_err(), "{path}");
        assert!(!notes.response().await.failed);
    }
}

#[tokio::test]
async fn a_tap_that_fails_is_not_passed_by() {
    let notes = Notes::new(|message| {
        assert!(message.path != "/bad", "the tap fails");
        Ruling::Pass
    });
    let service = echo(false).await;
    let address = proxy_with(service.http(), Settings::default(), notes).await;
    assert_eq!(ask(address, get("/bad")).await.0, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(service.connections.load(Ordering::Relaxed), 0);
    assert_eq!(ask(address, get("/good")).await.0, StatusCode::OK);
}
