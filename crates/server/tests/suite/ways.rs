// SPDX-License-Identifier: MIT OR Apache-2.0
//! One trace over all interfaces: OTLP, HTTP, TCP and proxy evaluate it as `check` does.

use std::io::{Read, Write};

use gnomon_proxy::adapt::Adapters;
use serde_json::Value;

use crate::client::{TestClient, connect};
use crate::judged::{check, exported, watched, without_times};
use crate::service::TestService;
use crate::spans;
use crate::start::{ServerFolder, TestServer, eventually};

/// A property that does not depend on the speed of messages.
const SPEC: &str = "time in s\n\n\
    event charge_start(id) = charge[EventType = \"start\", order.id as id]\n\
    event charge_end(id) = charge[EventType = \"end\", order.id as id]\n\
    event answered(id) = answered[id as id]\n\n\
    mtl charged { forall id. G(answered(id) -> P charge_end(id)) }\n\
    mtl answers { forall id. G(charge_start(id) -> F[0,9h] answered(id)) }\n\
    mtl calm { G(charge_start(_) -> F answered(_)) }\n";

fn server(spec: &str, folder: &ServerFolder, service: &TestService) -> TestServer {
    TestServer::with(|watch, options| {
        spec.clone_into(&mut watch.spec_text);
        watch.store = Some(folder.0.clone());
        options.otlp = vec!["127.0.0.1:0".parse().unwrap()];
        options.tcp = Some("127.0.0.1:0".parse().unwrap());
        options.proxies = vec![format!("127.0.0.1:0=http://{}", service.address).parse().unwrap()];
        options.adapters = Adapters::parse("[[rule]]\ndirection = \"response\"\nskip = true\n").unwrap();
    })
}

/// An export in which some charges never end.
fn cut_export() -> Value {
    let mut export = spans::export(30);
    let spans = export["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array_mut().unwrap();
    for span in spans.iter_mut().skip(1).step_by(14) {
        span.as_object_mut().unwrap().remove("endTimeUnixNano");
    }
    export
}

#[test]
fn one_trace_by_all_ways() {
    let service = TestService::start(|_| Some(String::new()));
    for spec in [SPEC, spans::SPEC] {
        let export = cut_export().to_string();
        let expected = [false, true].map(|is_complete| check(spec, "spans.otlp", &export, is_complete));
        assert!(expected[1].to_string().contains("\"violated\""), "{}", expected[1]);

        let folder = ServerFolder::new();
        let by_otlp = server(spec, &folder, &service);
        let client = TestClient::new(by_otlp.otlp()[0]).header("Content-Type", "application/json");
        assert_eq!(client.post("/v1/traces", &export).status, 200);
        by_otlp.wait_for_events(145);
        assert_eq!([false, true].map(|is_complete| watched(&by_otlp, is_complete)), expected);
        let lines = exported(&by_otlp);
        assert_eq!(lines.lines().count(), 145);

        let folder = ServerFolder::new();
        let by_http = server(spec, &folder, &service);
        for part in lines.split_inclusive('\n').collect::<Vec<_>>().chunks(20) {
            by_http.send(&part.concat());
        }
        by_http.wait_for_events(145);
        assert_eq!([false, true].map(|is_complete| watched(&by_http, is_complete)), expected);

        let folder = ServerFolder::new();
        let by_tcp = server(spec, &folder, &service);
        let mut stream = connect(by_tcp.tcp());
        stream.write_all(lines.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        by_tcp.wait_for_events(145);
        assert_eq!([false, true].map(|is_complete| watched(&by_tcp, is_complete)), expected);
    }
}

#[test]
fn the_same_messages_through_a_proxy() {
    let service = TestService::start(|_| Some(String::new()));
    let folder = ServerFolder::new();
    let server = server(SPEC, &folder, &service);
    let export = cut_export().to_string();
    let by_otlp = {
        let folder = ServerFolder::new();
        let server = self::server(SPEC, &folder, &service);
        let client = TestClient::new(server.otlp()[0]).header("Content-Type", "application/json");
        assert_eq!(client.post("/v1/traces", &export).status, 200);
        server.wait_for_events(145);
        exported(&server)
    };
    for line in by_otlp.lines() {
        let mut message: Value = serde_json::from_str(line).unwrap();
        message.as_object_mut().unwrap().remove("time");
        assert_eq!(TestClient::new(server.proxies()[0]).post("/", message.to_string()).status, 200);
    }
    assert_eq!(service.asked(), 145);
    for is_complete in [false, true] {
        let expected = without_times(check(SPEC, "spans.otlp", &export, is_complete));
        assert_eq!(without_times(watched(&server, is_complete)), expected);
    }
    // With its own times, the result equals `check` on the log.
    eventually("the disk", || exported(&server).lines().count() == 145);
    assert_eq!(check(SPEC, "export.ndjson", &exported(&server), true), watched(&server, true));
}
