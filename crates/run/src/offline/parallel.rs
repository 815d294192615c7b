// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges with several threads: one at a time reads, the others judge, each for its share of the bindings.
//!
//! Every share sees every event, in order, and the shares are put together at the end, so the outcomes are those of one
//! thread. A thread that has nothing to do takes whatever comes next, so that none is bound to reading while others have
//! more to do than they can.

mod ahead;
mod batch;
mod desk;

use std::panic::resume_unwind;
use std::thread::{self, Builder};

use gnomon_engine::Monitor;

use super::listen::Listener;
use super::{Extent, Report, Work};
use crate::error::Error;
use crate::externs::Feed;
pub(super) use ahead::watch;
use desk::{Desk, Source};

/// Judges a trace whose outcomes alone matter.
pub(super) fn judge<R: Feed + Send>(work: Work<'_>, reader: R, listener: &mut dyn Listener) -> Result<Report, Error> {
    let shares = if work.compiled.plan.can_share() { work.options.jobs } else { 1 };
    // One more than there are shares may read; further ones would have nothing to do.
    let threads = work.options.jobs.min(shares + 1);
    let desk = Desk::new(work, Source { reader, extent: Extent::new(work.compiled) }, shares);
    let crash = thread::scope(|scope| {
        // A thread that the system does not give is not missed: the others do its work.
        let desk = &desk;
        let helper = |home| Builder::new().spawn_scoped(scope, move || desk.work(home, |_, _| {})).ok();
        let helpers: Vec<_> = (1..threads).filter_map(helper).collect();
        desk.work(0, |bytes, events| listener.progress(bytes, events));
        helpers.into_iter().filter_map(|helper| helper.join().err()).last()
    });
    if let Some(crash) = crash {
        resume_unwind(crash);
    }
    let (source, monitors) = desk.clear()?;
    let whole = Monitor::join(monitors).unwrap_or_else(|| work.compiled.plan.start(work.options.max_violations));
    Ok(source.extent.report(work, &source.reader, whole.finish(work.options.end)))
}
