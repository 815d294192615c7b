// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server whose watch restores its state.

use gnomon_live::{Options, TimeSource};
use gnomon_server::ServerOptions;

use crate::client::TestClient;
use crate::service::TestService;
use crate::start::{ServerFolder, TestServer, eventually};

const EVENTS: u64 = 1_000_000;

#[test]
fn while_the_state_is_restored_events_and_messages_pass_and_readiness_reports_progress() {
    let (folder, service) = (ServerFolder::new(), TestService::start(|_| Some("{}".to_owned())));
    let options = |watch: &mut Options, server: &mut ServerOptions| {
        watch.store = Some(folder.0.join("store"));
        watch.time = TimeSource::Arrival;
        server.proxies = vec![format!("shop@127.0.0.1:0=http://{}", service.address).parse().unwrap()];
    };
    let mut server = TestServer::with(options);
    let line = "{\"event\": \"order\", \"id\": 1}\n{\"event\": \"charged\", \"id\": 1}\n";
    for _ in 0..EVENTS / 100_000 {
        server.send(&line.repeat(50_000));
    }
    server.wait_for_events(EVENTS);
    server.stop();
    server.live.close();
    drop(server);
    std::fs::remove_dir_all(folder.0.join("store/snapshots")).unwrap();

    let server = TestServer::restoring(options);
    let ready = server.get("/health/ready");
    assert_eq!(ready.status, 503, "the state is restored so fast that the test needs more events: {}", ready.text());
    assert!(ready.json()["progress"]["records"].as_u64() >= Some(10), "{}", ready.text());
    assert_eq!(server.get("/health/live").status, 200);
    server.send("{\"event\": \"order\", \"id\": 2}\n");
    assert_eq!(TestClient::new(server.proxies()[0]).post("/shop", "{}").status, 200);
    assert_eq!(server.get("/api/v1/status").json()["state"], "starting");
    // Ten records are one step of the progress each, because they are large.
    let mut steps = 0;
    let mut applied = 0;
    eventually("the restored state", || {
        let ready = server.get("/health/ready");
        if ready.status == 503 {
            let now = ready.json()["progress"]["applied"].as_u64().unwrap_or_default();
            steps += usize::from(now > applied);
            applied = now;
        }
        ready.status == 200
    });
    assert!(steps > 0, "the progress stayed at {applied}");
    // With the request and the response.
    server.wait_for_events(EVENTS + 3);
}
