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
//! Reading cannot be divided: one thread at a time reads the trace into batches of 4,096 events. While it fills a batch, a
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
//! Visitors that need all events in order, such as cases, cannot be sharded. For them `read_ahead` reads in one thread and
//! checks in another.

mod batch;
mod queue;
mod read_ahead;

use std::panic::resume_unwind;
use std::thread::{self, Builder};

use gnomon_engine::Monitor;
use gnomon_trace::Reader;

use super::listener::Listener;
use super::{Driver, EventStream, Report};
use crate::driver::CheckJob;
use crate::error::Error;
use queue::{TraceSource, WorkQueue};
pub(super) use read_ahead::drive;

/// Checks an undivided trace of which only the outcomes are wanted.
pub(super) fn judge<R: Reader + Send>(
    job: CheckJob<'_>,
    stream: EventStream<R>,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    let shard_count = if job.compiled.plan.can_partition() { job.options.jobs } else { 1 };
    // One thread more than there are shards can read; further ones would be idle.
    let threads = job.options.jobs.min(shard_count + 1);
    let queue = WorkQueue::new(job, TraceSource { stream, driver: Driver::of(job) }, shard_count);
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
    let (source, monitors) = queue.clear()?;
    let whole = Monitor::join(monitors).unwrap_or_else(|| job.compiled.plan.start(job.options.max_violations));
    Ok(source.driver.report(&source.stream, whole.finish(job.options.end)))
}
