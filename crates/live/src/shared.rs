// SPDX-License-Identifier: MIT OR Apache-2.0
//! What several threads look at: the state of a watch, its counts, how long things took.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gnomon_run::compile::Compiled;
use gnomon_run::externs::ExternReport;
use tokio::sync::{broadcast, watch};

use crate::ring::Ring;
use crate::wire::{Block, CaseCounts, LateRow, State, Told};

/// How many things are told to a slow listener before it misses some.
const TOLD: usize = 4096;

/// A lock whose holder cannot leave it half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Now, in nanoseconds since 1970.
pub(crate) fn now() -> i128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(i128::MAX))
}

pub(crate) struct Shared {
    pub(crate) state: Mutex<(State, Option<String>)>,
    pub(crate) spec: RwLock<SpecNow>,
    pub(crate) published: Mutex<Published>,
    pub(crate) blocks: RwLock<Vec<Block>>,
    pub(crate) ring: Arc<Mutex<Ring>>,
    pub(crate) told: broadcast::Sender<Told>,
    pub(crate) durable: watch::Sender<u64>,
    gate: (Mutex<u64>, Condvar),
    pub(crate) duplicates: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) queued: AtomicUsize,
    pub(crate) latency: Latency,
    pub(crate) sync_latency: Latency,
    pub(crate) snapshot: AtomicU64,
}

/// The spec that is judged by.
#[derive(Clone)]
pub(crate) struct SpecNow {
    pub(crate) name: String,
    pub(crate) revision: u64,
    pub(crate) compiled: Arc<Compiled>,
}

/// What the judge tells of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    pub(crate) date_times: Option<bool>,
    pub(crate) accepted: u64,
    pub(crate) judged: u64,
    pub(crate) waiting: u64,
    pub(crate) late: u64,
    pub(crate) late_rows: Vec<LateRow>,
    pub(crate) violations: u64,
    pub(crate) bindings: usize,
    pub(crate) cases: Option<CaseCounts>,
    pub(crate) first: Option<String>,
    pub(crate) last: Option<String>,
    pub(crate) now: Option<String>,
    pub(crate) per_second: f64,
    pub(crate) sequence: u64,
    pub(crate) externs: Vec<ExternReport>,
}

impl Shared {
    pub(crate) fn new(spec: SpecNow, ring: Arc<Mutex<Ring>>) -> Self {
        Shared {
            state: Mutex::new((State::Starting, None)),
            spec: RwLock::new(spec),
            published: Mutex::default(),
            blocks: RwLock::default(),
            ring,
            told: broadcast::channel(TOLD).0,
            durable: watch::channel(0).0,
            gate: (Mutex::new(0), Condvar::new()),
            duplicates: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            queued: AtomicUsize::new(0),
            latency: Latency::default(),
            sync_latency: Latency::default(),
            snapshot: AtomicU64::new(0),
        }
    }

    pub(crate) fn spec(&self) -> SpecNow {
        self.spec.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Everything up to this record is on disk for good.
    pub(crate) fn set_durable(&self, sequence: u64) {
        *lock(&self.gate.0) = sequence;
        self.gate.1.notify_all();
        self.durable.send_replace(sequence);
    }

    pub(crate) fn durable(&self) -> u64 {
        *lock(&self.gate.0)
    }

    /// Waits until a record is on disk for good; false if that will not be.
    pub(crate) fn wait_durable(&self, sequence: u64) -> bool {
        let mut durable = lock(&self.gate.0);
        while *durable < sequence {
            let (next, timeout) =
                self.gate.1.wait_timeout(durable, Duration::from_millis(200)).unwrap_or_else(PoisonError::into_inner);
            durable = next;
            if timeout.timed_out() && lock(&self.state).0 == State::Failed {
                return false;
            }
        }
        true
    }

    pub(crate) fn set_state(&self, state: State, note: Option<String>) {
        let mut present = lock(&self.state);
        if present.0 != State::Failed && *present != (state, note.clone()) {
            *present = (state, note);
            drop(present);
            let _ = self.told.send(Told::Changed);
        }
    }
}

/// How long something took, in buckets.
#[derive(Debug, Default)]
pub struct Latency {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_micros: AtomicU64,
}

/// The upper bounds of the buckets, in microseconds.
pub const BOUNDS: [u64; 14] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000];

impl Latency {
    pub(crate) fn add(&self, since: Instant, times: u64) {
        let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|bound| *bound < micros);
        self.buckets[bucket].fetch_add(times, Ordering::Relaxed);
        self.sum_micros.fetch_add(micros.saturating_mul(times), Ordering::Relaxed);
    }

    /// How many fell into each bucket of [`BOUNDS`], and above, and the sum of all in microseconds.
    pub fn counts(&self) -> (Vec<u64>, u64) {
        let counts = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        (counts, self.sum_micros.load(Ordering::Relaxed))
    }
}
