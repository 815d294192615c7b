// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work queue of the threads: the trace, the shards and the batches between them, under one lock.
//!
//! A thread takes a task under the lock, works without it, and puts the result back under it. The source and each monitor
//! are therefore `None` in the state while a thread has them. A batch is shared by all shards; the shard that checks it last
//! returns it to the free list.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gnomon_engine::{MemoryUse, Monitor, Partitioner};
use gnomon_trace::{ParseQueue, Reader};

use super::super::memory::total_memory;
use super::super::{EventSource, EventStream, loads};
use super::batch::{BatchFiller, BatchItem, EventBatch};
use crate::driver::{CheckJob, Driver};
use crate::error::Error;

/// Number of batches that may be in flight beyond one for each shard, so that shards may be at different batches while reading goes on.
const SPARE_BATCHES: usize = 4;

/// The work that is left: reading and checking.
pub(super) struct WorkQueue<'a, R> {
    job: CheckJob<'a>,
    shard_count: usize,
    partitioner: Partitioner,
    /// Greatest number of batches in flight.
    most: usize,
    state: Mutex<QueueState<'a, R>>,
    changed: Condvar,
    /// The queue at which a thread parses that has nothing else to do.
    parse_queue: Option<Arc<ParseQueue>>,
}

/// The trace and its driver.
pub(super) struct TraceSource<'a, R> {
    pub(super) stream: EventStream<R>,
    pub(super) driver: Driver<'a>,
}

/// The state behind the lock.
struct QueueState<'a, R> {
    /// `None` while a thread reads.
    source: Option<Box<TraceSource<'a, R>>>,
    /// True if the trace was read to its end.
    ended: bool,
    shards: Vec<Shard>,
    /// Empty batches.
    free: Vec<EventBatch>,
    /// Number of batches that some shard has not checked yet.
    in_flight: usize,
    /// Bytes and events read so far.
    progress: (u64, u64),
    error: Option<Error>,
    /// True if a thread panicked: what it had taken does not come back.
    crashed: bool,
    times: WorkTimes,
}

/// The time that was spent on the tasks, by all threads together.
#[derive(Clone, Copy, Default)]
pub(super) struct WorkTimes {
    pub(super) reading: Duration,
    pub(super) checking: Duration,
}

/// The monitor of some bindings, and its batches.
struct Shard {
    /// `None` while a thread checks.
    monitor: Option<Box<Monitor>>,
    /// Batches that it has not checked.
    waiting: VecDeque<Arc<EventBatch>>,
    /// Memory of each property after the last batch.
    loads: Vec<MemoryUse>,
}

/// A task of a thread.
enum QueueTask<'a, R> {
    Read(Box<TraceSource<'a, R>>, EventBatch),
    Check(usize, Box<Monitor>, Arc<EventBatch>),
    Wait,
    Stop,
}

impl<'a, R: Reader> WorkQueue<'a, R> {
    pub(super) fn new(
        job: CheckJob<'a>,
        source: TraceSource<'a, R>,
        shard_count: usize,
        parse_queue: Option<Arc<ParseQueue>>,
    ) -> Self {
        let shard = |index| Shard {
            monitor: Some(Box::new(job.compiled.plan.start_shard(job.options.max_violations, index, shard_count))),
            waiting: VecDeque::new(),
            loads: Vec::new(),
        };
        let state = QueueState {
            source: Some(Box::new(source)),
            ended: false,
            shards: (0..shard_count).map(shard).collect(),
            free: Vec::new(),
            in_flight: 0,
            progress: (0, 0),
            error: None,
            crashed: false,
            times: WorkTimes::default(),
        };
        WorkQueue {
            job,
            shard_count,
            partitioner: job.compiled.plan.partitioner(shard_count),
            most: shard_count + SPARE_BATCHES,
            state: Mutex::new(state),
            changed: Condvar::new(),
            parse_queue,
        }
    }

    /// Works until nothing is left, and reports the progress of reading. A thread prefers its home shard, whose state is in
    /// the cache of its processor.
    pub(super) fn work(&self, home: usize, mut progress: impl FnMut(u64, u64)) {
        let _guard = PanicGuard { queue: self };
        let mut state = self.lock();
        // False after an attempt to parse, until something has changed.
        let mut can_parse = true;
        loop {
            match state.take(self.most, home) {
                QueueTask::Wait if can_parse && self.parse_queue.is_some() => {
                    drop(state);
                    can_parse = self.parse_queue.as_ref().is_some_and(|queue| queue.help());
                    state = self.lock();
                    continue;
                }
                QueueTask::Wait => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                    can_parse = true;
                }
                QueueTask::Stop => break,
                QueueTask::Read(source, batch) => {
                    drop(state);
                    let began = Instant::now();
                    let (source, batch, result) = self.read(source, batch);
                    let reading = began.elapsed();
                    state = self.lock();
                    state.times.reading += reading;
                    state.put_read(source, batch, result);
                    self.changed.notify_all();
                }
                QueueTask::Check(shard, mut monitor, batch) => {
                    drop(state);
                    let began = Instant::now();
                    batch.for_each_item(shard, |item| match item {
                        BatchItem::Own(event) => monitor.step_routed(event),
                        BatchItem::Skipped(events) => monitor.skip(events),
                        BatchItem::All(event) => monitor.step(event),
                        BatchItem::Progress(to) => monitor.advance(to),
                    });
                    let limits = self.job.options.limits;
                    let loads = if limits.any() { loads(self.job.compiled, &monitor) } else { Vec::new() };
                    let checking = began.elapsed();
                    state = self.lock();
                    state.times.checking += checking;
                    state.put_checked(shard, monitor, batch, loads);
                    if limits.any()
                        && let Err(error) = limits.check(&state.total_loads(), 0)
                    {
                        state.error.get_or_insert(error);
                    }
                    self.changed.notify_all();
                }
            }
            let (bytes, events) = state.progress;
            drop(state);
            progress(bytes, events);
            state = self.lock();
        }
    }

    /// Fills a batch.
    fn read(
        &self,
        mut source: Box<TraceSource<'a, R>>,
        mut batch: EventBatch,
    ) -> (Box<TraceSource<'a, R>>, EventBatch, Result<(), Error>) {
        batch.clear(self.shard_count);
        let mut filler = BatchFiller::new(self.job.compiled, &mut batch, Some(&self.partitioner));
        let result = source.driver.run(&mut source.stream, &mut filler).map(drop);
        (source, batch, result)
    }

    /// Returns the time that was spent so far.
    pub(super) fn times(&self) -> WorkTimes {
        self.lock().times
    }

    /// Returns the trace that was read and the monitors of the shards.
    pub(super) fn clear(self) -> Result<(Box<TraceSource<'a, R>>, Vec<Monitor>), Error> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.error {
            return Err(error);
        }
        let source = state.source.expect("whoever reads puts the source back, or the panic has been passed on");
        let monitors = state.shards.into_iter().filter_map(|shard| shard.monitor.map(|monitor| *monitor));
        Ok((source, monitors.collect()))
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<'a, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a, R: Reader> QueueState<'a, R> {
    /// Takes the next task. Reading comes first as long as there is room, so that there is always something to check.
    fn take(&mut self, most: usize, home: usize) -> QueueTask<'a, R> {
        if self.crashed || self.error.is_some() {
            return QueueTask::Stop;
        }
        if !self.ended
            && self.in_flight < most
            && let Some(source) = self.source.take()
        {
            return QueueTask::Read(source, self.free.pop().unwrap_or_default());
        }
        let is_ready = |(_, shard): &(usize, &mut Shard)| shard.monitor.is_some() && !shard.waiting.is_empty();
        let ready = self.shards.iter_mut().enumerate().filter(is_ready);
        if let Some((index, shard)) = ready.max_by_key(|(index, shard)| (*index == home, shard.waiting.len()))
            && let (Some(monitor), Some(batch)) = (shard.monitor.take(), shard.waiting.pop_front())
        {
            return QueueTask::Check(index, monitor, batch);
        }
        let is_done = |shard: &Shard| shard.monitor.is_some() && shard.waiting.is_empty();
        if self.ended && self.shards.iter().all(is_done) { QueueTask::Stop } else { QueueTask::Wait }
    }

    /// Puts back the source and a batch. An empty batch is the end of the trace.
    fn put_read(&mut self, source: Box<TraceSource<'a, R>>, batch: EventBatch, result: Result<(), Error>) {
        self.progress = (source.stream.bytes_read(), source.driver.extent.events);
        self.source = Some(source);
        match result {
            Err(error) => {
                self.error.get_or_insert(error);
            }
            Ok(()) if batch.is_empty() => self.ended = true,
            Ok(()) => {
                self.in_flight += 1;
                let batch = Arc::new(batch);
                self.shards.iter_mut().for_each(|shard| shard.waiting.push_back(batch.clone()));
            }
        }
    }

    /// Puts back a monitor. The last shard to check the batch frees it.
    fn put_checked(&mut self, shard: usize, monitor: Box<Monitor>, batch: Arc<EventBatch>, loads: Vec<MemoryUse>) {
        self.shards[shard].monitor = Some(monitor);
        self.shards[shard].loads = loads;
        if let Some(batch) = Arc::into_inner(batch) {
            self.in_flight -= 1;
            self.free.push(batch);
        }
    }

    /// Returns the memory of each property over all shards.
    fn total_loads(&self) -> Vec<MemoryUse> {
        let properties = self.shards.iter().map(|shard| shard.loads.len()).max().unwrap_or_default();
        let loads = |property: usize| self.shards.iter().filter_map(move |shard| shard.loads.get(property).copied());
        (0..properties).map(|property| total_memory(loads(property))).collect()
    }
}

/// Wakes the other threads if this one panics, so that they do not wait for what it had taken.
struct PanicGuard<'d, 'a, R: Reader> {
    queue: &'d WorkQueue<'a, R>,
}

impl<R: Reader> Drop for PanicGuard<'_, '_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.queue.lock().crashed = true;
            self.queue.changed.notify_all();
        }
    }
}
