// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge's thread: takes records in their order, looks at the clock when there is nothing to do.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use gnomon_report::json::time_text;
use gnomon_store::Snapshots;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::judge::{Due, Judge};
use crate::live::Inner;
use crate::record::Control;
use crate::render;
use crate::rows;
use crate::shared::{SpecNow, lock, now};
use crate::teller::Out;
use crate::wire::{CaseCounts, State, Told};

/// What the judge has to do.
pub(crate) enum Work {
    /// A record.
    Record {
        sequence: u64,
        kind: u8,
        record: Arc<Vec<u8>>,
        /// When it was accepted, and how many events it has.
        accepted_at: Option<(Instant, u32)>,
        reply: Option<oneshot::Sender<()>>,
        /// Room in the queue, given back when it is judged.
        permit: Option<OwnedSemaphorePermit>,
    },
    /// A question.
    Ask(Box<dyn FnOnce(&mut Judge) + Send>),
    /// Nothing more comes.
    Stop,
}

/// The longest time that nobody looks at the clock.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// How often the state is looked at as a whole.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often statistics are kept.
const STATISTICS_EVERY: Duration = Duration::from_secs(5);
/// How often, at most, a snapshot is made because of time alone.
const SNAPSHOT_AFTER: Duration = Duration::from_secs(60);
/// How many events a second are told to those who look on.
const EVENTS_TOLD: usize = 50;

pub(crate) struct Worker {
    pub(crate) judge: Judge,
    pub(crate) inner: Weak<Inner>,
    pub(crate) queue: Receiver<Work>,
    pub(crate) out: SyncSender<Out>,
    pub(crate) snapshots: Option<Arc<Snapshots>>,
    pub(crate) rhythm: Rhythm,
}

/// When what was done last.
pub(crate) struct Rhythm {
    looked: Instant,
    judged_then: u64,
    statistics: Instant,
    statistics_at: u64,
    snapshot: Instant,
    snapshot_events: u64,
    snapshot_sequence: u64,
    /// The tick that is on its way.
    tick: Option<u64>,
    told_until: u64,
    told_count: usize,
}

impl Rhythm {
    pub(crate) fn new(judge: &Judge, snapshot_sequence: u64) -> Self {
        let start = Instant::now();
        let events = judge.online.events();
        Rhythm {
            looked: start,
            judged_then: events,
            statistics: start,
            statistics_at: u64::MAX,
            snapshot: start,
            snapshot_events: events,
            snapshot_sequence,
            tick: None,
            told_until: events,
            told_count: 0,
        }
    }
}

impl Worker {
    /// Works until there is nothing more to do.
    pub(crate) fn run(mut self) {
        self.publish(true);
        loop {
            let pause = self.look_at_the_clock();
            match self.queue.recv_timeout(pause) {
                Ok(Work::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(work) => self.work(work),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // As long as there is something to do the clock can wait: what came in comes before a tick anyway.
            let begun = Instant::now();
            let mut stop = false;
            while begun.elapsed() < Duration::from_millis(20) {
                match self.queue.try_recv() {
                    Ok(Work::Stop) => {
                        stop = true;
                        break;
                    }
                    Ok(work) => self.work(work),
                    Err(_) => break,
                }
            }
            self.look_around();
            if stop {
                break;
            }
        }
        self.snapshot(true);
    }

    fn work(&mut self, work: Work) {
        match work {
            Work::Record { sequence, kind, record, accepted_at, reply, permit } => {
                let applied = self.judge.apply(sequence, kind, &record);
                drop(permit);
                let Some(inner) = self.inner.upgrade() else { return };
                let shared = &inner.shared;
                shared.queued.fetch_sub(record.len(), Ordering::Relaxed);
                if applied.blocks_changed {
                    let blocks = self.judge.blocks.values().cloned().collect();
                    *shared.blocks.write().unwrap_or_else(PoisonError::into_inner) = blocks;
                }
                if let Some(change) = applied.change {
                    let spec = SpecNow {
                        name: self.judge.spec_name.clone(),
                        revision: self.judge.revision,
                        compiled: self.judge.online.compiled().clone(),
                    };
                    *shared.spec.write().unwrap_or_else(PoisonError::into_inner) = spec;
                    self.judge.last_change = Some(change);
                }
                if let Some((accepted_at, count)) = accepted_at {
                    shared.latency.add(accepted_at, u64::from(count));
                }
                if let Some(reply) = reply {
                    let _ = reply.send(());
                }
                if self.rhythm.tick.is_some_and(|tick| tick <= sequence) {
                    self.rhythm.tick = None;
                }
                if !applied.rows.is_empty() {
                    // A teller that is behind holds the judge up, and the judge those who send.
                    let _ = self.out.send(Out { sequence, rows: applied.rows, statistics: vec![] });
                }
            }
            Work::Ask(question) => question(&mut self.judge),
            Work::Stop => {}
        }
    }

    /// Lets time pass where something waits for that; tells how long nothing will.
    fn look_at_the_clock(&mut self) -> Duration {
        let now = now();
        match self.judge.due(now) {
            Due::At(at) => {
                let wait = at.map_or(u64::MAX, |at| u64::try_from(at - now).unwrap_or(0));
                Duration::from_nanos(wait).clamp(Duration::from_millis(1), LONGEST_PAUSE)
            }
            Due::Tick { to, settles } => {
                if self.rhythm.tick.is_none()
                    && let Some(inner) = self.inner.upgrade()
                {
                    let mut sequencer = lock(&inner.sequencer);
                    let control = Control::Tick { to, settles, arrival: now };
                    // If there is no room the tick can wait: the deadline is not forgotten.
                    self.rhythm.tick = inner.append_control(&mut sequencer, &control, None).ok();
                }
                Duration::from_millis(if self.rhythm.tick.is_some() { 1 } else { 100 })
            }
        }
    }

    /// What is done now and then.
    fn look_around(&mut self) {
        let is_due = self.rhythm.looked.elapsed() >= LOOK_EVERY;
        self.tell_events();
        self.publish(is_due);
        if is_due {
            self.check_limits();
            self.rhythm.told_count = 0;
        }
        let state = self.judge.sequence;
        if self.rhythm.statistics.elapsed() >= STATISTICS_EVERY && self.rhythm.statistics_at != state {
            let statistics = rows::statistics(&self.judge, now());
            self.rhythm.statistics = Instant::now();
            self.rhythm.statistics_at = state;
            let _ = self.out.send(Out { sequence: state, rows: vec![], statistics });
        }
        self.snapshot(false);
    }

    /// Tells what it is doing; `whole`: also what costs a look at all.
    fn publish(&mut self, whole: bool) {
        let Some(inner) = self.inner.upgrade() else { return };
        let judge = &self.judge;
        let (dial, (first, last)) = (judge.dial(), judge.online.extent());
        let text = |time| time_text(dial, time);
        let stream_now = judge.stream_now(now()).map(gnomon_core::time::Timestamp::from_ticks);
        let mut published = lock(&inner.shared.published);
        let has_moved = published.sequence != judge.sequence;
        published.date_times = published.date_times.or(judge.date_times);
        published.accepted = judge.accepted;
        published.judged = judge.online.events();
        published.waiting = judge.waiting() as u64;
        if published.late != judge.late {
            published.late = judge.late;
            published.late_rows = judge.late_rows.iter().cloned().collect();
        }
        published.violations = judge.online.violations();
        published.first = first.map(text);
        published.last = last.map(text);
        published.now = stream_now.map(text);
        published.sequence = judge.sequence;
        if whole {
            let passed = self.rhythm.looked.elapsed().as_secs_f64();
            let judged = judge.online.events() - self.rhythm.judged_then;
            published.per_second = if passed > 0.0 { judged as f64 / passed } else { 0.0 };
            published.bindings = judge.online.load().bindings;
            published.externs = judge.online.externs();
            published.cases = rows::case_field(judge).map(|field| CaseCounts {
                field,
                total: judge.online.case_count() as u64,
                open: judge.online.pending_cases() as u64,
                violating: judge.online.violating_cases() as u64,
                events_without: judge.online.without_case(),
            });
            self.rhythm.looked = Instant::now();
            self.rhythm.judged_then = judge.online.events();
        }
        drop(published);
        if whole && (has_moved || self.rhythm.judged_then > 0) {
            let _ = inner.shared.told.send(Told::Changed);
        }
    }

    /// Shows some of the last events to those who look on.
    fn tell_events(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let judged = self.judge.online.events();
        let fresh = judged - self.rhythm.told_until;
        if inner.shared.told.receiver_count() == 0 {
            self.rhythm.told_until = judged;
            return;
        }
        let room = EVENTS_TOLD.saturating_sub(self.rhythm.told_count);
        if fresh == 0 || room == 0 {
            return;
        }
        let names: Vec<String> =
            self.judge.online.compiled().properties().map(|property| property.name.clone()).collect();
        let dial = self.judge.dial();
        let ring = lock(&inner.shared.ring);
        let newest = ring.newest().take(room.min(usize::try_from(fresh).unwrap_or(usize::MAX)));
        let mut rows: Vec<_> = newest.filter_map(|entry| render::event_row(entry, dial, &names)).collect();
        drop(ring);
        rows.reverse();
        self.rhythm.told_count += rows.len();
        self.rhythm.told_until = judged;
        let skipped = fresh - rows.len() as u64;
        let _ = inner.shared.told.send(Told::Events { rows: Arc::new(rows), skipped });
    }

    /// More than there may be is refused, in a state that says so.
    fn check_limits(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let (limits, online) = (&inner.options.limits, &self.judge.online);
        let load = online.load();
        let all = [
            ("bindings", load.bindings as u64, limits.bindings),
            ("bytes of bindings", load.bytes as u64, limits.bytes),
            ("cases", online.case_count() as u64, limits.cases as u64),
            ("names of events", online.names() as u64, limits.names as u64),
            ("events that wait for others", self.judge.waiting() as u64, limits.waiting as u64),
        ];
        let over = all.iter().find(|(_, number, most)| number > most);
        let state = lock(&inner.shared.state).0;
        match over {
            Some((what, number, most)) => {
                let note =
                    format!("there are {number} {what}, and {most} may be: events are refused until there are fewer");
                inner.shared.set_state(State::Limited, Some(note));
            }
            None if state == State::Limited => inner.shared.set_state(State::Running, None),
            None => {}
        }
    }

    /// Keeps the state, if enough has happened. `last`: nothing more will.
    fn snapshot(&mut self, last: bool) {
        let (Some(snapshots), Some(inner)) = (self.snapshots.clone(), self.inner.upgrade()) else { return };
        let sequence = self.judge.sequence;
        let events = self.judge.online.events() - self.rhythm.snapshot_events;
        let has_changed = sequence != self.rhythm.snapshot_sequence;
        let is_due = last || events >= inner.options.snapshot_every || self.rhythm.snapshot.elapsed() >= SNAPSHOT_AFTER;
        if !has_changed || !is_due {
            return;
        }
        let frozen = self.judge.freeze();
        self.rhythm.snapshot = Instant::now();
        self.rhythm.snapshot_events = self.judge.online.events();
        self.rhythm.snapshot_sequence = sequence;
        let write = move || {
            // A snapshot must not know more than the journal will after a crash.
            if !inner.shared.wait_durable(frozen.sequence()) {
                return;
            }
            let sequence = frozen.sequence();
            // If it cannot be written the one before still holds, and the journal has the rest.
            if snapshots.write(sequence, &frozen.into_bytes()).is_ok() {
                inner.shared.snapshot.store(sequence, Ordering::Relaxed);
                // The one before may be needed if this one is damaged.
                let oldest = snapshots.numbers().ok().and_then(|numbers| numbers.first().copied());
                if let (Some(journal), Some(oldest)) = (&inner.journal, oldest) {
                    let _ = journal.retain(oldest, &inner.options.keep);
                }
            }
        };
        if last {
            write();
        } else {
            std::thread::spawn(write);
        }
    }
}
