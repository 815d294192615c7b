// SPDX-License-Identifier: MIT OR Apache-2.0
//! The metrics of `GET /metrics`: counters of this server, and the current figures of the watch.

mod watch;

use std::time::Duration;

use axum::http::Method;
use gnomon_live::{Origin, Receipt};
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry};

pub(crate) use watch::WatchMetrics;

/// Labels of a metric. Only values with few variants: every combination is a time series.
type Labels = Vec<(&'static str, String)>;
type Counters = Family<Labels, Counter>;

/// Counters of this server.
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
    unreadable: Counters,
    pub(crate) streams: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::default();
        let gnomon = registry.sub_registry_with_prefix("gnomon");
        let request_time: Family<Labels, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.000_25, 4.0, 9)));
        let messages = "Messages through a proxy, by result: checked, ignored, refused, or forwarded unchecked";
        Metrics {
            accepted: register(gnomon, "ingest_accepted_events", "Accepted events, by transport"),
            duplicates: register(gnomon, "ingest_duplicate_events", "Events that were sent again"),
            refused: register(gnomon, "ingest_refused_batches", "Refused batches, by reason"),
            requests: register(gnomon, "http_requests", "Requests answered"),
            request_time: register_as(gnomon, "http_request_seconds", "Time to the head of the response", request_time),
            connections: register(gnomon, "connections", "Connections that are open"),
            ended: register(gnomon, "connections_ended", "Closed connections, by reason"),
            hooks: register(gnomon, "hook_deliveries", "Calls of hooks, by result"),
            messages: register(gnomon, "proxy_messages", messages),
            unreadable: register(
                gnomon,
                "proxy_unreadable_messages",
                "Messages through a proxy that could not be read",
            ),
            streams: register(gnomon, "streams", "Streams of server-sent events that are open"),
            registry,
        }
    }

    pub(crate) fn accepted(&self, origin: Origin, receipt: &Receipt) {
        let labels: Labels = vec![("origin", origin.word().to_owned())];
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

    /// Counts a message through a proxy.
    pub(crate) fn message(&self, proxy: &str, outcome: &str) {
        self.messages.get_or_create(&vec![("proxy", proxy.to_owned()), ("outcome", outcome.to_owned())]).inc();
    }

    /// Counts a message through a proxy that could not be read.
    pub(crate) fn unreadable(&self, proxy: &str, reason: &str, outcome: &str) {
        let labels = [("proxy", proxy), ("reason", reason), ("outcome", outcome)];
        self.unreadable.get_or_create(&labels.map(|(name, value)| (name, value.to_owned())).to_vec()).inc();
    }

    /// Returns all metrics in the `OpenMetrics` text format.
    pub(crate) fn text(&self, watched: WatchMetrics) -> String {
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

/// Returns the name of a method; arbitrary methods are counted together.
fn known_method(method: &Method) -> &'static str {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS];
    let words = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];
    known.iter().zip(words).find(|(known, _)| *known == method).map_or("other", |(_, word)| word)
}

/// Creates and registers a metric.
fn register<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    register_as(registry, name, help, M::default())
}

fn register_as<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}
