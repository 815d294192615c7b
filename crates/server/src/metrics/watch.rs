// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of the watch at the time of a scrape.

use std::fmt;

use gnomon_live::wire::{PropertyRow, WatchState, WatchStatus};
use gnomon_live::{BOUNDS, Live};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// Figures of the watch.
#[derive(Debug)]
pub(crate) struct WatchMetrics {
    pub(crate) status: WatchStatus,
    pub(crate) properties: Vec<PropertyRow>,
    pub(crate) queued: usize,
    /// From acceptance to verdict.
    pub(crate) latency: LatencyCounts,
    /// Of making records durable.
    pub(crate) sync: LatencyCounts,
}

/// Counts of each bucket of [`BOUNDS`] and above, and the sum in microseconds.
type LatencyCounts = (Vec<u64>, u64);

impl WatchMetrics {
    /// Collects the current figures.
    pub(crate) async fn of(live: &Live) -> WatchMetrics {
        WatchMetrics {
            status: live.status(),
            properties: live.properties().await,
            queued: live.queued(),
            latency: live.latency().counts(),
            sync: live.sync_latency().counts(),
        }
    }
}

impl Collector for WatchMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let WatchStatus { events, cases, store, state, .. } = &self.status;
        let mut out = MetricsEncoder(&mut encoder);
        out.gauge("ready", "1 if events are accepted", f64::from(u8::from(*state == WatchState::Running)))?;
        out.gauge("start_time_seconds", "When the watch was started", self.status.since as f64 / 1000.0)?;
        out.counter("events_accepted", "Accepted events", events.accepted)?;
        out.counter("events_journaled", "Accepted events whose records are durable", events.journaled)?;
        out.counter("events_judged", "Events checked", events.judged)?;
        out.gauge("backlog_events", "Accepted events that the evaluation has not reached", events.backlog as f64)?;
        out.gauge("backlog_seconds", "Time since the oldest of them was accepted", events.backlog_seconds)?;
        out.counter("events_late", "Events that came too late", events.late)?;
        out.counter("events_ahead", "Events refused because their times are in the future", events.ahead)?;
        out.counter("events_duplicate", "Events that were sent again", events.duplicates)?;
        out.counter("events_refused", "Events that were refused", events.refused)?;
        out.gauge("events_waiting", "Events that wait for others before them", events.waiting as f64)?;
        out.counter("violations", "Violations found", self.status.violations)?;
        out.gauge("blocked_sessions", "Sessions that are blocked", self.status.blocked as f64)?;
        out.gauge("bindings", "Bindings that have a state", self.status.bindings as f64)?;
        if let Some(cases) = cases {
            out.counter("cases", "Cases seen", cases.total)?;
            out.gauge("cases_open", "Cases in which something is pending", cases.open as f64)?;
            out.gauge("cases_live", "Cases that are open", cases.live as f64)?;
            out.counter("cases_ended", "Cases that an event of the spec ended", cases.ended)?;
            out.counter("cases_expired", "Cases that were silent for too long", cases.expired)?;
            out.counter("cases_evicted", "Cases that were closed at a limit, as inconclusive", cases.evicted)?;
            out.gauge("cases_violating", "Cases that violate some property", cases.violating as f64)?;
        }
        if let Some(store) = store {
            out.gauge("journal_bytes", "Length of the journal", store.journal_bytes as f64)?;
            let waiting = store.last.saturating_sub(store.durable);
            out.gauge("journal_waiting_records", "Records that are not yet durable", waiting as f64)?;
            let since = store.last.saturating_sub(store.snapshot);
            out.gauge("journal_records_since_snapshot", "Records that a restart has to evaluate again", since as f64)?;
        }
        out.gauge("queued_bytes", "Bytes of records that wait for evaluation", self.queued as f64)?;
        out.times("verdict_seconds", "From the acceptance of an event to its verdict", &self.latency)?;
        out.times("sync_seconds", "To make records durable", &self.sync)?;
        let rows =
            |pick: fn(&PropertyRow) -> u64| self.properties.iter().map(move |row| (row.name.as_str(), pick(row)));
        out.by_property("property_violated", "Violations of each property", rows(|row| row.violated))?;
        out.by_property("property_satisfied", "How often each property was satisfied", rows(|row| row.satisfied))?;
        out.by_property("property_activated", "How often each property was activated", rows(|row| row.activated))
    }
}

struct MetricsEncoder<'a, 'b>(&'a mut DescriptorEncoder<'b>);

impl MetricsEncoder<'_, '_> {
    fn counter(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let metric = ConstCounter::new(value);
        metric.encode(self.0.encode_descriptor(name, help, None, metric.metric_type())?)
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) -> fmt::Result {
        let metric = ConstGauge::new(value);
        metric.encode(self.0.encode_descriptor(name, help, None, metric.metric_type())?)
    }

    fn times(&mut self, name: &str, help: &str, (counts, sum): &LatencyCounts) -> fmt::Result {
        let bounds = BOUNDS.iter().map(|micros| *micros as f64 / 1e6).chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds.zip(counts.iter().copied()).collect();
        let mut metric = self.0.encode_descriptor(name, help, None, MetricType::Histogram)?;
        metric.encode_histogram::<NoLabelSet>(*sum as f64 / 1e6, counts.iter().sum(), &buckets, None)
    }

    fn by_property<'p>(&mut self, name: &str, help: &str, rows: impl Iterator<Item = (&'p str, u64)>) -> fmt::Result {
        let kind = ConstCounter::new(0u64).metric_type();
        let mut family = self.0.encode_descriptor(name, help, None, kind)?;
        for (property, value) in rows {
            let metric = ConstCounter::new(value);
            metric.encode(family.encode_family(&[("property", property)])?)?;
        }
        Ok(())
    }
}
