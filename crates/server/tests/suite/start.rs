// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server under test, with its watch.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gnomon_live::{Live, Options, TimeSource};
use gnomon_server::{HookOptions, RunningServer, ServerOptions, serve};
use tokio::runtime::Runtime;

use crate::client::{HttpResponse, TestClient};

/// Two properties: one decided by a single event, one with a deadline.
pub(crate) const SPEC: &str = "event order(id)\nevent charged(id)\n\n\
    mtl quiet \"Nothing is refunded\" (severity high, critical) { G !refund }\n\
    mtl paid { forall id. G(order(id) -> F[0,5] charged(id)) }\n";

/// A folder that is removed when dropped.
pub(crate) struct ServerFolder(pub(crate) PathBuf);

impl ServerFolder {
    pub(crate) fn new() -> ServerFolder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gnomon-server-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        ServerFolder(path)
    }
}

impl Drop for ServerFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The lines of a log.
#[derive(Clone, Default)]
pub(crate) struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl LogBuffer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A watch with its server.
pub(crate) struct TestServer {
    runtime: Runtime,
    running: Option<RunningServer>,
    pub(crate) live: Live,
}

impl TestServer {
    /// Starts on loopback, without tokens and without a store.
    pub(crate) fn plain() -> TestServer {
        TestServer::with(|_, _| {})
    }

    /// Starts with other options.
    pub(crate) fn with(change: impl FnOnce(&mut Options, &mut ServerOptions)) -> TestServer {
        TestServer::open(change, |watch| Live::open(watch).unwrap().0)
    }

    /// Starts with other options, and does not wait until the state is restored.
    pub(crate) fn restoring(change: impl FnOnce(&mut Options, &mut ServerOptions)) -> TestServer {
        TestServer::open(change, |watch| Live::start(watch).unwrap().0)
    }

    fn open(change: impl FnOnce(&mut Options, &mut ServerOptions), open: impl FnOnce(Options) -> Live) -> TestServer {
        let hook_window = Duration::from_millis(100);
        let mut watch = Options { time: TimeSource::Replay, hook_window, ..Options::new("shop.rv", SPEC) };
        let mut options = ServerOptions { hooks: quick_hooks(), ..ServerOptions::local() };
        change(&mut watch, &mut options);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let live = open(watch);
        let running = runtime.block_on(serve(live.clone(), options)).unwrap();
        TestServer { runtime, running: Some(running), live }
    }

    pub(crate) fn http(&self) -> SocketAddr {
        self.running.as_ref().unwrap().http
    }

    pub(crate) fn tcp(&self) -> SocketAddr {
        self.running.as_ref().unwrap().tcp.unwrap()
    }

    pub(crate) fn otlp(&self) -> &[SocketAddr] {
        &self.running.as_ref().unwrap().otlp
    }

    pub(crate) fn proxies(&self) -> &[SocketAddr] {
        &self.running.as_ref().unwrap().proxies
    }

    pub(crate) fn client(&self) -> TestClient {
        TestClient::new(self.http())
    }

    pub(crate) fn get(&self, path: &str) -> HttpResponse {
        self.client().get(path)
    }

    /// Sends lines of events, which must be accepted.
    pub(crate) fn send(&self, lines: &str) {
        let answer = self.client().post("/api/v1/events", lines);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }

    /// Waits until the watch has published this many violations.
    pub(crate) fn wait_for_violations(&self, count: u64) {
        eventually("violations", || {
            let rows = self.get("/api/v1/violations?limit=1").json();
            rows["violations"][0]["number"].as_u64() >= Some(count)
        });
    }

    /// Waits until this many events are evaluated or late, and checks that there are no more.
    pub(crate) fn wait_for_events(&self, count: u64) {
        eventually("the events", || {
            let events = self.live.status().events;
            events.judged + events.late >= count
        });
        assert_eq!(self.live.status().events.accepted, count);
    }

    pub(crate) fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            self.runtime.block_on(running.stop());
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
        self.live.close();
    }
}

pub(crate) fn quick_hooks() -> HookOptions {
    HookOptions { first_pause: Duration::from_millis(50), timeout: Duration::from_secs(5), ..HookOptions::default() }
}

/// Waits for a condition, at most a minute.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns events of which every second one violates `quiet`: separate violations, because consecutive ones count as
/// one.
pub(crate) fn apart(times: std::ops::Range<u64>) -> String {
    times.fold(String::new(), |lines, time| {
        lines + &refunds(2 * time..2 * time + 1) + &format!("{{\"event\": \"sale\", \"time\": {}}}\n", 2 * time + 1)
    })
}

/// Returns events that violate `quiet`, each with its own time.
pub(crate) fn refunds(times: std::ops::Range<u64>) -> String {
    use std::fmt::Write as _;
    times.fold(String::new(), |mut lines, time| {
        let _ = writeln!(lines, "{{\"event\": \"refund\", \"time\": {time}}}");
        lines
    })
}
