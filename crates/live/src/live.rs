// SPDX-License-Identifier: MIT OR Apache-2.0
//! The handle of a running watch, and the queries it answers.
//!
//! Queries that need the monitors run on the evaluator's thread, between two records, so they see a consistent state; those that would
//! stop it for long run on a replica. All others read state that the evaluator publishes, or the history, and do not delay the evaluation.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_core::value::Value;
use gnomon_core::verdict::End;
use gnomon_report::numbers::counted;
use gnomon_run::compile::{CompileLimits, CompiledSpec, compile_within};
use gnomon_run::online::case_value;
use gnomon_store::{HistoryReader, Journal, Snapshots};
use tokio::sync::{Semaphore, broadcast, oneshot};

use crate::dry_run;
use crate::evaluator::{Evaluator, Settings};
use crate::event::NewEvent;
use crate::extern_poller::ExternPoller;
use crate::intake::{Sequencer, stopping};
use crate::options::{Options, TimeSource};
use crate::record::{ControlRecord, Policy};
use crate::render;
use crate::rows;
use crate::shared::{EvaluatorReport, Latency, SharedState, lock};
use crate::submit_error::SubmitError;
use crate::wire::{
    AheadRow, Block, EventCounts, EventRow, LateRow, Notification, PropertyRow, SpecReplacement, SpecStatus,
    StoreStatus, TimeStatus, WatchState, WatchStatus,
};
use crate::worker::WorkItem;

/// A running watch. Clones share the same watch.
#[derive(Clone)]
pub struct Live {
    pub(crate) inner: Arc<LiveInner>,
}

/// The state that all clones of [`Live`] share.
pub(crate) struct LiveInner {
    pub(crate) options: Options,
    pub(crate) settings: Settings,
    pub(crate) policy: Policy,
    /// Silence after which a case is over, unless the spec declares it.
    pub(crate) case_expiry: Option<gnomon_core::time::Duration>,
    pub(crate) shared: Arc<SharedState>,
    pub(crate) sequencer: Mutex<Sequencer>,
    pub(crate) journal: Option<Arc<Journal>>,
    pub(crate) snapshots: Option<Arc<Snapshots>>,
    /// Held by the user of a replica.
    pub(crate) replica: Mutex<()>,
    pub(crate) queue: Sender<WorkItem>,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) history: HistoryReader,
    pub(crate) notification_settings: gnomon_store::NotificationSettings,
    pub(crate) threads: Mutex<Vec<JoinHandle<()>>>,
    /// Reads external variables; `None` if the watch has no sources for them.
    pub(crate) extern_poller: Option<Mutex<ExternPoller>>,
    /// Start of the watch, in milliseconds since 1970.
    pub(crate) since: i64,
    pub(crate) properties: Mutex<Option<CountedProperties>>,
    /// Held while the outcomes are counted for a client.
    pub(crate) counting: tokio::sync::Mutex<()>,
    /// True if events are accepted while the state is restored: they need no values of external variables.
    pub(crate) accepts_early: bool,
    /// Folder of a history that is removed when the watch ends: there is no store.
    pub(crate) temp_history: Option<std::path::PathBuf>,
}

/// The last outcome of each property that was asked for.
#[derive(Clone)]
pub(crate) struct CountedProperties {
    rows: Vec<PropertyRow>,
    valid_until: Instant,
}

/// Time for which outcomes that are not valid any more are returned while those of a large state are counted.
const STALE: Duration = Duration::from_secs(60);

/// Selects recent events.
#[derive(Clone, Debug, Default)]
pub struct EventQuery {
    /// Maximum number of events.
    pub limit: usize,
    /// Only events with a smaller index.
    pub before: Option<u64>,
    /// Only events with this name.
    pub event: Option<String>,
    /// Only events of this case.
    pub case: Option<String>,
    /// Only events that revealed a violation.
    pub violated_only: bool,
    /// Only events with this text in the name or in a field.
    pub text: Option<String>,
}

/// An event name that the spec declares or that occurred recently.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct EventSummary {
    /// Name of the event.
    pub name: String,
    /// Names of its fields.
    pub fields: Vec<String>,
    /// Number of recent events with this name.
    pub count: u64,
    /// True if the spec declares it.
    pub declared: bool,
}

/// Result of evaluating recent events with another spec.
#[derive(Debug)]
pub struct DryRun {
    /// Errors and warnings about the spec.
    pub diagnostics: Vec<Diagnostic>,
    /// Outcomes of the properties as a JSON list; `None` if the spec has errors.
    pub properties: Option<String>,
    /// Number of events evaluated.
    pub events: usize,
}

impl Live {
    /// Returns the current state and figures of the watch.
    pub fn status(&self) -> WatchStatus {
        let inner = &self.inner;
        let shared = &inner.shared;
        let (state, note) = lock(&shared.state).clone();
        let report = lock(&shared.report).clone();
        let warnings = warnings(&report);
        let backlog = lock(&shared.backlog).counts();
        let spec = shared.spec();
        let kind = report.date_times.map(|date_times| if date_times { "datetime" } else { "number" });
        let store = inner.journal.as_ref().map(|journal| StoreStatus {
            path: inner.options.store.as_deref().unwrap_or(Path::new("")).display().to_string(),
            journal_bytes: journal.bytes(),
            durable: shared.durable(),
            last: journal.last(),
            snapshot: shared.snapshot.load(Ordering::Relaxed),
        });
        WatchStatus {
            gnomon: env!("CARGO_PKG_VERSION"),
            state,
            note,
            since: inner.since,
            spec: SpecStatus { name: spec.name, revision: spec.revision, properties: spec.compiled.properties.len() },
            time: TimeStatus {
                source: inner.settings.time.word(),
                kind,
                unit: spec.compiled.spec.time.unit.map(|unit| unit.to_string()),
                lateness: match inner.options.lateness {
                    Some(lateness) => lateness.to_string(),
                    None if inner.settings.time == TimeSource::Event && report.date_times == Some(true) => {
                        "250ms".to_owned()
                    }
                    None => "0".to_owned(),
                },
                now: report.now,
                first: report.first,
                last: report.last,
            },
            events: EventCounts {
                accepted: backlog.accepted,
                journaled: backlog.journaled,
                backlog: backlog.events,
                backlog_seconds: backlog.age.as_secs_f64(),
                duplicates: shared.duplicates.load(Ordering::Relaxed),
                refused: shared.refused.load(Ordering::Relaxed),
                ..report.events
            },
            cases: report.cases,
            violations: report.violations,
            blocked: shared.blocks.read().unwrap_or_else(PoisonError::into_inner).len(),
            bindings: report.bindings,
            store,
            warnings,
            late: report.late,
            ahead: report.ahead,
        }
    }

    /// Returns the condition of the watch, and the reason for it.
    pub fn state(&self) -> (WatchState, Option<String>) {
        lock(&self.inner.shared.state).clone()
    }

    /// Returns the number of records that were applied while the state is restored, and of all that must be; `None` once it is restored.
    pub fn restoring(&self) -> Option<(u64, u64)> {
        let is_restored = lock(&self.inner.sequencer).is_restored;
        let records = self.inner.journal.as_ref().map_or(0, |journal| journal.last());
        (!is_restored).then(|| (self.inner.shared.restored.load(Ordering::Relaxed), records))
    }

    /// Returns the number of bytes of records that wait for the evaluator.
    pub fn queued(&self) -> usize {
        self.inner.shared.queued.load(Ordering::Relaxed)
    }

    /// Returns the times from acceptance of an event to its verdict.
    pub fn latency(&self) -> &Latency {
        &self.inner.shared.latency
    }

    /// Returns the times it took to make records durable.
    pub fn sync_latency(&self) -> &Latency {
        &self.inner.shared.sync_latency
    }

    /// Returns the outcome of each property so far. Cached for at least 400 ms, because counting interrupts the evaluator, or for a large
    /// state takes a replica.
    pub async fn properties(&self) -> Vec<PropertyRow> {
        let known = lock(&self.inner.properties).clone();
        if let Some(known) = known.as_ref().filter(|known| Instant::now() < known.valid_until) {
            return known.rows.clone();
        }
        // Not dropped with the request.
        let counted = tokio::spawn(self.clone().count_properties());
        match known.filter(|known| Instant::now() < known.valid_until + STALE && self.inner.is_large()) {
            Some(known) => known.rows,
            None => counted.await.unwrap_or_default(),
        }
    }

    async fn count_properties(self) -> Vec<PropertyRow> {
        let _only = self.inner.counting.lock().await;
        if let Some(known) = &*lock(&self.inner.properties)
            && Instant::now() < known.valid_until
        {
            return known.rows.clone();
        }
        let (rows, pause) = self.count(rows::properties).await.unwrap_or_default();
        let valid = pause.clamp(Duration::from_millis(400), Duration::from_secs(60));
        let counted = CountedProperties { rows: rows.clone(), valid_until: Instant::now() + valid };
        *lock(&self.inner.properties) = Some(counted);
        rows
    }

    /// Returns the JSON report that `gnomon check` would print for the events evaluated so far.
    pub async fn report(&self, complete: bool) -> String {
        // One at a time: each may take a replica.
        let _only = self.inner.counting.lock().await;
        let end = if complete { End::Complete } else { End::Prefix };
        let report = self.count(move |evaluator| rows::report(evaluator, end)).await;
        report.map(|(report, _)| report).unwrap_or_default()
    }

    /// Runs a query that counts outcomes: between two records, or on a replica if that would stop the evaluation for long. Also returns
    /// the time to wait before it is repeated.
    async fn count<T: Send + 'static>(
        &self,
        query: impl Fn(&Evaluator) -> T + Copy + Send + 'static,
    ) -> Option<(T, Duration)> {
        if self.inner.is_large() {
            let through = self.ask(|evaluator| evaluator.state.sequence).await?;
            let inner = self.inner.clone();
            let on_replica = move || {
                let begun = Instant::now();
                let counted = inner.with_replica(through, |replica| query(&replica))?;
                Some((counted, 10 * begun.elapsed()))
            };
            if let Ok(Some(counted)) = tokio::task::spawn_blocking(on_replica).await {
                return Some(counted);
            }
        }
        let between_records = move |evaluator: &mut Evaluator| {
            let begun = Instant::now();
            (query(evaluator), 100 * begun.elapsed())
        };
        self.ask(between_records).await
    }

    /// Runs a query on the evaluator's thread, between two records.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Evaluator) -> T + Send + 'static,
    ) -> Option<T> {
        if !lock(&self.inner.sequencer).is_restored {
            return None;
        }
        let (reply, answer) = oneshot::channel();
        let ask = WorkItem::Ask(Box::new(move |evaluator| {
            let _ = reply.send(question(evaluator));
        }));
        self.inner.queue.send(ask).ok()?;
        answer.await.ok()
    }

    /// Returns recent events, newest first.
    pub fn events(&self, query: &EventQuery) -> Vec<EventRow> {
        let names = self.property_names();
        let time_format = self.time_format();
        let ring = lock(&self.inner.shared.ring);
        let mut rows = Vec::new();
        for entry in ring.newest() {
            let Some(view) = entry.view() else { continue };
            let fits = query.before.is_none_or(|before| entry.index < before)
                && query.event.as_deref().is_none_or(|event| event == view.name)
                && query.case.as_deref().is_none_or(|case| entry.case.as_deref() == Some(case))
                && (!query.violated_only || !entry.violated.is_empty());
            if !fits {
                continue;
            }
            if let Some(row) = render::event_row(entry, time_format, &names) {
                let has_text = |text: &String| row.event.contains(text) || row.fields.get().contains(text.as_str());
                if query.text.as_ref().is_none_or(has_text) {
                    rows.push(row);
                }
            }
            if rows.len() >= query.limit {
                break;
            }
        }
        rows
    }

    fn property_names(&self) -> Vec<String> {
        self.inner.shared.spec().compiled.properties().map(|property| property.name.clone()).collect()
    }

    fn time_format(&self) -> gnomon_report::numbers::TimeFormat {
        let date_times = lock(&self.inner.shared.report).date_times;
        rows::time_format(&self.inner.shared.spec().compiled, date_times)
    }

    /// Subscribes to notifications from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Notification> {
        self.inner.shared.notifications.subscribe()
    }

    /// Returns a reader of the stored violations and statistics.
    pub fn history(&self) -> HistoryReader {
        self.inner.history.clone()
    }

    /// Returns access to mutes, hooks and outcomes of deliveries.
    pub fn notification_settings(&self) -> gnomon_store::NotificationSettings {
        self.inner.notification_settings.clone()
    }

    /// Returns true if the session of an event depends on its reader, because its value is a list or an object, and a critical property
    /// may block sessions. A repeated element of XML is a list.
    pub fn has_ambiguous_session(&self, event: &NewEvent) -> bool {
        let field = self.inner.settings.session_field();
        let value = field.and_then(|field| case_value(event, field));
        let blocks = || self.compiled().properties().any(|property| property.options.critical);
        matches!(value, Some(Value::List(_) | Value::Map(_))) && blocks()
    }

    /// Returns the blocked sessions.
    pub fn blocks(&self) -> Vec<Block> {
        self.inner.shared.blocks.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Unblocks a session. Returns false if it was not blocked.
    pub async fn release(&self, id: u64) -> Result<bool, SubmitError> {
        if !self.blocks().iter().any(|block| block.id == id) {
            return Ok(false);
        }
        self.control(&ControlRecord::Release { id }, &[]).await?;
        Ok(true)
    }

    /// Returns name, text and revision of the spec. The first revision is 1.
    pub fn spec(&self) -> (String, String, u64) {
        let spec = self.inner.shared.spec();
        (spec.name, spec.compiled.source.clone(), spec.revision)
    }

    /// Returns the compiled spec.
    pub fn compiled(&self) -> Arc<CompiledSpec> {
        self.inner.shared.spec().compiled
    }

    /// Replaces the spec. Properties whose meaning did not change keep their state.
    pub async fn replace_spec(&self, text: String) -> Result<Result<SpecReplacement, Vec<Diagnostic>>, SubmitError> {
        let name = self.inner.shared.spec().name;
        let compile = {
            let (name, text) = (name.clone(), text.clone());
            move || compile_within(&name, &text, &CompileLimits::CLIENT)
        };
        // It may take seconds.
        let Ok((compiled, diagnostics)) = tokio::task::spawn_blocking(compile).await else { return Err(stopping()) };
        let Some(compiled) = compiled.filter(|_| diagnostics.iter().all(|one| one.severity != Severity::Error)) else {
            return Ok(Err(diagnostics));
        };
        let reads = self.first_reads(compiled).await;
        self.control(&ControlRecord::Spec { name, text }, &reads).await?;
        let change = self
            .ask(|evaluator| (evaluator.last_change.clone(), evaluator.state.revision))
            .await
            .ok_or_else(stopping)?;
        let (change, revision) = change;
        let change = change.unwrap_or_default();
        Ok(Ok(SpecReplacement { revision, kept: change.kept, begun: change.begun, ended: change.ended }))
    }

    /// Reads external variables that the new spec uses and the old one did not.
    async fn first_reads(&self, compiled: CompiledSpec) -> Vec<ControlRecord> {
        let inner = self.inner.clone();
        let ask = move || inner.extern_poller.as_ref().map(|extern_poller| lock(extern_poller).ask(&compiled));
        tokio::task::spawn_blocking(ask).await.ok().flatten().unwrap_or_default()
    }

    /// Evaluates recent events with another spec, without any effect on the watch.
    pub fn dry_run(&self, text: &str) -> DryRun {
        let (name, time_format) = (self.inner.shared.spec().name, self.time_format());
        let externs = lock(&self.inner.shared.report).externs.clone();
        dry_run::try_out(&name, text, &self.inner.shared.ring, time_format, self.inner.settings.by.as_deref(), &externs)
    }

    /// Lists the events that the spec declares and those that occurred recently.
    pub fn catalogue(&self) -> Vec<EventSummary> {
        dry_run::catalogue(&self.compiled(), &lock(&self.inner.shared.ring))
    }
}

/// Returns the sentences about what an operator should look at.
fn warnings(report: &EvaluatorReport) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(last) = report.ahead.last() {
        let (count, AheadRow { event, ahead, .. }) = (counted(report.events.ahead, "event"), last);
        warnings.push(format!(
            "{count} from the future refused, the last `{event}`, {ahead} ahead of its arrival; set the clock of its sender, \
             or allow more with `--max-ahead`"
        ));
    }
    if let Some(last) = report.late.last() {
        let (count, LateRow { event, behind, .. }) = (counted(report.events.late, "event"), last);
        warnings.push(format!(
            "{count} too late to be evaluated, the last `{event}`, {behind} behind; set the clocks of the senders, \
             or wait longer with `--lateness`"
        ));
    }
    warnings
}
