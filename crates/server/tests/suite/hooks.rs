// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hooks are called with the violations they select, and again after failures, also after a restart.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ring::hmac;
use serde_json::{Value, json};

use crate::start::{ServerFolder, TestServer, apart};

/// A received call.
struct ReceivedCall {
    headers: Vec<String>,
    body: Vec<u8>,
}

impl ReceivedCall {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|line| line.to_ascii_lowercase().starts_with(name))?;
        found.split_once(": ").map(|(_, value)| value.trim())
    }

    fn numbers(&self) -> Vec<u64> {
        self.json()["violations"].as_array().unwrap().iter().map(|row| row["number"].as_u64().unwrap()).collect()
    }
}

/// A receiver that responds with these statuses in turn, then with 200.
fn receiver(answers: &'static [&'static str]) -> (String, Receiver<ReceivedCall>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/told", listener.local_addr().unwrap());
    let (sender, calls) = channel();
    std::thread::spawn(move || {
        for (index, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut headers = Vec::new();
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                    break;
                }
                headers.push(line);
            }
            let mut call = ReceivedCall { headers, body: Vec::new() };
            let length = call.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            call.body = vec![0; length];
            let _ = reader.read_exact(&mut call.body);
            let answer = answers.get(index).copied().unwrap_or("200 OK");
            let _ = write!(
                stream,
                "HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\nLocation: http://127.0.0.1:1/\r\n\r\n"
            );
            if sender.send(call).is_err() {
                return;
            }
        }
    });
    (address, calls)
}

fn next(calls: &Receiver<ReceivedCall>) -> ReceivedCall {
    calls.recv_timeout(Duration::from_secs(60)).expect("nobody called")
}

fn add(server: &TestServer, hook: &Value) {
    let answer = server.client().post("/api/v1/hooks", hook.to_string());
    assert_eq!(answer.status, 201, "{}", answer.text());
}

#[test]
fn a_hook_that_fails_is_called_again_until_it_does_not() {
    let server = TestServer::plain();
    server.send(&apart(0..1));
    server.wait_for_violations(1);
    let (url, calls) = receiver(&["500 No", "302 Elsewhere", "404 Gone"]);
    add(&server, &json!({ "url": url, "secret": "s3cret" }));
    server.send(&apart(1..2));
    for _ in 0..4 {
        let call = next(&calls);
        // Violations before the hook was added are not delivered.
        assert_eq!(call.numbers(), [2]);
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"s3cret");
        let signature = call.header("gnomon-signature").and_then(|text| text.strip_prefix("sha256=")).unwrap();
        let pairs = signature.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        let bytes: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
        hmac::verify(&key, &call.body, &bytes).unwrap();
        assert_eq!(
            (&call.json()["spec"], &call.json()["violations"][0]["property"]),
            (&"shop.rv".into(), &"quiet".into())
        );
    }
    server.send(&apart(2..3));
    assert_eq!(next(&calls).numbers(), [3]);
    assert!(server.get("/metrics").text().contains("gnomon_hook_deliveries_total{outcome=\"failed\"} 3"));
}

#[test]
fn repeated_violations_come_together_and_filters_hold() {
    let server = TestServer::with(|watch, _| watch.hook_window = Duration::from_secs(1));
    let (all, all_calls) = receiver(&[]);
    let (high, high_calls) = receiver(&[]);
    let (paid, paid_calls) = receiver(&[]);
    add(&server, &json!({ "url": all }));
    add(&server, &json!({ "url": high, "severity": "high" }));
    add(&server, &json!({ "url": paid, "property": "paid" }));
    let order = "{\"event\": \"order\", \"id\": 1, \"time\": 0}\n";
    server.send(&format!("{order}{}", apart(1..20)));
    let mut received = 0;
    while received < 20 {
        let call = next(&all_calls).json();
        received +=
            call["violations"].as_array().unwrap().len() + usize::try_from(call["repeated"].as_u64().unwrap()).unwrap();
    }
    assert_eq!(received, 20);
    assert!(next(&high_calls).json()["violations"].as_array().unwrap().iter().all(|row| row["property"] == "quiet"));
    assert!(next(&paid_calls).json()["violations"].as_array().unwrap().iter().all(|row| row["property"] == "paid"));
}

#[test]
fn violations_within_the_window_are_one_delivery() {
    let server = TestServer::with(|watch, _| watch.hook_window = Duration::from_secs(2));
    let (url, calls) = receiver(&[]);
    add(&server, &json!({ "url": url }));
    // Four batches, each published separately, over about a second.
    for time in 0..4 {
        server.send(&apart(time..time + 1));
        server.wait_for_violations(time + 1);
        std::thread::sleep(Duration::from_millis(250));
    }
    let call = next(&calls);
    // They belong to one group: the first stands for all.
    assert_eq!((call.numbers(), &call.json()["repeated"]), (vec![1], &3.into()));
    assert_eq!(call.header("gnomon-delivery"), Some("1-4"));
    assert!(calls.recv_timeout(Duration::from_secs(3)).is_err(), "nothing more is due");
    server.send(&apart(4..5));
    assert_eq!(next(&calls).numbers(), [5], "the next window");
}

#[test]
fn muted_violations_are_stored_and_not_sent() {
    let server = TestServer::plain();
    let (url, calls) = receiver(&[]);
    add(&server, &json!({ "url": url }));
    assert_eq!(server.client().post("/api/v1/mutes", r#"{"property": "quiet"}"#).status, 201);
    let order = "{\"event\": \"order\", \"id\": 1, \"time\": 0}\n{\"event\": \"refund\", \"time\": 1}\n{\"event\": \"x\", \"time\": 9}\n";
    server.send(order);
    server.wait_for_violations(2);
    let call = next(&calls).json();
    assert!(call["violations"].as_array().unwrap().iter().all(|row| row["property"] == "paid"), "{call}");
    assert_eq!(server.get("/api/v1/violations?property=quiet").json()["violations"].as_array().unwrap().len(), 1);
}

#[test]
fn pending_deliveries_are_sent_after_a_restart() {
    let folder = ServerFolder::new();
    let start = || TestServer::with(|watch, _| watch.store = Some(folder.0.clone()));
    let (url, calls) = receiver(&["500 Not now", "500 Not now", "500 Not now"]);
    {
        let server = start();
        add(&server, &json!({ "url": url }));
        server.send(&apart(0..1));
        assert_eq!(next(&calls).numbers(), [1]);
    }
    let server = start();
    let numbers = std::iter::repeat_with(|| next(&calls)).take(3).map(|call| call.numbers()).collect::<Vec<_>>();
    assert_eq!(numbers, [[1], [1], [1]]);
    drop(server);
}
