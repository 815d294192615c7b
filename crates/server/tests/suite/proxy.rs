// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages through a proxy: evaluated on their way, and refused after a critical violation until the session is
//! unblocked.

use gnomon_live::{BlockBy, Options, TimeSource};
use gnomon_proxy::adapt::Adapters;
use gnomon_server::ServerOptions;
use serde_json::{Value, json};

use crate::client::{HttpResponse, TestClient};
use crate::judged::{check, exported, watched};
use crate::service::TestService;
use crate::start::{ServerFolder, TestServer, eventually};

const PAID: &str = "event ship(order)\nevent pay(order)\n\n\
    mtl paid \"Only what is paid is shipped\" (severity high, critical) { forall order. G(ship(order) -> P pay(order)) }\n\
    mtl answered { G !response[failed = true] }\n";

/// Starts a watch with arrival times and a proxy in front of this service.
fn watching(spec: &str, service: &TestService, change: impl FnOnce(&mut Options, &mut ServerOptions)) -> TestServer {
    TestServer::with(|watch, options| {
        spec.clone_into(&mut watch.spec_text);
        watch.time = TimeSource::Event;
        watch.block_by = BlockBy::Field("order".to_owned());
        options.proxies = vec![format!("client:shop@127.0.0.1:0=http://{}", service.address).parse().unwrap()];
        change(watch, options);
    })
}

fn send(server: &TestServer, body: &str) -> HttpResponse {
    TestClient::new(server.proxies()[0]).post("/shop", body)
}

fn message(kind: &str, order: &str) -> String {
    json!({"type": kind, "order": order}).to_string()
}

#[test]
fn a_session_is_stopped_until_it_is_released() {
    let folder = ServerFolder::new();
    let service = TestService::start(|body| Some(body.replace("pay", "paid").replace("ship", "shipped")));
    let server = watching(PAID, &service, |watch, _| watch.store = Some(folder.0.clone()));
    for kind in ["pay", "ship"] {
        let answer = send(&server, &message(kind, "a"));
        assert_eq!((answer.status, answer.json()["order"].as_str()), (200, Some("a")));
    }
    assert_eq!(service.asked(), 2);

    let answer = send(&server, &message("ship", "b"));
    let detail = answer.problem(409);
    assert!(detail.contains("`b`") && detail.contains("`paid`") && detail.contains("violation 1"), "{detail}");
    let document = answer.json();
    assert_eq!(document["title"], "the session is stopped");
    assert_eq!(
        (&document["property"], &document["violation"], &document["key"]),
        (&json!("paid"), &json!(1), &json!("b"))
    );
    // The service received neither this message nor any other of the session.
    send(&server, &message("pay", "b")).problem(409);
    assert_eq!(service.asked(), 2);
    assert_eq!(send(&server, &message("pay", "c")).status, 200);

    let release = document["release"].as_str().unwrap().strip_prefix("DELETE ").unwrap();
    assert_eq!(server.get("/api/v1/blocks").json()[0]["key"], "b");
    assert_eq!(server.client().request("DELETE", release, b"").status, 204);
    assert_eq!(send(&server, &message("pay", "b")).status, 200);
    assert_eq!(send(&server, &message("ship", "b")).status, 200);
    assert_eq!(service.asked(), 5);

    let metrics = server.get("/metrics").text();
    for (outcome, count) in [("judged", 10), ("refused", 2)] {
        let line = format!("gnomon_proxy_messages_total{{proxy=\"shop\",outcome=\"{outcome}\"}} {count}");
        assert!(metrics.contains(&line), "{line}: {metrics}");
    }
    // The message that blocked its session was accepted, the one behind it was not.
    assert!(metrics.contains("gnomon_ingest_accepted_events_total{origin=\"proxy\"} 11"), "{metrics}");
    let events = server.get("/api/v1/events?limit=1").json();
    let fields = &events[0]["fields"];
    assert_eq!(
        (&events[0]["event"], &fields["source"], &fields["destination"]),
        (&json!("shipped"), &json!("shop"), &json!("client"))
    );
    // `check` reports the same for the export.
    eventually("the disk", || exported(&server).lines().filter(|line| line.contains("\"event\"")).count() >= 11);
    assert_eq!(check(PAID, "export.ndjson", &exported(&server), false), watched(&server, false));
}

#[test]
fn an_answer_that_violates_is_replaced() {
    const SOAP: &str =
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>BODY</s:Body></s:Envelope>";
    let spec = "mtl lost (critical) { G !refused }\n";
    let service = TestService::start(|body| Some(body.replace("search>", "found>").replace("cancel>", "refused>")));
    let server = watching(spec, &service, |watch, _| watch.block_by = BlockBy::All);
    let answer = send(&server, &SOAP.replace("BODY", "<p:search>tea</p:search>"));
    assert_eq!((answer.status, answer.text()), (200, SOAP.replace("BODY", "<p:found>tea</p:found>")));
    let answer = send(&server, &SOAP.replace("BODY", "<p:cancel>7</p:cancel>"));
    assert!(answer.problem(409).contains("everything is stopped"));
    assert_eq!(answer.json()["key"], Value::Null);
    assert_eq!(service.asked(), 2);
    send(&server, &SOAP.replace("BODY", "<p:search>tea</p:search>")).problem(409);
    assert_eq!(service.asked(), 2);
    let names: Vec<String> = server
        .live
        .events(&gnomon_live::EventQuery { limit: 9, ..Default::default() })
        .into_iter()
        .map(|row| row.event)
        .collect();
    assert_eq!(names, ["refused", "cancel", "found", "search"]);
}

#[test]
fn a_failing_service_is_reported_and_others_continue() {
    let failing = TestService::start(|body| (!body.contains("bad")).then(|| "{}".to_owned()));
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = watching(PAID, &failing, |_, options| {
        options.proxies.push(format!("127.0.0.1:0=http://{gone}").parse().unwrap());
    });
    send(&server, "bad").problem(502);
    TestClient::new(server.proxies()[1]).get("/").problem(502);
    assert_eq!(send(&server, &message("pay", "a")).status, 200);
    server.wait_for_violations(2);
    let row = &server.get("/api/v1/violations").json()["violations"][0];
    assert_eq!(row["property"], "answered");
}

#[test]
fn what_cannot_be_judged_is_passed_on_and_counted() {
    let service = TestService::start(|_| Some("{}".to_owned()));
    let server = watching(PAID, &service, |watch, _| watch.time = TimeSource::Replay);
    // From here on times are numbers, and a message has none.
    server.send("{\"event\": \"pay\", \"order\": \"a\", \"time\": 1}\n");
    assert_eq!(send(&server, &message("ship", "b")).status, 200);
    assert_eq!(service.asked(), 1);
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("gnomon_proxy_messages_total{proxy=\"shop\",outcome=\"unjudged\"} 2"), "{metrics}");
    server.wait_for_events(1);
}

#[test]
fn adapters_say_what_a_message_is() {
    let service = TestService::start(|_| Some("done".to_owned()));
    let rules = "[[rule]]\ndirection = \"response\"\nskip = true\n\
                 [[rule]]\nmethod = \"PUT\"\npath = \"/orders/{order}/shipped\"\nname = \"ship\"\n";
    let server = watching(PAID, &service, |_, options| options.adapters = Adapters::parse(rules).unwrap());
    let client = TestClient::new(server.proxies()[0]);
    assert_eq!(client.get("/orders/7").status, 200);
    assert!(client.request("PUT", "/orders/7/shipped", b"").problem(409).contains("`7`"));
    assert_eq!(client.request("PUT", "/orders/7/else", b"").status, 200);
    assert_eq!(service.asked(), 2);
    let long = format!("{{\"type\": \"pay\", \"order\": 8, \"note\": \"{}\"}}", "x".repeat(200_000));
    assert_eq!(send(&server, &long).status, 200);
    assert_eq!(client.request("PUT", "/orders/8/shipped", b"").status, 200);
}

#[test]
fn a_proxy_that_cannot_start_says_why() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (live, _) = gnomon_live::Live::open(Options::new("shop.rv", PAID)).unwrap();
    let occupied = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    for (route, expected) in [
        (format!("{}=http://127.0.0.1:1", occupied.local_addr().unwrap()), "cannot listen"),
        ("0.0.0.0:0=http://127.0.0.1:1".to_owned(), "forwards for everyone"),
    ] {
        let options = ServerOptions { proxies: vec![route.parse().unwrap()], ..ServerOptions::local() };
        let error =
            runtime.block_on(gnomon_server::serve(live.clone(), options)).err().expect("it started").to_string();
        assert!(error.contains(expected) && error.contains(&route), "{error}");
    }
    live.close();
}
