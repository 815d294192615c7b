// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads in a thread of its own, some batches ahead of the one that judges: for what needs someone who sees all events
//! in order.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Builder};

use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::time::TimeKind;
use gnomon_engine::Audience;
use gnomon_trace::{Reader, TraceError};

use super::super::listen::Legend;
use super::super::session::{CaseOf, Session};
use super::super::{Report, Work, watch as watch_alone};
use super::batch::Batch;
use crate::error::Error;
use crate::externs::Feed;

/// How many batches wait at most.
const AHEAD: usize = 4;

/// A batch, and what else the trace said until its end.
struct Parcel {
    batch: Batch,
    /// Names of events that were met for the first time.
    names: Vec<String>,
    time_kind: TimeKind,
    bytes: u64,
    /// Why there is nothing after it.
    error: Option<TraceError>,
}

/// Watches a trace that has no cases of its own and no critical property: whatever is read is judged.
pub(in super::super) fn watch<R: Feed + Send>(
    work: Work<'_>,
    mut reader: R,
    mut session: Session<'_>,
) -> Result<Report, Error> {
    let mut symbols = work.compiled.plan.symbols().clone();
    let judged = thread::scope(|scope| {
        let (full, parcels) = sync_channel(AHEAD);
        let (back, empty) = channel();
        let reader = &mut reader;
        let helper = Builder::new().spawn_scoped(scope, move || read(reader, &full, &empty));
        let judged = judge(&mut session, &mut symbols, &parcels, &back);
        // Whoever still reads finds nobody to read for.
        drop(parcels);
        match helper.map(thread::ScopedJoinHandle::join) {
            Ok(Err(crash)) => resume_unwind(crash),
            Ok(Ok(())) => judged.map(|()| true),
            // The system gives no thread, and nothing was read.
            Err(_) => Ok(false),
        }
    })?;
    if judged { Ok(session.finish(&reader)) } else { watch_alone(reader, session) }
}

/// Reads to the end, or until nobody wants more.
fn read<R: Reader>(reader: &mut R, full: &SyncSender<Parcel>, empty: &Receiver<Batch>) {
    let keys = reader.symbols().key_count() as u32;
    let mut known = 0;
    loop {
        let mut batch = empty.try_recv().unwrap_or_default();
        batch.clear(1);
        let error = fill(reader, &mut batch, keys).err();
        let names = known..reader.symbols().name_count();
        known = names.end;
        let name = |index: usize| reader.symbols().name_text(Name(index as u32)).to_owned();
        let ends = batch.is_empty() || error.is_some();
        let (time_kind, bytes) = (reader.time_kind(), reader.bytes_read());
        let parcel = Parcel { batch, names: names.map(name).collect(), time_kind, bytes, error };
        if full.send(parcel).is_err() || ends {
            return;
        }
    }
}

/// Fills a batch with what is wanted of the next events.
fn fill<R: Reader>(reader: &mut R, batch: &mut Batch, keys: u32) -> Result<(), TraceError> {
    while !batch.is_full() {
        let Some(origin) = reader.advance()? else { break };
        let row = batch.push(origin, reader.fields(), reader.projection().want(origin.event), keys);
        batch.hand(row, Audience::All);
    }
    Ok(())
}

fn judge(
    session: &mut Session<'_>,
    symbols: &mut Symbols,
    parcels: &Receiver<Parcel>,
    back: &Sender<Batch>,
) -> Result<(), Error> {
    for Parcel { batch, names, time_kind, bytes, error } in parcels {
        for name in names {
            symbols.name(&name);
        }
        let legend = Legend { symbols, time_kind };
        let flow = batch.try_each(|event| session.see(event, CaseOf::default(), bytes, legend))?;
        if flow == ControlFlow::Break(()) {
            return Ok(());
        }
        if let Some(error) = error {
            return Err(error.into());
        }
        // If the reading is over, nobody wants it back.
        let _ = back.send(batch);
    }
    Ok(())
}
