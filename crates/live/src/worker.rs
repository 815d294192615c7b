// SPDX-License-Identifier: MIT OR Apache-2.0
//! The evaluator's thread: applies records in order, and appends a tick when a deadline passes without an event.
//!
//! The thread owns all monitors, so evaluation takes no lock. Each round of its loop waits for a record, at most until the next deadline,
//! applies the records that are queued, for up to 20 ms, and then runs the periodic actions that are due: status, statistics, snapshots.
//!
//! INVARIANT: only records change the state. A deadline that passes becomes a tick in the journal and takes effect when that record is
//! applied, so a replay of the journal finds the same violations without a clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use gnomon_engine::MemoryUse;
use gnomon_report::json::time_text;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::evaluator::{ClockAction, Evaluator, PendingSnapshot};
use crate::live::LiveInner;
use crate::publisher::Findings;
use crate::record::ControlRecord;
use crate::render;
use crate::rows;
use crate::shared::{lock, now};
use crate::wire::{CaseCounts, Notification, WatchState};

/// A task for the evaluator's thread.
pub(crate) enum WorkItem {
    /// Applies the record with this sequence number.
    Record(u64, QueuedRecord),
    /// Runs a query.
    Ask(Box<dyn FnOnce(&mut Evaluator) + Send>),
    /// Ends the thread.
    Stop,
}

/// A record of the journal that waits for the evaluator.
pub(crate) struct QueuedRecord {
    pub(crate) kind: u8,
    pub(crate) record: Arc<Vec<u8>>,
    /// Time of acceptance and number of events.
    pub(crate) accepted_at: Option<(Instant, u32)>,
    pub(crate) reply: Option<oneshot::Sender<()>>,
    /// Capacity of the queue, released once the record is applied (backpressure).
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

/// Longest wait between two checks of the clock.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// Interval between full status reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);
/// Interval between rows of statistics.
const STATISTICS_EVERY: Duration = Duration::from_secs(5);
/// After a pause of the evaluation, the next one of its kind comes at the earliest after this many times its duration.
const RARELY: u32 = 400;
/// Time that findings may take to reach the history before a snapshot is given up.
const LONGEST_PUBLISHING: Duration = Duration::from_secs(60);
/// Maximum age of the newest snapshot, if anything changed since.
const SNAPSHOT_AFTER: Duration = Duration::from_secs(60);
/// Maximum number of cases that one record closes.
const MOST_EVICTED: usize = 50_000;
/// Maximum number of events per second that subscribers receive.
const EVENTS_PER_SECOND: usize = 50;

pub(crate) struct EvaluationWorker {
    pub(crate) evaluator: Evaluator,
    pub(crate) inner: Weak<LiveInner>,
    pub(crate) queue: Receiver<WorkItem>,
    pub(crate) out: SyncSender<Findings>,
    pub(crate) timers: Timers,
}

/// Times and positions of the worker's last periodic actions.
pub(crate) struct Timers {
    reported: Instant,
    reported_events: u64,
    statistics_at: u64,
    next_report: Instant,
    /// Earliest time of the next figures that need a pass over all bindings, and of the next statistics: those of a large state take
    /// long.
    next_measurement: Instant,
    next_statistics: Instant,
    snapshot: Instant,
    snapshot_events: u64,
    snapshot_sequence: u64,
    /// True while a snapshot is written.
    is_writing: Arc<AtomicBool>,
    probed: Instant,
    /// Sequence number of a tick that is appended but not applied yet.
    tick: Option<u64>,
    /// Sequence number of an eviction that is appended but not applied yet.
    eviction: Option<u64>,
    published_until: u64,
    published_count: usize,
}

impl Timers {
    pub(crate) fn new(evaluator: &Evaluator) -> Self {
        let start = Instant::now();
        let events = evaluator.online.event_count();
        Timers {
            reported: start,
            reported_events: events,
            statistics_at: u64::MAX,
            next_report: start,
            next_measurement: start,
            next_statistics: start + STATISTICS_EVERY,
            snapshot: start,
            snapshot_events: events,
            snapshot_sequence: 0,
            is_writing: Arc::default(),
            probed: start,
            tick: None,
            eviction: None,
            published_until: events,
            published_count: 0,
        }
    }
}

impl EvaluationWorker {
    /// Runs until the watch closes.
    pub(crate) fn run(mut self) {
        self.publish(true);
        self.measure();
        loop {
            let pause = self.append_due_tick();
            match self.queue.recv_timeout(pause) {
                Ok(WorkItem::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(work) => self.work(work),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // While records are waiting, the clock can wait: they come before a tick anyway.
            let begun = Instant::now();
            let mut stop = false;
            while begun.elapsed() < Duration::from_millis(20) {
                match self.queue.try_recv() {
                    Ok(WorkItem::Stop) => {
                        stop = true;
                        break;
                    }
                    Ok(work) => self.work(work),
                    Err(_) => break,
                }
            }
            self.run_periodic_actions();
            if stop {
                break;
            }
        }
        // Nothing writes to the store once the watch is closed: another one may use it then.
        while self.timers.is_writing.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.snapshot(true);
    }

    fn work(&mut self, work: WorkItem) {
        match work {
            WorkItem::Record(sequence, QueuedRecord { kind, record, accepted_at, reply, permit }) => {
                let effects = self.evaluator.apply(sequence, kind, &record);
                drop(permit);
                let Some(inner) = self.inner.upgrade() else { return };
                let shared = &inner.shared;
                shared.queued.fetch_sub(record.len(), Ordering::Relaxed);
                lock(&shared.backlog).apply(sequence);
                if effects.blocks_changed {
                    *shared.blocks.write().unwrap_or_else(PoisonError::into_inner) = self.evaluator.blocks();
                }
                if let Some(change) = effects.change {
                    let spec = self.evaluator.current_spec();
                    *shared.spec.write().unwrap_or_else(PoisonError::into_inner) = spec;
                    self.evaluator.last_change = Some(change);
                }
                if let Some((accepted_at, count)) = accepted_at {
                    shared.latency.add(accepted_at, u64::from(count));
                }
                if let Some(reply) = reply {
                    let _ = reply.send(());
                }
                self.timers.tick = self.timers.tick.filter(|tick| *tick > sequence);
                self.timers.eviction = self.timers.eviction.filter(|eviction| *eviction > sequence);
                if !effects.rows.is_empty() {
                    // Backpressure: a publisher that is behind blocks the evaluator, and the evaluator's queue blocks
                    // senders.
                    let _ = self.out.send(Findings { sequence, rows: effects.rows, statistics: vec![] });
                }
            }
            WorkItem::Ask(question) => question(&mut self.evaluator),
            WorkItem::Stop => {}
        }
    }

    /// Appends a tick if one is due. Returns the time until the next look.
    fn append_due_tick(&mut self) -> Duration {
        let now = now();
        match self.evaluator.clock_action(now) {
            ClockAction::Wait(at) => {
                let wait = at.map_or(u64::MAX, |at| u64::try_from(at - now).unwrap_or(0));
                Duration::from_nanos(wait).clamp(Duration::from_millis(1), LONGEST_PAUSE)
            }
            ClockAction::Tick { to, settles } => {
                if self.timers.tick.is_none()
                    && let Some(inner) = self.inner.upgrade()
                {
                    let mut sequencer = lock(&inner.sequencer);
                    let control = ControlRecord::Tick { to, settles, arrival: now };
                    // If the disk is full, the tick is appended later; the deadline is still pending.
                    self.timers.tick = inner.append_control(&mut sequencer, &control, None).ok();
                }
                Duration::from_millis(if self.timers.tick.is_some() { 1 } else { 100 })
            }
        }
    }

    /// Performs the periodic actions that are due.
    fn run_periodic_actions(&mut self) {
        let is_due = Instant::now() >= self.timers.next_report;
        self.publish_events();
        let begun = Instant::now();
        self.publish(is_due);
        self.limit_cases();
        if is_due {
            self.timers.published_count = 0;
            self.timers.next_report = begun + REPORT_EVERY;
            self.probe();
        }
        if begun >= self.timers.next_measurement {
            self.measure();
            self.timers.next_measurement = begun + REPORT_EVERY.max(RARELY * begun.elapsed());
        }
        if begun >= self.timers.next_statistics {
            self.record_statistics();
        }
        self.snapshot(false);
    }

    /// Adds the counts of each property to the history. Those of a large state come with its snapshots.
    fn record_statistics(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let sequence = self.evaluator.state.sequence;
        let begun = Instant::now();
        if self.timers.statistics_at != sequence && !inner.is_large() {
            let statistics = inner.shared.timing_copy(|| rows::statistics(&self.evaluator, now()));
            self.timers.statistics_at = sequence;
            let _ = self.out.send(Findings { sequence, rows: vec![], statistics });
        }
        self.timers.next_statistics = begun + STATISTICS_EVERY.max(RARELY * begun.elapsed());
    }

    /// Updates the figures for [`crate::Live::status`]. `whole` includes those that are updated once a second.
    fn publish(&mut self, whole: bool) {
        let Some(inner) = self.inner.upgrade() else { return };
        let evaluator = &self.evaluator;
        let (time_format, (first, last)) = (evaluator.time_format(), evaluator.online.extent());
        let text = |time| render::raw(time_text(time_format, time).0);
        let stream_now = evaluator.stream_now(now()).map(gnomon_core::time::Timestamp::from_ticks);
        let mut report = lock(&inner.shared.report);
        let has_moved = report.sequence != evaluator.state.sequence;
        report.date_times = report.date_times.or(evaluator.state.date_times);
        report.events.judged = evaluator.online.event_count();
        report.events.waiting = evaluator.waiting() as u64;
        if report.events.late != evaluator.state.late.count {
            report.events.late = evaluator.state.late.count;
            report.late = evaluator.state.late.recent.iter().map(render::late_row).collect();
        }
        if report.events.ahead != evaluator.state.ahead.count {
            report.events.ahead = evaluator.state.ahead.count;
            report.ahead = evaluator.state.ahead.recent.iter().map(render::ahead_row).collect();
        }
        report.violations = evaluator.online.violation_count();
        report.first = first.map(text);
        report.last = last.map(text);
        report.now = stream_now.map(text);
        report.sequence = evaluator.state.sequence;
        if whole {
            let passed = self.timers.reported.elapsed().as_secs_f64();
            let judged = evaluator.online.event_count() - self.timers.reported_events;
            report.events.per_second = if passed > 0.0 { judged as f64 / passed } else { 0.0 };
            report.externs = evaluator.online.externs();
            let violating = report.cases.as_ref().map_or(0, |cases| cases.violating);
            report.cases = evaluator.settings().by.clone().map(|field| CaseCounts {
                field,
                total: evaluator.online.case_count(),
                open: evaluator.online.pending_case_count() as u64,
                violating,
                events_without: evaluator.online.events_without_case(),
                live: evaluator.online.open_case_count() as u64,
                ended: evaluator.online.end_counts().by_event,
                expired: evaluator.online.end_counts().expired,
                evicted: evaluator.online.end_counts().evicted,
            });
            self.timers.reported = Instant::now();
            self.timers.reported_events = evaluator.online.event_count();
        }
        drop(report);
        if whole && (has_moved || self.timers.reported_events > 0) {
            let _ = inner.shared.notifications.send(Notification::Changed);
        }
    }

    /// Updates the figures that need a pass over all bindings, and checks the limits.
    fn measure(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let load = self.evaluator.online.memory_use();
        let violating = self.evaluator.online.violating_case_count() as u64;
        let mut report = lock(&inner.shared.report);
        report.bindings = load.bindings;
        if let Some(cases) = &mut report.cases {
            cases.violating = violating;
        }
        drop(report);
        self.check_limits(&inner, load);
    }

    /// Sends some of the newest events to subscribers.
    fn publish_events(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let judged = self.evaluator.online.event_count();
        let fresh = judged - self.timers.published_until;
        if inner.shared.notifications.receiver_count() == 0 {
            self.timers.published_until = judged;
            return;
        }
        let room = EVENTS_PER_SECOND.saturating_sub(self.timers.published_count);
        if fresh == 0 || room == 0 {
            return;
        }
        let names: Vec<String> =
            self.evaluator.online.compiled().properties().map(|property| property.name.clone()).collect();
        let time_format = self.evaluator.time_format();
        let ring = lock(&inner.shared.ring);
        let newest = ring.newest().take(room.min(usize::try_from(fresh).unwrap_or(usize::MAX)));
        let mut rows: Vec<_> = newest.filter_map(|entry| render::event_row(entry, time_format, &names)).collect();
        drop(ring);
        rows.reverse();
        self.timers.published_count += rows.len();
        self.timers.published_until = judged;
        let skipped = fresh - rows.len() as u64;
        let _ = inner.shared.notifications.send(Notification::Events { rows: Arc::new(rows), skipped });
    }

    /// Closes the cases that have been silent for the longest time, if there are too many.
    fn limit_cases(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let (open, most) = (self.evaluator.online.open_case_count(), inner.options.limits.cases);
        if open > most && self.evaluator.settings().by.is_some() {
            // Some more, so that not every new case needs a record.
            self.evict_cases(&inner, open - most + most / 100);
        }
    }

    fn evict_cases(&mut self, inner: &LiveInner, count: usize) {
        if self.timers.eviction.is_some() {
            return;
        }
        let cases = self.evaluator.online.oldest_cases(count.min(MOST_EVICTED));
        let control =
            ControlRecord::EvictCases { cases: cases.iter().map(ToString::to_string).collect(), arrival: now() };
        let mut sequencer = lock(&inner.sequencer);
        // If the disk is full, the cases are closed later.
        self.timers.eviction = inner.append_control(&mut sequencer, &control, None).ok();
    }

    /// Refuses further events while a limit is exceeded. Closes cases if that can help.
    fn check_limits(&mut self, inner: &LiveInner, load: MemoryUse) {
        let (limits, online) = (&inner.options.limits, &self.evaluator.online);
        let all = [
            ("bindings", load.bindings as u64, limits.bindings),
            ("bytes of bindings", load.bytes as u64, limits.bytes),
            ("names of events", online.name_count() as u64, limits.names as u64),
            ("events that wait for others", self.evaluator.waiting() as u64, limits.waiting as u64),
        ];
        let over = all.iter().find(|(_, number, most)| number > most);
        let open = online.open_case_count();
        let is_evictable = |what: &str| what.contains("bindings") && open > 1;
        if let Some((_, number, most)) = over.filter(|(what, ..)| is_evictable(what)) {
            let excess = (number - most) as f64 / *number as f64 + 0.05;
            self.evict_cases(inner, ((open as f64 * excess) as usize).clamp(1, open - 1));
        }
        // Closing cases takes effect before much more is there.
        let over = over.filter(|(what, number, most)| !is_evictable(what) || *number > most + most / 4);
        let state = lock(&inner.shared.state).0;
        match over {
            Some((what, number, most)) => {
                let note =
                    format!("{number} {what} exceed the limit of {most}: events are refused until there are fewer");
                inner.shared.set_state(WatchState::Limited, Some(note));
            }
            None if state == WatchState::Limited => inner.shared.set_state(WatchState::Running, None),
            None => {}
        }
    }

    /// Tries to append a record while the disk is full, so that the watch recovers even if no events arrive.
    fn probe(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let is_full = lock(&inner.shared.state).0 == WatchState::Full;
        if is_full && inner.journal.is_some() && self.timers.probed.elapsed() >= REPORT_EVERY {
            self.timers.probed = Instant::now();
            let mut sequencer = lock(&inner.sequencer);
            // The current policy once more: it changes nothing.
            let _ = inner.append_control(&mut sequencer, &ControlRecord::Policy(inner.policy.clone()), None);
        }
    }

    /// Writes a snapshot if one is due. `last`: the watch ends, so it is written on this thread.
    ///
    /// A small state is copied here and written by another thread. A large one is that of a replica, which also counts the outcomes for
    /// the statistics.
    fn snapshot(&mut self, last: bool) {
        let Some(inner) = self.inner.upgrade().filter(|inner| inner.snapshots.is_some()) else { return };
        let sequence = self.evaluator.state.sequence;
        let events = self.evaluator.online.event_count() - self.timers.snapshot_events;
        let has_changed = sequence != self.timers.snapshot_sequence;
        let is_due = last || events >= inner.options.snapshot_every || self.timers.snapshot.elapsed() >= SNAPSHOT_AFTER;
        let is_writing = self.timers.is_writing.clone();
        if !has_changed || !is_due || (is_writing.load(Ordering::Acquire) && !last) {
            return;
        }
        // A snapshot is used only if the history has all findings of its records.
        let _ = self.out.send(Findings { sequence, rows: vec![], statistics: vec![] });
        self.timers.snapshot = Instant::now();
        self.timers.snapshot_events = self.evaluator.online.event_count();
        self.timers.snapshot_sequence = sequence;
        if last {
            write_snapshot(&inner, self.evaluator.freeze());
            return;
        }
        is_writing.store(true, Ordering::Release);
        if inner.is_large() {
            let out = self.out.clone();
            std::thread::spawn(move || {
                inner.with_replica(sequence, |replica| {
                    let statistics = inner.shared.timing_copy(|| rows::statistics(&replica, now()));
                    let _ = out.send(Findings { sequence, rows: vec![], statistics });
                    write_snapshot(&inner, replica.into_snapshot());
                });
                is_writing.store(false, Ordering::Release);
            });
            return;
        }
        let frozen = inner.shared.timing_copy(|| self.evaluator.freeze());
        std::thread::spawn(move || {
            write_snapshot(&inner, frozen);
            is_writing.store(false, Ordering::Release);
        });
    }
}

fn write_snapshot(inner: &LiveInner, frozen: PendingSnapshot) {
    let Some(snapshots) = &inner.snapshots else { return };
    let sequence = frozen.sequence();
    // A snapshot must not contain records that a crash would remove from the journal.
    if !inner.shared.wait_durable(sequence) || !inner.shared.wait_published(sequence, LONGEST_PUBLISHING) {
        return;
    }
    // If writing fails, the previous snapshot and the journal still hold the state.
    if snapshots.write(sequence, &frozen.into_bytes()).is_ok() {
        inner.shared.snapshot.store(sequence, Ordering::Relaxed);
        // Records after the older of two snapshots stay: it is needed if the newer one is damaged.
        let oldest = snapshots.numbers().ok().and_then(|numbers| numbers.first().copied());
        if let (Some(journal), Some(oldest)) = (&inner.journal, oldest) {
            let _ = journal.retain(oldest, &inner.options.keep);
        }
    }
}
