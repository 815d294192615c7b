// SPDX-License-Identifier: MIT OR Apache-2.0
//! State that several threads share: the condition of the watch, its counters and latencies.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gnomon_run::compile::CompiledSpec;
use gnomon_run::externs::ExternReport;
use tokio::sync::{broadcast, watch};

use crate::backlog::Backlog;
use crate::ring::EventRing;
use crate::wire::{AheadRow, Block, CaseCounts, EventCounts, LateRow, Notification, RawJson, WatchState};

/// Notifications buffered for a slow subscriber before it misses some.
const NOTIFICATIONS: usize = 4096;

/// Locks a mutex. A panic of another holder is ignored: no holder leaves the value inconsistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the current time in nanoseconds since 1970.
pub(crate) fn now() -> i128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(i128::MAX))
}

pub(crate) struct SharedState {
    pub(crate) state: Mutex<(WatchState, Option<String>)>,
    pub(crate) spec: RwLock<CurrentSpec>,
    pub(crate) report: Mutex<EvaluatorReport>,
    pub(crate) blocks: RwLock<Vec<Block>>,
    pub(crate) ring: Arc<Mutex<EventRing>>,
    pub(crate) notifications: broadcast::Sender<Notification>,
    pub(crate) durable: watch::Sender<u64>,
    gate: (Mutex<u64>, Condvar),
    pub(crate) duplicates: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) queued: AtomicUsize,
    pub(crate) backlog: Mutex<Backlog>,
    pub(crate) latency: Latency,
    pub(crate) sync_latency: Latency,
    pub(crate) snapshot: AtomicU64,
    /// Time that the last copy of the state, or count of its outcomes, took, in microseconds.
    pub(crate) copy_micros: AtomicU64,
    /// Sequence number of the record up to which all findings are in the history.
    pub(crate) published: AtomicU64,
    /// True while the history cannot be written for lack of space.
    pub(crate) is_history_full: AtomicBool,
    /// True once the publisher has ended. Later findings do not reach the history.
    pub(crate) is_publisher_over: AtomicBool,
    /// Sequence number of the last record that was applied while the state is restored.
    pub(crate) restored: AtomicU64,
}

/// The current spec.
#[derive(Clone)]
pub(crate) struct CurrentSpec {
    pub(crate) name: String,
    pub(crate) revision: u64,
    pub(crate) compiled: Arc<CompiledSpec>,
}

/// Figures of the evaluator for [`crate::Live::status`].
#[derive(Clone, Debug, Default)]
pub(crate) struct EvaluatorReport {
    pub(crate) date_times: Option<bool>,
    /// Without `duplicates` and `refused`, which intake counts.
    pub(crate) events: EventCounts,
    pub(crate) late: Vec<LateRow>,
    pub(crate) ahead: Vec<AheadRow>,
    pub(crate) violations: u64,
    pub(crate) bindings: usize,
    pub(crate) cases: Option<CaseCounts>,
    pub(crate) first: Option<RawJson>,
    pub(crate) last: Option<RawJson>,
    pub(crate) now: Option<RawJson>,
    pub(crate) sequence: u64,
    pub(crate) externs: Vec<ExternReport>,
}

impl SharedState {
    pub(crate) fn new(spec: CurrentSpec, ring: Arc<Mutex<EventRing>>) -> Self {
        SharedState {
            state: Mutex::new((WatchState::Starting, None)),
            spec: RwLock::new(spec),
            report: Mutex::default(),
            blocks: RwLock::default(),
            ring,
            notifications: broadcast::channel(NOTIFICATIONS).0,
            durable: watch::channel(0).0,
            gate: (Mutex::new(0), Condvar::new()),
            duplicates: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            queued: AtomicUsize::new(0),
            backlog: Mutex::default(),
            latency: Latency::default(),
            sync_latency: Latency::default(),
            snapshot: AtomicU64::new(0),
            copy_micros: AtomicU64::new(0),
            published: AtomicU64::new(0),
            is_history_full: AtomicBool::new(false),
            is_publisher_over: AtomicBool::new(false),
            restored: AtomicU64::new(0),
        }
    }

    pub(crate) fn spec(&self) -> CurrentSpec {
        self.spec.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reports that all records up to `sequence` are durable.
    pub(crate) fn set_durable(&self, sequence: u64) {
        lock(&self.backlog).journal(sequence);
        *lock(&self.gate.0) = sequence;
        self.gate.1.notify_all();
        self.durable.send_replace(sequence);
    }

    pub(crate) fn durable(&self) -> u64 {
        *lock(&self.gate.0)
    }

    /// Waits until a record is durable. Returns false if the disk failed.
    pub(crate) fn wait_durable(&self, sequence: u64) -> bool {
        let mut durable = lock(&self.gate.0);
        while *durable < sequence {
            let (next, timeout) =
                self.gate.1.wait_timeout(durable, Duration::from_millis(200)).unwrap_or_else(PoisonError::into_inner);
            durable = next;
            if timeout.timed_out() && lock(&self.state).0 == WatchState::Failed {
                return false;
            }
        }
        true
    }

    /// Waits until all findings up to a record are in the history. Returns false if that takes too long or the publisher has ended.
    pub(crate) fn wait_published(&self, sequence: u64, longest: Duration) -> bool {
        let begun = Instant::now();
        while self.published.load(Ordering::Acquire) < sequence {
            let is_over = self.is_publisher_over.load(Ordering::Acquire);
            if is_over || begun.elapsed() > longest || lock(&self.state).0 == WatchState::Failed {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    /// Runs `work`, which copies the state or counts its outcomes, and notes the time that it takes.
    pub(crate) fn timing_copy<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.copy_micros.store(micros, Ordering::Relaxed);
        done
    }

    pub(crate) fn set_state(&self, state: WatchState, note: Option<String>) {
        let mut present = lock(&self.state);
        if present.0 != WatchState::Failed && *present != (state, note.clone()) {
            *present = (state, note);
            drop(present);
            let _ = self.notifications.send(Notification::Changed);
        }
    }
}

/// A histogram of durations.
#[derive(Debug, Default)]
pub struct Latency {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_micros: AtomicU64,
}

/// Upper bounds of the buckets, in microseconds.
pub const BOUNDS: [u64; 14] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000];

impl Latency {
    pub(crate) fn add(&self, since: Instant, times: u64) {
        let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|bound| *bound < micros);
        self.buckets[bucket].fetch_add(times, Ordering::Relaxed);
        self.sum_micros.fetch_add(micros.saturating_mul(times), Ordering::Relaxed);
    }

    /// Returns the count of each bucket of [`BOUNDS`] and above, and the sum in microseconds.
    pub fn counts(&self) -> (Vec<u64>, u64) {
        let counts = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        (counts, self.sum_micros.load(Ordering::Relaxed))
    }
}
