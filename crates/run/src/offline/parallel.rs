// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a trace with several threads (`--jobs`).
//!
//! # Shards
//!
//! With `--jobs N` the bindings of the properties are divided among N *shards* by the hash of their key. Each shard has a
//! monitor of its own that owns its bindings. The shards are joined at the end, so the outcomes are those of one thread. If
//! no property has bindings ([`Plan::can_partition`](gnomon_engine::Plan::can_partition)) there is one shard, and a second
//! thread only reads.
//!
//! One thread at a time reads the trace into batches of 4,096 events, in order. While it fills a batch, a
//! [`Partitioner`](gnomon_engine::Partitioner) decides which shards must read each event. A shard walks a batch from event
//! to event; the events in between it skips in bulk.
//!
//! Example: `forall id. G(request(id) -> F[0,10] response(id))` with two shards, of which shard 0 owns the ids 1 and 3:
//!
//! ```text
//! batch:    request(1) request(2) response(1) ping response(2) request(3)
//! shard 0:  step       skip       step        skip skip        step
//! shard 1:  skip       step       skip        skip step        skip
//! ```
//!
//! # Work queue
//!
//! Threads are not bound to a role. The trace, the shards and the batches between them lie on a [`WorkQueue`]; an idle
//! thread takes whatever comes next: reading if there is room for another batch, else the shard with the most waiting
//! batches. A shard is checked by one thread at a time, in the order of the batches.
//!
//! # Parsing
//!
//! Inputs that consist of rows are cut into chunks, which all threads parse while they have nothing else to do
//! ([`ParseQueue`]). Putting the events in order is all that is left of reading.
//!
//! Visitors that need all events in order, such as cases, and properties without bindings are not sharded. They run in one thread
//! while the others parse (`drive_with_parsers`). For formats that cannot be cut `read_ahead` reads in one thread and checks in another.
//!
//! # Serial fraction
//!
//! [`ThreadWork`] has the time of what only one thread can do at a time, and of what all can do: with the serial fraction s, n threads
//! are at most 1 / (s + (1 - s) / n) times as fast as one (Amdahl).

mod batch;
mod queue;
mod read_ahead;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use gnomon_engine::Monitor;
use gnomon_trace::{ParseQueue, ParseWork, Reader};

use super::listener::Listener;
use super::{Driver, EventStream, Report, Visitor};
use crate::driver::CheckJob;
use crate::error::Error;
use queue::{TraceSource, WorkQueue};

/// The work of the threads of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadWork {
    /// The number of threads.
    pub threads: usize,
    /// The time of the work that one thread does at a time: reading, cutting, putting in order, and evaluating what needs all events in
    /// order.
    pub serial: Duration,
    /// The time of the work that any thread can do, of all threads together.
    pub parallel: Duration,
}

impl ThreadWork {
    /// Adds the time of parsing to that of a thread that was reading in order for `reading`.
    fn new(threads: usize, reading: Duration, ParseWork { parsing, cutting, waiting }: ParseWork) -> Self {
        ThreadWork { threads, serial: reading.saturating_sub(waiting) + cutting, parallel: parsing }
    }

    /// Returns the part of the work that one thread does at a time, from 0 to 1.
    pub fn serial_fraction(&self) -> f64 {
        let serial = self.serial.as_secs_f64();
        serial / (serial + self.parallel.as_secs_f64()).max(f64::MIN_POSITIVE)
    }
}

/// Drives a visitor that needs all events in order. With `reads_ahead` the other threads parse or read ahead.
pub(super) fn drive<R: Reader + Send, V: Visitor>(
    driver: &mut Driver<'_>,
    job: CheckJob<'_>,
    stream: &mut EventStream<R>,
    visitor: &mut V,
    reads_ahead: bool,
) -> Result<Option<ThreadWork>, Error> {
    if let Some(queue) = stream.reader().parse_queue().cloned() {
        return drive_with_parsers(&queue, driver, job, stream, visitor).map(Some);
    }
    if !reads_ahead || !read_ahead::drive(driver, job, stream, visitor)? {
        let _ = driver.run(stream, visitor)?;
    }
    Ok(None)
}

/// Drives a visitor while the other threads parse.
pub(super) fn drive_with_parsers<R: Reader, V: Visitor>(
    queue: &Arc<ParseQueue>,
    driver: &mut Driver<'_>,
    job: CheckJob<'_>,
    stream: &mut EventStream<R>,
    visitor: &mut V,
) -> Result<ThreadWork, Error> {
    let threads = job.options.jobs;
    let began = Instant::now();
    let (result, crash) = thread::scope(|scope| {
        // If the system refuses a thread, the others do its work.
        let parser = |_| Builder::new().spawn_scoped(scope, || queue.work()).ok();
        let parsers: Vec<_> = (1..threads).filter_map(parser).collect();
        let stop = StopGuard(queue);
        let result = driver.run(stream, visitor);
        drop(stop);
        (result, parsers.into_iter().filter_map(|parser| parser.join().err()).last())
    });
    if let Some(crash) = crash {
        resume_unwind(crash);
    }
    let _ = result?;
    Ok(ThreadWork::new(threads, began.elapsed(), queue.work_done()))
}

/// Ends the threads that parse, even if this one panics.
struct StopGuard<'q>(&'q ParseQueue);

impl Drop for StopGuard<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Checks an undivided trace of which only the outcomes are wanted.
pub(super) fn judge<R: Reader + Send>(
    job: CheckJob<'_>,
    stream: EventStream<R>,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    let shard_count = if job.compiled.plan.can_partition() { job.options.jobs } else { 1 };
    let parse_queue = stream.reader().parse_queue().cloned();
    // One thread more than there are shards can read; further ones would be idle, unless they parse.
    let threads = if parse_queue.is_some() { job.options.jobs } else { job.options.jobs.min(shard_count + 1) };
    let source = TraceSource { stream, driver: Driver::of(job) };
    let queue = WorkQueue::new(job, source, shard_count, parse_queue.clone());
    let crash = thread::scope(|scope| {
        // If the system refuses a thread, the others do its work.
        let queue = &queue;
        let helper = |home| Builder::new().spawn_scoped(scope, move || queue.work(home, |_, _| {})).ok();
        let helpers: Vec<_> = (1..threads).filter_map(helper).collect();
        queue.work(0, |bytes, events| listener.progress(bytes, events));
        helpers.into_iter().filter_map(|helper| helper.join().err()).last()
    });
    if let Some(crash) = crash {
        resume_unwind(crash);
    }
    let times = queue.times();
    let (source, monitors) = queue.clear()?;
    let work = parse_queue.map(|parse_queue| {
        let work = ThreadWork::new(threads, times.reading, parse_queue.work_done());
        ThreadWork { parallel: work.parallel + times.checking, ..work }
    });
    let whole = Monitor::join(monitors).unwrap_or_else(|| job.compiled.plan.start(job.options.max_violations));
    Ok(Report { work, ..source.driver.report(&source.stream, whole.finish(job.options.end)) })
}
