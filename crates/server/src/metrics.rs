// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `GET /metrics` tells: what this server counts itself, and the numbers of the watch at that moment.

mod watch;

use std::time::Duration;

use axum::http::Method;
use gnomon_live::{Origin, Receipt};
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

pub(crate) use watch::Watched;

/// Names with values. Only values of which there are few: anything else makes as many series.
type Labels = Vec<(&'static str, String)>;
type Counters = Family<Labels, Counter>;

/// What this server counts.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    accepted: Counters,
    duplicates: Counters,
    refused: Counters,
    requests: Counters,
    request_time: Family<Labels, Histogram>,
    connections: Family<Labels, Gauge>,
    ended: Counters,
    hooks: Counters,
    messages: Counters,
    pub(crate) streams: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let metrics = Metrics {
            registry: Registry::default(),
            accepted: Family::default(),
            duplicates: Family::default(),
            refused: Family::default(),
            requests: Family::default(),
            request_time: Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.000_25, 4.0, 9))),
            connections: Family::default(),
            ended: Family::default(),
            hooks: Family::default(),
            messages: Family::default(),
            streams: Gauge::default(),
        };
        metrics.registered()
    }

    fn registered(mut self) -> Metrics {
        let registry = self.registry.sub_registry_with_prefix("gnomon");
        registry.register("ingest_accepted_events", "Events taken in, by their way in", self.accepted.clone());
        registry.register("ingest_duplicate_events", "Events that were sent again", self.duplicates.clone());
        registry.register("ingest_refused_batches", "Batches not taken in, by the reason", self.refused.clone());
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register("http_request_seconds", "Time to the head of the answer", self.request_time.clone());
        registry.register("connections", "Connections that are open", self.connections.clone());
        registry.register("connections_ended", "Connections that ended, by the reason", self.ended.clone());
        registry.register("hook_deliveries", "Calls of hooks, by what came of them", self.hooks.clone());
        let help = "Messages through a proxy, by what became of them: judged, ignored, refused, or passed unjudged";
        registry.register("proxy_messages", help, self.messages.clone());
        registry.register("streams", "Streams of server-sent events that are open", self.streams.clone());
        self
    }

    pub(crate) fn accepted(&self, origin: Origin, receipt: &Receipt) {
        let labels: Labels = vec![("origin", origin_word(origin).to_owned())];
        self.accepted.get_or_create(&labels).inc_by(receipt.accepted);
        self.duplicates.get_or_create(&labels).inc_by(receipt.duplicates);
    }

    pub(crate) fn refused(&self, origin: &str, reason: &str) {
        self.refused.get_or_create(&vec![("origin", origin.to_owned()), ("reason", reason.to_owned())]).inc();
    }

    pub(crate) fn requested(&self, method: &Method, route: &str, status: u16, time: Duration) {
        let method = known_method(method);
        let labels = vec![("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
        self.requests.get_or_create(&labels).inc();
        self.request_time.get_or_create(&vec![("route", route.to_owned())]).observe(time.as_secs_f64());
    }

    pub(crate) fn connection_opened(&self, port: &str) {
        self.connections.get_or_create(&vec![("port", port.to_owned())]).inc();
    }

    pub(crate) fn connection_closed(&self, port: &str) {
        self.connections.get_or_create(&vec![("port", port.to_owned())]).dec();
    }

    pub(crate) fn connection_ended(&self, port: &str, reason: &str) {
        self.ended.get_or_create(&vec![("port", port.to_owned()), ("reason", reason.to_owned())]).inc();
    }

    pub(crate) fn hook_called(&self, outcome: &str) {
        self.hooks.get_or_create(&vec![("outcome", outcome.to_owned())]).inc();
    }

    /// A message came to a proxy.
    pub(crate) fn message(&self, proxy: &str, outcome: &str) {
        self.messages.get_or_create(&vec![("proxy", proxy.to_owned()), ("outcome", outcome.to_owned())]).inc();
    }

    /// Everything as text, in the format of `OpenMetrics`.
    pub(crate) fn text(&self, watched: Watched) -> String {
        let mut of_watch = Registry::with_prefix("gnomon");
        of_watch.register_collector(Box::new(watched));
        let mut out = String::new();
        let written = encode_registry(&mut out, &of_watch)
            .and_then(|()| encode_registry(&mut out, &self.registry))
            .and_then(|()| encode_eof(&mut out));
        written.expect("a string takes all that is written to it");
        out
    }
}

/// Any word can be a method; only known ones are counted apart.
fn known_method(method: &Method) -> &'static str {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS];
    let words = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];
    known.iter().zip(words).find(|(known, _)| *known == method).map_or("other", |(_, word)| word)
}

/// The way that events came in, in a word.
pub(crate) fn origin_word(origin: Origin) -> &'static str {
    match origin {
        Origin::Http => "http",
        Origin::Tcp => "tcp",
        Origin::Otlp => "otlp",
        Origin::Proxy => "proxy",
        Origin::Own => "own",
    }
}
