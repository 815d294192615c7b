// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads in a thread of its own, a few batches ahead of the thread that checks: for visitors that need all events in order, and
//! formats that cannot be cut into chunks.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Builder};

use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::time::TimeKind;
use gnomon_trace::Reader;

use super::super::{CaseField, DivideBy, Driver, EventSource, EventStream, TraceContext, Visitor};
use super::batch::{BatchFiller, BatchItem, EventBatch};
use crate::driver::{CheckJob, TraceExtent};
use crate::error::Error;

/// Greatest number of waiting batches.
const AHEAD: usize = 4;

/// A batch, with the properties of the trace at its end.
struct ReadBatch {
    batch: EventBatch,
    /// Names of events that occur for the first time.
    names: Vec<String>,
    time_kind: TimeKind,
    bytes: u64,
    /// The error that ended the reading.
    error: Option<Error>,
}

/// The source of the events of a batch.
struct ReadBatchSource<'a> {
    context: TraceContext<'a>,
    bytes: u64,
}

impl EventSource for ReadBatchSource<'_> {
    fn context(&self) -> TraceContext<'_> {
        self.context
    }

    fn case(&self) -> (u64, Option<&str>) {
        (0, None)
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

/// Drives a visitor that reads to the end over a trace without cases of the format. Returns false if the system gives no
/// thread; then nothing was read.
pub(super) fn drive<R: Reader + Send, V: Visitor>(
    driver: &mut Driver<'_>,
    job: CheckJob<'_>,
    stream: &mut EventStream<R>,
    visitor: &mut V,
) -> Result<bool, Error> {
    let mut symbols = job.compiled.plan.symbols().clone();
    thread::scope(|scope| {
        let (full, batches) = sync_channel(AHEAD);
        let (back, empty) = channel();
        let helper = Builder::new().spawn_scoped(scope, move || read(job, stream, &full, &empty));
        let judged = judge(driver, visitor, &mut symbols, &batches, &back);
        // This ends the reading thread: its next send fails.
        drop(batches);
        match helper.map(thread::ScopedJoinHandle::join) {
            Ok(Err(crash)) => resume_unwind(crash),
            Ok(Ok(read)) => {
                driver.extent.expectations.take_field_names(read.expectations);
                judged.map(|()| true)
            }
            Err(_) => Ok(false),
        }
    })
}

/// Reads to the end, or until the receiver is dropped. Returns the extent of what was read.
fn read<R: Reader>(
    job: CheckJob<'_>,
    stream: &mut EventStream<R>,
    full: &SyncSender<ReadBatch>,
    empty: &Receiver<EventBatch>,
) -> TraceExtent {
    let keys = stream.context().symbols.key_count();
    let projection = stream.reader().projection().clone();
    let case_field = match &job.options.by {
        DivideBy::Field(field) => Some(CaseField::new(field, stream.context().symbols)),
        DivideBy::Format | DivideBy::Whole => None,
    };
    let mut driver = Driver::of(job);
    let mut known = 0;
    loop {
        let mut batch = empty.try_recv().unwrap_or_default();
        batch.clear(1);
        let filler = BatchFiller::new(job.compiled, &mut batch, None);
        let mut filler = filler.wanting(&projection, keys).by_case(case_field.as_ref());
        let error = driver.run(stream, &mut filler).err();
        let TraceContext { symbols, time_kind } = stream.context();
        let names = known..symbols.name_count();
        known = names.end;
        let names = names.map(|index| symbols.name_text(Name(index as u32)).to_owned()).collect();
        let ends = batch.is_empty() || error.is_some();
        let read_batch = ReadBatch { batch, names, time_kind, bytes: stream.bytes_read(), error };
        if full.send(read_batch).is_err() || ends {
            return driver.extent;
        }
    }
}

fn judge<V: Visitor>(
    driver: &mut Driver<'_>,
    visitor: &mut V,
    symbols: &mut Symbols,
    batches: &Receiver<ReadBatch>,
    back: &Sender<EventBatch>,
) -> Result<(), Error> {
    for ReadBatch { batch, names, time_kind, bytes, error } in batches {
        for name in names {
            symbols.name(&name);
        }
        let source = ReadBatchSource { context: TraceContext { symbols, time_kind }, bytes };
        let mut judged = Ok(());
        batch.for_each_item(0, |item| {
            if judged.is_ok() && !visitor.is_done() {
                judged = match item {
                    BatchItem::Own(event) | BatchItem::All(event) => driver.event(visitor, event, &source),
                    BatchItem::Progress(to) => driver.progress(visitor, to, &source),
                    BatchItem::Skipped(_) => Ok(()),
                };
            }
        });
        judged?;
        if let Some(error) = error {
            return Err(error);
        }
        // The reading thread may have ended and not want the batch back.
        let _ = back.send(batch);
    }
    Ok(())
}
